package sim

import (
	"math/bits"
	"slices"
)

// window are the nodes that the scheduler looks at for one pod: from a start
// on, round the end of the list, until there are enough candidates.
type window struct {
	x             *shapeIndex
	zones, width  int // with that of the nodes without one, the last; and how many lanes they need
	zoneWords     []uint64
	start, looked int
	found         int     // candidates among them
	closed, open  zoneSet // the zones that the constraints keep the pod out of, and those that have nodes and are not closed
	openMask      [maxZones / perLanes]lanes
	// In the order of the search the word of which the window has a part where it begins, the words that it has as a
	// whole, and that of which it has a part where it ends; all without the nodes that are hidden.
	edges [2]edge
	whole [2]wordRange
	// By zone: for default spreading the workload's own pods; and of the special nodes how many there
	// are, the most points, and 1 and the most pods of the workload on one that the constraints let the pod onto, 0 without such a one.
	own, special, alone, most [maxZones]int32
	apart                     nodeSet // the special nodes, as far as they have been listed
	listed                    bool    // those that hold pods of the workload itself have been
	// The zones that have candidates which are not special, and what spreading gives to these: before it is normalised the raw score, -1
	// where the pod's own constraints ignore the nodes; and then as lanes.
	taken  zoneSet
	raw    [maxZones]int64
	spread [maxZones / perLanes]lanes
	bare   bool                       // a zone has no candidates but special nodes
	mask   [maxZones / perLanes]lanes // all bits of the zones that are taken
	// The highest total, the least that it can be for the hidden nodes, the nodes in sight that have it, how many these are, and the
	// hidden ones that do.
	top, floor int
	best       []bestWord
	ties       int
	hidden     []hiddenNode
	level      []int32
	spreadings []spreading // of earlier searches
}

// wordRange are words from one on and before another.
type wordRange struct{ from, to int }

// blocks are the whole blocks of the words, from one on and before another.
func (w wordRange) blocks() (first, last int) {
	return int((uint(w.from) + perBlock - 1) / perBlock), int(uint(w.to) / perBlock)
}

// bestWord are the nodes of a word that have the highest total.
type bestWord struct {
	word  int
	nodes uint64
}

// hiddenNode is a node that is out of sight of the search, with its total, or -1 where the constraints keep the pod off.
type hiddenNode struct {
	node  int32
	total int
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

// advance adds nodes behind the window to it until so many more candidates are found, or the list of nodes or the round ends.
func (v *window) advance(need int) {
	from, limit := uint(v.start+v.looked), uint(len(v.x.points))
	if from >= limit {
		from, limit = from-limit, uint(v.start)
	}
	quad, last := from/quadNodes, (limit-1)/quadNodes
	in := v.inQuad(quad)
	left := need + v.countBefore(from/wordBits, in, ^(^uint64(0)<<(from%wordBits)))
	for ; quad < last && in.at(perLanes-1) < left; in = v.inQuad(quad) {
		left -= in.at(perLanes - 1)
		quad++
	}
	if reach := in.reach(lanes(left) * each); reach != 0 {
		word := quad*perLanes + uint(bits.TrailingZeros64(uint64(reach)))/laneBits
		end := word*wordBits + uint(nthBit(v.candidates(word), left-1-(in<<laneBits).at(word))) + 1
		if end <= limit {
			v.looked += int(end - from)
			v.found += need
			return
		}
	}
	v.looked += int(limit - from)
	v.found += need - left + v.countBefore((limit-1)/wordBits, in, ^uint64(0)>>(-limit%wordBits))
}

// countBefore is the number of candidates in the words of a quad before one, and in a part of that one.
func (v *window) countBefore(word uint, in lanes, part uint64) int {
	return (in << laneBits).at(word) + bits.OnesCount64(v.candidates(word)&part)
}

// inQuad is how many candidates there are in the words of a quad, up to the end of each.
func (v *window) inQuad(quad uint) lanes {
	sum := v.x.take[quad]
	for zs := v.closed; zs != 0; zs &= zs - 1 {
		sum -= v.x.inZone[int(quad)*v.zones+zs.first()]
	}
	return sum
}

// candidates are those of a word.
func (v *window) candidates(word uint) uint64 {
	nodes := v.x.fits[word]
	for zs := v.closed; zs != 0; zs &= zs - 1 {
		nodes &^= v.inZone(int(word), zs.first())
	}
	return nodes
}

// inZone are the nodes of a word in a zone.
func (v *window) inZone(word, z int) uint64 { return v.zoneWords[word*v.zones+z] }

// offset is how far behind the window's start a node lies.
func (v *window) offset(n int32) int {
	o := int(n) - v.start
	return o + o>>63&len(v.x.points) // without a branch, which would be taken at random
}

// cover works out the edges and the whole words of a window that has nodes.
func (v *window) cover() {
	n, start, end := uint(len(v.x.points)), uint(v.start), uint(v.start+v.looked)
	first, head := (start+wordBits-1)/wordBits, ^uint64(0)<<(start%wordBits)
	last, tail := uint(len(v.x.fits)), uint64(0)
	v.whole[0] = wordRange{}
	if end > n {
		v.whole[0] = wordRange{int(first), int(last)}
		first, end = 0, end-n
	}
	if end != n {
		last, tail = end/wordBits, ^(^uint64(0) << (end % wordBits))
	}
	v.whole[1] = wordRange{int(first), int(last)}
	if last < first { // it lies in one word
		head, tail = head&tail, 0
	}
	v.edges[0].cover(v, start/wordBits, head)
	v.edges[1].cover(v, last, tail)
}

// cover makes the candidates of a word's part the edge's; no part is none, and neither is a whole word.
func (e *edge) cover(v *window, word uint, part uint64) {
	e.nodes, e.best = 0, 0
	if part+1 > 1 {
		e.word, e.nodes = int(word), v.x.fits[word]&part
	}
}

// takeZones finds the open zones that have more candidates than special nodes. For all of them that mostly shows in one word, and
// else in another.
// Lanes can tell how many special nodes there are only if these are few.
func (v *window) takeZones(few bool) {
	before := v.taken
	v.taken, v.bare = v.open, false
	w := v.whole[1]
	if w.from >= w.to {
		w = v.whole[0]
	}
	if !few || w.from >= w.to || !v.coversAll(w.from) && !v.coversAll(w.to-1) {
		for zs := v.open; zs != 0; zs &= zs - 1 {
			if z := zs.first(); v.countIn(z) <= int(v.special[z]) {
				v.taken &^= zs & -zs
				v.bare = v.bare || v.special[z] > 0
			}
		}
	}
	if v.taken != before {
		v.mask = maskOf(v.taken)
	}
}

// maskOf has all bits of the zones.
func maskOf(zs zoneSet) (mask [maxZones / perLanes]lanes) {
	for ; zs != 0; zs &= zs - 1 {
		mask[zs.first()/perLanes].put(uint(zs.first()), 0, 1<<laneBits-1)
	}
	return mask
}

// coversAll reports whether a whole word has more candidates of each open zone than there are special nodes.
func (v *window) coversAll(word int) bool {
	for k := range v.width {
		if v.x.counts[k&(len(v.mask)-1)][word].reach((lanesFrom(&v.special, k)+each)&v.openMask[k&(len(v.mask)-1)]) != tops {
			return false
		}
	}
	return true
}

// countIn is the number of candidates of a zone.
func (v *window) countIn(z int) (sum int) {
	for k := range v.edges {
		e := &v.edges[k]
		sum += bits.OnesCount64(e.nodes & v.inZone(e.word, z))
	}
	for _, words := range v.whole {
		for word := words.from; word < words.to; word++ {
			sum += bits.OnesCount64(v.x.fits[word] & v.inZone(word, z))
		}
	}
	return sum
}

// give turns the raw scores of spreading of the zones into what it gives.
func (v *window) give(lo, hi int64, spreads bool) {
	v.spread = [len(v.spread)]lanes{}
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		z := zs.first()
		v.spread[z/perLanes].put(uint(z), 0, int(stretched(v.raw[z], lo, hi, spreads)))
	}
}

// climb finds the highest total of the nodes in sight. All of a zone get the same from spreading, so the
// most points that a zone has decide.
func (v *window) climb() {
	v.top = v.floor
	for k := range v.width {
		k &= len(v.mask) - 1
		most := v.mostIn(v.whole[1], k)
		if v.whole[0].to > 0 {
			most = most.greater(v.mostIn(v.whole[0], k))
		}
		most &= v.mask[k]
		v.top = max(v.top, ((most + v.spread[k]) & most.some()).highest())
	}
	v.climbEdge(&v.edges[0])
	v.climbEdge(&v.edges[1])
}

// mostIn are the most points of four zones in whole words.
func (v *window) mostIn(words wordRange, k int) (most lanes) {
	own, blocks := v.x.words[k&(len(v.mask)-1)], v.x.blocks[k&(len(v.mask)-1)]
	if first, last := words.blocks(); len(blocks) > 0 && first < last {
		most = most.greatest(own[words.from : first*perBlock]).greatest(blocks[first:last])
		words.from = last * perBlock
	}
	if words.from < words.to {
		most = most.greatest(own[words.from:words.to])
	}
	return most
}

// climbEdge is climb for an edge, of which it finds the nodes that have the highest total.
func (v *window) climbEdge(e *edge) {
	if e.nodes == 0 {
		return
	}
	for k := range v.width {
		k &= len(v.mask) - 1
		most := v.x.words[k][e.word]
		for reach := v.reach(k, most); reach != 0; reach &= reach - 1 {
			lane := uint(bits.TrailingZeros64(uint64(reach))) / laneBits % perLanes
			p, those := most.at(lane), v.x.crests[k][e.word][lane]&e.nodes
			if those == 0 { // those of the word lie beyond the edge
				var q uint8
				q, those = v.x.bits[e.word].highest(e.nodes & v.inZone(e.word, k*perLanes+int(lane)))
				p = int(q)
			}
			switch total := p + v.spread[k].at(lane); {
			case total < v.top || p == 0:
			case total > v.top:
				v.top, v.edges[0].best, e.best = total, 0, those
			default:
				e.best |= those
			}
		}
	}
}

// someHigh reports whether special nodes may have the highest total, or are all that their zone has.
func (v *window) someHigh() bool {
	for k := range v.width {
		if v.reach(k, lanesFrom(&v.alone, k)) != 0 {
			return true
		}
	}
	return v.bare
}

// countTies finds the candidates that have the highest total, and counts them.
func (v *window) countTies() {
	best := v.best[:0]
	if e := &v.edges[0]; e.best != 0 {
		best = append(best, bestWord{e.word, e.best})
	}
	if v.whole[0].to > 0 {
		best = v.tiesIn(best, v.whole[0])
	}
	best = v.tiesIn(best, v.whole[1])
	if e := &v.edges[1]; e.best != 0 {
		best = append(best, bestWord{e.word, e.best})
	}
	ties := 0
	for i := range best {
		ties += bits.OnesCount64(best[i].nodes)
	}
	v.best, v.ties, v.level = best, ties, v.level[:0]
	for _, h := range v.hidden {
		if h.total == v.top {
			v.level = append(v.level, h.node)
		}
	}
}

// tiesIn adds those of whole words.
func (v *window) tiesIn(best []bestWord, words wordRange) []bestWord {
	if words.from >= words.to {
		return best
	}
	if v.width == 1 && len(v.x.blocks[0]) == 0 {
		return v.tiesAmong(best, 0, words)
	}
	begin := len(best)
	for k := range v.width {
		blocks, rest := v.x.blocks[k&(len(v.mask)-1)], words
		if first, last := words.blocks(); len(blocks) > 0 && first < last {
			best = v.tiesAmong(best, k, wordRange{words.from, first * perBlock})
			for b := first; b < last; b++ {
				if v.reach(k, blocks[b]) != 0 {
					best = v.tiesAmong(best, k, wordRange{b * perBlock, b*perBlock + perBlock})
				}
			}
			rest.from = last * perBlock
		}
		best = v.tiesAmong(best, k, rest)
	}
	if v.width > 1 {
		return merged(best, begin)
	}
	return best
}

// reach tells of which of four zones a node may have the highest total where these are their most points.
func (v *window) reach(k int, most lanes) lanes {
	k &= len(v.mask) - 1
	return (most&v.mask[k] + v.spread[k]).reach(lanes(v.top) * each)
}

// tiesAmong adds those of four zones.
func (v *window) tiesAmong(best []bestWord, k int, words wordRange) []bestWord {
	k &= len(v.mask) - 1
	top, mask, spread, own := lanes(v.top)*each, v.mask[k], v.spread[k], v.x.words[k]
	for word := words.from; word < words.to; word++ {
		reach := (own[word]&mask + spread).reach(top)
		if reach == 0 {
			continue
		}
		nodes, crests := uint64(0), &v.x.crests[k][word]
		for ; reach != 0; reach &= reach - 1 {
			nodes |= crests[uint(bits.TrailingZeros64(uint64(reach)))/laneBits%perLanes]
		}
		best = append(best, bestWord{word, nodes})
	}
	return best
}

// merged brings the words from one on, which were added for four zones after the other, into their order.
func merged(best []bestWord, from int) []bestWord {
	added := best[from:]
	slices.SortFunc(added, func(a, b bestWord) int { return a.word - b.word })
	best = best[:from]
	for _, b := range added {
		if k := len(best); k > from && best[k-1].word == b.word {
			best[k-1].nodes |= b.nodes
		} else {
			best = append(best, b)
		}
	}
	return best
}

// pick is the best node with that number, in the order of the window.
func (v *window) pick(number int) int32 {
	if len(v.level) == 0 {
		return v.nth(number)
	}
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
	for k := range v.best {
		b := &v.best[k]
		many := bits.OnesCount64(b.nodes)
		if number >= many {
			number -= many
			continue
		}
		nodes := b.nodes
		for ; number > 0; number-- {
			nodes &= nodes - 1
		}
		return int32(b.word*wordBits + bits.TrailingZeros64(nodes))
	}
	panic("sim: the window has fewer best nodes than were counted")
}
