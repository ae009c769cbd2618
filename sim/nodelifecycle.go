package sim

import (
	"slices"

	"upsim/model"
)

// nodeDown makes a node not Ready; with pods, what runs on it is down with it.
func (r *run) nodeDown(n int32, pods bool) {
	nd := &r.nodes[n]
	if nd.flags&nodeReady != 0 {
		nd.flags &^= nodeReady
		r.countNotReady(n, +1)
		r.countInZone(n, 0, -1)
		r.idleChanged(n)
	}
	r.setTaints(n, nd.taints|taintNotReady)
	if pods {
		nd.flags |= nodeSilent
		r.podsDown(n)
	}
	r.dirtyNode(n)
}

// nodeUp makes a node Ready again: its pods follow, and its taint goes. Recorded in o-daemonset: the NoSchedule
// taint is gone at once; the NoExecute one lingers up to 5 s, but every pod tolerates that one for 300 s.
func (r *run) nodeUp(n int32) {
	nd := &r.nodes[n]
	if nd.flags&(nodeFailed|nodeExpired) != 0 {
		nd.flags &^= nodeSilent
		return // it is back when its failure is over, and without a certificate never
	}
	nd.away++ // what was planned for its absence is off
	delete(r.absent, n)
	if nd.flags&nodeReady == 0 {
		nd.flags |= nodeReady
		r.countNotReady(n, -1)
		r.countInZone(n, 0, +1)
		r.idleChanged(n)
		r.pushAfter(r.draw(&r.w.latencies.taint, forTaint, uint64(n), uint64(nd.away)<<2|2), evNodeClear, uint32(nd.away), n)
	}
	if nd.flags&nodeSilent != 0 {
		nd.flags &^= nodeSilent
		r.pushAfter(r.draw(&r.w.latencies.podsReadyAfterNode, forNodeReport, uint64(n), uint64(nd.away)<<2), evNodePods, uint32(nd.away), n)
	}
	r.asksAgain(n)
	r.dirtyNode(n)
}

// nodeClear takes the not-ready taint of a node that is back away (evNodeClear).
func (r *run) nodeClear(n int32) {
	if until := r.controllersDown(); until > r.now {
		r.push(until, evNodeClear, uint32(r.nodes[n].away), n)
		return
	}
	r.setTaints(n, r.nodes[n].taints&^taintNotReady)
	r.roomOn(n)
}

// syncTaint has the unschedulable taint follow spec.unschedulable (evTaint).
func (r *run) syncTaint(n int32) bool {
	nd := &r.nodes[n]
	if until := r.controllersDown(); until > r.now {
		r.push(until, evTaint, 0, n)
		return true
	}
	if nd.flags&nodeRemoved != 0 {
		return false
	}
	want := nd.taints &^ taintUnschedulable
	if nd.flags&nodeUnschedulable != 0 {
		want |= taintUnschedulable
	}
	if want == nd.taints {
		return false
	}
	r.setTaints(n, want)
	r.roomOn(n)
	return true
}

// setTaints changes the node controllers' taints, and the tallies of the spread
// filter with them; with nodeTaintsPolicy Honor that can free a parked pod.
func (r *run) setTaints(n int32, to taintBits) {
	nd := &r.nodes[n]
	if nd.taints == to {
		return
	}
	r.tally(n, -1)
	nd.taints = to
	r.nodeChanged(n)
	r.tally(n, +1)
	if !r.w.honorsTaints {
		return
	}
	for _, si := range r.parkedShapes {
		r.queues[si].all = true
		r.wake(si)
	}
}

// absence is what the node controller knows of a node whose kubelet is silent.
type absence struct {
	since   int64 // when it fell silent
	grace   int64 // from then on until it turns Unknown, if it is watched all the time
	unknown bool  // its Ready condition is Unknown
	tainted bool  // it has the taint unreachable:NoExecute
}

// fallSilent begins a kubelet's silence. Pods that it was starting start over when it is back.
func (r *run) fallSilent(n int32, why nodeFlags) {
	nd := &r.nodes[n]
	was := nd.flags & nodeMute
	nd.flags |= why
	if was != 0 {
		return // nothing is new to those who listen
	}
	x := &absence{since: r.now, grace: r.silence(n)}
	r.absent[n] = x
	r.pushAfter(x.grace, evNodeDown, 0, n)
	for _, p := range slices.Backward(r.on[n]) {
		switch pd := &r.pods[p]; pd.state {
		case podStarting:
			pd.flags |= podInterrupted
		case podTerminating:
			r.detachByForce(p)
		}
	}
}

// A kubelet renews its lease every heartbeat; the node controller looks every monitorPeriod, and counts the grace period
// from the look that found the last renewal (pkg/kubelet: a quarter of the lease's 40 s; pkg/controller/nodelifecycle).
const (
	heartbeat     = 10_000_000
	monitorPeriod = 5_000_000
)

// silence is how long a kubelet that falls silent now is silent before its node turns Unknown: the grace period, less what
// has passed since its last heartbeat, and longer by what it took until that was seen. Recorded: 48.2 s, and the grace period is 50 s.
func (r *run) silence(n int32) int64 {
	grace := r.w.latencies.monitorGrace
	if !r.w.latencies.controller.varies() {
		return grace // nothing is left to chance
	}
	since := uniform(hash(r.seed, forHeartbeat, uint64(n), uint64(r.nodes[n].away)))
	seen := uniform(hash(r.seed, forMonitor, uint64(n), uint64(r.nodes[n].away)))
	return max(0, grace-int64(since*heartbeat)+int64(seen*monitorPeriod))
}

// nodeUnknown is a node whose kubelet has been silent for the monitor's grace
// period (evNodeDown): it turns Unknown, its pods not Ready, and after the
// default toleration they are deleted. A controller-manager that has just
// started waits for the whole period from then on.
func (r *run) nodeUnknown(n int32) bool {
	x := r.absent[n]
	if x == nil || x.unknown || r.now < x.since+x.grace {
		return false // it is back, or this was meant for an earlier silence
	}
	if since := r.watchedSince(); since > x.since && since+r.w.latencies.monitorGrace > r.now {
		due := since + r.w.latencies.monitorGrace
		r.push(due, evNodeDown, 0, n)
		return false
	}
	r.nodeDown(n, false)
	r.podsDown(n)
	r.sayNode(n, "unknown")
	x.unknown = true
	r.unreachable(n)
	return true
}

// watchedSince is since when the controller-manager that acts has watched the nodes; ahead while none does.
func (r *run) watchedSince() int64 { return r.controllersDown() }

// evictLater plans the deletion of the pods of a node that is gone, each after the
// time for which it tolerates that: all but those of DaemonSets and static ones. False means that there is none.
func (r *run) evictLater(n int32) (any bool) {
	r.nodes[n].downAt = r.now
	for _, p := range slices.Backward(r.on[n]) {
		pd := &r.pods[p]
		spec := &r.w.workloads[pd.workload]
		if spec.kind != daemonSet && spec.kind != staticPod && pd.state != podTerminating && spec.tolerates != never {
			r.pushAfter(spec.tolerates, evNodeEvict, pd.gen, p)
			any = true
		}
	}
	return any
}

// nodeEvict deletes a pod whose node is still gone when it tolerates that no
// longer (evNodeEvict). Nobody stops it, so its object stays. A controller-manager
// that has started since counts the time anew (pkg/controller/tainteviction: from when it saw the taint).
func (r *run) nodeEvict(p int32) bool {
	pd := &r.pods[p]
	if pd.node == none || pd.state == podTerminating {
		return false
	}
	x := r.absent[pd.node]
	tainted := r.nodes[pd.node].downAt
	tolerates := r.w.workloads[pd.workload].tolerates
	if x == nil || !x.tainted || r.now < tainted+tolerates {
		return false
	}
	if due := max(tainted, r.watchedSince()) + tolerates; due > r.now {
		r.push(due, evNodeEvict, pd.gen, p)
		return false
	}
	r.lose(p)
	return true
}

// giveUp deletes the pods of a node that was gone long before the upgrade.
func (r *run) giveUp(n int32) {
	for _, p := range slices.Backward(r.on[n]) {
		spec := &r.w.workloads[r.pods[p].workload]
		if spec.kind != daemonSet && spec.kind != staticPod && spec.tolerates != never && r.pods[p].state != podTerminating {
			r.lose(p)
		}
	}
}

// toleration is how long pods of the workload tolerate that their node is
// unreachable: what its toleration says, the default where it has none, never for ever.
func (c *compiler) toleration(e *model.Workload) int64 {
	longest := c.World.latencies.tolerate
	for _, t := range e.Tolerations {
		if !tolerates([]model.Toleration{t}, model.Taint{Key: model.TaintUnreachable, Effect: model.NoExecute}) {
			continue
		}
		if t.Seconds == nil {
			return never
		}
		longest = max(0, *t.Seconds) * 1_000_000
	}
	return longest
}

// nodeOverdue is a node that should be back and is not, or is late (evNodeOverdue).
func (r *run) nodeOverdue(n int32) {
	nd := &r.nodes[n]
	if r.noAPI() {
		r.push(r.cp.apiDownUntil, evNodeOverdue, uint32(nd.away), n)
		return
	}
	r.endAway(n) // its absence is no longer part of the plan
	if r.w.nodes[n].cp {
		until := downForever // unless it comes back after all
		if away := r.awayFor(n); away != never {
			until = r.now + away
		}
		r.machineOff(r.w.instanceOf(n), until)
	}
	r.nodeDown(n, true)
	if x := r.absent[n]; x == nil {
		r.absent[n] = &absence{since: r.now, unknown: true}
		r.unreachable(n)
	}
	if g := r.gateOf(n); g != nil && g.NodesReady {
		r.pushAfter(g.Timeout.Microseconds(), evGateOverdue, uint32(nd.away), n)
	}
	if nd.ticket != none {
		r.callOff(nd.ticket) // if the upgrade goes back, nobody waits for it
	}
}

// gateOf is the gate of the stage that the node belongs to, if it is under way.
func (r *run) gateOf(n int32) *model.Gate {
	if i := r.nodes[n].stage; i != 0 {
		if s := &r.rollout.stages[i-1]; s.step != stageAhead && s.step != stageOver {
			return s.Gate
		}
	}
	return nil
}

// dropUnsupported loses every node whose kubelet the API servers no longer
// support, and takes those back that they support again. It looks at all nodes, but
// only when an API server's version has changed.
func (r *run) dropUnsupported() {
	for n := range int32(len(r.nodes)) {
		nd := &r.nodes[n]
		oldest, newest := r.apiSeenBy(n)
		if newest == 0 {
			continue
		}
		lost := r.w.loses(nd, int(oldest), int(newest))
		switch {
		case lost && nd.flags&nodeLost == 0:
			nd.away++
			r.fallSilent(n, nodeLost|nodeSilent)
		case !lost && nd.flags&nodeLost != 0:
			nd.flags &^= nodeLost
			r.nodeUp(n)
		default:
			continue
		}
		r.dirtyNode(n)
	}
}
