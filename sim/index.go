package sim

import (
	"math/bits"
	"slices"
)

// The index by shape: for each node a byte with what NodeResourcesFit and
// BalancedAllocation give it for a pod of the shape, and for each 64 nodes and each zone the most that one of
// these has, and how many have it. A search over the scheduler's window then reads a word for each 64 nodes, whatever
// the points of the other nodes are, and a change touches
// one of them; only the few nodes in the window that hold pods of the same
// workload are worked out one by one. It finds the same node as the exhaustive
// search of scheduler.go, which small clusters use and which constraints that it does not cover fall back to.

// shapeIndex is the byte for each node, what is known of each word of nodes, and how far both have followed the changes of nodes.
type shapeIndex struct {
	points []uint8     // 1 and the node's points; 0 where it does not take the pod
	bits   []pointBits // the same by word of a nodeSet
	fits   nodeSet     // the nodes that take it; while a search lasts, without those that it has hidden
	blocks []block
	seen   int // position in run.changes, counted from the start of the run
}

// block is what is known of eight words of a nodeSet by zone: in a byte of most and of have for each, the first in the
// lowest bits, the most points that a node has there, 0 where there is none, and how many have them.
type block struct {
	most, have [maxZones]uint64
	// How many nodes take the pod, also while a search lasts: all, and by zone.
	take   uint16
	inZone [maxZones]uint16
}

// What a word holds of eight bytes.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
	even = 0x00ff00ff00ff00ff
)

// greater are the greater ones of four numbers of 16 bits each, below 1<<15, and four others, without a branch, which would be taken at random.
func greater(a, b uint64) uint64 {
	const tops = 0x8000800080008000
	least := ((a | tops) - b) & tops
	return b ^ (a^b)&(least-least>>15)
}

// highestOf is the highest byte. It looks at every other one at a time, with room for a carry.
func highestOf(x uint64) uint8 {
	x = greater(x&even, x>>8&even)
	x = greater(x, x>>32)
	return uint8(greater(x, x>>16))
}

// above finds bytes that are above a number.
type above struct{ add, either uint64 }

// newAbove adds to the lower seven bits of a byte what carries into the top one if they are above those of the number.
// Then a byte is above if it carries and has its own top bit, or, where the number has no top bit, either of them.
func newAbove(number uint8) above {
	a := above{add: uint64(^number&0x7f) * ones}
	if number < 0x80 {
		a.either = tops
	}
	return a
}

// in has the top bit of each byte of x that is above the number.
func (a above) in(x uint64) uint64 {
	carry := x&^tops + a.add
	return (carry&x | (carry|x)&a.either) & tops
}

// equalTo has the top bit of each byte of x that is a number.
func equalTo(x uint64, number uint8) uint64 {
	x ^= uint64(number) * ones
	return ^(x&^tops + ^uint64(tops) | x | ^uint64(tops))
}

// sumOf is the sum of those bytes of x of which marks has the top bit.
func sumOf(x, marks uint64) int {
	x &= marks >> 7 * 0xff
	return int((x&even + x>>8&even) * 0x0001000100010001 >> 48)
}

// pointBits are the points of the nodes of a word: the k-th has the nodes whose points have bit k.
type pointBits [8]uint64

// set changes the bits in which two numbers of points of a node differ.
func (b *pointBits) set(n uint32, change uint8) {
	at, c := n%wordBits, uint64(change)
	b[0] ^= c & 1 << at
	b[1] ^= c >> 1 & 1 << at
	b[2] ^= c >> 2 & 1 << at
	b[3] ^= c >> 3 & 1 << at
	b[4] ^= c >> 4 & 1 << at
	b[5] ^= c >> 5 & 1 << at
	b[6] ^= c >> 6 & 1 << at
	b[7] ^= c >> 7 & 1 << at
}

// highest are the most points of some nodes, and those that have them; 0 of no nodes.
func (b *pointBits) highest(nodes uint64) (points uint8, those uint64) {
	p := uint64(0)
	nodes, p = narrow(nodes, nodes&b[7], p)
	nodes, p = narrow(nodes, nodes&b[6], p)
	nodes, p = narrow(nodes, nodes&b[5], p)
	nodes, p = narrow(nodes, nodes&b[4], p)
	nodes, p = narrow(nodes, nodes&b[3], p)
	nodes, p = narrow(nodes, nodes&b[2], p)
	nodes, p = narrow(nodes, nodes&b[1], p)
	nodes, p = narrow(nodes, nodes&b[0], p)
	return uint8(p), nodes
}

// narrow are some of the nodes, if there are some, and the points with a bit behind that tells whether there are. The compiler makes
// it free of branches, which would be taken at random.
func narrow(nodes, some, points uint64) (uint64, uint64) {
	bit := uint64(0)
	if some != 0 {
		bit = 1
	}
	if some != 0 {
		nodes = some
	}
	return nodes, points<<1 | bit
}

// equal are those of some nodes that have so many points.
func (b *pointBits) equal(nodes uint64, points uint8) uint64 {
	p := uint64(points)
	other := b[0] ^ -(p & 1)
	other |= b[1] ^ -(p >> 1 & 1)
	other |= b[2] ^ -(p >> 2 & 1)
	other |= b[3] ^ -(p >> 3 & 1)
	other |= b[4] ^ -(p >> 4 & 1)
	other |= b[5] ^ -(p >> 5 & 1)
	other |= b[6] ^ -(p >> 6 & 1)
	other |= b[7] ^ -(p >> 7 & 1)
	return nodes &^ other
}

// nodeSet has a bit for each node, or whatever else is numbered.
type nodeSet []uint64

const (
	wordBits   = 64
	pointsMost = 1 + (weightFit+weightBalanced)*maxScore
	maxZones   = 16
	blockNodes = 8 * wordBits
)

func newNodeSet(n int) nodeSet { return make(nodeSet, (n+wordBits-1)/wordBits) }

func (s nodeSet) add(n int32)      { s[uint32(n)/wordBits] |= 1 << (uint32(n) % wordBits) }
func (s nodeSet) remove(n int32)   { s[uint32(n)/wordBits] &^= 1 << (uint32(n) % wordBits) }
func (s nodeSet) has(n int32) bool { return s[uint32(n)/wordBits]>>(uint32(n)%wordBits)&1 != 0 }

// nthBit is the place of the n-th bit of x that is set, counted from 0. Each byte of sums has the number of bits
// up to its end, and each of those that are not above n marks a byte to pass; then half a byte, a quarter and a bit are.
func nthBit(x uint64, n int) int {
	pairs := x - x>>1&0x5555555555555555
	fours := pairs&0x3333333333333333 + pairs>>2&0x3333333333333333
	sums := (fours + fours>>4) & 0x0f0f0f0f0f0f0f0f * ones
	at := uint(bits.OnesCount64((uint64(n)*ones|tops-sums)&tops)) * 8
	left := uint64(n) - sums<<8>>(at&63)&0xff
	left, at = pass(left, fours>>(at&63)&0xf, at, 4)
	left, at = pass(left, pairs>>(at&63)&3, at, 2)
	_, at = pass(left, x>>(at&63)&1, at, 1)
	return int(at)
}

// pass goes on behind so many places if there are not more bits in them than are left to pass, as narrow without a branch.
func pass(left, bits uint64, at, places uint) (uint64, uint) {
	next := at + places
	if left >= bits {
		at = next
	}
	if rest := left - bits; left >= bits {
		left = rest
	}
	return left, at
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
		x.points, x.fits = make([]uint8, n), newNodeSet(n)
		x.bits, x.blocks = make([]pointBits, len(x.fits)), make([]block, (n+blockNodes-1)/blockNodes)
	}
	for n := range x.points {
		x.set(int32(n), r.points(int32(n), s), r.w)
	}
}

// set gives a node its points.
func (x *shapeIndex) set(n int32, p uint8, w *World) {
	old := x.points[n]
	if p == old {
		return
	}
	x.points[n] = p
	x.bits[uint32(n)/wordBits].set(uint32(n), p^old)
	b, z := &x.blocks[uint32(n)/blockNodes], w.zoneOf[n]&(maxZones-1)
	if old == 0 {
		x.fits.add(n)
		b.take++
		b.inZone[z]++
	} else if p == 0 {
		x.fits.remove(n)
		b.take--
		b.inZone[z]--
	}
	x.rank(n, old, p, w)
}

// hide takes a node that takes the pod out of the sight of the search, and show brings it back.
func (x *shapeIndex) hide(n int32, w *World) {
	x.fits.remove(n)
	x.rank(n, x.points[n], 0, w)
}

func (x *shapeIndex) show(n int32, w *World) {
	x.fits.add(n)
	x.rank(n, 0, x.points[n], w)
}

// rank brings what is known of a node's zone in its word up to date, where its points have changed in the other fields.
func (x *shapeIndex) rank(n int32, old, p uint8, w *World) {
	word, z := uint32(n)/wordBits, w.zoneOf[n]&(maxZones-1)
	b, at := &x.blocks[word/8], word%8*8
	most := uint8(b.most[z] >> at)
	switch {
	case p > most:
		b.most[z] ^= uint64(most^p) << at
		b.have[z] = b.have[z]&^(0xff<<at) | 1<<at
	case p == most:
		b.have[z] += 1 << at
	case old == most:
		if b.have[z] -= 1 << at; uint8(b.have[z]>>at) == 0 {
			points, those := x.bits[word].highest(x.fits[word] & w.zoneWords[int(word)*w.zonesIndexed+int(z)])
			b.most[z] ^= uint64(most^points) << at
			b.have[z] |= uint64(bits.OnesCount64(those)) << at
		}
	}
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
