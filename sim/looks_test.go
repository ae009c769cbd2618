package sim

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// waitingDrain is a drain whose accepted evictions have a random first look each, some of them at one instant, and whose pods go a random time
// after it.
func waitingDrain(rng *rand.Rand) *run {
	r := &run{w: &World{latencies: latencies{deletionPoll: 1_000_000}}, drains: make([]drain, 1)}
	d := &r.drains[0]
	qps := []float64{0, 2, 5, 50}[rng.IntN(4)]
	d.limit = newBucket(qps, 1+rng.IntN(20))
	pods, apart, stops := 1+rng.IntN(40), 1+rng.Int64N(200_000), rng.Int64N(9_000_000)
	for c := range pods {
		at := rng.Int64N(20) * apart
		d.limit.take(at, 1) // its eviction
		r.claims = append(r.claims, claim{state: claimAccepted, gone: at + rng.Int64N(stops+1)})
		d.startPolls(int32(c), at)
	}
	if rng.IntN(2) == 0 {
		r.advancePolls(0, rng.Int64N(2_000_000)) // another eviction
	}
	return r
}

// TestPodsFoundAtOnce works out the looks of random drains to the end in one step, which lets go of pods that their first look finds gone as
// it comes to them, and as advancePolls does for any other instant.
func TestPodsFoundAtOnce(t *testing.T) {
	atOnce := 0
	for seed := range uint64(3000) {
		quick, slow := waitingDrain(rand.New(rand.NewPCG(seed, 1))), waitingDrain(rand.New(rand.NewPCG(seed, 1)))
		before := len(quick.freeClaims)
		quick.foundAtOnce(&quick.drains[0])
		atOnce += len(quick.freeClaims) - before
		quick.advancePolls(0, never)
		slow.advancePolls(0, never-1)
		if a, b := quick.drains[0].endAt, slow.drains[0].endAt; a != b || a == 0 {
			t.Fatalf("seed %d: all are found gone at %d, and look by look at %d", seed, a, b)
		}
		if !reflect.DeepEqual(quick.freeClaims, slow.freeClaims) || len(slow.freeClaims) != len(slow.claims) {
			t.Fatalf("seed %d: let go of in the order %v, look by look %v", seed, quick.freeClaims, slow.freeClaims)
		}
	}
	if atOnce < 3000 {
		t.Errorf("only %d pods were found gone at once", atOnce)
	}
}
