package sim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRunLast: the run in the World's own memory is the same, and there is none after it.
func TestRunLast(t *testing.T) {
	sc := scenarioOf(t, `
cluster:
  version: v1.34.2
  nodePools: [{name: n, count: 9, zones: [a, b, c], kubelet: v1.33.4, allocatable: {cpu: 4, memory: 8Gi, pods: 20}}]
  workloads:
  - {name: web, count: 8, replicas: 5, requests: {cpu: 300m}, podDisruptionBudget: {maxUnavailable: 1}}
  - {name: spread, replicas: 9, podAntiAffinity: {required: [{topologyKey: kubernetes.io/hostname}]}, podDisruptionBudget: {minAvailable: 7}}
  - {name: agent, kind: DaemonSet}
  - {name: db, kind: StatefulSet, replicas: 3, volume: {zonal: true}, placement: [n-1, n-2, n-3]}
  - {name: wide, replicas: 2, requests: {cpu: 5}}
upgrade: {to: v1.34.2, nodes: {strategy: surge, maxSurge: 2}}
`)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	want := w.Run(Options{Seed: 3})
	if want.Evictions < 40 || want.FinalPending != 2 {
		t.Fatalf("%d evictions, %d pods without a node: nothing to compare", want.Evictions, want.FinalPending)
	}
	if diff := cmp.Diff(want, w.RunLast(Options{Seed: 3, Audit: true})); diff != "" {
		t.Errorf("Run (-), RunLast (+)\n%s", diff)
	}
	defer func() {
		if recover() == nil {
			t.Error("a World that is used up can be run")
		}
	}()
	w.Run(Options{})
}
