package main

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/reports"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// defaultComparedSeeds is with how many seeds each strategy is run where nothing is said.
const defaultComparedSeeds = 20

// compareFlags say what is compared, and how often each is run.
type compareFlags struct {
	fail        failFlags
	seed        seedFlag
	seeds       numberFlag
	until       shareFlag
	maxEvents   numberFlag
	probability shareFlag
	strategies  []string
	output      outputFlag
}

func (sh *shell) compareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare [FILE…]",
		Short: "Hold strategies against each other, and say which to take",
		Long: `Run every strategy of the scenario files, each on the same cluster with the same seeds, and hold them
against each other. Without a file the built-in example is taken; "-" is standard input.

A scenario without strategies is compared with rolling-1 (in place, one node at a time), rolling-10%,
surge, canary and blueGreen; --strategies names others: the scenario's own, rolling-N and rolling-N%,
or any that upsim strategies list has. A scenario with a study is run with every combination of the
study's values. What a file would refuse, or what must not start, is a row with the reason.

FRONT marks the Pareto front: the strategies to which none is at least as good in all three of these,
and told to be better in one.
  time: the makespan that 95% of the runs do not exceed
  cost: the hours of extra nodes, on average
  risk: how many runs are not safe, or do not end; between equals the time that workloads have no
        ready replica, added up over them, on average; then so the time below budgets; then the
        number of pods that a bad version reaches
Time and cost are those of the runs that reach the target with all nodes. Strategies of which half of
the runs or fewer do have no place there, and nothing is compared where to, limit or controlPlane
differ, so that some do less.

Of those that are safe in every run (with --probability: in so many of all runs, told with 95%
confidence), and so meet every objective, the advice takes those with the least risk; of these the
cheapest, then the fastest, where the scenario has a window, and the fastest, then the cheapest,
where it has none.

Since chance strikes all strategies alike, differences are told from pairs of runs with the same seed,
by paired t intervals; those of the printed table, of all its rows and figures, hold together with 95%
(Bonferroni). Where such an interval leaves room for none, "no difference" is said. For FRONT and the
advice each of time, cost and risk is told with 95% by itself, for a strategy against all others: by
the means, and for time also by how many more runs of the slower one exceed what 95% of the faster
one's do not.`,
		Example: `  upsim compare shop.yaml
  upsim compare shop.yaml --strategies rolling-1,surge,gke-surge,eks --seeds 100
  upsim compare shop.yaml --until-ci 2%
  upsim compare values.yaml -o csv=values.csv -o table      # a scenario with a study
  upsim compare --cluster cluster.json --to v1.34.2`,
	}
	var flags compareFlags
	flags.add(cmd)
	var from inputFlags
	from.addCluster(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := flags.validate(cmd); err != nil {
			return err
		}
		from.options.Changes = []model.Changes{flags.changes()}
		_, list, out, err := from.read(sh, cmd, args, &flags.output)
		if err != nil {
			return err
		}
		return sh.compare(&flags, list, out)
	}
	return cmd
}

func (f *compareFlags) add(cmd *cobra.Command) {
	f.output.add(cmd, reports.FormatTable, reports.FormatJSON, reports.FormatCSV)
	f.fail.add(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&f.strategies, "strategies", nil, "compare these `NAMES`: of the scenario's own, rolling-N or rolling-N%, or any that upsim strategies list has")
	flags.Var(&f.seeds, "seeds", fmt.Sprintf("run each with so many seeds, the same for all (default %d, or the study's)", defaultComparedSeeds))
	f.until.addUntilCI(cmd, "run all with the same seeds", "each one's mean makespan and of its being safe")
	flags.Var(&f.probability, "probability", "take what is safe in at least so many of all runs, told with 95% confidence (default: what is safe in every run)")
	f.seed.add(cmd, "the first seed")
	flags.Var(&f.maxEvents, "max-events", fmt.Sprintf("cut a simulation off after so many events, with exit code 3 (default %d)", sim.DefaultMaxEvents))
	_ = cmd.RegisterFlagCompletionFunc("strategies", completeStrategy)
}

func (f *compareFlags) validate(cmd *cobra.Command) error {
	if err := notNothing(cmd, "max-events", f.maxEvents); err != nil {
		return err
	}
	switch {
	case cmd.Flags().Changed("seeds") && (f.seeds == 0 || f.seeds > montecarlo.MostRuns):
		return usagef("for example --seeds 100", "--seeds must be from 1 to %d", montecarlo.MostRuns)
	case cmd.Flags().Changed("strategies") && (len(f.strategies) == 0 || slices.Contains(f.strategies, "")):
		return usagef("for example --strategies rolling-1,surge", "--strategies has an empty name")
	}
	for i, name := range f.strategies {
		if slices.Contains(f.strategies[:i], name) {
			return usagef("name each once", "--strategies has %s twice", name)
		}
	}
	if cmd.Flags().Changed("probability") {
		if err := probable(f.probability); err != nil {
			return err
		}
	}
	return f.fail.validate(cmd)
}

// changes are what a scenario's upgrade may be compared with, before it is known which names are the scenario's own.
func (f *compareFlags) changes() model.Changes {
	if f.strategies != nil {
		return model.ChangesNamed(f.strategies...)
	}
	return func(*model.Scenario) []model.Change { return model.StandardChanges() }
}

// compare runs what each scenario compares, writes the comparisons, and answers with the exit code that they deserve.
func (sh *shell) compare(flags *compareFlags, list []*model.Scenario, out *outputs) error {
	var plans [][]reports.ComparedRow
	for _, sc := range list {
		flags.seed.replace(sc)
		rows, err := flags.rows(sc)
		if err != nil {
			return err
		}
		plans = append(plans, rows)
		dropStudyNote(sc)
		if sc.Study != nil && flags.strategies != nil {
			sh.note("note: %s: --strategies goes before its study, which is not run", sc.Name)
		}
		sh.notes(sc)
	}
	code := exitFine
	for i, sc := range list {
		c, err := sh.compareOne(flags, sc, plans[i])
		if err != nil {
			return err
		}
		if err := out.document(func(w io.Writer, format string, opts reports.TableOptions) error {
			return reports.Compare(w, c, format, i == 0, opts)
		}); err != nil {
			return err
		}
		code = max(code, flags.code(sh, sc, c))
	}
	return out.end(code)
}

// dropStudyNote is for the commands that run a study.
func dropStudyNote(sc *model.Scenario) {
	sc.Notes = slices.DeleteFunc(sc.Notes, func(f model.Finding) bool { return f.Code == model.StudyNotRun })
}

// rows are the upgrades that are compared: those that are named, or the study's, or the scenario's strategies, or its one upgrade
// and the usual ones beside it.
func (f *compareFlags) rows(sc *model.Scenario) ([]reports.ComparedRow, error) {
	var rows []reports.ComparedRow
	own := func(up model.NamedUpgrade) { rows = append(rows, reports.ComparedRow{Name: up.Name, Upgrade: up}) }
	variant := func(v *model.Variant, values []string) {
		rows = append(rows, reports.ComparedRow{Name: v.Name, Values: values, Settings: v.Keys, Refused: v.Refused, Upgrade: v.Named()})
	}
	switch {
	case f.strategies != nil:
		for _, name := range f.strategies {
			if i := slices.IndexFunc(sc.Upgrades(), func(up model.NamedUpgrade) bool { return up.Name == name }); i >= 0 {
				own(sc.Upgrades()[i])
			} else if i := slices.IndexFunc(sc.Variants, func(v model.Variant) bool { return v.Name == name }); i >= 0 {
				variant(&sc.Variants[i], nil)
			} else {
				return nil, unknownCompared(sc, name)
			}
		}
	case sc.Study != nil:
		for i := range sc.Study.Variants {
			variant(&sc.Study.Variants[i].Variant, sc.Study.Variants[i].Values)
		}
	case len(sc.Strategies) > 0:
		for _, up := range sc.Strategies {
			own(up)
		}
	default:
		own(sc.Upgrades()[0])
		for i := range sc.Variants {
			if v := &sc.Variants[i]; v.Refused != "" || !reflect.DeepEqual(v.Upgrade, sc.Upgrade) {
				variant(v, nil)
			}
		}
	}
	return rows, nil
}

func unknownCompared(sc *model.Scenario, name string) error {
	return unknownStrategy([]*model.Scenario{sc}, name, sc.Name+" has no strategy %q to compare")
}

// compareOne runs the rows of one scenario.
func (sh *shell) compareOne(flags *compareFlags, sc *model.Scenario, rows []reports.ComparedRow) (*reports.Comparison, error) {
	var keys []string
	if sc.Study != nil && flags.strategies == nil {
		keys = sc.Study.Keys
	}
	o, err := flags.options(sc, keys != nil)
	if err != nil {
		return nil, err
	}
	var ups []model.NamedUpgrade
	for _, r := range rows {
		if r.Refused == "" {
			ups = append(ups, r.Upgrade)
		}
	}
	total := o.Seeds * len(ups)
	if o.Until > 0 {
		total = 0
	}
	done, end := sh.progress(sc.Name, total)
	o.Done = done
	samples, err := montecarlo.ReplicateAll(sc, ups, o)
	end()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sc.Name, err)
	}
	for i := range rows {
		if rows[i].Refused == "" {
			rows[i].Sample, samples = samples[0], samples[1:]
		}
	}
	c := reports.NewComparison(sc, keys, rows, float64(flags.probability))
	c.Until = o.Until
	return c, nil
}

// options are how often each row of the scenario is run, which is what its study says where the command line does not.
func (f *compareFlags) options(sc *model.Scenario, study bool) (montecarlo.Options, error) {
	o := montecarlo.Options{Seeds: int(f.seeds), Until: float64(f.until), MaxEvents: uint64(f.maxEvents)}
	switch {
	case o.Until > 0:
		o.Seeds = cmp.Or(o.Seeds, montecarlo.MostSeeds)
	case study:
		o.Seeds = cmp.Or(o.Seeds, sc.Study.Seeds)
	}
	o.Seeds = cmp.Or(o.Seeds, defaultComparedSeeds)
	if p := float64(f.probability); p > 0 {
		if o.Least = montecarlo.SeedsFor(p); o.Seeds < o.Least {
			return o, usagef(fmt.Sprintf("for example --seeds %d", 2*o.Least), "%d seeds cannot tell that a plan is safe in %s of all runs; that takes %d at least", o.Seeds, f.probability.String(), o.Least)
		}
	}
	return o, enoughSeeds(sc, o.Seeds)
}

// code is 0 where there is a strategy to take, 1 where there is none, and 3 where a run was cut off, which is told.
func (f *compareFlags) code(sh *shell, sc *model.Scenario, c *reports.Comparison) int {
	for i := range c.Rows {
		if s := c.Rows[i].Sample; s != nil {
			if n := s.Count(func(r *montecarlo.Run) bool { return r.CutOff }); n > 0 {
				fmt.Fprintf(sh.stderr, "error: %s (%s): %d of its %d runs were cut off, so that they say nothing%s\n", sc.Name, c.Rows[i].Name, n, len(s.Runs), eventsHint(f.maxEvents, s.Runs...))
				return exitCutOff
			}
		}
	}
	take := c.Taken()
	if take == nil && c.Unlike() == "" {
		if f.fail.fails(model.SeverityError) {
			return exitNotFine
		}
		return exitFine
	}
	if take == nil {
		return exitFine // the rows do not do the same, which is no fault of theirs
	}
	for _, found := range take.Sample.Findings() {
		isRare := f.probability > 0 && found.Severity == model.SeverityError // which the probability allows for
		if !isRare && f.fail.fails(found.Severity) {
			return exitNotFine
		}
	}
	return exitFine
}
