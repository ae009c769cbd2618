package montecarlo

import (
	"cmp"
	"math"
	"slices"

	"upsim/sim"
)

// Choice holds upgrades of one cluster against each other, run with the same seeds.
type Choice struct {
	Samples []*Sample
	// Of each sample:
	criteria   []criteria
	comparable []bool
	front      []bool

	o ChoiceOptions
	// partial: every sample leaves nodes behind in some run, so that doing so is no difference.
	partial bool
}

// ChoiceOptions say what makes a sample one that may be taken.
type ChoiceOptions struct {
	// Probability is how probable being safe has to be, which an interval of Confidence must bear out; 0 means that every run must be safe.
	Probability float64
	// Unlike: the upgrades are not to do the same, such as to go to one version, so that none can be compared.
	Unlike bool
}

// criteria are what upgrades are judged by, rounded as they are printed: less is better.
type criteria struct {
	// time is the 95th percentile of the makespan in seconds.
	time float64
	// cost is the mean of the hours of extra nodes, in tenths.
	cost float64
	// risk is how many runs are not safe; between equals the mean time in seconds that workloads had no ready replica, added up
	// over them; then that with fewer than their budgets want; then the mean number of pods that a bad version reached, in tenths.
	risk [4]float64
}

// riskFigures are behind the first of the risk's numbers.
var riskFigures = [...]Figure{1: DowntimeOfAll, 2: BelowFloorOfAll, 3: BlastPods}

// NewChoice takes samples of upgrades of one scenario.
func NewChoice(samples []*Sample, o ChoiceOptions) *Choice {
	c := &Choice{Samples: samples, criteria: make([]criteria, len(samples)), o: o}
	c.partial = !slices.ContainsFunc(samples, func(s *Sample) bool { return s.Count(func(r *Run) bool { return r.Partial }) == 0 })
	for i := range samples {
		k := &c.criteria[i]
		mean := func(f Figure) float64 { x := c.Summary(i, f); return x.Mean }
		makespan := c.Summary(i, Makespan)
		k.time = math.Round(makespan.P95)
		k.cost = math.Round(10*mean(NodeHours)) / 10
		k.risk = [...]float64{float64(c.Bad(i)), math.Round(mean(DowntimeOfAll)), math.Round(mean(BelowFloorOfAll)), math.Round(10*mean(BlastPods)) / 10}
	}
	c.compareAll()
	return c
}

// compareAll finds what can be compared, and the front of it.
func (c *Choice) compareAll() {
	c.comparable, c.front = make([]bool, len(c.Samples)), make([]bool, len(c.Samples))
	for i, s := range c.Samples {
		c.comparable[i] = !c.o.Unlike && 2*s.Count(c.counts) > len(s.Runs)
	}
	for i := range c.Samples {
		c.front[i] = c.comparable[i]
		for j := 0; j < len(c.Samples) && c.front[i]; j++ {
			c.front[i] = j == i || !c.comparable[j] || !c.dominates(j, i)
		}
	}
}

// counts reports whether a run reached the target with all nodes, or leaves some behind as every sample does: what ends half-way, or does
// less, would look fast and cheap.
func (c *Choice) counts(r *Run) bool { return r.Ended() && (c.partial || !r.Partial) }

// Summary describes a figure over the runs of a sample that count, or where it cannot be compared over all that started.
func (c *Choice) Summary(i int, f Figure) Summary {
	s := c.Samples[i]
	if c.comparable != nil && !c.comparable[i] || s.Count(c.counts) == 0 {
		return s.Summary(f)
	}
	var values []float64
	for k := range s.Runs {
		if r := &s.Runs[k]; c.counts(r) {
			values = append(values, r.Figures[f])
		}
	}
	return Summarize(values)
}

// Bad counts the runs of a sample that are not safe, or do not count.
func (c *Choice) Bad(i int) int {
	return c.Samples[i].Count(func(r *Run) bool { return r.Verdict != sim.Safe || !c.counts(r) })
}

// Safe reports whether a sample is comparable and safe in every run, or with a probability as often as that.
func (c *Choice) Safe(i int) bool {
	n, bad := len(c.Samples[i].Runs), c.Bad(i)
	if !c.comparable[i] || c.o.Probability == 0 {
		return c.comparable[i] && bad == 0
	}
	low, _ := Wilson(n-bad, n)
	return low >= c.o.Probability
}

// Unsafe counts the runs that are not safe; one that was cut off is none.
func (s *Sample) Unsafe() int {
	return s.Count(func(r *Run) bool { return r.Verdict != sim.Safe || r.CutOff })
}

// Comparable reports whether more than half of the sample's runs reached the target, with all nodes unless every sample leaves some
// behind. The rest of its runs count as not safe, and for nothing else.
func (c *Choice) Comparable(i int) bool { return c.comparable[i] }

// Difference is what a sample has more of a figure than another, from the pairs of runs that both count, with an interval that holds
// together with those of all other samples in so many figures.
func (c *Choice) Difference(i, than int, f Figure, figures int) Difference {
	return comparePairs(c.Samples[i].Runs, c.Samples[than].Runs, f, figures*(len(c.Samples)-1), c.counts)
}

// Front reports whether the sample is on the Pareto front of time, cost and risk: among those that are comparable, none is at
// least as good in all three and better in one. A difference counts as better only where the runs tell it from chance.
func (c *Choice) Front(i int) bool { return c.front[i] }

func (c *Choice) dominates(a, b int) bool {
	x, y := &c.criteria[a], &c.criteria[b]
	if x.time > y.time || x.cost > y.cost || slices.Compare(x.risk[:], y.risk[:]) > 0 {
		return false
	}
	return c.byTime(a, b) < 0 || c.byCost(a, b) < 0 || c.byRisk(a, b) < 0
}

// byTime, byCost and byRisk are -1 where the first is told to be better, 1 where it is told to be worse, and 0 otherwise. Each is told
// against all other samples with Confidence, by itself.

// byTime compares the 95th percentiles. Their difference is told where the means' difference is told to be of the same sign, or where
// chance does not explain how many more runs of the slower one exceed the percentile of the faster one.
func (c *Choice) byTime(a, b int) int {
	x, y := c.criteria[a].time, c.criteria[b].time
	if by := c.told(a, b, Makespan, x, y); by != 0 || x == y {
		return by
	}
	limit := min(x, y)
	if c.oftener(a, b, func(r *Run) bool { return c.counts(r) && math.Round(r.Figures[Makespan]) > limit }, c.counts) {
		return cmp.Compare(x, y)
	}
	return 0
}

func (c *Choice) byCost(a, b int) int {
	return c.told(a, b, NodeHours, c.criteria[a].cost, c.criteria[b].cost)
}

func (c *Choice) byRisk(a, b int) int {
	x, y := &c.criteria[a].risk, &c.criteria[b].risk
	if x[0] != y[0] && c.unsafeTold(a, b) {
		return cmp.Compare(x[0], y[0])
	}
	for k := 1; k < len(x); k++ {
		if by := c.told(a, b, riskFigures[k], x[k], y[k]); by != 0 {
			return by
		}
	}
	return 0
}

// told compares two values of which the runs must tell the difference.
func (c *Choice) told(a, b int, f Figure, x, y float64) int {
	by := cmp.Compare(x, y)
	if d := c.Difference(a, b, f, 1); !d.Told() || (d.Mean < 0) != (by < 0) {
		return 0
	}
	return by
}

// unsafeTold reports whether the runs tell that one of the two is safe more often.
func (c *Choice) unsafeTold(a, b int) bool {
	return c.oftener(a, b, func(r *Run) bool { return r.Verdict == sim.Safe && c.counts(r) }, func(*Run) bool { return true })
}

// oftener reports whether the pairs of runs that both count tell that something is so in one of the two more often: by the sign test
// of the pairs in which it is so in one alone (McNemar), with the other samples' share of the error.
func (c *Choice) oftener(a, b int, is, counts func(*Run) bool) bool {
	var only [2]int
	for i := range min(len(c.Samples[a].Runs), len(c.Samples[b].Runs)) {
		x, y := &c.Samples[a].Runs[i], &c.Samples[b].Runs[i]
		switch {
		case !counts(x) || !counts(y):
		case is(x) && !is(y):
			only[0]++
		case is(y) && !is(x):
			only[1]++
		}
	}
	return signTest(min(only[0], only[1]), only[0]+only[1]) <= (1-Confidence)/float64(max(1, len(c.Samples)-1))
}

// Advice is which upgrade to take, and by which steps.
type Advice struct {
	// Take is the place of the sample, -1 for none.
	Take int
	// Safe are those that are comparable and safe in every run, or as often as they have to be; Front those of them that are on the front, and LeastRisk those of
	// these of which none is told to have less risk.
	Safe, Front, LeastRisk []int
	// First are those of which none is told to be better by the first of the two others; CostFirst says which that is.
	First []int
	// Equals are those, with the taken one, between which no difference is told in time and cost either.
	Equals []int
	// CostFirst: there is a window, which all of Safe meet, so that being faster is worth less than being cheaper.
	CostFirst bool
}

// Advise takes, of the upgrades that are Safe and so meet every objective, those on the front with the least risk; of these the
// cheapest and then the fastest where a window has to be met, the fastest and then the cheapest where there is none; of equals the first.
func (c *Choice) Advise(window bool) Advice {
	a := Advice{Take: -1, CostFirst: window}
	for i := range c.Samples {
		if c.Safe(i) {
			a.Safe = append(a.Safe, i)
			if c.front[i] {
				a.Front = append(a.Front, i)
			}
		}
	}
	if len(a.Safe) == 0 {
		return a
	}
	if len(a.Front) == 0 { // each has a better one that is safe less often, as far as the runs tell
		a.Front = slices.Clone(a.Safe)
	}
	a.LeastRisk = best(a.Front, c.byRisk)
	steps := []func(x, y int) int{c.byTime, c.byCost}
	if window {
		slices.Reverse(steps)
	}
	a.First = best(a.LeastRisk, steps[0])
	a.Equals = best(a.First, steps[1])
	a.Take = a.Equals[0]
	return a
}

// best are those of the list that are not told to be worse than the best of it.
func best(list []int, by func(a, b int) int) []int {
	top := list[0]
	for _, i := range list[1:] {
		if by(i, top) < 0 {
			top = i
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(i int) bool { return by(i, top) > 0 })
}
