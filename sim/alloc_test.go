package sim

import (
	"runtime"
	"testing"
)

// TestSteadyStateAllocatesPerDrainOnly counts allocations between a fifth and four fifths of a
// run's events, where tables have grown to their size. Events allocate
// nothing; what is left are a drain's own lists (victims, claims, turns; the room for its looks is an earlier drain's).
func TestSteadyStateAllocatesPerDrainOnly(t *testing.T) {
	sc := scenarioOf(t, `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 200, zones: [a, b, c], kubelet: v1.33.4, allocatable: {cpu: 8, memory: 32Gi, pods: 40}}]
  workloads:
  - {name: web, count: 200, replicas: 10, requests: {cpu: 100m, memory: 200Mi}, podDisruptionBudget: {maxUnavailable: 2}}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {maxUnavailable: 5}}
`)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	total := w.Run(Options{}).Engine.Events
	r := w.newRun(Options{})
	var before, after runtime.MemStats
	var from, drains, to, drainsAfter uint64
	r.q = &watchedQueue{queue: r.q, look: func() {
		switch {
		case from == 0 && r.events >= total/5:
			from, drains = r.events, uint64(len(r.drains))
			runtime.ReadMemStats(&before)
		case to == 0 && r.events >= total/5*4:
			to, drainsAfter = r.events, uint64(len(r.drains))
			runtime.ReadMemStats(&after)
		}
	}}
	r.begin()
	r.loop()
	if to == 0 || drainsAfter-drains < 80 || to-from < 10_000 {
		t.Fatalf("events %d to %d, drains %d to %d: nothing was measured", from, to, drains, drainsAfter)
	}
	allocs := after.Mallocs - before.Mallocs
	perDrain := float64(allocs) / float64(drainsAfter-drains)
	t.Logf("%d allocations for %d events and %d drains: %.1f a drain", allocs, to-from, drainsAfter-drains, perDrain)
	most := 7.0
	if testing.Short() {
		most = 10 // the short tests run under the race detector, which has a few things allocated that are not without it
	}
	if perDrain > most {
		t.Errorf("%.1f allocations a drain, want at most %g: something allocates by the event", perDrain, most)
	}
}
