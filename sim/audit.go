package sim

import (
	"fmt"

	"upsim/sim/invariant"
)

// audit recomputes from the pods and nodes alone everything that is kept up to
// date step by step, and the invariants of every subject, and panics where the two
// differ. It looks at everything and is for tests (Options.Audit).
func (r *run) audit() {
	r.auditPods()
	r.auditNodes()
	r.auditInvariants()
}

func (r *run) fail(format string, args ...any) {
	panic(fmt.Sprintf("sim: audit at %s: ", formatSeconds(r.now)) + fmt.Sprintf(format, args...))
}

func (r *run) auditPods() {
	type sums struct{ pods, live, ready, available, broken, pending int32 }
	byWorkload := make([]sums, len(r.workloads))
	budgets := make([]budget, len(r.budgets))
	for i := range r.pods {
		pd := &r.pods[i]
		if pd.state == podFree {
			continue
		}
		s := &byWorkload[pd.workload]
		s.pods++
		ready := pd.flags&podReady != 0
		if ready && pd.state != podRunning {
			r.fail("%s is Ready in state %d", r.w.podSubject(pd.workload, pd.slot), pd.state)
		}
		if pd.state != podTerminating {
			s.live++
		}
		if ready {
			s.ready++
		}
		if pd.flags&podAvailable != 0 && pd.flags&podSeen == 0 {
			s.available++
		}
		if pd.flags&podBroken != 0 {
			s.broken++
		}
		if pd.state == podParked {
			s.pending++
		}
		if b := r.w.workloads[pd.workload].budget; b != none {
			budgets[b].pods++
			if ready {
				budgets[b].ready++
				if pd.flags&podDisrupted != 0 {
					budgets[b].disrupted++
				}
			}
		}
	}
	unavailable := int32(0)
	for i := range r.workloads {
		wl := &r.workloads[i]
		if got := (sums{wl.pods, wl.live, wl.ready, wl.available, wl.broken, wl.pending}); got != byWorkload[i] {
			r.fail("%s has %+v, counted %+v", r.w.workloadSubject(int32(i)), got, byWorkload[i])
		}
		if wl.available < wl.baseline {
			unavailable++
		}
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
		unready := int32(0)
		for _, x := range b.parked {
			cl := &r.claims[x.claim]
			if cl.state != claimParked {
				r.fail("a claim in state %d is parked on %s", cl.state, r.w.budgetSubject(int32(i)))
			}
			if r.pods[cl.pod].flags&podReady == 0 {
				unready++
			}
		}
		if unready != b.unready {
			r.fail("%s has %d parked claims on pods that are not Ready, counted %d", r.w.budgetSubject(int32(i)), b.unready, unready)
		}
	}
}

func (r *run) auditNodes() {
	type sums struct {
		cpu, memory, nzCPU, nzMemory int64
		pods, notWell                int32
	}
	byNode := make([]sums, len(r.nodes))
	counts := make([][]int32, len(r.counts))
	for i := range counts {
		counts[i] = make([]int32, len(r.counts[i]))
	}
	for i := range r.pods {
		pd := &r.pods[i]
		if pd.state == podFree || pd.node == none {
			continue
		}
		spec := &r.w.workloads[pd.workload]
		s := &r.w.shapes[spec.shape]
		n := &byNode[pd.node]
		n.cpu += s.cpu
		n.memory += s.memory
		n.nzCPU += s.nzCPU
		n.nzMemory += s.nzMemory
		n.pods++
		if pd.flags&podBroken != 0 {
			n.notWell++
		}
		for _, k := range spec.feeds {
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
	r.auditLive()
	notReady := int32(0)
	for i := range r.nodes {
		nd := &r.nodes[i]
		if got := (sums{nd.usedCPU, nd.usedMemory, nd.nzCPU, nd.nzMemory, nd.pods, nd.notWell}); got != byNode[i] {
			r.fail("%s has %+v, counted %+v", r.w.nodeSubject(int32(i)), got, byNode[i])
		}
		if nd.stage != 0 && nd.stage == int32(r.rollout.stage)+1 && nd.flags&nodeReady == 0 {
			notReady++
		}
	}
	if r.rollout.stage < len(r.rollout.stages) && notReady != r.rollout.notReady {
		r.fail("%d nodes of the stage are not Ready, counted %d", r.rollout.notReady, notReady)
	}
	for k := range counts[:r.w.ownByNode] {
		for d := range counts[k] {
			if counts[k][d] != r.counts[k][d] {
				r.fail("counter %d has %d in domain %d, counted %d", k, r.counts[k][d], d, counts[k][d])
			}
		}
	}
}

// auditLive recounts where the pods stand that spreading looks at.
func (r *run) auditLive() {
	at := make([]int32, len(r.liveAt))
	for i := range at {
		at[i] = none
	}
	zone := make([]int32, len(r.ownZone))
	for i := range r.pods {
		if pd := &r.pods[i]; pd.state != podFree && pd.state != podTerminating && pd.node != none {
			at[pd.slot] = pd.node
			zone[int(pd.workload)*r.zones()+int(r.w.zoneOf[pd.node])]++
		}
	}
	for i := range at {
		if at[i] != r.liveAt[i] {
			r.fail("slot %d stands on %d, counted %d", i, r.liveAt[i], at[i])
		}
	}
	for i := range zone {
		if zone[i] != r.ownZone[i] {
			r.fail("workload %d has %d pods in zone %d, counted %d", i/r.zones(), r.ownZone[i], i%r.zones(), zone[i])
		}
	}
}

// auditInvariants holds the rules of every subject, from the facts as they are now, against the log.
func (r *run) auditInvariants() {
	same := func(c invariant.Class, id int32, mask uint16) {
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
			same(invariant.Budgets, b, invariant.Budget{Desired: bg.floor, Healthy: bg.ready, FloorBroken: r.floorBroken(b)}.Broken())
		}
	}
}
