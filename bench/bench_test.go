package bench

import (
	"fmt"
	"runtime"
	"testing"

	"upsim/model"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// sizes are the clusters that are measured, all with 30 pods a node.
var sizes = []int{1000, 5000}

// BenchmarkUpgrade plays a whole rolling upgrade. It reports the time for each
// event (of the wall and of the processor, which a busy machine disturbs less),
// the events and evictions of a run, and the live heap for each pod that the
// compiled world holds.
func BenchmarkUpgrade(b *testing.B) {
	for _, variant := range Variants() {
		for _, nodes := range sizes {
			b.Run(fmt.Sprintf("%s/nodes=%d", variant, nodes), func(b *testing.B) {
				sc := synthetic(b, Synthetic{Nodes: nodes, Variant: variant})
				before := liveHeap()
				world := compile(b, sc)
				heap := liveHeap() - before
				var events uint64
				var evictions int64
				runs := 0
				b.ReportAllocs()
				start := cpuTime()
				for b.Loop() {
					r := world.Run(sim.Options{Seed: 1})
					if r.FinalVersions[syntheticTo.String()] != nodes {
						b.Fatalf("the upgrade did not end: %v, %v %v", r.FinalVersions, r.Verdict, r.Reasons)
					}
					events, evictions = r.Engine.Events, r.Evictions
					runs++
				}
				spent := cpuTime() - start
				b.ReportMetric(spent.Seconds()/float64(runs), "cpu-s/op")
				b.ReportMetric(float64(spent.Nanoseconds())/float64(runs)/float64(events), "cpu-ns/event")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(runs)/float64(events), "ns/event")
				b.ReportMetric(float64(events), "events")
				b.ReportMetric(float64(evictions), "evictions")
				b.ReportMetric(float64(heap)/float64(sc.Pods()), "bytes/pod")
				runtime.KeepAlive(world)
			})
		}
	}
}

// BenchmarkCompile turns a scenario value into a world, with every pod placed.
func BenchmarkCompile(b *testing.B) {
	for _, variant := range Variants() {
		for _, nodes := range sizes {
			b.Run(fmt.Sprintf("%s/nodes=%d", variant, nodes), func(b *testing.B) {
				sc := synthetic(b, Synthetic{Nodes: nodes, Variant: variant})
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					compile(b, sc)
					n++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/float64(sc.Pods()), "ns/pod")
			})
		}
	}
}

// BenchmarkSeeds plays a rolling upgrade with many seeds, as a Monte Carlo study does, on all processors.
func BenchmarkSeeds(b *testing.B) {
	const seeds = 100
	sc := synthetic(b, Synthetic{Nodes: 1000})
	b.ReportAllocs()
	start, n := cpuTime(), 0
	for b.Loop() {
		s, err := montecarlo.Replicate(sc, sc.Upgrades()[0], montecarlo.Options{Seeds: seeds})
		if err != nil {
			b.Fatal(err)
		}
		if len(s.Runs) != seeds || s.Worst.Incomplete {
			b.Fatalf("of %d upgrades the worst is %+v", len(s.Runs), s.Worst)
		}
		n += seeds
	}
	b.ReportMetric((cpuTime()-start).Seconds()*1e3/float64(n), "cpu-ms/run")
}

func synthetic(tb testing.TB, s Synthetic) *model.Scenario {
	tb.Helper()
	sc, err := s.Scenario()
	if err != nil {
		tb.Fatal(err)
	}
	return sc
}

func compile(tb testing.TB, sc *model.Scenario) *sim.World {
	tb.Helper()
	world, err := sim.Compile(sc, sc.Upgrades()[0])
	if err != nil {
		tb.Fatal(err)
	}
	return world
}

// liveHeap is the number of bytes of reachable objects.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
