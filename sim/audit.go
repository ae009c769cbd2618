package sim

import (
	"fmt"
	"slices"

	"upsim/sim/invariant"
)

// audit recomputes from the pods and nodes alone everything that is kept up to
// date step by step, and the invariants of every subject, and panics where the two
// differ. It looks at everything and is for tests (Options.Audit).
func (r *run) audit() {
	r.auditPods()
	r.auditNodes()
	r.auditInvariants()
	r.auditControlPlane()
	r.auditDrains()
	r.auditGates()
	r.auditIndex()
	r.auditZones()
	r.auditIdle()
	r.auditWindows()
}

func (r *run) fail(format string, args ...any) {
	panic(fmt.Sprintf("sim: audit at %s: ", formatSeconds(r.now)) + fmt.Sprintf(format, args...))
}

// podSums is what a workload keeps of its pods.
type podSums struct{ live, ready, available, broken, seen, behind, pending int32 }

func (r *run) auditPods() {
	byWorkload := make([]podSums, len(r.workloads))
	budgets := make([]budget, len(r.budgets))
	for i := range r.pods {
		pd := &r.pods[i]
		if pd.state == podFree {
			continue
		}
		r.sumPod(pd, &byWorkload[pd.workload])
		if b := r.w.workloads[pd.workload].budget; b != none {
			budgets[b].pods += one(r.budgets[b].countPods)
			budgets[b].ready += one(pd.flags&podReady != 0)
			budgets[b].disrupted += one(pd.flags&(podReady|podDisrupted) == podReady|podDisrupted)
			for _, b := range r.w.alsoBudgets[pd.workload] {
				budgets[b].pods += one(r.budgets[b].countPods)
				budgets[b].ready += one(pd.flags&podReady != 0)
			}
		}
	}
	unavailable := int32(0)
	for i := range r.workloads {
		wl := &r.workloads[i]
		if got := (podSums{wl.live, wl.ready, wl.available, wl.broken, wl.seen, wl.behind, wl.pending}); got != byWorkload[i] {
			r.fail("%s has %+v, counted %+v", r.w.workloadSubject(int32(i)), got, byWorkload[i])
		}
		if wl.unwell != wl.broken+wl.behind+wl.pending {
			r.fail("%d pods of %s are broken, %d behind, %d pending, counted %d", wl.broken, r.w.workloadSubject(int32(i)), wl.behind, wl.pending, wl.unwell)
		}
		unavailable += one(wl.available < wl.baseline)
	}
	if unavailable != r.unavailable {
		r.fail("%d workloads are unavailable, counted %d", r.unavailable, unavailable)
	}
	for i := range r.budgets {
		b := &r.budgets[i]
		if b.pods != budgets[i].pods || b.ready != budgets[i].ready || b.disrupted != budgets[i].disrupted {
			r.fail("%s has %d pods, %d ready, %d disrupted, counted %d, %d, %d", r.w.budgetSubject(int32(i)),
				b.pods, b.ready, b.disrupted, budgets[i].pods, budgets[i].ready, budgets[i].disrupted)
		}
		if b.syncAt != never && !b.planned && r.awaitsSync(b) {
			r.fail("the status of %s is to be written, and no event is there for it", r.w.budgetSubject(int32(i)))
		}
		r.auditParked(int32(i))
	}
}

// sumPod counts a pod by its own state.
func (r *run) sumPod(pd *pod, s *podSums) {
	ready := pd.flags&podReady != 0
	if ready && pd.state != podRunning {
		r.fail("%s is Ready in state %d", r.w.podSubject(pd.workload, pd.slot), pd.state)
	}
	if pd.flags&podBehind != 0 && !ready {
		r.fail("%s catches up and is not Ready", r.w.podSubject(pd.workload, pd.slot))
	}
	s.live += one(pd.state != podTerminating)
	s.ready += one(ready)
	s.available += one(pd.flags&(podAvailable|podSeen) == podAvailable)
	s.broken += one(pd.flags&podBroken != 0)
	s.seen += one(pd.flags&podSeen != 0)
	s.behind += one(pd.flags&podBehind != 0)
	s.pending += one(pd.state == podParked || pd.flags&podWaits != 0)
}

// auditParked looks at the claims that are parked on a budget.
func (r *run) auditParked(i int32) {
	b := &r.budgets[i]
	if b.parking == nil {
		return
	}
	parked := slices.Clone(b.beside)
	for k, x := range b.parked {
		cl := &r.claims[x.claim]
		if p := r.drains[cl.drain].rhythm.steady(cl.refusals); !cl.listed || p != b.period || x.phase != cl.parked%p || k > 0 && comparePhase(b.parked[k-1], x) >= 0 {
			r.fail("a claim is in the wrong place of the list of %s", r.w.budgetSubject(i))
		}
		parked = append(parked, x.claim)
	}
	unready := int32(0)
	for _, c := range parked {
		cl := &r.claims[c]
		if cl.state != claimParked {
			r.fail("a claim in state %d is parked on %s", cl.state, r.w.budgetSubject(i))
		}
		unready += one(r.pods[cl.pod].flags&podReady == 0)
	}
	if unready != b.unready || int(b.waiting) != len(parked) {
		r.fail("%s has %d parked claims on pods that are not Ready, counted %d", r.w.budgetSubject(i), b.unready, unready)
	}
}

// nodeSums is what a node keeps of its pods.
type nodeSums struct {
	cpu, memory, nzCPU, nzMemory int64
	pods, notWell                int32
}

func (r *run) auditNodes() {
	byNode := make([]nodeSums, len(r.nodes))
	counts := make([][]int32, len(r.counts))
	for i := range counts {
		counts[i] = make([]int32, len(r.counts[i]))
	}
	for i := range r.pods {
		if pd := &r.pods[i]; pd.state != podFree && pd.node != none {
			r.sumOnNode(pd, &byNode[pd.node])
			r.sumCounters(pd, counts)
		}
	}
	r.auditLive()
	notReady := make([]int32, len(r.rollout.stages))
	for i := range r.nodes {
		nd := &r.nodes[i]
		if got := (nodeSums{nd.usedCPU, nd.usedMemory, nd.nzCPU, nd.nzMemory, nd.pods, nd.notWell}); got != byNode[i] {
			r.fail("%s has %+v, counted %+v", r.w.nodeSubject(int32(i)), got, byNode[i])
		}
		if nd.stage != 0 && nd.flags&nodeReady == 0 {
			notReady[nd.stage-1]++
		}
	}
	for i := range notReady {
		if s := &r.rollout.stages[i]; notReady[i] != s.notReady {
			r.fail("%d nodes of stage %s are not Ready, counted %d", s.notReady, s.Name, notReady[i])
		}
	}
	for k := range counts[:r.w.ownByNode] {
		for d := range counts[k] {
			if counts[k][d] != r.counts[k][d] {
				r.fail("counter %d has %d in domain %d, counted %d", k, r.counts[k][d], d, counts[k][d])
			}
		}
	}
}

// sumOnNode counts a pod where it stands.
func (r *run) sumOnNode(pd *pod, n *nodeSums) {
	s := &r.w.shapes[r.w.workloads[pd.workload].shape]
	n.cpu += s.cpu
	n.memory += s.memory
	n.nzCPU += s.nzCPU
	n.nzMemory += s.nzMemory
	n.pods++
	n.notWell += one(pd.flags&(podBroken|podSick) != 0)
}

// sumCounters counts a pod in the domains of the counters that it feeds.
func (r *run) sumCounters(pd *pod, counts [][]int32) {
	for _, k := range r.w.fedBy(pd.workload) {
		c := &r.w.counters[k]
		if c.live && pd.state == podTerminating {
			continue
		}
		d := pd.node
		if c.topo != topoHost {
			d = r.w.topo[c.topo].of[pd.node]
		}
		if d != none {
			counts[k][d]++
		}
	}
}

// auditLive recounts where the pods stand that spreading looks at, and the others.
func (r *run) auditLive() {
	at, ending := make([]int32, len(r.liveAt)), make([]uint16, len(r.liveAt))
	for i := range at {
		at[i] = none
	}
	for i := range r.pods {
		switch pd := &r.pods[i]; {
		case pd.state == podFree || pd.node == none:
		case pd.state == podTerminating:
			ending[pd.slot]++
		default:
			at[pd.slot] = pd.node
		}
	}
	for i := range at {
		if at[i] != r.liveAt[i] || ending[i] != r.slots[i].ending {
			r.fail("slot %d stands on %d, and %d pods of it terminate, counted %d and %d", i, r.liveAt[i], r.slots[i].ending, at[i], ending[i])
		}
	}
}

// auditInvariants holds the rules of every subject, from the facts as they are now, against the log.
func (r *run) auditInvariants() {
	same := func(c invariant.Class, id int32, mask uint16) {
		mask &^= r.log.Quiet[c]
		if got := r.log.Mask(c, id); got != mask {
			r.fail("%s breaks %b in the log, %b by its facts", r.subject(c, id), got, mask)
		}
	}
	for i := range int32(len(r.workloads)) {
		if r.w.workloads[i].kind != staticPod {
			same(invariant.Workloads, i, r.workloadFacts(i).Broken())
		}
	}
	for n := range int32(len(r.nodes)) {
		if r.nodes[n].flags&nodeRemoved == 0 {
			same(invariant.Nodes, n, r.nodeFacts(n).Broken())
		}
	}
	for b := range int32(len(r.budgets)) {
		if bg := &r.budgets[b]; bg.shared {
			same(invariant.Budgets, b, invariant.Budget{Desired: bg.desired, Healthy: bg.ready, FloorBroken: r.floorBroken(b)}.Broken())
		}
	}
}

// auditControlPlane holds the rules of the components and of the whole against the log.
func (r *run) auditControlPlane() {
	whole, parts := r.controlPlaneFacts()
	if got := r.log.Mask(invariant.ControlPlanes, 0); got != whole.Broken() {
		r.fail("the control plane breaks %b in the log, %b by its facts", got, whole.Broken())
	}
	for id, f := range parts {
		if n := len(r.cp.instances); id < 4*n && !r.cp.instances[id%n].there && r.log.Mask(invariant.Components, int32(id)) != 0 {
			r.fail("%s breaks a rule in the log, and is not there", r.componentSubject(int32(id)))
		}
		if got := r.log.Mask(invariant.Components, int32(id)); f != nil && got != f.Broken() {
			r.fail("%s breaks %b in the log, %b by its facts", r.componentSubject(int32(id)), got, f.Broken())
		}
	}
	if o, n := int32(r.oldestAPI().Minor), int32(r.newestAPI().Minor); o != r.cp.oldest || n != r.cp.newest {
		r.fail("API servers are at %d to %d, counted %d to %d", r.cp.oldest, r.cp.newest, o, n)
	}
	if down := r.apiAnswersAt() > r.now; down != (whole.APIServersUp == 0) || down != (r.cp.apiDownUntil > r.now) {
		r.fail("%d API servers answer, and one does from %d on, counted %d", whole.APIServersUp, r.cp.apiDownUntil, r.apiAnswersAt())
	}
	waiting := 0
	for l := range r.cp.lanes {
		waiting += int(one(r.cp.lanes[l].need != needNothing))
	}
	if waiting != r.cp.waiting {
		r.fail("%d lanes of the control plane wait, counted %d", r.cp.waiting, waiting)
	}
}

// auditDrains recounts the claims of each drain that is under way.
func (r *run) auditDrains() {
	type sums struct{ asking, waiting, blocked int32 }
	by := make([]sums, len(r.drains))
	for i := range r.claims {
		cl := &r.claims[i]
		switch cl.state {
		case claimAsking, claimParked:
			by[cl.drain].asking++
			if cl.blocked {
				by[cl.drain].blocked++
			}
		case claimAccepted:
			if cl.gone == never {
				by[cl.drain].waiting++
			}
		}
	}
	for i := range r.drains {
		d := &r.drains[i]
		if got := (sums{d.asking, d.waiting, d.blocked}); got != by[i] {
			r.fail("the drain of %s has %+v, counted %+v", r.w.nodeSubject(r.rollout.tickets[d.ticket].node), got, by[i])
		}
	}
}

// equal reports whether both indexes hold the same.
func (x *shapeIndex) equal(y *shapeIndex) bool {
	return slices.Equal(x.points, y.points) && slices.Equal(x.bits, y.bits) && slices.Equal(x.fits, y.fits) &&
		slices.EqualFunc(x.words[:], y.words[:], slices.Equal) && slices.EqualFunc(x.blocks[:], y.blocks[:], slices.Equal) &&
		slices.EqualFunc(x.counts[:], y.counts[:], slices.Equal) && slices.EqualFunc(x.crests[:], y.crests[:], slices.Equal) &&
		slices.Equal(x.take, y.take) && slices.Equal(x.inZone, y.inZone)
}

// auditIndex works the points of every node and their sums out
// again, and counts the nodes by class for the spread filter.
func (r *run) auditIndex() {
	for si := range r.indexes {
		if len(r.indexes[si].points) == 0 {
			continue
		}
		s := &r.w.shapes[si]
		x := r.indexOf(int32(si), s)
		var fresh shapeIndex
		fresh.build(r, s)
		if !x.equal(&fresh) {
			r.fail("the placement index of shape %d is out of date", si)
		}
	}
	classes := make([]nodeTally, len(r.classNodes))
	present := int32(0)
	for i := range r.nodes {
		if nd := &r.nodes[i]; nd.flags&nodeRemoved == 0 {
			classes[nd.class][nd.taints]++
			present++
		}
	}
	if !slices.Equal(classes, r.classNodes) || present != r.present {
		r.fail("%d nodes by class are %v, counted %d, %v", r.present, r.classNodes, present, classes)
	}
}

// auditZones counts the nodes of each zone again, and those that are Ready.
func (r *run) auditZones() {
	type sums struct{ nodes, ready int32 }
	zones := make([]sums, len(r.evictionZones))
	for n := range r.nodes {
		if nd := &r.nodes[n]; nd.flags&nodeRemoved == 0 {
			z := &zones[r.w.zoneOf[n]]
			z.nodes++
			z.ready += one(nd.flags&nodeReady != 0)
		}
	}
	there, down := 0, 0
	for i := range zones {
		e := &r.evictionZones[i]
		if got := (sums{e.nodes, e.ready}); got != zones[i] || r.periodOf(e) != e.period {
			r.fail("zone %d has %+v and a node in %d, counted %+v and %d", i, got, e.period, zones[i], r.periodOf(e))
		}
		if e.nodes > 0 {
			there++
			if e.ready == 0 {
				down++
			}
		}
	}
	if there != r.zonesThere || down != r.zonesDown {
		r.fail("%d zones, %d down, counted %d and %d", r.zonesThere, r.zonesDown, there, down)
	}
	for n, x := range r.absent {
		if nd := &r.nodes[n]; nd.flags&nodeRemoved != 0 || x.tainted && !x.unknown || x.unknown && nd.flags&nodeReady != 0 {
			r.fail("%s is absent as %+v with flags %b", r.w.nodeSubject(n), *x, nd.flags)
		}
	}
}

// auditGates recounts who waits for gates, and what these watch.
func (r *run) auditGates() {
	ro := &r.rollout
	gated, watching, least := 0, false, never
	for i := range ro.stages {
		s := &ro.stages[i]
		gated += len(s.atGate)
		if s.step == stageGated {
			gated++
		}
		if s.watches() {
			watching, least = watching || s.regression, min(least, s.budget)
		}
		for _, t := range s.atGate {
			if ro.tickets[t].step != stepGate {
				r.fail("%s is at its gate in step %d", r.w.nodeSubject(ro.tickets[t].node), ro.tickets[t].step)
			}
		}
	}
	if r.endedAt < 0 && (gated != ro.gated || watching != ro.watching || least != ro.leastBudget) {
		r.fail("%d wait for gates, which watch regressions %v and budgets %d, counted %d, %v, %d", ro.gated, ro.watching, ro.leastBudget, gated, watching, least)
	}
}

// auditIdle counts the pods that keep an autoscaler off a node again.
func (r *run) auditIdle() {
	if r.idle == nil {
		return
	}
	pods := make([]int32, len(r.nodes))
	for i := range r.pods {
		if pd := &r.pods[i]; pd.state != podFree && pd.node != none && !staysOn(&r.w.workloads[pd.workload]) {
			pods[pd.node]++
		}
	}
	for n := range pods {
		if pods[n] != r.idle[n].pods {
			r.fail("%d pods keep %s, counted %d", r.idle[n].pods, r.w.nodeSubject(int32(n)), pods[n])
		}
	}
}
