package sim

import (
	"math"

	"upsim/model"
)

// slowImages is a fault by which pods start more slowly: a registry that is
// overloaded or far away, a mirror that is down.
type slowImages struct {
	fault      *model.Fault
	number     int
	on         []bool // by node: it is meant
	thousandth int64  // the factor
}

func (r *run) beginSlowImages(i int, f *model.Fault) {
	s := slowImages{fault: f, number: i, thousandth: int64(math.Round(f.Factor * 1000)), on: make([]bool, len(r.nodes))}
	for n := range s.on {
		s.on[n] = r.w.meansNode(f, int32(n))
	}
	r.slow = append(r.slow, s)
}

// slowed is how long a pod takes to start on the node from that instant on, instead of the time that it would take.
// Several faults at once multiply.
func (r *run) slowed(n int32, from, takes int64) int64 {
	for i := range r.slow {
		s := &r.slow[i]
		if !s.on[n] || !lasts(s.fault, from) {
			continue
		}
		r.hit[s.number] = true
		if takes/1000 >= horizon/s.thousandth {
			return horizon
		}
		takes = takes/1000*s.thousandth + takes%1000*s.thousandth/1000
	}
	return takes
}
