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
func NewChoice(samples []*Sample) *Choice {
	c := &Choice{Samples: samples, criteria: make([]criteria, len(samples))}
	for i, s := range samples {
		k := &c.criteria[i]
		mean := func(f Figure) float64 { x := s.Summary(f); return x.Mean }
		makespan := s.Summary(Makespan)
		k.time = math.Round(makespan.P95)
		k.cost = math.Round(10*mean(NodeHours)) / 10
		k.risk = [...]float64{float64(s.Unsafe()), math.Round(mean(DowntimeOfAll)), math.Round(mean(BelowFloorOfAll)), math.Round(10*mean(BlastPods)) / 10}
	}
	c.compareAll()
	return c
}

// compareAll finds what can be compared, and the front of it.
func (c *Choice) compareAll() {
	isPartial := func(s *Sample) bool { return s.Count(func(r *Run) bool { return r.Partial }) > 0 }
	all := !slices.ContainsFunc(c.Samples, func(s *Sample) bool { return !isPartial(s) })
	c.comparable, c.front = make([]bool, len(c.Samples)), make([]bool, len(c.Samples))
	for i, s := range c.Samples {
		c.comparable[i] = s.Count(func(r *Run) bool { return r.NotStarted || r.Incomplete }) == 0 && (all || !isPartial(s))
	}
	for i := range c.Samples {
		c.front[i] = c.comparable[i]
		for j := 0; j < len(c.Samples) && c.front[i]; j++ {
			c.front[i] = j == i || !c.comparable[j] || !c.dominates(j, i)
		}
	}
}

// Unsafe counts the runs that are not safe; one that was cut off is none.
func (s *Sample) Unsafe() int {
	return s.Count(func(r *Run) bool { return r.Verdict != sim.Safe || r.CutOff })
}

// Comparable reports whether every run of the sample reached the target, with all nodes unless every sample leaves some behind:
// what ends half-way, or does less, would look fast and cheap.
func (c *Choice) Comparable(i int) bool { return c.comparable[i] }

// Difference is what a sample has more of a figure than another, with an interval that holds together with those of all others.
func (c *Choice) Difference(i, than int, f Figure) Difference {
	return Compare(c.Samples[i], c.Samples[than], f, len(c.Samples)-1)
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

// byTime, byCost and byRisk are -1 where the first is told to be better, 1 where it is told to be worse, and 0 otherwise.
func (c *Choice) byTime(a, b int) int {
	return c.told(a, b, Makespan, c.criteria[a].time, c.criteria[b].time)
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
	if d := c.Difference(a, b, f); !d.Told() || (d.Mean < 0) != (by < 0) {
		return 0
	}
	return by
}

// unsafeTold reports whether the runs tell that one of the two is safe more often: by the sign test of the pairs in which one
// is safe and the other is not (McNemar), with the other pairs' share of the error.
func (c *Choice) unsafeTold(a, b int) bool {
	var only [2]int
	for i := range min(len(c.Samples[a].Runs), len(c.Samples[b].Runs)) {
		x, y := c.Samples[a].Runs[i].Verdict == sim.Safe, c.Samples[b].Runs[i].Verdict == sim.Safe
		switch {
		case x && !y:
			only[0]++
		case y && !x:
			only[1]++
		}
	}
	return signTest(min(only[0], only[1]), only[0]+only[1]) <= (1-Confidence)/float64(max(1, len(c.Samples)-1))
}

// Advice is which upgrade to take, and by which steps.
type Advice struct {
	// Take is the place of the sample, -1 for none.
	Take int
	// Safe are those that are comparable and safe in every run, Front those of them that are on the front, and LeastRisk those of
	// these of which none is told to have less risk.
	Safe, Front, LeastRisk []int
	// First are those of which none is told to be better by the first of the two others; CostFirst says which that is.
	First []int
	// Equals are those, with the taken one, between which no difference is told in time and cost either.
	Equals []int
	// CostFirst: there is a window, which all of Safe meet, so that being faster is worth less than being cheaper.
	CostFirst bool
}

// Advise takes, of the upgrades that are safe in every run and so meet every objective, those on the front with the least risk; of these the
// cheapest and then the fastest where a window has to be met, the fastest and then the cheapest where there is none; of equals the first.
func (c *Choice) Advise(window bool) Advice {
	a := Advice{Take: -1, CostFirst: window}
	for i, s := range c.Samples {
		if c.Comparable(i) && s.Unsafe() == 0 {
			a.Safe = append(a.Safe, i)
			if c.front[i] {
				a.Front = append(a.Front, i)
			}
		}
	}
	if len(a.Safe) == 0 {
		return a
	}
	a.LeastRisk = best(a.Front, c.byRisk) // what is better than a safe one is safe, so that there is one
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
