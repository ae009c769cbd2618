package sim

import "testing"

// TestEventsAllocateNothing steps through the second half of an upgrade, when almost all tables have grown to their size: drains that
// meet at budgets, and everything that comes with a pod that moves.
func TestEventsAllocateNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("the short tests run under the race detector, which has closures allocated that are not without it")
	}
	r := begun(t, `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 200, zones: [a, b, c], kubelet: v1.33.4, allocatable: {cpu: 16, memory: 64Gi, pods: 110}}]
  workloads:
  - {name: web, count: 60, replicas: 200, requests: {cpu: 100m, memory: 200Mi}, podDisruptionBudget: {maxUnavailable: 5}}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {maxUnavailable: 10}}
`)
	for begunDrains(r) < 100 {
		r.tick()
	}
	const ticks = 100
	stretches, grown, evicted := 0, 0.0, r.evictions
	for begunDrains(r) < 195 {
		grown += testing.AllocsPerRun(1, func() { // which calls it once before it counts
			for range ticks {
				r.tick()
			}
		})
		stretches++
	}
	evicted = r.evictions - evicted
	t.Logf("%v allocations in %d events and %d evictions", grown, stretches*ticks, evicted)
	if stretches < 200 || evicted < 5000 {
		t.Fatal("too little was measured")
	}
	if most := 0.02 * float64(stretches); grown > most {
		t.Errorf("%v allocations in %d stretches of %d events, want at most %v, for tables that grow still", grown, stretches, ticks, most)
	}
}

// begunDrains counts the nodes whose drain has begun.
func begunDrains(r *run) (n int) {
	for i := range r.rollout.tickets {
		n += int(one(r.rollout.tickets[i].step >= stepDrain))
	}
	return n
}

// TestDrainsShareTheirLists counts what drains allocate for themselves, over half of an upgrade of small nodes: each takes over the
// room that an earlier one has left.
func TestDrainsShareTheirLists(t *testing.T) {
	r := begun(t, `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 200, zones: [a, b, c], kubelet: v1.33.4, allocatable: {cpu: 8, memory: 32Gi, pods: 40}}]
  workloads:
  - {name: web, count: 200, replicas: 10, requests: {cpu: 100m, memory: 200Mi}, podDisruptionBudget: {maxUnavailable: 2}}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {maxUnavailable: 5}}
`)
	for begunDrains(r) < 40 {
		r.tick()
	}
	const drains = 60
	perDrain := testing.AllocsPerRun(1, func() { // which calls it once before it counts
		for end := begunDrains(r) + drains; begunDrains(r) < end; {
			r.tick()
		}
	}) / drains
	t.Logf("%.1f allocations a drain", perDrain)
	most := 1.0
	if testing.Short() {
		most = 4 // the short tests run under the race detector, which has a few things allocated that are not without it
	}
	if perDrain > most {
		t.Errorf("%.1f allocations a drain, want at most %g", perDrain, most)
	}
}

// begun is a run of the scenario before its first event.
func begun(tb testing.TB, text string) *run {
	tb.Helper()
	sc := scenarioOf(tb, text)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		tb.Fatal(err)
	}
	r := w.newRun(Options{})
	r.begin()
	r.endTick()
	return r
}
