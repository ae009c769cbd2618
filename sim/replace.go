package sim

import "upsim/model"

// New nodes in place of old ones: surge brings them one by one, blueGreen a whole second set.

// joinLag is from the moment a new node is ordered ready to its first appearance; the rest of its
// way is the taint that every node has until its controller has seen it Ready.
// Recorded: Ready 20 ms after it was added, the not-ready taint gone 130 ms later.
const joinLag = 20_000

// provision asks for a node in place of n, and is the time until it has joined.
func (r *run) provision(n int32) int64 {
	if c := r.lacking(n); c != nil {
		return r.askLater(n, c)
	}
	return r.order(n)
}

// order has a node made that is to be had.
func (r *run) order(n int32) int64 {
	r.countExtra(n, +1)
	return joinLag + r.draw(&r.w.latencies.nodeProvision, forNodeUpgrade, uint64(n), 1)
}

// provisioned is a new node that has joined (evProvisioned); its old one's turn comes.
func (r *run) provisioned(t int32) {
	tk := &r.rollout.tickets[t]
	r.nodeJoin(r.w.nodes[tk.node].twin)
	tk.step = stepCordon
	r.pushAfter(r.kubectl(tk.node, 0)+r.kubectl(tk.node, 3), evCordon, tk.gen, t)
}

// nodeJoin adds a node at the target version. DaemonSets that are meant for it give it a pod.
func (r *run) nodeJoin(n int32) {
	nd := &r.nodes[n]
	ro := &r.rollout
	nd.flags = nodeReady
	nd.taints = taintNotReady
	nd.kubelet, nd.proxy = ro.target, ro.target
	nd.away++
	r.tally(n, +1)
	r.nodeChanged(n)
	r.present++
	ro.records[n].upgradedAt, ro.records[n].joined = r.now, true
	r.tellNode(evProvisioned, n)
	r.pushAfter(110_000+r.draw(&r.w.latencies.taint, forTaint, uint64(n), uint64(r.now)), evNodeClear, uint32(nd.away), n)
	for _, w := range r.w.daemonSets {
		spec := &r.w.workloads[w]
		if !r.w.shapes[spec.shape].fit[nd.class].ok {
			continue
		}
		wl := &r.workloads[w]
		slot := spec.slot0 + n
		r.awaited[slot] = true
		r.vacantSlot(wl, slot)
		// Recorded: the DaemonSet controller's pod comes about 150 ms after the node.
		r.pushAfter(110_000+r.draw(&r.w.latencies.controller, forController, uint64(slot), uint64(r.now)), evReplace, 0, w)
	}
	r.pushAfter(awaitedFor, evAwaited, uint32(nd.away), n)
	r.badVersionOn(n)
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
	if r.counting {
		r.addUp(&r.workloads[w])
	}
	r.workloads[w].want += by
	r.dirtyWorkload(w)
}

// removeSoon has a drained node's object, and the machine, deleted.
func (r *run) removeSoon(t int32) {
	tk := &r.rollout.tickets[t]
	tk.step = stepUpgrade
	r.pushAfter(cordonGap+r.draw(&r.w.latencies.nodeDelete, forNodeUpgrade, uint64(tk.node), 2), evNodeGone, tk.gen, t)
}

// nodeGone is the end of an old node whose new one stands (evNodeGone).
func (r *run) nodeGone(t int32) {
	tk := &r.rollout.tickets[t]
	r.removeNode(tk.node)
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
	if nd.flags&nodeReady == 0 {
		r.countNotReady(n, -1)
	}
	r.tally(n, -1)
	nd.flags = nodeRemoved | nodeSilent | nodeReady // neither starts nor stops anything, and is missed by nobody
	nd.away++
	r.nodeChanged(n)
	r.present--
	r.countExtra(n, -1)
	for p := nd.firstPod; p != none; {
		next := r.pods[p].nextOnNode
		w := r.pods[p].workload
		if r.pods[p].state != podTerminating {
			r.terminate(p)
		}
		r.remove(p)
		if spec := &r.w.workloads[w]; spec.kind == daemonSet {
			r.missed(w, spec.slot0+n, -1)
		}
		p = next
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
	for p := wl.firstPod; p != none; p = r.pods[p].next {
		if r.pods[p].slot == slot && r.pods[p].node == none {
			r.terminate(p)
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

// startBlueGreen asks for the whole second set at once.
func (r *run) startBlueGreen(i int32) {
	s := &r.rollout.stages[i]
	longest := int64(0)
	for _, n := range s.nodes {
		if r.nodes[r.w.nodes[n].twin].flags&nodeRemoved != 0 {
			longest = max(longest, r.provision(n))
		}
	}
	r.pushAfter(longest, evSecondSet, 0, i)
}

// secondSet is the second set standing (evSecondSet): the old nodes are cordoned, one call of kubectl each, and then
// the first batch is drained.
func (r *run) secondSet(stage int32) {
	s := &r.rollout.stages[stage]
	at := int64(0)
	for _, n := range s.nodes {
		if twin := r.w.nodes[n].twin; r.nodes[twin].flags&nodeRemoved != 0 {
			r.nodeJoin(twin)
		}
	}
	for _, n := range s.nodes {
		at += r.kubectl(n, 3)
		r.rollout.tickets = append(r.rollout.tickets, ticket{node: n, stage: stage, gen: uint32(len(r.rollout.tickets)), drain: none, step: stepCordon, early: true})
		r.pushAfter(at, evCordon, r.rollout.tickets[len(r.rollout.tickets)-1].gen, int32(len(r.rollout.tickets)-1))
	}
	r.pushAfter(at+cordonGap, evBatch, 0, stage)
}

// retire removes the old nodes of a blueGreen stage at its end (evRetire).
func (r *run) retire(stage int32) {
	s := &r.rollout.stages[stage]
	for _, t := range s.drained {
		r.removeNode(r.rollout.tickets[t].node)
	}
	s.drained = nil
	r.closeStage(stage)
}

// replaces reports how the ticket's stage gets nodes to the new version.
func (r *run) replaces(tk *ticket) model.Replace {
	if s := r.stageOf(tk); s != nil {
		return s.Replace
	}
	return model.ReplaceInPlace
}
