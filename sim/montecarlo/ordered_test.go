package montecarlo

import (
	"errors"
	"testing"
)

// numbers gives 0 to n-1.
func numbers(n int) func() (int, bool) {
	i := -1
	return func() (int, bool) { i++; return i, i < n }
}

func TestOrdered(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 9} {
		want := 0
		o := Ordered[int, int]{
			Workers: workers, Next: numbers(10_000),
			Do: func(i int) int { return 3 * i },
			Take: func(a int) error {
				if a != 3*want {
					t.Fatalf("%d workers: answer %d is %d", workers, want, a)
				}
				want++
				return nil
			},
		}
		if err := o.Run(); err != nil || want != 10_000 {
			t.Errorf("%d workers: %d answers: %v", workers, want, err)
		}
	}
}

// While an early job is not done, a bounded number of others is: by their count, or by their bytes.
func TestOrderedIsBounded(t *testing.T) {
	for _, size := range []int{1, mostBytes / 100} {
		q := &orderedQueue[int]{done: map[int]int{}}
		q.moved.L = &q.mu
		q.start()
		n := 1
		for ; !q.full() && n < 2*mostAhead; n++ {
			q.put(q.start(), n, size)
		}
		if want := min(mostAhead, mostBytes/size+2); n > want {
			t.Errorf("%d answers of %d bytes are held, the bound is %d", n, size, want)
		}
		q.put(0, 0, size)
		for i := range n {
			if a, ok := q.next(func(int) int { return size }); !ok || a != i {
				t.Fatalf("answer %d is %d", i, a)
			}
		}
		if q.full() || q.bytes != 0 || len(q.done) != 0 {
			t.Errorf("%d bytes of %d answers are held in the end", q.bytes, len(q.done))
		}
	}
}

func TestOrderedStops(t *testing.T) {
	full := errors.New("the disk is full")
	started, taken := 0, 0
	next := numbers(1_000_000)
	o := Ordered[int, int]{
		Next: func() (int, bool) { started++; return next() },
		Do:   func(i int) int { return i },
		Take: func(int) error {
			if taken++; taken == 3 {
				return full
			}
			return nil
		},
	}
	if err := o.Run(); !errors.Is(err, full) || taken != 3 || started > 3+mostAhead+64 {
		t.Errorf("%v after %d answers; %d jobs were started", err, taken, started)
	}
	none := Ordered[int, int]{Next: numbers(0), Do: func(i int) int { return i }, Take: func(int) error { return full }}
	if err := none.Run(); err != nil {
		t.Error(err)
	}
}
