package sim

import (
	"math"
	"math/bits"
	"sync"
	"time"

	"upsim/model"
)

// purpose tells draws for one subject apart. Chance is a hash of (seed,
// purpose, subject, attempt) and not a stream: two strategies meet the same slow
// pod, and a new kind of draw does not shift the others.
type purpose uint64

const (
	forStartup purpose = iota + 1
	forShutdown
	forNodeUpgrade
	forController
	forScheduler
	forTie
	forRequest
	forWrite
	forDeletionLag
	forTaint
	forKubectl
	forConflict
	forBudgetSync
	forNodeFault
	forAttach
	forDetach
	forControlPlane
	forKubeletStart
	forNodeOrder
	forNewNode
	forNodeFailure
	forCatchUp
	forCertificate
	forConnection
	forAnswer
	forHeartbeat
	forMonitor
	forJob
	forKubeletStop
	forNodeReport
)

// hash mixes its arguments into 64 well-spread bits.
func hash(seed uint64, why purpose, subject, attempt uint64) uint64 {
	return hashSalted(seed^why.salt(), subject, attempt)
}

// salt is what a purpose does to the seed.
func (why purpose) salt() uint64 { return uint64(why) * 0x9e3779b97f4a7c15 }

func hashSalted(x, subject, attempt uint64) uint64 {
	x = mix(x, subject+0xbf58476d1ce4e5b9)
	return mix(x, attempt+0x94d049bb133111eb)
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return hi ^ lo
}

// uniform maps 64 bits to the open interval (0,1).
func uniform(h uint64) float64 { return (float64(h>>11) + 0.5) / (1 << 53) }

// latency is how long a component of the cluster takes, in microseconds. It is drawn many times a pod, and so from a table of
// quantiles, which has its last entry twice. The tables of all latencies together fit into a processor's nearest cache.
type latency struct {
	table    *[tableSize + 1]uint32 // nil where a draw may not fit
	wide     *[tableSize + 1]int64  // in its place then
	constant int64                  // without a table
	median   int64                  // the draw in the middle
}

const tableSize = 1024

func newLatency(d model.Dist) latency {
	if d.Kind == model.Constant || d.Kind == "" {
		always := d.Value.Microseconds()
		return latency{constant: always, median: always}
	}
	for i := range defaultLatencies {
		if k := &defaultLatencies[i]; k.dist.Equal(d) {
			return k.latency()
		}
	}
	return tabulated(d)
}

func tabulated(d model.Dist) latency {
	wide := new([tableSize + 1]int64)
	inverse := d.Inverse()
	for i := range tableSize {
		wide[i] = inverse((float64(i) + 0.5) / tableSize).Microseconds()
	}
	wide[tableSize] = wide[tableSize-1]
	if wide[tableSize] > math.MaxUint32 { // an hour
		return latency{wide: wide, median: wide[tableSize/2]}
	}
	table := new([tableSize + 1]uint32)
	for i, q := range wide {
		table[i] = uint32(q)
	}
	return latency{table: table, median: wide[tableSize/2]}
}

// defaultLatencies are those of the default assumptions, each worked out at its first use: they
// would take half the time of compiling a small scenario that keeps the defaults.
var defaultLatencies = func() (list []defaultLatency) {
	a := model.DefaultAssumptions()
	for _, n := range a.Numbers() {
		if n.Time != nil {
			d := *n.Time
			list = append(list, defaultLatency{d, sync.OnceValue(func() latency { return tabulated(d) })})
		}
	}
	return list
}()

type defaultLatency struct {
	dist    model.Dist
	latency func() latency
}

// varies reports whether draws differ.
func (l *latency) varies() bool { return l.table != nil || l.wide != nil }

// draw is a latency for a subject's attempt. What its callers know of the hash is worked out in them when they are compiled, and the
// rest calls nothing, so that the many draws need no frames on the stack.
func (r *run) draw(l *latency, why purpose, subject, attempt uint64) int64 {
	return l.drawn(r.seed^why.salt(), subject, attempt)
}

func (l *latency) drawn(salted, subject, attempt uint64) int64 {
	h := hashSalted(salted, subject, attempt)
	i := h >> 54
	if t := l.table; t != nil {
		return between(int64(t[i]), int64(t[i+1]), h)
	}
	if t := l.wide; t != nil {
		return between(t[i], t[i+1], h)
	}
	return l.constant
}

// between goes from lo as far to hi as the hashed bits say that are below those that chose the two.
func between(lo, hi int64, h uint64) int64 {
	return lo + int64(uint64(hi-lo)*uint64(uint32(h>>22))>>32)
}

// sampler draws a time that a user gave, in microseconds, from the distribution itself: it keeps its full tail.
type sampler struct {
	constant int64
	exact    func(u float64) time.Duration // nil for a constant
	slow     bool                          // it takes long to work a quantile out
	body     *[tableSize]int64             // quantiles of a time that is drawn many times, see tabulate
}

func newSampler(d model.Dist) sampler {
	if d.Kind == model.Constant || d.Kind == "" {
		return sampler{constant: d.Value.Microseconds()}
	}
	return sampler{exact: d.Inverse(), slow: d.Kind == model.Normal || d.Kind == model.LogNormal || d.Kind == model.Exponential}
}

// drawExact is a given time for a subject's attempt.
func (r *run) drawExact(s *sampler, why purpose, subject, attempt uint64) int64 {
	if s.exact == nil {
		return s.constant
	}
	return s.drawn(r.seed^why.salt(), subject, attempt)
}

func (s *sampler) drawn(salted, subject, attempt uint64) int64 {
	return s.at(hashSalted(salted, subject, attempt))
}

// at is the draw for the hashed bits h.
func (s *sampler) at(h uint64) int64 {
	if i := h >> 54; s.body != nil && i-tailSize < tableSize-2*tailSize {
		return between(s.body[i], s.body[i+1], h)
	}
	return s.exact(uniform(h)).Microseconds()
}

// tailSize is how many of the quantiles at either end of a table are not drawn from it.
const tailSize = 8

// manyDraws are so many that a table of quantiles pays.
const manyDraws = 8 * tableSize

// tabulate has draws for so many pods go between the quantiles of a table, but for the tails, where it takes long to work them
// out and they are many. They so lie within a thousandth of what the distribution itself would give (TestTableIsClose).
func (s *sampler) tabulate(pods int) {
	if pods < manyDraws || !s.slow || s.body != nil {
		return
	}
	s.body = new([tableSize]int64)
	for i := tailSize; i < tableSize; i++ {
		s.body[i] = s.exact(float64(i) / tableSize).Microseconds()
	}
}
