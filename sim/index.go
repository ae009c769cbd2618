package sim

import (
	"math/bits"
	"slices"
)

// The index by shape: for each node a byte with what NodeResourcesFit and
// BalancedAllocation give it for a pod of the shape, and for each 64 nodes and each zone the most that one of
// these has. A search over the scheduler's window then reads a word for each 64 nodes, whatever
// the points of the other nodes are, and a change touches
// one of them; only the few nodes in the window that hold pods of the same
// workload are worked out one by one. It finds the same node as the exhaustive
// search of scheduler.go, which small clusters use and which constraints that it does not cover fall back to.

// shapeIndex is the byte for each node, what is known of each word of nodes, and how far both have followed the changes of nodes.
type shapeIndex struct {
	w      *World
	points []uint8     // 1 and the node's points; 0 where it does not take the pod
	bits   []pointBits // the same by word of a nodeSet
	fits   nodeSet     // the nodes that take it; while a search lasts, without those that it has hidden
	// By zone the most points that a node has, by word and in large clusters by block, and how many nodes take the pod, by word.
	words, blocks, counts byZone
	crests                [maxZones / perLanes][][perLanes]uint64 // the nodes of a word with these points
	// How many nodes take the pod in the four words of a quad, up to the end of each, also while a search lasts: by quad, and by quad and then zone.
	take, inZone []lanes
	seen         int // position in run.changes, counted from the start of the run
}

// lanes are four numbers, below 1<<15, of zones or of the words of a quad, the first in the lowest bits.
type lanes uint64

// byZone are lanes of the first four zones, of the next, and so on.
type byZone [maxZones / perLanes][]lanes

const (
	laneBits = 16
	laneMost = 1<<(laneBits-1) - 1
	perLanes = 64 / laneBits
	each     = 0x0001000100010001 // times a number: four times that number
	tops     = each << (laneBits - 1)
)

// lanesOf is how many lanes so many zones need.
func lanesOf(zones int) int { return (zones + perLanes - 1) / perLanes }

// at is the number of a zone, of which place tells the lane.
func (x lanes) at(place uint) int { return int(x >> (place % perLanes * laneBits) & (1<<laneBits - 1)) }

// put changes a number to another.
func (x *lanes) put(place uint, from, to int) { *x ^= lanes(from^to) << (place % perLanes * laneBits) }

// reach has the top bits of those numbers that are not below those of another.
func (x lanes) reach(y lanes) lanes { return (x | tops - y) & tops }

// some has all bits of the numbers that are not 0.
func (x lanes) some() lanes { return (x + (tops - each)) & tops >> (laneBits - 1) * (1<<laneBits - 1) }

// lanesFrom are the numbers of four zones.
func lanesFrom(byZone *[maxZones]int32, k int) lanes {
	n := byZone[k&(maxZones/perLanes-1)*perLanes:][:perLanes]
	return lanes(n[0]) | lanes(n[1])<<laneBits | lanes(n[2])<<(2*laneBits) | lanes(n[3])<<(3*laneBits)
}

// greatest are the greater ones of the numbers and all others.
func (x lanes) greatest(others []lanes) lanes {
	for _, y := range others {
		x = x.greater(y)
	}
	return x
}

// highest is the highest number.
func (x lanes) highest() int {
	x = x.greater(x >> 32)
	return x.greater(x >> laneBits).at(0)
}

// greater are the greater ones of the numbers and others, without a branch, which would be taken at random.
func (x lanes) greater(y lanes) lanes {
	least := x.reach(y)
	return y ^ (x^y)&(least-least>>(laneBits-1))
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

// nodeSet has a bit for each node, or whatever else is numbered.
type nodeSet []uint64

const (
	wordBits   = 64
	pointsMost = 1 + (weightFit+weightBalanced)*maxScore
	maxZones   = 16
	perBlock   = 8   // words in a block
	blocksFrom = 256 // words: with fewer nodes windows are of about as many words as a block
	quadNodes  = perLanes * wordBits
)

func newNodeSet(n int) nodeSet { return make(nodeSet, (n+wordBits-1)/wordBits) }

func (s nodeSet) add(n int32)      { s[uint32(n)/wordBits] |= 1 << (uint32(n) % wordBits) }
func (s nodeSet) remove(n int32)   { s[uint32(n)/wordBits] &^= 1 << (uint32(n) % wordBits) }
func (s nodeSet) has(n int32) bool { return s[uint32(n)/wordBits]>>(uint32(n)%wordBits)&1 != 0 }

// nthBit is the place of the n-th bit of x that is set, counted from 0. Each byte of sums has the number of bits
// up to its end, and each of those that are not above n marks a byte to pass; then half a byte, a quarter and a bit are.
func nthBit(x uint64, n int) int {
	const ones, signs = 0x0101010101010101, 0x8080808080808080
	pairs := x - x>>1&0x5555555555555555
	fours := pairs&0x3333333333333333 + pairs>>2&0x3333333333333333
	sums := (fours + fours>>4) & 0x0f0f0f0f0f0f0f0f * ones
	at := uint(bits.OnesCount64((uint64(n)*ones|signs-sums)&signs)) * 8
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
func (r *run) indexOf(si int32, s *shape) *shapeIndex {
	x := &r.indexes[si]
	end := r.changesBase + len(r.changes)
	if x.points == nil || x.seen < r.changesBase || end-x.seen > len(r.nodes) {
		x.build(r, s)
	} else {
		for _, n := range r.changes[x.seen-r.changesBase:] {
			if p := r.points(n, s); p != x.points[n] {
				x.set(n, p)
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
	if n := len(r.nodes); x.points == nil {
		x.w, x.points, x.fits = r.w, make([]uint8, n), newNodeSet(n)
		words := len(x.fits)
		x.bits = make([]pointBits, words)
		for k := range lanesOf(r.w.zonesIndexed) {
			x.words[k], x.counts[k], x.crests[k] = make([]lanes, words), make([]lanes, words), make([][perLanes]uint64, words)
			if words >= blocksFrom || r.opts.forceIndex {
				x.blocks[k] = make([]lanes, (words+perBlock-1)/perBlock)
			}
		}
		quads := (n + quadNodes - 1) / quadNodes
		x.take, x.inZone = make([]lanes, quads), make([]lanes, quads*r.w.zonesIndexed)
	}
	for n := range x.points {
		if p := r.points(int32(n), s); p != x.points[n] {
			x.set(int32(n), p)
		}
	}
}

// set gives a node other points.
func (x *shapeIndex) set(n int32, p uint8) {
	old := x.points[n]
	x.points[n] = p
	x.bits[uint32(n)/wordBits].set(uint32(n), p^old)
	if old == 0 || p == 0 {
		x.enter(n, p != 0)
	}
	x.rank(n, old, p)
}

// enter notes that a node takes the pod from now on, or does not any more.
func (x *shapeIndex) enter(n int32, takes bool) {
	quad, behind := int(uint32(n)/quadNodes), lanes(each)<<(uint32(n)/wordBits%perLanes*laneBits)
	z := uint(x.w.zoneOf[n])
	zone, count := &x.inZone[quad*x.w.zonesIndexed+int(z)], &x.counts[z/perLanes][uint32(n)/wordBits]
	if takes {
		*count += 1 << (z % perLanes * laneBits)
		x.fits.add(n)
		x.take[quad] += behind
		*zone += behind
	} else {
		*count -= 1 << (z % perLanes * laneBits)
		x.fits.remove(n)
		x.take[quad] -= behind
		*zone -= behind
	}
}

// hide takes a node that takes the pod out of the sight of the search, and show brings it back.
func (x *shapeIndex) hide(n int32) {
	x.fits.remove(n)
	x.rank(n, x.points[n], 0)
}

func (x *shapeIndex) show(n int32) {
	x.fits.add(n)
	x.rank(n, 0, x.points[n])
}

// rank brings what is known of a node's zone in its word up to date, where its points have changed in the other fields.
func (x *shapeIndex) rank(n int32, old, p uint8) {
	word, bit, z := uint(uint32(n)/wordBits), uint64(1)<<(uint32(n)%wordBits), uint(x.w.zoneOf[n])
	c, m := &x.crests[z%maxZones/perLanes][word][z%perLanes], &x.words[z%maxZones/perLanes][word]
	switch most := m.at(z); {
	case int(p) > most:
		*c = bit
		m.put(z, most, int(p))
		x.raise(word, z, int(p))
	case int(p) == most:
		*c |= bit
	case int(old) == most:
		if *c &^= bit; *c == 0 {
			points, those := x.bits[word].highest(x.fits[word] & x.w.zoneWords[word*uint(x.w.zonesIndexed)+z])
			*c = those
			m.put(z, most, int(points))
			x.lower(word, z, most)
		}
	}
}

// raise brings the block of a word up to date, where a zone of the word has more points than before.
func (x *shapeIndex) raise(word, z uint, p int) {
	if blocks := x.blocks[z%maxZones/perLanes]; len(blocks) > 0 {
		if most := blocks[word/perBlock].at(z); p > most {
			blocks[word/perBlock].put(z, most, p)
		}
	}
}

// lower brings the block of a word up to date, where a zone of the word does not have so many points any more.
func (x *shapeIndex) lower(word, z uint, old int) {
	words, blocks := x.words[z%maxZones/perLanes], x.blocks[z%maxZones/perLanes]
	if len(blocks) > 0 && blocks[word/perBlock].at(z) == old {
		first := word &^ (perBlock - 1)
		most := lanes(0).greatest(words[first:min(first+perBlock, uint(len(words)))])
		blocks[word/perBlock].put(z, old, most.at(z))
	}
}

// points is 1 and what a node's own room gives it, or 0 where it does not take the pod.
func (r *run) points(n int32, s *shape) uint8 {
	nd := &r.nodes[n]
	if nd.flags&nodeRemoved != 0 || nd.taints&^s.tolerates != 0 ||
		nd.flags&nodeUnschedulable != 0 && s.tolerates&taintUnschedulable == 0 || !s.fit[nd.class].ok || !nd.hasRoom(s) || !r.hasOther(n, s) {
		return 0
	}
	p := weightFit * leastAllocated(nd, s)
	if !s.bestEffort {
		p += weightBalanced * balanced(nd, s)
	}
	return uint8(1 + p)
}
