package eventq

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// cpu reports the processor's time for each step since it was started, which a busy machine disturbs less than the wall's.
type cpu struct{ since time.Duration }

func startCPU() cpu { return cpu{cpuTime()} }

func (c cpu) report(b *testing.B) {
	spent := cpuTime() - c.since
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(b.N)/spent.Seconds()/1e6, "M/cpu-s")
}

// valueHeap is a binary heap of values without interfaces: what one would
// write by hand, to compare with.
type valueHeap struct {
	h   []numbered
	seq uint64
}

func (v *valueHeap) Len() int { return len(v.h) }

func (v *valueHeap) less(i, j int) bool {
	a, b := &v.h[i], &v.h[j]
	return a.At < b.At || a.At == b.At && a.seq < b.seq
}

func (v *valueHeap) Push(at int64, data uint64) {
	v.h = append(v.h, numbered{Item{at, data}, v.seq})
	v.seq++
	for i := len(v.h) - 1; i > 0; {
		p := (i - 1) / 2
		if !v.less(i, p) {
			break
		}
		v.h[i], v.h[p] = v.h[p], v.h[i]
		i = p
	}
}

func (v *valueHeap) Pop() (Item, bool) {
	if len(v.h) == 0 {
		return Item{}, false
	}
	x := v.h[0].Item
	n := len(v.h) - 1
	v.h[0] = v.h[n]
	v.h = v.h[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			return x, true
		}
		if c+1 < n && v.less(c+1, c) {
			c++
		}
		if !v.less(c, i) {
			return x, true
		}
		v.h[i], v.h[c] = v.h[c], v.h[i]
		i = c
	}
}

// table holds increments that are dear to draw.
func table(inc func(r *rand.Rand) int64) *[1 << 14]int64 {
	r := rand.New(rand.NewPCG(5, 6))
	var t [1 << 14]int64
	for i := range t {
		t[i] = inc(r)
	}
	return &t
}

// BenchmarkHold is the hold model: n items pending, each step pops the earliest
// and pushes it again after an increment. A step is one pop and one push. The
// loop is written once for each list so that every call is a direct one.
func BenchmarkHold(b *testing.B) {
	for _, shape := range []string{"exponential", "cluster"} {
		t := table(increments[shape])
		for _, n := range []int{1_000, 100_000, 1_000_000} {
			run := func(name string, bench func(b *testing.B, n int, t *[1 << 14]int64)) {
				b.Run(fmt.Sprintf("%s/%d/%s", shape, n, name), func(b *testing.B) {
					bench(b, n, t)
				})
			}
			run("queue", holdQueue)
			run("container-heap", holdSorted)
			run("value-heap", holdValueHeap)
		}
	}
}

func holdQueue(b *testing.B, n int, t *[1 << 14]int64) {
	q := New(n)
	for i := range n {
		q.Push(t[i%len(t)], uint64(i))
	}
	for i := range 2 * n {
		x, _ := q.Pop()
		q.Push(x.At+t[i%len(t)], x.Data)
	}
	b.ReportAllocs()
	b.ResetTimer()
	start := startCPU()
	defer start.report(b)
	for i := range b.N {
		x, _ := q.Pop()
		q.Push(x.At+t[i%len(t)], x.Data)
	}
}

func holdSorted(b *testing.B, n int, t *[1 << 14]int64) {
	q := NewSorted(n)
	for i := range n {
		q.Push(t[i%len(t)], uint64(i))
	}
	for i := range 2 * n {
		x, _ := q.Pop()
		q.Push(x.At+t[i%len(t)], x.Data)
	}
	b.ReportAllocs()
	b.ResetTimer()
	start := startCPU()
	defer start.report(b)
	for i := range b.N {
		x, _ := q.Pop()
		q.Push(x.At+t[i%len(t)], x.Data)
	}
}

func holdValueHeap(b *testing.B, n int, t *[1 << 14]int64) {
	q := &valueHeap{h: make([]numbered, 0, n)}
	for i := range n {
		q.Push(t[i%len(t)], uint64(i))
	}
	for i := range 2 * n {
		x, _ := q.Pop()
		q.Push(x.At+t[i%len(t)], x.Data)
	}
	b.ReportAllocs()
	b.ResetTimer()
	start := startCPU()
	defer start.report(b)
	for i := range b.N {
		x, _ := q.Pop()
		q.Push(x.At+t[i%len(t)], x.Data)
	}
}

// BenchmarkMM1 is a queue with one server (customers come at a rate of 0.9, the server's is 1), simulated with the event list and nothing
// else: what an engine's events cost when next to nothing else happens. A step is one customer. Each benchmark holds the mean wait
// against what theory has for it.
func BenchmarkMM1(b *testing.B) {
	const (
		arrival, departure = 0, 1
		rate               = 0.9
		second             = 1e6
	)
	draw := rand.New(rand.NewPCG(7, 8))
	q := New(16)
	var now, waited int64
	var waiting []int64 // since when, by customer
	head := 0
	busy := false
	q.Push(int64(draw.ExpFloat64()/rate*second), arrival)
	served := 0
	start := startCPU()
	for b.Loop() {
		for start := served; served == start; {
			x, _ := q.Pop()
			now = x.At
			if x.Data == arrival {
				q.Push(now+int64(draw.ExpFloat64()/rate*second), arrival)
				if busy {
					waiting = append(waiting, now)
					continue
				}
				busy = true
				q.Push(now+int64(draw.ExpFloat64()*second), departure)
				continue
			}
			served++
			if head == len(waiting) {
				busy, waiting, head = false, waiting[:0], 0
				continue
			}
			waited += now - waiting[head]
			head++
			q.Push(now+int64(draw.ExpFloat64()*second), departure)
		}
	}
	start.report(b)
	if mean := float64(waited) / float64(served) / second; served > 1_000_000 && (mean < 7 || mean > 11) {
		b.Errorf("the mean wait is %.2f s, theory has rate/(1-rate) = 9", mean)
	}
}
