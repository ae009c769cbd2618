package main

import (
	"slices"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/scenarios"
)

// inputs are what a command line names to be simulated or laid out: scenario files, or a real cluster.
type inputs struct {
	args, clusterFiles []string
	// planFile holds the plan that goes in place of the scenario's strategy; empty for none.
	planFile string
	// options are of a real cluster; their strategy is, with scenario files, the name of the one that is wanted.
	options scenarios.Options
}

// scenarioFiles are the files that scenarios are made of.
func (in *inputs) scenarioFiles() []string { return slices.Concat(in.clusterFiles, in.args) }

// files are all that is read.
func (in *inputs) files() []string {
	if in.planFile == "" {
		return in.scenarioFiles()
	}
	return append(in.scenarioFiles(), in.planFile)
}

// changes are what scenario files may be simulated with, before it is known whether the strategy's name is one of theirs.
func (in *inputs) changes() []model.Changes {
	if in.options.Strategy == "" {
		return in.options.Changes
	}
	return append(slices.Clone(in.options.Changes), model.ChangesNamed(in.options.Strategy))
}

// inputFlags are the flags that name inputs.
type inputFlags struct {
	inputs
	to, server versionFlag
}

// add adds the flags of a command that takes one upgrade, or each of a file, as it is.
func (f *inputFlags) add(cmd *cobra.Command) {
	f.addCluster(cmd)
	flags := cmd.Flags()
	o := &f.options
	flags.StringVar(&o.Strategy, "strategy", "", "only this `NAME`: of the scenario's strategies, rolling-N or rolling-N%, or any that upsim strategies list has")
	flags.StringVar(&o.MaxUnavailable, "max-unavailable", "", "nodes at once, `N[%]`, of a cluster from kubectl output")
	flags.StringVar(&o.MaxSurge, "max-surge", "", "new nodes at once, `N[%]`, of a cluster from kubectl output with a strategy that brings them")
	_ = cmd.RegisterFlagCompletionFunc("strategy", completeStrategy)
}

// addCluster adds the flags that name a real cluster and its target.
func (f *inputFlags) addCluster(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.clusterFiles, "cluster", nil,
		"`FILE` with kubectl output, in place of scenario files; may be repeated, all files are one cluster")
	flags.Var(&f.to, "to", "the target version of a cluster from kubectl output")
	flags.Var(&f.server, "server-version", "the API servers' version of a cluster from kubectl output, in place of what the files tell of it")
}

// addPlan adds the flag that names a plan.
func (f *inputFlags) addPlan(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.planFile, "plan", "", "`FILE` with a plan that upsim plan made: its stages and nodes, in place of the scenario's strategy")
}

// read is how a command that simulates, or lays out, begins: it takes the arguments, opens the outputs, and loads the scenarios.
// What is wrong with the command line, and what cannot be written, is so told before anything is read.
func (f *inputFlags) read(sh *shell, cmd *cobra.Command, args []string, output *outputFlag) (*inputs, []*model.Scenario, *outputs, error) {
	in, err := f.take(cmd, args)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(in.clusterFiles) == 0 {
		err = goesWithCluster(cmd, "--cluster")
	} else if in.options.To.IsZero() {
		err = usagef("for example --to v1.34.2", "--cluster needs a target version: --to VERSION")
	} else {
		in.options, err = in.ofRealCluster()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := output.open(sh, in.files()...)
	if err != nil {
		return nil, nil, nil, err
	}
	list, err := sh.load(in)
	return in, list, out, err
}

// take takes the arguments, and refuses flags that are given and empty.
func (f *inputFlags) take(cmd *cobra.Command, args []string) (*inputs, error) {
	in := f.inputs
	in.args, in.options.To, in.options.Server = args, f.to.Version, f.server.Version
	if err := namesAFile(cmd, in.clusterFiles); err != nil {
		return nil, err
	}
	if err := goesWithPlan(cmd, in.planFile); err != nil {
		return nil, err
	}
	if cmd.Flags().Changed("strategy") && in.options.Strategy == "" {
		return nil, usagef("for example --strategy surge", "--strategy names none")
	}
	return &in, nil
}

// goesWithCluster refuses, where there is none, the flags that go with a real cluster; but may be one that goes with what is there.
func goesWithCluster(cmd *cobra.Command, with string, but ...string) error {
	for _, flag := range []struct{ name, hint string }{
		{"to", "a scenario file has its own upgrade.to"},
		{"server-version", "a scenario file has its own cluster.version"},
		{"max-unavailable", "a scenario file has its own upgrade.nodes"},
		{"max-surge", "a scenario file has its own upgrade.nodes"},
	} {
		if cmd.Flags().Changed(flag.name) && !slices.Contains(but, flag.name) {
			return usagef(flag.hint, "--%s goes with %s", flag.name, with)
		}
	}
	return nil
}

// ofRealCluster are the options of a real cluster, with the keys that the strategy's name stands for.
func (in *inputs) ofRealCluster() (scenarios.Options, error) {
	o := in.options
	if o.Strategy == "" {
		return o, nil
	}
	change, ok := model.ChangeNamed(o.Strategy)
	if !ok {
		_, err := strategyNamed(o.Strategy)
		return o, err
	}
	for _, k := range change.Keys {
		switch {
		case k.Key == "strategy":
			o.Strategy = k.Value
		case o.MaxUnavailable != "":
			return o, usagef("leave one of them out", "--strategy %s says how many nodes at once, and so does --max-unavailable", change.Name)
		default:
			o.MaxUnavailable = k.Value
		}
	}
	return o, nil
}

// namesAFile refuses a --cluster that is given and empty, as an unset shell variable makes it.
func namesAFile(cmd *cobra.Command, clusterFiles []string) error {
	if cmd.Flags().Changed("cluster") && len(clusterFiles) == 0 {
		return usagef("for example --cluster cluster.json", "--cluster names no file")
	}
	return nil
}

// goesWithPlan refuses what a plan has of its own, and one that is given and empty.
func goesWithPlan(cmd *cobra.Command, planFile string) error {
	if !cmd.Flags().Changed("plan") {
		return nil
	}
	if planFile == "" {
		return usagef("for example --plan plan.yaml", "--plan names no file")
	}
	for _, flag := range []string{"strategy", "max-unavailable", "max-surge"} {
		if cmd.Flags().Changed(flag) {
			return usagef("a plan says of which strategy it is, and has its own numbers", "--%s does not go with --plan", flag)
		}
	}
	return nil
}

// stdinOnce refuses standard input as two of the files.
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
