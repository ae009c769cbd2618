package sim

import "slices"

// start is the kubelet's part after a pod was bound: attach its volume, start
// its containers, report it Ready. It returns when that will be; 0 if never.
// Its phase is Pending until its volume is attached and what a slow registry adds has passed, then Running. Recorded: Running
// 17 ms after it was bound, 7 s before it was Ready.
func (r *run) start(pd ownedPod) int64 {
	spec := pd.spec
	pd.flags |= podNotStarted
	switch {
	case r.nodes[pd.node].flags&nodeMute != 0:
		pd.flags |= podInterrupted // it starts when the kubelet is back
		return 0
	case spec.never:
		pd.state = podRunning
		pd.flags &^= podNotStarted
		if r.nodes[pd.node].flags&nodeBad != 0 {
			r.reachPod(pd.id)
		}
		return 0
	}
	at := r.now
	if spec.volume != 0 {
		if r.volumeHeld(pd.id) {
			return 0 // until the pod that holds it is gone
		}
		at = max(at, r.slotFree[pd.slot]) + r.drawExact(spec.attach, forAttach, uint64(pd.slot), uint64(pd.attempt))
	}
	attempt := uint64(pd.attempt)
	takes := r.drawExact(spec.startup, forStartup, uint64(pd.slot), attempt)
	runs := at // its volume is attached and its images are there
	if len(r.slow) > 0 {
		slowed := r.slowed(pd.node, at, takes)
		runs, takes = at+max(0, slowed-takes), slowed
	}
	if runs > r.now {
		r.push(runs, evStarted, pd.gen, pd.id)
	} else {
		pd.flags &^= podNotStarted
	}
	at += takes
	at += r.draw(&r.w.latencies.kubelet, forKubeletStart, uint64(pd.slot), attempt) * 3 / 2 // recorded: 23 ms in the median
	r.push(at, evReady, pd.gen, pd.id)
	return at
}

// volumeHeld reports whether another pod of the same slot, one that is still terminating, holds the slot's volume.
func (r *run) volumeHeld(p int32) bool {
	pd := &r.pods[p]
	for q := r.slots[pd.slot].newest; q != none; q = r.pods[q].before {
		if q != p && r.pods[q].node != none && r.pods[q].flags&podDetached == 0 {
			return true
		}
	}
	return false
}

// volumeReleased starts the pod that waited for the slot's volume.
func (r *run) volumeReleased(w, slot int32) {
	for q := r.slots[slot].newest; q != none; q = r.pods[q].before {
		if r.pods[q].state == podStarting {
			r.start(r.owned(q))
		}
	}
}

// detachByForce plans that the volume of a terminating pod is taken from it, where nobody stops the pod.
func (r *run) detachByForce(p int32) {
	if pd := &r.pods[p]; r.w.workloads[pd.workload].volume != 0 {
		r.pushAfter(r.w.latencies.forceDetach, evForceDetach, pd.gen, p)
	}
}

// detachedByForce is the attach-detach controller's patience with a pod that has been terminating for long
// (evForceDetach): if its node is unhealthy, its volume is detached all the same, and another node can have it.
func (r *run) detachedByForce(p int32) bool {
	pd := &r.pods[p]
	x := r.absent[pd.node]
	if pd.state != podTerminating || pd.flags&podDetached != 0 || r.nodes[pd.node].flags&nodeMute == 0 || x == nil {
		return false
	}
	due := r.controllersDown()
	if !x.unknown {
		due = max(due, x.since, r.watchedSince()) + r.w.latencies.monitorGrace
	}
	if due > r.now {
		r.push(due, evForceDetach, pd.gen, p)
		return false
	}
	pd.flags |= podDetached
	r.slotFree[pd.slot] = r.now
	r.tell(evForceDetach, p, pd.node)
	r.volumeReleased(pd.workload, pd.slot)
	return true
}

// started is a pod's phase turning Running (evStarted): a budget guards it from here on.
func (r *run) started(p int32) bool {
	pd := &r.pods[p]
	if pd.state != podStarting || pd.flags&(podNotStarted|podInterrupted) != podNotStarted {
		return false
	}
	pd.flags &^= podNotStarted
	return true
}

// turnReady is a pod's Ready condition turning true (evReady).
func (r *run) turnReady(pd ownedPod) bool {
	if len(r.notBefore) > 0 && r.now < r.notBefore[pd.id] {
		return false // its node went away while it started, and it started over
	}
	if pd.state != podStarting && pd.state != podRunning || pd.flags&(podReady|podInterrupted) != 0 {
		return false
	}
	node := r.nodes[pd.node].flags
	if node&nodeMute != 0 {
		return false
	}
	if r.noAPI() {
		r.tellLater(evReady, pd.id)
		return false
	}
	pd.state = podRunning
	pd.flags &^= podNotStarted
	if pd.flags&podSick != 0 {
		r.setSick(pd.pod, false)
	}
	r.tell(evReady, pd.id, pd.node)
	r.becomeReady(pd)
	if pd.spec.kind == replicaSet && !pd.spec.batch {
		r.limits[limitReplicaSet].take(r.now, 1) // its ReplicaSet's status
	}
	if len(r.awaited) > 0 && r.awaited[pd.slot] {
		r.missed(pd.workload, pd.slot, +1)
	}
	if node&nodeBad != 0 {
		r.reachPod(pd.id)
		r.breakPod(pd.id)
	}
	return true
}

// becomeReady changes a running pod's Ready condition to true and tells those who watch it.
func (r *run) becomeReady(pd ownedPod) {
	pd.flags |= podReady
	r.countReady(pd, +1)
	if pd.spec.catchUp != nil {
		r.fallBehind(pd)
	}
	if pd.spec.minReady > 0 {
		r.pushAfter(pd.spec.minReady, evAvailable, pd.gen, pd.id)
	} else {
		r.setAvailable(pd, true)
	}
	r.readinessChanged(pd, +1)
}

// becomeUnready changes a pod's Ready condition to false, if it is not that already.
func (r *run) becomeUnready(pd ownedPod) {
	if pd.flags&podReady == 0 {
		return
	}
	r.countReady(pd, -1)
	r.setAvailable(pd, false)
	if pd.flags&podBroken != 0 {
		r.mend(pd.pod)
	}
	pd.flags &^= podReady
	if pd.flags&podBehind != 0 {
		r.behindNoMore(pd)
	}
	r.readinessChanged(pd, -1)
}

// fallBehind begins the time in which a member is Ready and its data not in sync yet.
func (r *run) fallBehind(pd ownedPod) {
	at := r.now + r.drawExact(pd.spec.catchUp, forCatchUp, uint64(pd.slot), uint64(pd.attempt))
	remember(&r.inSyncAt, pd.id, at)
	pd.flags |= podBehind
	pd.wl.behind++
	pd.wl.unwell++
	r.push(at, evCaughtUp, pd.gen, pd.id)
}

// caughtUp is a member whose data is in sync (evCaughtUp), unless it was not Ready meanwhile and began anew.
func (r *run) caughtUp(pd ownedPod) bool {
	if pd.flags&podBehind == 0 || r.now < r.inSyncAt[pd.id] {
		return false
	}
	r.behindNoMore(pd)
	r.tell(evCaughtUp, pd.id, pd.node)
	return true
}

// behindNoMore ends the time in which a Ready member does not count for the quorum: it is in sync, or not Ready any more.
func (r *run) behindNoMore(pd ownedPod) {
	pd.flags &^= podBehind
	delete(r.inSyncAt, pd.id)
	pd.wl.behind--
	pd.wl.unwell--
	r.dirtyWorkload(pd.workload)
}

// readinessChanged tells the budgets, the controller and a waiting drain that a pod turned Ready or not.
func (r *run) readinessChanged(pd ownedPod, by int32) {
	if b := pd.spec.budget; b != none {
		bg := r.synced(b)
		r.countHealthy(b, bg, by)
		if by < 0 && pd.flags&podDisrupted != 0 { // it is no longer one that is Ready and about to go
			pd.flags &^= podDisrupted
			bg.disrupted--
		}
		r.budgetChanged(b, bg)
		if pd.spec.twoBudget {
			for _, b := range r.w.alsoBudgets[pd.workload] {
				bg := r.synced(b)
				r.countHealthy(b, bg, by)
				r.budgetChanged(b, bg)
			}
		}
		if pd.claim != none {
			r.claimReadiness(pd.claim)
		}
	}
	if pd.spec.kind == statefulSet {
		r.syncSoon(pd.workload)
	}
}

// turnAvailable counts a pod that has been Ready for minReadySeconds (evAvailable).
func (r *run) turnAvailable(pd ownedPod) bool {
	if pd.flags&podReady == 0 || pd.flags&podAvailable != 0 || pd.state != podRunning {
		return false
	}
	r.setAvailable(pd, true)
	if pd.spec.kind == statefulSet {
		r.syncSoon(pd.workload)
	}
	return true
}

// setAvailable keeps the number of a workload's available pods, and the number
// of workloads that have fewer than when the upgrade began.
func (r *run) setAvailable(pd ownedPod, on bool) {
	if (pd.flags&podAvailable != 0) == on {
		return
	}
	pd.flags ^= podAvailable
	if pd.flags&podSeen == 0 {
		r.countAvailable(pd.wl, 2*one(on)-1)
	}
}

func (r *run) countAvailable(wl *workload, by int32) {
	was := one(wl.available < wl.baseline)
	wl.available += by
	r.unavailable += one(wl.available < wl.baseline) - was
}

// delete sets a pod's deletion timestamp (evDelete): it is terminating from here on.
func (r *run) delete(pd ownedPod) bool {
	if pd.state == podTerminating || pd.flags&podDeleting == 0 {
		return false // a deletion that was not sent any more
	}
	r.terminate(pd)
	return true
}

// lose terminates a pod that nobody moves: the one in its place is another, to chance too.
func (r *run) lose(p int32) {
	pd := r.owned(p)
	remember(&r.lost, pd.slot, r.lost[pd.slot]+1)
	pd.attempt += 1 << 16
	r.terminate(pd)
}

// terminate begins a pod's end. Its controller and its budget see it at once;
// the object stays until the kubelet has stopped the containers.
func (r *run) terminate(pd ownedPod) {
	switch {
	case pd.flags&podReady != 0:
		r.becomeUnready(pd)
	case pd.flags&podSick != 0:
		r.setSick(pd.pod, false)
	case pd.state == podParked:
		r.unparkPod(pd.id)
	case pd.flags&podWaits != 0:
		r.waitNoMore(pd.pod)
	}
	pd.state = podTerminating
	pd.wl.live--
	if pd.spec.kind == barePod && r.planned(pd.pod) {
		r.expectLess(pd.workload)
	}
	pd.flags &^= podDeleting
	r.tell(evDelete, pd.id, pd.node)
	if pd.node == none {
		r.remove(pd)
		return
	}
	if pd.spec.emptyDir {
		pd.wl.troubled().dataLost++
	}
	r.leaveLive(pd.pod, pd.spec)
	if pd.spec.kind == replicaSet {
		r.vacate(pd)
	}
	if r.nodes[pd.node].flags&nodeMute != 0 {
		r.detachByForce(pd.id)
		return // nobody stops it
	}
	attempt := uint64(pd.attempt)
	stop := min(r.drawExact(pd.spec.shutdown, forShutdown, uint64(pd.slot), attempt), r.graceOf(pd.id, pd.spec))
	stop += r.draw(&r.w.latencies.kubelet, forKubeletStop, uint64(pd.slot), attempt) * 3 / 4 // recorded: 11 ms in the median
	r.pushAfter(stop, evGone, pd.gen, pd.id)
}

// graceOf is the time a pod may take to stop: its own grace period or the drain's, as far as the drain honours it.
func (r *run) graceOf(p int32, spec *workloadSpec) int64 {
	grace := spec.grace
	if c := r.pods[p].claim; c != none {
		o := r.drains[r.claims[c].drain].options
		if g := o.GracePeriod; g != nil {
			grace = g.Microseconds()
		}
		if g := o.MaxGracePeriod; g != nil {
			grace = min(grace, g.Microseconds())
		}
	}
	return grace
}

// gone is the end of a pod: the kubelet has stopped it and the object is removed (evGone).
func (r *run) gone(pd ownedPod) bool {
	if pd.state != podTerminating || r.nodes[pd.node].flags&nodeMute != 0 {
		return false
	}
	if r.noAPI() {
		r.tellLater(evGone, pd.id)
		return false
	}
	r.tell(evGone, pd.id, pd.node)
	r.remove(pd)
	return true
}

// remove takes the pod's object away.
func (r *run) remove(pd ownedPod) {
	n := pd.node
	held := pd.spec.volume != 0 && n != none && pd.flags&podDetached == 0 // its volume
	if held {
		r.slotFree[pd.slot] = r.now + r.drawExact(pd.spec.detach, forDetach, uint64(pd.slot), uint64(pd.attempt))
	}
	if pd.claim != none {
		r.claimGone(pd.claim)
	}
	if n != none {
		r.detach(pd)
	}
	r.leaveSlot(pd)
	if pd.spec.podCount {
		r.podsChanged(pd.workload, -1)
	}
	if pd.spec.kind != replicaSet || n == none {
		r.vacate(pd) // a ReplicaSet's bound pod left its slot when its deletion began
	}
	if len(r.notBefore) > 0 {
		delete(r.notBefore, pd.id)
	}
	pd.state = podFree
	pd.gen++
	r.freePods = append(r.freePods, pd.id)
	if len(r.parkedShapes) > 0 && n != none {
		r.roomOn(n)
		r.constraintsChanged(pd.spec)
	}
	if held {
		r.volumeReleased(pd.workload, pd.slot)
	}
}

// leaveSlot takes a pod out of its slot's chain of those that are still there.
func (r *run) leaveSlot(pd ownedPod) {
	at := &r.slots[pd.slot].newest
	for *at != pd.id {
		at = &r.pods[*at].before
	}
	*at = pd.before
}

// podsDown makes every pod on a node not Ready, as when its kubelet is gone.
func (r *run) podsDown(n int32) {
	for _, p := range slices.Backward(r.on[n]) {
		switch pd := &r.pods[p]; {
		case pd.flags&podReady != 0:
			if r.nodes[n].flags&nodeBusy == 0 {
				r.regressed(p, "turned not Ready by itself")
			}
			r.becomeUnready(r.owned(p))
		case pd.state == podStarting:
			pd.flags |= podInterrupted
		}
	}
}

// unprobed is for how long a pod is not Ready while a kubelet that has started probes it for the first time. Measured: a kubelet was
// stopped for 8 s, its node stayed Ready, and 0.8 s after the start pods with a readiness probe were not Ready for about 50 ms.
const unprobed = 50_000

// probeAnew makes a Ready pod not Ready until its first probe has passed.
func (r *run) probeAnew(p int32) {
	if r.nodes[r.pods[p].node].flags&nodeBusy == 0 {
		r.regressed(p, "turned not Ready by itself")
	}
	r.becomeUnready(r.owned(p))
	r.pushAfter(unprobed, evReady, r.pods[p].gen, p)
}

// podsBack makes the pods that stayed on a node Ready again (evNodePods), and
// lets the kubelet finish what it could not while it was away.
func (r *run) podsBack(n int32) {
	for _, p := range slices.Backward(r.on[n]) {
		pd := &r.pods[p]
		switch spec := &r.w.workloads[pd.workload]; pd.state {
		case podRunning:
			switch {
			case spec.never:
			case pd.flags&podReady == 0:
				r.pushAfter(0, evReady, pd.gen, p)
			case spec.probed:
				r.probeAnew(p)
			}
		case podStarting:
			if pd.flags&podInterrupted != 0 {
				pd.flags &^= podInterrupted
				remember(&r.notBefore, p, r.start(r.owned(p)))
			}
		case podTerminating:
			r.pushAfter(0, evGone, pd.gen, p)
		}
	}
}
