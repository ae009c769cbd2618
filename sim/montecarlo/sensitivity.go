package montecarlo

import (
	"cmp"
	"math"
	"slices"

	"upsim/model"
	"upsim/sim"
)

// DefaultSeeds is over how many seeds a sensitivity is judged where nothing is said.
const DefaultSeeds = 10

// Change is by how much each assumption is made less and more: a fifth.
const Change = 0.2

// Sensitivity says which assumptions move the result of an upgrade most, so that one knows what to measure first.
type Sensitivity struct {
	Seeds   int
	As      Figures // with the assumptions as they are
	Effects []Effect
}

// Figures are what the runs of one set of assumptions found. A run that was cut off by a limit counts nowhere but in CutOff.
type Figures struct {
	// Makespan, Downtime and BelowFloor are means over the Ended runs: those that came to an end of their own and were not stuck
	// or aborted, whose times would say nothing. Downtime sums the times of all workloads without a ready replica, BelowFloor
	// those with fewer than their budgets want.
	Makespan, Downtime, BelowFloor sim.Seconds
	Ended                          int
	// Verdicts counts the seeds that had each verdict.
	Verdicts map[sim.Verdict]int
	CutOff   int

	runs []Run // in the order of their seeds
}

// sensitive are the figures that a change is looked for in: makespan, downtime, and the time below budgets.
var sensitive = [...]Figure{Makespan, DowntimeOfAll, BelowFloorOfAll}

// Differences are how much more of makespan, downtime and time below budgets the runs with a change have than those without it, by
// pairs of runs with the same seed that both ended.
type Differences [len(sensitive)]Difference

// Effect is what a change of one assumption does.
type Effect struct {
	// Assumption is its key: under assumptions, or where the scenario says it otherwise.
	Assumption string
	// Of is the key of which this is the part of one workload, or of all that are not looked at one by one; empty for the others.
	Of string
	// Value is what it is: a model.Dist, a duration, a rate or a number; nil where several have their own.
	Value any
	// Default: the scenario left it at its default.
	Default        bool
	Less, More     Figures
	LessBy, MoreBy Differences
	// Turned counts the runs, of both changes, whose verdict became another one; TurnTold: not by chance, as far as the runs tell.
	Turned   int
	TurnTold bool
}

// A figure counts as moved by half a percent, and by a time that is not lost in what is written of it.
const (
	enough      = 0.005
	enoughToSee = 0.05 // seconds
)

// least is by how many seconds a figure must move to count: by half a percent of what it is, or of the makespan where it is 0.
func (f *Figures) least(figure int) float64 {
	mean := [...]sim.Seconds{f.Makespan, f.Downtime, f.BelowFloor}[figure]
	return max(enoughToSee, enough*float64(cmp.Or(mean, f.Makespan)))
}

// Moves reports whether the runs tell that a change of the assumption turns verdicts, or moves a figure by half a percent.
func (s *Sensitivity) Moves(e *Effect) bool {
	return e.TurnTold || e.any(func(d Difference, k int) bool { return d.Told() && math.Abs(d.Mean) >= s.As.least(k) })
}

// Still reports whether the runs tell that a change of the assumption turns no verdict and moves no figure by half a percent.
// Of what neither moves nor is still the runs tell no effect.
func (s *Sensitivity) Still(e *Effect) bool {
	return !s.Moves(e) && e.Turned == 0 && !e.any(func(d Difference, k int) bool {
		return !(math.Abs(d.Mean)+d.Half < s.As.least(k)) && !(d.N == 1 && d.Mean == 0)
	})
}

func (e *Effect) any(is func(Difference, int) bool) bool {
	for k := range sensitive {
		if is(e.LessBy[k], k) || is(e.MoreBy[k], k) {
			return true
		}
	}
	return false
}

// seconds are the most by which the runs tell that a change moves a figure, whichever.
func (e *Effect) seconds() (most float64) {
	for k := range sensitive {
		most = max(most, e.moved(k))
	}
	return most
}

// moved is the most by which the runs tell that a change moves one figure, in seconds.
func (e *Effect) moved(figure int) (most float64) {
	for _, d := range []Difference{e.LessBy[figure], e.MoreBy[figure]} {
		if d.Told() {
			most = max(most, math.Abs(d.Mean))
		}
	}
	return most
}

// Lead is the effect that moves a figure (0 is the makespan, 1 the downtime, 2 the time below budgets) most, and by up to how many
// seconds; nil where none moves it by half a percent. It is none of single workloads, whose whole moves it as much.
func (s *Sensitivity) Lead(figure int) (lead *Effect, seconds float64) {
	for i := range s.Effects {
		if e := &s.Effects[i]; e.Of == "" && e.moved(figure) >= s.As.least(figure) && e.moved(figure) > seconds {
			lead, seconds = e, e.moved(figure)
		}
	}
	return lead, seconds
}

// Hopeless reports whether no run ended, with no assumption as it is and none a fifth less or more: what is wrong with the plan is
// no matter of times.
func (s *Sensitivity) Hopeless() bool {
	return s.As.Ended == 0 && s.As.CutOff == 0 && !slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Less.Ended+e.More.Ended > 0 })
}

// CutOff is how many of all runs were cut off, of how many.
func (s *Sensitivity) CutOff() (n, of int) {
	n, of = s.As.CutOff, s.Seeds
	for i := range s.Effects {
		n, of = n+s.Effects[i].Less.CutOff+s.Effects[i].More.CutOff, of+2*s.Seeds
	}
	return n, of
}

// Vary simulates the upgrade with each assumption a fifth less and a fifth more, all else being equal, chance included. What
// several workloads have of their own in its place is varied together, and where that has an effect also one by one, for at most
// MostOwn of them. The effects stand in order: those that turn verdicts, those that move a figure by the most seconds, then those of
// which the runs tell nothing. The error is Compile's.
func Vary(sc *model.Scenario, up model.NamedUpgrade, o Options) (*Sensitivity, error) {
	o.Seeds = cmp.Or(o.Seeds, DefaultSeeds)
	s := &Sensitivity{Seeds: o.Seeds}
	var err error
	if s.As, err = runSeeds(sc, up, o); err != nil {
		return nil, err
	}
	list := assumptionsOf(sc, up)
	if err := s.vary(list, sc, up, o); err != nil {
		return nil, err
	}
	s.judge()
	var parts []varied
	for i := range list {
		if e := &s.Effects[i]; !s.Still(e) && !s.Hopeless() {
			parts = append(parts, list[i].parts...)
		}
	}
	if err := s.vary(parts, sc, up, o); err != nil {
		return nil, err
	}
	s.judge()
	rank := func(e *Effect) int {
		switch {
		case s.Moves(e):
			return 0
		case s.Still(e):
			return 2
		}
		return 1
	}
	turned := func(e *Effect) int {
		if e.TurnTold {
			return e.Turned
		}
		return 0
	}
	slices.SortStableFunc(s.Effects, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(turned(&b), turned(&a)), cmp.Compare(b.seconds(), a.seconds()))
	})
	return s, nil
}

// vary adds the effects of what is to be varied.
func (s *Sensitivity) vary(list []varied, sc *model.Scenario, up model.NamedUpgrade, o Options) error {
	figures := make([]Figures, 2*len(list))
	err := inParallel(len(figures), o.Workers, func(i int) error {
		factor := 1 - Change
		if i%2 == 1 {
			factor = 1 + Change
		}
		changed, upgrade := list[i/2].scaled(sc, up, factor)
		f, err := runSeeds(changed, upgrade, o)
		figures[i] = f
		return err
	})
	for i, a := range list {
		s.Effects = append(s.Effects, Effect{Assumption: a.name, Of: a.of, Value: a.value, Default: a.isDefault, Less: figures[2*i], More: figures[2*i+1]})
	}
	return err
}

// judge holds the runs with each change against those without it. All intervals hold together.
func (s *Sensitivity) judge() {
	intervals := 2 * len(sensitive) * len(s.Effects)
	for i := range s.Effects {
		e := &s.Effects[i]
		e.Turned, e.TurnTold = 0, false
		for _, c := range []struct {
			now *Figures
			by  *Differences
		}{{&e.Less, &e.LessBy}, {&e.More, &e.MoreBy}} {
			for k, f := range sensitive {
				c.by[k] = comparePairs(c.now.runs, s.As.runs, f, intervals, ended)
			}
			n, told := turned(&s.As, c.now)
			e.Turned, e.TurnTold = e.Turned+n, e.TurnTold || told
		}
	}
}

// turned counts the runs whose verdict became another one, and says whether that is more than chance: every run's did, or, of
// those that turned, by the sign test, with an error of one percent, more to the worse than to the better or the other way round.
func turned(as, now *Figures) (n int, told bool) {
	worse := 0
	for i := range as.runs {
		a, b := &as.runs[i], &now.runs[i]
		if a.CutOff || b.CutOff || a.Verdict == b.Verdict {
			continue
		}
		n++
		if gravity(b) < gravity(a) {
			worse++
		}
	}
	oneWay := worse == 0 || worse == n
	return n, n > 0 && (oneWay && n == len(as.runs) && n > 1 || signTest(min(worse, n-worse), n) <= 0.01)
}

// ended reports whether the run's times say how long the upgrade takes.
func ended(r *Run) bool {
	return !r.CutOff && !r.NotStarted && r.Verdict != sim.Stuck && r.Verdict != sim.Aborted
}

// runSeeds simulates the upgrade with each seed in turn.
func runSeeds(sc *model.Scenario, up model.NamedUpgrade, o Options) (Figures, error) {
	f := Figures{Verdicts: make(map[sim.Verdict]int)}
	t, err := sim.Prepare(sc, up)
	if err != nil {
		return f, err
	}
	for i := range o.Seeds {
		result, err := runSeed(t, sc.Seed+uint64(i), o)
		if err != nil {
			return f, err
		}
		r := RunOf(result)
		f.runs = append(f.runs, r)
		if r.CutOff {
			f.CutOff++
			continue
		}
		f.Verdicts[r.Verdict]++
		if ended(&r) {
			f.Ended++
			f.Makespan += sim.Seconds(r.Figures[Makespan])
			f.Downtime += sim.Seconds(r.Figures[DowntimeOfAll])
			f.BelowFloor += sim.Seconds(r.Figures[BelowFloorOfAll])
		}
	}
	if n := sim.Seconds(f.Ended); n > 0 {
		f.Makespan, f.Downtime, f.BelowFloor = f.Makespan/n, f.Downtime/n, f.BelowFloor/n
	}
	return f, nil
}
