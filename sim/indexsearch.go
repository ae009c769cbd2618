package sim

import "math"

// The search over the index by shape (index.go).

// zoneBest is the best of a zone's nodes that hold no pod that counts: all of
// them get the same from spreading, so their points alone decide.
type zoneBest struct {
	points int32 // or one of the two below
	count  int   // candidates
	ties   int   // of these, with just these points
	raw    int64 // spreading's raw score, -1 where the pod's own constraints ignore the node
	total  int64
}

const (
	zoneEmpty  = -1 // no node of the zone is a candidate
	zoneClosed = -2 // the constraints keep the pod out of the zone
)

// searchIndex is choose over the index: the same window, filters, scores and
// choice among the best as search, score and best.
func (r *run) searchIndex(w int32, si int32, s *shape, spec *workloadSpec, pd *pod) int32 {
	x := r.indexOf(si)
	points := x.points
	r.markIndex(w, s, spec)
	terms, marks, ignore := r.spreadTerms(w, spec)
	zones := len(r.w.topo[topoZone].domains)
	var best [maxZones]zoneBest // that of zone number zones is for nodes without one
	for z := range zones + 1 {
		best[z].points = zoneEmpty
		if spec.con != nil && !r.zoneAllows(int32(z), zones, spec.con) {
			best[z].points = zoneClosed
		}
	}
	// Nodes that hold pods that count are looked at one by one.
	r.special = r.special[:0]
	for _, n := range r.markedNodes {
		if points[n] < pointsMarked {
			r.special = append(r.special, specialNode{node: n, points: points[n], ok: spec.con == nil || r.constraintsAllow(n, spec.con)})
			r.specialOf[n] = int32(len(r.special) - 1)
			points[n] = pointsMarked
			r.markBlock(n)
		}
	}
	enough := enoughFeasible(int(r.present))
	if r.placing {
		enough = min(enough, allNodesUpTo)
	}
	n := len(points)
	start := r.nextNode
	found, looked := r.scanIndex(x, &best, start, enough)
	r.nextNode = (start + looked) % n
	at := none
	if found > 0 {
		r.weighIndex(&best, zones, found, terms, marks, ignore)
		at = r.pickIndex(x, &best, zones, start, looked, pd)
	}
	for i := range r.special {
		points[r.special[i].node] = r.special[i].points
	}
	return at
}

// scanIndex reads the window: from start round the nodes until enough that
// take the pod are found. It returns how many those are, and how many it looked at.
func (r *run) scanIndex(x *shapeIndex, best *[maxZones]zoneBest, start, enough int) (found, looked int) {
	points, zone, zones := x.points, r.w.zoneOf, r.zones()
	for _, part := range [2][2]int{{start, len(points)}, {0, start}} {
		for i := part[0]; i < part[1]; i++ {
			if i%blockSize == 0 && i+blockSize <= part[1] && r.markedBlocks[i/blockSize] != r.markedRound {
				if k := x.scanBlock(best, zones, i/blockSize, enough-found); k >= 0 {
					found += k
					i += blockSize - 1
					continue
				}
			}
			p := points[i]
			if p >= pointsMarked {
				if p == pointsOut {
					continue
				}
				k := r.specialAt(int32(i))
				if !k.ok {
					continue
				}
				k.in = true
			} else {
				b := &best[zone[i]&(maxZones-1)]
				if b.points == zoneClosed {
					continue
				}
				b.take(int32(p), 1, 1)
			}
			if found++; found == enough {
				return found, (i-start+len(points))%len(points) + 1
			}
		}
	}
	return found, len(points)
}

// take counts nodes of a zone of which so many have the most points.
func (b *zoneBest) take(points int32, nodes, most int) {
	b.count += nodes
	switch {
	case points > b.points:
		b.points, b.ties = points, most
	case points == b.points:
		b.ties += most
	}
}

// scanBlock takes a whole block into the best, by its summary, if it does not
// fill the window; -1 means that its nodes must be read.
func (x *shapeIndex) scanBlock(best *[maxZones]zoneBest, zones, block, room int) int {
	at := block * zones
	counts, most, ties := x.counts[at:at+zones], x.most[at:at+zones], x.ties[at:at+zones]
	sum := 0
	for z := range counts {
		if best[z&(maxZones-1)].points != zoneClosed {
			sum += int(counts[z])
		}
	}
	if sum >= room {
		return -1
	}
	for z := range counts {
		if b := &best[z&(maxZones-1)]; b.points != zoneClosed && counts[z] > 0 {
			b.take(int32(most[z]), int(counts[z]), int(ties[z]))
		}
	}
	return sum
}

// markBlock notes that a block holds a node that is looked at by itself.
func (r *run) markBlock(n int32) { r.markedBlocks[n/blockSize] = r.markedRound }

// specialNode is a node that holds pods that the workload's constraints or its spreading count.
type specialNode struct {
	node   int32
	points uint8
	ok     bool // the constraints let the pod in
	in     bool // it lies in the window
	raw    int64
	total  int64
}

// specialAt is the special node with that number, which must be one.
func (r *run) specialAt(n int32) *specialNode { return &r.special[r.specialOf[n]] }

// markIndex counts the pods that matter by node, and lists those nodes.
func (r *run) markIndex(w int32, s *shape, spec *workloadSpec) {
	r.markedRound++
	r.markedNodes = r.markedNodes[:0]
	if len(r.markedAt) < len(r.nodes) {
		r.markedAt = make([]uint32, len(r.nodes))
		r.markedBlocks = make([]uint32, len(r.nodes)/blockSize+1)
		r.specialOf = make([]int32, len(r.nodes))
	}
	add := func(m *markSet) {
		for _, n := range m.touched {
			if r.markedAt[n] != r.markedRound {
				r.markedAt[n] = r.markedRound
				r.markedNodes = append(r.markedNodes, n)
			}
		}
	}
	if spec.con != nil {
		r.mark(spec.con, s)
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
	}
	if spec.spreads && (spec.con == nil || len(spec.con.soft) == 0) {
		r.defaultSpread(w, spec)
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
func (r *run) weighIndex(best *[maxZones]zoneBest, zones, found int, terms []spreadTerm, marks []markSet, ignore bool) {
	counted, spanned := found, 0
	for z := range zones {
		if best[z].points >= 0 || r.specialInZone(int32(z)) {
			spanned++
		}
	}
	if ignore && needsZone(terms) {
		counted = r.countedWithZone(best, zones, found)
	}
	r.weights = r.weights[:0]
	for i := range terms {
		size := counted
		if terms[i].topo == topoZone {
			size = spanned
		}
		r.weights = append(r.weights, math.Log(float64(size+2)))
	}
	lo, hi := int64(math.MaxInt64), int64(0)
	see := func(raw int64) {
		if raw >= 0 {
			lo, hi = min(lo, raw), max(hi, raw)
		}
	}
	for z := range zones + 1 {
		if best[z].points >= 0 {
			best[z].raw = r.rawIndex(int32(z), zones, none, terms, marks, ignore)
			see(best[z].raw)
		}
	}
	for i := range r.special {
		if k := &r.special[i]; k.in {
			k.raw = r.rawIndex(int32(r.w.zoneOf[k.node]), zones, k.node, terms, marks, ignore)
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
	for z := range zones + 1 {
		best[z].total = int64(best[z].points) + spread(best[z].raw)
	}
	for i := range r.special {
		k := &r.special[i]
		k.total = int64(k.points) + spread(k.raw)
	}
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
		if r.special[i].in && r.nodes[r.special[i].node].zone == z {
			return true
		}
	}
	return false
}

// countedWithZone is the number of candidates that have a zone, where some lack it.
func (r *run) countedWithZone(best *[maxZones]zoneBest, zones, found int) int {
	without := best[zones].count
	for i := range r.special {
		if r.special[i].in && r.nodes[r.special[i].node].zone == none {
			without++
		}
	}
	return found - without
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
func (r *run) pickIndex(x *shapeIndex, best *[maxZones]zoneBest, zones, start, looked int, pd *pod) int32 {
	top := int64(-1)
	for z := range zones + 1 {
		if best[z].points >= 0 {
			top = max(top, best[z].total)
		}
	}
	for i := range r.special {
		if r.special[i].in {
			top = max(top, r.special[i].total)
		}
	}
	var want [maxZones]int32
	ties := 0
	for z := range zones + 1 {
		want[z] = -1
		if best[z].points >= 0 && best[z].total == top {
			want[z] = best[z].points
			ties += best[z].ties
		}
	}
	for i := range r.special {
		if r.special[i].in && r.special[i].total == top {
			ties++
		}
	}
	pick := 0
	if ties > 1 {
		pick = int(hash(r.seed, forTie, uint64(pd.slot), r.attempt(pd)) % uint64(ties))
	}
	return r.nthBest(x, &want, top, start, looked, pick)
}

// nthBest is the best node of the window with that number, in its order. Whole
// blocks are passed over by their summaries.
func (r *run) nthBest(x *shapeIndex, want *[maxZones]int32, top int64, start, looked, pick int) int32 {
	points, zone, zones := x.points, r.w.zoneOf, r.zones()
	seen, end := 0, start+looked
	for _, part := range [2][2]int{{start, min(end, len(points))}, {0, end - len(points)}} {
		for i := part[0]; i < part[1]; i++ {
			if i%blockSize == 0 && i+blockSize <= part[1] && r.markedBlocks[i/blockSize] != r.markedRound {
				if k := x.blockTies(want, zones, i/blockSize); seen+k <= pick {
					seen += k
					i += blockSize - 1
					continue
				}
			}
			p := points[i]
			best := int32(p) == want[zone[i]&(maxZones-1)]
			if p == pointsMarked {
				k := r.specialAt(int32(i))
				best = k.in && k.total == top
			}
			if best {
				if seen == pick {
					return int32(i)
				}
				seen++
			}
		}
	}
	panic("sim: the window has fewer best nodes than were counted")
}

// blockTies counts a block's nodes with just the points that are wanted in their zone.
func (x *shapeIndex) blockTies(want *[maxZones]int32, zones, block int) int {
	at, sum := block*zones, 0
	for z := range zones {
		if x.counts[at+z] > 0 && int32(x.most[at+z]) == want[z&(maxZones-1)] {
			sum += int(x.ties[at+z])
		}
	}
	return sum
}
