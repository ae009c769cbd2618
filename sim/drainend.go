package sim

import "upsim/model"

// What follows the end of a drain: its node is upgraded, or the failure is reacted to.

// endDrain is kubectl drain's return (evDrainEnd): the node is upgraded if it
// is empty, and else drain.onFailure says what follows.
func (r *run) endDrain(t int32) {
	ro := &r.rollout
	tk := &ro.tickets[t]
	d := &r.drains[tk.drain]
	rec := &ro.records[tk.node]
	rec.drain += r.now - tk.drainStart
	rec.blocked += d.blockedTime
	if !tk.forced {
		if rec.outcome != drainDone { // of an earlier phase
			rec.failed = max(rec.failed, rec.outcome)
		}
		rec.outcome, rec.drainedAt = d.outcome, r.now
	}
	r.tellNode(evDrainEnd, tk.node)
	if d.outcome == drainDone {
		r.drained(t)
		return
	}
	r.drainReason(tk, d)
	switch d.options.OnFailure {
	case model.DrainForceDelete:
		r.push(r.now, evForced, tk.gen, t)
	case model.DrainSkip:
		r.ticketDone(t)
	case model.DrainUncordonAndContinue:
		r.uncordonSoon(t)
	case model.DrainUncordonAndRetry:
		rec.failed = max(rec.failed, d.outcome)
		if r.w.nodes[tk.node].cp {
			r.retryControlPlaneNode(tk.node)
		} else {
			s := &ro.stages[tk.stage]
			s.retried = append(s.retried, tk.node)
		}
		r.uncordonSoon(t)
	case model.DrainWait:
		tk.step = stepHeld // drained again and again with the same end
	default:
		r.halt()
		r.ticketDone(t)
	}
}

// drained goes on with an empty node: upgrade it, or let its new one take over.
func (r *run) drained(t int32) {
	if r.w.nodes[r.rollout.tickets[t].node].cp && r.replacesMachines() {
		r.removeMachine(t)
		return
	}
	switch r.rollout.tickets[t].way {
	case waySurge, wayReplace, wayRetire:
		r.removeSoon(t)
	case wayBlueGreen:
		s := r.stageOf(&r.rollout.tickets[t])
		s.drained = append(s.drained, t)
		s.progress = true
		r.ticketDone(t)
	default:
		r.upgradeNode(t)
	}
}

// forceDelete deletes the pods that a failed drain left (evForced).
func (r *run) forceDelete(t int32) {
	tk := &r.rollout.tickets[t]
	old := &r.drains[tk.drain]
	left := old.left
	if old.outcome == drainRefused {
		all := *old.options
		all.Force, all.IgnoreDaemonSets, all.DeleteEmptyDirData = true, true, true
		pods, _ := r.victims(tk.node, &all)
		for _, p := range pods {
			left = append(left, leftPod{p, r.pods[p].gen})
		}
	}
	d := r.newDrain(t, old.options)
	tk.forced, tk.drainStart = true, r.now
	var pods []int32
	for _, l := range left {
		if pd := &r.pods[l.pod]; pd.gen == l.gen && pd.state != podFree {
			pods = append(pods, l.pod)
		}
	}
	r.deletePods(d, pods)
}
