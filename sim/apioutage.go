package sim

import "upsim/model"

// While no API server answers, by a fault or because the only one restarts, nothing is written: kubelets report
// neither Ready pods nor gone ones, nobody evicts, replaces or binds. Pods and nodes go on, and nodes do not turn Unknown by
// it, since the controller that would say so cannot either. kubectl does not wait: it ends at once with an error, and so
// does every call that follows. (Measured: in the middle of a drain, and then a script went through all the remaining
// nodes in 0.8 s.) What a controller does in its place is tried again until an API server is back.

// noAPI reports whether no API server answers.
func (r *run) noAPI() bool { return r.cp.apiDownUntil > r.now }

// apiBack is the end of a fault of all API servers (evAPIBack).
func (r *run) apiBack() bool {
	if r.cp.outUntil > r.now {
		return false // another such fault lasts longer
	}
	r.apiChanged()
	r.dropUnsupported()
	return true
}

// tellLater has a kubelet say later what no API server hears now: the event for its pod comes again when one is back.
func (r *run) tellLater(k kind, p int32) {
	pd := &r.pods[p]
	r.push(r.cp.apiDownUntil+r.draw(&r.w.latencies.kubelet, forKubeletStart, uint64(pd.slot), 1<<32|uint64(pd.attempt)), k, pd.gen, p)
}

// callRetriesOutage reports whether a call that no API server answers is made again until one does.
func callRetriesOutage(o *model.Drain) bool {
	return o.OnAPIOutage == model.APIOutageWait || o.OnFailure == model.DrainWait
}

// controllerRetriesError reports whether an eviction that an API server answered with an error is asked for again: kubectl gives the
// pod up, a controller does not before the drain's timeout. With onFailure wait the next drain of the node asks.
func controllerRetriesError(o *model.Drain) bool {
	return o.OnAPIOutage == model.APIOutageWait && o.OnFailure != model.DrainWait
}

// unanswered is a call of the ticket's that no API server answers. It comes again as the same event, or has failed:
// a drain as a drain does, and so a cordon where the upgrade stops at it, else the drain is called next; an uncordon
// leaves the node cordoned. False means that the ticket goes on all the same.
func (r *run) unanswered(t int32, call kind) bool {
	tk := &r.rollout.tickets[t]
	o := r.rollout.drainOptions(tk)
	if callRetriesOutage(o) {
		r.push(r.cp.apiDownUntil+r.kubectl(tk.node, 4), call, 0, t)
		return true
	}
	stops := stopsUpgrade(o)
	switch {
	case call == evUncordon:
		if stops {
			r.halt()
		}
		return false
	case call == evForced:
		r.halt()
		r.ticketDone(t)
	case tk.early:
		tk.step = stepDone
		if stops {
			r.halt()
		}
	case call == evCordon && !stops:
		r.beginDrain(t) // the script does not check, and calls kubectl drain all the same
	default:
		if call == evCordon {
			tk.drainStart = r.now
		}
		tk.step = stepDrain
		d := &r.drains[r.newDrain(t, o)]
		d.cut, d.over, d.outcome = true, true, drainFailed
		r.push(r.now, evDrainEnd, 0, t)
	}
	return true
}

// cordonsUnanswered is the cordon of all old nodes that no API server answers: it is called again, or stops the upgrade,
// or the nodes stay as they are.
func (r *run) cordonsUnanswered(i int32) bool {
	o := &r.rollout.stages[i].Drain
	switch {
	case callRetriesOutage(o):
		r.push(r.cp.apiDownUntil, evCordonAll, 0, i)
	case stopsUpgrade(o):
		r.halt()
	default:
		r.goOnCordoned(i)
	}
	return true
}

// stopsUpgrade reports whether the upgrade stops at a call that fails.
func stopsUpgrade(o *model.Drain) bool {
	return o.OnFailure == model.DrainFail || o.OnFailure == model.DrainUncordonAndFail
}

// askAgain has an eviction asked for when an API server is back, where the drain has not ended by now.
func (r *run) askAgain(c int32) {
	r.claims[c].state = claimAsking
	r.push(r.cp.apiDownUntil, evAsk, r.claims[c].gen, c)
}

// cutDrains ends the drains that are under way and do not try again, when no API server answers any more. It looks at
// all tickets and claims, once.
func (r *run) cutDrains() {
	cut := make(map[int32]bool)
	for i := range r.rollout.tickets {
		if tk := &r.rollout.tickets[i]; tk.step == stepDrain && tk.drain != none && !r.drains[tk.drain].over && !callRetriesOutage(r.drains[tk.drain].options) {
			cut[tk.drain] = true
			r.cutWaits(tk.drain)
		}
	}
	if len(cut) == 0 {
		return
	}
	for c := range int32(len(r.claims)) {
		if cl := &r.claims[c]; cl.state != claimFree && cut[cl.drain] {
			r.cutClaim(c)
		}
	}
	for i := range r.rollout.tickets {
		if d := r.rollout.tickets[i].drain; d != none && cut[d] {
			r.drainMayEnd(d)
		}
	}
}

// cutWaits ends a drain's looks whether pods are gone, and the deletions that it has not sent.
func (r *run) cutWaits(di int32) {
	d := &r.drains[di]
	d.cut, d.outcome = true, max(d.outcome, drainFailed)
	r.advancePolls(di, r.now)
	for _, c := range d.deleted {
		if pd := &r.pods[r.claims[c].pod]; r.claims[c].gone == never && pd.state != podTerminating && pd.flags&podDeleting != 0 {
			pd.flags &^= podDeleting
			r.deletions--
		}
	}
	r.dropTurns(di, drainFailed)
	d.turnAt = never
	d.polls, d.deleted = d.polls[:0], nil
	d.endAt = r.now
}

// cutClaim ends a claim of such a drain.
func (r *run) cutClaim(c int32) {
	cl := &r.claims[c]
	switch cl.state {
	case claimParked:
		r.unparkClaim(c, r.now)
		r.claimFailed(c, drainFailed, r.now)
	case claimAsking:
		b := r.w.workloads[r.pods[cl.pod].workload].budget
		woken := b != none && r.budgets[b].awake == c
		r.claimFailed(c, drainFailed, r.now)
		if woken {
			r.budgets[b].awake = none
			r.wakeBudget(b)
		}
	case claimAccepted:
		d := &r.drains[cl.drain]
		if cl.gone == never {
			d.waiting--
			d.left = append(d.left, leftPod{pod: cl.pod, gen: r.pods[cl.pod].gen})
			r.pods[cl.pod].claim = none
		}
		r.freeClaim(c)
	}
}
