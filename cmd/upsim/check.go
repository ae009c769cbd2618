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

Without --to a cluster is checked as it stands. What people paste is taken too, for its versions
alone: the table of kubectl get nodes, lines of a node's name and version, the text of kubectl version.`,
		Example: `  upsim check shop.yaml
  upsim check --cluster cluster.json --to v1.34.2
  kubectl get nodes | upsim check - --server-version v1.34.2
  (kubectl version; kubectl get nodes) | upsim check -`,
	}
	c := checker{sh: sh}
	var output outputFlag
	output.add(cmd, reports.FormatTable, reports.FormatJSON)
	c.fail.add(cmd)
	clusterFiles := cmd.Flags().StringSlice("cluster", nil, "`FILE` with kubectl output; may be repeated, all files are one cluster")
	cmd.Flags().Var(&c.to, "to", "the target version of a cluster read from kubectl output")
	cmd.Flags().Var(&c.server, "server-version", "the API servers' version, for kubectl output and pasted lists of nodes, in place of what they tell of it")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err := c.fail.validate(cmd); err != nil {
			return err
		}
		if err := namesAFile(cmd, *clusterFiles); err != nil {
			return err
		}
		paths := append(*clusterFiles, args...)
		if len(paths) == 0 {
			return usagef("for example upsim check shop.yaml", "upsim check needs a file, or - for standard input")
		}
		if c.out, err = output.open(sh, paths...); err != nil {
			return err
		}
		return c.check(paths, len(*clusterFiles) > 0)
	}
	return cmd
}

// checker checks the files of one command line.
type checker struct {
	sh         *shell
	out        *outputs
	fail       failFlags
	to, server versionFlag

	found  []reports.Checked
	faults error // model.Diagnostics of the scenario files, joined
}

// check reads everything before it prints anything, so that bad input leaves no half report.
func (c *checker) check(paths []string, cluster bool) error {
	var dump []*scenarios.Input
	pastes, files := 0, 0
	for _, path := range paths {
		in, err := scenarios.Open(path, c.sh.stdin)
		if err != nil {
			return err
		}
		defer in.Close()
		switch {
		case cluster || in.Content == scenarios.ContentKubectl:
			dump = append(dump, in)
		case in.Content == scenarios.ContentPaste:
			pastes++
			err = c.paste(in)
		default:
			files++
			err = c.scenarioFile(in)
		}
		if err != nil {
			return err
		}
	}
	if c.faults != nil {
		return c.faults
	}
	if !c.to.IsZero() && len(dump) == 0 {
		if pastes > 0 && files == 0 {
			return usagef("for example --server-version "+c.to.String(), "a pasted list has only versions, and no cluster that --to could upgrade;"+
				" --server-version says against which API server to check it")
		}
		return usagef("a scenario file has its own upgrade.to", "--to goes with kubectl output")
	}
	if !c.server.IsZero() && pastes == 0 && len(dump) == 0 {
		return usagef("write the version into the scenario, under cluster", "--server-version goes with kubectl output or a pasted list of nodes")
	}
	if len(dump) > 0 {
		if err := c.cluster(dump); err != nil {
			return err
		}
	}
	return c.report()
}

func (c *checker) scenarioFile(in *scenarios.Input) error {
	list, err := in.Scenarios()
	if errors.As(err, new(model.Diagnostics)) {
		c.faults = errors.Join(c.faults, err)
		return nil
	}
	if err != nil {
		return err
	}
	for _, sc := range list {
		if err := c.scenario(in.Name, sc); err != nil {
			return err
		}
	}
	return nil
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

func (c *checker) cluster(dump []*scenarios.Input) error {
	sc, err := scenarios.FromInputs(dump, scenarios.Options{To: c.to.Version, Server: c.server.Version})
	if err != nil {
		return err
	}
	if err := c.scenario(dump[0].Name, sc); err != nil {
		return err
	}
	if c.to.IsZero() {
		last := &c.found[len(c.found)-1]
		last.Findings = slices.DeleteFunc(last.Findings, func(f model.Finding) bool { return f.Code == model.NothingToUpgrade })
	}
	return nil
}

// paste checks the versions in a pasted list; nothing else is known.
func (c *checker) paste(in *scenarios.Input) error {
	cluster, err := in.Paste(c.server.Version)
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
