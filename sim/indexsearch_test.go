package sim

import (
	"fmt"
	"math/bits"
	"slices"
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
	})
}

// TestLanes holds what is asked of four numbers at once against a walk over them.
func TestLanes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 1<<15-1))
		var x, y, reach, some, greater lanes
		a, b := rapid.SliceOfN(number, perLanes, perLanes).Draw(rt, "numbers"), rapid.SliceOfN(number, perLanes, perLanes).Draw(rt, "others")
		for k := range a {
			x.put(uint(k), 0, a[k])
			y.put(uint(k+perLanes), 0, b[k])
			greater.put(uint(k), 0, max(a[k], b[k]))
			if a[k] >= b[k] {
				reach |= 1 << (k*laneBits + laneBits - 1)
			}
			if a[k] != 0 {
				some |= (1<<laneBits - 1) << (k * laneBits)
			}
			if x.at(uint(k)) != a[k] || y.at(uint(k)) != b[k] {
				rt.Errorf("number %d of %x and %x is not %d and %d", k, x, y, a[k], b[k])
			}
		}
		if got := x.reach(y); got != reach {
			rt.Errorf("%v reach %v: %x, want %x", a, b, got, reach)
		}
		if got := x.some(); got != some {
			rt.Errorf("of %v %x are not 0, want %x", a, got, some)
		}
		if got := x.greater(y); got != greater {
			rt.Errorf("the greater ones of %v and %v are %x, want %x", a, b, got, greater)
		}
		if got := x.highest(); got != slices.Max(a) {
			rt.Errorf("the highest of %v is %d", a, got)
		}
	})
}

// TestIndexInLargeClusters: with windows of many words that end anywhere the index places as the exhaustive search does, with what it
// knows of blocks of words and without, and in more zones than lanes stand for; also where a workload has so many pods that they are
// counted by node.
func TestIndexInLargeClusters(t *testing.T) {
	for name, x := range map[string]struct{ zones, constraint string }{
		"plain":         {"a, b, c", ""},
		"many zones":    {"a, b, c, d, e", ""},
		"zone spread":   {"a, b, c", "topologySpreadConstraints: [{topologyKey: topology.kubernetes.io/zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]"},
		"anti-affinity": {"a, b, c", "podAntiAffinity: {required: [{topologyKey: kubernetes.io/hostname}]}"},
	} {
		sc := scenarioOf(t, fmt.Sprintf(`
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools:
  - {name: a, count: 4300, zones: [%[2]s], kubelet: v1.33.4, allocatable: {cpu: 800m, memory: 2Gi, pods: 40}}
  - {name: b, count: 77, kubelet: v1.33.4, allocatable: {cpu: 900m, memory: 2Gi, pods: 40}}
  workloads:
  - {name: web, count: 900, replicas: 7, requests: {cpu: 200m, memory: 200Mi}, %[1]s}
  - {name: large, replicas: 560, requests: {cpu: 200m}, %[1]s}
  - {name: batch, kind: Job, count: 700, replicas: 3, requests: {cpu: 100m}}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {maxUnavailable: 10%%}}
`, x.constraint, x.zones))
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			t.Fatal(err)
		}
		plain, indexed, withBlocks := w.Run(Options{plainSearch: true}), w.Run(Options{}), w.Run(Options{forceIndex: true})
		if plain.Engine != indexed.Engine || plain.Engine != withBlocks.Engine || plain.Evictions < 8000 {
			t.Errorf("%s: the index led to another run: %v, %v and %v, %d evictions", name, plain.Engine, indexed.Engine, withBlocks.Engine, plain.Evictions)
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
