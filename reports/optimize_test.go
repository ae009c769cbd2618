package reports

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"upsim/model"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// searched is a search of four plans: the scenario's own, a better one, one that is no plan and one that gets stuck in a run.
func searched(best int) *Optimization {
	sc := shop()
	sc.Cluster.Version, _ = model.ParseVersion("v1.33.4")
	sc.Upgrade.To, _ = model.ParseVersion("v1.34.2")
	o := &Optimization{Scenario: sc, Probability: 0.5, CostFirst: true, Refused: []string{"", "", "no plan", ""}, Search: &montecarlo.Search{
		Plans: make([]model.NamedUpgrade, 4), Out: []string{"", "", montecarlo.OutRefused, montecarlo.OutUnsafe}, Best: best, Runs: 20,
		Rounds: []montecarlo.Round{
			{Plans: 4, Out: map[string]int{montecarlo.OutRefused: 1}, Best: -1},
			{Seeds: 4, Plans: 3, Out: map[string]int{montecarlo.OutUnsafe: 1}, Best: best},
		}}}
	for i, name := range []string{"rolling", "maxUnavailable=2", "maxUnavailable=0", "maxUnavailable=9"} {
		o.Search.Plans[i] = model.NamedUpgrade{Name: name, Upgrade: sc.Upgrade}
	}
	o.Settings = [][]model.KeyValue{nil, {{Key: "maxUnavailable", Value: "2"}, {Key: "drain.timeout", Value: "5m"}}, nil, nil}
	own, better := sampleOf("rolling", 3600, 3660, 3610, 3625), with(sampleOf("found", 1800, 1830, 1810, 1820), montecarlo.DowntimeOfAll, 90)
	o.Search.Samples = []*montecarlo.Sample{own, better, nil, verdict(sampleOf("stuck", 900, 900, 900, 900), 1, sim.Stuck)}
	switch best {
	case 0:
		o.Search.Fresh, o.Search.OwnFresh = own, own
	case 1:
		o.Search.Fresh, o.Search.OwnFresh = better, own
	}
	return o
}

func optimized(t *testing.T, o *Optimization, format string) string {
	t.Helper()
	return string(bytesOf(t, func(b *bytes.Buffer) error { return Optimized(b, o, format, TableOptions{}) }))
}

func TestOptimizedTable(t *testing.T) {
	golden(t, "optimize.txt", []byte(optimized(t, searched(1), FormatTable)))
	if out, want := optimized(t, searched(0), FormatTable), "\nNone of the others is better than yours, rolling: 95% of the runs with fresh seeds within 1h1m, and 0 node hours of extra nodes.\n"; !strings.HasSuffix(out, want) {
		t.Errorf("got %s", out)
	}
}

// Where nothing is found the counts say why, and the plan that comes nearest is named with what keeps it.
func TestOptimizedNothing(t *testing.T) {
	o := searched(-1)
	o.Search.Out = []string{montecarlo.OutUnsafe, montecarlo.OutDoubt, montecarlo.OutRefused, montecarlo.OutUnsafe}
	verdict(o.Search.Samples[0], 0, sim.Violated)
	verdict(o.Search.Samples[0], 1, sim.Violated)
	verdict(o.Search.Samples[1], 3, sim.Violated)
	out := optimized(t, o, FormatTable)
	for _, want := range []string{
		"None of the 4 plans is safe in at least 50% of all runs, told with 95% confidence: 1 refused, 2 not safe, 1 in doubt.",
		"Nearest is maxUnavailable=2, safe in 3 of 4 runs. What keeps it: safe in 3, violated in 1 of 4 runs.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	if strings.Contains(out, "--seeds") {
		t.Errorf("more seeds are to tell what is told: %s", out)
	}
	o.Search.Out[0] = montecarlo.OutUntold
	if out := optimized(t, o, FormatTable); !strings.Contains(out, "1 not safe, 1 not told, 1 in doubt.") || !strings.Contains(out, "More seeds may tell of those that are not told: --seeds ") {
		t.Errorf("got %s", out)
	}
	for _, s := range o.Search.Samples {
		for i := 0; s != nil && i < len(s.Runs); i++ {
			verdict(s, i, sim.Violated)
		}
	}
	if out, want := optimized(t, o, FormatTable), "No run of any was safe. What keeps yours: violated in all 4 runs."; !strings.Contains(out, want) {
		t.Errorf("%q is not in %s", want, out)
	}
}

func TestOptimizedJSON(t *testing.T) {
	var got struct {
		Kind, Goal string
		Best       *string
		Settings   map[string]any
		Rounds     []struct {
			Seeds, Plans int
			Out          map[string]int
		}
	}
	if err := json.Unmarshal([]byte(optimized(t, searched(1), FormatJSON)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Kind != "Optimization" || got.Goal != "cheapest" || got.Best == nil || *got.Best != "maxUnavailable=2" || got.Settings["drain.timeout"] != "5m" ||
		len(got.Rounds) != 2 || got.Rounds[1].Out[montecarlo.OutUnsafe] != 1 {
		t.Errorf("got %+v", got)
	}
	if out := optimized(t, searched(-1), FormatJSON); !strings.Contains(out, `"best":null`) {
		t.Errorf("got %s", out)
	}
}
