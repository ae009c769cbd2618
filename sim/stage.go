package sim

import (
	"fmt"
	"slices"

	"upsim/model"
)

// stageRun is a stage with its nodes and how far it has come.
type stageRun struct {
	model.Stage
	places
	watch
	nodes   []int32
	drained []int32 // tickets of old nodes that blueGreen removes at the end
	extras  []int32 // nodes that stand beside its own while it lasts

	step         stageStep
	ahead        []int32 // new nodes that are to come before the first old one goes and are not asked for yet
	joining      int     // new nodes that were asked for and that no ticket waits for
	anyNew       bool    // a node has the new version
	retiring     bool    // its extra nodes have their turn
	queue        []int32
	inFlight     int
	going        int     // of these, nodes that go before their new one is there
	away         int32   // nodes that are away for their upgrade
	atGate       []int32 // tickets that wait for the node gate
	retried      []int32 // nodes to try again after the others
	awaitsChange bool    // all that are left failed, and are tried again when something else has changed
	fruitless    int     // rounds in a row in which no node was upgraded
	progress     bool    // a node was upgraded since the last round of retries began
	skipped      int     // nodes that drain.onFailure left out
	failed       bool    // a drain's failure ended it: no further node is begun
	gateGen      uint32
	heldSince    int64 // since when its gate holds without a break; never while it does not
	judged       bool  // its gate has held
	calledOff    bool  // the upgrade goes back: what is under way ends
	back         bool  // it takes nodes back to the version that they had
	notReady     int32 // its nodes that are not Ready
	started      int64
	shut         bool  // it waits for a maintenance window
	soakFrom     int64 // when its soak began, or its wait for its gate
}

// stageStep is how far a stage has come.
type stageStep uint8

const (
	stageAhead    stageStep = iota // it has not begun
	stagePrepares                  // new nodes come before the first old one goes
	stageWorks
	stagePoolSoaks // its old nodes are drained, and could still come back
	stageRetires   // they are being removed
	stageSoaks
	stageGated // it waits for its gate
	stageOver
)

// stageOf is the stage that a ticket belongs to; nil for a control-plane node's.
func (r *run) stageOf(tk *ticket) *stageRun {
	if tk.stage == none {
		return nil
	}
	return &r.rollout.stages[tk.stage]
}

// startNodes begins a node phase with the stages that have nodes to take.
func (r *run) startNodes(p phase) {
	ro := &r.rollout
	r.leaveStages()
	ro.firstOfPhase = len(ro.stages)
	for _, t := range r.takes(p, ro.phase) {
		s := stageRun{Stage: r.w.stages[t.stage], nodes: t.nodes}
		s.Beside = t.beside
		s.places = resolve(&s.Stage, int(r.w.workers), len(s.nodes), len(r.w.spotsOf(&s.Stage, s.nodes)))
		s.notReady = r.notReady(s.nodes)
		if s.Buffers() {
			s.extras = r.w.extras[t.stage][:min(s.extra, len(r.w.extras[t.stage]))]
		}
		for _, n := range s.nodes {
			r.nodes[n].stage = int32(len(ro.stages)) + 1
			r.rememberVersion(n)
		}
		ro.stages = append(ro.stages, s)
	}
	r.nextStages()
}

// notReady counts the nodes that are not Ready.
func (r *run) notReady(nodes []int32) (count int32) {
	for _, n := range nodes {
		count += one(r.nodes[n].flags&nodeReady == 0)
	}
	return count
}

// countNotReady counts a node among those of its stage that are not Ready, or with -1 no longer.
func (r *run) countNotReady(n, by int32) {
	if s := r.nodes[n].stage; s != 0 {
		r.rollout.stages[s-1].notReady += by
	}
}

// leaveStages takes the nodes out of the stages of the phase before, which stay for what still looks at them.
func (r *run) leaveStages() {
	ro := &r.rollout
	for i := range ro.stages {
		s := &ro.stages[i]
		leave := func(n int32) {
			if n != none && r.nodes[n].stage == int32(i)+1 {
				r.nodes[n].stage = 0
			}
		}
		for _, n := range s.nodes {
			leave(n)
			leave(r.w.nodes[n].twin) // if it has joined
		}
		for _, n := range s.extras {
			leave(n)
		}
		s.notReady = 0
	}
	ro.next = len(ro.stages)
}

// standsBesideTwin reports whether a node's drain failed in an earlier phase, so
// that it and the one that came for it both stand. Both stay as they are: the new
// one has that phase's version, and no third takes their place.
func (r *run) standsBesideTwin(n int32) bool {
	twin := r.w.nodes[n].twin
	return twin != none && r.nodes[twin].flags&nodeRemoved == 0
}

// nextStages begins the next stage and those beside it, or ends the phase behind the last one.
func (r *run) nextStages() {
	ro := &r.rollout
	if ro.halted || ro.next == len(ro.stages) {
		if r.cp.beside {
			return // the control plane's nodes end the phase
		}
		r.push(r.now, evPhase, 0, 0)
		return
	}
	first := ro.next
	for ro.next++; ro.next < len(ro.stages) && ro.stages[ro.next].Beside; {
		ro.next++
	}
	ro.running += ro.next - first
	for i := first; i < ro.next; i++ {
		if ro.stages[i].step == stageAhead {
			r.startStage(int32(i))
		}
	}
}

// startStage begins a stage: the taint on its old nodes, and new nodes that come before the first old one goes.
func (r *run) startStage(i int32) {
	s := &r.rollout.stages[i]
	s.step, s.queue, s.progress, s.started = stagePrepares, s.nodes, true, r.now
	if r.watchMore(s); s.alarm != "" {
		return // its gate fails before it takes a node
	}
	if r.stageWaits(i) {
		return
	}
	if s.Taint != "" {
		for _, n := range s.nodes {
			r.setOutdated(n, true)
		}
	}
	s.ahead = r.comeFirst(s)
	if s.Cordon == model.CordonAllFirst {
		r.pushAfter(r.kubectl(s.nodes[0], 3), evCordonAll, 0, i)
		return
	}
	r.askAhead(i)
}

// cordonAll is one kubectl cordon for every old node of the stage, and of those
// behind it unless each pool is a stage (evCordonAll).
func (r *run) cordonAll(i int32) bool {
	ro := &r.rollout
	s := &ro.stages[i]
	if s.step != stagePrepares {
		return false // the rollout was stopped meanwhile
	}
	if r.noAPI() {
		return r.cordonsUnanswered(i)
	}
	to := len(ro.stages)
	if s.Nodes.Pool != "" {
		to = int(i) + 1
	}
	for k := int(i); k < to; k++ {
		for _, n := range ro.stages[k].nodes {
			r.cordon(n, true)
		}
	}
	r.goOnCordoned(i)
	return true
}

// goOnCordoned goes on behind the cordons of all old nodes.
func (r *run) goOnCordoned(i int32) {
	if r.rollout.stages[i].Cordon == model.CordonAllFirst {
		r.askAhead(i)
	} else {
		r.work(i)
	}
}

// work has the stage's nodes taken in hand.
func (r *run) work(i int32) {
	r.rollout.stages[i].step = stageWorks
	r.fill(i)
}

// fill starts as many nodes as the stage has free places, and ends the stage when all are done.
func (r *run) fill(i int32) {
	ro := &r.rollout
	s := &ro.stages[i]
	if s.step != stageWorks || s.Slots == model.SlotsBarrier && s.inFlight > 0 || r.stageWaits(i) {
		return
	}
	for !ro.halted && !s.failed && s.inFlight < s.free() && len(s.queue) > 0 {
		n := s.queue[0]
		s.queue = s.queue[1:]
		if r.nodes[n].flags&nodeRemoved != 0 && !r.comesAgain(n, s) {
			continue // it went meanwhile
		}
		s.inFlight++
		r.startTicket(n, i)
	}
	if s.inFlight > 0 || s.joining > 0 && len(s.queue) > 0 {
		return
	}
	if len(s.retried) > 0 && !ro.halted && !s.failed {
		if s.progress {
			s.fruitless = 0
		} else {
			s.fruitless++
		}
		if !s.progress && !r.changed || s.fruitless > maxFruitless {
			// A whole round got no further: the next would end the same until something else changes.
			s.awaitsChange = true
			ro.held++
			r.unsettled = true
			r.planSyncs()
			return
		}
		s.queue, s.retried, s.progress, r.changed = s.retried, nil, false, false
		r.fill(i)
		return
	}
	if s.joining > 0 {
		return // new nodes are on their way
	}
	r.endStage(i)
}

// free is how many nodes may be worked on at once now. Nodes that are gone while
// their new ones are on their way, and nobody waits for these, are away as those that are worked on: with the
// extra nodes no more of the stage's own number is missing than may be unavailable.
func (s *stageRun) free() int {
	if s.FirstAlone && !s.anyNew {
		return 1
	}
	away := s.atOnce
	if s.Replace == model.ReplaceTerminateFirst {
		away = s.extra + s.unavailable
	}
	return min(s.atOnce, away-s.joining)
}

// endStage ends the work on the stage's nodes.
func (r *run) endStage(i int32) {
	s := &r.rollout.stages[i]
	if len(s.extras) > 0 && !s.retiring && !r.rollout.halted {
		s.retiring, s.queue, s.progress = true, s.extras, true
		r.fill(i)
		return
	}
	if len(s.drained) > 0 && !r.rollout.halted {
		soak := s.PoolSoak.Microseconds()
		if s.Gate != nil { // which is judged while there is something to go back to
			soak += s.Soak.Microseconds()
		}
		if soak > 0 {
			r.span("pool soak", r.now, r.now+soak)
		}
		s.step = stagePoolSoaks
		if s.Gate != nil {
			r.pushAfter(soak, evSoaked, 0, i)
			return
		}
		r.pushAfter(soak+r.drawExact(&r.w.latencies.nodeDelete, forNodeUpgrade, uint64(s.nodes[0]), 2), evRetire, 0, i)
		return
	}
	r.closeStage(i)
}

// closeStage records the stage and waits out its soak.
func (r *run) closeStage(i int32) {
	s := &r.rollout.stages[i]
	r.span(r.phaseName(s), s.started, r.now)
	if r.rollout.halted {
		r.stageOver(i)
		return
	}
	if s.Soak > 0 && !s.judged { // with blueGreen it was waited out before the gate
		s.step, s.soakFrom = stageSoaks, r.now
		r.pushAfter(s.Soak.Microseconds(), evSoaked, 0, i)
		return
	}
	r.soaked(i)
}

// stageOver goes on behind a stage, once none is under way any more.
func (r *run) stageOver(i int32) {
	ro := &r.rollout
	ro.stages[i].step = stageOver
	r.watchLess()
	ro.running--
	if ro.running == 0 {
		r.nextStages()
	}
}

// halt stops the rollout: what is under way ends, and nothing new begins.
func (r *run) halt() {
	ro := &r.rollout
	if ro.halted {
		return
	}
	ro.halted = true
	r.wakeLanes()
	for i := range ro.stages {
		switch s := &ro.stages[i]; {
		case s.step == stageSoaks, s.step == stageGated:
			r.spanStopped(s)
		case s.step == stagePrepares:
			s.step = stageWorks // of which nothing but what was asked for is left
			if s.joining == 0 {
				r.endStage(int32(i))
			}
			continue
		case s.step == stageWorks && (s.awaitsChange || s.inFlight == 0 && s.joining == 0):
			r.span(r.phaseName(s), s.started, r.now)
		default:
			continue
		}
		r.leaveWaits(&ro.stages[i])
		r.stageOver(int32(i))
	}
	for _, x := range slices.Clone(r.waiting) {
		if !r.w.nodes[x.node].cp { // the machine whose place it takes may be gone already
			r.withdraw(x.node)
		}
	}
}

// leaveWaits takes a stage out of the counts of those that wait for something.
func (r *run) leaveWaits(s *stageRun) {
	if s.step == stageGated {
		r.rollout.gated--
		s.gateGen++
	}
	if s.awaitsChange {
		r.rollout.held--
		s.awaitsChange = false
	}
}

func (r *run) phaseName(s *stageRun) string {
	if s.back {
		return "rollback of " + s.Name
	}
	return fmt.Sprintf("%s to %s", s.Name, r.w.version(r.rollout.target))
}

func (r *run) span(name string, start, end int64) {
	r.phases = append(r.phases, phaseSpan{name, start, end})
}

// spanUnfinished records the parts of the upgrade that were under way when it ended early.
func (r *run) spanUnfinished() {
	ro := &r.rollout
	if ro.done || ro.phase == 0 {
		return
	}
	if ro.plan[ro.phase-1].controlPlane {
		r.spanPart()
		return
	}
	if r.cp.beside {
		r.spanPart()
	}
	for i := range ro.stages {
		switch s := &ro.stages[i]; {
		case s.step == stageWorks && (s.inFlight > 0 || s.awaitsChange || s.joining > 0 || r.stuck), s.step == stagePrepares, s.step == stagePoolSoaks, s.step == stageRetires:
			r.span(r.phaseName(s), s.started, r.now)
		case s.step == stageSoaks, s.step == stageGated:
			r.spanStopped(s)
		}
	}
}

// stopStages ends every stage of an upgrade that is aborted: what is under way ends, and nothing follows from it.
func (r *run) stopStages() {
	ro := &r.rollout
	for i := range ro.stages {
		r.leaveWaits(&ro.stages[i])
		ro.stages[i].step, ro.stages[i].atGate = stageOver, nil
	}
	ro.gated = 0
}

// spanStopped records the wait of a stage that is stopped, and the stage where its old nodes still stand.
func (r *run) spanStopped(s *stageRun) {
	r.spanWait(s)
	if len(s.drained) > 0 {
		r.span(r.phaseName(s), s.started, r.now)
	}
}

// spanWait records the stage's soak, or its wait for its gate, that ends now.
func (r *run) spanWait(s *stageRun) {
	what := "soak after "
	if s.step == stageGated {
		what = "gate of "
	}
	r.span(what+s.Name, s.soakFrom, r.now)
}

// soaked is the end of a stage's soak (evSoaked): its gate decides.
func (r *run) soaked(i int32) bool {
	s := &r.rollout.stages[i]
	switch s.step {
	case stageSoaks:
		r.spanWait(s)
	case stageOver:
		return false // the rollout was stopped meanwhile
	}
	r.waitForGate(i)
	return true
}

// maxFruitless is after how many rounds in a row that upgraded no node, although
// something changed each time, the rollout is taken to go in circles: what a round
// evicts comes back to the node when it is uncordoned.
const maxFruitless = 20

// retryMayPass tries the nodes that are left again (drain.onFailure
// uncordonAndRetry), once something has changed since the last round.
func (r *run) retryMayPass() {
	ro := &r.rollout
	for i := range ro.stages {
		if s := &ro.stages[i]; s.awaitsChange && s.fruitless <= maxFruitless {
			r.leaveWaits(s)
			r.fill(int32(i))
		}
	}
}

// proveRetries says why the nodes that are left fail each time they are tried.
func (r *run) proveRetries() {
	for i := range r.rollout.stages {
		s := &r.rollout.stages[i]
		if !s.awaitsChange {
			continue
		}
		for _, n := range s.retried {
			r.drainFinding(model.DrainNeverEnds, n, fmt.Sprintf("the drain of %s fails each time it is tried: %s", r.w.nodeSubject(n), r.drainWhy[n]), model.SeverityError)
		}
	}
}
