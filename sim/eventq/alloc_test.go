package eventq

import (
	"math"
	"testing"
)

// TestSteadyStateAllocatesNothing holds a constant number of items pending,
// long after the queue has seen its peak.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	for name, inc := range increments {
		for _, n := range []int{1, 1_000, 50_000} {
			q := New(n)
			step := table(inc)
			k := 0
			hold := func() {
				x, _ := q.Pop()
				// Wrap around before the jumps reach the end of the range.
				at := x.At + step[k%len(step)]
				k++
				if at > math.MaxInt64/2 {
					q.Reset()
					for i := range n {
						q.Push(step[i%len(step)], uint64(i))
					}
					return
				}
				q.Push(at, x.Data)
			}
			for i := range n {
				q.Push(step[i%len(step)], uint64(i))
			}
			for range 3 * n {
				hold()
			}
			if got := testing.AllocsPerRun(200, func() {
				for range 500 {
					hold()
				}
			}); got != 0 {
				t.Errorf("%s, %d pending: %v allocations for 500 holds", name, n, got)
			}
		}
	}
}

// TestMemoryIsThatOfThePeak counts blocks: those of the items at the peak, a
// few for the buckets, and at most as much again by growing in doubles.
func TestMemoryIsThatOfThePeak(t *testing.T) {
	for name, inc := range increments {
		const n = 200_000
		q := New(n)
		step := table(inc)
		for i := range n {
			q.Push(step[i%len(step)], uint64(i))
		}
		for i := range 3 * n {
			x, _ := q.Pop()
			if x.At > math.MaxInt64/2 {
				break
			}
			q.Push(x.At+step[i%len(step)], x.Data)
		}
		if have, want := q.got*blockLen, 3*n; have > want {
			t.Errorf("%s: room for %d items at a peak of %d, want at most %d", name, have, n, want)
		}
	}
}

// TestResetKeepsTheMemory runs the same load again and again on one queue.
func TestResetKeepsTheMemory(t *testing.T) {
	q := New(0)
	load := func() {
		for i := range int64(5_000) {
			q.Push(i*i, uint64(i))
		}
		for range 2_000 {
			q.Pop()
		}
		q.Reset()
	}
	load()
	if got := testing.AllocsPerRun(20, load); got != 0 {
		t.Errorf("%v allocations in a run after the first", got)
	}
}
