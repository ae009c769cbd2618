package sim

import "slices"

// The index by shape: one byte a node with what NodeResourcesFit and
// BalancedAllocation give it for a pod of the shape, so that a search over the
// scheduler's window reads bytes in order and works out the rest only for the
// few nodes that hold pods of the same workload. It finds the same node as the
// exhaustive search of scheduler.go, which small clusters use and which
// constraints that it does not cover fall back to.

// shapeIndex is the byte for each node, a summary of each block of nodes, and
// how far both have followed the changes of nodes.
type shapeIndex struct {
	points []uint8
	// By block, then zone: how many nodes take the pod, the most points among
	// them, and how many have just that many.
	counts, most, ties []uint8
	seen               int // position in run.changes, counted from the start of the run
}

// blockSize is the number of nodes that a summary covers: a window of five
// hundred is sixteen blocks, and a change of one node reads its block again.
const blockSize = 32

const (
	pointsOut    = 255 // the node does not take the pod
	pointsMarked = 254 // it does, and holds pods that constraints count: looked at by itself
	maxZones     = 16
)

// nodeChanged notes that a node's room, taints or flags have changed.
func (r *run) nodeChanged(n int32) { r.changes = append(r.changes, n) }

// indexable reports whether the index covers what the workload's pods ask for.
func (r *run) indexable(s *shape, spec *workloadSpec) bool {
	if r.opts.plainSearch || len(r.nominee) > 0 || int(r.present) <= allNodesUpTo && !r.opts.forceIndex || s.prefers || spec.volume != 0 || len(r.w.topo[topoZone].domains) >= maxZones {
		return false
	}
	con := spec.con
	if con == nil {
		return true
	}
	return len(con.prefer) == 0 && len(con.attract) == 0 && near(con.hard) && near(con.soft) && near(con.avoid)
}

// near reports whether all terms are on the hostname or the zone.
func near[T interface{ topology() int32 }](terms []T) bool {
	return !slices.ContainsFunc(terms, func(t T) bool { return t.topology() > topoZone })
}

func (t spreadTerm) topology() int32 { return t.topo }
func (t podTerm) topology() int32    { return t.topo }

// indexOf is the shape's index, brought up to date with the nodes.
func (r *run) indexOf(si int32) *shapeIndex {
	x := &r.indexes[si]
	s := &r.w.shapes[si]
	end := r.changesBase + len(r.changes)
	if len(x.points) != len(r.nodes) || x.seen < r.changesBase || end-x.seen > len(r.nodes) {
		x.build(r, s)
	} else {
		for _, n := range r.changes[x.seen-r.changesBase:] {
			if p := r.points(n, s); p != x.points[n] {
				x.points[n] = p
				x.sumUp(r.w.zoneOf, r.zones(), int(n)/blockSize)
			}
		}
	}
	x.seen = end
	if len(r.changes) > 4*len(r.nodes)+1024 {
		r.changesBase = end
		r.changes = r.changes[:0]
	}
	return x
}

// zones is the number of kinds of nodes by zone: the zones, and those without one.
func (r *run) zones() int { return len(r.w.topo[topoZone].domains) + 1 }

func (x *shapeIndex) build(r *run, s *shape) {
	blocks := (len(r.nodes) + blockSize - 1) / blockSize
	if len(x.points) != len(r.nodes) {
		x.points = make([]uint8, len(r.nodes))
		x.counts, x.most, x.ties = make([]uint8, blocks*r.zones()), make([]uint8, blocks*r.zones()), make([]uint8, blocks*r.zones())
	}
	for n := range x.points {
		x.points[n] = r.points(int32(n), s)
	}
	for b := range blocks {
		x.sumUp(r.w.zoneOf, r.zones(), b)
	}
}

// sumUp reads a block again for its summary.
func (x *shapeIndex) sumUp(zone []uint16, zones, block int) {
	at := block * zones
	clear(x.counts[at : at+zones])
	clear(x.most[at : at+zones])
	clear(x.ties[at : at+zones])
	for i := block * blockSize; i < min((block+1)*blockSize, len(x.points)); i++ {
		if p := x.points[i]; p < pointsMarked {
			z := at + int(zone[i])
			x.counts[z]++
			if x.counts[z] == 1 || p > x.most[z] {
				x.most[z], x.ties[z] = p, 0
			}
			if p == x.most[z] {
				x.ties[z]++
			}
		}
	}
}

// points is what a node's own room gives it, or pointsOut.
func (r *run) points(n int32, s *shape) uint8 {
	nd := &r.nodes[n]
	if nd.flags&nodeRemoved != 0 || nd.taints&^s.tolerates != 0 ||
		nd.flags&nodeUnschedulable != 0 && s.tolerates&taintUnschedulable == 0 || !s.fit[nd.class].ok || !r.fits(n, nd, s) {
		return pointsOut
	}
	p := weightFit * leastAllocated(nd, s)
	if !s.bestEffort {
		p += weightBalanced * balanced(nd, s)
	}
	return uint8(p)
}
