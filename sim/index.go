package sim

import (
	"math/bits"
	"slices"
)

// The index by shape: for each node a byte with what NodeResourcesFit and
// BalancedAllocation give it for a pod of the shape, and for each such number of
// points the set of the nodes that have it. A search over the scheduler's window
// then counts bits, 64 nodes at once, from the most points down, and a change
// moves one bit; only the few nodes in the window that hold pods of the same
// workload are worked out one by one. It finds the same node as the exhaustive
// search of scheduler.go, which small clusters use and which constraints that it does not cover fall back to.

// shapeIndex is the byte for each node, the sets, and how far they have followed the changes of nodes.
type shapeIndex struct {
	points []uint8 // 1 and the node's points; 0 where it does not take the pod
	fits   nodeSet // the nodes that take it
	with   [pointsMost + 1]*pointSet
	occurs [(pointsMost + wordBits) / wordBits]uint64 // the numbers of points that some node has
	seen   int                                        // position in run.changes, counted from the start of the run
}

// pointSet are the nodes with some number of points.
type pointSet struct {
	nodes nodeSet
	words nodeSet // the words of nodes that are not zero
	size  int
}

// nodeSet has a bit for each node, or whatever else is numbered.
type nodeSet []uint64

const (
	wordBits   = 64
	pointsMost = 1 + (weightFit+weightBalanced)*maxScore
	maxZones   = 16
)

func newNodeSet(n int) nodeSet { return make(nodeSet, (n+wordBits-1)/wordBits) }

func (s nodeSet) add(n int32)      { s[n/wordBits] |= 1 << (n % wordBits) }
func (s nodeSet) remove(n int32)   { s[n/wordBits] &^= 1 << (n % wordBits) }
func (s nodeSet) has(n int32) bool { return s[n/wordBits]>>(n%wordBits)&1 != 0 }

// nthBit is the place of the n-th bit of x that is set, counted from 0.
func nthBit(x uint64, n int) int {
	at := 0
	for half := wordBits / 2; half > 0; half /= 2 {
		if k := bits.OnesCount64(x & (1<<half - 1)); k <= n {
			n -= k
			x >>= half
			at += half
		}
	}
	return at
}

// nodeChanged notes that a node's room, taints or flags have changed.
func (r *run) nodeChanged(n int32) { r.changes = append(r.changes, n) }

// indexable reports whether the index covers what the workload's pods ask for.
func (r *run) indexable(s *shape, spec *workloadSpec) bool {
	if r.opts.plainSearch || len(r.nominee) > 0 || int(r.present) <= allNodesUpTo && !r.opts.forceIndex || s.prefers || spec.volume != 0 || len(r.w.topo[topoZone].domains) >= maxZones {
		return false
	}
	con := spec.con
	if con == nil {
		return !spec.spreads || spec.hostCount == none
	}
	return len(con.prefer) == 0 && len(con.attract) == 0 && (!spec.spreads || len(con.soft) > 0 || spec.hostCount == none) &&
		near(r.w, con.hard) && near(r.w, con.soft) && near(r.w, con.avoid)
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
	if len(x.points) != len(r.nodes) || x.seen < r.changesBase || end-x.seen > len(r.nodes) {
		x.build(r, s)
	} else {
		for _, n := range r.changes[x.seen-r.changesBase:] {
			x.set(n, r.points(n, s))
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
	if len(x.points) != len(r.nodes) {
		x.points, x.fits = make([]uint8, len(r.nodes)), newNodeSet(len(r.nodes))
	}
	for n := range x.points {
		x.set(int32(n), r.points(int32(n), s))
	}
}

// set gives a node its points.
func (x *shapeIndex) set(n int32, p uint8) {
	old := x.points[n]
	if p == old {
		return
	}
	x.points[n] = p
	if old != 0 {
		k := x.with[old]
		if k.nodes.remove(n); k.nodes[n/wordBits] == 0 {
			k.words.remove(n / wordBits)
		}
		if k.size--; k.size == 0 {
			x.occurs[old/wordBits] &^= 1 << (old % wordBits)
		}
	}
	if p == 0 {
		x.fits.remove(n)
		return
	}
	x.fits.add(n)
	k := x.with[p]
	if k == nil {
		words := len(x.fits)
		k = &pointSet{nodes: make(nodeSet, words), words: newNodeSet(words)}
		x.with[p] = k
	}
	k.nodes.add(n)
	k.words.add(n / wordBits)
	k.size++
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
