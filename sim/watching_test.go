package sim

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"upsim/model"
)

// unwatched begins a run whose invariants nobody looks at: everything that could be noted to be looked at counts as noted already.
func unwatched(w *World, o Options) *run {
	r := w.newRun(o)
	r.begin()
	for i := range r.workloads {
		r.workloads[i].dirty = true
	}
	for i := range r.nodes {
		r.nodes[i].dirty = true
	}
	for i := range r.budgets {
		r.budgets[i].dirty = true
	}
	r.dirtyWorkloads, r.dirtyNodes, r.dirtyBudgets = nil, nil, nil
	return r
}

// TestInvariantsOnlyWatch plays random upgrades with and without a look at the invariants of workloads, nodes and budgets: nothing
// happens otherwise because someone looks.
func TestInvariantsOnlyWatch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sc := randomTrouble(rt)
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			rt.Fatal(err)
		}
		a, b := w.newRun(Options{MaxEvents: mostEvents}), unwatched(w, Options{MaxEvents: mostEvents})
		a.begin()
		a.loop()
		b.loop()
		if a.digest != b.digest || a.events != b.events || a.ticks != b.ticks {
			rt.Fatalf("watched, it has %d events and digest %x; unwatched %d and %x", a.events, a.digest, b.events, b.digest)
		}
		if n := len(b.log.Intervals()); n > len(a.log.Intervals()) {
			rt.Fatalf("unwatched, it has noticed %d broken rules", n)
		}
	})
}

// BenchmarkInvariants plays an upgrade of 1,000 nodes with and without a look at its invariants, in turn, and reports what
// share of the time they are, each at its least.
func BenchmarkInvariants(b *testing.B) {
	scs, faults := model.Decode("thousand.yaml", []byte(`apiVersion: upsim/v1
kind: Scenario
metadata: {name: thousand}
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 1000, zones: [a, b, c], kubelet: v1.33.4, allocatable: {cpu: 16, memory: 64Gi, pods: 110}}]
  workloads:
  - {name: web, count: 3000, replicas: 10, requests: {cpu: 300m, memory: 1Gi}, podDisruptionBudget: {maxUnavailable: 10%}}
assumptions: {controllerQPS: 100, controllerBurst: 100}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {maxUnavailable: 10}}
`), nil)
	if len(faults) > 0 {
		b.Fatal(faults)
	}
	w, err := Compile(scs[0], scs[0].Upgrades()[0])
	if err != nil {
		b.Fatal(err)
	}
	least := [2]time.Duration{time.Hour, time.Hour}
	for b.Loop() {
		watched := w.newRun(Options{})
		watched.begin()
		for i, r := range []*run{watched, unwatched(w, Options{})} {
			start := time.Now()
			r.loop()
			least[i] = min(least[i], time.Since(start))
			r.release()
		}
	}
	b.ReportMetric(least[0].Seconds(), "s-watched")
	b.ReportMetric(least[1].Seconds(), "s-unwatched")
	b.ReportMetric(100*(1-least[1].Seconds()/least[0].Seconds()), "%-of-the-time")
}
