package sim

import (
	"upsim/model"
	"upsim/model/skew"
)

// rollout is the person or tool that upgrades: phase by phase, in the node
// phases stage by stage, in a stage node by node.
type rollout struct {
	plan  []phase
	phase int // the next one
	done  bool

	tickets []ticket
	records []nodeRecord
	asked   map[int32]asking // new nodes on their way
	target  uint16           // the version that nodes move to in this phase
	halted  bool             // a drain's failure stopped it: nothing new is started
	failed  bool             // a drain's failure ended its stage: the phase is the last

	stages       []stageRun
	firstOfPhase int   // the first stage of this phase
	watching     bool  // some gate looks out for regressions
	leastBudget  int64 // the least error budget that a gate watches; never without one
	alarmed      bool  // something that is watched has happened in this tick
	back         goingBack
	next         int // the first stage that has not begun
	running      int // stages that have begun and are not over
	gated        int // of these, those that wait for their gate
	held         int // and those that wait for something to change
	defaults     model.Drain
}

// phase is one part of the upgrade: the control plane to a version, or the nodes to it.
type phase struct {
	controlPlane bool
	to           model.Version
	// next is not zero where only those nodes move whose kubelet would be too old for it.
	next model.Version
}

// phaseSpan is a named part of the upgrade with its times.
type phaseSpan struct {
	name       string
	start, end int64
}

// ticket is one node's upgrade that is under way.
type ticket struct {
	node       int32
	stage      int32 // none for a control-plane node
	drain      int32
	step       ticketStep
	drainStart int64
	upgraded   bool
	forced     bool
	away       bool         // its node counts among those of its stage that the upgrade has made not Ready
	deleted    bool         // its drain failed, and the node is deleted
	attempts   int          // drains of the node that have failed
	refused    *refusedNode // by kubectl
	way        ticketWay
	kept       bool  // it was cordoned before and stays so
	heldSince  int64 // since when the node gate that it waits for holds without a break; never while it does not
	left       bool  // nobody waits for its node any more
	early      bool  // only its cordon is under way: blueGreen cordons all old nodes before it drains the first
}

// ticketWay is how a ticket's node gets to the new version.
type ticketWay uint8

const (
	wayInPlace   ticketWay = iota
	waySurge               // its new node comes first, then it goes
	wayReplace             // it goes first, then its new one comes
	wayBlueGreen           // it goes with all others at the end
	wayRetire              // it was an extra one and goes
)

type ticketStep uint8

const (
	stepCordon ticketStep = iota
	stepProvision
	stepDrain
	stepEmptied // waits for drain.postDrainDelay
	stepUpgrade
	stepUncordon
	stepSoak
	stepDone
	stepGate // it waits for the node gate
	stepHeld // its drain failed for good, and drain.onFailure is wait
)

// nodeRecord is what a run remembers of a node.
type nodeRecord struct {
	drain      int64
	drainedAt  int64 // when the last drain ended, well or not
	outcome    drainOutcome
	blocked    int64
	upgradedAt int64        // -1 if it was not
	joined     bool         // it came during the upgrade
	failed     drainOutcome // how an earlier try ended that drain.onFailure had repeated
	deleted    bool         // it was deleted with what was left on it
	tickets    int32        // how often it was taken in hand
	// What it had when its phase began, it or the node whose place it takes.
	kubelet, proxy uint16
	backAt         int64 // when it had that again; 0 if it had not to go back
}

// begin starts the upgrade: what was already broken, what must not start, and else the first phase.
func (r *run) begin() {
	ro := &r.rollout
	ro.records, ro.asked = make([]nodeRecord, len(r.nodes)), make(map[int32]asking)
	// Most upgrades have one for every worker; growing to that would ask for five times the memory.
	ro.tickets = make([]ticket, 0, r.w.workers)
	for i := range ro.records {
		ro.records[i].upgradedAt = -1
	}
	ro.defaults = r.w.upgrade.Upgrade.Nodes.Drain
	ro.leastBudget = never
	r.startAccumulators()
	r.beginControlPlane()
	for n := range r.nodes {
		r.dirtyNode(int32(n))
		if r.nodes[n].flags&(nodeReady|nodeRemoved) == 0 {
			// It has been away for long: what stood on it has been given up already.
			r.giveUp(int32(n))
		}
	}
	r.beginFaults()
	r.resumeParked()
	if len(r.w.Hindrances()) > 0 {
		r.aborted = true
		r.finish()
		return
	}
	r.limitNodes()
	ro.plan = r.planPhases()
	r.beginInWindow()
}

// Hindrances are the findings for which the upgrade must not start: what was known beforehand and forbids the plan.
func (w *World) Hindrances() (list []model.Finding) {
	for _, f := range w.findings {
		switch f.Code {
		case model.MinorSkipped, model.ControlPlaneDowngrade, model.KubeadmRefuses, model.ControlPlaneBehindTarget, model.QuotaExceeded, model.StageWithoutNodes, model.LocalVolumeLost:
			list = append(list, f)
		}
	}
	return list
}

// planPhases lays out the upgrade: the control plane minor by minor, and the
// nodes after each minor or, with hops final, only when the next minor would
// leave a kubelet too old, and at the end. Phases that the upgrade gives are taken as they are.
func (r *run) planPhases() []phase {
	up := &r.w.upgrade.Upgrade
	var plan []phase
	for _, p := range up.Phases {
		plan = append(plan, phase{controlPlane: p.ControlPlane, to: p.To})
	}
	if len(plan) > 0 {
		return plan
	}
	current := r.newestAPI()
	if !up.ControlPlane.Skip {
		for _, v := range up.Path {
			if r.oldestAPI().Compare(v) >= 0 && current.Compare(v) >= 0 {
				continue
			}
			if r.kubeletTooOldFor(v, plan, current) {
				plan = append(plan, phase{to: current, next: v})
			}
			plan = append(plan, phase{controlPlane: true, to: v})
			current = v
			if up.Nodes.Hops == model.HopsEach && v != up.To {
				plan = append(plan, phase{to: v})
			}
		}
	}
	return append(plan, phase{to: up.To})
}

// kubeletTooOldFor reports whether some worker's kubelet, after the phases
// planned so far, is too old for an API server at v.
func (r *run) kubeletTooOldFor(v model.Version, plan []phase, current model.Version) bool {
	for n := range r.w.workers {
		if r.meant != nil && !r.meant[n] {
			continue
		}
		k := r.w.version(r.nodes[n].kubelet) // before the first phase no worker has been replaced
		// One that is too old already is lost, and does not hold the others up.
		if skew.Kubelet(k.Minor, current.Minor, current.Minor) == model.KubeletTooOld && len(plan) == 0 {
			continue
		}
		for _, p := range plan {
			if !p.controlPlane && p.moves(r.w, n, r.w.versionIs(k)) {
				k = p.to
			}
		}
		if r.w.lagsTooFar(k, v) {
			return true
		}
	}
	return false
}

// lagsTooFar reports whether a kubelet would be too old for an API server at v: by
// the skew policy, or by what the strategy's system allows.
func (w *World) lagsTooFar(kubelet, v model.Version) bool {
	most := w.upgrade.Upgrade.Nodes.MaxLag
	return skew.Kubelet(kubelet.Minor, v.Minor, v.Minor) == model.KubeletTooOld || most > 0 && v.Minor-kubelet.Minor > most
}

// moves reports whether a node phase moves the node with this kubelet.
func (p phase) moves(w *World, n int32, kubelet uint16) bool {
	k := w.version(kubelet)
	switch {
	case k.Compare(p.to) >= 0:
		return false
	case p.next.IsZero():
		return !w.lags(n)
	}
	return w.lagsTooFar(k, p.next)
}

// nextPhase starts the next part of the upgrade, or ends it (evPhase).
func (r *run) nextPhase() {
	ro := &r.rollout
	if ro.back.step != notBack {
		r.goBackFurther()
		return
	}
	if ro.halted || ro.failed || ro.phase == len(ro.plan) {
		ro.done = true
		r.finish()
		return
	}
	p := ro.plan[ro.phase]
	ro.phase++
	ro.target = r.w.versionIs(p.to)
	if p.controlPlane {
		r.startControlPlane(p.to)
		return
	}
	r.startBeside(p.to)
	r.startNodes(p)
}

// startTicket takes a node in hand: kubectl cordon first.
func (r *run) startTicket(n, stage int32) int32 {
	ro := &r.rollout
	t := int32(len(ro.tickets))
	ro.tickets = append(ro.tickets, ticket{node: n, stage: stage, drain: none, kept: r.w.nodes[n].cordoned})
	r.nodes[n].ticket = t
	ro.records[n].tickets++
	tk := &ro.tickets[t]
	s := r.stageOf(tk)
	tk.way = r.wayOf(n, s)
	switch {
	case r.nodes[n].flags&nodeRemoved != 0: // it is gone and comes again
		s.going++
		tk.step = stepProvision
		r.askFor(n, asking{stage: stage, ticket: t})
		return t
	case tk.way == wayReplace:
		s.going++
	case tk.way == waySurge && r.nodes[r.w.nodes[n].twin].flags&nodeRemoved != 0 && s.Cordon != model.CordonOwnFirst:
		tk.step = stepProvision
		r.askFor(r.w.nodes[n].twin, asking{stage: stage, ticket: t})
		return t
	case tk.way == wayBlueGreen && r.nodes[n].flags&nodeUnschedulable != 0: // else it was uncordoned to be tried again
		r.beginDrain(t)
		return t
	}
	r.pushAfter(r.kubectl(n, 0), evCordon, 0, t)
	return t
}

// wayOf is how the stage gets a node to the new version. A node whose new one
// stands already, since a drain is tried again or its stage brought it first, only has to go.
func (r *run) wayOf(n int32, s *stageRun) ticketWay {
	switch {
	case s == nil:
		return wayInPlace
	case s.back && r.nodes[n].flags&nodeRemoved != 0:
		return wayReplace
	case s.retiring:
		return wayRetire
	case s.Replace == model.ReplaceInPlace:
		return wayInPlace
	case s.Replace == model.ReplaceReimage:
		return wayInPlace
	case s.Replace == model.ReplaceBlueGreen:
		return wayBlueGreen
	case r.nodes[r.w.nodes[n].twin].flags&nodeRemoved == 0:
		return waySurge
	case s.Replace == model.ReplaceSurge && s.going >= s.unavailable:
		return waySurge
	}
	return wayReplace
}

// kubectl is the time that a call of kubectl takes until it acts.
func (r *run) kubectl(n int32, call uint64) int64 {
	return r.draw(&r.w.latencies.kubectl, forKubectl, uint64(n), call+8*uint64(r.rollout.records[n].tickets))
}

// cordonGap is from the end of one call of kubectl to the start of the next in
// a script. Recorded: 6 ms from cordoned to the start of the drain.
const cordonGap = 6_000

// cordoned is kubectl cordon reaching the API server (evCordon).
func (r *run) cordoned(t int32) {
	tk := &r.rollout.tickets[t]
	if r.noAPI() && r.unanswered(t, evCordon) {
		return
	}
	r.cordon(tk.node, true)
	r.tellNode(evCordon, tk.node)
	switch {
	case tk.early:
		tk.step = stepDone
	case tk.way == waySurge && r.stageOf(tk).Cordon == model.CordonOwnFirst && r.nodes[r.w.nodes[tk.node].twin].flags&nodeRemoved != 0: // cordoned before its new node is asked for
		tk.step = stepProvision
		r.askFor(r.w.nodes[tk.node].twin, asking{stage: tk.stage, ticket: t})
	default:
		r.beginDrain(t)
	}
}

// beginDrain calls kubectl drain.
func (r *run) beginDrain(t int32) {
	tk := &r.rollout.tickets[t]
	tk.step = stepDrain
	tk.drainStart = r.now + cordonGap
	r.push(tk.drainStart+r.kubectl(tk.node, 1), evDrainStart, 0, t)
}

// cordon changes spec.unschedulable; the taint follows a little later.
func (r *run) cordon(n int32, on bool) {
	nd := &r.nodes[n]
	if (nd.flags&nodeUnschedulable != 0) == on || nd.flags&nodeRemoved != 0 {
		return
	}
	nd.flags ^= nodeUnschedulable
	r.nodeChanged(n)
	r.idleChanged(n)
	if !on {
		r.roomOn(n) // if its taint was never set, or is gone already
	}
	r.dirtyNode(n)
	change := uint64(nd.away) << 2
	if on {
		change |= 1
	}
	r.pushAfter(r.draw(&r.w.latencies.taint, forTaint, uint64(n), change), evTaint, 0, n)
}

// drainOptions are those of the stage, or for a control-plane node the upgrade's.
func (ro *rollout) drainOptions(tk *ticket) *model.Drain {
	if tk.stage != none {
		return &ro.stages[tk.stage].Drain
	}
	return &ro.defaults
}

// upgradeNode replaces the kubelet of a drained node, or reboots it.
func (r *run) upgradeNode(t int32) {
	tk := &r.rollout.tickets[t]
	nd := &r.nodes[tk.node]
	tk.step = stepUpgrade
	nd.flags |= nodeBusy
	nd.away++
	if r.w.scenario.Assumptions.NodeNotReadyWhileUpgrade {
		// A control-plane node's kubelet is replaced without a reboot: the API server on it goes on.
		r.nodeDown(tk.node, r.w.scenario.Assumptions.PodsDownWhileUpgrade && !r.w.nodes[tk.node].cp)
	}
	if tk.away = nd.flags&nodeReady == 0 && nd.stage != 0; tk.away {
		r.rollout.stages[nd.stage-1].away++
	}
	r.tellNode(evNodeDown, tk.node)
	took := &r.w.latencies.nodeUpgrade
	if r.w.nodes[tk.node].cp {
		took = &r.w.latencies.controlPlaneNode
	}
	d := r.drawExact(took, forNodeUpgrade, uint64(tk.node), 0)
	switch away := r.awayFor(tk.node); {
	case away == never:
		nd.flags |= nodeSilent
		r.pushAfter(d, evNodeOverdue, uint32(nd.away), tk.node) // it should be back by now
	case away > 0:
		r.pushAfter(d, evNodeOverdue, uint32(nd.away), tk.node)
		r.pushAfter(d+away, evNodeBack, 0, t)
	default:
		r.pushAfter(d+r.draw(&r.w.latencies.kubelet, forNodeReport, uint64(tk.node), 1<<32), evNodeBack, 0, t)
	}
}

// endAway ends a node's absence for its upgrade, as far as that was part of the plan.
func (r *run) endAway(n int32) {
	nd := &r.nodes[n]
	if nd.ticket != none && r.rollout.tickets[nd.ticket].away {
		r.rollout.tickets[nd.ticket].away = false
		r.rollout.stages[nd.stage-1].away--
	}
	nd.flags &^= nodeBusy
}

// nodeBack is a node that is Ready with its new version (evNodeBack).
func (r *run) nodeBack(t int32) {
	if r.keptAway(t) {
		return
	}
	ro := &r.rollout
	tk := &ro.tickets[t]
	nd := &r.nodes[tk.node]
	kubelet, proxy := r.versionsOf(tk.node, r.stageOf(tk))
	nd.kubelet = kubelet
	if !r.proxyStays(tk.node) {
		nd.proxy = proxy
	}
	nd.flags &^= nodeLost
	tk.upgraded = true
	r.endAway(tk.node)
	if s := r.stageOf(tk); s != nil {
		s.progress, s.anyNew = true, true
		r.setOutdated(tk.node, false)
	}
	r.reached(tk.node, r.stageOf(tk))
	r.tellNode(evNodeBack, tk.node)
	r.nodeUp(tk.node)
	if r.w.nodes[tk.node].cp {
		r.machineOn(r.w.instanceOf(tk.node))
		r.proxiesFollow()
		r.dropUnsupported() // its own kubelet, if it reaches an API server that does not know it
	}
	r.badVersionOn(tk.node)
	if tk.kept || r.keepsCordon(tk.node) {
		r.afterUncordon(t)
		return
	}
	r.uncordonSoon(t)
}

func (r *run) uncordonSoon(t int32) {
	tk := &r.rollout.tickets[t]
	if tk.kept {
		r.afterUncordon(t)
		return
	}
	tk.step = stepUncordon
	r.pushAfter(r.kubectl(tk.node, 2), evUncordon, 0, t)
}

// uncordoned is kubectl uncordon reaching the API server (evUncordon).
func (r *run) uncordoned(t int32) {
	tk := &r.rollout.tickets[t]
	switch {
	case !r.noAPI():
		r.cordon(tk.node, false)
		r.tellNode(evUncordon, tk.node)
	case r.unanswered(t, evUncordon):
		return
	}
	r.afterUncordon(t)
}

// afterUncordon waits out the node's soak.
func (r *run) afterUncordon(t int32) {
	tk := &r.rollout.tickets[t]
	tk.step = stepSoak
	soak := int64(0)
	if s := r.stageOf(tk); s != nil && tk.upgraded && !s.calledOff {
		soak = s.SoakPerNode.Microseconds()
	}
	if soak == 0 {
		r.ticketSoaked(t)
		return
	}
	r.pushAfter(soak, evTicketDone, 0, t)
}

// ticketSoaked is the end of a node's soak (evTicketDone): the node gate decides.
func (r *run) ticketSoaked(t int32) {
	tk := &r.rollout.tickets[t]
	s := r.stageOf(tk)
	if s == nil || s.NodeGate == nil || !tk.upgraded || s.calledOff || r.endedAt >= 0 || s.NodeGate.AvailableFor == 0 && r.nodeGateHolds(s) {
		r.ticketDone(t)
		return
	}
	r.waitForNodeGate(t, s)
}

// ticketDone frees the node's place for the next one.
func (r *run) ticketDone(t int32) {
	tk := &r.rollout.tickets[t]
	tk.step = stepDone
	r.nodes[tk.node].ticket = none
	if r.endedAt >= 0 {
		return // a gate stopped the upgrade while this node was on its way
	}
	if r.w.nodes[tk.node].cp {
		r.controlPlaneNodeDone(tk.node)
		return
	}
	if tk.left {
		return
	}
	s := r.stageOf(tk)
	s.inFlight--
	if tk.way == wayReplace {
		s.going--
	}
	if s.BatchSoak > 0 && s.inFlight == 0 && !s.calledOff {
		r.span("batch soak", r.now, r.now+s.BatchSoak.Microseconds())
		r.pushAfter(s.BatchSoak.Microseconds(), evBatch, 0, tk.stage)
		return
	}
	r.fill(tk.stage)
}
