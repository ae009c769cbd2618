package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/reports"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// optimizeFlags say what is looked for, and how.
type optimizeFlags struct {
	fail        failFlags
	goal        wordFlag
	probability shareFlag
	seed        seedFlag
	seeds       numberFlag
	maxEvents   numberFlag
	output      outputFlag
}

func (sh *shell) optimizeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "optimize [FILE…]",
		Short: "Search for the fastest, or the cheapest, plan that is safe",
		Long: `Search for a better plan than each scenario's own: the fastest that is safe, or, where the scenario
has a window, the cheapest within it. Safe means that every objective is met, in at least
--probability of all runs, which must be told with 95% confidence. Without a file the built-in example
is taken; "-" is standard input.

What is searched: in place, with new nodes first, or with a second set of nodes; how many at once;
cordons and taints that lead pods to nodes that are done; a wait after each node; pools together, one
after another or at the same time, and which goes first; nodes by name or by zone. Of an upgrade in
stages: their sizes, how many nodes the last takes at once, and the wait. Caution is never made less:
soaks get longer and not shorter, and gates, stages, drains and windows stay; of a system's procedure
only the numbers of nodes vary. A study in the scenario says what is searched instead, whatever keys
it varies.

How: all plans are run with two seeds, the better half of them with four, and so on (successive
halving), until the last have as many as the probability needs where all are safe, or --seeds. A plan
that looks better and of which some runs are not safe is run on until it is told whether it is safe so
often, with at most eight times as many seeds (with --seeds: no more than these). A plan is out at
once where its runs tell that it is not safe so often, or where a bound shows that it cannot be better
than a plan that is safe in every run: nodes over nodes at once, times the shortest time of one. The
best is confirmed in the same way with fresh seeds, beside yours.`,
		Example: `  upsim optimize shop.yaml
  upsim optimize shop.yaml --goal fastest --probability 95% -o yaml=best.yaml -o table
  upsim optimize --cluster cluster.json --to v1.34.2`,
	}
	flags := optimizeFlags{goal: wordFlag{choices: []string{"fastest", "cheapest"}}, probability: 0.9}
	flags.add(cmd)
	var from inputFlags
	from.addCluster(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := flags.validate(cmd); err != nil {
			return err
		}
		if len(from.clusterFiles) > 0 && slices.Contains(slices.Concat(from.clusterFiles, args), "-") && flags.output.asks(reports.FormatYAML) {
			return usagef("save it to a file, and give --cluster FILE", "a scenario, which -o yaml writes, cannot name a cluster that came from standard input")
		}
		from.options.Changes = []model.Changes{model.SearchSpace}
		_, list, out, err := from.read(sh, cmd, args, &flags.output)
		if err != nil {
			return err
		}
		return sh.optimize(&flags, list, out)
	}
	return cmd
}

func (f *optimizeFlags) add(cmd *cobra.Command) {
	f.output.add(cmd, reports.FormatTable, reports.FormatJSON, reports.FormatYAML)
	f.fail.add(cmd)
	flags := cmd.Flags()
	flags.Var(&f.goal, "goal", "what is looked for (default: cheapest where the scenario has a window, else fastest)")
	flags.Var(&f.probability, "probability", "how probable being safe has to be")
	flags.Var(&f.seeds, "seeds", "seeds of the last round, and the most of a plan (default: 35 for 90%, and up to 8 times as many for a plan of which some are not safe)")
	f.seed.add(cmd, "the first seed")
	flags.Var(&f.maxEvents, "max-events", fmt.Sprintf("cut a simulation off after so many events; such a run is not safe (default %d)", sim.DefaultMaxEvents))
	complete(cmd, "goal", f.goal.choices...)
}

func (f *optimizeFlags) validate(cmd *cobra.Command) error {
	if err := probable(f.probability); err != nil {
		return err
	}
	if err := notNothing(cmd, "max-events", f.maxEvents); err != nil {
		return err
	}
	switch {
	case f.seeds > montecarlo.MostSeeds:
		return usagef("", "--seeds must be at most %d", montecarlo.MostSeeds)
	case cmd.Flags().Changed("seeds") && int(f.seeds) < montecarlo.SeedsFor(float64(f.probability)):
		return usagef("", "--seeds %d cannot tell that a plan is safe in %s of all runs; that takes %d at least", f.seeds, f.probability.String(), montecarlo.SeedsFor(float64(f.probability)))
	}
	return f.fail.validate(cmd)
}

// optimize searches each scenario, writes what it found, and answers with the exit code: 1 where nothing was.
func (sh *shell) optimize(flags *optimizeFlags, list []*model.Scenario, out *outputs) error {
	code := exitFine
	for _, sc := range list {
		flags.seed.replace(sc)
		if err := enoughSeeds(sc, 2*montecarlo.MostSeeds); err != nil {
			return err
		}
		dropStudyNote(sc)
		sh.notes(sc)
	}
	for _, sc := range list {
		found, err := sh.search(flags, sc)
		if err != nil {
			return err
		}
		if found.Search.Best < 0 && flags.fail.fails(model.SeverityError) {
			code = exitNotFine
		}
		err = out.document(func(w io.Writer, format string, opts reports.TableOptions) error {
			found.Locate = func(file string) string { return locate(file, sc.Folder, out.into) }
			return reports.Optimized(w, found, format, opts)
		})
		if err != nil {
			return err
		}
	}
	return out.end(code)
}

// locate is the name under which a scenario written into a file finds one that is named relative to a folder; on standard output, which
// may end up anywhere, it is absolute.
func locate(file, folder, into string) string {
	if filepath.IsAbs(file) {
		return file
	}
	from, err := filepath.Abs(filepath.Join(folder, file))
	if err != nil || into == "" {
		return cmp.Or(from, file)
	}
	to, err := filepath.Abs(filepath.Dir(into))
	if err != nil {
		return from
	}
	name, err := filepath.Rel(to, from)
	if err != nil { // on another drive
		return from
	}
	return name
}

// search looks for the best plan of one scenario.
func (sh *shell) search(flags *optimizeFlags, sc *model.Scenario) (*reports.Optimization, error) {
	o := &reports.Optimization{Scenario: sc, Probability: float64(flags.probability), CostFirst: sc.Objectives.Window != nil}
	if flags.goal.value != "" {
		o.CostFirst = flags.goal.value == "cheapest"
	}
	plans := sc.Upgrades()
	o.Settings, o.Refused = make([][]model.KeyValue, len(plans)), make([]string, len(plans))
	add := func(v *model.Variant) {
		plans, o.Settings, o.Refused = append(plans, v.Named()), append(o.Settings, v.Keys), append(o.Refused, v.Refused)
	}
	for i := range sc.Variants {
		add(&sc.Variants[i])
	}
	if sc.Study != nil {
		for i := range sc.Study.Variants {
			add(&sc.Study.Variants[i].Variant)
		}
	}
	for i := range plans {
		if key := plans[i].Upgrade.Unlike(&plans[0].Upgrade); key != "" && o.Refused[i] == "" {
			return nil, usagef("vary other keys, or let upsim compare show the rows beside each other",
				"%s: its study varies %s, so that the plans do not do the same; what does least would be found", sc.Name, key)
		}
	}
	done, end := sh.progress(sc.Name+": searching", 0)
	var err error
	o.Search, err = montecarlo.FindBest(sc, plans, func(i int) bool { return o.Refused[i] != "" }, montecarlo.SearchOptions{
		Options:     montecarlo.Options{Seeds: int(flags.seeds), MaxEvents: uint64(flags.maxEvents), Done: done},
		Probability: o.Probability, CostFirst: o.CostFirst})
	end()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sc.Name, err)
	}
	return o, nil
}
