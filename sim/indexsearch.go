package sim

import (
	"math"
	"math/bits"
	"slices"
)

// The search over the index by shape (index.go) in a window of nodes (indexwindow.go).

// specialNode is a node in the window that holds pods that the workload's constraints or its spreading count.
type specialNode struct {
	spread int64 // the raw score, as window.spread
	node   int32
	zone   uint8
	points uint8 // 0 once it is hidden
	ok     bool  // the constraints let the pod in
}

// searchIndex is choose over the index: the same window, filters, scores and
// choice among the best as search, score and best.
func (r *run) searchIndex(s *shape, spec *workloadSpec, pd *pod) int32 {
	v := &r.window
	v.x, v.zones, v.zoneWords = r.indexOf(spec.shape), r.w.zonesIndexed, r.w.zoneWords
	v.start, v.looked, v.found = r.nextNode, 0, 0
	r.special, r.markedNodes, v.closed = r.special[:0], r.markedNodes[:0], 0
	v.alone, v.hidden = [maxZones]uint8{}, v.hidden[:0]
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
	for _, h := range v.hidden {
		v.x.show(h.node, r.w)
	}
	for _, m := range r.markedNodes {
		v.apart.remove(m)
	}
	return at
}

// findWindow finds how many nodes must be looked at for enough candidates.
// Special nodes that the constraints keep the pod off are counted at first, and made up for.
func (r *run) findWindow(spec *workloadSpec, enough int) {
	v := &r.window
	n := len(r.nodes)
	if len(v.apart) != len(v.x.fits) {
		v.apart = newNodeSet(n)
		for z := range v.zones - 1 {
			v.ownBase[z] = 1
		}
	}
	for need := enough; need > 0 && v.looked < n; {
		from := v.looked
		if at := v.start + v.looked; at < n {
			need -= v.advance(at, n, need)
		}
		if at := v.start + v.looked - n; at >= 0 && need > 0 {
			need -= v.advance(at, v.start, need)
		}
		for _, m := range r.markedNodes {
			if o := v.offset(m); o < from || o >= v.looked || !v.x.fits.has(m) || v.apart.has(m) {
				continue
			}
			ok := r.constraintsAllow(m, spec.con)
			v.apart.add(m)
			r.addSpecial(m, ok)
			if !ok && !v.closed.has(int(r.w.zoneOf[m])) {
				v.found--
				need++
			}
		}
	}
}

// addSpecial has the search look at a candidate by itself.
func (r *run) addSpecial(n int32, ok bool) {
	v := &r.window
	z, p := r.w.zoneOf[n]&(maxZones-1), v.x.points[n]
	v.alone[z] = max(v.alone[z], p)
	r.special = append(r.special, specialNode{})
	k := &r.special[len(r.special)-1]
	k.node, k.zone, k.points, k.ok = n, uint8(z), p, ok
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
	v.survey()
	r.takeZones()
	lo, hi := int64(0), int64(0)
	switch {
	case soft:
		lo, hi = r.weighSoft(r.spreadTerms(spec))
	case own:
		lo, hi = r.weighOwn()
	}
	v.give(lo, hi, soft || own)
	for v.climb(); r.hideHigh(lo, hi, soft || own); v.climb() {
		v.cover()
		v.survey()
	}
	v.countTies()
	pick := 0
	if ties := v.ties + len(v.level); ties > 1 {
		pick = int(hash(r.seed, forTie, uint64(pd.slot), uint64(pd.attempt)) % uint64(ties))
	}
	return v.pick(pick)
}

// takeZones finds the open zones that have candidates besides the special nodes: there is one that has more points, or there are more than these.
func (r *run) takeZones() {
	v := &r.window
	v.taken = 0
	for zs := v.open; zs != 0; zs &= zs - 1 {
		z := zs.first()
		if v.peak[z] > v.alone[z] || v.hasMore(z, r.specialIn(z)) {
			v.taken |= zs & -zs
		}
	}
}

// specialIn is the number of special nodes in a zone.
func (r *run) specialIn(z int) (sum int) {
	for i := range r.special {
		sum += int(one(int(r.special[i].zone) == z))
	}
	return sum
}

// hideHigh hides the special nodes that are in the way of the search, and reports whether there were some. Where it holds no pod that
// counts, spreading gives to a node of the zone at least as much, so the others have less than the highest total.
func (r *run) hideHigh(lo, hi int64, spreads bool) (some bool) {
	v := &r.window
	if !v.someHigh() {
		return false
	}
	top := v.top
	for i := range r.special {
		k := &r.special[i]
		if k.points == 0 || v.taken.has(int(k.zone)) && int64(k.points)+v.spread[k.zone&(maxZones-1)] < top {
			continue
		}
		if !some {
			some, v.top = true, -1
		}
		h := hiddenNode{k.node, -1}
		if k.ok {
			h.total = int64(k.points) + stretched(k.spread, lo, hi, spreads)
		}
		v.hidden = append(v.hidden, h)
		k.points = 0
		v.x.hide(k.node, r.w)
	}
	if some {
		for _, h := range v.hidden {
			v.top = max(v.top, h.total)
		}
	}
	return some
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
			in |= 1 << k.zone
			noZone += int(one(int(k.zone) == v.zones-1))
		}
	}
	return bits.OnesCount32(uint32(in &^ (1 << (v.zones - 1)))), noZone
}

// ownSpread are the raw scores of default spreading for numbers of candidates and of zones that they span: by the pods on
// the node, and then by those in the zone as window.own has them. 0 where not worked out yet.
type ownSpread struct {
	counted, zones int
	raw            [8][32]int32
}

// markOwn finds the nodes in the window that hold pods of the workload itself, and counts its pods by node there
// and by zone.
func (r *run) markOwn(spec *workloadSpec) {
	v, byNode := &r.window, r.ownNodes()
	zoneOf, slots := r.w.zoneOf, r.liveAt[spec.slot0:][:spec.slots]
	start, looked, size := int32(v.start), int32(v.looked), int32(len(v.x.points))
	near, k := slices.Grow(byNode.touched, len(slots))[:len(slots)], 0
	v.own = v.ownBase
	for _, n := range slots {
		if n == none {
			continue
		}
		v.own[zoneOf[n]&(maxZones-1)]++
		near[k] = n // it stays if it is in the window, as offset tells, without a branch, which would be taken at random
		o := n - start
		if o += o >> 31 & size; o < looked {
			k++
		}
	}
	v.own[(v.zones-1)&(maxZones-1)] = 0
	byNode.touched = near[:k]
	at, fits := byNode.at, v.x.fits
	for _, n := range near[:k] {
		before := at[n]
		at[n] = before + 1
		if before == 0 && fits.has(n) && (len(r.markedNodes) == 0 || !v.apart.has(n)) && !v.closed.has(int(zoneOf[n])) {
			r.addSpecial(n, true)
		}
	}
}

// weighOwn works out the raw scores of default spreading, and tells the lowest and the highest.
func (r *run) weighOwn() (lo, hi int64) {
	v, t := &r.window, &r.ownSpread
	zones, _ := r.spanned()
	if t.counted != v.found || t.zones != zones {
		*t = ownSpread{counted: v.found, zones: zones}
	}
	lo = math.MaxInt64
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		z := zs.first()
		raw := t.known(0, v.own[z])
		if raw == 0 {
			raw = r.scoreOwn(0, v.own[z])
		}
		lo, hi = min(lo, raw), max(hi, raw)
		v.spread[z] = raw
	}
	for i := range r.special {
		k := &r.special[i]
		if !k.ok {
			continue
		}
		onNode, inZone := r.defaultMarks[0].get(k.node), v.own[k.zone&(maxZones-1)]
		if k.spread = t.known(onNode, inZone); k.spread == 0 {
			k.spread = r.scoreOwn(onNode, inZone)
		}
		lo, hi = min(lo, k.spread), max(hi, k.spread)
	}
	return lo, hi
}

// known is the raw score of default spreading of a node with so many pods of the workload, if it has been worked out, and else 0.
func (t *ownSpread) known(onNode, inZone int32) int64 {
	if uint32(onNode) < uint32(len(t.raw)) && uint32(inZone) < uint32(len(t.raw[0])) {
		return int64(t.raw[onNode][inZone])
	}
	return 0
}

// scoreOwn is the raw score of default spreading of a node with so many pods of the workload, as known has it from then on
// if there is room; inZone as window.own. It is above 0.
func (r *run) scoreOwn(onNode, inZone int32) int64 {
	t := &r.ownSpread
	sum := float64(float64(onNode)*r.logOf(t.counted+2)) + (defaultHostSkew - 1)
	if inZone > 0 {
		sum += float64(float64(inZone-1)*r.logOf(t.zones+2)) + (defaultZoneSkew - 1)
	}
	raw := int64(math.Round(sum))
	if int(onNode) < len(t.raw) && int(inZone) < len(t.raw[0]) {
		t.raw[onNode][inZone] = int32(raw)
	}
	return raw
}

// weighSoft works out the raw scores of the pod's own soft constraints, and tells the lowest and the highest of nodes that they do not ignore.
func (r *run) weighSoft(terms []spreadTerm, marks []markSet, ignore bool) (lo, hi int64) {
	v := &r.window
	labelled := v.zones - 1
	zones, noZone := r.spanned()
	counted := v.found
	if ignore && needsZone(terms) {
		counted -= noZone
		if v.open.has(labelled) {
			counted -= v.countIn(labelled) - r.specialIn(labelled)
		}
	}
	r.weights = r.weights[:0]
	for i := range terms {
		size := counted
		if terms[i].topo == topoZone {
			size = zones
		}
		r.weights = append(r.weights, r.logOf(size+2))
	}
	lo = math.MaxInt64
	for zs := v.taken; zs != 0; zs &= zs - 1 {
		z := zs.first()
		raw := r.rawIndex(int32(z), labelled, none, terms, marks, ignore)
		if v.spread[z] = raw; raw >= 0 {
			lo, hi = min(lo, raw), max(hi, raw)
		}
	}
	for i := range r.special {
		k := &r.special[i]
		if !k.ok {
			continue
		}
		if k.spread = r.rawIndex(int32(k.zone), labelled, k.node, terms, marks, ignore); k.spread >= 0 {
			lo, hi = min(lo, k.spread), max(hi, k.spread)
		}
	}
	return lo, hi
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
