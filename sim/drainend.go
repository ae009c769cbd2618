package sim

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// What follows the end of a drain: its node is upgraded, or the failure is reacted to.

// endDrain is a drain's return (evDrainEnd): the node is upgraded if it is
// empty, and else drained again or drain.onFailure says what follows.
func (r *run) endDrain(t int32) {
	ro := &r.rollout
	tk := &ro.tickets[t]
	d := &r.drains[tk.drain]
	rec := &ro.records[tk.node]
	if r.endedAt < 0 { // else the sums were closed at the end
		rec.drain += r.now - tk.drainStart
		rec.blocked += d.blockedTime
	}
	if !tk.forced {
		if rec.outcome != drainDone { // of an earlier phase or attempt
			rec.failed = max(rec.failed, rec.outcome)
		}
		rec.outcome, rec.drainedAt = d.outcome, r.now
	}
	r.tellNode(evDrainEnd, tk.node)
	if d.outcome == drainDone {
		di := tk.drain
		r.drained(t)
		ro.tickets[t].drain = none
		r.freeDrains = append(r.freeDrains, di)
		return
	}
	r.drainReason(tk, d)
	if tk.attempts++; tk.attempts < d.options.Attempts {
		tk.drain, tk.drainStart = none, r.now+d.options.AttemptDelay.Microseconds()+cordonGap
		r.push(tk.drainStart+r.kubectl(tk.node, 1), evDrainStart, 0, t)
		return
	}
	r.drainFailed(t, d)
}

// drainFailed is what drain.onFailure says. A control-plane node is never deleted, and has no stage that could end without it.
func (r *run) drainFailed(t int32, d *drain) {
	tk := &r.rollout.tickets[t]
	s := r.stageOf(tk)
	switch how := d.options.OnFailure; {
	case how == model.DrainForceDelete:
		r.push(r.now, evForced, 0, t)
	case how == model.DrainDeleteNode && s != nil:
		r.deleteNode(t, s)
	case how == model.DrainSkip:
		r.skipNode(tk, s, d.options.MaxSkipped)
		r.ticketDone(t)
	case how == model.DrainUncordonAndContinue:
		r.uncordonSoon(t)
	case how == model.DrainUncordonAndRetry:
		rec := &r.rollout.records[tk.node]
		rec.failed = max(rec.failed, d.outcome)
		if s == nil {
			r.retryControlPlaneNode(tk.node)
		} else {
			s.retried = append(s.retried, tk.node)
		}
		r.uncordonSoon(t)
	case how == model.DrainWait:
		tk.step = stepHeld // drained again and again with the same end
	case how == model.DrainFailStage && s != nil:
		s.failed, r.rollout.failed = true, true
		r.ticketDone(t)
	case how == model.DrainUncordonAndFail:
		r.halt()
		r.uncordonSoon(t)
	default:
		r.halt()
		r.ticketDone(t)
	}
}

// deleteNode has a node deleted with what is left on it. Where it was to be upgraded itself, a new one comes in its place.
func (r *run) deleteNode(t int32, s *stageRun) {
	tk := &r.rollout.tickets[t]
	tk.deleted = true
	if tk.way == wayInPlace && r.nodes[r.w.nodes[tk.node].twin].flags&nodeRemoved != 0 {
		tk.way = wayReplace
		s.going++
	}
	r.removeSoon(t)
}

// skipNode counts a node that stays cordoned at its version; one too many of them fails the upgrade.
func (r *run) skipNode(tk *ticket, s *stageRun, most *intstr.IntOrString) {
	if s == nil || tk.way == wayRetire {
		return
	}
	s.skipped++
	if most == nil {
		return
	}
	if k, err := intstr.GetScaledValueFromIntOrPercent(most, len(s.nodes), true); err != nil || s.skipped > k {
		r.drainWhy[tk.node] += fmt.Sprintf("; %s of stage %s are left out, and maxSkipped allows %d", plural(s.skipped, "node", "nodes"), s.Name, k)
		r.halt()
	}
}

// drained goes on with an empty node, after drain.postDrainDelay.
func (r *run) drained(t int32) {
	tk := &r.rollout.tickets[t]
	wait := r.drains[tk.drain].options.PostDrainDelay.Microseconds()
	if wait == 0 {
		r.takeOver(t)
		return
	}
	tk.step = stepEmptied
	r.pushAfter(wait, evEmptied, 0, t)
}

// takeOver upgrades an empty node, or lets its new one take over (evEmptied).
func (r *run) takeOver(t int32) {
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
	if r.noAPI() && r.unanswered(t, evForced) {
		return
	}
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

// deletedWith counts the pods that go with a node whose drain failed (drain.onFailure deleteNode): no budget is asked.
func (r *run) deletedWith(n int32) {
	for _, p := range slices.Backward(r.on[n]) {
		pd := &r.pods[p]
		if k := r.w.workloads[pd.workload].kind; k == daemonSet || k == staticPod || pd.state == podTerminating || pd.flags&podDeleting != 0 {
			continue
		}
		r.deletions++
		r.countMove(pd)
	}
}
