package montecarlo

import (
	"math"
	"slices"
	"testing"

	"upsim/sim"
)

// sampleOf has a run for each makespan.
func sampleOf(makespans ...float64) *Sample {
	s := &Sample{}
	for i, m := range makespans {
		r := Run{Seed: uint64(i + 1), Verdict: sim.Safe}
		r.Figures[Makespan] = m
		s.Runs = append(s.Runs, r)
	}
	return s
}

// each sets a figure of every run.
func (s *Sample) each(f Figure, v float64) *Sample {
	for i := range s.Runs {
		s.Runs[i].Figures[f] = v
	}
	return s
}

// Student's own data (The probable error of a mean, Biometrika 6, 1908): hours of sleep gained with two drugs, by the same ten
// people. R's t.test(…, paired = TRUE) gives -1.58 with the interval -2.4598858 to -0.7001142.
func TestCompare(t *testing.T) {
	a := sampleOf(0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
	b := sampleOf(1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)
	d := Compare(a, b, Makespan, 1)
	near(t, "mean", d.Mean, -1.58, 1e-9)
	near(t, "low", d.Mean-d.Half, -2.4598858, 1e-6)
	near(t, "high", d.Mean+d.Half, -0.7001142, 1e-6)
	if !d.Told() {
		t.Error("the difference is not told")
	}
	if both := Compare(a, b, Makespan, 2); both.Half <= d.Half {
		t.Errorf("two intervals that hold together are no wider: %v and %v", both.Half, d.Half)
	}
	a.Runs[0].NotStarted = true
	if d := Compare(a, b, Makespan, 1); d.N != 9 {
		t.Errorf("%d pairs", d.N)
	}
	if d := Compare(sampleOf(1), sampleOf(2), Makespan, 1); d.Told() || !math.IsNaN(d.Half) {
		t.Errorf("one pair tells a difference: %+v", d)
	}
	if d := Compare(sampleOf(1, 1), sampleOf(2, 2), Makespan, 1); !d.Told() || d.Half != 0 {
		t.Errorf("pairs without spread: %+v", d)
	}
	if d := Compare(sampleOf(1, 2), sampleOf(1, 2), Makespan, 1); d.Told() {
		t.Errorf("there is no difference: %+v", d)
	}
}

func TestFront(t *testing.T) {
	slow := sampleOf(100, 110, 120)
	fast := sampleOf(50, 60, 70).each(NodeHours, 3)
	dominated := sampleOf(101, 111, 121).each(NodeHours, 0.5)
	risky := sampleOf(40, 50, 60).each(NodeHours, 3).each(DowntimeOfAll, 30)
	noise := sampleOf(90, 121, 121) // slower than slow in the 95th percentile, and not to be told from it
	unfinished := sampleOf(1, 1, 1)
	for i := range unfinished.Runs {
		unfinished.Runs[i].Incomplete, unfinished.Runs[i].Verdict = true, sim.Violated
	}
	part := sampleOf(1, 1, 1)
	for i := range part.Runs {
		part.Runs[i].Partial = true
	}
	c := NewChoice([]*Sample{slow, fast, dominated, risky, noise, unfinished, part}, ChoiceOptions{})
	want := []bool{true, true, false, true, true, false, false}
	for i := range c.Samples {
		if c.Front(i) != want[i] {
			t.Errorf("%d: on the front %v", i, c.Front(i))
		}
	}
	if c.Comparable(5) || c.Comparable(6) {
		t.Error("what ends half-way, or leaves nodes behind, is compared with what does all")
	}
	if c := NewChoice([]*Sample{part, part}, ChoiceOptions{}); !c.Comparable(0) {
		t.Error("with a limit on all, nothing is compared")
	}
}

func TestAdvise(t *testing.T) {
	slow := sampleOf(100, 100)
	fast := sampleOf(50, 50).each(NodeHours, 3)
	down := sampleOf(10, 10).each(DowntimeOfAll, 5)
	unsafe := sampleOf(5, 5)
	unsafe.Runs[1].Verdict = sim.Violated
	c := NewChoice([]*Sample{unsafe, slow, fast, slow, down}, ChoiceOptions{})
	a := c.Advise(false)
	if a.Take != 2 || !slices.Equal(a.Safe, []int{1, 2, 3, 4}) || !slices.Equal(a.Front, []int{1, 2, 3, 4}) || !slices.Equal(a.LeastRisk, []int{1, 2, 3}) {
		t.Errorf("without a window: %+v", a)
	}
	if a := c.Advise(true); a.Take != 1 || !slices.Equal(a.Equals, []int{1, 3}) || !a.CostFirst {
		t.Errorf("with a window: %+v", a)
	}
	// What is not on the front is not taken, though none of those that are cheaper can be told from it by cost.
	worse := sampleOf(51, 51).each(NodeHours, 3)
	if a := NewChoice([]*Sample{worse, fast}, ChoiceOptions{}).Advise(false); a.Take != 1 || len(a.Safe) != 2 || len(a.Front) != 1 {
		t.Errorf("beside a better one: %+v", a)
	}
	if a := NewChoice([]*Sample{unsafe, unsafe}, ChoiceOptions{}).Advise(true); a.Take != -1 {
		t.Errorf("none is safe: %+v", a)
	}
}

// What does not end in some runs is compared by those that end; in half of them, it is not.
func TestChoiceOfWhatSometimesEnds(t *testing.T) {
	times := slices.Repeat([]float64{50, 52}, 20)
	slow, rare, half := sampleOf(slices.Repeat([]float64{100, 102}, 20)...), sampleOf(times...), sampleOf(times...)
	for i := range 20 {
		half.Runs[i].Verdict, half.Runs[i].Incomplete = sim.Stuck, true
	}
	rare.Runs[0].Verdict, rare.Runs[0].Incomplete, rare.Runs[0].Figures[Makespan] = sim.Stuck, true, 1e6
	c := NewChoice([]*Sample{slow, rare, half}, ChoiceOptions{})
	if !c.Comparable(1) || c.Comparable(2) || !c.Front(1) || c.Safe(1) || c.Bad(1) != 1 || c.Bad(2) != 20 {
		t.Errorf("comparable %v, bad %d and %d", c.comparable, c.Bad(1), c.Bad(2))
	}
	if d := c.Difference(1, 0, Makespan, 1); d.N != 39 || d.Mean != -50 {
		t.Errorf("the difference is %+v", d)
	}
	if x := c.Summary(1, Makespan); x.N != 39 || x.Max != 52 {
		t.Errorf("the makespan is %+v", x)
	}
	if a := c.Advise(false); a.Take != 0 {
		t.Errorf("safe in every run: %+v", a)
	}
	// Wilson's interval of 39 of 40 begins at 0.871.
	for p, want := range map[float64]int{0.87: 1, 0.88: 0} {
		if a := NewChoice([]*Sample{slow, rare, half}, ChoiceOptions{Probability: p}).Advise(false); a.Take != want {
			t.Errorf("safe with a probability of %v: %+v", p, a)
		}
	}
}

// Where one is faster on average and the other in 95 of 100 runs, the latter is what time means.
func TestTimeIsThePercentile(t *testing.T) {
	steady, wild := slices.Repeat([]float64{100}, 60), slices.Repeat([]float64{50}, 60)
	for i := range 12 {
		wild[i] = 200
	}
	c := NewChoice([]*Sample{sampleOf(steady...), sampleOf(wild...)}, ChoiceOptions{})
	if by := c.byTime(0, 1); by != -1 {
		t.Errorf("by time %d", by)
	}
	if a := c.Advise(false); a.Take != 0 {
		t.Errorf("%+v", a)
	}
	wild[5] = 50
	for i := range 7 {
		wild[i] = 50 // five of sixty are chance
	}
	if by := NewChoice([]*Sample{sampleOf(steady...), sampleOf(wild...)}, ChoiceOptions{}).byTime(0, 1); by != 0 {
		t.Errorf("few runs exceed it: by time %d", by)
	}
}

// The intervals of a table hold together: each has its share of the error among all rows and figures.
func TestDifferencesHoldTogether(t *testing.T) {
	a, b := sampleOf(0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0), sampleOf(1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)
	got := NewChoice([]*Sample{a, b, b}, ChoiceOptions{}).Difference(0, 1, Makespan, 7)
	if want := Compare(a, b, Makespan, 14); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// One run more or less that is not safe is chance; ten of ten are not.
func TestRiskByVerdict(t *testing.T) {
	var ten []float64
	for range 10 {
		ten = append(ten, 1)
	}
	good, one, all := sampleOf(ten...), sampleOf(ten...), sampleOf(ten...)
	one.Runs[3].Verdict = sim.Stuck
	for i := range all.Runs {
		all.Runs[i].Verdict = sim.Violated
	}
	c := NewChoice([]*Sample{good, one, all}, ChoiceOptions{})
	if c.byRisk(0, 1) != 0 || c.byRisk(0, 2) != -1 || c.byRisk(2, 0) != 1 {
		t.Errorf("%d %d %d", c.byRisk(0, 1), c.byRisk(0, 2), c.byRisk(2, 0))
	}
}
