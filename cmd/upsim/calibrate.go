package main

import (
	"io"

	"github.com/spf13/cobra"

	"upsim/model/calibrate"
	"upsim/model/kube"
	"upsim/reports"
	"upsim/scenarios"
)

func (sh *shell) calibrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "calibrate FILE…",
		Short: "Measure a scenario's assumptions on your own cluster",
		Long: `Measure what a scenario has to assume, on snapshots of a real cluster or on recordings of past upgrades:
how long pods take to start and to stop, nodes to be upgraded and to boot; a recording also tells how
fast the control plane answers. "-" is standard input; files packed with gzip will do.

A snapshot is what

  ` + kube.TimesCommand + `

prints, in JSON or YAML; take several while an upgrade runs, since events are kept for one hour by
default. A pod that is in several of them counts once, and so does what is in two recordings. What a
stop takes is best read off

  kubectl get pods -A -o json --watch --output-watch-events

A recording is a recorded.json: {"events": [{"t": MILLISECONDS, "type": "pod.scheduled", "pod": …}, …]}.

-o yaml writes keys of a scenario, each with the number of times that it rests on and how well it fits.`,
		Example: `  upsim calibrate cluster.json
  upsim calibrate before.json during.json after.json -o yaml
  kubectl get pods,nodes,events -A -o json | upsim calibrate - -o yaml=measured.yaml
  upsim calibrate recorded.json.gz`,
	}
	var output outputFlag
	output.add(cmd, reports.FormatTable, reports.FormatJSON, reports.FormatYAML)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("for example "+kube.TimesCommand+" | upsim calibrate -", "upsim calibrate needs a file, or - for standard input")
		}
		out, err := output.open(sh, args...)
		if err != nil {
			return err
		}
		found, err := sh.calibration(args)
		if err != nil {
			return err
		}
		return out.whole(func(w io.Writer, format string, opts reports.TableOptions) error {
			return reports.Calibration(w, found, format, opts)
		})
	}
	return cmd
}

// calibration reads the files, and tells what in them is not understood.
func (sh *shell) calibration(paths []string) (*calibrate.Calibration, error) {
	c := calibrate.NewCollector()
	for _, path := range paths {
		in, err := scenarios.Open(path, sh.stdin)
		if err != nil {
			return nil, err
		}
		err = c.Add(in.Name, in)
		in.Close()
		if err != nil {
			return nil, err
		}
	}
	found, err := c.Calibrate()
	if err != nil {
		return nil, err
	}
	for _, n := range found.Notes {
		sh.note("note: %s", n.Message)
	}
	return found, nil
}
