package sim

import (
	"testing"
	"time"

	"upsim/model"
)

// TestLongLatenciesAreDrawnAlike draws from a distribution that a narrow table holds, and from the same one a thousand times as long,
// which none does.
func TestLongLatenciesAreDrawnAlike(t *testing.T) {
	short := newLatency(model.LogNormalDist(4*time.Second, 9*time.Second))
	long := newLatency(model.LogNormalDist(4000*time.Second, 9000*time.Second))
	if short.table == nil || long.wide == nil || !short.varies() || !long.varies() {
		t.Fatal("the short one should have a narrow table, the long one a wide one")
	}
	const rounded = 2000 // what a thousand times the microseconds below one make up at both ends
	close := func(what string, a, b int64) {
		if diff := b - 1000*a; diff < -rounded || diff > rounded {
			t.Errorf("%s: %d of the short one, %d of the long one", what, a, b)
		}
	}
	close("median", short.median, long.median)
	var least, most int64 = never, 0
	for i := range uint64(10_000) {
		a, b := short.drawn(1, 2, i), long.drawn(1, 2, i)
		close("draw", a, b)
		least, most = min(least, a), max(most, a)
	}
	if least > 2_000_000 || most < 9_000_000 {
		t.Errorf("draws lie between %d and %d, want them below 2 s and above 9 s too", least, most)
	}
}
