package sim

import (
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
	x := seed ^ uint64(why)*0x9e3779b97f4a7c15
	x = mix(x, subject+0xbf58476d1ce4e5b9)
	return mix(x, attempt+0x94d049bb133111eb)
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return hi ^ lo
}

// uniform maps 64 bits to the open interval (0,1).
func uniform(h uint64) float64 { return (float64(h>>11) + 0.5) / (1 << 53) }

// sampler draws from a distribution in microseconds. The latencies of control
// plane components are drawn many times a pod, so they come from a table of
// quantiles; times that a user gave (exact) keep their full tail.
type sampler struct {
	constant int64
	exact    func(u float64) time.Duration
	table    *[tableSize + 1]int64 // its last entry is there twice
}

const tableSize = 1024

func newSampler(d model.Dist) sampler {
	if d.Kind == model.Constant || d.Kind == "" {
		return sampler{constant: d.Value.Microseconds()}
	}
	for i := range defaultTables {
		if k := &defaultTables[i]; k.dist.Equal(d) {
			return sampler{table: k.table()}
		}
	}
	return sampler{table: tableOf(d)}
}

func tableOf(d model.Dist) *[tableSize + 1]int64 {
	t := new([tableSize + 1]int64)
	inverse := d.Inverse()
	for i := range tableSize {
		t[i] = inverse((float64(i) + 0.5) / tableSize).Microseconds()
	}
	t[tableSize] = t[tableSize-1]
	return t
}

// defaultTables are those of the default assumptions, each worked out at its first use: they
// would take half the time of compiling a small scenario that keeps the defaults.
var defaultTables = func() (list []defaultTable) {
	a := model.DefaultAssumptions()
	for _, n := range a.Numbers() {
		if n.Time != nil {
			d := *n.Time
			list = append(list, defaultTable{d, sync.OnceValue(func() *[tableSize + 1]int64 { return tableOf(d) })})
		}
	}
	return list
}()

type defaultTable struct {
	dist  model.Dist
	table func() *[tableSize + 1]int64
}

func newExactSampler(d model.Dist) sampler {
	if d.Kind == model.Constant || d.Kind == "" {
		return sampler{constant: d.Value.Microseconds()}
	}
	return sampler{exact: d.Inverse()}
}

// at is the draw for the hashed bits h.
func (s *sampler) at(h uint64) int64 {
	switch {
	case s.table != nil:
		return s.between(h)
	case s.exact != nil:
		return s.exact(uniform(h)).Microseconds()
	}
	return s.constant
}

// between is the draw from a table, between two of its quantiles.
func (s *sampler) between(h uint64) int64 {
	i := h >> 54
	lo := s.table[i]
	return lo + int64(uint64(s.table[i+1]-lo)*(h>>22&0xffffffff)>>32)
}

// varies reports whether draws differ.
func (s *sampler) varies() bool { return s.table != nil || s.exact != nil }

// median is the draw in the middle.
func (s *sampler) median() int64 { return s.at(1 << 63) }

// draw is a time for a subject's attempt; of no sampler it is 0.
func (r *run) draw(s *sampler, why purpose, subject, attempt uint64) int64 {
	switch {
	case s == nil:
		return 0
	case s.table != nil:
		return s.between(hash(r.seed, why, subject, attempt))
	case s.exact == nil:
		return s.constant
	}
	return s.at(hash(r.seed, why, subject, attempt))
}
