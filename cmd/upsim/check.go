package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/model/skew"
	"upsim/reports"
	"upsim/scenarios"
	"upsim/sim"
)

func (sh *shell) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Say what is wrong that can be known without simulating",
		Long: `Check scenario files, or a real cluster from what kubectl printed: version skew, budgets that can
never allow an eviction, pods with two budgets, skipped minors, no room for the first drain. What a
file holds is judged by its content; kubectl output in YAML or JSON, from all files together, is one
cluster. "-" is standard input.

Every upgrade of a scenario is checked; --strategy takes one, by the names that upsim run takes.
Without --to a cluster is checked as it stands. What people paste is taken too, for its versions
alone: the table of kubectl get nodes, lines of a node's name and version, the text of kubectl version.`,
		Example: `  upsim check shop.yaml
  upsim check shop.yaml --strategy surge
  upsim check --cluster cluster.json --to v1.34.2
  kubectl get nodes | upsim check - --server-version v1.34.2
  (kubectl version; kubectl get nodes) | upsim check -`,
	}
	c := checker{sh: sh}
	var output outputFlag
	output.add(cmd, reports.FormatTable, reports.FormatJSON)
	c.fail.add(cmd)
	var from inputFlags
	from.add(cmd)
	cmd.Flags().Lookup("server-version").Usage += "; also of pasted lists of nodes"
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err := c.fail.validate(cmd); err != nil {
			return err
		}
		if c.in, err = from.take(cmd, args); err != nil {
			return err
		}
		if len(c.in.files()) == 0 {
			return usagef("for example upsim check shop.yaml", "upsim check needs a file, or - for standard input")
		}
		if c.out, err = output.open(sh, c.in.files()...); err != nil {
			return err
		}
		return c.check(cmd)
	}
	return cmd
}

// checker checks the files of one command line.
type checker struct {
	sh   *shell
	in   *inputs
	out  *outputs
	fail failFlags

	list   []*model.Scenario // of the scenario files
	faults error             // model.Diagnostics of them, joined
	dump   []*scenarios.Input
	pastes int
	found  []reports.Checked
}

// check reads everything before it prints anything, so that bad input leaves no half report.
func (c *checker) check(cmd *cobra.Command) error {
	for _, path := range c.in.files() {
		in, err := scenarios.Open(path, c.sh.stdin)
		if err != nil {
			return err
		}
		defer in.Close()
		switch {
		case len(c.in.clusterFiles) > 0 || in.Content == scenarios.ContentKubectl:
			c.dump = append(c.dump, in)
		case in.Content == scenarios.ContentPaste:
			c.pastes++
			err = c.paste(in)
		default:
			err = c.scenarioFile(in)
		}
		if err != nil {
			return err
		}
	}
	if c.faults != nil {
		return c.faults
	}
	if err := c.goTogether(cmd); err != nil {
		return err
	}
	if len(c.list) > 0 {
		list, err := c.sh.only(c.in.options.Strategy, c.list)
		if err != nil {
			return err
		}
		for _, sc := range list {
			if err := c.scenario(sc.File, sc); err != nil {
				return err
			}
		}
	}
	if len(c.dump) > 0 {
		if err := c.cluster(); err != nil {
			return err
		}
	}
	return c.report()
}

// goTogether refuses flags that have nothing to do with what the files turned out to hold.
func (c *checker) goTogether(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	switch {
	case len(c.dump) > 0:
		for _, flag := range []string{"strategy", "max-unavailable", "max-surge"} {
			if changed(flag) && c.in.options.To.IsZero() {
				return usagef("for example --to v1.34.2", "--%s is of an upgrade, which kubectl output has with --to VERSION", flag)
			}
		}
		return nil
	case c.pastes == 0:
		return goesWithCluster(cmd, "kubectl output")
	case len(c.list) > 0:
		return goesWithCluster(cmd, "kubectl output", "server-version")
	}
	for _, flag := range []string{"to", "strategy", "max-unavailable", "max-surge"} {
		if changed(flag) {
			return usagef("--server-version says against which API server to check it", "a pasted list has only versions, and no cluster that --%s could be of", flag)
		}
	}
	return nil
}

func (c *checker) scenarioFile(in *scenarios.Input) error {
	list, err := in.Scenarios(c.in.changes()...)
	if errors.As(err, new(model.Diagnostics)) {
		c.faults = errors.Join(c.faults, err)
		return nil
	}
	c.list = append(c.list, list...)
	return err
}

func (c *checker) scenario(file string, sc *model.Scenario) error {
	for _, up := range sc.Upgrades() {
		findings, err := sim.Preflight(sc, up)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", file, title(sc, up), err)
		}
		findings = append(slices.Clone(sc.Notes), findings...)
		c.found = append(c.found, reports.Checked{File: file, Scenario: sc.Name, Strategy: up.Name, Findings: findings})
	}
	return nil
}

func (c *checker) cluster() error {
	options, err := c.in.ofRealCluster()
	if err != nil {
		return err
	}
	sc, err := scenarios.FromInputs(c.dump, options)
	if err != nil {
		return err
	}
	if err := c.scenario(c.dump[0].Name, sc); err != nil {
		return err
	}
	if options.To.IsZero() {
		last := &c.found[len(c.found)-1]
		last.Findings = slices.DeleteFunc(last.Findings, func(f model.Finding) bool { return f.Code == model.NothingToUpgrade })
	}
	return nil
}

// paste checks the versions in a pasted list; nothing else is known.
func (c *checker) paste(in *scenarios.Input) error {
	cluster, err := in.Paste(c.in.options.Server)
	if err != nil {
		return err
	}
	findings := append(cluster.Notes, skew.Check(skew.FromCluster(cluster))...)
	c.found = append(c.found, reports.Checked{File: in.Name, Findings: findings})
	return nil
}

// report writes the findings and answers with the exit code.
func (c *checker) report() error {
	code := exitFine
	for i, one := range c.found {
		err := c.out.each(func(w io.Writer, format string, opts reports.TableOptions) error {
			if format == reports.FormatTable && len(c.found) > 1 {
				if _, err := io.WriteString(w, heading(one, i == 0)); err != nil {
					return err
				}
			}
			return reports.Findings(w, one, format, opts)
		})
		if err != nil {
			return err
		}
		for _, f := range one.Findings {
			if c.fail.fails(f.Severity) {
				code = exitNotFine
			}
		}
	}
	if err := c.out.close(); err != nil {
		return err
	}
	if _, only := c.out.files(); only && code == exitFine {
		c.sh.note("no finding makes the check fail")
	}
	return outcome(code)
}

// heading tells what was checked, where that is more than one thing.
func heading(c reports.Checked, first bool) string {
	text := c.File
	if c.Scenario != "" {
		text += ": " + c.Scenario + ", strategy " + c.Strategy
	}
	if !first {
		text = "\n" + text
	}
	return text + "\n"
}
