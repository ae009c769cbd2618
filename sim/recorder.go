package sim

import "upsim/sim/invariant"

// The recorder keeps sums over the upgrade, and looks at invariants of what a tick touched.

// startAccumulators fixes what the upgrade is measured against: its start.
func (r *run) startAccumulators() {
	for i := range r.workloads {
		wl := &r.workloads[i]
		wl.minReady, wl.baseline = wl.ready, wl.available
		r.readyAtStart = append(r.readyAtStart, wl.ready)
		r.dirtyWorkload(int32(i))
	}
	for i := range r.budgets {
		bg := &r.budgets[i]
		bg.start = bg.ready
		bg.write(0)
		r.dirtyBudget(int32(i))
	}
	for i := range r.workloads {
		r.workloads[i].wellFrom = r.wellFrom(int32(i))
	}
	if r.w.keepsBudgets() {
		r.spent = make([]spending, len(r.workloads))
		for i := range r.spent {
			r.spent[i].due = never
		}
	}
	r.counting = true
}

// countReady adds to the number of ready pods of a pod's workload.
func (r *run) countReady(pd ownedPod, by int32) {
	wl := pd.wl
	r.addUp(wl, +1)
	if r.spent != nil {
		r.spend(pd.workload)
	}
	wl.ready += by
	if r.spent != nil {
		r.budgetMayBreak(pd.workload)
	}
	r.addUp(wl, -1)
	if by < 0 && r.endedAt < 0 {
		wl.minReady = min(wl.minReady, wl.ready)
	}
	if !wl.well() && !wl.dirty {
		wl.dirty, r.unsettled = true, true
		r.dirtyWorkloads = append(r.dirtyWorkloads, pd.workload)
	}
}

// well reports whether the workload breaks no rule that is read, and broke none when it was last looked at: there is nothing to check then.
func (wl *workload) well() bool { return wl.ready >= wl.wellFrom && wl.unwell == 0 && wl.breaks == 0 }

// addUp is to be called before the number of a workload's Ready pods, or of those that it wants, changes, with +1, and behind that
// with -1. While the first is below the second a sum of times so has the instant too little at which that began.
func (r *run) addUp(wl *workload, sign int64) {
	if wl.ready < wl.want {
		r.addBelow(wl, sign)
	}
}

func (r *run) addBelow(wl *workload, sign int64) {
	wl.below += sign * r.upTo(r.now)
	if wl.ready <= 0 {
		t := wl.troubled()
		t.zero += sign * r.upTo(r.now)
		if r.endedAt >= 0 {
			t.zeroAfter += sign * (r.now - r.endedAt)
		}
	}
}

// countHealthy adds to the number of ready pods of a budget.
func (r *run) countHealthy(b int32, bg *budget, by int32) {
	below := bg.ready < bg.desired
	if below {
		bg.belowFloor += r.upTo(r.now) - r.upTo(bg.since)
	}
	bg.ready += by
	if below || bg.ready < bg.desired {
		bg.since = r.now
	}
	if bg.shared {
		r.dirtyBudget(b)
	}
}

// closeAccumulators brings every sum up to the end of the upgrade.
func (r *run) closeAccumulators() {
	for i := range r.workloads {
		wl := &r.workloads[i]
		if wl.pending > 0 {
			r.addPending(wl)
			wl.parkedAt = r.now
		}
	}
	for i := range r.budgets {
		bg := r.synced(int32(i))
		if bg.ready < bg.desired {
			bg.belowFloor += r.upTo(r.now) - r.upTo(bg.since)
		}
		bg.since = r.now
	}
	r.sumTime(&r.apiDownSince, &r.apiDown, false)
	r.sumTime(&r.quorumSince, &r.quorumLost, false)
	r.closeDrains()
}

// closeDrains counts what drains that have not ended have waited for until now.
func (r *run) closeDrains() {
	for i := range r.claims {
		cl := &r.claims[i]
		if cl.state == claimParked {
			r.countTries(cl, r.drains[cl.drain].rhythm.next(cl, r.now).before)
		}
	}
	for i := range r.rollout.tickets {
		tk := &r.rollout.tickets[i]
		if tk.step != stepDrain || tk.drain == none {
			continue
		}
		d := &r.drains[tk.drain]
		rec := &r.rollout.records[tk.node]
		rec.drain += r.now - tk.drainStart
		if tk.attempts == 0 { // it was that of an earlier phase
			if rec.outcome != drainDone {
				rec.failed = max(rec.failed, rec.outcome)
			}
			rec.outcome = drainNone
		}
		if d.blocked > 0 {
			d.blockedTime += r.now - d.blockedSince
		}
		rec.blocked += d.blockedTime
	}
}

// workloadFacts are what the invariants look at.
func (r *run) workloadFacts(i int32) invariant.Workload {
	spec := &r.w.workloads[i]
	wl := &r.workloads[i]
	f := invariant.Workload{Replicas: wl.want, Ready: wl.ready, Working: wl.ready - wl.broken, Pending: wl.pending, Behind: wl.behind,
		Quorum: spec.quorum, Objective: spec.objective, Batch: spec.batch || spec.kind == barePod}
	if b := spec.budget; b != none && !r.budgets[b].shared {
		f.Floor = r.budgets[b].desired
		f.FloorBroken = r.floorBroken(b)
	}
	return f
}

// wellFrom is a number of ready pods with which the workload breaks no rule that is read, while none of its pods waits for a
// node, is broken or catches up.
func (r *run) wellFrom(i int32) int32 {
	f := r.workloadFacts(i)
	return max(1, f.Floor, f.Quorum, f.Objective)
}

func (r *run) checkWorkload(i int32) {
	wl := &r.workloads[i]
	if wl.well() || r.w.workloads[i].kind == staticPod {
		return
	}
	facts := r.workloadFacts(i)
	if breaks := facts.Broken() &^ r.log.Quiet[invariant.Workloads]; breaks|wl.breaks != 0 {
		wl.breaks = breaks
		invariant.Observe(r.log, r.now, i, facts)
	}
}

func (r *run) nodeFacts(n int32) invariant.Node {
	nd := &r.nodes[n]
	f := invariant.Node{Kubelet: r.w.minor[nd.kubelet], KubeProxy: r.w.minor[nd.proxy],
		OldestAPI: r.cp.oldest, NewestAPI: r.cp.newest, PodsNotWell: nd.notWell,
		Ready: nd.flags&nodeReady != 0, Busy: nd.flags&nodeBusy != 0, Lost: nd.flags&nodeLost != 0}
	if r.w.nodes[n].cp && r.localKubelet(n) {
		f.Local = true
		f.LocalAPI, _ = r.apiSeenBy(n)
	}
	return f
}

func (r *run) checkNode(n int32) {
	if r.nodes[n].flags&nodeRemoved != 0 {
		r.log.Set(r.now, invariant.Nodes, n, 0)
		return
	}
	invariant.Observe(r.log, r.now, n, r.nodeFacts(n))
}
