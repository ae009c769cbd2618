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
	parts         [2]stretch
	words         []maskedWord // the window as words of a set's words
	apart         nodeSet      // nodes in the window that are looked at by themselves
	// The others: the zones that have some, and what spreading gives to all of a zone.
	taken  zoneSet
	spread [maxZones]int64 // before it is normalised, the raw score, -1 where the pod's own constraints ignore the nodes
	own    [maxZones]int32 // the workload's own pods by zone, for default spreading
	// The highest total, and the nodes that have it, which are mixed if not in the order of the window.
	top   int64
	ties  int
	hits  []hit
	mixed bool
}

// zoneSet has a bit for each zone.
type zoneSet uint32

func (s zoneSet) has(z int) bool { return s>>z&1 != 0 }

// first is the zone with the lowest number, of some.
func (s zoneSet) first() int { return bits.TrailingZeros32(uint32(s)) & (maxZones - 1) }

// stretch is the part of the window before the end of the list of nodes, or the one behind it: the words of a nodeSet from
// the first, of which it has the bits of head, to the last, of which it has those of tail.
type stretch struct {
	first, last int
	head, tail  uint64
	order       int // added to a word's number it tells the word's place in the window
}

// maskedWord is some bits of a word, each for a word of a stretch.
type maskedWord struct {
	at, part int
	bits     uint64
}

// hit are nodes of a word that have the highest total.
type hit struct {
	order, word int
	bits        uint64
}

// mask are the bits of a word that belong to the stretch.
func (s *stretch) mask(word int) uint64 {
	m := ^uint64(0)
	if word == s.first {
		m = s.head
	}
	if word == s.last {
		m &= s.tail
	}
	return m
}

// advance adds nodes from one on, and before the limit, to the window until so many candidates are found. It returns how many are.
func (v *window) advance(from, limit, many int) (found int) {
	for at := from; at < limit; {
		if at%blockNodes == 0 && at+blockNodes <= limit {
			if k := v.inBlock(at / blockNodes); found+k < many {
				found += k
				at += blockNodes
				continue
			}
		}
		i := at / wordBits
		x := v.candidates(i) >> (at % wordBits) << (at % wordBits)
		at = (i + 1) * wordBits
		if at > limit {
			x &= ^uint64(0) >> (at - limit)
		}
		k := bits.OnesCount64(x)
		if found+k >= many {
			v.looked += i*wordBits + nthBit(x, many-found-1) + 1 - from
			v.found += many
			return many
		}
		found += k
	}
	v.looked += limit - from
	v.found += found
	return found
}

// inZones are the zones' nodes in a word.
func (v *window) inZones(word int) []uint64 { return v.zoneWords[word*v.zones:][:v.zones] }

// candidates are the nodes of a word that take the pod, and whose zone is not closed.
func (v *window) candidates(word int) uint64 {
	x := v.x.fits[word]
	for zs := v.closed; zs != 0; zs &= zs - 1 {
		x &^= v.inZones(word)[zs.first()]
	}
	return x
}

// inBlock is the number of candidates of a block.
func (v *window) inBlock(b int) (sum int) {
	for z, k := range v.x.inZone[b*v.zones:][:v.zones] {
		if !v.closed.has(z) {
			sum += int(k)
		}
	}
	return sum
}

// offset is how far behind the window's start a node lies.
func (v *window) offset(n int32) int {
	o := int(n) - v.start
	return o + o>>63&len(v.x.points) // without a branch, which would be taken at random
}

// cover works out the stretches and words of a window that has nodes.
func (v *window) cover() {
	v.words = v.words[:0]
	n, end := len(v.x.points), v.start+v.looked
	v.coverPart(0, v.start, min(end, n), 0)
	v.parts[1].last = -1
	if end > n {
		v.coverPart(1, 0, end-n, v.parts[0].last-v.parts[0].first+1)
	}
}

// coverPart makes a stretch of the nodes from one to before another, the first word of which has a place in the window.
func (v *window) coverPart(part, from, to, place int) {
	last := to - 1
	s := stretch{first: from / wordBits, last: last / wordBits,
		head: ^uint64(0) << (from % wordBits), tail: ^uint64(0) >> (wordBits - 1 - last%wordBits), order: place - from/wordBits}
	v.parts[part] = s
	for at := s.first / wordBits; at <= s.last/wordBits; at++ {
		m := ^uint64(0)
		if at == s.first/wordBits {
			m <<= s.first % wordBits
		}
		if at == s.last/wordBits {
			m &= ^uint64(0) >> (wordBits - 1 - s.last%wordBits)
		}
		v.words = append(v.words, maskedWord{at, part, m})
	}
}

// zonesTaken are the open zones that have candidates in the window besides those that are looked at by themselves.
func (v *window) zonesTaken() (taken zoneSet) {
	for k := range v.parts {
		s := &v.parts[k]
		for i := s.first; i <= s.last && taken != v.open; i++ {
			x := v.x.fits[i] & s.mask(i) &^ v.apart[i]
			for z, in := range v.inZones(i) {
				if x&in != 0 {
					taken |= 1 << z & v.open
				}
			}
		}
	}
	return taken
}

// countIn is the number of candidates of a zone in the window besides those that are looked at by themselves.
func (v *window) countIn(z int) (sum int) {
	if !v.open.has(z) {
		return 0
	}
	for k := range v.parts {
		s := &v.parts[k]
		for i := s.first; i <= s.last; i++ {
			sum += bits.OnesCount64(v.x.fits[i] & s.mask(i) &^ v.apart[i] & v.inZones(i)[z])
		}
	}
	return sum
}

// climbDown finds the nodes with the highest total, at least v.top, among those that are not looked at by themselves. All of a
// zone get the same from spreading, so the most points that a zone has decide, and it looks from the most that there are down.
func (v *window) climbDown() {
	rest := v.within(v.taken, pointsMost)
	for i := len(v.x.occurs) - 1; i >= 0; i-- {
		for left := v.x.occurs[i]; left != 0 && rest != 0; {
			b := bits.Len64(left) - 1
			left &^= 1 << b
			points := i*wordBits + b
			if found := v.hitsWith(uint8(points), rest); found != 0 {
				rest = v.within(rest&^found, points-1)
			}
		}
	}
}

// within are those of some zones that nodes with so many points can make the best.
func (v *window) within(zs zoneSet, points int) (in zoneSet) {
	for ; zs != 0; zs &= zs - 1 {
		if z := zs.first(); int64(points)+v.spread[z] >= v.top {
			in |= 1 << z
		}
	}
	return in
}

// hitsWith takes the nodes with so many points in some zones for the best, if none is better. It returns the zones that have some.
func (v *window) hitsWith(points uint8, rest zoneSet) (found zoneSet) {
	words, nodes := v.x.with(points)
	for k := range v.words {
		m := &v.words[k]
		for w := words[m.at] & m.bits; w != 0; w &= w - 1 {
			i := m.at*wordBits + bits.TrailingZeros64(w)
			s := &v.parts[m.part&1]
			x := nodes[i] & s.mask(i) &^ v.apart[i]
			in := v.inZones(i)
			for zs := rest; zs != 0 && x != 0; zs &= zs - 1 {
				z := zs.first()
				mine := x & in[z]
				if mine == 0 {
					continue
				}
				x &^= mine
				found |= 1 << z
				v.hit(int64(points)+v.spread[z], s.order+i, i, mine)
			}
		}
	}
	return found
}

// hit notes nodes of a word, whose place in the window is given, with their total.
func (v *window) hit(total int64, order, word int, nodes uint64) {
	if total < v.top {
		return
	}
	if total > v.top {
		v.top, v.ties, v.hits, v.mixed = total, 0, v.hits[:0], false
	}
	v.ties += bits.OnesCount64(nodes)
	if k := len(v.hits) - 1; k >= 0 && v.hits[k].order >= order {
		if v.hits[k].order == order {
			v.hits[k].bits |= nodes
			return
		}
		v.mixed = true
	}
	v.hits = append(v.hits, hit{order, word, nodes})
}

// nthHit is the best node with that number, in the order of the window.
func (v *window) nthHit(number int) int32 {
	if v.mixed {
		v.sortHits()
	}
	for i := range v.hits {
		h := &v.hits[i]
		k := bits.OnesCount64(h.bits)
		if number < k {
			return int32(h.word*wordBits + nthBit(h.bits, number))
		}
		number -= k
	}
	panic("sim: the window has fewer best nodes than were counted")
}

// sortHits brings the best nodes into the order of the window, and those of a word together.
func (v *window) sortHits() {
	slices.SortFunc(v.hits, func(a, b hit) int { return a.order - b.order })
	list := v.hits[:1]
	for _, h := range v.hits[1:] {
		if last := &list[len(list)-1]; last.order == h.order {
			last.bits |= h.bits
		} else {
			list = append(list, h)
		}
	}
	v.hits = list
}
