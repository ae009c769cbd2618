package sim

import (
	"math"
	"math/bits"
)

// The search in a small cluster, which kube-scheduler scores whole: the exhaustive search of scheduler.go over the points
// that a node's room gives it, which change with the node and are kept, for pods without constraints of their own.

// smallSearch is what it keeps of a run.
type smallSearch struct {
	r          *run
	rooms      []roomPoints // by shape
	candidates []int32
	scores     []int64 // that spreading gives the candidates
	ties       []int32 // candidates with the highest total
}

// roomPoints are the points of the nodes for pods of a shape, and how far they have followed the changes of nodes.
type roomPoints struct {
	points []uint8 // see run.points
	seen   int     // position in run.changes, counted from the start of the run
}

func newSmallSearch(r *run) *smallSearch {
	return &smallSearch{r: r, rooms: make([]roomPoints, len(r.w.shapes))}
}

// serves reports whether the search serves for the workload's pods now.
func (x *smallSearch) serves(spec *workloadSpec) bool {
	r := x.r
	return int(r.present) <= allNodesUpTo && spec.kind != daemonSet && spec.kind != staticPod && spec.con == nil && spec.volume == 0 &&
		!r.w.shapes[spec.shape].prefers && len(r.nominee) == 0 && r.zones() <= maxZones
}

// choose is run.choose for a pod of a workload that it serves for: the same candidates, scores and choice among the best.
func (x *smallSearch) choose(spec *workloadSpec, pd *pod) int32 {
	points := x.follow(spec.shape)
	zones := x.collect(points)
	if len(x.candidates) == 0 {
		return none
	}
	x.scores = append(x.scores[:0], make([]int64, len(x.candidates))...)
	if spec.spreads {
		x.spread(spec, zones)
	}
	top := int64(-1)
	x.ties = x.ties[:0]
	for i, n := range x.candidates {
		total := x.scores[i] + int64(points[n])
		if total > top {
			top, x.ties = total, x.ties[:0]
		}
		if total == top {
			x.ties = append(x.ties, n)
		}
	}
	if len(x.ties) == 1 {
		return x.ties[0]
	}
	return x.ties[hash(x.r.seed, forTie, uint64(pd.slot), uint64(pd.attempt))%uint64(len(x.ties))]
}

// follow gives the points of the nodes for pods of the shape, as the nodes are now.
func (x *smallSearch) follow(si int32) []uint8 {
	r, room, s := x.r, &x.rooms[si], &x.r.w.shapes[si]
	end := r.changesBase + len(r.changes)
	if room.points == nil || room.seen < r.changesBase || end-room.seen > len(r.nodes) {
		if room.points == nil {
			room.points = make([]uint8, len(r.nodes))
		}
		for n := range room.points {
			room.points[n] = r.points(int32(n), s)
		}
	} else {
		for _, n := range r.changes[room.seen-r.changesBase:] {
			room.points[n] = r.points(n, s)
		}
	}
	room.seen = end
	return room.points
}

// collect makes the nodes that have points the candidates, round robin, and tells their zones.
func (x *smallSearch) collect(points []uint8) (zones zoneSet) {
	r := x.r
	x.candidates = x.candidates[:0]
	at := r.nextNode
	for range points {
		n := at
		if at++; at == len(points) {
			at = 0
		}
		if points[n] == 0 {
			continue
		}
		x.candidates = append(x.candidates, int32(n))
		zones |= 1 << r.w.zoneOf[n]
		if len(x.candidates) == int(r.present) {
			break
		}
	}
	r.nextNode = at
	return zones
}

// spread fills the scores with what default spreading gives the candidates, which span the zones.
func (x *smallSearch) spread(spec *workloadSpec, zones zoneSet) {
	r := x.r
	noZone := r.zones() - 1
	r.ownSpread.begin(len(x.candidates), bits.OnesCount32(uint32(zones&^(1<<noZone))))
	r.walkOwn(spec)
	byNode, byZone := r.defaultMarks[0].at, r.counts[r.w.ownByZone]
	if spec.hostCount != none {
		byNode, byZone = r.counts[spec.hostCount], r.counts[spec.hostCount+1]
	}
	lo, hi := int64(math.MaxInt64), int64(0)
	for i, n := range x.candidates {
		inZone := int32(0) // and 1, of a node with a zone
		if z := int(r.w.zoneOf[n]); z < noZone {
			inZone = byZone[z] + 1
		}
		raw := r.rawOwn(byNode[n], inZone)
		lo, hi = min(lo, raw), max(hi, raw)
		x.scores[i] = raw
	}
	for i, raw := range x.scores {
		x.scores[i] = stretched(raw, lo, hi, true)
	}
}
