package montecarlo

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"upsim/model"
	"upsim/sim"
)

// SearchOptions say what is looked for.
type SearchOptions struct {
	Options
	// Probability is how probable being safe has to be, which an interval of Confidence must bear out.
	Probability float64
	// CostFirst looks for the cheapest plan, and of equals the fastest; otherwise for the fastest, and of equals the cheapest.
	CostFirst bool
}

// SeedsFor is the least number of runs that, all safe, bear a probability of being safe out: Wilson's interval of n of n begins at n/(n+z²).
func SeedsFor(probability float64) int {
	for n := 1; ; n++ {
		if low, _ := Wilson(n, n); low >= probability {
			return n
		}
	}
}

// The reasons why a plan is out of a search.
const (
	OutRefused    = "refused"     // a scenario file with it would be
	OutNotStarted = "not started" // it must not start
	OutBound      = "bound"       // it cannot be better than one that is confirmed
	OutUnsafe     = "not safe"    // too many of its runs are not, however the rest would end
	OutBehind     = "behind"      // half of the others are better so far
	OutDoubt      = "in doubt"    // fresh seeds do not bear out that it is safe
)

// Search is a search by successive halving (Jamieson and Talwalkar, AISTATS 2016): all plans are run with few seeds, the
// better half of them with twice as many, and so on; a run is made once, since all plans have the same seeds. Where the
// better ones turn out not to be safe, those that were behind come back, as long as one of them looks better than the best that is
// safe. That one is confirmed with fresh seeds before any other is measured against it, so that its being chosen for good luck
// with the first does not count; where they do not bear it out, the search goes on without it.
type Search struct {
	// Plans are the upgrades, the scenario's own first; a zero one is refused. Samples are their runs; nil for none.
	Plans   []model.NamedUpgrade
	Samples []*Sample
	// Out says why a plan is out; of the rest it is empty.
	Out    []string
	Rounds []Round
	// Best is the place of the plan that was found, -1 for none; it is confirmed by its Fresh runs, beside those of plan 0.
	Best            int
	Fresh, OwnFresh *Sample
	// Runs counts the runs that were made.
	Runs int

	sc     *model.Scenario
	o      SearchOptions
	bounds []bound
	final  int       // seeds of the last round
	fresh  []*Sample // runs with fresh seeds of the plans that are confirmed, or in doubt; nil for none
}

// Round is one round of halving.
type Round struct {
	Seeds, Plans int
	// Back counts the plans that were behind and have come back for it.
	Back int
	// Out counts the plans that it put out, by why.
	Out map[string]int
	// Best is the place of the best plan after it that all its runs bear out to be safe, -1 for none.
	Best int
}

// FindBest searches the plans; refused says which of them are none. The scenario's own upgrade is the first. The error is Compile's.
func FindBest(sc *model.Scenario, plans []model.NamedUpgrade, refused func(i int) bool, o SearchOptions) (*Search, error) {
	s := &Search{Plans: plans, Samples: make([]*Sample, len(plans)), Out: make([]string, len(plans)), Best: -1,
		sc: sc, o: o, bounds: make([]bound, len(plans)), fresh: make([]*Sample, len(plans)), final: max(SeedsFor(o.Probability), o.Seeds)}
	if err := s.prepare(refused); err != nil {
		return nil, err
	}
	return s, s.halve()
}

// halve makes round after round, until no plan is left that looks better than the best that is safe.
func (s *Search) halve() error {
	back := 0
	for seeds := min(2, s.final); ; {
		if err := s.round(seeds, back); err != nil {
			return err
		}
		back = 0
		if s.unfinished() {
			seeds = min(2*seeds, s.final)
			continue
		}
		if back, seeds = s.comeBack(); back == 0 {
			return s.settle()
		}
	}
}

// unfinished reports whether a plan that is left has fewer runs than it can have.
func (s *Search) unfinished() bool {
	return slices.ContainsFunc(s.left(), func(i int) bool { return len(s.Samples[i].Runs) < s.final })
}

// comeBack takes the plans up again that were behind others and look better than the best that is safe, and says how many there are
// and with how many seeds they go on.
func (s *Search) comeBack() (n, seeds int) {
	top, seeds := s.Rounds[len(s.Rounds)-1].Best, s.final
	for i, why := range s.Out {
		if why == OutBehind && len(s.Samples[i].Runs) < s.final && (top < 0 || s.better(i, top) < 0) {
			s.Out[i] = ""
			n++
			seeds = min(seeds, 2*len(s.Samples[i].Runs))
		}
	}
	return n, seeds
}

// incumbent is the best plan that is safe in all the seeds that a plan can have, and in as many fresh ones; -1 for none. What
// these do not bear out is put out by the round.
func (s *Search) incumbent(r *Round) (int, error) {
	for _, i := range s.safe() {
		if err := s.confirm(i); err != nil {
			return -1, err
		}
		if s.isSafe(s.bad(s.fresh[i]), s.final) {
			return i, nil
		}
		s.Out[i] = OutDoubt
		r.Out[OutDoubt]++
	}
	return -1, nil
}

// safe are the plans that the runs of the search bear out to be safe and that are not in doubt, the best first.
func (s *Search) safe() (list []int) {
	for i, x := range s.Samples {
		if x != nil && len(x.Runs) >= s.final && s.isSafe(s.bad(x), len(x.Runs)) && s.Out[i] != OutDoubt {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, s.better)
	return list
}

// confirm runs a plan with the seeds that follow those of the search, once.
func (s *Search) confirm(i int) (err error) {
	if s.fresh[i] != nil {
		return nil
	}
	after := *s.sc
	after.Seed += uint64(s.final)
	o := s.o.Options
	o.Seeds, o.Until = s.final, 0
	s.Runs += s.final
	s.fresh[i], err = Replicate(&after, s.Plans[i], o)
	return err
}

// prepare puts out what is no plan, what must not start, and works the bounds of the rest out.
func (s *Search) prepare(refused func(int) bool) error {
	round := Round{Plans: len(s.Plans), Out: map[string]int{}, Best: -1}
	err := inParallel(len(s.Plans), s.o.Workers, func(i int) error {
		if refused(i) {
			s.Out[i] = OutRefused
			return nil
		}
		w, err := sim.Compile(s.sc, s.Plans[i])
		switch {
		case err != nil:
			return err
		case len(w.Hindrances()) > 0:
			s.Out[i] = OutNotStarted
		default:
			s.bounds[i] = boundOf(s.sc, w)
		}
		return nil
	})
	for _, why := range s.Out {
		if why != "" {
			round.Out[why]++
		}
	}
	s.Rounds = append(s.Rounds, round)
	if err != nil || s.Out[0] != "" {
		return err
	}
	// The scenario's own is confirmed first: what cannot be better than it need not be run.
	if err := s.run(s.final, 0); err != nil {
		return err
	}
	return s.putOutBeyond(&s.Rounds[0])
}

// putOutBeyond puts out what cannot be better than the incumbent.
func (s *Search) putOutBeyond(r *Round) error {
	top, err := s.incumbent(r)
	if top >= 0 {
		s.putOut(r, OutBound, s.beyond(top))
	}
	return err
}

// beyond reports which plans cannot be better than one that is safe in all its runs, whatever they would do.
func (s *Search) beyond(incumbent int) func(i int) bool {
	x := s.Samples[incumbent]
	if s.bad(x) > 0 || len(x.Runs) < s.final {
		return func(int) bool { return false }
	}
	longest, dearest := x.Summary(Makespan), x.Summary(NodeHours)
	return func(i int) bool {
		if i == incumbent {
			return false
		}
		b := s.bounds[i]
		if s.o.CostFirst { // what costs as much at the least and takes longer is no better either
			return b.nodeHours > dearest.Max || b.nodeHours == dearest.Max && b.makespan > longest.Max
		}
		return b.makespan > longest.Max
	}
}

// groupSize is how many plans are run before it is looked whether the best of them puts others out by their bounds.
const groupSize = 40

// round runs every plan that is left with so many seeds, and puts the worse half out; so many of them have come back. The plans go in
// groups, the most promising bounds first, so that what is safe among these spares the others their runs.
func (s *Search) round(seeds, back int) error {
	left := s.left()
	if len(left) == 0 {
		return nil
	}
	r := Round{Seeds: seeds, Plans: len(left), Back: back, Out: map[string]int{}, Best: -1}
	slices.SortStableFunc(left, func(i, j int) int { return s.bounds[i].compare(s.bounds[j], s.o.CostFirst) })
	for len(left) > 0 {
		n := min(groupSize, len(left))
		if err := s.group(&r, seeds, left[:n]); err != nil {
			return err
		}
		left = slices.DeleteFunc(left[n:], func(i int) bool { return s.Out[i] != "" })
	}
	var err error
	if r.Best, err = s.incumbent(&r); err != nil {
		return err
	}
	if r.Best >= 0 {
		s.putOut(&r, OutBehind, func(i int) bool { return i != r.Best && s.isWorse(i, r.Best) })
	}
	const least = 4
	if left = s.left(); seeds < s.final && len(left) > least {
		slices.SortStableFunc(left, s.better)
		behind := left[max(least, (len(left)+1)/2):]
		s.putOut(&r, OutBehind, func(i int) bool { return slices.Contains(behind, i) })
	}
	s.Rounds = append(s.Rounds, r)
	return nil
}

// group runs some of a round's plans, and where the best of them looks better than the best that is safe, that one with all seeds.
func (s *Search) group(r *Round, seeds int, plans []int) error {
	if err := s.run(seeds, plans...); err != nil {
		return err
	}
	s.putOut(r, OutUnsafe, s.cannotBeSafe)
	plans = slices.DeleteFunc(slices.Clone(plans), func(i int) bool { return s.Out[i] != "" })
	if len(plans) == 0 {
		return nil
	}
	best := slices.MinFunc(plans, s.better)
	top, err := s.incumbent(r)
	if err != nil {
		return err
	}
	if top < 0 || s.better(best, top) < 0 {
		if err := s.run(s.final, best); err != nil {
			return err
		}
		s.putOut(r, OutUnsafe, s.cannotBeSafe)
	}
	return s.putOutBeyond(r)
}

// settle takes what was found, and runs the scenario's own plan with the same fresh seeds.
func (s *Search) settle() error {
	if s.Best = s.Rounds[len(s.Rounds)-1].Best; s.Best < 0 {
		return nil
	}
	s.Fresh, s.OwnFresh = s.fresh[s.Best], s.fresh[s.Best]
	if s.Out[0] == OutRefused || s.Out[0] == OutNotStarted {
		return nil
	}
	err := s.confirm(0)
	s.OwnFresh = s.fresh[0]
	return err
}

// run gives plans so many runs, those that they have among them; where there are many plans, these are what goes on at once.
func (s *Search) run(seeds int, plans ...int) error {
	inner := s.o.Options
	workers := cmp.Or(inner.Workers, runtime.GOMAXPROCS(0))
	if len(plans) >= workers {
		inner.Workers = 1
	} else {
		workers = 1
	}
	for _, i := range plans {
		if s.Samples[i] == nil {
			s.Samples[i] = newSample(s.sc, s.Plans[i])
		}
		s.Runs += max(0, seeds-len(s.Samples[i].Runs))
	}
	return inParallel(len(plans), workers, func(k int) error {
		if x := s.Samples[plans[k]]; seeds > len(x.Runs) {
			return x.extend(s.sc, s.Plans[plans[k]], seeds, inner)
		}
		return nil
	})
}

// left are the plans that are not out, in their order.
func (s *Search) left() (list []int) {
	for i, why := range s.Out {
		if why == "" {
			list = append(list, i)
		}
	}
	return list
}

func (s *Search) putOut(r *Round, why string, out func(i int) bool) {
	for _, i := range s.left() {
		if out(i) {
			s.Out[i] = why
			r.Out[why]++
		}
	}
}

// isSafe reports whether so many runs that are not safe, of n, bear the probability out.
func (s *Search) isSafe(unsafe, n int) bool {
	low, _ := Wilson(n-unsafe, n)
	return low >= s.o.Probability
}

// cannotBeSafe reports whether the probability can not be borne out any more, were every run to come safe.
func (s *Search) cannotBeSafe(i int) bool {
	x := s.Samples[i]
	return x != nil && !s.isSafe(s.bad(x), max(s.final, len(x.Runs)))
}

// bad counts the runs that are not safe, or leave nodes behind though the scenario's own upgrade has no limit.
func (s *Search) bad(x *Sample) int {
	limited := s.sc.Upgrade.Nodes.Limit > 0
	return x.Count(func(r *Run) bool { return r.Verdict != sim.Safe || r.CutOff || r.Partial && !limited })
}

// isWorse reports whether the runs tell that a plan is worse than another in what is looked for first.
func (s *Search) isWorse(i, than int) bool {
	f := Makespan
	if s.o.CostFirst {
		f = NodeHours
	}
	d := Compare(s.Samples[i], s.Samples[than], f, 1)
	return d.Told() && d.Mean > 0
}

// better orders plans by what is looked for, over the seeds that both have; equals stay in their order.
func (s *Search) better(a, b int) int {
	n := min(len(s.Samples[a].Runs), len(s.Samples[b].Runs))
	mean := func(i int, f Figure, unit float64) float64 {
		sum := 0.0
		for k := range n {
			sum += s.Samples[i].Runs[k].Figures[f]
		}
		return math.Round(sum/float64(n)/unit) * unit
	}
	time := cmp.Compare(mean(a, Makespan, 1), mean(b, Makespan, 1))
	cost := cmp.Compare(mean(a, NodeHours, 0.01), mean(b, NodeHours, 0.01))
	if s.o.CostFirst {
		return cmp.Or(cost, time)
	}
	return cmp.Or(time, cost)
}
