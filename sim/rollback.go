package sim

import (
	"fmt"
	"slices"
	"strings"

	"upsim/model"
)

// Going back (stage.onFailure rollback and restore): what is under way ends or is called off, then the nodes that this
// phase has upgraded go back, the last stage first and in each the last node first, in the way in which their stage
// upgrades nodes. A kubelet may go back to an older version; a control plane may not.

// goingBack is how far the upgrade has gone back.
type goingBack struct {
	step    backStep
	began   bool
	restore bool
	from    uint16  // the version that they go back from
	reason  int     // of the gate that has failed
	nodes   []int32 // that go back; of two that replace each other the original
	away    int     // nodes that should have been back
	lost    []int32 // that stay, since no API server would take their old kubelet
}

type backStep uint8

const (
	notBack      backStep = iota
	backWaits             // for what is under way
	backGoes              // nodes go back
	backRestores          // the control plane is restored
)

// goBack ends the upgrade of nodes at a stage whose gate has failed. What began goes back from evPhase on, once no stage is under way.
func (r *run) goBack(s *stageRun) {
	ro := &r.rollout
	ro.back = goingBack{step: backWaits, from: ro.target, restore: s.OnFailure == model.GateRestore, reason: len(r.reasons) - 1}
	for i := ro.firstOfPhase; i < len(ro.stages); i++ {
		ro.stages[i].calledOff = true
	}
	r.cutSpans()
	r.restNoMore() // a window is not waited for any more
	r.halt()
	for t := range ro.tickets {
		r.callOff(int32(t))
	}
	var asked []int32
	for n := range ro.asked {
		asked = append(asked, n)
	}
	slices.Sort(asked)
	for _, n := range asked {
		r.withdraw(n)
	}
	for i := ro.firstOfPhase; i < len(ro.stages); i++ {
		if ro.stages[i].step == stagePoolSoaks {
			r.span(r.phaseName(&ro.stages[i]), ro.stages[i].started, r.now)
			r.stageOver(int32(i))
		}
	}
}

// cutSpans ends the waits now that were to last longer.
func (r *run) cutSpans() {
	for i := range r.phases {
		r.phases[i].end = min(r.phases[i].end, r.now)
	}
}

// callOff ends a node's upgrade that is under way when the upgrade goes back. A drain is interrupted; a node whose kubelet is
// being replaced or whose object is being deleted ends that first, unless it should be back already and is not.
func (r *run) callOff(t int32) {
	ro := &r.rollout
	tk := &ro.tickets[t]
	if tk.stage == none || tk.step == stepDone || tk.left || !ro.stages[tk.stage].calledOff {
		return
	}
	switch {
	case tk.early:
		tk.step = stepDone
		return
	case tk.step == stepUpgrade && (tk.way != wayInPlace || tk.deleted || r.nodes[tk.node].flags&nodeBusy != 0):
		return
	case tk.step == stepUpgrade:
		tk.left = true
		ro.back.away++
		s := &ro.stages[tk.stage]
		s.inFlight--
		r.fill(tk.stage)
		return
	case tk.step == stepProvision:
		for n, who := range ro.asked { // one has been asked for it
			if who.ticket == t {
				r.withdraw(n)
				return
			}
		}
	case tk.step == stepDrain && tk.drain != none:
		r.stopDrain(tk.drain)
	case tk.step == stepGate:
		s := &ro.stages[tk.stage]
		s.atGate = slices.DeleteFunc(s.atGate, func(x int32) bool { return x == t })
		ro.gated--
	}
	r.ticketDone(t)
}

// stopDrain interrupts a drain: it asks for nothing more. Pods whose eviction was accepted go all the same.
func (r *run) stopDrain(di int32) {
	d := &r.drains[di]
	if d.over {
		return
	}
	rec := &r.rollout.records[r.rollout.tickets[d.ticket].node]
	rec.drain += r.now - r.rollout.tickets[d.ticket].drainStart
	for _, c := range d.waits() {
		if r.claims[c].gone != never { // its pod is gone
			r.freeClaim(c)
		}
	}
	d.over, d.turns, d.polls, d.deleted, d.lane, d.turnAt = true, nil, nil, nil, none, never
	for _, c := range r.claimsOf(di) {
		cl := &r.claims[c]
		b := none
		switch cl.state {
		case claimParked:
			b = r.w.workloads[r.pods[cl.pod].workload].budget
			r.unparkClaim(c, r.now)
			d.asking--
		case claimAsking:
			if b = r.w.workloads[r.pods[cl.pod].workload].budget; b != none && r.budgets[b].awake == c {
				r.budgets[b].awake = none
			}
			d.asking--
		default:
			d.waiting--
		}
		r.unblock(c)
		r.pods[cl.pod].claim = none
		r.freeClaim(c)
		if b != none {
			r.wakeBudget(b)
		}
	}
	rec.blocked += d.blockedTime
}

// goBackFurther takes the next step back, once what went before is over (evPhase).
func (r *run) goBackFurther() {
	ro := &r.rollout
	switch ro.back.step {
	case backWaits:
		ro.back.step, ro.halted = backGoes, false
		for i := ro.firstOfPhase; i < len(ro.stages); i++ {
			for _, n := range ro.stages[i].nodes {
				r.setOutdated(n, false)
			}
		}
		first := none
		r.leftCordoned(func(n int32) {
			if first == none {
				first = n
			}
		})
		if first == none {
			r.startGoingBack()
			return
		}
		r.pushAfter(r.kubectl(first, 2), evGoBack, 0, 0)
		return
	case backGoes:
		if ro.back.restore && !ro.halted && r.newerThanSnapshot() == none {
			ro.back.step = backRestores
			r.leaveStages()
			r.restoreControlPlane()
			return
		}
	}
	ro.done = true
	r.finish()
}

// leftCordoned gives the nodes of the phase that have the version that they had and are cordoned by the upgrade.
func (r *run) leftCordoned(give func(int32)) {
	ro := &r.rollout
	for i := ro.firstOfPhase; i < len(ro.stages); i++ {
		if ro.stages[i].back {
			return
		}
		for _, n := range ro.stages[i].nodes {
			if nd := &r.nodes[n]; nd.flags&(nodeUnschedulable|nodeRemoved) == nodeUnschedulable && nd.ticket == none && nd.kubelet == ro.records[n].kubelet && !r.w.nodes[n].cordoned {
				give(n)
			}
		}
	}
}

// startGoingBack uncordons what is not upgraded, in one call of kubectl, and begins with the nodes that go back (evGoBack).
func (r *run) startGoingBack() {
	ro := &r.rollout
	if r.noAPI() {
		r.push(r.cp.apiDownUntil, evGoBack, 0, 0)
		return
	}
	ro.back.began = true
	r.leftCordoned(func(n int32) {
		r.cordon(n, false)
		r.tellNode(evUncordon, n)
	})
	ofPhase := ro.stages[ro.firstOfPhase:len(ro.stages):len(ro.stages)]
	r.leaveStages()
	for end := len(ofPhase); end > 0; {
		start := end - 1
		for start > 0 && ofPhase[start].Beside {
			start--
		}
		beside := false // of those that went together the last goes first, and the others beside it
		for i := end - 1; i >= start; i-- {
			if s := r.stageBack(&ofPhase[i]); len(s.nodes)+len(s.extras) > 0 {
				s.Beside = beside
				beside = true
				ro.stages = append(ro.stages, s)
			}
		}
		end = start
	}
	for i := ro.next; i < len(ro.stages); i++ {
		s := &ro.stages[i]
		for _, n := range s.nodes {
			r.nodes[n].stage = int32(i) + 1
		}
		s.notReady = r.notReady(s.nodes)
	}
	r.nextStages()
}

// stageBack is the stage that takes a stage's nodes back. It has no gate and does not soak: the sooner they are back the better.
func (r *run) stageBack(of *stageRun) stageRun {
	ro := &r.rollout
	s := stageRun{Stage: of.Stage, places: of.places, back: true}
	s.Gate, s.NodeGate, s.Soak, s.SoakPerNode, s.BatchSoak, s.PoolSoak, s.FirstAlone = nil, nil, 0, 0, 0, 0, false
	for _, n := range slices.Backward(of.nodes) {
		rec := &ro.records[n]
		twin := r.w.nodes[n].twin
		there := func(n int32) bool { return n != none && r.nodes[n].flags&nodeRemoved == 0 }
		switch {
		case there(twin):
			n = twin
		case there(n) && (r.nodes[n].kubelet == rec.kubelet || r.nodes[n].ticket != none):
			continue // it has not been upgraded, or is away
		}
		ro.back.nodes = append(ro.back.nodes, r.w.original(n))
		if r.losesBack(rec.kubelet) {
			ro.back.lost = append(ro.back.lost, n)
			continue
		}
		s.nodes = append(s.nodes, n)
	}
	for _, n := range of.extras {
		if len(s.nodes) == 0 && r.nodes[n].flags&nodeRemoved != 0 {
			continue
		}
		s.extras = append(s.extras, n)
		if len(s.nodes) > 0 {
			first := &ro.records[s.nodes[0]]
			ro.records[n].kubelet, ro.records[n].proxy = first.kubelet, first.proxy
		}
	}
	s.surge = min(s.surge, len(s.nodes))
	if len(s.nodes) == 0 {
		s.Cordon = model.CordonOwn
	}
	return s
}

// losesBack reports whether a node with that kubelet would be lost to the API servers of now.
func (r *run) losesBack(kubelet uint16) bool {
	return r.w.loses(&node{kubelet: kubelet}, int(r.cp.oldest), int(r.cp.newest))
}

// comesAgain reports whether a node that goes back is gone, and so is the one in its place.
func (r *run) comesAgain(n int32, s *stageRun) bool {
	twin := r.w.nodes[n].twin
	return s.back && !s.retiring && (twin == none || r.nodes[twin].flags&nodeRemoved != 0)
}

// rememberVersion keeps what a node has as its phase begins, for it and the one that may come in its place.
func (r *run) rememberVersion(n int32) {
	nd := &r.nodes[n]
	for _, x := range []int32{n, r.w.nodes[n].twin} {
		if x != none {
			rec := &r.rollout.records[x]
			rec.kubelet, rec.proxy = nd.kubelet, nd.proxy
		}
	}
}

// versionsOf are the versions of kubelet and kube-proxy that a node gets from a stage; nil is the control plane.
func (r *run) versionsOf(n int32, s *stageRun) (kubelet, proxy uint16) {
	if s != nil && s.back {
		rec := &r.rollout.records[n]
		return rec.kubelet, rec.proxy
	}
	return r.rollout.target, r.rollout.target
}

// reached says that a node has the version that its stage brings.
func (r *run) reached(n int32, s *stageRun) {
	rec := &r.rollout.records[n]
	if s != nil && s.back {
		rec.upgradedAt, rec.backAt = -1, r.now
		return
	}
	rec.upgradedAt, rec.backAt = r.now, 0
}

// backAt is when the node, or the one whose place it took, had its old version again; -1 if it did not go back.
func (r *run) backAt(n int32) int64 {
	for _, x := range []int32{n, r.w.nodes[n].twin} {
		if x != none && r.rollout.records[x].backAt > 0 {
			return r.rollout.records[x].backAt
		}
	}
	return -1
}

// newerThanSnapshot is a worker whose kubelet is newer than the control plane would be after its restore; none if there is none.
func (r *run) newerThanSnapshot() int32 {
	s := &r.cp.snapshot
	if !s.taken {
		return none
	}
	for n := range int32(len(r.nodes)) {
		nd := &r.nodes[n]
		if r.w.nodes[n].cp || nd.flags&nodeRemoved != 0 {
			continue
		}
		for i := range s.instances {
			if in := &s.instances[i]; in.there && r.w.minor[nd.kubelet] > r.w.minor[in.api] {
				return n
			}
		}
	}
	return none
}

// isBack reports whether a node that was to go back has done so, or has given its place to one that has.
func (r *run) isBack(n int32) bool {
	there := 0
	for _, x := range []int32{n, r.w.nodes[n].twin} {
		if x == none || r.nodes[x].flags&nodeRemoved != 0 {
			continue
		}
		there++
		if r.nodes[x].kubelet != r.rollout.records[x].kubelet {
			return false
		}
	}
	return there == 1
}

// extraLeft is an extra node of the phase with the new version that is still there when the nodes have gone back; none if there is none.
func (r *run) extraLeft() int32 {
	ro := &r.rollout
	for i := ro.firstOfPhase; i < len(ro.stages); i++ {
		for _, n := range ro.stages[i].extras {
			if nd := &r.nodes[n]; nd.flags&nodeRemoved == 0 && nd.kubelet == ro.back.from {
				return n
			}
		}
	}
	return none
}

// tellWentBack adds what became of the nodes to the reason of the gate that failed.
func (r *run) tellWentBack() {
	b := &r.rollout.back
	if b.step == notBack {
		return
	}
	var versions []uint16
	count := make(map[uint16]int)
	var left []string
	for _, n := range b.nodes {
		if !r.isBack(n) {
			left = append(left, r.w.nodeSubject(n))
			continue
		}
		v := r.rollout.records[n].kubelet
		if count[v]++; count[v] == 1 {
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, func(a, c uint16) int { return int(r.w.rank[a] - r.w.rank[c]) })
	var said []string
	for _, v := range versions {
		said = append(said, fmt.Sprintf("%s back at %s", plural(count[v], "node is", "nodes are"), r.w.version(v)))
	}
	if !b.began {
		said = append(said, "what was under way does not end, so that no node has gone back")
	} else if len(b.nodes) == 0 {
		said = append(said, "no node had the new version")
	}
	if b.away > 0 {
		said = append(said, plural(b.away, "node is away and left as it is", "nodes are away and left as they are"))
	}
	if len(left) > 0 {
		const most = 5
		if len(left) > most {
			left = append(left[:most:most], fmt.Sprintf("%d more", len(left)-most))
		}
		said = append(said, strings.Join(left, " and ")+" did not go back")
	}
	if n := r.extraLeft(); n != none {
		said = append(said, r.w.nodeSubject(n)+", which stood beside the others, is still there")
	}
	if len(b.lost) > 0 {
		said = append(said, plural(len(b.lost), "of these stays, because", "of these stay, because")+" no API server would support the kubelet of before")
	}
	if b.restore && !r.cp.snapshot.taken {
		said = append(said, "and the control plane has not changed")
	}
	if n := r.newerThanSnapshot(); b.restore && b.step == backGoes && n != none {
		said = append(said, fmt.Sprintf("the control plane is not restored, because %s has a newer kubelet than it would have", r.w.nodeSubject(n)))
	}
	r.reasons[b.reason].Message += ": " + strings.Join(said, ", ")
}
