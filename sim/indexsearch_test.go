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

// TestPointBits holds what is asked of the points of a word bit by bit against a walk over its nodes.
func TestPointBits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		points := rapid.SliceOfN(rapid.Uint8Range(1, pointsMost), wordBits, wordBits).Draw(rt, "points")
		some := rapid.Uint64().Draw(rt, "nodes") & rapid.Uint64().Draw(rt, "fewer")
		var b pointBits
		for n, p := range points {
			b.set(uint32(n)+wordBits, p)
		}
		highest, by := uint8(0), [pointsMost + 1]uint64{}
		for n, p := range points {
			if some>>n&1 != 0 {
				highest = max(highest, p)
				by[p] |= 1 << n
			}
		}
		if p, those := b.highest(some); p != highest || those != by[highest] {
			rt.Fatalf("the most points are %d of %b, want %d of %b", p, those, highest, by[highest])
		}
		for p := uint8(1); p <= pointsMost; p++ {
			if those := b.equal(some, p); those != by[p] {
				rt.Fatalf("%b have %d points, want %b", those, p, by[p])
			}
		}
	})
}

// TestEightBytes holds what is asked of eight bytes at once against a walk over them.
func TestEightBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bytes := rapid.SliceOfN(rapid.Uint8Range(0, pointsMost), 8, 8).Draw(rt, "bytes")
		number := rapid.OneOf(rapid.Uint8Range(0, pointsMost), rapid.SampledFrom(bytes)).Draw(rt, "number")
		var x, have, higher, same uint64
		highest, sum := uint8(0), 0
		for i, p := range bytes {
			n := uint64(p)%wordBits + 1
			x |= uint64(p) << (8 * i)
			have |= n << (8 * i)
			highest = max(highest, p)
			if p > number {
				higher |= 0x80 << (8 * i)
			}
			if p == number {
				same |= 0x80 << (8 * i)
				sum += int(n)
			}
		}
		if got := highestOf(x); got != highest {
			rt.Errorf("the highest of %v is %d", bytes, got)
		}
		if got := newAbove(number).in(x); got != higher {
			rt.Errorf("above %d of %v are %x, want %x", number, bytes, got, higher)
		}
		if got := equalTo(x, number); got != same || sumOf(have, got) != sum {
			rt.Errorf("%d of %v are %x with %d nodes, want %x with %d", number, bytes, got, sumOf(have, got), same, sum)
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

// TestIndexKeepsClosedZonesOut: a node with a pod of the workload in a zone that anti-affinity has closed is no candidate, however much
// room it has.
func TestIndexKeepsClosedZonesOut(t *testing.T) {
	sc := scenarioOf(t, `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools:
  - {name: large, count: 4, zones: [a], kubelet: v1.33.4, allocatable: {cpu: 64, memory: 256Gi, pods: 40}}
  - {name: small, count: 4, zones: [b, c], kubelet: v1.33.4, allocatable: {cpu: 1, memory: 4Gi, pods: 40}}
  workloads:
  - {name: full, kind: DaemonSet, requests: {cpu: 900m, memory: 3800Mi}}
  - {name: web, count: 2, replicas: 3, requests: {cpu: 10m, memory: 10Mi}, podAntiAffinity: {required: [{topologyKey: topology.kubernetes.io/zone}]}}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {maxUnavailable: 1}}
`)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	plain, indexed := w.Run(Options{plainSearch: true}), w.Run(Options{forceIndex: true})
	if plain.Engine != indexed.Engine || plain.Evictions < 6 {
		t.Errorf("the index led to another run: %v and %v, %d evictions", plain.Engine, indexed.Engine, plain.Evictions)
	}
}
