package bench

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"upsim/model"
	"upsim/sim"
)

// recordedEvents is what a watching client, the procedure and the server's audit log saw, in the order of time.
type recordedEvents struct {
	InitialPods []struct{ Name, Node, Workload string }
	Events      []recordedEvent
}

// recordedEvent: T is in ms since the start, Code the answer to an eviction.
type recordedEvent struct {
	T                    int64
	Type, Pod, Node, App string
	Code                 int
}

func loadEvents(t *testing.T, dir string) recordedEvents {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "recorded.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var record recordedEvents
	if err := json.NewDecoder(in).Decode(&record); err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(record.Events, func(a, b recordedEvent) int { return int(a.T - b.T) })
	return record
}

// tell plays a recording's scenario with one seed and hands its steps out as events of the recording's kind. The pod
// of a slot keeps its name when it is replaced.
func tell(t *testing.T, sc *model.Scenario, seed uint64, see func(recordedEvent)) *sim.Result {
	t.Helper()
	world, err := sim.Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{"created": "pod.created", "scheduled": "pod.scheduled", "ready": "pod.ready", "terminating": "pod.terminating",
		"gone": "pod.deleted", "uncordoned": "node.uncordoned", "evicted": "audit.evict"}
	return world.Run(sim.Options{Seed: seed, MaxEvents: 10_000_000, Story: func(s sim.Step) {
		kind, ok := kinds[s.What]
		if !ok {
			return
		}
		e := recordedEvent{T: s.At / 1000, Type: kind, Code: 201}
		name := s.Subject[strings.LastIndex(s.Subject, "/")+1:]
		if strings.HasPrefix(kind, "node") {
			e.Node = name
		} else {
			e.Pod, e.Node = name, strings.TrimPrefix(s.Detail, "on ")
			e.App = name[:max(0, strings.LastIndex(name, "-"))]
		}
		see(e)
	}})
}

// afterUncordon collects how long after a node's uncordon the first pod is bound to it that waited for a node.
type afterUncordon struct {
	created, uncordoned map[string]int64
	ms                  []float64
}

func (a *afterUncordon) see(e recordedEvent) {
	switch e.Type {
	case "pod.created":
		a.created[e.Pod] = e.T
	case "node.uncordoned":
		a.uncordoned[e.Node] = e.T
	case "pod.scheduled":
		at, free := a.uncordoned[e.Node]
		if created, ok := a.created[e.Pod]; ok && free && e.T-created > 1000 && e.T-at < 1000 {
			a.ms = append(a.ms, float64(e.T-at))
			delete(a.uncordoned, e.Node)
		}
	}
}

// TestTaintLingers: a cordon's taint goes a little after the uncordon, and keeps pods off until then. Measured:
// "uncordon → first Pending pod bound 25 / 32 / 33 (11)". A scheduler that did not wait for the taint would be too early.
func TestTaintLingers(t *testing.T) {
	recordings := []string{"g-nospare", "g2-nospare-deadlock", "j-antiaffinity", "k-spread"}
	record := &afterUncordon{map[string]int64{}, map[string]int64{}, nil}
	simulate := func(change func(*model.Scenario)) []float64 {
		var all []float64
		for _, name := range recordings {
			rec, err := LoadRecording(filepath.Join(tracesDir, name))
			if err != nil {
				t.Fatal(err)
			}
			change(rec.Scenario)
			for seed := range uint64(20) {
				a := &afterUncordon{map[string]int64{}, map[string]int64{}, nil}
				tell(t, rec.Scenario, seed+1, a.see)
				all = append(all, a.ms...)
			}
		}
		return all
	}
	for _, name := range recordings {
		for _, e := range loadEvents(t, filepath.Join(tracesDir, name)).Events {
			record.see(e)
		}
		clear(record.created)
		clear(record.uncordoned)
	}
	if len(record.ms) != 11 {
		t.Fatalf("the recordings have %d pods that were bound at an uncordon, want 11", len(record.ms))
	}
	want := quantile(record.ms, 0.5)
	like := func(ms []float64) bool { m := quantile(ms, 0.5); return m > want/2 && m < want*2 }
	if got := simulate(func(*model.Scenario) {}); !like(got) {
		t.Errorf("uncordon to bound: recorded %v ms in the median, simulated %v", want, quantile(got, 0.5))
	}
	if got := simulate(func(sc *model.Scenario) { sc.Assumptions.TaintLag = model.Const(0) }); like(got) {
		t.Errorf("without the taint's lag: %v ms in the median, and that is like the record's %v", quantile(got, 0.5), want)
	}
}

// TestOrderedReady: in f3-sts-ordered2 two ordinals are gone at the same time, and the higher one is created when the lower
// one is Ready. Measured: "under OrderedReady it first waits until all lower ordinals are Ready. Parallel does not wait".
func TestOrderedReady(t *testing.T) {
	dir := filepath.Join(tracesDir, "f3-sts-ordered2")
	// The time from the lower one's Ready to the higher one's creation.
	waits := func(events []recordedEvent) int64 {
		var created []recordedEvent
		ready := map[string]int64{}
		for _, e := range events {
			switch e.Type {
			case "pod.created":
				created = append(created, e)
			case "pod.ready":
				ready[e.Pod] = e.T
			}
		}
		if len(created) != 2 || created[0].Pod != "db-1" || created[1].Pod != "db-2" {
			t.Fatalf("created: %+v; want db-1, then db-2", created)
		}
		return created[1].T - ready["db-1"]
	}
	if ms := waits(loadEvents(t, dir).Events); ms < 0 || ms > 50 {
		t.Fatalf("recorded: db-2 created %d ms after db-1 was Ready", ms)
	}
	rec, err := LoadRecording(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, parallel := range []bool{false, true} {
		rec.Scenario.Cluster.Workloads[0].Parallel = parallel
		for seed := range uint64(20) {
			var events []recordedEvent
			tell(t, rec.Scenario, seed+1, func(e recordedEvent) { events = append(events, e) })
			slices.SortStableFunc(events, func(a, b recordedEvent) int { return strings.Compare(a.Pod, b.Pod) })
			if ms := waits(events); (ms >= 0 && ms <= 50) == parallel {
				t.Errorf("seed %d, parallel %v: db-2 created %d ms after db-1 was Ready", seed+1, parallel, ms)
			}
		}
	}
}
