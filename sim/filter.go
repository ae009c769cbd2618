package sim

// feasible reports whether kube-scheduler's filters let a pod of the workload
// onto the node: unschedulable, taints, selector and affinity (all in the
// class), host ports, resources, volumes, and the workload's own constraints.
// r.mark must have been called for the workload's constraints.
func (r *run) feasible(n int32, s *shape, spec *workloadSpec, p *pod) bool {
	nd := &r.nodes[n]
	if nd.flags&nodeRemoved != 0 || nd.taints&^s.tolerates != 0 {
		return false
	}
	if nd.flags&nodeUnschedulable != 0 && s.tolerates&taintUnschedulable == 0 {
		return false
	}
	if !s.fit[nd.class].ok || !r.fits(n, nd, s) || len(r.nominee) > 0 && !r.fitsBesideNominated(n, nd, s, spec, p) {
		return false
	}
	if spec.volume != 0 && !r.volumeAllows(n, spec, p.slot) {
		return false
	}
	return spec.con == nil || r.constraintsAllow(n, spec.con)
}

// fits is the resources and host ports filter.
func (r *run) fits(n int32, nd *node, s *shape) bool {
	return nd.hasRoom(s) && r.hasOther(n, s)
}

// hasRoom is fits for pods, cpu and memory.
func (nd *node) hasRoom(s *shape) bool {
	return nd.pods < nd.maxPods &&
		(s.cpu == 0 || s.cpu <= nd.cpu-nd.usedCPU) &&
		(s.memory == 0 || s.memory <= nd.memory-nd.usedMemory)
}

// hasOther is fits for what few pods ask for.
func (r *run) hasOther(n int32, s *shape) bool {
	return len(s.other)+len(s.ports) == 0 || r.fitsOther(n, s)
}

func (r *run) fitsOther(n int32, s *shape) bool {
	for i := range s.other {
		if s.other[i].n > r.w.nodes[n].other[s.other[i].name]-r.usedOther[otherOnNode{n, s.other[i].name}] {
			return false
		}
	}
	for _, p := range s.ports {
		if r.ports[portOnNode{n, p}] > 0 {
			return false
		}
	}
	return true
}

type otherOnNode struct {
	node int32
	name string
}

// volumeAllows holds a pod to the zone or the node of its volume, which is
// where the first pod of its slot was bound.
func (r *run) volumeAllows(n int32, spec *workloadSpec, slot int32) bool {
	if spec.volume&volumeLocal != 0 {
		if at, ok := r.slotNode[slot]; ok && at != n {
			return false
		}
	}
	if spec.volume&volumeZonal != 0 {
		if z, ok := r.slotZone[slot]; ok && z != r.nodes[n].zone {
			return false
		}
	}
	return true
}

// count is how many pods the counter has in the node's domain; ok is false
// where the node lacks the topology's label.
func (r *run) count(counter, topo, n int32, marks *markSet) (c int32, ok bool) {
	if topo == topoHost {
		if r.w.counters[counter].walked {
			return marks.get(n), true
		}
		return r.counts[counter][n], true
	}
	d := r.w.topo[topo].of[n]
	if d == none {
		return 0, false
	}
	return r.counts[counter][d], true
}

// constraintsAllow is the inter-pod affinity and topology spread filter.
func (r *run) constraintsAllow(n int32, con *constraints) bool {
	m := r.marks
	for i := range con.avoid {
		t := &con.avoid[i]
		if c, ok := r.count(t.counter, t.topo, n, &m[i]); ok && c > 0 {
			return false
		}
	}
	m = m[len(con.avoid):]
	for i := range con.attract {
		t := &con.attract[i]
		c, ok := r.count(t.counter, t.topo, n, &m[i])
		// The first pod of a group that attracts itself may go anywhere the label exists.
		if !ok || c == 0 && !(t.self && r.totals[i] == 0) {
			return false
		}
	}
	m = m[len(con.attract):]
	for i := range con.hard {
		t := &con.hard[i]
		c, ok := r.count(t.counter, t.topo, n, &m[i])
		if !ok {
			return false
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

// mark prepares r.marks, r.totals and r.minimum for the constraints of a
// workload: for each term on the hostname that is walked, the count by node.
func (r *run) mark(con *constraints, s *shape) {
	k := 0
	next := func(counter, topo int32) *markSet {
		if k == len(r.marks) {
			r.marks = append(r.marks, markSet{})
		}
		m := &r.marks[k]
		k++
		if topo == topoHost && r.w.counters[counter].walked {
			r.walk(m, counter)
		}
		return m
	}
	for i := range con.avoid {
		next(con.avoid[i].counter, con.avoid[i].topo)
	}
	r.totals = r.totals[:0]
	for i := range con.attract {
		next(con.attract[i].counter, con.attract[i].topo)
		r.totals = append(r.totals, r.bound(con.attract[i].counter))
	}
	r.minimum = r.minimum[:0]
	for i := range con.hard {
		m := next(con.hard[i].counter, con.hard[i].topo)
		r.minimum = append(r.minimum, r.leastOf(&con.hard[i], s, m))
	}
	for i := range con.soft {
		next(con.soft[i].counter, con.soft[i].topo)
	}
	for i := range con.prefer {
		next(con.prefer[i].counter, con.prefer[i].topo)
	}
}

// bound is the number of pods of the counter's workloads that stand on a node.
func (r *run) bound(counter int32) int32 {
	total := int32(0)
	for _, w := range r.w.counters[counter].members {
		for p := range r.podsOf(w) {
			if r.pods[p].node != none {
				total++
			}
		}
	}
	return total
}

// leastOf is the smallest count of a hard spread term over the domains that
// count: those with a node that its node affinity policy and node taints
// policy let in. With fewer domains than minDomains it is zero.
func (r *run) leastOf(t *spreadTerm, s *shape, m *markSet) int32 {
	if t.topo == topoHost {
		eligible := int32(0)
		for c := range r.classNodes {
			if t.letsIn(&s.fit[c]) {
				eligible += r.classNodes[c].let(t, s)
			}
		}
		return r.leastByNode(t, s, m, eligible)
	}
	least, domains := int32(-1), int32(0)
	for d := range r.w.topo[t.topo].domains {
		if !r.domainCounts(t, s, int32(d)) {
			continue
		}
		domains++
		if c := r.counts[t.counter][d]; least < 0 || c < least {
			least = c
		}
	}
	if least < 0 || domains < t.minDomains {
		return 0
	}
	return least
}

// leastByNode is leastOf for the hostname: zero unless every eligible node holds a pod.
func (r *run) leastByNode(t *spreadTerm, s *shape, m *markSet, eligible int32) int32 {
	if eligible < t.minDomains {
		return 0
	}
	if !r.w.counters[t.counter].walked {
		// A counter that is kept by node belongs to at least an eighth as many pods as there are nodes.
		least := int32(-1)
		for n, c := range r.counts[t.counter] {
			if r.nodeCounts(t, s, int32(n)) && (least < 0 || c < least) {
				least = c
			}
			if least == 0 {
				break
			}
		}
		return max(least, 0)
	}
	if int32(len(m.touched)) < eligible {
		return 0
	}
	least := int32(-1)
	for _, n := range m.touched {
		if c := m.get(n); r.nodeCounts(t, s, n) && (least < 0 || c < least) {
			least = c
		}
	}
	return max(least, 0)
}

func (r *run) nodeCounts(t *spreadTerm, s *shape, n int32) bool {
	nd := &r.nodes[n]
	return nd.flags&nodeRemoved == 0 && t.letsIn(&s.fit[nd.class]) && !(t.honorTaints && nd.taints&^s.tolerates != 0)
}

// letsIn reports whether nodes of a class count for the term: its node affinity
// policy looks at selector and affinity, its node taints policy at the nodes' own taints.
func (t *spreadTerm) letsIn(f *classFit) bool {
	return (t.ignoreAffinity || f.selected) && !(t.honorTaints && f.tainted)
}

// domainCounts reports whether the domain has a node that the term's policies let in.
func (r *run) domainCounts(t *spreadTerm, s *shape, d int32) bool {
	for c := range r.classNodes {
		if !t.letsIn(&s.fit[c]) {
			continue
		}
		k := r.domainNodes[t.topo][int(d)*len(r.classNodes)+c]
		if k.let(t, s) > 0 {
			return true
		}
	}
	return false
}

// nodeTally counts nodes by the taints that the node controllers gave them.
type nodeTally [4]int32

// let is how many of them the term's node taints policy lets in.
func (k *nodeTally) let(t *spreadTerm, s *shape) int32 {
	sum := int32(0)
	for taints, n := range k {
		if !t.honorTaints || taintBits(taints)&^s.tolerates == 0 {
			sum += n
		}
	}
	return sum
}

// markSet is a count by node that is cleared in the time it took to fill.
type markSet struct {
	at      []int32
	touched []int32
}

func (m *markSet) get(n int32) int32 {
	if int(n) >= len(m.at) {
		return 0
	}
	return m.at[n]
}

func (m *markSet) clear() {
	at := m.at
	for _, n := range m.touched {
		at[uint32(n)] = 0
	}
	m.touched = m.touched[:0]
}

// walk counts the pods of a counter by node.
func (r *run) walk(m *markSet, counter int32) {
	m.clear()
	if len(m.at) < len(r.nodes) {
		m.at = make([]int32, len(r.nodes))
	}
	k := &r.w.counters[counter]
	for _, w := range k.members {
		r.walkWorkload(m, w, k.live)
	}
}

// walkWorkload adds a workload's pods to the count by node: those that are not terminating, or all.
func (r *run) walkWorkload(m *markSet, w int32, live bool) {
	spec := &r.w.workloads[w]
	slots := r.slots[spec.slot0:][:spec.slots]
	for i, n := range r.liveAt[spec.slot0:][:spec.slots] {
		m.add(n)
		if live || slots[i].ending == 0 {
			continue
		}
		for p := slots[i].newest; p != none; p = r.pods[p].before {
			if r.pods[p].state == podTerminating {
				m.add(r.pods[p].node)
			}
		}
	}
}

func (m *markSet) add(n int32) {
	if n == none {
		return
	}
	if m.at[n] == 0 {
		m.touched = append(m.touched, n)
	}
	m.at[n]++
}
