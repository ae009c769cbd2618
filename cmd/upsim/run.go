package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/reports"
	"upsim/scenarios"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

func (sh *shell) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [FILE…]",
		Short: "Simulate an upgrade and say whether it is safe",
		Long: `Simulate every upgrade of the scenario files, one result each, and report what happened. Without
a file the built-in example is simulated; "-" is standard input.

With --cluster the cluster is read from what kubectl printed:
  kubectl get nodes,pods,deployments,replicasets,statefulsets,daemonsets,poddisruptionbudgets \
    -A -o json > cluster.json`,
		Example: `  upsim run
  upsim run shop.yaml
  upsim run shop.yaml --seed 7 -o table -o json=result.json
  upsim run --cluster cluster.json --to v1.34.2 --strategy surge
  upsim run shop.yaml --plan plan.yaml
  kubectl get nodes,pods,deployments,replicasets,statefulsets,daemonsets,pdb -A -o json |
    upsim run --cluster - --to v1.34.2`,
	}
	var flags runFlags
	flags.add(cmd)
	var choose choiceFlags
	choose.add(cmd)
	planFile := cmd.Flags().String("plan", "", "`FILE` with a plan that upsim plan made: its stages and nodes, in place of the scenario's strategy")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := flags.validate(cmd); err != nil {
			return err
		}
		c, err := choose.choose(cmd, args)
		if err != nil {
			return err
		}
		inputs := c.files()
		planned := cmd.Flags().Changed("plan")
		if planned {
			if err := goesWithPlan(cmd, *planFile); err != nil {
				return err
			}
			inputs = append(inputs, *planFile)
		}
		if err := stdinOnce(inputs); err != nil {
			return err
		}
		out, err := sh.openOutputs(*flags.outputs, inputs)
		if err != nil {
			return err
		}
		list, err := sh.chosen(c)
		if err != nil {
			return err
		}
		if planned {
			sc, err := sh.plannedScenario(*planFile, list)
			if err != nil {
				return err
			}
			list = []*model.Scenario{sc}
		}
		return sh.simulate(cmd, &flags, list, out, c.check)
	}
	return cmd
}

// runFlags are the flags of a simulation, whatever its scenarios come from.
type runFlags struct {
	fail      failFlags
	outputs   *[]string
	seed      numberFlag
	maxEvents numberFlag
	audit     bool
	sensitive bool
}

func (f *runFlags) add(cmd *cobra.Command) {
	f.outputs = addOutputFlag(cmd)
	f.fail.add(cmd)
	cmd.Flags().Var(&f.seed, "seed", "seed of what is left to chance (default: the scenario's own)")
	cmd.Flags().Var(&f.maxEvents, "max-events", fmt.Sprintf("cut a simulation off after so many events, with exit code 3 (default %d)", sim.DefaultMaxEvents))
	cmd.Flags().BoolVar(&f.sensitive, "sensitivity", false, "also vary each assumption by a fifth, and say which of them move the result most")
	cmd.Flags().BoolVar(&f.audit, "audit", false, "recompute every invariant from scratch at each tick (slow)")
	if err := cmd.Flags().MarkHidden("audit"); err != nil {
		panic(err)
	}
}

func (f *runFlags) validate(cmd *cobra.Command) error {
	if cmd.Flags().Changed("max-events") && f.maxEvents == 0 {
		return usagef("leave it out for the default", "--max-events 0 would simulate nothing")
	}
	return f.fail.validate(cmd)
}

// load reads scenario files; the faults of all files are reported together.
func (sh *shell) load(paths []string) ([]*model.Scenario, error) {
	var list []*model.Scenario
	var faults error
	for _, path := range paths {
		found, err := sh.loadOne(path)
		if errors.As(err, new(model.Diagnostics)) {
			faults = errors.Join(faults, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, faults
}

func (sh *shell) loadOne(path string) ([]*model.Scenario, error) {
	in, err := scenarios.Open(path, sh.stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	switch in.Content {
	case scenarios.ContentKubectl:
		return nil, usagef("upsim run --cluster "+path+" --to VERSION", "%s holds kubectl output, not a scenario", in.Name)
	case scenarios.ContentPaste:
		return nil, usagef("write the cluster with kubectl get … -o json for --cluster; upsim check takes nodes with their versions", "%s holds a table or a list of versions, not a scenario", in.Name)
	}
	return in.Scenarios()
}

func stdinOnce(paths []string) error {
	n := 0
	for _, p := range paths {
		if p == "-" {
			n++
		}
	}
	if n > 1 {
		return usagef("", "standard input (-) can be read only once")
	}
	return nil
}

// simulate runs every upgrade of every scenario, writes the results, and
// answers with the exit code that they deserve. The function gives the command
// line that checks a scenario.
func (sh *shell) simulate(cmd *cobra.Command, flags *runFlags, list []*model.Scenario, out *outputs, check func(*model.Scenario) string) error {
	for _, sc := range list {
		sh.notes(sc)
	}
	code := exitFine
	more := unsaid{}
	for _, sc := range list {
		if cmd.Flags().Changed("seed") {
			sc.Seed = uint64(flags.seed)
		}
		for _, up := range sc.Upgrades() {
			world, err := sim.Compile(sc, up)
			if err != nil {
				return fmt.Errorf("%s: %w", title(sc, up), err)
			}
			if !sh.quiet {
				more.preflight(sc, world)
			}
			result := world.Run(sim.Options{Seed: sc.Seed, Audit: flags.audit, MaxEvents: uint64(flags.maxEvents)})
			if err := out.result(sc, result); err != nil {
				return err
			}
			if flags.sensitive {
				s, err := montecarlo.Vary(sc, up, montecarlo.Options{MaxEvents: uint64(flags.maxEvents)})
				if err != nil {
					return fmt.Errorf("%s: %w", title(sc, up), err)
				}
				if err := out.sensitivity(sc, up, s); err != nil {
					return err
				}
			}
			more.said(sc, result)
			code = max(code, flags.code(sh, sc, up, result))
			if _, only := out.files(); only {
				sh.note("%s: %s", title(sc, up), result.Verdict)
			}
		}
	}
	if err := out.summary(); err != nil {
		return err
	}
	if err := out.close(); err != nil {
		return err
	}
	more.tell(sh, list, check)
	return outcome(code)
}

// result writes one result to every sink, the tables with an empty line between them.
func (o *outputs) result(sc *model.Scenario, r *sim.Result) error {
	o.pieces++
	o.results = append(o.results, reports.LineOf(r))
	return o.each(func(w io.Writer, format string, opts reports.TableOptions) error {
		if format == reports.FormatJSON {
			return reports.JSON(w, r)
		}
		if o.pieces > 1 {
			if _, err := w.Write([]byte{'\n'}); err != nil {
				return err
			}
		}
		return reports.Table(w, sc, r, opts)
	})
}

// sensitivity writes what moves the result that was written last.
func (o *outputs) sensitivity(sc *model.Scenario, up model.NamedUpgrade, s *montecarlo.Sensitivity) error {
	return o.each(func(w io.Writer, format string, opts reports.TableOptions) error {
		if format == reports.FormatJSON {
			return reports.SensitivityJSON(w, sc, up.Name, s)
		}
		return reports.SensitivityTable(w, s, opts)
	})
}

// code is the exit code that a result deserves. One that was cut off is
// neither fine nor not; it says so on standard error.
func (f *runFlags) code(sh *shell, sc *model.Scenario, up model.NamedUpgrade, r *sim.Result) int {
	code := exitFine
	if r.Verdict != sim.Safe && f.fail.fails(model.SeverityError) {
		code = exitNotFine
	}
	for _, reason := range r.Reasons {
		if reason.Code == model.CutOff {
			hint := ""
			if limit := cmp.Or(uint64(f.maxEvents), sim.DefaultMaxEvents); r.Engine.Events >= limit {
				hint = " (see --max-events)"
			}
			fmt.Fprintf(sh.stderr, "error: %s: %s; its result is not complete%s\n", title(sc, up), reason.Message, hint)
			return exitCutOff
		}
		if f.fail.fails(reason.Severity) {
			code = exitNotFine
		}
	}
	return code
}

func title(sc *model.Scenario, up model.NamedUpgrade) string {
	if len(sc.Strategies) > 0 {
		return sc.Name + " (" + up.Name + ")"
	}
	return sc.Name
}

// notes tells on standard error what was noticed while the scenario was read.
func (sh *shell) notes(sc *model.Scenario) {
	for _, n := range sc.Notes {
		text := n.Message
		if name := n.Subject[strings.LastIndexByte(n.Subject, '/')+1:]; !mentions(text, name) {
			text = n.Subject + ": " + text
		}
		sh.note("note: %s", text)
	}
}
