package sim

import (
	"maps"
	"math"
	"testing"
)

// Nodes that fail by chance do so as often as the rate says, independently of
// each other and of the strategy: 200 nodes with 10 failures a day each fail 2000
// times in a day, give or take four standard deviations of a Poisson count.
func TestFailuresByChance(t *testing.T) {
	text := func(strategy string) string {
		return `cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: a, count: 200}]
  nodes: [{name: old, kubelet: v1.33.4}]
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {` + strategy + `}}
faults:
- {kind: nodeFailure, nodes: {matchLabels: {kind: a}}, rate: 10, for: 1s}
`
	}
	failures := func(strategy string, seed uint64) (at map[Step]bool, span float64) {
		sc := storyScenario(t, "chance.txt", text(strategy))
		sc.Cluster.Pools[0].Labels = map[string]string{"kind": "a"}
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			t.Fatal(err)
		}
		at = make(map[Step]bool)
		res := w.Run(Options{Seed: seed, Story: func(s Step) {
			if s.What == "failed" {
				at[s] = true
			}
		}})
		return at, float64(res.MakespanSeconds) / 86400
	}
	day, span := failures("soak: 24h", 1)
	if want := 2000 * span; math.Abs(float64(len(day))-want) > 4*math.Sqrt(want) {
		t.Errorf("%d failures in %.3f days, want %.0f", len(day), span, want)
	}
	if again, _ := failures("soak: 24h", 1); !maps.Equal(day, again) {
		t.Error("the same seed gives other failures")
	}
	short, _ := failures("soakPerNode: 6h", 1)
	for s := range short {
		if !day[s] {
			t.Errorf("%v with another strategy only", s)
		}
	}
	if other, _ := failures("soak: 24h", 2); maps.Equal(day, other) {
		t.Error("another seed gives the same failures")
	}
}

// An upgrade that waits for ever is stuck although nodes go on failing and coming back: that is not what it waits for.
func TestFailuresByChanceKeepNothingGoing(t *testing.T) {
	for _, rate := range []string{"1", "1440"} { // in the second nodes fail faster than all comes to rest
		sc := storyScenario(t, "chance.txt", `cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: a, count: 5}]
  nodes: [{name: old, kubelet: v1.33.4}]
  workloads: [{name: web, placement: [old], podDisruptionBudget: {minAvailable: 1}}]
upgrade: {to: v1.34.2, controlPlane: skip}
faults:
- {kind: nodeFailure, rate: `+rate+`, for: 2m, nodes: [a-1, a-2, a-3, a-4, a-5]}
`)
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			t.Fatal(err)
		}
		if res := w.Run(Options{Audit: true, MaxEvents: 100_000}); res.Verdict != Stuck {
			t.Errorf("rate %s: %s after %d events", rate, res.Verdict, res.Engine.Events)
		}
	}
}
