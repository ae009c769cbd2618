package sim

import (
	"math"
)

// Run plays the upgrade and says what it found. It may be called again with
// other options; the World does not change.
func (w *World) Run(o Options) *Result {
	return w.newRun(o).play()
}

// RunLast is Run in the World's own memory, which saves copying its pods and
// workloads: afterwards the World is used up, and running it again panics.
func (w *World) RunLast(o Options) *Result {
	return w.lastRun(o).play()
}

func (r *run) play() *Result {
	r.begin()
	r.loop()
	result := r.result()
	r.release()
	return result
}

// askStopEvery is after how many events Options.Stop is asked.
const askStopEvery = 1024

// loop serves events until none is left or a limit is reached.
func (r *run) loop() {
	r.ticks++
	r.endTick()
	for r.advance(min(r.events+askStopEvery, r.opts.MaxEvents)) {
		if r.events >= r.opts.MaxEvents || r.opts.Stop != nil && r.opts.Stop() {
			r.cutOff = true
			break
		}
	}
	r.now = r.last
	r.cutOff = r.cutOff || r.beyond
	if r.endedAt < 0 {
		r.stuck = !r.cutOff
		r.finish()
	}
}

// advance goes on by one tick after another until there have been so many events, and reports whether there may be more. In a tick, all
// events of the next instant are served in the order in which they were scheduled; then the invariants of what they touched are checked.
func (r *run) advance(events uint64) bool {
	for r.events < events {
		if !r.q.Ready() {
			if !r.pull() {
				return false // nothing is left that could happen
			}
		}
		if r.background > 0 {
			if r.pending() <= r.background {
				return false // nor anything but what would go on without the upgrade
			}
		}
		before := r.events
		for {
			x := r.q.Take()
			r.now = x.At
			if r.farApart {
				r.readSoon(r.q.Soon())
			}
			if r.serve(x.Data) {
				r.events++
				r.digest = mix(r.digest^uint64(x.At), kindFacts[x.Data>>(subjectBits+genBits)].code^x.Data)
			}
			if r.q.Due() {
				r.q.Ready() // the rest of a full instant is not near yet
			} else if r.instead == nil || !r.instead.Due() {
				break
			} else {
				r.pull()
			}
		}
		if r.events == before {
			continue // the subjects of all of them had moved on: nothing happened, so the clock does not count
		}
		r.last = r.now
		r.ticks++
		if r.unsettled {
			r.endTick()
		}
	}
	return true
}

// pull puts the next event of a list that stands in place of the fast one into that, which is empty then.
func (r *run) pull() bool {
	if r.instead == nil {
		return false
	}
	x, ok := r.instead.Pop()
	if ok {
		r.q.Push(x.At, x.Data)
	}
	return ok && r.q.Ready()
}

// pending is the number of events that are to come.
func (r *run) pending() int {
	if r.instead != nil {
		return r.instead.Len() + r.q.Len()
	}
	return r.q.Len()
}

// endTick checks the invariants of everything that this tick touched, and lets go on what waited for a change. It is called where
// run.unsettled says that there may be something to do, and with the audit always: where that is not set as it should be, the audit
// makes another run.
func (r *run) endTick() {
	r.unsettled = false
	for _, w := range r.dirtyWorkloads {
		r.workloads[w].dirty = false
		r.checkWorkload(w)
	}
	r.dirtyWorkloads = r.dirtyWorkloads[:0]
	for _, n := range r.dirtyNodes {
		r.nodes[n].dirty = false
		r.checkNode(n)
	}
	r.dirtyNodes = r.dirtyNodes[:0]
	for _, b := range r.dirtyBudgets {
		r.budgets[b].dirty = false
		r.checkBudget(b)
	}
	r.dirtyBudgets = r.dirtyBudgets[:0]
	if r.cpDirty {
		r.cpDirty = false
		r.checkControlPlane()
	}
	if len(r.changedZones) > 0 {
		r.watchZones()
	}
	ro := &r.rollout
	if ro.alarmed || ro.gated > 0 {
		r.gateMayPass()
	}
	if r.cp.waiting > 0 {
		r.controlPlaneMayGoOn()
	}
	if ro.held > 0 && r.changed {
		r.retryMayPass()
	}
	if r.windows.pending > 0 {
		r.rest()
	}
	if r.opts.Audit {
		r.audit()
	}
	r.unsettled = r.unsettled || r.opts.Audit || ro.alarmed || ro.gated|ro.held|r.cp.waiting|r.windows.pending != 0
}

// serve hands an event to its actor; false means that its subject had moved on.
func (r *run) serve(d uint64) bool {
	k, gen, id := unpack(d)
	info := &kindFacts[k]
	if info.works {
		r.changed = true
	}
	if info.of == ofPod {
		pd := &r.pods[id]
		if pd.gen&genMask != gen || pd.state == podFree {
			return false
		}
		switch k { // what comes with every pod that moves
		case evReady:
			return r.turnReady(r.ownedAt(pd, id))
		case evDelete:
			return r.delete(r.ownedAt(pd, id))
		case evGone:
			return r.gone(r.ownedAt(pd, id))
		case evSchedule:
			r.schedule(r.ownedAt(pd, id))
			return true
		}
		return r.serveOther(k, gen, id)
	}
	if info.of != ofOther && !r.isStill(info.of, gen, id) {
		return false
	}
	switch k { // and this too
	case evEvict:
		r.evict(id)
	case evEvictWrite:
		r.evictWrite(id)
	case evReplace:
		r.replace(id)
	default:
		return r.serveOther(k, gen, id)
	}
	return true
}

// isStill reports whether an event's subject, other than a pod, is the one that it was scheduled for.
func (r *run) isStill(of subjectKind, gen uint32, id int32) bool {
	switch of {
	case ofClaim:
		return r.claims[id].gen&genMask == gen && r.claims[id].state != claimFree
	case ofTicket:
		return r.rollout.tickets[id].step != stepDone // which of its steps an event is still right for, its handler knows
	case ofAbsence:
		return uint32(r.nodes[id].away)&genMask == gen
	}
	return true
}

// serveOther is serve for the kinds that come less often.
func (r *run) serveOther(k kind, gen uint32, id int32) bool {
	switch k {
	case evAsk:
		r.ask(id)
	case evBudgetSync:
		return r.budgetSync(id, gen)
	case evClaimTimeout:
		r.claimTimeout(id)
	case evTurn:
		return r.turn(id)
	case evSync:
		r.syncStatefulSet(id)
	case evUnpark:
		r.unpark()
	case evCaughtUp:
		return r.caughtUp(r.owned(id))
	case evAvailable:
		return r.turnAvailable(r.owned(id))
	case evSeen:
		return r.seen(id)
	case evPhase:
		r.nextPhase()
	case evCordon:
		r.cordoned(id)
	case evDrainStart:
		r.startDrain(id)
	case evDrainEnd:
		r.endDrain(id)
	case evDrainDeadline:
		return r.drainDeadline(id)
	case evForced:
		r.forceDelete(id)
	case evEmptied:
		r.takeOver(id)
	case evNodeBack:
		r.nodeBack(id)
	case evUncordon:
		r.uncordoned(id)
	case evTicketDone:
		r.ticketSoaked(id)
	case evNodeGateTimeout:
		return r.nodeGateTimeout(id)
	case evSoaked:
		return r.soaked(id)
	case evNodeGateHeld:
		return r.nodeGateHeld(id)
	case evGateTimeout:
		return r.gateTimeout(id, gen)
	case evGateHeld:
		return r.gateHeld(id, gen)
	case evErrorBudget:
		return r.budgetLooks(id)
	case evGoBack:
		r.startGoingBack()
	case evGateOverdue:
		return r.overdueInGate(id)
	case evCordonAll:
		return r.cordonAll(id)
	case evTaint:
		return r.syncTaint(id)
	case evNodePods:
		r.podsBack(id)
	case evNodeClear:
		r.nodeClear(id)
	case evNodeEvict:
		return r.nodeEvict(id)
	case evNodeOverdue:
		r.nodeOverdue(id)
	case evNodeDown:
		return r.nodeUnknown(id)
	case evControlPlane:
		r.controlPlaneStep(id)
	case evComponentUp:
		r.componentUp(id)
	case evPromoted:
		return r.promoted(id)
	case evEmulationGate:
		return r.emulationFails(id, gen)
	case evProvisioned:
		r.provisioned(id)
	case evNodeGone:
		r.nodeGone(id)
	case evProvisionLate:
		r.provisionLate(id)
	case evBatch:
		r.nextBatch(id)
	case evAwaited:
		return r.awaitNoMore(id)
	case evWindow:
		return r.windowOpens(gen, id)
	case evRetire:
		return r.retire(id)
	case evOutage:
		return r.outage(id)
	case evBreak:
		r.breakPods(id)
	case evFail:
		return r.failNodes(id)
	case evChance:
		return r.failsByChance(int32(gen), id)
	case evFailureOver:
		return r.failureOver(id)
	case evZone:
		return r.evictionZones[id].gen&genMask == gen && r.taintNext(id)
	case evStarted:
		return r.started(id)
	case evForceDetach:
		return r.detachedByForce(id)
	case evRotate:
		return r.rotates(id)
	case evExpire:
		return r.expires(id)
	case evScaleDown:
		return r.scalesDown(id, gen)
	case evAPIBack:
		return r.apiBack()
	case evCapacity:
		return r.capacityFreed()
	}
	return true
}

// finish marks the end of the upgrade: accumulators count until here.
func (r *run) finish() {
	if r.endedAt >= 0 {
		return
	}
	r.endedAt = r.now
	r.cutSpans()
	r.restNoMore()
	r.spanUnfinished()
	r.closeAccumulators()
}

// never is a time that does not come.
const never = int64(math.MaxInt64)

// farApartFrom is from how many pods on what a run jumps about in is many times a processor's caches. Measured: reading ahead takes a fifth off
// a run of 3,000,000 pods, nothing off one of 600,000, and adds a twentieth to one of 30,000.
const farApartFrom = 1_000_000

// readSoon reads what the next events are about. Each pod lies somewhere else in memory, and then its workload, its budget and
// its slot; the processor fetches those of many events at once, where the events would wait for one after the other.
func (r *run) readSoon(soon []uint64) {
	var pods [64]int32
	n := 0
	for i := range soon {
		k, _, id := unpack(soon[i])
		switch k {
		case evEvict, evEvictWrite:
			id = r.claims[id].pod
		case evDelete, evSchedule, evReady, evGone:
		default:
			continue
		}
		pods[n] = id
		n++
		r.ahead ^= int32(r.pods[id].state)
	}
	for _, p := range pods[:n] {
		pd := &r.pods[p]
		r.readAhead(pd, &r.w.workloads[pd.workload])
		if n := pd.node; n != none {
			r.ahead ^= r.nodes[n].pods + r.on[n][0]
		}
	}
}
