package sim

import (
	"cmp"
	"slices"

	"upsim/model"
)

// drain.evict: pods of a drain that are not all asked for at once wait for their turn.
//
//   - sequential (Cluster API): one pod's eviction is asked for when the one before was answered. One that was refused
//     holds nobody up; it is asked for again drain.retry later.
//   - groups (Karpenter): critical pods wait until all others are gone. Karpenter has four groups, since it also evicts
//     pods of DaemonSets that do not tolerate its taint; here the pods of DaemonSets stay, and two groups are left.
//   - volumesOneByOne (Gardener): of the pods with a volume, by priority, one is asked for when the volume of the one before is
//     detached; the others go at once. A refused one lets the next one pass, and comes again as all refused ones do.

// detachWait is how long Gardener waits for a volume, from the end of the pod's grace period on
// (machine-controller-manager, pkg/util/provider/drain: machine-pv-detach-timeout).
const detachWait = 120_000_000

// startEvictions asks for the evictions of the pods, or for those whose turn comes first.
func (r *run) startEvictions(di int32, pods []int32) {
	d := &r.drains[di]
	spec := func(p int32) *workloadSpec { return &r.w.workloads[r.pods[p].workload] }
	var turns []int32
	switch d.options.Evict {
	case model.EvictSequential:
		pods, turns = nil, pods
	case model.EvictGroups:
		pods, turns = split(pods, func(p int32) bool { return spec(p).priority < model.CriticalPriority })
	case model.EvictVolumesOneByOne:
		pods, turns = split(pods, func(p int32) bool { return spec(p).volume == 0 })
		slices.SortStableFunc(turns, func(a, b int32) int { return cmp.Compare(spec(b).priority, spec(a).priority) })
	}
	for _, p := range turns {
		d.turns = append(d.turns, leftPod{p, r.pods[p].gen})
	}
	if len(pods) > 0 {
		r.askAll(di, pods)
	}
	if len(pods) == 0 || d.options.Evict != model.EvictGroups {
		r.nextTurn(di)
	}
}

// askAll makes claims on the pods and asks for them.
func (r *run) askAll(di int32, pods []int32) {
	d := &r.drains[di]
	d.asking += int32(len(pods))
	if !d.lanes && len(d.polls) == 0 && !r.noAPI() { // nothing that ask looks at first can be in their way
		d.polls = slices.Grow(d.polls, len(pods))
		for _, p := range pods {
			c := r.newClaim(di, p)
			r.send(c, &r.claims[c], d)
		}
		return
	}
	for _, p := range pods {
		r.newClaim(di, p)
	}
	for _, p := range pods {
		r.ask(r.pods[p].claim)
	}
}

// nextTurn asks for the next pods, or ends the drain where none are left.
func (r *run) nextTurn(di int32) {
	d := &r.drains[di]
	var pods []int32
	for len(d.turns) > 0 && len(pods) == 0 {
		next := d.turns[:1]
		if d.options.Evict == model.EvictGroups {
			next = d.turns
		}
		d.turns = d.turns[len(next):]
		for _, l := range next {
			if pd := &r.pods[l.pod]; pd.gen != l.gen || pd.state == podFree {
				continue // gone meanwhile
			} else if pd.claim != none {
				r.ask(pd.claim) // it was refused before
				return
			}
			pods = append(pods, l.pod)
		}
	}
	if len(pods) == 0 {
		r.drainMayEnd(di)
		return
	}
	r.askAll(di, pods)
}

// turn is the instant of the next turn (evTurn).
func (r *run) turn(di int32) bool {
	d := &r.drains[di]
	if d.over || r.now < d.turnAt {
		return false
	}
	d.turnAt, d.lane = never, none
	d.endAt = max(d.endAt, r.now)
	r.nextTurn(di)
	return true
}

// turnBy has the next turn come at an instant, if it would not come earlier.
func (r *run) turnBy(di int32, at int64) {
	if d := &r.drains[di]; at < d.turnAt {
		d.turnAt = d.rhythm.open(at)
		r.push(d.turnAt, evTurn, 0, di)
	}
}

// takesTurns reports whether the claim is on a pod of those that go one after the other.
func (r *run) takesTurns(cl *claim) bool {
	d := &r.drains[cl.drain]
	return d.lanes && (d.options.Evict == model.EvictSequential || r.w.workloads[r.pods[cl.pod].workload].volume != 0)
}

// enterLane makes the claim the one that the others wait for. It reports false where a pod is before it whose volume is
// still attached, and the claim waits for its turn.
func (r *run) enterLane(c int32) bool {
	cl := &r.claims[c]
	d := &r.drains[cl.drain]
	if !r.takesTurns(cl) {
		return true
	}
	if d.lane == none || d.lane == c {
		d.lane, d.turnAt = c, never
		return true
	}
	if d.options.Evict == model.EvictSequential {
		return true // asked again in a later pass
	}
	d.turns = append(d.turns, leftPod{cl.pod, r.pods[cl.pod].gen})
	if b := r.w.workloads[r.pods[cl.pod].workload].budget; b != none && r.budgets[b].awake == c {
		r.budgets[b].awake = none
		r.wakeBudget(b)
	}
	return false
}

// leaveLane lets the next one's turn come at an instant, once the claim was answered.
func (r *run) leaveLane(c int32, at int64) {
	if di := r.claims[c].drain; r.drains[di].lane == c {
		r.turnBy(di, at)
	}
}

// acceptedInLane is leaveLane for a claim that was accepted: one after the other go on at once, volumes when this one is detached.
func (r *run) acceptedInLane(c int32) {
	cl := &r.claims[c]
	at := r.now + r.answerTime(cl)
	if r.drains[cl.drain].options.Evict == model.EvictVolumesOneByOne {
		at = r.now + r.graceOf(cl.pod, &r.w.workloads[r.pods[cl.pod].workload]) + detachWait
	}
	r.leaveLane(c, at)
}

// groupGone starts the next group, once no pod of the one before is left, or gives it up with what it would wait for. It
// reports whether pods still wait for their turn.
func (r *run) groupGone(di int32) bool {
	d := &r.drains[di]
	if len(d.turns) == 0 {
		return d.lane != none && d.turnAt != never // a volume is still attached
	}
	if d.options.Evict != model.EvictGroups {
		return true
	}
	if d.outcome != drainDone {
		r.dropTurns(di, d.outcome)
		return false
	}
	if d.turnAt == never {
		r.advancePolls(di, never)
		r.turnBy(di, max(d.endAt, r.now))
	}
	return true
}

// dropTurns gives the pods up whose turn has not come.
func (r *run) dropTurns(di int32, why drainOutcome) {
	d := &r.drains[di]
	turns := d.turns
	d.turns = nil
	for _, l := range turns {
		pd := &r.pods[l.pod]
		switch {
		case pd.gen != l.gen || pd.state == podFree:
		case pd.claim != none:
			r.claimFailed(pd.claim, why, r.now)
		default:
			d.outcome = max(d.outcome, why)
			d.left = append(d.left, l)
		}
	}
}
