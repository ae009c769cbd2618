package reports

import (
	"strings"
	"testing"

	"upsim/sim"
)

func TestSeveral(t *testing.T) {
	one := Line{Scenario: "shop", Strategy: "rolling", Verdict: sim.Safe, Makespan: 5400, Evictions: 35}
	two := Line{Scenario: "shop", Strategy: "surge", Verdict: sim.Violated, Makespan: 1200, Evictions: 7, WorstDowntime: 12.5, SurgeNodes: 2}
	var b strings.Builder
	if err := Several(&b, []Line{one, two}, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	const want = `
All 2 results:
  STRATEGY  VERDICT   MAKESPAN  EVICTIONS  WORST-DOWN  EXTRA-NODES
  rolling   safe         1h30m         35           -            -
  surge     violated       20m          7         13s            2
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}

	// A run that was cut off has no verdict.
	b.Reset()
	if err := Several(&b, []Line{one, {Strategy: "surge", Scenario: "shop", Verdict: sim.Violated, CutOff: true}}, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	if rows := strings.Split(b.String(), "\n"); !strings.HasPrefix(rows[4], "  surge     cut off ") {
		t.Errorf("got\n%s", b.String())
	}

	// The scenario is a column where there are several, in the order of the runs.
	b.Reset()
	two.Scenario = "bank"
	if err := Several(&b, []Line{one, two}, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(b.String(), "\n")
	if !strings.HasPrefix(rows[2], "  SCENARIO  STRATEGY") || !strings.HasPrefix(rows[3], "  shop      rolling") || !strings.HasPrefix(rows[4], "  bank      surge") {
		t.Errorf("got\n%s", b.String())
	}
}
