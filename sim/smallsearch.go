package sim

import (
	"math"
	"math/bits"
)

// The search in a small cluster, which kube-scheduler scores whole: the exhaustive search of scheduler.go over the points
// that a node's room gives it, which change with the node and are kept, for pods without constraints of their own.

// roomPoints are the points of the nodes for pods of a shape, and how far they have followed the changes of nodes.
type roomPoints struct {
	points []uint8 // see run.points
	seen   int     // position in run.changes, counted from the start of the run
}

// searchesSmall reports whether searchSmall serves for the workload's pods now.
func (r *run) searchesSmall(s *shape, spec *workloadSpec) bool {
	return int(r.present) <= allNodesUpTo && spec.con == nil && spec.volume == 0 && !s.prefers && len(r.nominee) == 0 &&
		r.zones() <= maxZones && !r.opts.plainSearch
}

// searchSmall is choose for them: the same candidates, scores and choice among the best as search, score and best.
func (r *run) searchSmall(spec *workloadSpec, pd *pod) int32 {
	points := r.roomPoints(spec.shape)
	zones := r.takersOf(points)
	if len(r.candidates) == 0 {
		return none
	}
	if spec.spreads {
		r.spreadSmall(spec, zones)
	} else {
		r.scores = append(r.scores[:0], make([]int64, len(r.candidates))...)
	}
	top, ties := int64(-1), r.ties[:0]
	for i, n := range r.candidates {
		total := r.scores[i] + int64(points[n])
		if total > top {
			top, ties = total, ties[:0]
		}
		if total == top {
			ties = append(ties, n)
		}
	}
	r.ties = ties
	if len(ties) == 1 {
		return ties[0]
	}
	return ties[hash(r.seed, forTie, uint64(pd.slot), r.attempt(pd))%uint64(len(ties))]
}

// roomPoints are the points of the nodes for pods of the shape.
func (r *run) roomPoints(si int32) []uint8 {
	x, s := &r.small[si], &r.w.shapes[si]
	end := r.changesBase + len(r.changes)
	if x.points == nil || x.seen < r.changesBase || end-x.seen > len(r.nodes) {
		if x.points == nil {
			x.points = make([]uint8, len(r.nodes))
		}
		for n := range x.points {
			x.points[n] = r.points(int32(n), s)
		}
	} else {
		for _, n := range r.changes[x.seen-r.changesBase:] {
			x.points[n] = r.points(n, s)
		}
	}
	x.seen = end
	r.trimChanges()
	return x.points
}

// takersOf collects the nodes that have points, round robin, and tells their zones.
func (r *run) takersOf(points []uint8) (zones zoneSet) {
	zoneOf := r.w.zoneOf
	r.candidates = r.candidates[:0]
	at := r.nextNode
	for range points {
		n := at
		if at++; at == len(points) {
			at = 0
		}
		if points[n] == 0 {
			continue
		}
		r.candidates = append(r.candidates, int32(n))
		zones |= 1 << zoneOf[n]
		if len(r.candidates) == int(r.present) {
			break
		}
	}
	r.nextNode = at
	return zones
}

// spreadSmall fills r.scores with what default spreading gives the candidates, which span the zones.
func (r *run) spreadSmall(spec *workloadSpec, zones zoneSet) {
	noZone := r.zones() - 1
	t := &r.ownSpread
	if in := bits.OnesCount32(uint32(zones &^ (1 << noZone))); t.counted != len(r.candidates) || t.zones != in {
		*t = ownSpread{counted: len(r.candidates), zones: in}
	}
	r.walkOwn(spec)
	byNode, byZone := r.defaultMarks[0].at, r.counts[r.w.ownByZone]
	if spec.hostCount != none {
		byNode, byZone = r.counts[spec.hostCount], r.counts[spec.hostCount+1]
	}
	r.scores = r.scores[:0]
	lo, hi := int64(math.MaxInt64), int64(0)
	for _, n := range r.candidates {
		inZone := int32(0)
		if z := int(r.w.zoneOf[n]); z < noZone {
			inZone = byZone[z] + 1
		}
		raw := r.knownOwn(byNode[n], inZone)
		lo, hi = min(lo, raw), max(hi, raw)
		r.scores = append(r.scores, raw)
	}
	for i, raw := range r.scores {
		r.scores[i] = stretched(raw, lo, hi, true)
	}
}
