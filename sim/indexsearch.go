package sim

import (
	"math"
	"math/bits"
)

// The search over the index by shape (index.go) in a window of nodes (indexwindow.go).

// specialNode is a node in the window that holds pods that the workload's constraints or its spreading count.
type specialNode struct {
	spread int64 // the raw score, as window.raw
	node   int32
	zone   uint8
	points uint8 // 0 once it is hidden
	ok     bool  // the constraints let the pod in
}

// searchIndex is choose over the index: the same window, filters, scores and
// choice among the best as search, score and best.
func (r *run) searchIndex(s *shape, spec *workloadSpec, pd *pod) int32 {
	v := &r.window
	if v.x = r.indexOf(spec.shape, s); v.zoneWords == nil {
		v.begin(r.w)
	}
	v.start, v.looked, v.found, v.closed, v.floor = r.nextNode, 0, 0, 0, 1
	v.forgetZones()
	if spec.con != nil {
		r.markIndex(s, spec)
		for z := range v.zones {
			if !r.zoneAllows(int32(z), v.zones-1, spec.con) {
				v.closed |= 1 << z
			}
		}
	}
	if open := r.w.peopled &^ v.closed; open != v.open {
		v.open, v.openMask = open, maskOf(open)
	}
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
	r.forgetSpecial()
	return at
}

// begin readies the window for its first search.
func (v *window) begin(w *World) {
	v.zones, v.width, v.zoneWords, v.apart = w.zonesIndexed, lanesOf(w.zonesIndexed), w.zoneWords, newNodeSet(len(w.nodes))
	v.spreadings = make([]spreading, 256)
}

// forgetZones makes the numbers by zone 0. With few zones the others are.
func (v *window) forgetZones() {
	if v.width == 1 {
		own, special, alone, most := (*[perLanes]int32)(v.own[:]), (*[perLanes]int32)(v.special[:]), (*[perLanes]int32)(v.alone[:]), (*[perLanes]int32)(v.most[:])
		*own, *special, *alone, *most = [perLanes]int32{}, [perLanes]int32{}, [perLanes]int32{}, [perLanes]int32{}
		return
	}
	v.own, v.special, v.alone, v.most = [maxZones]int32{}, [maxZones]int32{}, [maxZones]int32{}, [maxZones]int32{}
}

// forgetSpecial leaves the index and the window without special nodes, as the next search wants them.
func (r *run) forgetSpecial() {
	v := &r.window
	for _, h := range v.hidden {
		v.x.show(h.node)
	}
	for i := range r.special {
		v.apart.remove(r.special[i].node)
	}
	r.special, r.markedNodes, v.hidden, v.listed = r.special[:0], r.markedNodes[:0], v.hidden[:0], false
}

// findWindow finds how many nodes must be looked at for enough candidates.
// Special nodes that the constraints keep the pod off are counted at first, and made up for.
func (r *run) findWindow(spec *workloadSpec, enough int) {
	v := &r.window
	for v.found < enough && v.looked < len(r.nodes) {
		from := v.looked
		v.advance(enough - v.found)
		for _, m := range r.markedNodes {
			if o := v.offset(m); o < from || o >= v.looked || !v.x.fits.has(m) || v.apart.has(m) {
				continue
			}
			ok := r.constraintsAllow(m, spec.con)
			r.addSpecial(m, ok)
			z := r.w.zoneOf[m] & (maxZones - 1)
			v.special[z]++
			v.alone[z] = max(v.alone[z], int32(v.x.points[m]))
			if ok {
				v.most[z] = max(v.most[z], 1)
			} else if !v.closed.has(int(z)) {
				v.found--
			}
		}
	}
}

// addSpecial has the search look at a candidate by itself.
func (r *run) addSpecial(n int32, ok bool) {
	v := &r.window
	v.apart.add(n)
	r.special = append(r.special, specialNode{node: n, zone: uint8(r.w.zoneOf[n]), points: v.x.points[n], ok: ok})
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
	few := len(r.special) < laneMost/2
	if own {
		r.markOwn(spec)
		few = few && spec.slots < laneMost/2
	}
	v.cover()
	v.takeZones(few)
	lo, hi := int64(0), int64(0)
	switch {
	case soft:
		lo, hi = r.weighSoft(r.spreadTerms(spec))
		v.give(lo, hi, true)
	case own:
		lo, hi = r.spreadOwn(few)
	default:
		v.spread = [len(v.spread)]lanes{}
	}
	for v.climb(); v.someHigh() && r.hideHigh(lo, hi, own, soft || own); v.climb() {
		v.cover()
	}
	v.countTies()
	pick := 0
	if ties := v.ties + len(v.level); ties > 1 {
		pick = int(hash(r.seed, forTie, uint64(pd.slot), uint64(pd.attempt)) % uint64(ties))
	}
	return v.pick(pick)
}

// hideHigh hides the special nodes that are in the way of the search, and reports whether there were some. Where it holds no pod that
// counts, spreading gives to a node of the zone at least as much, so the others have less than the highest total.
func (r *run) hideHigh(lo, hi int64, own, spreads bool) (some bool) {
	v := &r.window
	if own {
		r.listOwn()
	}
	for i := range r.special {
		k := &r.special[i]
		if k.points == 0 || v.taken.has(int(k.zone)) && int(k.points)+v.spread[k.zone%maxZones/perLanes].at(uint(k.zone)) < v.top {
			continue
		}
		h := hiddenNode{k.node, -1}
		if k.ok {
			h.total = int(k.points) + int(stretched(k.spread, lo, hi, spreads))
		}
		v.hidden = append(v.hidden, h)
		v.floor = max(v.floor, h.total)
		k.points = 0
		v.x.hide(k.node)
		some = true
	}
	return some
}

// stretched is what spreading gives for a raw score, where the lowest and the highest are known; nothing for -1.
func stretched(raw, lo, hi int64, spreads bool) int64 {
	switch {
	case !spreads || raw < 0:
		return 0
	case raw == lo || hi == 0:
		return weightSpread * maxScore
	}
	return weightSpread * (maxScore * (hi + lo - raw) / hi)
}

// noZone is how many of the special nodes that the constraints let the pod onto have none.
func (r *run) noZone() (sum int) {
	for i := range r.special {
		sum += int(one(r.special[i].ok && int(r.special[i].zone) == r.window.zones-1))
	}
	return sum
}

// spanned is the number of zones of all candidates.
func (v *window) spanned() int {
	in := v.taken
	for zs := v.open &^ in; zs != 0; zs &= zs - 1 {
		if v.most[zs.first()] > 0 {
			in |= zs & -zs
		}
	}
	return bits.OnesCount32(uint32(in &^ (1 << (v.zones - 1))))
}

// ownSpread are the raw scores of default spreading for numbers of candidates and of zones that they span: by the pods on
// the node, and then by those in the zone and 1, 0 without a zone. 0 where not worked out yet.
type ownSpread struct {
	counted, zones int
	raw            [8][32]int32
}

// begin forgets what belongs to other numbers.
func (t *ownSpread) begin(counted, zones int) {
	if t.counted != counted || t.zones != zones {
		*t = ownSpread{counted: counted, zones: zones}
	}
}

// markOwn counts the workload's own pods by zone, and by node where they lie in the window.
func (r *run) markOwn(spec *workloadSpec) {
	v, m := &r.window, r.ownNodes()
	zoneOf, slots := r.w.zoneOf, r.liveAt[spec.slot0:][:spec.slots]
	if cap(m.touched) < len(slots) {
		m.touched = make([]int32, 0, 2*len(slots))
	}
	// The window is what lies in a range, or what does not.
	from, size, outside := uint(v.start), uint(v.looked), 0
	if end := v.start + v.looked - len(zoneOf); end > 0 {
		from, size, outside = uint(end), uint(len(zoneOf)-v.looked), 1
	}
	near, k := m.touched[:len(slots)], 0
	for _, n := range slots {
		i := uint(uint32(n))
		if i >= uint(len(zoneOf)) {
			continue // none
		}
		v.own[zoneOf[i]&(maxZones-1)]++
		near[k] = n // it stays if it is in the window, without a branch, which would be taken at random
		in := 0
		if i-from < size {
			in = 1
		}
		k += in ^ outside
	}
	m.touched = m.touched[:k]
	r.viewOwn(near[:k], m.at)
}

// viewOwn tells what the zones have to know of candidates that hold pods of the workload itself.
func (r *run) viewOwn(near, at []int32) {
	v := &r.window
	points := v.x.points
	at, zoneOf := at[:len(points)], r.w.zoneOf[:len(points)]
	for _, n := range near {
		i := uint(uint32(n))
		at[i]++
		c, p := at[i], int32(points[i])
		if p == 0 || len(r.special) > 0 && v.apart.has(n) {
			continue
		}
		z := zoneOf[i] & (maxZones - 1)
		if c == 1 {
			v.special[z]++
			v.alone[z] = max(v.alone[z], p)
		}
		if v.most[z] <= c {
			v.most[z] = c + 1
		}
	}
	for i := range r.special {
		if s := &r.special[i]; s.ok {
			z := s.zone & (maxZones - 1)
			v.most[z] = max(v.most[z], at[s.node]+1)
		}
	}
}

// listOwn adds the candidates that hold pods of the workload itself to the special nodes, and works the raw scores of all of these out.
func (r *run) listOwn() {
	v, m := &r.window, &r.defaultMarks[0]
	if v.listed {
		return
	}
	v.listed = true
	r.ownSpread.begin(v.found, v.spanned())
	for _, n := range m.touched {
		if v.x.points[n] != 0 && !v.apart.has(n) && v.open.has(int(r.w.zoneOf[n])) {
			r.addSpecial(n, true)
		}
	}
	for i := range r.special {
		k := &r.special[i]
		k.spread = r.rawOwn(m.at[k.node], v.ownIn(int(k.zone)))
	}
}

// ownIn is how many pods of the workload itself are in a zone, and 1; 0 for nodes without one.
func (v *window) ownIn(z int) int32 {
	if z == v.zones-1 {
		return 0
	}
	return v.own[z%maxZones] + 1
}

// spreading is what default spreading gives to the zones of a window, all of which have candidates that are not special, by what it depends on.
// Most searches find the one that they need: the pods of workloads are spread much alike.
type spreading struct {
	own, most lanes
	of        uint64 // the candidates and the zones
	spread    lanes
	lo, hi    int64
}

// spreadOwn works out what default spreading gives, if it does not know, and tells the lowest and the highest raw score.
func (r *run) spreadOwn(few bool) (lo, hi int64) {
	v := &r.window
	if !few || v.width > 1 || v.taken != v.open || len(r.special) > 0 {
		lo, hi = r.weighOwn()
		v.give(lo, hi, true)
		return lo, hi
	}
	own, most, of := lanesFrom(&v.own, 0), lanesFrom(&v.most, 0), uint64(v.found)<<maxZones|uint64(v.taken)
	k := &v.spreadings[(uint64(own)*0x9e3779b97f4a7c15^uint64(most)*0xbf58476d1ce4e5b9)>>(64-8)]
	if k.own != own || k.most != most || k.of != of {
		lo, hi = r.weighOwn()
		v.give(lo, hi, true)
		*k = spreading{own, most, of, v.spread[0], lo, hi}
	}
	v.spread[0] = k.spread
	return k.lo, k.hi
}

// weighOwn works out the raw scores of default spreading by zone, and tells the lowest and the highest of all candidates. That of
// a node is the higher the more pods it holds.
func (r *run) weighOwn() (lo, hi int64) {
	v, t := &r.window, &r.ownSpread
	t.begin(v.found, v.spanned())
	lo = math.MaxInt64
	for zs := v.open; zs != 0; zs &= zs - 1 {
		z := zs.first()
		own, most := v.ownIn(z), v.most[z]
		if most > 0 {
			raw := t.known(most-1, own)
			if raw == 0 {
				raw = r.scoreOwn(most-1, own)
			}
			hi = max(hi, raw)
		}
		if v.taken.has(z) {
			raw := t.known(0, own)
			if raw == 0 {
				raw = r.scoreOwn(0, own)
			}
			v.raw[z] = raw
			lo, hi = min(lo, raw), max(hi, raw)
		} else if most > 0 {
			lo = min(lo, r.leastOwn())
		}
	}
	return lo, hi
}

// leastOwn is the lowest raw score of a special node that the constraints let the pod onto.
func (r *run) leastOwn() int64 {
	r.listOwn()
	least := int64(math.MaxInt64)
	for i := range r.special {
		if k := &r.special[i]; k.ok {
			least = min(least, k.spread)
		}
	}
	return least
}

// rawOwn is the raw score of default spreading of a node with so many pods of the workload; inZone as window.ownIn. It is above 0.
func (r *run) rawOwn(onNode, inZone int32) int64 {
	if raw := r.ownSpread.known(onNode, inZone); raw != 0 {
		return raw
	}
	return r.scoreOwn(onNode, inZone)
}

// known is the raw score of default spreading of a node with so many pods of the workload, if it has been worked out, and else 0.
func (t *ownSpread) known(onNode, inZone int32) int64 {
	if uint32(onNode) < uint32(len(t.raw)) && uint32(inZone) < uint32(len(t.raw[0])) {
		return int64(t.raw[onNode][inZone])
	}
	return 0
}

// scoreOwn works out what rawOwn is, as known has it from then on if there is room.
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
	zones, counted := v.spanned(), v.found
	if ignore && needsZone(terms) {
		counted -= r.noZone()
		if v.open.has(labelled) {
			counted -= v.countIn(labelled) - int(v.special[labelled])
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
		if v.raw[z] = raw; raw >= 0 {
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
