package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/scenarios"
)

// choice is what a command line names to be simulated or laid out: scenario files, or a real cluster.
type choice struct {
	args, clusterFiles []string
	// options are of a real cluster; their strategy is, with scenario files, the name of one of theirs.
	options scenarios.Options
}

// files are all that is read.
func (c *choice) files() []string { return slices.Concat(c.clusterFiles, c.args) }

// choiceFlags are the flags that make a choice.
type choiceFlags struct {
	choice
	to, server versionFlag
}

func (f *choiceFlags) add(cmd *cobra.Command) {
	f.addCluster(cmd)
	flags := cmd.Flags()
	o := &f.options
	flags.StringVar(&o.Strategy, "strategy", "", "only this `NAME`: of the scenario's strategies, rolling-N or rolling-N%, or any that upsim strategies list has")
	flags.StringVar(&o.MaxUnavailable, "max-unavailable", "", "nodes at once, with --cluster: `N` or a percentage")
	flags.StringVar(&o.MaxSurge, "max-surge", "", "new nodes at once, with --cluster and a strategy that brings them: `N` or a percentage")
	_ = cmd.RegisterFlagCompletionFunc("strategy", completeStrategy)
}

// addCluster adds the flags that name a real cluster and its target.
func (f *choiceFlags) addCluster(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.clusterFiles, "cluster", nil,
		"`FILE` with kubectl output, in place of scenario files; may be repeated, all files are one cluster")
	flags.Var(&f.to, "to", "the target version, with --cluster")
	flags.Var(&f.server, "server-version", "the API servers' version, with --cluster, in place of what the files tell of it")
}

// choose takes the arguments and checks what goes together.
func (f *choiceFlags) choose(cmd *cobra.Command, args []string) (choice, error) {
	c := f.choice
	c.args, c.options.To, c.options.Server = args, f.to.Version, f.server.Version
	if err := namesAFile(cmd, c.clusterFiles); err != nil {
		return c, err
	}
	real := len(c.clusterFiles) > 0
	for _, flag := range []struct{ name, hint string }{
		{"to", "a scenario file has its own upgrade.to"},
		{"server-version", "a scenario file has its own cluster.version"},
		{"max-unavailable", "a scenario file has its own upgrade.nodes"},
		{"max-surge", "a scenario file has its own upgrade.nodes"},
	} {
		if cmd.Flags().Changed(flag.name) && !real {
			return c, usagef(flag.hint, "--%s goes with --cluster", flag.name)
		}
	}
	if real && c.options.To.IsZero() {
		return c, usagef("for example --to v1.34.2", "--cluster needs a target version: --to VERSION")
	}
	if cmd.Flags().Changed("strategy") {
		if c.options.Strategy == "" {
			return c, usagef("for example --strategy surge", "--strategy names none")
		}
		if real {
			return c, c.ofRealCluster()
		}
		c.options.Changes = append(c.options.Changes, model.ChangesNamed(c.options.Strategy))
	}
	return c, nil
}

// ofRealCluster makes keys of the strategy's name.
func (c *choice) ofRealCluster() error {
	o := &c.options
	change, ok := model.ChangeNamed(o.Strategy)
	if !ok {
		_, err := strategyNamed(o.Strategy)
		return err
	}
	for _, k := range change.Keys {
		switch {
		case k.Key == "strategy":
			o.Strategy = k.Value
		case o.MaxUnavailable != "":
			return usagef("leave one of them out", "--strategy %s says how many nodes at once, and so does --max-unavailable", change.Name)
		default:
			o.MaxUnavailable = k.Value
		}
	}
	return nil
}

// namesAFile refuses a --cluster that is given and empty, as an unset shell variable makes it.
func namesAFile(cmd *cobra.Command, clusterFiles []string) error {
	if cmd.Flags().Changed("cluster") && len(clusterFiles) == 0 {
		return usagef("for example --cluster cluster.json", "--cluster names no file")
	}
	return nil
}

// chosen loads what is chosen; with --cluster the arguments are more of its files.
func (sh *shell) chosen(c choice) ([]*model.Scenario, error) {
	switch {
	case len(c.clusterFiles) > 0:
		sc, err := scenarios.FromKubectl(c.files(), sh.stdin, c.options)
		return []*model.Scenario{sc}, err
	case len(c.args) == 0:
		return sh.only(c.options.Strategy, []*model.Scenario{scenarios.Default(c.options.Changes...)})
	}
	list, err := sh.load(c.args, c.options.Changes...)
	if err != nil {
		return nil, err
	}
	return sh.only(c.options.Strategy, list)
}

// only leaves the scenarios that have the strategy, with nothing but that one: their own of this name, or else a usual one, laid
// over their upgrade.
func (sh *shell) only(strategy string, list []*model.Scenario) (with []*model.Scenario, err error) {
	if strategy == "" {
		return list, nil
	}
	var without []string
	for _, sc := range list {
		ups := sc.Upgrades()
		if at := slices.IndexFunc(ups, func(up model.NamedUpgrade) bool { return up.Name == strategy }); at >= 0 {
			if len(sc.Strategies) > 0 {
				sc.Strategies = ups[at : at+1]
			}
		} else if at := slices.IndexFunc(sc.Variants, func(v model.Variant) bool { return v.Name == strategy }); at >= 0 {
			v := &sc.Variants[at]
			if v.Refused != "" {
				return nil, usagef("", "%s with --strategy %s would be no plan: %s", sc.Name, strategy, v.Refused)
			}
			sc.Strategies, sc.Varied = []model.NamedUpgrade{v.Named()}, true
		} else {
			without = append(without, sc.Name)
			continue
		}
		with = append(with, sc)
	}
	if len(with) == 0 {
		return nil, unknownStrategy(list, strategy, "no scenario has a strategy called %q")
	}
	for _, name := range without {
		sh.note("note: %s has no strategy %s and is left out", name, strategy)
	}
	return with, nil
}

// unknownStrategy refuses a name that is neither one of the scenarios' own nor a usual one; what it says has a place for the name.
func unknownStrategy(list []*model.Scenario, name, says string) error {
	var known []string
	for _, sc := range list {
		for _, up := range sc.Upgrades() {
			known = append(known, up.Name)
		}
	}
	for _, c := range model.StandardChanges() {
		known = append(known, c.Name)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	all := slices.Clone(known)
	for _, p := range model.Presets() {
		all = append(all, p.Name)
	}
	hint := "there are " + strings.Join(known, ", ") + ", rolling-N and rolling-N% with other numbers, and those that upsim strategies list has"
	return usagef(didYouMean(name, all, hint), says, name)
}
