package sim

import (
	"math"
	"math/bits"
)

// The search over the index by shape (index.go) in a window of nodes (indexwindow.go).

// specialNode is a node that holds pods that the workload's constraints or its spreading count.
type specialNode struct {
	node   int32
	points uint8
	ok     bool  // the constraints let the pod in
	total  int64 // before it is normalised, what spreading gives
}

// searchIndex is choose over the index: the same window, filters, scores and
// choice among the best as search, score and best.
func (r *run) searchIndex(s *shape, spec *workloadSpec, pd *pod) int32 {
	v := &r.window
	v.x, v.zones, v.zoneWords = r.indexOf(spec.shape), r.w.zonesIndexed, r.w.zoneWords
	v.start, v.looked, v.found = r.nextNode, 0, 0
	if len(v.apart) != len(v.x.fits) {
		v.apart = newNodeSet(len(r.nodes))
	}
	r.special, r.markedNodes, v.closed = r.special[:0], r.markedNodes[:0], 0
	if spec.con != nil {
		r.markIndex(s, spec)
		for z := range v.zones {
			if !r.zoneAllows(int32(z), v.zones-1, spec.con) {
				v.closed |= 1 << z
			}
		}
	}
	v.open = r.w.peopled &^ v.closed
	enough := enoughFeasible(int(r.present))
	if r.placing {
		enough = min(enough, allNodesUpTo)
	}
	r.findWindow(spec, enough)
	if r.nextNode += v.looked; r.nextNode >= len(r.nodes) {
		r.nextNode -= len(r.nodes)
	}
	at := none
	if v.found > 0 {
		at = r.pickIndex(spec, pd)
	}
	for i := range r.special {
		v.apart.remove(r.special[i].node)
	}
	return at
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
			if !ok && !v.closed.has(int(r.w.zoneOf[m])) {
				v.found--
				need++
			}
		}
	}
}

func (r *run) addSpecial(n int32, ok bool) {
	r.window.apart.add(n)
	r.special = append(r.special, specialNode{node: n, points: r.window.x.points[n], ok: ok})
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

// pickIndex weighs the nodes of the window, and picks by chance among those with the highest total, in the order of the window.
func (r *run) pickIndex(spec *workloadSpec, pd *pod) int32 {
	v := &r.window
	soft := spec.con != nil && len(spec.con.soft) > 0
	own := !soft && spec.spreads
	if own {
		r.markOwn(spec)
	}
	v.cover()
	v.taken = v.zonesTaken()
	switch {
	case soft:
		r.weighSoft(r.spreadTerms(spec))
	case own:
		r.weighOwn()
	}
	r.normalise(soft || own)
	v.top, v.ties, v.hits, v.mixed = -1, 0, v.hits[:0], false
	for i := range r.special {
		if k := &r.special[i]; k.ok {
			v.top = max(v.top, k.total)
		}
	}
	v.climbDown()
	for i := range r.special {
		if k := &r.special[i]; k.ok {
			word, part := int(k.node/wordBits), 0
			if int(k.node) < v.start {
				part = 1
			}
			v.hit(k.total, v.parts[part].order+word, word, 1<<(k.node%wordBits))
		}
	}
	pick := 0
	if v.ties > 1 {
		pick = int(hash(r.seed, forTie, uint64(pd.slot), r.attempt(pd)) % uint64(v.ties))
	}
	return v.nthHit(pick)
}

// normalise turns the raw scores of spreading, of the zones and the special nodes, into what it gives, stretched
// over all of them, and works out the totals of the special ones. Without spreading everything gets the same.
func (r *run) normalise(spreads bool) {
	v := &r.window
	lo, hi := int64(math.MaxInt64), int64(0)
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		if raw := v.spread[zs.first()]; raw >= 0 {
			lo, hi = min(lo, raw), max(hi, raw)
		}
	}
	for i := range r.special {
		if k := &r.special[i]; k.ok && k.total >= 0 {
			lo, hi = min(lo, k.total), max(hi, k.total)
		}
	}
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		z := zs.first()
		v.spread[z] = stretched(v.spread[z], lo, hi, spreads)
	}
	for i := range r.special {
		if k := &r.special[i]; k.ok {
			k.total = int64(k.points) + stretched(k.total, lo, hi, spreads)
		}
	}
}

// stretched is what spreading gives for a raw score, where the lowest and the highest are known; nothing for -1.
func stretched(raw, lo, hi int64, spreads bool) int64 {
	switch {
	case !spreads || raw < 0:
		return 0
	case hi == 0:
		return weightSpread * maxScore
	}
	return weightSpread * (maxScore * (hi + lo - raw) / hi)
}

// spanned are the zones of all candidates, and how many of the special ones have none.
func (r *run) spanned() (zones, noZone int) {
	v := &r.window
	in := v.taken
	for i := range r.special {
		if k := &r.special[i]; k.ok {
			z := int(r.w.zoneOf[k.node])
			in |= 1 << z
			noZone += int(one(z == v.zones-1))
		}
	}
	return bits.OnesCount32(uint32(in &^ (1 << (v.zones - 1)))), noZone
}

// ownSpread are the raw scores of default spreading for numbers of candidates and of zones that they span: by the pods on
// the node, and by those in the zone and 1, or 0 for a node without a zone. 0 where not worked out yet.
type ownSpread struct {
	counted, zones int
	raw            [8][32]int32
}

// markOwn finds the nodes in the window that hold pods of the workload itself, and counts its pods by node there
// and by zone.
func (r *run) markOwn(spec *workloadSpec) {
	v := &r.window
	zoneOf := r.w.zoneOf
	byNode := r.ownNodes()
	v.own = [maxZones]int32{}
	for _, n := range r.liveAt[spec.slot0:][:spec.slots] {
		if n == none {
			continue
		}
		v.own[zoneOf[n]&(maxZones-1)]++
		if v.offset(n) >= v.looked || v.x.points[n] == 0 {
			continue
		}
		if byNode.add(n); !v.apart.has(n) {
			r.addSpecial(n, true)
		}
	}
}

// weighOwn works out the raw scores of default spreading.
func (r *run) weighOwn() {
	v, t := &r.window, &r.ownSpread
	zones, _ := r.spanned()
	if t.counted != v.found || t.zones != zones {
		*t = ownSpread{counted: v.found, zones: zones}
	}
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		z := zs.first()
		v.spread[z] = r.rawOwn(0, z)
	}
	for i := range r.special {
		if k := &r.special[i]; k.ok {
			k.total = r.rawOwn(r.defaultMarks[0].get(k.node), int(r.w.zoneOf[k.node]))
		}
	}
}

// rawOwn is the raw score of default spreading of a node with so many pods of the workload, in the zone.
func (r *run) rawOwn(onNode int32, z int) int64 {
	v, t := &r.window, &r.ownSpread
	inZone := int32(0)
	if z < v.zones-1 {
		inZone = v.own[z&(maxZones-1)] + 1
	}
	if int(onNode) >= len(t.raw) || int(inZone) >= len(t.raw[0]) {
		return r.scoreOwn(onNode, inZone)
	}
	known := &t.raw[onNode][inZone]
	if *known == 0 {
		*known = int32(r.scoreOwn(onNode, inZone))
	}
	return int64(*known)
}

// scoreOwn works out what rawOwn tells; inZone is the pods there and 1, 0 for no zone. It is above 0.
func (r *run) scoreOwn(onNode, inZone int32) int64 {
	t := &r.ownSpread
	sum := float64(float64(onNode)*r.logOf(t.counted+2)) + (defaultHostSkew - 1)
	if inZone > 0 {
		sum += float64(float64(inZone-1)*r.logOf(t.zones+2)) + (defaultZoneSkew - 1)
	}
	return int64(math.Round(sum))
}

// weighSoft works out the raw scores of the pod's own soft constraints.
func (r *run) weighSoft(terms []spreadTerm, marks []markSet, ignore bool) {
	v := &r.window
	labelled := v.zones - 1
	zones, noZone := r.spanned()
	counted := v.found
	if ignore && needsZone(terms) {
		counted -= noZone + v.countIn(labelled)
	}
	r.weights = r.weights[:0]
	for i := range terms {
		size := counted
		if terms[i].topo == topoZone {
			size = zones
		}
		r.weights = append(r.weights, r.logOf(size+2))
	}
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		z := zs.first()
		v.spread[z] = r.rawIndex(int32(z), labelled, none, terms, marks, ignore)
	}
	for i := range r.special {
		if k := &r.special[i]; k.ok {
			k.total = r.rawIndex(int32(r.w.zoneOf[k.node]), labelled, k.node, terms, marks, ignore)
		}
	}
}

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
