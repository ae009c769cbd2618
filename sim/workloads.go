package sim

// The controllers that keep workloads at their number of pods.

// The ReplicaSet controller's client pays for each pod's creation, and for
// updates of the ReplicaSet's status: one as a batch of replacements begins, one
// when the batch is there, one as a pod turns Ready. Those of pods that are
// replaced together fall into one. Recorded: so the times below and the makespan of
// 50 nodes (449 replacements) and of 200 nodes (529) come out.

// vacate says that a pod no longer fills its slot: for a ReplicaSet when its
// deletion begins, for others when it is gone.
func (r *run) vacate(pd ownedPod) {
	spec, wl := pd.spec, pd.wl
	switch spec.kind {
	case barePod, staticPod:
		return
	case daemonSet:
		if r.nodes[pd.slot-spec.slot0].flags&nodeRemoved != 0 {
			return
		}
	case replicaSet:
		if spec.batch && !r.jobPodFailed(pd.workload) || wl.live+wl.creating >= wl.want {
			return // a real cluster may have had more than it asked for
		}
		wl.creating++
	}
	r.vacantSlot(wl, pd.slot)
	switch spec.kind {
	case replicaSet:
		if spec.batch {
			r.answer(limitJob, evReplace, pd.workload, pd.slot, 1)
			return
		}
		tokens := int64(1)
		if wl.creating == 1 {
			tokens++
		}
		r.answer(limitReplicaSet, evReplace, pd.workload, pd.slot, tokens)
	case daemonSet:
		r.answer(limitDaemonSet, evReplace, pd.workload, pd.slot, 2)
	case statefulSet:
		r.syncSoon(pd.workload)
	}
}

// vacantSlot puts a slot at the end of the workload's list of vacant ones.
func (r *run) vacantSlot(wl *workload, slot int32) {
	r.slots[slot].vacant = none
	if wl.vacant == none {
		wl.vacant = slot
	} else {
		r.slots[wl.vacantEnd].vacant = slot
	}
	wl.vacantEnd = slot
}

// answer schedules a controller's answer to a change: after its latency, as its
// client's rate limit allows. While it is down that begins when it is back: what has piled up until then waits in turn.
func (r *run) answer(limit int, k kind, w int32, slot int32, tokens int64) {
	from := max(r.now, r.controllersDown())
	if from >= downForever {
		return
	}
	at := from + r.draw(&r.w.latencies.controller, forController, uint64(slot), uint64(r.slots[slot].moves))
	r.push(at+r.limits[limit].take(at, tokens), k, 0, w)
}

// replace creates a pod for the workload's first vacant slot (evReplace).
func (r *run) replace(w int32) {
	if until := r.controllersDown(); until > r.now {
		r.push(until+r.draw(&r.w.latencies.controller, forController, uint64(w), uint64(until)), evReplace, 0, w)
		return
	}
	wl := &r.workloads[w]
	slot := wl.vacant
	if slot == none {
		return
	}
	if wl.trouble != nil && r.now < wl.notBefore {
		r.push(wl.notBefore, evReplace, 0, w)
		return
	}
	wl.vacant = r.slots[slot].vacant
	switch spec := &r.w.workloads[w]; spec.kind {
	case daemonSet:
		if r.nodes[slot-spec.slot0].flags&nodeRemoved != 0 {
			return // its node is gone meanwhile
		}
	case replicaSet:
		if wl.creating--; wl.creating == 0 && !spec.batch {
			r.limits[limitReplicaSet].take(r.now, 1)
		}
	}
	r.create(w, slot)
}

// create makes a pod object and hands it to the scheduler.
func (r *run) create(w, slot int32) int32 {
	p := r.newPod(w, slot)
	pd := &r.pods[p]
	r.tell(evReplace, p, none)
	r.pushAfter(r.draw(&r.w.latencies.scheduler, forScheduler, uint64(slot), uint64(pd.attempt)), evSchedule, pd.gen, p)
	return p
}

// newPod takes an id for a pod and links it into its workload.
func (r *run) newPod(w, slot int32) int32 {
	var p int32
	if k := len(r.freePods); k > 0 {
		p = r.freePods[k-1]
		r.freePods = r.freePods[:k-1]
	} else {
		p = int32(len(r.pods))
		r.pods = append(r.pods, pod{})
	}
	wl := &r.workloads[w]
	pd := &r.pods[p]
	s := &r.slots[slot]
	*pd = pod{node: none, workload: w, slot: slot, before: s.newest, claim: none,
		gen: pd.gen, attempt: uint32(s.moves), state: podCreated, flags: podNotStarted}
	if len(r.lost) > 0 {
		pd.attempt += r.lost[slot] << 16
	}
	s.newest = p
	wl.live++
	if r.w.workloads[w].podCount {
		r.podsChanged(w, +1)
	}
	return p
}

// syncSoon has the StatefulSet controller look at a workload.
func (r *run) syncSoon(w int32) {
	wl := &r.workloads[w]
	if wl.syncing || wl.vacant == none {
		return
	}
	wl.syncing = true
	r.answer(limitStatefulSet, evSync, w, wl.vacant, 1)
}

// syncStatefulSet fills vacant ordinals (evSync). Under OrderedReady it goes
// from the lowest ordinal up and stops at the first that is not running and
// Available (Ready for minReadySeconds, and not terminating): it creates that one if it is missing, and else waits
// (pkg/controller/statefulset/stateful_set_control.go; recording f3-sts-ordered2).
func (r *run) syncStatefulSet(w int32) {
	wl := &r.workloads[w]
	if until := r.controllersDown(); until > r.now {
		r.push(until+r.draw(&r.w.latencies.controller, forController, uint64(w), uint64(until)), evSync, 0, w)
		return
	}
	wl.syncing = false
	if r.w.workloads[w].parallel {
		for wl.vacant != none {
			slot := wl.vacant
			wl.vacant = r.slots[slot].vacant
			r.create(w, slot)
		}
		return
	}
	slot := r.lowestVacant(w)
	if slot == none {
		return
	}
	for p := range r.podsOf(w) {
		pd := &r.pods[p]
		if pd.slot < slot && (pd.state != podRunning || pd.flags&podAvailable == 0) {
			return
		}
	}
	r.takeVacant(w, slot)
	r.create(w, slot)
}

func (r *run) lowestVacant(w int32) int32 {
	low := none
	for s := r.workloads[w].vacant; s != none; s = r.slots[s].vacant {
		if low == none || s < low {
			low = s
		}
	}
	return low
}

// takeVacant takes a slot out of the workload's list of vacant ones.
func (r *run) takeVacant(w, slot int32) {
	wl := &r.workloads[w]
	before := none
	for s := wl.vacant; s != slot; s = r.slots[s].vacant {
		before = s
	}
	if before == none {
		wl.vacant = r.slots[slot].vacant
	} else {
		r.slots[before].vacant = r.slots[slot].vacant
	}
	if wl.vacantEnd == slot {
		wl.vacantEnd = before
	}
}

// countMove counts a move of the slot's pod: it was taken from its node on purpose.
func (r *run) countMove(pd *pod) {
	s := &r.slots[pd.slot]
	if !r.counting || s.moves == 1<<16-1 || r.w.workloads[pd.workload].kind == barePod {
		return
	}
	wl := &r.workloads[pd.workload]
	s.moves++
	pd.attempt++
	switch s.moves {
	case 1:
		wl.moved++
	case 2:
		wl.twice++
	}
	wl.maxMoves = max(wl.maxMoves, int32(s.moves))
}
