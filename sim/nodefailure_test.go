package sim

import (
	"maps"
	"math"
	"testing"
)

// Nodes that fail by chance do so as often as the rate says, independently of
// each other and of the strategy: 200 nodes with 10 failures a day each fail 2000
// times in a day, give or take four standard deviations of a Poisson count.
// A kubelet is stopped for 8 s: its node stays Ready, and the pods go on. Measured: those with a readiness probe are not Ready for
// about 50 ms, 0.8 s after the kubelet has started; the others stay Ready.
func TestShortSilenceProbesAnew(t *testing.T) {
	sc := storyScenario(t, "probed.txt", `cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes: [{name: n1, kubelet: v1.34.2}, {name: n2, kubelet: v1.34.2}, {name: n3, kubelet: v1.33.4}]
  workloads:
  - {name: probed, replicas: 2, readinessProbe: true, placement: [n1, n2]}
  - {name: plain, replicas: 2, placement: [n1, n2]}
upgrade: {to: v1.34.2, controlPlane: skip}
faults:
- {kind: nodeFailure, nodes: [n1], at: 5s, for: 8s}
`)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	r := w.Run(Options{Audit: true})
	if x := r.Workloads[0]; x.MinReady != 1 || x.SecondsBelow != 0.05 || x.SecondsZero != 0 {
		t.Errorf("with a probe: %+v", x)
	}
	if x := r.Workloads[1]; x.MinReady != 2 || x.SecondsBelow != 0 {
		t.Errorf("without one: %+v", x)
	}
	for _, n := range r.Nodes {
		if n.Name == "n1" && n.DrainResult != "none" {
			t.Errorf("%+v", n)
		}
	}
}

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
