package montecarlo

import (
	"cmp"
	"errors"
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
	OutUnsafe     = "not safe"    // its runs tell that it is not safe often enough
	OutUntold     = "not told"    // its runs do not tell whether it is, and as many as a plan can have would not
	OutBehind     = "behind"      // half of the others are better so far
	OutDoubt      = "in doubt"    // fresh seeds do not bear out that it is safe
)

// Search is a search by successive halving (Jamieson and Talwalkar, AISTATS 2016): all plans are run with few seeds, the
// better half of them with twice as many, and so on; a run is made once, since all plans have the same seeds. A plan that these leave
// open whether it is safe, and that looks better than what is safe, is run on until that is told. Where the
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
	final  int       // seeds of the last round, and of a plan's confirmation
	most   int       // seeds of a plan that leave open so far whether it is safe often enough
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
	s := newSearch(sc, plans, o)
	if err := s.prepare(refused); err != nil {
		return nil, err
	}
	return s, s.halve()
}

// openFor is how many times as many seeds a plan can have that leaves it open whether it is safe often enough.
const openFor = 8

func newSearch(sc *model.Scenario, plans []model.NamedUpgrade, o SearchOptions) *Search {
	n := len(plans)
	s := &Search{Plans: plans, Samples: make([]*Sample, n), Out: make([]string, n), Best: -1, sc: sc, o: o,
		bounds: make([]bound, n), fresh: make([]*Sample, n), final: max(SeedsFor(o.Probability), o.Seeds)}
	s.most = s.final
	if o.Seeds == 0 {
		s.most = max(s.final, min(openFor*s.final, MostSeeds))
	}
	return s
}

// MostSeeds is with how many seeds a plan can have been run.
func (s *Search) MostSeeds() int { return s.most }

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

// incumbent is the best plan that is safe in all the seeds that it needs to tell, and in fresh ones; -1 for none. What these do
// not bear out is put out by the round. A plan that looks better and of which it is open whether it is safe is run until that is told.
func (s *Search) incumbent(r *Round) (int, error) {
	for {
		s.putOutUnsafe(r)
		list := s.safe()
		open := s.open()
		if open >= 0 && (len(list) == 0 || s.better(open, list[0]) < 0) {
			if err := s.run(min(s.most, 2*len(s.Samples[open].Runs)), open); err != nil {
				return -1, err
			}
			continue
		}
		if len(list) == 0 {
			return -1, nil
		}
		if ok, err := s.confirm(list[0]); ok || err != nil {
			return list[0], err
		}
		s.Out[list[0]] = OutDoubt
		r.Out[OutDoubt]++
	}
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

// open is the best plan that has had all seeds of the last round, which do not tell whether it is safe; -1 for none.
func (s *Search) open() int {
	best := -1
	for _, i := range s.left() {
		x := s.Samples[i]
		if x != nil && len(x.Runs) >= s.final && !s.isSafe(s.bad(x), len(x.Runs)) && (best < 0 || s.better(i, best) < 0) {
			best = i
		}
	}
	return best
}

// confirm reports whether seeds that follow all those of the search bear out that a plan is safe; it goes on while they leave it
// open. By looking again and again either sample says yes of a plan that is not somewhat more often than one look would; both do seldom.
func (s *Search) confirm(i int) (bool, error) {
	for n := s.final; ; n = min(s.most, 2*n) {
		if err := s.runFresh(i, n); err != nil {
			return false, err
		}
		x := s.fresh[i]
		switch bad := s.bad(x); {
		case s.isSafe(bad, len(x.Runs)):
			return true, nil
		case len(x.Runs) >= s.most, s.isUnsafe(bad, len(x.Runs)), !s.isSafe(bad, s.most):
			return false, nil
		}
	}
}

// runFresh gives a plan so many runs with seeds that follow those of the search, those that it has among them.
func (s *Search) runFresh(i, n int) error {
	if s.fresh[i] == nil {
		s.fresh[i] = newSample(s.sc, s.Plans[i])
	}
	had := len(s.fresh[i].Runs)
	if n <= had {
		return nil
	}
	after := *s.sc
	after.Seed += uint64(s.most)
	s.Runs += n - had
	return s.fresh[i].extend(&after, s.Plans[i], n, s.o.Options)
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
		slices.SortStableFunc(left, s.promising)
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
	s.putOutUnsafe(r)
	plans = slices.DeleteFunc(slices.Clone(plans), func(i int) bool { return s.Out[i] != "" })
	if len(plans) == 0 {
		return nil
	}
	best := slices.MinFunc(plans, s.promising)
	top, err := s.incumbent(r)
	if err != nil {
		return err
	}
	if top < 0 || s.better(best, top) < 0 {
		if err := s.run(s.final, best); err != nil {
			return err
		}
	}
	return s.putOutBeyond(r)
}

// settle takes what was found, and runs the scenario's own plan with the same fresh seeds. Where that is safe and these do not tell
// that what was found is better, it stays.
func (s *Search) settle() error {
	if s.Best = s.Rounds[len(s.Rounds)-1].Best; s.Best < 0 {
		return nil
	}
	s.Fresh, s.OwnFresh = s.fresh[s.Best], s.fresh[s.Best]
	if s.Out[0] == OutRefused || s.Out[0] == OutNotStarted {
		return nil
	}
	n := len(s.Fresh.Runs)
	if own := s.fresh[0]; own != nil {
		n = max(n, len(own.Runs))
	}
	err := errors.Join(s.runFresh(s.Best, n), s.runFresh(0, n))
	s.OwnFresh = s.fresh[0]
	if own := s.OwnFresh; err == nil && s.Best != 0 && s.isSafe(s.bad(own), len(own.Runs)) && !s.toldBetter(s.Fresh, own) {
		s.Best, s.Fresh = 0, own
	}
	return err
}

// FiguresCompared is how many figures of two plans are held against each other over their fresh seeds, with intervals that hold together.
const FiguresCompared = 7

// toldBetter reports whether the runs tell that a plan is better than the scenario's own in what is looked for first, or where they
// tell no difference in that, in what comes next.
func (s *Search) toldBetter(found, own *Sample) bool {
	figures := [...]Figure{Makespan, NodeHours}
	if s.o.CostFirst {
		slices.Reverse(figures[:])
	}
	for _, f := range figures {
		if d := Compare(found, own, f, FiguresCompared); d.Told() {
			return d.Mean < 0
		}
	}
	return false
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

// isUnsafe reports whether so many runs that are not safe, of n, tell that the probability is not reached.
func (s *Search) isUnsafe(unsafe, n int) bool {
	_, high := Wilson(n-unsafe, n)
	return high < s.o.Probability
}

// putOutUnsafe puts out what is told not to be safe, and of which it cannot be told any more that it is, were every run to come safe.
func (s *Search) putOutUnsafe(r *Round) {
	s.putOut(r, OutUnsafe, func(i int) bool {
		x := s.Samples[i]
		return x != nil && s.isUnsafe(s.bad(x), len(x.Runs))
	})
	s.putOut(r, OutUntold, func(i int) bool {
		x := s.Samples[i]
		return x != nil && !s.isSafe(s.bad(x), max(s.most, len(x.Runs)))
	})
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

// promising orders plans as better does, those behind of which a run was not safe.
func (s *Search) promising(a, b int) int {
	return cmp.Or(cmp.Compare(min(1, s.bad(s.Samples[a])), min(1, s.bad(s.Samples[b]))), s.better(a, b))
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
