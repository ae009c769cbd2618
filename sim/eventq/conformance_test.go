package eventq

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

type list interface {
	Push(at int64, data uint64)
	Pop() (Item, bool)
	Peek() (int64, bool)
	Len() int
	Reset()
}

// both runs one test on the fast list and on the plain one.
func both(t *testing.T, test func(t *testing.T, q list)) {
	t.Run("Queue", func(t *testing.T) { test(t, New(0)) })
	t.Run("ZeroQueue", func(t *testing.T) { test(t, &Queue{}) })
	t.Run("Sorted", func(t *testing.T) { test(t, NewSorted(0)) })
}

func wantEmpty(t *testing.T, q list) {
	t.Helper()
	if n := q.Len(); n != 0 {
		t.Errorf("Len of an empty list is %d", n)
	}
	if x, ok := q.Pop(); ok {
		t.Errorf("an empty list popped %v", x)
	}
	if at, ok := q.Peek(); ok {
		t.Errorf("an empty list peeked %d", at)
	}
}

func wantPop(t *testing.T, q list, want Item) {
	t.Helper()
	n := q.Len()
	if at, ok := q.Peek(); !ok || at != want.At {
		t.Fatalf("peeked %d, %v; want %d", at, ok, want.At)
	}
	if x, ok := q.Pop(); !ok || x != want {
		t.Fatalf("popped %v, %v; want %v", x, ok, want)
	}
	if q.Len() != n-1 {
		t.Fatalf("Len is %d after a pop from %d", q.Len(), n)
	}
}

func TestEmpty(t *testing.T) {
	both(t, func(t *testing.T, q list) {
		wantEmpty(t, q)
		q.Push(7, 1)
		wantPop(t, q, Item{7, 1})
		wantEmpty(t, q)
		q.Push(7, 2) // the present is not the past
		wantPop(t, q, Item{7, 2})
		wantEmpty(t, q)
	})
}

func TestEqualTimesComeOutInOrderOfPush(t *testing.T) {
	both(t, func(t *testing.T, q list) {
		// The same instant is pushed while the clock is far, near and at it.
		const at, n = 1 << 40, 1000
		id := uint64(0)
		some := func() {
			for range n {
				q.Push(at, id)
				id++
			}
		}
		some()
		for _, before := range []int64{1 << 20, 1 << 39, at - 17, at - 1} {
			q.Push(before, math.MaxUint64)
			wantPop(t, q, Item{before, math.MaxUint64})
			some()
		}
		for i := range uint64(n) {
			wantPop(t, q, Item{at, i})
		}
		some()
		for i := uint64(n); i < id; i++ {
			wantPop(t, q, Item{at, i})
		}
		wantEmpty(t, q)
	})
}

func TestPeekLeavesTheClock(t *testing.T) {
	both(t, func(t *testing.T, q list) {
		q.Push(1000, 1)
		q.Push(2000, 2)
		q.Push(1000, 3)
		if at, ok := q.Peek(); !ok || at != 1000 {
			t.Fatalf("peeked %d, %v", at, ok)
		}
		q.Push(5, 4) // before what was peeked, after what was popped
		wantPop(t, q, Item{5, 4})
		wantPop(t, q, Item{1000, 1})
		wantPop(t, q, Item{1000, 3})
		wantPop(t, q, Item{2000, 2})
		wantEmpty(t, q)
	})
}

func TestPushIntoThePastPanics(t *testing.T) {
	for _, c := range []struct{ popped, at int64 }{{0, -1}, {16, 15}, {1 << 62, 1<<62 - 1}, {5, math.MinInt64}} {
		both(t, func(t *testing.T, q list) {
			q.Push(c.popped, 1)
			q.Pop()
			defer func() {
				s, _ := recover().(string)
				if !strings.Contains(s, "before") {
					t.Errorf("push at %d after %d: panic %q", c.at, c.popped, s)
				}
				if q.Len() != 0 {
					t.Errorf("Len is %d after a refused push", q.Len())
				}
			}()
			q.Push(c.at, 2)
		})
	}
}

func TestReset(t *testing.T) {
	both(t, func(t *testing.T, q list) {
		for i := range int64(500) {
			q.Push(i*i*i, uint64(i))
		}
		for range 100 {
			q.Pop()
		}
		q.Reset()
		wantEmpty(t, q)
		q.Push(3, 1) // before what had been popped
		q.Push(3, 2)
		wantPop(t, q, Item{3, 1})
		wantPop(t, q, Item{3, 2})
		wantEmpty(t, q)
	})
}

// increments are ways in which events are spread over time.
var increments = map[string]func(r *rand.Rand) int64{
	"exponential": func(r *rand.Rand) int64 { return int64(r.ExpFloat64() * 60e6) },
	"zero":        func(r *rand.Rand) int64 { return 0 },
	"few values":  func(r *rand.Rand) int64 { return int64(r.IntN(4)) * 1_000_000 },
	"jumps":       func(r *rand.Rand) int64 { return int64(1) << r.IntN(52) },
	"jumps less one": func(r *rand.Rand) int64 {
		return int64(1)<<r.IntN(52) - 1
	},
	"cluster": func(r *rand.Rand) int64 {
		switch k := r.IntN(1000); {
		case k == 0:
			return int64(r.ExpFloat64() * 3600e6)
		case k < 334:
			return 0
		case k < 667:
			return int64(r.ExpFloat64() * 2e6)
		}
		return int64(r.ExpFloat64() * 60e6)
	},
}

// TestSoonIsPending holds what Soon says against what is pending after the pop that it comes with.
func TestSoonIsPending(t *testing.T) {
	for name, inc := range increments {
		q, step := New(0), table(inc)
		pending := map[uint64]bool{}
		push := func(at int64, id uint64) {
			q.Push(at, id)
			pending[id] = true
		}
		for i := range uint64(2_000) {
			push(step[i], i)
		}
		told := 0
		for i := range uint64(10_000) {
			x, _ := q.Pop()
			soon := q.Soon()
			for _, y := range soon {
				if !pending[y] {
					t.Fatalf("%s: %v comes soon and is not pending", name, y)
				}
			}
			told += len(soon)
			delete(pending, x.Data)
			if x.At > math.MaxInt64/2 {
				break
			}
			push(x.At+step[i], x.Data+2_000)
		}
		if len(q.Soon()) != 0 {
			t.Errorf("%s: Soon says the same twice", name)
		}
		if name == "exponential" && told < 4_000 {
			t.Errorf("%s: only %d of 10,000 items were said to come soon", name, told)
		}
	}
}

func TestAgainstStableSort(t *testing.T) {
	for name, inc := range increments {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, q list) {
				r := rand.New(rand.NewPCG(1, 2))
				var want []Item
				for i := range uint64(20_000) {
					x := Item{inc(r), i}
					want = append(want, x)
					q.Push(x.At, x.Data)
				}
				slices.SortStableFunc(want, func(a, b Item) int {
					if a.At < b.At {
						return -1
					} else if a.At > b.At {
						return 1
					}
					return 0
				})
				for _, x := range want {
					wantPop(t, q, x)
				}
				wantEmpty(t, q)
			})
		})
	}
}

// TestHoldAgainstSorted lets both lists live through the same growing, holding
// and shrinking, with times up to the end of the range.
func TestHoldAgainstSorted(t *testing.T) {
	for name, inc := range increments {
		for _, start := range []int64{0, 1 << 32, 1<<62 - 5} {
			r := rand.New(rand.NewPCG(3, uint64(start)))
			q, s := New(16), NewSorted(16)
			clock := start
			for i := range uint64(60_000) {
				grow := i < 20_000 && r.IntN(3) > 0 || i < 40_000 && r.IntN(2) == 0
				if grow {
					at := clock + min(inc(r), math.MaxInt64-clock)
					q.Push(at, i)
					s.Push(at, i)
				} else if s.Len() > 0 {
					at, _ := s.Peek()
					x, _ := s.Pop()
					if x.At != at {
						t.Fatalf("%s: Sorted peeked %d and popped %d", name, at, x.At)
					}
					wantPop(t, q, x)
					clock = x.At
				}
				if q.Len() != s.Len() {
					t.Fatalf("%s: Len is %d, want %d", name, q.Len(), s.Len())
				}
			}
			for s.Len() > 0 {
				x, _ := s.Pop()
				wantPop(t, q, x)
			}
			wantEmpty(t, q)
		}
	}
}
