package sim

import (
	"strings"
	"testing"
)

// TestBudgetWritesAreLimited: the disruption controller's client makes 20 requests a second, 30 at once. Measured: "20 requests a
// second, burst 30, for each controller's own client", and budget status writes at 45 to 78 a second at most, which is no more than
// the burst, the second's 20, and those that the API server writes itself. Here n1 turns Unknown at 55 s, with a pod of each of a
// hundred budgets, and its pods are Ready again at 57: 30 and two seconds' 40 budgets had their allowance taken until then, and of
// the others nobody had learnt.
func TestBudgetWritesAreLimited(t *testing.T) {
	const text = `cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes:
  - {name: n1, kubelet: v1.34.2, allocatable: {cpu: "64", memory: 64Gi, pods: 250}}
  - {name: n2, kubelet: v1.34.2, allocatable: {cpu: "64", memory: 64Gi, pods: 250}}
  - {name: n3, kubelet: v1.33.4, unschedulable: true}
  workloads:
`
	names := "123456789"
	var list strings.Builder
	for _, a := range names + "0" {
		for _, b := range names + "0" {
			list.WriteString("  - {name: w" + string(a) + string(b) + ", replicas: 2, placement: [n1, n2], podDisruptionBudget: {minAvailable: 1}}\n")
		}
	}
	r := runOf(t, text+list.String()+`upgrade: {to: v1.34.2, controlPlane: skip}
faults:
- {kind: nodeFailure, nodes: [n1], at: 5s, for: 51s}
`, Options{Audit: true})
	exhausted := 0
	for _, b := range r.Budgets {
		if b.SecondsExhausted > 0 {
			exhausted++
		}
	}
	if len(r.Budgets) != 100 || exhausted < 68 || exhausted > 72 {
		t.Errorf("%d of %d budgets learnt within 2 s that a pod is not Ready, want 30 at once and 20 a second, which is 70", exhausted, len(r.Budgets))
	}
}

// TestWriteConflictsEnd: measured: "write conflicts are retried by the server every 500 ms, at most 20 times". Here somebody else
// writes the budget whenever an eviction has read it and is about to write, so that it is answered with an error after 20 tries.
func TestWriteConflictsEnd(t *testing.T) {
	sc := scenarioOf(t, `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes: [{name: n1, kubelet: v1.33.4}, {name: n2}]
  workloads:
  - {name: web, replicas: 2, placement: [n1, n2], podDisruptionBudget: {minAvailable: 1}}
upgrade: {to: v1.34.2, controlPlane: skip}
`)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	r := w.newRun(Options{MaxEvents: mostEvents})
	r.begin()
	var tries []int64
	for r.q.Len() > 0 {
		x, _ := r.q.Pop()
		r.now = x.At
		if kind(x.Data>>(subjectBits+genBits)) == evEvictWrite {
			tries = append(tries, x.At)
			r.budgets[0].version++
		}
		r.serve(x.Data)
		r.endTick()
	}
	if len(tries) != 20 || r.evictionErrors != 1 || r.evictions != 0 {
		t.Fatalf("%d tries, %d evictions, %d errors; want 20 tries and an error", len(tries), r.evictions, r.evictionErrors)
	}
	for i, at := range tries[1:] {
		if pause := at - tries[i]; pause < 500_000 || pause > 570_000 { // up to a tenth more, and what a request takes
			t.Errorf("try %d comes %d µs after the one before", i+2, pause)
		}
	}
}
