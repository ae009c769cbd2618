package sim

// bucket is a client's rate limit: a token bucket as client-go has it, one for
// each controller. Requests are served in the order in which they ask.
type bucket struct {
	perToken int64 // microseconds a token takes to come back; 0 means no limit
	burst    int64
	// next is the instant at which the bucket would be empty-handed no more if
	// it had been drained to zero: tokens at t = min(burst, (t-next)/perToken).
	next int64
}

func newBucket(qps float64, burst int) bucket {
	if qps <= 0 {
		return bucket{}
	}
	const longest = 1e12 // eleven days a token
	b := bucket{perToken: int64(min(1e6/qps, longest)), burst: int64(burst)}
	b.next = -b.burst * b.perToken
	return b
}

// take reserves n tokens at time now and returns how long the caller must wait for them.
func (b *bucket) take(now, n int64) int64 {
	if b.perToken == 0 {
		return 0
	}
	b.next = max(b.next, now-b.burst*b.perToken) + n*b.perToken
	return max(0, b.next-now)
}
