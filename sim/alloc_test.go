package sim

import "testing"

// hundreds is an upgrade of 200 nodes with 60 pods each, whose drains meet at budgets.
const hundreds = `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 200, zones: [a, b, c], kubelet: v1.33.4, allocatable: {cpu: 16, memory: 64Gi, pods: 110}}]
  workloads:
  - {name: web, count: 60, replicas: 200, requests: {cpu: 100m, memory: 200Mi}, podDisruptionBudget: {maxUnavailable: 5}}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {maxUnavailable: 10}}
`

// TestEventsAllocateNothing steps through the second half of an upgrade, when almost all tables have grown to their size: everything that
// comes with a pod that moves.
func TestEventsAllocateNothing(t *testing.T) {
	r := begunHundreds(t)
	for begunDrains(r) < 100 {
		r.advance(r.events + 1)
	}
	const ticks = 100
	stretches, grown, evicted := 0, 0.0, r.evictions
	for begunDrains(r) < 195 {
		grown += testing.AllocsPerRun(1, func() { // which calls it once before it counts
			for range ticks {
				r.advance(r.events + 1)
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

// TestDrainsShareTheirLists counts what drains allocate for themselves, over a third of an upgrade: each takes over the
// room that an earlier one has left.
func TestDrainsShareTheirLists(t *testing.T) {
	r := begunHundreds(t)
	for begunDrains(r) < 40 {
		r.advance(r.events + 1)
	}
	const drains = 60
	perDrain := testing.AllocsPerRun(1, func() { // which calls it once before it counts
		for end := begunDrains(r) + drains; begunDrains(r) < end; {
			r.advance(r.events + 1)
		}
	}) / drains
	t.Logf("%.1f allocations a drain", perDrain)
	if perDrain > 1 {
		t.Errorf("%.1f allocations a drain, want at most 1", perDrain)
	}
}

// begunHundreds is a run of hundreds before its first event.
func begunHundreds(t *testing.T) *run {
	t.Helper()
	if testing.Short() {
		t.Skip("the short tests run under the race detector, which has closures allocated that are not without it")
	}
	sc := scenarioOf(t, hundreds)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	r := w.newRun(Options{})
	r.begin()
	r.endTick()
	return r
}
