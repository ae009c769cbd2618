package bench

import (
	"slices"
	"strings"
	"testing"

	"upsim/sim"
)

// sample is a recording with one workload per name, ready to be agreed or disagreed with.
func sample(workloads []string, drains int) *Recording {
	s := Summary{
		MakespanSeconds: 100, Evictions: 40, EvictionsRefused: 20, FinalPending: 1,
		Workloads:     map[string]RecordedWorkload{},
		Drains:        map[string]RecordedDrain{},
		FinalVersions: map[string]int{"v1.34.4": 3},
	}
	for _, w := range workloads {
		s.Workloads[w] = RecordedWorkload{MinReady: 4, SecondsBelow: 60, SecondsZero: 30, Evictions: 40}
	}
	for i := range drains {
		s.Drains[string(rune('a'+i))] = RecordedDrain{Seconds: 20}
	}
	return &Recording{Name: "sample", Record: Record{Summary: s}}
}

// agreeing are runs that found exactly what was recorded.
func agreeing(r *Recording, runs int) []*sim.Result {
	s := r.Record.Summary
	list := make([]*sim.Result, runs)
	for i := range list {
		res := &sim.Result{
			Seed: uint64(i + 1), MakespanSeconds: sim.Seconds(s.MakespanSeconds), Evictions: s.Evictions, EvictionsRefused: s.EvictionsRefused,
			EvictionErrors: s.EvictionErrors, FinalPending: s.FinalPending, FinalVersions: map[string]int{},
		}
		for v, n := range s.FinalVersions {
			res.FinalVersions[v] = n
		}
		for name, w := range s.Workloads {
			res.Workloads = append(res.Workloads, sim.WorkloadResult{
				Name: name, MinReady: w.MinReady, SecondsBelow: sim.Seconds(w.SecondsBelow), SecondsZero: sim.Seconds(w.SecondsZero), Evictions: w.Evictions,
			})
		}
		for name, d := range s.Drains {
			end := "drained"
			if d.Code != 0 {
				end = "timedOut"
			}
			res.Nodes = append(res.Nodes, sim.NodeResult{Name: name, DrainSeconds: sim.Seconds(d.Seconds), DrainResult: end})
		}
		list[i] = res
	}
	return list
}

func TestCompareAgrees(t *testing.T) {
	for _, r := range []*Recording{sample([]string{"web"}, 3), sample(strings.Fields("a b c d e f"), 12), sample([]string{"web"}, 0)} {
		for _, exact := range []bool{false, true} {
			r.Record.Exact = exact
			if off := Compare(r, agreeing(r, 100)); len(off) != 0 {
				t.Errorf("equal figures (exact %v) are said to be off: %q", exact, off)
			}
		}
	}
}

// TestCompareTolerances moves one figure in every run, once to the edge of
// what the rules allow and once over it.
func TestCompareTolerances(t *testing.T) {
	one, many := []string{"web"}, strings.Fields("a b c d e f")
	for _, c := range []struct {
		figure       string
		workloads    []string
		exact        bool
		inside, over float64 // added to the figure of each run; over must be flagged, inside not
		add          func(*sim.Result, float64)
	}{
		// 5 % of the greater of 100 and 105.2 is 5.26.
		{"makespanSeconds", one, false, 5.2, 5.3, func(r *sim.Result, d float64) { r.MakespanSeconds += sim.Seconds(d) }},
		{"makespanSeconds", one, true, 5.2, 5.3, func(r *sim.Result, d float64) { r.MakespanSeconds += sim.Seconds(d) }},
		{"evictions", one, false, 2, 3, func(r *sim.Result, d float64) { r.Evictions += int64(d) }},
		{"evictions", one, true, 0, 1, func(r *sim.Result, d float64) { r.Evictions += int64(d) }},
		{"evictionsRefused", one, false, 5, 6, func(r *sim.Result, d float64) { r.EvictionsRefused += int64(d) }},
		{"evictionsRefused", one, true, 5, 6, func(r *sim.Result, d float64) { r.EvictionsRefused += int64(d) }},
		{"evictionErrors", one, false, 0, 1, func(r *sim.Result, d float64) { r.EvictionErrors += int64(d) }},
		{"finalPending", one, false, 0, 1, func(r *sim.Result, d float64) { r.FinalPending += int(d) }},
		{"web.minReady", one, false, 0, -1, func(r *sim.Result, d float64) { r.Workloads[0].MinReady += int(d) }},
		{"web.secondsBelow", one, false, 4.5, 4.6, func(r *sim.Result, d float64) { r.Workloads[0].SecondsBelow += sim.Seconds(d) }},
		{"web.secondsZero", one, false, -1.4, -1.6, func(r *sim.Result, d float64) { r.Workloads[0].SecondsZero += sim.Seconds(d) }},
		{"web.evictions", one, false, -2, -3, func(r *sim.Result, d float64) { r.Workloads[0].Evictions += int64(d) }},
		{"web.evictions", one, true, 0, -1, func(r *sim.Result, d float64) { r.Workloads[0].Evictions += int64(d) }},
		{"mean.minReady", many, false, 3, 4, func(r *sim.Result, d float64) { r.Workloads[0].MinReady += int(d) }},
		{"least.minReady", many, false, -1, -2, func(r *sim.Result, d float64) { r.Workloads[0].MinReady += int(d) }},
		{"mean.secondsBelow", many, false, 39, 41, func(r *sim.Result, d float64) { r.Workloads[0].SecondsBelow += sim.Seconds(d) }},
		{"mean.secondsZero", many, false, 19, 21, func(r *sim.Result, d float64) { r.Workloads[0].SecondsZero += sim.Seconds(d) }},
		{"meanDrainSeconds", one, false, 6.6, 6.8, func(r *sim.Result, d float64) { r.Nodes[0].DrainSeconds += sim.Seconds(d) }},
	} {
		rec := sample(c.workloads, 3)
		rec.Record.Exact = c.exact
		for _, d := range []float64{c.inside, c.over} {
			runs := agreeing(rec, 100)
			for _, r := range runs {
				slices.SortFunc(r.Workloads, func(a, b sim.WorkloadResult) int { return strings.Compare(a.Name, b.Name) })
				c.add(r, d)
			}
			off := Compare(rec, runs)
			if flagged := len(off) == 1 && strings.HasPrefix(off[0], c.figure+": "); flagged != (d == c.over) || len(off) > 1 {
				t.Errorf("%s (exact %v) moved by %v: %q", c.figure, c.exact, d, off)
			}
		}
	}
}

// TestCompareMedian: the record may lie within the spread of the runs and yet
// too far from their median.
func TestCompareMedian(t *testing.T) {
	rec := sample([]string{"web"}, 3)
	runs := agreeing(rec, 100)
	for _, r := range runs[:95] {
		r.MakespanSeconds = 130
	}
	off := Compare(rec, runs)
	if len(off) != 1 || !strings.Contains(off[0], "makespanSeconds") || !strings.Contains(off[0], "three tolerances") {
		t.Errorf("a median of 130 for 100 recorded: %q", off)
	}
	// The median of secondsZero is not held.
	runs = agreeing(rec, 100)
	for _, r := range runs[:95] {
		r.Workloads[0].SecondsZero = 90
	}
	if off := Compare(rec, runs); len(off) != 0 {
		t.Errorf("the median of secondsZero is held: %q", off)
	}
}

// TestCompareTie: where a race decides, only some figures count, and no median.
func TestCompareTie(t *testing.T) {
	rec := sample([]string{"web"}, 3)
	rec.Name = "sample-tie5"
	runs := agreeing(rec, 100)
	for i, r := range runs {
		r.EvictionsRefused, r.Workloads[0].SecondsBelow, r.Workloads[0].SecondsZero, r.Workloads[0].Evictions, r.Nodes[0].DrainSeconds = 0, 0, 0, 0, 0
		if i < 95 {
			r.MakespanSeconds = 130
		}
	}
	if off := Compare(rec, runs); len(off) != 0 {
		t.Errorf("figures that a race decides: %q", off)
	}
	for _, r := range runs {
		r.MakespanSeconds, r.Evictions, r.EvictionErrors, r.FinalPending, r.Workloads[0].MinReady = 200, 0, 9, 9, 0
	}
	if off := Compare(rec, runs); len(off) != 5 {
		t.Errorf("five figures are off, found %q", off)
	}
}

func TestCompareDrains(t *testing.T) {
	end := func(runs []*sim.Result, node int, what string, share int) {
		for _, r := range runs[:share] {
			slices.SortFunc(r.Nodes, func(a, b sim.NodeResult) int { return strings.Compare(a.Name, b.Name) })
			r.Nodes[node].DrainResult = what
		}
	}
	for _, c := range []struct {
		name          string
		drains, wrong int
		share, off    int
	}{
		{"one of three, in most runs", 3, 1, 51, 1},
		{"one of three, in few runs", 3, 1, 49, 0},
		{"one of ten", 10, 1, 100, 0},
		{"two of ten", 10, 2, 100, 2},
	} {
		rec := sample([]string{"web"}, c.drains)
		runs := agreeing(rec, 100)
		for i := range c.wrong {
			end(runs, i, "timedOut", c.share)
		}
		if off := Compare(rec, runs); len(off) != c.off {
			t.Errorf("%s: %q", c.name, off)
		}
	}

	rec := sample([]string{"web"}, 3)
	rec.Record.Summary.Drains["a"] = RecordedDrain{Seconds: 20, Code: 1}
	for what, off := range map[string]int{"timedOut": 0, "refused": 0, "failed": 0, "drained": 1, "none": 1} {
		runs := agreeing(rec, 100)
		end(runs, 0, what, 100)
		if found := Compare(rec, runs); len(found) != off {
			t.Errorf("a drain that failed, simulated as %s: %q", what, found)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	for _, c := range []struct {
		exact bool
		other int // runs that end otherwise
		off   int
	}{{false, 50, 0}, {false, 51, 1}, {true, 10, 0}, {true, 11, 1}} {
		rec := sample([]string{"web"}, 3)
		rec.Record.Exact = c.exact
		runs := agreeing(rec, 100)
		for _, r := range runs[:c.other] {
			r.FinalVersions = map[string]int{"v1.34.4": 2, "v1.33.9": 1}
		}
		if off := Compare(rec, runs); len(off) != c.off {
			t.Errorf("%d of 100 runs with other versions (exact %v): %q", c.other, c.exact, off)
		}
	}
}

func TestCompareWhatIsMissing(t *testing.T) {
	rec := sample([]string{"web"}, 3)
	for name, spoil := range map[string]func(*sim.Result){
		"workload web": func(r *sim.Result) { r.Workloads = nil },
		"node":         func(r *sim.Result) { r.Nodes = nil },
	} {
		runs := agreeing(rec, 2)
		spoil(runs[1])
		if off := Compare(rec, runs); len(off) != 1 || !strings.Contains(off[0], name) || !strings.Contains(off[0], "seed 2") {
			t.Errorf("without %s: %q", name, off)
		}
	}
	if off := Compare(rec, nil); len(off) != 1 {
		t.Errorf("no runs at all: %q", off)
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{4, 1, 3, 2}
	for q, want := range map[float64]float64{0: 1, 0.5: 2.5, 1: 4, 0.25: 1.75} {
		if got := quantile(v, q); got != want {
			t.Errorf("quantile %v of %v is %v, not %v", q, v, got, want)
		}
	}
}
