package bench

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"upsim/sim"
)

// pace pairs the deletions and creations of a workload's pods in their order,
// and keeps how many milliseconds each replacement was late.
type pace struct {
	deleted map[string][]int64
	late    []int64
}

func (p *pace) see(what, workload string, ms int64) {
	switch waiting := p.deleted[workload]; {
	case strings.HasSuffix(what, "terminating"):
		p.deleted[workload] = append(waiting, ms)
	case strings.HasSuffix(what, "created") && len(waiting) > 0:
		p.late = append(p.late, ms-waiting[0])
		p.deleted[workload] = waiting[1:]
	}
}

// quantiles are the 95th percentile and the most.
func (p *pace) quantiles() (p95, most float64) {
	late := make([]float64, len(p.late))
	for i, x := range p.late {
		late[i] = float64(x)
	}
	slices.Sort(late)
	return quantile(late, 0.95), late[len(late)-1]
}

func recordedPace(t *testing.T, dir string) *pace {
	t.Helper()
	p := &pace{deleted: map[string][]int64{}}
	for _, e := range loadEvents(t, dir).Events {
		p.see(e.Type, e.App, e.T)
	}
	return p
}

// TestReplacementPace holds what the controllers' client rate limit does against
// the recording of fifty nodes: most replacements come at once, and where many pods are
// evicted together the last ones wait for their turn. Without the limit hardly one
// would wait for a tenth of a second.
func TestReplacementPace(t *testing.T) {
	dir := filepath.Join(tracesDir, "n-50nodes")
	recorded := recordedPace(t, dir)
	p95, most := recorded.quantiles()
	if len(recorded.late) < 400 || p95 < 1000 {
		t.Fatalf("the recording has %d replacements, the 95th percentile is %v ms", len(recorded.late), p95)
	}
	rec, err := LoadRecording(dir)
	if err != nil {
		t.Fatal(err)
	}
	// compare plays the scenario with some seeds and reports whether the simulated times are of the recorded size.
	compare := func() (like bool, simulated [2]float64) {
		world, err := sim.Compile(rec.Scenario, rec.Scenario.Upgrades()[0])
		if err != nil {
			t.Fatal(err)
		}
		var p95s, mosts []float64
		for seed := range uint64(20) {
			p := &pace{deleted: map[string][]int64{}}
			world.Run(sim.Options{Seed: seed + 1, MaxEvents: 10_000_000, Story: func(s sim.Step) {
				p.see(s.What, s.Subject[:max(0, strings.LastIndex(s.Subject, "-"))], s.At/1000)
			}})
			a, b := p.quantiles()
			p95s, mosts = append(p95s, a), append(mosts, b)
		}
		simulated = [2]float64{quantile(p95s, 0.5), quantile(mosts, 0.5)}
		within := func(x, want float64) bool { return x > want/2 && x < want*2 }
		return within(simulated[0], p95) && within(simulated[1], most), simulated
	}
	like, simulated := compare()
	if !like {
		t.Errorf("95th percentile: recorded %.0f ms, simulated %.0f; most: recorded %.0f, simulated %.0f", p95, simulated[0], most, simulated[1])
	}
	rec.Scenario.Assumptions.ControllerQPS = 1e6
	if like, simulated := compare(); like || simulated[0] > 100 {
		t.Errorf("without a rate limit: the 95th percentile is %.0f ms, the most %.0f ms, recorded %.0f and %.0f", simulated[0], simulated[1], p95, most)
	}
}

// share is that of the replacements which came more than a fifth of a second late: they waited for their controller's client.
func (p *pace) share() float64 {
	n := 0
	for _, ms := range p.late {
		if ms > 200 {
			n++
		}
	}
	return float64(n) / float64(len(p.late))
}

// TestStatusWritesTakeTurns: what a ReplicaSet controller writes of the status as pods turn Ready takes from the same 20 requests a
// second as the pods that it creates. Recorded with fifty nodes: 23 % of the replacements had to wait, which lies within the first 99
// of a hundred simulated shares; if those writes cost nothing it would not.
func TestStatusWritesTakeTurns(t *testing.T) {
	dir := filepath.Join(tracesDir, "n-50nodes")
	recorded := recordedPace(t, dir).share()
	rec, err := LoadRecording(dir)
	if err != nil {
		t.Fatal(err)
	}
	world, err := sim.Compile(rec.Scenario, rec.Scenario.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	var shares []float64
	for seed := range uint64(100) {
		p := &pace{deleted: map[string][]int64{}}
		world.Run(sim.Options{Seed: seed + 1, MaxEvents: 10_000_000, Story: func(s sim.Step) {
			p.see(s.What, s.Subject[:max(0, strings.LastIndex(s.Subject, "-"))], s.At/1000)
		}})
		shares = append(shares, p.share())
	}
	slices.Sort(shares)
	if low, high := quantile(shares, 0.01), quantile(shares, 0.99); recorded < low || recorded > high {
		t.Errorf("recorded: %.3f of the replacements waited; simulated: %.3f in the median, from %.3f to %.3f", recorded, quantile(shares, 0.5), low, high)
	}
}
