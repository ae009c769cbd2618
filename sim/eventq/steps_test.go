package eventq

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFewMoves counts how often items are moved after they were pushed, under loads that are meant to make that often: a push or a pop
// costs a few dozen steps by itself, and the rest of the work is these moves.
func TestFewMoves(t *testing.T) {
	draw := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		name    string
		pending int
		by      func(i int) int64 // how far after the clock the i-th push lies
		most    float64           // moves a push
	}{
		{"all of one instant", 10_000, func(int) int64 { return 0 }, 1.5},
		{"all of one instant, as many as are sorted", sortMost, func(int) int64 { return 0 }, 1.5},
		{"all of one instant, one more than may be near", nearMost + 1, func(int) int64 { return 0 }, 1.5},
		{"all of one instant, as many as fit into a block", blockLen, func(int) int64 { return 0 }, 1.5},
		{"a few instants", 10_000, func(i int) int64 { return int64(i % 4) }, 1.5},
		{"ever further apart", 1_000, func(i int) int64 { return 1 << (i % 48) }, 2},
		{"just before that", 1_000, func(i int) int64 { return 1<<(i%48) - 1 }, 2},
		{"before all that is pending", 10_000, func(int) int64 { return 1 }, 1.5},
		{"before all, then far", 1_000, func(i int) int64 { return int64(i%2) << 40 }, 2},
		{"bursts at the head", 1_000, func(i int) int64 { return int64(1000 - i%1000) }, 3.5},
		{"exponential", 10_000, func(int) int64 { return int64(draw.ExpFloat64() * 60e6) }, 4},
	} {
		q := New(0)
		for i := range c.pending {
			q.Push(1<<20+c.by(i), 0)
		}
		const pushes = 200_000
		q.moved = 0
		pushed := 0
		for pushed < pushes {
			x, _ := q.Pop()
			if x.At > math.MaxInt64/2 {
				t.Fatalf("%s: the times have ended", c.name)
			}
			// Alone, in pairs and in crowds, with the pops to make up for it: what is near fills up and empties again.
			crowd := 1 + pushed%7*pushed%40
			for range crowd {
				q.Push(x.At+c.by(pushed), 0)
				pushed++
			}
			for range crowd - 1 {
				q.Pop()
			}
		}
		if got := float64(q.moved) / float64(pushed); got > c.most {
			t.Errorf("%s: %.2f moves a push, want at most %v", c.name, got, c.most)
		} else {
			t.Logf("%s: %.2f moves a push", c.name, got)
		}
	}
}
