package sim

import (
	"fmt"
	"slices"

	"upsim/model"
)

// New nodes: asked for, joined, and the end of the old ones.

// asking is who waits for a new node that was asked for.
type asking struct {
	stage  int32
	ticket int32 // none where the stage waits for it
}

// joinLag is from the moment a new node is ordered ready to its first appearance; the rest of its
// way is the taint that every node has until its controller has seen it Ready.
// Recorded: Ready 20 ms after it was added, the not-ready taint gone 130 ms later.
const joinLag = 20_000

// askFor has a new node come, as soon as there is one to be had.
func (r *run) askFor(n int32, who asking) {
	r.rollout.asked[n] = who
	nd := &r.nodes[n]
	nd.away++
	if t := r.rollout.stages[who.stage].ProvisionTimeout; t > 0 {
		r.pushAfter(t.Microseconds(), evProvisionLate, uint32(nd.away), n)
	}
	if c := r.lacking(n); c != nil {
		r.hit[c.number] = true
		r.waiting = append(r.waiting, waitingNode{n, r.now, false})
		return
	}
	r.order(n)
}

// order has a node made that is to be had, and is when it joins; -1 if it never does.
func (r *run) order(n int32) int64 {
	took := r.bootTime(n)
	if took == never {
		r.waiting = append(r.waiting, waitingNode{n, r.now, true})
		return -1
	}
	r.pushAfter(took, evProvisioned, uint32(r.nodes[n].away), n)
	return r.now + took
}

// bootTime orders a node, and is the time until it has joined; never if it does not boot.
func (r *run) bootTime(n int32) int64 {
	r.countExtra(n, +1)
	late := r.awayFor(n)
	if late == never {
		return never
	}
	if late > 0 {
		r.softReason(model.NewNodeMissing, r.w.nodeSubject(n), fmt.Sprintf("%s joins %s later than planned", r.w.nodeSubject(n), formatTime(late)))
	}
	old := n
	if t := r.w.nodes[n].twin; t != none {
		old = t
	}
	return joinLag + r.drawExact(&r.w.latencies.nodeProvision, forNodeUpgrade, uint64(old), 1) + late
}

// provisioned is a new node that has joined (evProvisioned).
func (r *run) provisioned(n int32) {
	if r.noAPI() && !r.w.nodes[n].cp {
		r.push(r.cp.apiDownUntil, evProvisioned, uint32(r.nodes[n].away), n)
		return
	}
	if r.w.nodes[n].cp {
		r.machineArrived(n)
		return
	}
	who := r.rollout.asked[n]
	s := &r.rollout.stages[who.stage]
	r.nodeJoin(n)
	delete(r.rollout.asked, n)
	if s.step != stageOver {
		r.nodes[n].stage = who.stage + 1
	}
	s.anyNew = true
	if who.ticket == none {
		r.joinedStage(who.stage)
		return
	}
	tk := &r.rollout.tickets[who.ticket]
	switch {
	case tk.way == wayReplace:
		r.ticketUpgraded(who.ticket)
	case r.nodes[tk.node].flags&nodeUnschedulable != 0 && s.Cordon == model.CordonOwnFirst:
		r.beginDrain(who.ticket)
	default:
		tk.step = stepCordon
		r.pushAfter(r.kubectl(tk.node, 0)+r.kubectl(tk.node, 3), evCordon, 0, who.ticket)
	}
}

// provisionLate is a new node that has not joined in time: the upgrade fails (evProvisionLate).
func (r *run) provisionLate(n int32) {
	s := &r.rollout.stages[r.rollout.asked[n].stage]
	r.reason(model.NewNodeMissing, r.w.nodeSubject(n), fmt.Sprintf("%s did not join within the provisionTimeout of %s, and the upgrade fails",
		r.w.nodeSubject(n), formatTime(s.ProvisionTimeout.Microseconds())))
	r.halt()
	if _, waits := r.rollout.asked[n]; waits {
		r.withdraw(n)
	}
}

// withdraw gives up a new node that was asked for: who waits for it waits no more.
func (r *run) withdraw(n int32) {
	who, ofStage := r.rollout.asked[n]
	delete(r.rollout.asked, n)
	r.nodes[n].away++
	made := true
	if i := slices.IndexFunc(r.waiting, func(x waitingNode) bool { return x.node == n }); i >= 0 {
		made = r.waiting[i].made
		r.waiting = slices.Delete(r.waiting, i, i+1)
	}
	if made {
		r.countExtra(n, -1)
	}
	switch {
	case !ofStage: // a control-plane machine
	case who.ticket != none:
		r.ticketDone(who.ticket)
	default:
		r.joinedStage(who.stage)
	}
}

// joinedStage is a new node that a stage waited for: the first ones to come before
// any old one goes, or those in place of nodes that are gone already.
func (r *run) joinedStage(i int32) {
	s := &r.rollout.stages[i]
	s.joining--
	switch {
	case s.joining > 0:
	case s.step == stagePrepares && s.SoakPerNode > 0 && s.Replace == model.ReplaceDetachSurge:
		r.pushAfter(s.SoakPerNode.Microseconds(), evBatch, 0, i)
	case s.step == stagePrepares:
		r.askAhead(i)
	default:
		r.fill(i)
	}
}

// comeFirst lists the new nodes that come before the first old one goes: with
// blueGreen all, with detachSurge those of the last nodes, else the extra ones.
func (r *run) comeFirst(s *stageRun) []int32 {
	var first []int32
	of := s.nodes
	switch s.Replace {
	case model.ReplaceDetachSurge:
		of = s.nodes[len(s.nodes)-s.surge:]
	case model.ReplaceBlueGreen:
	default:
		for _, n := range s.extras {
			if r.nodes[n].flags&nodeRemoved != 0 { // else its drain failed in an earlier phase
				first = append(first, n)
			}
		}
		return first
	}
	for _, n := range of {
		if twin := r.w.nodes[n].twin; r.nodes[twin].flags&nodeRemoved != 0 {
			first = append(first, twin)
		}
	}
	return first
}

// askAhead asks for new nodes that come before the first old one goes; once they all stand, that one's turn comes.
func (r *run) askAhead(i int32) {
	s := &r.rollout.stages[i]
	now := s.ahead
	if s.FirstAlone && !s.anyNew && len(now) > 1 {
		now = now[:1]
	}
	s.ahead = s.ahead[len(now):]
	for _, n := range now {
		s.joining++
		r.askFor(n, asking{stage: i, ticket: none})
	}
	switch {
	case len(now) > 0:
	case s.Replace == model.ReplaceBlueGreen && s.Cordon != model.CordonAllFirst:
		r.cordonInTurn(i)
	case s.Cordon == model.CordonAll:
		r.pushAfter(r.kubectl(s.nodes[0], 3), evCordonAll, 0, i)
	default:
		r.work(i)
	}
}

// cordonInTurn cordons every old node of blueGreen, one call of kubectl each, before the first batch is drained.
func (r *run) cordonInTurn(i int32) {
	ro := &r.rollout
	at := int64(0)
	for _, n := range ro.stages[i].nodes {
		at += r.kubectl(n, 3)
		t := int32(len(ro.tickets))
		ro.tickets = append(ro.tickets, ticket{node: n, stage: i, drain: none, step: stepCordon, early: true})
		r.pushAfter(at, evCordon, 0, t)
	}
	r.pushAfter(at+cordonGap, evBatch, 0, i)
}

// nextBatch goes on behind a wait of the stage (evBatch).
func (r *run) nextBatch(i int32) {
	switch s := &r.rollout.stages[i]; {
	case s.step == stagePrepares && (len(s.ahead) > 0 || s.Replace == model.ReplaceDetachSurge):
		r.askAhead(i)
	case s.step == stagePrepares:
		r.work(i)
	default:
		r.fill(i)
	}
}

// nodeJoin adds a node at the target version. DaemonSets that are meant for it give it a pod.
func (r *run) nodeJoin(n int32) {
	nd := &r.nodes[n]
	ro := &r.rollout
	nd.flags = nodeReady
	nd.taints = taintNotReady
	var s *stageRun
	if who, asked := ro.asked[n]; asked {
		s = &ro.stages[who.stage]
	}
	nd.kubelet, nd.proxy = r.versionsOf(n, s)
	nd.away++
	r.tally(n, +1)
	r.nodeChanged(n)
	r.present++
	ro.records[n].joined = true
	r.reached(n, s)
	r.tellNode(evProvisioned, n)
	r.pushAfter(110_000+r.draw(&r.w.latencies.taint, forTaint, uint64(n), uint64(nd.away)<<2|2), evNodeClear, uint32(nd.away), n)
	for _, w := range r.w.daemonSets {
		spec := &r.w.workloads[w]
		if !r.w.shapes[spec.shape].fit[nd.class].ok {
			continue
		}
		wl := &r.workloads[w]
		slot := spec.slot0 + n
		remember(&r.awaited, slot, true)
		r.vacantSlot(wl, slot)
		// Recorded: the DaemonSet controller's pod comes about 150 ms after the node.
		r.pushAfter(110_000+r.draw(&r.w.latencies.controller, forController, uint64(slot), 1<<32|uint64(nd.away)), evReplace, 0, w)
	}
	r.pushAfter(awaitedFor, evAwaited, uint32(nd.away), n)
	r.badVersionOn(n)
	r.nodeCame(n)
	r.dirtyNode(n)
	r.recheckParked()
}

// awaitedFor is how long after a node has joined its DaemonSets' pods are not
// missed: a minute, in which agents come up on any new node.
const awaitedFor = 60_000_000

// awaitNoMore counts a new node's DaemonSet pods that have never been Ready as missing (evAwaited).
func (r *run) awaitNoMore(n int32) bool {
	late := false
	for _, w := range r.w.daemonSets {
		if slot := r.w.workloads[w].slot0 + n; r.awaited[slot] {
			r.missed(w, slot, +1)
			late = true
		}
	}
	return late
}

// missed changes the number of nodes on which a DaemonSet's pod would be
// missed. A node that has just joined counts from its first Ready pod on, at the latest a minute after it joined.
// Recorded in q2-surge2-sts: nodes came and went, and the DaemonSet was never below.
func (r *run) missed(w, slot, by int32) {
	if r.awaited[slot] {
		delete(r.awaited, slot)
		if by < 0 {
			return
		}
	}
	wl := &r.workloads[w]
	if !r.counting {
		wl.want += by
	} else {
		r.addUp(wl, +1)
		wl.want += by
		r.addUp(wl, -1)
		r.expect(w, by) // a node that stands beside the others does not stand in for one of them
	}
	r.dirtyWorkload(w)
}

// removeSoon has a drained node's object, and the machine, deleted.
func (r *run) removeSoon(t int32) {
	tk := &r.rollout.tickets[t]
	tk.step = stepUpgrade
	r.pushAfter(cordonGap+r.drawExact(&r.w.latencies.nodeDelete, forNodeUpgrade, uint64(tk.node), 2), evNodeGone, 0, t)
}

// nodeGone is the end of a node that was drained, or could not be (evNodeGone).
func (r *run) nodeGone(t int32) {
	tk := &r.rollout.tickets[t]
	if r.noAPI() && !r.w.nodes[tk.node].cp {
		r.push(r.cp.apiDownUntil, evNodeGone, 0, t) // its object is deleted when there is someone to ask
		return
	}
	s := r.stageOf(tk)
	if tk.deleted {
		r.deletedWith(tk.node)
		r.rollout.records[tk.node].deleted = true
	}
	r.removeNode(tk.node)
	twin := r.w.nodes[tk.node].twin
	switch {
	case tk.way == wayRetire, s != nil && s.calledOff && tk.way == wayReplace:
		r.ticketDone(t)
	case tk.way == wayReplace && s.extra > 0:
		// The extra nodes stand in, so nobody waits for the new one.
		s.joining++
		r.askFor(twin, asking{stage: tk.stage, ticket: none})
		r.ticketUpgraded(t)
	case tk.way == wayReplace:
		tk.step = stepProvision
		r.askFor(twin, asking{stage: tk.stage, ticket: t})
	default:
		r.ticketUpgraded(t)
	}
}

// ticketUpgraded is a node whose new one has taken its place.
func (r *run) ticketUpgraded(t int32) {
	tk := &r.rollout.tickets[t]
	tk.upgraded = true
	if s := r.stageOf(tk); s != nil {
		s.progress = true
	} else {
		r.machineGone(tk.node)
	}
	r.afterUncordon(t)
}

// removeNode takes a node and what is left on it away.
func (r *run) removeNode(n int32) {
	nd := &r.nodes[n]
	if nd.flags&nodeRemoved != 0 {
		return // an autoscaler was quicker: a cordon that no API server answered does not keep it off
	}
	if s := nd.stage; s != 0 && r.rollout.stages[s-1].back {
		r.reached(n, &r.rollout.stages[s-1]) // it was new, and is gone
	}
	r.nodeLeaves(n)
	if nd.flags&nodeReady == 0 {
		r.countNotReady(n, -1)
	}
	r.tally(n, -1)
	nd.flags = nodeRemoved | nodeSilent | nodeReady // neither starts nor stops anything, and is missed by nobody
	r.idleChanged(n)
	nd.away++
	r.nodeChanged(n)
	r.present--
	r.countExtra(n, -1)
	for _, p := range slices.Backward(r.on[n]) {
		w := r.pods[p].workload
		if r.pods[p].state != podTerminating {
			r.lose(p)
		}
		r.remove(r.owned(p))
		if spec := &r.w.workloads[w]; spec.kind == daemonSet {
			r.missed(w, spec.slot0+n, -1)
		}
	}
	for _, w := range r.w.daemonSets {
		r.dropMeantFor(w, n)
	}
	r.tellNode(evNodeGone, n)
	r.dirtyNode(n)
}

// dropMeantFor deletes a DaemonSet's pod that waits for a node which is gone.
func (r *run) dropMeantFor(w, n int32) {
	wl := &r.workloads[w]
	if wl.pending == 0 {
		return
	}
	slot := r.w.workloads[w].slot0 + n
	for p := r.slots[slot].newest; p != none; p = r.pods[p].before {
		if r.pods[p].node == none {
			r.lose(p)
			r.missed(w, slot, -1)
			return
		}
	}
}

// countSurge keeps the number of extra nodes, from when they are asked for to when
// an old one is removed for each, its peak and the time that they cost.
func (r *run) countSurge(by int32) {
	if r.extra > 0 {
		r.surgeTime += int64(r.extra) * (r.upTo(r.now) - r.upTo(r.surgeSince))
	}
	r.surgeSince = r.now
	r.extra += by
	r.surgePeak = max(r.surgePeak, r.extra)
}

// recheckParked has the scheduler look at every parked pod: a new node may take any.
func (r *run) recheckParked() {
	for _, si := range r.parkedShapes {
		r.queues[si].all = true
		r.wake(si)
	}
}

// retireSoon has the old nodes of a blueGreen stage removed.
func (r *run) retireSoon(i int32) {
	s := &r.rollout.stages[i]
	s.step = stageRetires
	r.pushAfter(r.drawExact(&r.w.latencies.nodeDelete, forNodeUpgrade, uint64(s.nodes[0]), 2), evRetire, 0, i)
}

// retire removes the old nodes of a blueGreen stage at its end (evRetire).
func (r *run) retire(stage int32) bool {
	s := &r.rollout.stages[stage]
	if s.step == stageOver {
		return false // the upgrade has gone back meanwhile
	}
	if r.noAPI() {
		r.push(r.cp.apiDownUntil, evRetire, 0, stage)
		return true
	}
	for _, t := range s.drained {
		r.removeNode(r.rollout.tickets[t].node)
	}
	s.drained = nil
	r.closeStage(stage)
	return true
}
