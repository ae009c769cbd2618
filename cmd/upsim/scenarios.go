package main

import (
	"io"

	"github.com/spf13/cobra"

	"upsim/reports"
	"upsim/scenarios"
	"upsim/sim"
)

func (sh *shell) scenariosCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenarios",
		Short: "List, show and run the built-in scenarios",
		Example: `  upsim scenarios list
  upsim scenarios show canary-stops-bad-version > mine.yaml
  upsim scenarios run canary-stops-bad-version`,
	}
	cmd.AddCommand(sh.scenariosList(), sh.scenariosShow(), sh.scenariosRun())
	onlySubcommands(cmd)
	return cmd
}

func (sh *shell) scenariosList() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the built-in scenarios and what each teaches",
		Example: "  upsim scenarios list",
		Args:    exactly(),
	}
	var output outputFlag
	output.add(cmd, reports.FormatTable, reports.FormatJSON)
	cmd.RunE = func(*cobra.Command, []string) error {
		out, err := output.open(sh)
		if err != nil {
			return err
		}
		var list []reports.LibraryEntry
		for _, e := range scenarios.Library() {
			list = append(list, reports.LibraryEntry{Name: e.Name, Verdict: sim.Verdict(e.Verdict), Teaches: e.Teaches})
		}
		return out.whole(func(w io.Writer, format string, opts reports.TableOptions) error {
			return reports.Library(w, list, format, opts)
		})
	}
	return cmd
}

func (sh *shell) scenariosShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Print a built-in scenario, to copy and change",
		Example:           "  upsim scenarios show canary-stops-bad-version > mine.yaml",
		Args:              exactly("NAME"),
		ValidArgsFunction: completeScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			e, err := libraryEntry(args[0])
			if err != nil {
				return err
			}
			_, err = sh.stdout.Write(e.Data)
			return err
		},
	}
}

func (sh *shell) scenariosRun() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "run NAME",
		Short:             "Simulate a built-in scenario",
		Example:           "  upsim scenarios run canary-stops-bad-version -o json",
		Args:              exactly("NAME"),
		ValidArgsFunction: completeScenario,
	}
	var flags runFlags
	flags.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := flags.validate(cmd); err != nil {
			return err
		}
		e, err := libraryEntry(args[0])
		if err != nil {
			return err
		}
		out, err := flags.output.open(sh)
		if err != nil {
			return err
		}
		list, err := e.Load()
		if err != nil {
			return err
		}
		return sh.simulate(&flags, list, out, builtin(e.Name))
	}
	return cmd
}

func libraryEntry(name string) (scenarios.Entry, error) {
	if e, ok := scenarios.Find(name); ok {
		return e, nil
	}
	var known []string
	for _, e := range scenarios.Library() {
		known = append(known, e.Name)
	}
	hint := didYouMean(name, known, "see upsim scenarios list")
	return scenarios.Entry{}, usagef(hint, "there is no built-in scenario %q", name)
}

func completeScenario(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) == 0 {
		for _, e := range scenarios.Library() {
			names = append(names, e.Name+"\t"+e.Teaches)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
