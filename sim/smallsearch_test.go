package sim

import (
	"testing"

	"pgregory.net/rapid"

	"upsim/model"
)

// TestSmallSearchChoosesAsSearch: at every step of upgrades of random clusters the search of small ones finds the node that
// the exhaustive search finds, and goes on from there.
func TestSmallSearchChoosesAsSearch(t *testing.T) {
	compared := 0
	rapid.Check(t, func(rt *rapid.T) {
		sc := randomScenario(rt)
		w, err := Compile(sc, model.NamedUpgrade{Name: "rolling", Upgrade: sc.Upgrade})
		if err != nil {
			rt.Fatal(err)
		}
		var small *smallSearch
		r := w.newRun(Options{MaxEvents: mostEvents, plainSearch: true})
		small = newSmallSearch(r)
		r.opts.Story = func(Step) {
			for i := range w.workloads {
				if spec := &w.workloads[i]; small.serves(spec) {
					for p := range r.podsOf(int32(i)) {
						compareSearches(rt, small, p)
						compared++
						break
					}
				}
			}
		}
		r.play()
	})
	if compared == 0 {
		t.Error("no pod was placed by both")
	}
}

// compareSearches has both searches choose for a pod, and leaves the run as it was.
func compareSearches(rt *rapid.T, small *smallSearch, p int32) {
	r := small.r
	from := r.nextNode
	want := r.choose(r.owned(p), nil)
	next := r.nextNode
	r.nextNode = from
	got := small.choose(&r.w.workloads[r.pods[p].workload], &r.pods[p])
	if got != want || r.nextNode != next {
		rt.Fatalf("pod %d goes to node %d, and the next search begins at %d; the exhaustive search says %d and %d", p, got, r.nextNode, want, next)
	}
	r.nextNode = from
}
