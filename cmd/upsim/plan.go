package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/reports"
	"upsim/sim"
)

func (sh *shell) planCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan [FILE…]",
		Short: "Lay an upgrade out as data: phases, stages, their nodes and labels",
		Long: `Lay out every upgrade of the scenario files, without simulating it: its phases, and of the nodes the
stages in their order, with the nodes that each takes, the label that says so and the kubectl commands
that set it, how nodes are replaced, how many at once, drain, soak and gate. Without a file the
built-in example is laid out; "-" is standard input.

In YAML and JSON a plan can be changed, and simulated as it then stands: upsim run FILE --plan PLAN.`,
		Example: `  upsim plan shop.yaml
  upsim plan shop.yaml -o yaml=plan.yaml
  upsim plan four.yaml --strategy surge -o json | upsim run four.yaml --plan -
  upsim plan --cluster cluster.json --to v1.34.2 --strategy canary -o yaml`,
	}
	var output outputFlag
	output.add(cmd, reports.FormatTable, reports.FormatJSON, reports.FormatYAML)
	var from inputFlags
	from.add(cmd)
	var seed seedFlag
	seed.add(cmd, "seed of an order of nodes that is left to chance")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		_, list, out, err := from.read(sh, cmd, args, &output)
		if err != nil {
			return err
		}
		for _, sc := range list {
			sh.notes(sc)
			seed.replace(sc)
		}
		return sh.layOut(list, out)
	}
	return cmd
}

// layOut writes the plan of every upgrade. One that must not start has none, which its findings explain.
func (sh *shell) layOut(list []*model.Scenario, out *outputs) error {
	code := exitFine
	for _, sc := range list {
		for _, up := range sc.Upgrades() {
			world, err := sim.Compile(sc, up)
			if err != nil {
				return fmt.Errorf("%s: %w", title(sc, up), err)
			}
			if hindered := world.Hindrances(); len(hindered) > 0 {
				code = exitNotFine
				for _, f := range hindered {
					fmt.Fprintf(sh.stderr, "error: %s must not start as it is: %s\n", title(sc, up), f.Message)
				}
				continue
			}
			plan := world.Plan(sc.Seed)
			if err := out.plan(plan); err != nil {
				return err
			}
			if left := plan.LeftAlone(up.Upgrade, &sc.Cluster); left != "" {
				sh.note("note: %s: %s", title(sc, up), left)
			}
		}
	}
	if out.pieces == 0 {
		return outcome(code)
	}
	return out.end(code)
}

// plan writes one plan to every sink.
func (o *outputs) plan(plan *model.Plan) error {
	return o.document(func(w io.Writer, format string, opts reports.TableOptions) error {
		return reports.Plan(w, plan, format, opts)
	})
}
