package sim

import (
	"math"
	"math/bits"
)

// The search over the index by shape (index.go).

// window are the nodes that the scheduler looks at for one pod: from a start
// on, round the end of the list, until there are enough candidates.
type window struct {
	x      *shapeIndex
	zones  int // with that of the nodes without one, the last
	start  int
	looked int
	found  int // candidates among them
	// The words of a nodeSet that it covers: from the first, of which it has the bits of head, to the last, of
	// which it has those of tail, round the end; and the same as words of words.
	first, last int
	head, tail  uint64
	words       []maskedWord
	best        [maxZones]zoneBest
	closed      []nodeSet // the zones that the constraints keep the pod out of
	open        int       // zones that have nodes and are not closed
	// Nodes in the window that are looked at by themselves, and those of them that are among the best of all.
	apart, top nodeSet
}

// maskedWord is some bits of a word.
type maskedWord struct {
	at   int
	bits uint64
}

// cover works out the words that the window covers.
func (v *window) cover() {
	n := len(v.x.points)
	end := v.start + v.looked - 1
	if end >= n {
		end -= n
	}
	v.first, v.head = v.start/wordBits, ^uint64(0)<<(v.start%wordBits)
	v.last, v.tail = end/wordBits, ^uint64(0)>>(wordBits-1-end%wordBits)
	v.words = v.words[:0]
	if v.start <= end {
		v.coverWords(v.first, v.last+1)
		return
	}
	v.coverWords(v.first, len(v.x.fits))
	v.coverWords(0, min(v.last+1, v.first)) // a word at both ends is there already
}

func (v *window) coverWords(from, to int) {
	for at := from / wordBits; at*wordBits < to; at++ {
		m := ^uint64(0)
		if at == from/wordBits {
			m <<= from % wordBits
		}
		if left := to - at*wordBits; left < wordBits {
			m &= 1<<left - 1
		}
		v.words = append(v.words, maskedWord{at, m})
	}
}

// mask are the bits of the i-th word that belong to the window.
func (v *window) mask(i int) uint64 {
	switch {
	case i == v.first && i == v.last && v.start+v.looked > len(v.x.points):
		return v.head | v.tail
	case i == v.first && i == v.last:
		return v.head & v.tail
	case i == v.first:
		return v.head
	case i == v.last:
		return v.tail
	}
	return ^uint64(0)
}

// zoneBest is the best of a zone's nodes in the window that hold no pod that
// counts: all of them get the same from spreading, so their points alone decide.
type zoneBest struct {
	points uint8 // 0 without a candidate
	closed bool  // the constraints keep the pod out of the zone
	ties   int   // nodes with just these points
	raw    int64 // spreading's raw score, -1 where the pod's own constraints ignore the node
	total  int64
}

// specialNode is a node that holds pods that the workload's constraints or its spreading count.
type specialNode struct {
	node   int32
	points uint8
	ok     bool // the constraints let the pod in
	raw    int64
	total  int64
}

// searchIndex is choose over the index: the same window, filters, scores and
// choice among the best as search, score and best.
func (r *run) searchIndex(s *shape, spec *workloadSpec, pd *pod) int32 {
	v := &r.window
	v.x, v.zones = r.indexOf(spec.shape), r.zones()
	v.start, v.looked, v.found = r.nextNode, 0, 0
	if len(v.apart) != len(v.x.fits) {
		v.apart, v.top = newNodeSet(len(r.nodes)), newNodeSet(len(r.nodes))
	}
	r.special, r.markedNodes, v.closed = r.special[:0], r.markedNodes[:0], v.closed[:0]
	if spec.con != nil {
		r.markIndex(s, spec)
	}
	r.openZones(spec.con)
	enough := enoughFeasible(int(r.present))
	if r.placing {
		enough = min(enough, allNodesUpTo)
	}
	r.findWindow(spec, enough)
	if spec.con == nil {
		r.markOwn(spec)
	}
	if r.nextNode += v.looked; r.nextNode >= len(r.nodes) {
		r.nextNode -= len(r.nodes)
	}
	at := none
	if v.found > 0 {
		r.bestByZone()
		terms, marks, ignore := r.spreadTerms(spec)
		r.weighIndex(terms, marks, ignore)
		at = r.pickIndex(pd)
	}
	for i := range r.special {
		v.apart.remove(r.special[i].node)
		v.top.remove(r.special[i].node)
	}
	return at
}

// openZones notes which zones the constraints let the pod into.
func (r *run) openZones(con *constraints) {
	v := &r.window
	v.open = 0
	for z := range v.zones {
		v.best[z] = zoneBest{closed: con != nil && !r.zoneAllows(int32(z), v.zones-1, con)}
		switch {
		case v.best[z].closed:
			v.closed = append(v.closed, r.w.zoneSets[z])
		case r.w.peopled[z]:
			v.open++
		}
	}
}

// findWindow finds how many nodes must be looked at for enough candidates.
// Special nodes that the constraints keep the pod off are counted at first, and made up for.
func (r *run) findWindow(spec *workloadSpec, enough int) {
	v := &r.window
	n := len(r.nodes)
	for need := enough; need > 0 && v.looked < n; {
		from := v.looked
		if at := v.start + v.looked; at < n {
			need -= v.advance(at, n, need)
		}
		if at := v.start + v.looked - n; at >= 0 && need > 0 {
			need -= v.advance(at, v.start, need)
		}
		for _, m := range r.markedNodes {
			if o := v.offset(m); o < from || o >= v.looked || v.x.points[m] == 0 || v.apart.has(m) {
				continue
			}
			ok := r.constraintsAllow(m, spec.con)
			r.addSpecial(m, ok)
			if !ok && !v.best[r.w.zoneOf[m]].closed {
				v.found--
				need++
			}
		}
	}
	v.cover()
}

// offset is how far behind the window's start a node lies.
func (v *window) offset(n int32) int {
	o := int(n) - v.start
	if o < 0 {
		o += len(v.x.points)
	}
	return o
}

// advance adds nodes from one on, and before the limit, to the window until so many candidates are found. It returns how many are.
func (v *window) advance(from, limit, many int) (found int) {
	for i := from / wordBits; i*wordBits < limit; i++ {
		x := v.x.fits[i]
		if i == from/wordBits {
			x &= ^uint64(0) << (from % wordBits)
		}
		if left := limit - i*wordBits; left < wordBits {
			x &= 1<<left - 1
		}
		for _, closed := range v.closed {
			x &^= closed[i]
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

// markOwn finds the nodes in the window that hold pods of the workload itself, and counts its pods by node there and by zone.
func (r *run) markOwn(spec *workloadSpec) {
	if !spec.spreads || spec.hostCount != none {
		return
	}
	v := &r.window
	byNode, byZone := r.ownCounts()
	for _, n := range r.liveAt[spec.slot0 : spec.slot0+spec.slots] {
		if n == none {
			continue
		}
		byZone[r.w.zoneOf[n]]++
		if v.offset(n) >= v.looked {
			continue
		}
		byNode.add(n)
		if v.x.points[n] != 0 && !v.apart.has(n) {
			r.addSpecial(n, true)
		}
	}
}

func (r *run) addSpecial(n int32, ok bool) {
	r.window.apart.add(n)
	r.special = append(r.special, specialNode{node: n, points: r.window.x.points[n], ok: ok})
}

// bestByZone finds the most points in each zone, and how many nodes have them: from the most that there are down.
func (r *run) bestByZone() {
	v := &r.window
	zones := r.w.zoneSets
	left := v.occupied(zones)
	for i := len(v.x.occurs) - 1; i >= 0 && left > 0; i-- {
		for rest := v.x.occurs[i]; rest != 0 && left > 0; {
			b := bits.Len64(rest) - 1
			rest &^= 1 << b
			set := v.x.with[i*wordBits+b]
			for _, m := range v.words {
				if words := set.words[m.at] & m.bits; words != 0 {
					left -= v.count(uint8(i*wordBits+b), set.nodes, m.at*wordBits, words, zones)
				}
			}
		}
	}
}

// occupied is the number of open zones with a candidate in the window that is not looked at by itself.
func (v *window) occupied(zones []nodeSet) (number int) {
	var seen [maxZones]bool
	for _, m := range v.words {
		for words := m.bits; words != 0; words &= words - 1 {
			i := m.at*wordBits + bits.TrailingZeros64(words)
			x := v.x.fits[i] & v.mask(i) &^ v.apart[i]
			for z := 0; x != 0 && z < v.zones; z++ {
				if x&zones[z][i] != 0 && !seen[z&(maxZones-1)] && !v.best[z&(maxZones-1)].closed {
					seen[z&(maxZones-1)] = true
					number++
				}
			}
			if number == v.open {
				return number
			}
		}
	}
	return number
}

// count counts the nodes of a set in some of its words, those with these
// points, in the zones that have none with more. It returns how many zones have their first one.
func (v *window) count(points uint8, nodes nodeSet, from int, words uint64, zones []nodeSet) (first int) {
	for ; words != 0; words &= words - 1 {
		i := from + bits.TrailingZeros64(words)
		x := nodes[i] & v.mask(i) &^ v.apart[i]
		for z := 0; x != 0 && z < v.zones; z++ {
			b := &v.best[z&(maxZones-1)]
			mine := x & zones[z][i]
			x &^= mine
			if mine == 0 || b.closed || b.points > points {
				continue
			}
			if b.points == 0 {
				b.points = points
				first++
			}
			b.ties += bits.OnesCount64(mine)
		}
	}
	return first
}

// markIndex counts the pods that matter by node, and lists those nodes; some several times.
func (r *run) markIndex(s *shape, spec *workloadSpec) {
	r.mark(spec.con, s)
	add := func(m *markSet) { r.markedNodes = append(r.markedNodes, m.touched...) }
	c := spec.con
	for i := range c.avoid {
		if c.avoid[i].topo == topoHost {
			add(&r.marks[i])
		}
	}
	k := len(c.avoid) + len(c.attract)
	for i := range c.hard {
		if c.hard[i].topo == topoHost {
			add(&r.marks[k+i])
		}
	}
	k += len(c.hard)
	for i := range c.soft {
		if c.soft[i].topo == topoHost {
			add(&r.marks[k+i])
		}
	}
	if spec.spreads && len(c.soft) == 0 {
		r.walkOwn(spec)
		add(&r.defaultMarks[0])
	}
}

// zoneAllows reports whether the constraints let the pod onto a node of the zone that holds no pod that counts.
func (r *run) zoneAllows(z int32, zones int, con *constraints) bool {
	labelled := int(z) < zones
	for i := range con.avoid {
		if t := &con.avoid[i]; t.topo == topoZone && labelled && r.counts[t.counter][z] > 0 {
			return false
		}
	}
	for i := range con.hard {
		t := &con.hard[i]
		c := int32(0)
		if t.topo == topoZone {
			if !labelled {
				return false
			}
			c = r.counts[t.counter][z]
		}
		if t.self {
			c++
		}
		if c-r.minimum[i] > t.maxSkew {
			return false
		}
	}
	return true
}

// weighIndex works out the total of each zone's best and of each special node, spreading normalised over all of them.
func (r *run) weighIndex(terms []spreadTerm, marks []markSet, ignore bool) {
	v := &r.window
	labelled := v.zones - 1
	counted, spanned := v.found, 0
	for z := range labelled {
		if v.best[z].taken() || r.specialInZone(int32(z)) {
			spanned++
		}
	}
	if ignore && needsZone(terms) {
		counted -= r.withoutZone()
	}
	r.weights = r.weights[:0]
	for i := range terms {
		size := counted
		if terms[i].topo == topoZone {
			size = spanned
		}
		r.weights = append(r.weights, r.logOf(size+2))
	}
	lo, hi := int64(math.MaxInt64), int64(0)
	see := func(raw int64) {
		if raw >= 0 {
			lo, hi = min(lo, raw), max(hi, raw)
		}
	}
	for z := range v.zones {
		if b := &v.best[z]; b.taken() {
			b.raw = r.rawIndex(int32(z), labelled, none, terms, marks, ignore)
			see(b.raw)
		}
	}
	for i := range r.special {
		if k := &r.special[i]; k.ok {
			k.raw = r.rawIndex(int32(r.w.zoneOf[k.node]), labelled, k.node, terms, marks, ignore)
			see(k.raw)
		}
	}
	spread := func(raw int64) int64 {
		switch {
		case len(terms) == 0 || raw < 0:
			return 0
		case hi == 0:
			return weightSpread * maxScore
		}
		return weightSpread * (maxScore * (hi + lo - raw) / hi)
	}
	for z := range v.zones {
		if b := &v.best[z]; b.taken() {
			b.total = int64(b.points) + spread(b.raw)
		}
	}
	for i := range r.special {
		if k := &r.special[i]; k.ok {
			k.total = int64(k.points) + spread(k.raw)
		}
	}
}

// taken reports whether a node of the zone that holds no pod that counts is a candidate.
func (b *zoneBest) taken() bool { return b.points != 0 }

// logOf is the logarithm of a number of domains, which is mostly that of the window before.
func (r *run) logOf(n int) float64 {
	l := &r.logs[n%len(r.logs)]
	if l.n != n {
		l.n, l.log = n, math.Log(float64(n))
	}
	return l.log
}

// logarithm is one that was worked out before.
type logarithm struct {
	n   int
	log float64
}

func needsZone(terms []spreadTerm) bool {
	for i := range terms {
		if terms[i].topo == topoZone {
			return true
		}
	}
	return false
}

func (r *run) specialInZone(z int32) bool {
	for i := range r.special {
		if r.special[i].ok && r.nodes[r.special[i].node].zone == z {
			return true
		}
	}
	return false
}

// withoutZone is the number of candidates that have no zone.
func (r *run) withoutZone() (count int) {
	v := &r.window
	if z := v.zones - 1; !v.best[z].closed {
		for _, m := range v.words {
			for words := m.bits; words != 0; words &= words - 1 {
				i := m.at*wordBits + bits.TrailingZeros64(words)
				count += bits.OnesCount64(v.x.fits[i] & v.mask(i) & r.w.zoneSets[z][i] &^ v.apart[i])
			}
		}
	}
	for i := range r.special {
		if r.special[i].ok && r.nodes[r.special[i].node].zone == none {
			count++
		}
	}
	return count
}

// rawIndex is spreading's raw score of a node in the zone: the special node n, or with none one that holds no pod that counts.
func (r *run) rawIndex(z int32, zones int, n int32, terms []spreadTerm, marks []markSet, ignore bool) int64 {
	labelled := int(z) < zones
	if ignore && !labelled && needsZone(terms) {
		return -1
	}
	sum := 0.0
	for k := range terms {
		c := int32(0)
		switch {
		case terms[k].topo == topoZone:
			if !labelled {
				continue
			}
			c = r.counts[terms[k].counter][z]
		case n != none:
			c, _ = r.count(terms[k].counter, topoHost, n, &marks[k])
		}
		sum += float64(float64(c)*r.weights[k]) + float64(terms[k].maxSkew-1)
	}
	return int64(math.Round(sum))
}

// pickIndex picks by chance among the nodes with the highest total, in the order of the window.
func (r *run) pickIndex(pd *pod) int32 {
	v := &r.window
	top := int64(-1)
	for z := range v.zones {
		if b := &v.best[z]; b.taken() {
			top = max(top, b.total)
		}
	}
	for i := range r.special {
		if r.special[i].ok {
			top = max(top, r.special[i].total)
		}
	}
	ties := 0
	for z := range v.zones {
		if b := &v.best[z]; b.taken() && b.total == top {
			ties += b.ties
		}
	}
	for i := range r.special {
		if k := &r.special[i]; k.ok && k.total == top {
			v.top.add(k.node)
			ties++
		}
	}
	pick := 0
	if ties > 1 {
		pick = int(hash(r.seed, forTie, uint64(pd.slot), r.attempt(pd)) % uint64(ties))
	}
	return v.nthBest(r.w.zoneSets, top, pick)
}

// nthBest is the best node of the window with that number, in its order: those
// with the highest total, by their zones or by themselves.
func (v *window) nthBest(zones []nodeSet, top int64, number int) int32 {
	type winner struct{ with, in nodeSet }
	var list [maxZones]winner
	winners := list[:0]
	for z := range v.zones {
		if b := &v.best[z]; b.taken() && b.total == top {
			winners = append(winners, winner{v.x.with[b.points].nodes, zones[z]})
		}
	}
	total := v.last - v.first + 1
	if v.start+v.looked > len(v.x.points) {
		total += len(v.x.fits)
	}
	for k := range total {
		i, mask := v.first+k, ^uint64(0)
		if i >= len(v.x.fits) {
			i -= len(v.x.fits)
		}
		if k == 0 {
			mask = v.head
		}
		if k == total-1 {
			mask &= v.tail
		}
		x := uint64(0)
		for _, w := range winners {
			x |= w.with[i] & w.in[i]
		}
		x = (x&^v.apart[i] | v.top[i]) & mask
		if k := bits.OnesCount64(x); k <= number {
			number -= k
			continue
		}
		return int32(i*wordBits + nthBit(x, number))
	}
	panic("sim: the window has fewer best nodes than were counted")
}
