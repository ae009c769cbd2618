package sim

import (
	"math/bits"
	"slices"
)

// window are the nodes that the scheduler looks at for one pod: from a start
// on, round the end of the list, until there are enough candidates.
type window struct {
	x             *shapeIndex
	zones         int // with that of the nodes without one, the last
	zoneWords     []uint64
	start, looked int
	found         int     // candidates among them
	closed, open  zoneSet // the zones that the constraints keep the pod out of, and those that have nodes and are not closed
	// In the order of the search the word of which the window has a part where it begins, the words that it has as a
	// whole, and that of which it has a part where it ends; all without the nodes that are hidden.
	edges  [2]edge
	groups []group
	apart  nodeSet         // the special nodes that constraints care about
	alone  [maxZones]uint8 // by zone the most points of a special node
	// The others: the zones that have some; by zone the most points in groups; what spreading gives to all of a zone, before it is
	// normalised the raw score, -1 where the pod's own constraints ignore the nodes; and the workload's own pods and 1, 0 for nodes
	// without a zone, for default spreading.
	taken   zoneSet
	peak    [maxZones]uint8
	spread  [maxZones]int64
	own     [maxZones]int32
	ownBase [maxZones]int32 // own without pods
	// The highest total, the zones that have it in groups, how many nodes in sight have it, and the hidden ones that do.
	top    int64
	best   zoneSet
	ties   int
	hidden []hiddenNode
	level  []int32
}

// hiddenNode is a node that is out of sight of the search, with its total, or -1 where the constraints keep the pod off.
type hiddenNode struct {
	node  int32
	total int64
}

// zoneSet has a bit for each zone.
type zoneSet uint32

func (s zoneSet) has(z int) bool { return s>>z&1 != 0 }

// first is the zone with the lowest number, of some.
func (s zoneSet) first() int { return bits.TrailingZeros32(uint32(s)) & (maxZones - 1) }

// edge are the candidates in a part of a word, and those of them that have the highest total.
type edge struct {
	word        int
	nodes, best uint64
}

// group are whole words of a block: mask has all bits of a byte for each. ties is how many of their nodes have the highest total.
type group struct {
	block, ties int
	mask        uint64
}

// advance adds nodes from one on, and before the limit, to the window until so many candidates are found. It returns how many are.
func (v *window) advance(from, limit, many int) int {
	const perBlock = blockNodes / wordBits
	need, closed, fits := many, v.closed, v.x.fits[:(limit+wordBits-1)/wordBits]
	word := from / wordBits
	part := ^uint64(0) << (uint(from) % wordBits)
	for ; word < len(fits); word++ {
		x := fits[word] & part
		part = ^uint64(0)
		if word == len(fits)-1 {
			x &= part >> (-uint(limit) % wordBits)
		}
		if closed != 0 {
			x &^= v.inClosed(word)
		}
		k := bits.OnesCount64(x)
		if k >= need {
			v.looked += word*wordBits + nthBit(x, need-1) + 1 - from
			v.found += many
			return many
		}
		need -= k
		for word%perBlock == perBlock-1 && need > perBlock*k && word+perBlock < len(fits)-1 {
			k := v.inBlock(word/perBlock + 1)
			if k >= need {
				break
			}
			need -= k
			word += perBlock
		}
	}
	v.looked += limit - from
	v.found += many - need
	return many - need
}

// inZone are the nodes of a word in a zone.
func (v *window) inZone(word, z int) uint64 { return v.zoneWords[word*v.zones+z] }

// inClosed are the nodes of a word whose zone is closed.
func (v *window) inClosed(word int) (nodes uint64) {
	for zs := v.closed; zs != 0; zs &= zs - 1 {
		nodes |= v.inZone(word, zs.first())
	}
	return nodes
}

// inBlock is the number of candidates of a block.
func (v *window) inBlock(b int) int {
	x := &v.x.blocks[b]
	sum := int(x.take)
	for zs := v.closed; zs != 0; zs &= zs - 1 {
		sum -= int(x.inZone[zs.first()])
	}
	return sum
}

// offset is how far behind the window's start a node lies.
func (v *window) offset(n int32) int {
	o := int(n) - v.start
	return o + o>>63&len(v.x.points) // without a branch, which would be taken at random
}

// cover works out the edges and groups of a window that has nodes.
func (v *window) cover() {
	v.groups = v.groups[:0]
	n, end := len(v.x.points), v.start+v.looked
	first, head := (v.start+wordBits-1)/wordBits, ^uint64(0)<<(uint(v.start)%wordBits)
	last, tail := len(v.x.fits), uint64(0)
	if end > n {
		v.addGroups(first, last)
		first, end = 0, end-n
	}
	if end != n {
		last, tail = end/wordBits, ^(^uint64(0) << (uint(end) % wordBits))
	}
	v.addGroups(first, last)
	if last < first { // it lies in one word
		head, tail = head&tail, 0
	}
	v.edges[0].cover(v, v.start/wordBits, head)
	v.edges[1].cover(v, last, tail)
}

// cover makes the candidates of a word's part the edge's; no part is none, and neither is a whole word.
func (e *edge) cover(v *window, word int, part uint64) {
	e.nodes, e.best = 0, 0
	if part+1 > 1 {
		e.word, e.nodes = word, v.x.fits[word]&part
	}
}

// addGroups adds the words from one to before another to the groups.
func (v *window) addGroups(from, to int) {
	for from < to {
		b := from / 8
		end := min(to, b*8+8)
		v.groups = append(v.groups, group{block: b, mask: ^uint64(0) << (from % 8 * 8 & 63) & (^uint64(0) >> (-end % 8 * 8 & 63))})
		from = end
	}
}

// survey finds the most points of the open zones in groups.
func (v *window) survey() {
	if len(v.groups) == 0 {
		v.peak = [maxZones]uint8{}
		return
	}
	blocks, first, others := v.x.blocks, v.groups[0], v.groups[1:]
	for zs := v.open; zs != 0; zs &= zs - 1 {
		z := zs.first()
		p := highestOf(blocks[first.block].most[z] & first.mask)
		over := newAbove(p)
		for k := range others { // of many, few have more
			if m := blocks[others[k].block].most[z] & others[k].mask; over.in(m) != 0 {
				p = highestOf(m)
				over = newAbove(p)
			}
		}
		v.peak[z] = p
	}
}

// hasMore reports whether a zone has more than so many candidates.
func (v *window) hasMore(z, many int) bool {
	many -= bits.OnesCount64(v.edges[0].in(v, z)) + bits.OnesCount64(v.edges[1].in(v, z))
	for k := 0; k < len(v.groups) && many >= 0; k++ {
		many -= v.groups[k].countIn(v, z)
	}
	return many < 0
}

// countIn is the number of candidates of a zone.
func (v *window) countIn(z int) int {
	sum := bits.OnesCount64(v.edges[0].in(v, z)) + bits.OnesCount64(v.edges[1].in(v, z))
	for k := range v.groups {
		sum += v.groups[k].countIn(v, z)
	}
	return sum
}

func (g *group) countIn(v *window, z int) (sum int) {
	for marks := g.mask & tops; marks != 0; marks &= marks - 1 {
		word := g.word(marks)
		sum += bits.OnesCount64(v.x.fits[word] & v.inZone(word, z))
	}
	return sum
}

// word is the one of the first byte of which marks has the top bit.
func (g *group) word(marks uint64) int { return g.block*8 + bits.TrailingZeros64(marks)/8 }

// in are the candidates of a zone in it.
func (e *edge) in(v *window, z int) uint64 {
	if e.nodes == 0 {
		return 0
	}
	return e.nodes & v.inZone(e.word, z)
}

// give turns the raw scores of spreading of the zones into what it gives.
func (v *window) give(lo, hi int64, spreads bool) {
	v.top = -1
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		z := zs.first()
		v.spread[z] = stretched(v.spread[z], lo, hi, spreads)
	}
}

// climb raises the highest total to that of the nodes in sight, and finds those in the edges that have it. All of a
// zone get the same from spreading, so the most points that a zone has decide.
func (v *window) climb() {
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		z := zs.first()
		if p := int64(v.peak[z]); p != 0 {
			v.top = max(v.top, p+v.spread[z])
		}
	}
	v.climbEdge(&v.edges[0])
	v.climbEdge(&v.edges[1])
}

// climbEdge is climb for an edge.
func (v *window) climbEdge(e *edge) {
	if e.nodes == 0 {
		return
	}
	b, at := &v.x.blocks[uint(e.word)/8], uint(e.word)%8*8
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		z := zs.first()
		if int64(uint8(b.most[z]>>at))+v.spread[z] < v.top {
			continue
		}
		p, those := v.x.bits[e.word].highest(e.nodes & v.inZone(e.word, z))
		switch total := int64(p) + v.spread[z]; {
		case total < v.top || p == 0:
		case total > v.top:
			v.top, v.edges[0].best, e.best = total, 0, those
		default:
			e.best |= those
		}
	}
}

// someHigh reports whether special nodes may have the highest total, or are all that their zone has.
func (v *window) someHigh() bool {
	for z, p := range v.alone[:v.zones] {
		if p != 0 && (int64(p)+v.spread[z&(maxZones-1)] >= v.top || !v.taken.has(z)) {
			return true
		}
	}
	return false
}

// countTies counts the candidates that have the highest total.
func (v *window) countTies() {
	v.ties, v.best = bits.OnesCount64(v.edges[0].best)+bits.OnesCount64(v.edges[1].best), 0
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		z := zs.first()
		p := v.peak[z]
		if p == 0 || int64(p)+v.spread[z] != v.top {
			continue
		}
		v.best |= zs & -zs
		for k := range v.groups {
			g := &v.groups[k]
			b := &v.x.blocks[g.block]
			ties := sumOf(b.have[z], equalTo(b.most[z]&g.mask, p))
			g.ties += ties
			v.ties += ties
		}
	}
	v.level = v.level[:0]
	for _, h := range v.hidden {
		if h.total == v.top {
			v.level = append(v.level, h.node)
		}
	}
}

// pick is the best node with that number, in the order of the window.
func (v *window) pick(number int) int32 {
	if len(v.level) > 1 {
		slices.SortFunc(v.level, func(a, b int32) int { return v.offset(a) - v.offset(b) })
	}
	for before, n := range v.level {
		k, o := number-before, v.offset(n)
		if v.liesBefore(k, o) {
			return v.nth(k)
		}
		if k == 0 || v.liesBefore(k-1, o) {
			return n
		}
	}
	return v.nth(number - len(v.level))
}

// liesBefore reports whether a best node in sight has that number, and lies before an offset.
func (v *window) liesBefore(number, offset int) bool {
	return number < v.ties && v.offset(v.nth(number)) < offset
}

// nth is the best node in sight with that number.
func (v *window) nth(number int) int32 {
	e := &v.edges[0]
	if k := bits.OnesCount64(e.best); number >= k {
		number -= k
		for k := range v.groups {
			if g := &v.groups[k]; number < g.ties {
				return v.nthOf(g, number)
			}
			number -= v.groups[k].ties
		}
		e = &v.edges[1]
	}
	return int32(e.word*wordBits + nthBit(e.best, number))
}

// nthOf is nth of a group.
func (v *window) nthOf(g *group, number int) int32 {
	b, marks := &v.x.blocks[g.block], uint64(0)
	for zs := v.best; zs != 0; zs &= zs - 1 {
		z := zs.first()
		marks |= equalTo(b.most[z]&g.mask, v.peak[z])
	}
	for ; marks != 0; marks &= marks - 1 {
		word, best := g.word(marks), uint64(0)
		for zs := v.best; zs != 0; zs &= zs - 1 {
			z := zs.first()
			best |= v.x.bits[word].equal(v.x.fits[word]&v.inZone(word, z), v.peak[z])
		}
		k := bits.OnesCount64(best)
		if number < k {
			return int32(word*wordBits + nthBit(best, number))
		}
		number -= k
	}
	panic("sim: the window has fewer best nodes than were counted")
}
