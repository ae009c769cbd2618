package sim

import (
	"fmt"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// TestNthBit holds nthBit against a walk over the bits.
func TestNthBit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := rapid.Uint64Range(1, 1<<64-1).Draw(rt, "word")
		n := 0
		for rest := x; rest != 0; rest &= rest - 1 {
			if got, want := nthBit(x, n), bits.TrailingZeros64(rest); got != want {
				rt.Fatalf("bit %d of %b is at %d, want %d", n, x, got, want)
			}
			n++
		}
	})
}

// TestIndexInLargeClusters: with more nodes than the words of one word of a set stand for, and
// windows that end anywhere, the index places as the exhaustive search does; also where a workload has so many
// pods that they are counted by node.
func TestIndexInLargeClusters(t *testing.T) {
	for name, constraint := range map[string]string{
		"plain":         "",
		"zone spread":   "topologySpreadConstraints: [{topologyKey: topology.kubernetes.io/zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]",
		"anti-affinity": "podAntiAffinity: {required: [{topologyKey: kubernetes.io/hostname}]}",
	} {
		sc := scenarioOf(t, fmt.Sprintf(`
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools:
  - {name: a, count: 4300, zones: [a, b, c], kubelet: v1.33.4, allocatable: {cpu: 800m, memory: 2Gi, pods: 40}}
  - {name: b, count: 77, kubelet: v1.33.4, allocatable: {cpu: 900m, memory: 2Gi, pods: 40}}
  workloads:
  - {name: web, count: 900, replicas: 7, requests: {cpu: 200m, memory: 200Mi}, %[1]s}
  - {name: large, replicas: 560, requests: {cpu: 200m}, %[1]s}
  - {name: batch, kind: Job, count: 700, replicas: 3, requests: {cpu: 100m}}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {maxUnavailable: 10%%}}
`, constraint))
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			t.Fatal(err)
		}
		plain, indexed := w.Run(Options{plainSearch: true}), w.Run(Options{})
		if plain.Engine != indexed.Engine || plain.Evictions < 8000 {
			t.Errorf("%s: the index led to another run: %v and %v, %d evictions", name, plain.Engine, indexed.Engine, plain.Evictions)
		}
	}
}
