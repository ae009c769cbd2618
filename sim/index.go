package sim

import (
	"math/bits"
	"slices"
)

// The index by shape: for each node a byte with what NodeResourcesFit and
// BalancedAllocation give it for a pod of the shape, and for each such number of
// points the set of the nodes that have it. A search over the scheduler's window
// then looks at bits, 64 nodes at once, from the most points down, and a change
// moves one bit; only the few nodes in the window that hold pods of the same
// workload are worked out one by one. It finds the same node as the exhaustive
// search of scheduler.go, which small clusters use and which constraints that it does not cover fall back to.

// shapeIndex is the byte for each node, the sets, and how far they have followed the changes of nodes.
type shapeIndex struct {
	points []uint8  // 1 and the node's points; 0 where it does not take the pod
	fits   nodeSet  // the nodes that take it
	inZone []uint16 // how many these are, by block and then by zone
	// sets has, for each number of points that some node had, two sets: the words of the second that are not zero, and the
	// nodes with these points. They begin at row, counted from 1; size is the number of the nodes, and occurs has the numbers that some node has.
	sets   []uint64
	row    [pointsMost + 1]int32
	size   [pointsMost + 1]int32
	occurs [(pointsMost + wordBits) / wordBits]uint64
	seen   int // position in run.changes, counted from the start of the run
}

// nodeSet has a bit for each node, or whatever else is numbered.
type nodeSet []uint64

const (
	wordBits   = 64
	pointsMost = 1 + (weightFit+weightBalanced)*maxScore
	maxZones   = 16
	blockNodes = 8 * wordBits // what inZone counts together
)

func newNodeSet(n int) nodeSet { return make(nodeSet, (n+wordBits-1)/wordBits) }

func (s nodeSet) add(n int32)      { s[n/wordBits] |= 1 << (n % wordBits) }
func (s nodeSet) remove(n int32)   { s[n/wordBits] &^= 1 << (n % wordBits) }
func (s nodeSet) has(n int32) bool { return s[n/wordBits]>>(n%wordBits)&1 != 0 }

// nthBit is the place of the n-th bit of x that is set, counted from 0. Each byte of sums has the number of bits
// up to its end, and each of those that are not above n marks a byte to pass.
func nthBit(x uint64, n int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	sums := x - x>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	sums = (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f * ones
	at := bits.OnesCount64((uint64(n)*ones|tops-sums)&tops) * 8
	rest := x >> at
	for n -= int(sums << 8 >> at & 0xff); n > 0; n-- {
		rest &= rest - 1
	}
	return at + bits.TrailingZeros64(rest)
}

// nodeChanged notes that a node's room, taints or flags have changed.
func (r *run) nodeChanged(n int32) { r.changes = append(r.changes, n) }

// indexable reports whether the index serves for the workload's pods now.
func (r *run) indexable(spec *workloadSpec) bool {
	return spec.indexed && len(r.nominee) == 0 && (int(r.present) > allNodesUpTo || r.opts.forceIndex) && !r.opts.plainSearch
}

// indexed reports whether the index covers what the workload's pods ask for.
func (w *World) indexed(spec *workloadSpec) bool {
	if w.shapes[spec.shape].prefers || spec.volume != 0 || len(w.topo[topoZone].domains) >= maxZones {
		return false
	}
	con := spec.con
	if con == nil {
		return !spec.spreads || spec.hostCount == none
	}
	return len(con.prefer) == 0 && len(con.attract) == 0 && (!spec.spreads || len(con.soft) > 0 || spec.hostCount == none) &&
		near(w, con.hard) && near(w, con.soft) && near(w, con.avoid)
}

// near reports whether all terms are on the zone, or on the hostname for few pods: with many of them most nodes would be special.
func near[T interface{ counts() (topo, counter int32) }](w *World, terms []T) bool {
	return !slices.ContainsFunc(terms, func(t T) bool {
		topo, counter := t.counts()
		return topo > topoZone || topo == topoHost && !w.counters[counter].walked
	})
}

func (t spreadTerm) counts() (topo, counter int32) { return t.topo, t.counter }
func (t podTerm) counts() (topo, counter int32)    { return t.topo, t.counter }

// indexOf is the shape's index, brought up to date with the nodes.
func (r *run) indexOf(si int32) *shapeIndex {
	x := &r.indexes[si]
	s := &r.w.shapes[si]
	end := r.changesBase + len(r.changes)
	if x.points == nil || x.seen < r.changesBase || end-x.seen > len(r.nodes) {
		x.build(r, s)
	} else {
		for _, n := range r.changes[x.seen-r.changesBase:] {
			x.set(n, r.points(n, s), r.w)
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
	if n := len(r.nodes); x.points == nil {
		x.points, x.fits, x.inZone = make([]uint8, n), newNodeSet(n), make([]uint16, (n+blockNodes-1)/blockNodes*r.w.zonesIndexed)
	}
	for n := range x.points {
		x.set(int32(n), r.points(int32(n), s), r.w)
	}
}

// with are the nodes that have so many points, of which there must have been some, and before them the words of that set that are not zero.
func (x *shapeIndex) with(points uint8) (words, nodes nodeSet) {
	size := len(x.fits)
	summary := (size + wordBits - 1) / wordBits
	set := nodeSet(x.sets[x.row[points]-1:])
	return set[:summary], set[summary:][:size]
}

// set gives a node its points.
func (x *shapeIndex) set(n int32, p uint8, w *World) {
	old := x.points[n]
	if p == old {
		return
	}
	x.points[n] = p
	if at := int(n/blockNodes)*w.zonesIndexed + int(w.zoneOf[n]); old == 0 {
		x.fits.add(n)
		x.inZone[at]++
	} else if p == 0 {
		x.fits.remove(n)
		x.inZone[at]--
	}
	if old != 0 {
		words, nodes := x.with(old)
		if nodes.remove(n); nodes[n/wordBits] == 0 {
			words.remove(n / wordBits)
		}
		if x.size[old]--; x.size[old] == 0 {
			x.occurs[old/wordBits] &^= 1 << (old % wordBits)
		}
	}
	if p == 0 {
		return
	}
	if x.row[p] == 0 {
		x.row[p] = int32(len(x.sets)) + 1
		x.sets = append(x.sets, make([]uint64, len(x.fits)+(len(x.fits)+wordBits-1)/wordBits)...)
	}
	words, nodes := x.with(p)
	nodes.add(n)
	words.add(n / wordBits)
	x.size[p]++
	x.occurs[p/wordBits] |= 1 << (p % wordBits)
}

// points is 1 and what a node's own room gives it, or 0 where it does not take the pod.
func (r *run) points(n int32, s *shape) uint8 {
	nd := &r.nodes[n]
	if nd.flags&nodeRemoved != 0 || nd.taints&^s.tolerates != 0 ||
		nd.flags&nodeUnschedulable != 0 && s.tolerates&taintUnschedulable == 0 || !s.fit[nd.class].ok || !r.fits(n, nd, s) {
		return 0
	}
	p := weightFit * leastAllocated(nd, s)
	if !s.bestEffort {
		p += weightBalanced * balanced(nd, s)
	}
	return uint8(1 + p)
}
