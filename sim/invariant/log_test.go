package invariant

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// span is an interval without its bookkeeping.
type span struct {
	start, end int64
	class      Class
	id         int32
	rule       int
}

func spans(list []Interval) []span {
	var out []span
	for _, i := range list {
		out = append(out, span{i.Start, i.End, i.Class, i.ID, i.RuleIndex()})
	}
	return out
}

func TestLogOfOverlappingIntervals(t *testing.T) {
	l := NewLog(Sizes{Workloads: 2, Nodes: 1})
	l.Set(0, Workloads, 0, 0)
	l.Set(5, Workloads, 1, 0b001)
	l.Set(10, Workloads, 0, 0b011)
	l.Set(10, Nodes, 7, 0b1) // a node that came later
	l.Set(20, Workloads, 0, 0b110)
	l.Set(21, Workloads, 0, 0b110)
	l.Set(30, Workloads, 0, 0b100)
	l.Set(40, Workloads, 0, 0b101)
	l.Set(50, Workloads, 0, 0)
	want := []span{
		{5, Open, Workloads, 1, 0},
		{10, 20, Workloads, 0, 0},
		{10, 30, Workloads, 0, 1},
		{10, Open, Nodes, 7, 0},
		{20, 50, Workloads, 0, 2},
		{40, 50, Workloads, 0, 0},
	}
	got := l.Intervals()
	if !slices.Equal(spans(got), want) {
		t.Errorf("intervals\n got %v\nwant %v", spans(got), want)
	}
	for _, i := range got {
		if i.IsOpen() != (i.End == Open) {
			t.Errorf("%v: IsOpen is %v", i, i.IsOpen())
		}
	}
	if m := l.Mask(Workloads, 1); m != 1 {
		t.Errorf("the mask of workload 1 is %b", m)
	}
	if m := l.Mask(Workloads, 100); m != 0 {
		t.Errorf("the mask of a workload never seen is %b", m)
	}
}

func TestDetail(t *testing.T) {
	l := NewLog(Sizes{Workloads: 1})
	w := Workload{Replicas: 6}
	at := func(tick int64, ready, pending int32) {
		w.Ready, w.Working, w.Pending = ready, ready, pending
		Observe(l, tick, 0, w)
	}
	at(0, 6, 0)
	at(10, 5, 1)
	at(20, 3, 3)
	at(25, 3, 3)
	at(30, 4, 2)
	at(40, 6, 0)
	at(50, 5, 0)
	l.SetDetail(Workloads, 0, noReadyReplica, 9, 9) // holds: nothing to tell
	l.SetDetail(Workloads, 9, belowReplicas, 9, 9)  // never seen

	type told struct {
		rule int
		d    Detail
	}
	want := []told{
		{belowReplicas, Detail{5, 3, 6}},
		{podsPending, Detail{1, 3, 6}},
		{belowReplicas, Detail{5, 5, 6}},
	}
	var got []told
	for _, i := range l.Intervals() {
		got = append(got, told{i.RuleIndex(), i.Detail})
	}
	if !slices.Equal(got, want) {
		t.Errorf("details\n got %v\nwant %v", got, want)
	}
	if s := l.Intervals()[0].Message("deployment/a/b"); s != "deployment/a/b has 5 of 6 replicas ready, later 3" {
		t.Error(s)
	}
}

func TestTheWorstIsByRule(t *testing.T) {
	for _, c := range []struct {
		w    Worse
		a, b int32
		want bool
	}{
		{Lower, 1, 2, true}, {Lower, 2, 2, false}, {Lower, 3, 2, false},
		{Higher, 3, 2, true}, {Higher, 2, 2, false}, {Higher, 1, 2, false},
		{Farther, -3, 2, true}, {Farther, 3, -2, true}, {Farther, -2, 2, false}, {Farther, 1, -2, false},
	} {
		if got := c.w.than(c.a, c.b); got != c.want {
			t.Errorf("order %d: %d is worse than %d: %v", c.w, c.a, c.b, got)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	l := NewLog(Sizes{Workloads: 1})
	l.MaxIntervals = 3
	for i := range int64(10) {
		l.Set(4*i, Workloads, 0, 0b11)
		l.Set(4*i+1, Workloads, 0, 0b01)
		l.SetDetail(Workloads, 0, 0, 1, 1)
		l.Set(4*i+2, Workloads, 0, 0)
	}
	l.Set(100, Workloads, 0, 0b100) // another rule has its own bound
	want := []span{
		{0, 2, Workloads, 0, 0}, {0, 1, Workloads, 0, 1},
		{4, 6, Workloads, 0, 0}, {4, 5, Workloads, 0, 1},
		{8, 10, Workloads, 0, 0}, {8, 9, Workloads, 0, 1},
		{100, Open, Workloads, 0, 2},
	}
	if got := spans(l.Intervals()); !slices.Equal(got, want) {
		t.Errorf("intervals\n got %v\nwant %v", got, want)
	}
	for rule, n := range []int{7, 7, 0} {
		if got := l.Dropped(Workloads, rule); got != n {
			t.Errorf("rule %d: %d dropped, want %d", rule, got, n)
		}
	}
}

func TestErrorsOfTheProgramPanic(t *testing.T) {
	for _, c := range []struct {
		name, want string
		do         func(l *Log)
	}{
		{"an interval without length", "after its change", func(l *Log) { l.Set(5, Nodes, 0, 0) }},
		{"two changes in a tick", "after its change", func(l *Log) { l.Set(5, Nodes, 0, 3) }},
		{"time runs backwards", "after its change", func(l *Log) { l.Set(4, Nodes, 0, 2) }},
		{"a bit without a rule", "beyond", func(l *Log) { l.Set(6, ControlPlanes, 0, 1<<15) }},
	} {
		l := NewLog(Sizes{Nodes: 1})
		l.Set(5, Nodes, 0, 1)
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.Contains(s, c.want) {
					t.Errorf("%s: panic %q", c.name, s)
				}
			}()
			c.do(l)
		}()
	}
}

func TestUnchangedMasksAllocateNothing(t *testing.T) {
	l := NewLog(Sizes{Workloads: 100, Nodes: 100})
	tick := int64(0)
	w := Workload{Replicas: 3, Ready: 2, Working: 2}
	n := Node{Kubelet: 34, KubeProxy: 34, OldestAPI: 34, NewestAPI: 34, Ready: true}
	all := func() {
		tick++
		for id := range int32(100) {
			Observe(l, tick, id, w)
			Observe(l, tick, id, n)
		}
	}
	all()
	if got := testing.AllocsPerRun(50, all); got != 0 {
		t.Errorf("%v allocations for masks that did not change", got)
	}
}

// TestAgainstRecount compares the log with the plain way: keep every mask of
// every tick, then look for maximal runs.
func TestAgainstRecount(t *testing.T) {
	type key struct {
		class Class
		id    int32
	}
	rapid.Check(t, func(t *rapid.T) {
		l := NewLog(Sizes{Workloads: 1})
		ticks := rapid.IntRange(1, 30).Draw(t, "ticks")
		now := int64(0)
		var times []int64
		history := map[key][]uint16{} // a mask for each tick
		for n := range ticks {
			now += rapid.Int64Range(1, 1000).Draw(t, "step")
			times = append(times, now)
			for k := range history {
				history[k] = append(history[k], history[k][n-1])
			}
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				k := key{Class(rapid.IntRange(0, 1).Draw(t, "class")), int32(rapid.IntRange(0, 3).Draw(t, "id"))}
				if history[k] == nil {
					history[k] = make([]uint16, n+1)
				}
				if n > 0 && history[k][n] != history[k][n-1] || n == 0 && history[k][n] != 0 {
					continue // changed in this tick already
				}
				mask := uint16(rapid.IntRange(0, 15).Draw(t, "mask"))
				l.Set(now, k.class, k.id, mask)
				history[k][n] = mask
			}
		}
		var want []span
		for k, masks := range history {
			for rule := range len(Rules(k.class)) {
				start := Open
				for n, m := range masks {
					broken := m>>rule&1 == 1
					if broken && start == Open {
						start = times[n]
					} else if !broken && start != Open {
						want = append(want, span{start, times[n], k.class, k.id, rule})
						start = Open
					}
				}
				if start != Open {
					want = append(want, span{start, Open, k.class, k.id, rule})
				}
			}
			if got := l.Mask(k.class, k.id); got != masks[len(masks)-1] {
				t.Fatalf("the mask of %v is %b, want %b", k, got, masks[len(masks)-1])
			}
		}
		slices.SortFunc(want, func(a, b span) int {
			return compare(
				Interval{Start: a.start, Class: a.class, ID: a.id, rule: uint8(a.rule)},
				Interval{Start: b.start, Class: b.class, ID: b.id, rule: uint8(b.rule)})
		})
		if got := spans(l.Intervals()); !slices.Equal(got, want) {
			t.Fatalf("intervals\n got %v\nwant %v", got, want)
		}
	})
}

func BenchmarkObserve(b *testing.B) {
	const n = 1000
	l := NewLog(Sizes{Workloads: n})
	r := rand.New(rand.NewPCG(1, 2))
	w := make([]Workload, n)
	for i := range w {
		w[i] = Workload{Replicas: 3, Ready: 2 + int32(r.IntN(2)), Working: 2}
	}
	for id := range w {
		Observe(l, 0, int32(id), w[id])
	}
	b.ReportAllocs()
	for b.Loop() {
		for id := range w {
			Observe(l, 1, int32(id), w[id])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/subject")
}

// Several times are told as one, with the first value and the worst of all.
func TestJoin(t *testing.T) {
	for _, c := range []struct {
		rule  int
		worst [3]int32
		want  int32
	}{
		{podsPending, [3]int32{2, 6, 4}, 6}, // the more wait, the worse
		{workloadQuorumLost, [3]int32{2, 0, 1}, 0},
	} {
		first := Interval{Class: Workloads, rule: uint8(c.rule), Detail: Detail{At: 1, Worst: c.worst[0], Limit: 9}}
		for _, w := range c.worst[1:] {
			first.Join(Interval{Class: Workloads, rule: uint8(c.rule), Detail: Detail{At: 3, Worst: w, Limit: 9}})
		}
		if want := (Detail{At: 1, Worst: c.want, Limit: 9}); first.Detail != want {
			t.Errorf("%s: %+v, want %+v", first.Code(), first.Detail, want)
		}
	}
}
