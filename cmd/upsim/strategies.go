package main

import (
	"io"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/reports"
)

func (sh *shell) strategiesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "strategies",
		Short: "List the strategies, and show what each stands for",
		Long: `A strategy is a name for keys under upgrade.nodes. Some are upsim's own; the others imitate a system
(GKE, EKS, kOps …) with its defaults, each of which a scenario can override.`,
		Example: `  upsim strategies list
  upsim strategies show eks
  upsim strategies show eks -o yaml      # to paste under upgrade, and change`,
	}
	cmd.AddCommand(sh.strategiesList(), sh.strategiesShow())
	onlySubcommands(cmd)
	return cmd
}

func (sh *shell) strategiesList() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the strategies: how nodes are replaced, how many at once, and what a stuck drain does",
		Example: "  upsim strategies list",
		Args:    exactly(),
	}
	var output outputFlag
	output.add(cmd, reports.FormatTable, reports.FormatJSON)
	cmd.RunE = func(*cobra.Command, []string) error {
		out, err := output.open(sh)
		if err != nil {
			return err
		}
		return out.whole(func(w io.Writer, format string, opts reports.TableOptions) error {
			return reports.Strategies(w, model.Presets(), format, opts)
		})
	}
	return cmd
}

func (sh *shell) strategiesShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Print the keys that a strategy stands for, each with its source",
		Example: `  upsim strategies show gke-surge
  upsim strategies show gke-surge -o yaml      # to paste under upgrade`,
		Args:              exactly("NAME"),
		ValidArgsFunction: completeStrategy,
	}
	var output outputFlag
	output.add(cmd, reports.FormatTable, reports.FormatJSON, reports.FormatYAML)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		s, err := strategyNamed(args[0])
		if err != nil {
			return err
		}
		out, err := output.open(sh)
		if err != nil {
			return err
		}
		return out.whole(func(w io.Writer, format string, opts reports.TableOptions) error {
			return reports.Strategy(w, s, format, opts)
		})
	}
	return cmd
}

func strategyNamed(name string) (*model.Preset, error) {
	if s, ok := model.FindPreset(name); ok {
		return s, nil
	}
	var known []string
	for _, s := range model.Presets() {
		known = append(known, s.Name)
	}
	hint := didYouMean(name, known, "see upsim strategies list")
	return nil, usagef(hint, "there is no strategy %q", name)
}

func completeStrategy(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) == 0 {
		for _, s := range model.Presets() {
			names = append(names, s.Name+"\t"+s.About)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
