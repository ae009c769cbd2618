package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"upsim/model"
	"upsim/sim/invariant"
)

// gateHolds reports whether what the stage's gate asks for holds now. Without an API server nobody can tell.
func (r *run) gateHolds(s *stageRun) bool {
	return !r.noAPI() && !(s.Gate.NodesReady && s.notReady > 0) && !(s.Gate.WorkloadsAvailable && r.unavailable > 0)
}

// nodeGateHolds reports whether what must hold after each node of the stage does
// so now. Nodes that are away for their upgrade do not count.
func (r *run) nodeGateHolds(s *stageRun) bool {
	return !r.noAPI() && !(s.NodeGate.NodesReady && s.notReady > s.away) && !(s.NodeGate.WorkloadsAvailable && r.unavailable > 0)
}

// waitForGate has a stage wait until its gate holds; it goes on at once where it does so now and that is enough.
func (r *run) waitForGate(i int32) {
	s := &r.rollout.stages[i]
	if s.Gate == nil || s.judged || s.Gate.AvailableFor == 0 && r.gateHolds(s) {
		r.pastGate(i)
		return
	}
	s.step, s.soakFrom, s.heldSince = stageGated, r.now, never
	s.gateGen++
	r.rollout.gated++
	r.unsettled = true
	r.pushAfter(s.Gate.Timeout.Microseconds(), evGateTimeout, s.gateGen, i)
}

// pastGate goes on behind a stage's gate: with blueGreen its old nodes are removed now, and what follows has no gate.
func (r *run) pastGate(i int32) {
	s := &r.rollout.stages[i]
	r.judge(s)
	if len(s.drained) > 0 {
		r.retireSoon(i)
		return
	}
	r.stageOver(i)
}

// judge ends what the stage's gate watches.
func (r *run) judge(s *stageRun) {
	if s.Gate != nil && !s.judged {
		r.sawWorkloads(s)
	}
	s.judged = true
	r.watchLess()
}

// gateMayPass lets stages that wait for their gates, and nodes that wait for the node gate, go on as soon as
// these hold, or from then on hold for long enough. It looks once a tick, so that what breaks and holds again at one instant is no break.
func (r *run) gateMayPass() {
	r.failAlarmed()
	defer r.failAlarmed() // of stages that begin now
	ro := &r.rollout
	if ro.gated == 0 || r.endedAt >= 0 {
		return
	}
	for i := range ro.stages {
		s := &ro.stages[i]
		if len(s.atGate) > 0 {
			r.nodeGateMayPass(s)
		}
		if s.step != stageGated {
			continue
		}
		if holds := r.gateHolds(s); holds && s.Gate.AvailableFor == 0 {
			r.passGate(int32(i))
		} else if !holds {
			s.heldSince = never
		} else if s.heldSince == never {
			s.heldSince = r.now
			r.pushAfter(s.Gate.AvailableFor.Microseconds(), evGateHeld, s.gateGen, int32(i))
		}
	}
}

// passGate goes on behind a gate that the stage has waited for.
func (r *run) passGate(i int32) {
	s := &r.rollout.stages[i]
	r.spanWait(s)
	r.leaveWaits(s)
	r.pastGate(i)
}

// gateHeld is a gate that has held for as long as it must, unless it broke meanwhile (evGateHeld).
func (r *run) gateHeld(i int32, gen uint32) bool {
	s := &r.rollout.stages[i]
	if s.step != stageGated || s.gateGen&genMask != gen || !r.heldFor(s.heldSince, s.Gate) {
		return false
	}
	r.passGate(i)
	return true
}

// heldFor reports whether a gate that holds since then has done so for as long as it must.
func (r *run) heldFor(since int64, g *model.Gate) bool {
	return g.AvailableFor == 0 || since != never && r.now-since >= g.AvailableFor.Microseconds()
}

func (r *run) nodeGateMayPass(s *stageRun) {
	holds := r.nodeGateHolds(s)
	if holds && s.NodeGate.AvailableFor == 0 {
		r.passNodeGate(s, slices.Clone(s.atGate))
		return
	}
	for _, t := range s.atGate {
		switch tk := &r.rollout.tickets[t]; {
		case !holds:
			tk.heldSince = never
		case tk.heldSince == never:
			tk.heldSince = r.now
			r.pushAfter(s.NodeGate.AvailableFor.Microseconds(), evNodeGateHeld, 0, t)
		}
	}
}

// waitForNodeGate has a node's place stay taken until the node gate holds.
func (r *run) waitForNodeGate(t int32, s *stageRun) {
	tk := &r.rollout.tickets[t]
	tk.step, tk.heldSince = stepGate, never
	s.atGate = append(s.atGate, t)
	r.rollout.gated++
	r.unsettled = true
	r.pushAfter(s.NodeGate.Timeout.Microseconds(), evNodeGateTimeout, 0, t)
}

// nodeGateHeld is a node gate that has held for as long as it must, unless it broke meanwhile (evNodeGateHeld).
func (r *run) nodeGateHeld(t int32) bool {
	tk := &r.rollout.tickets[t]
	s := r.stageOf(tk)
	if tk.step != stepGate || !r.heldFor(tk.heldSince, s.NodeGate) {
		return false
	}
	r.passNodeGate(s, []int32{t})
	return true
}

// passNodeGate frees the places of tickets that wait for the node gate.
func (r *run) passNodeGate(s *stageRun, passed []int32) {
	out := make(map[int32]bool, len(passed))
	for _, t := range passed {
		out[t] = true
	}
	s.atGate = slices.DeleteFunc(s.atGate, func(t int32) bool { return out[t] })
	r.rollout.gated -= len(passed)
	for _, t := range passed {
		r.ticketDone(t)
	}
}

// nodeGateTimeout is a node gate that did not hold in time: the upgrade stops (evNodeGateTimeout).
func (r *run) nodeGateTimeout(t int32) bool {
	tk := &r.rollout.tickets[t]
	s := r.stageOf(tk)
	if tk.step != stepGate || r.endedAt >= 0 || r.nodeGateHolds(s) && r.heldFor(tk.heldSince, s.NodeGate) {
		return false // it holds at the last moment
	}
	r.failGate(tk.stage, "the gate after "+r.w.nodeSubject(tk.node)+" of stage "+s.Name+" "+r.unmetBy(s.NodeGate, s.notReady-s.away, tk.heldSince), fixForGate)
	return true
}

// gateTimeout is a gate that did not hold in time (evGateTimeout): the upgrade stops.
func (r *run) gateTimeout(stage int32, gen uint32) bool {
	s := &r.rollout.stages[stage]
	if s.step != stageGated || s.gateGen&genMask != gen || r.gateHolds(s) && r.heldFor(s.heldSince, s.Gate) {
		return false // it holds at the last moment
	}
	r.failGate(stage, "the gate after stage "+s.Name+" "+r.unmetBy(s.Gate, s.notReady, s.heldSince), fixForGate)
	return true
}

// unmetBy says what a gate waited for in vain.
func (r *run) unmetBy(g *model.Gate, notReady int32, heldSince int64) string {
	var why []string
	if r.noAPI() {
		why = append(why, "no API server answers")
	}
	if g.NodesReady && notReady > 0 {
		why = append(why, fmt.Sprintf("%s not Ready", plural(int(notReady), "node is", "nodes are")))
	}
	if g.WorkloadsAvailable && r.unavailable > 0 {
		why = append(why, r.unavailableNames())
	}
	if len(why) == 0 && heldSince != never {
		why = append(why, "what it asks for has held again only since "+formatTime(heldSince))
	}
	what := "did not hold"
	if g.AvailableFor > 0 {
		what += " for " + formatTime(g.AvailableFor.Microseconds()) + " without a break"
	}
	return fmt.Sprintf("%s within %s: %s", what, formatTime(g.Timeout.Microseconds()), strings.Join(why, "; "))
}

// planned reports whether the plan itself deletes the pod: by a drain, or with its node.
func (r *run) planned(pd *pod) bool {
	if pd.claim != none {
		return true
	}
	t := none
	if pd.node != none {
		t = r.nodes[pd.node].ticket
	}
	return t != none && r.rollout.tickets[t].deleted
}

// expectLess takes a pod that the plan has deleted, and that nothing replaces, out of what gates ask for.
func (r *run) expectLess(w int32) {
	if wl := &r.workloads[w]; wl.baseline > wl.live {
		r.expect(w, wl.live-wl.baseline)
	}
}

// expect changes the number of available replicas that gates ask a workload for.
func (r *run) expect(w, by int32) {
	wl := &r.workloads[w]
	was := wl.available < wl.baseline
	wl.baseline += by
	if is := wl.available < wl.baseline; is != was {
		r.unavailable += one(is) - one(was)
	}
}

// fixForGate is what to do about a gate that has failed.
var fixForGate = model.NewFinding(model.GateFailed, "", "").Fix

// failGate stops the upgrade at a stage whose gate has failed: for good, or to go back.
func (r *run) failGate(i int32, what, fix string) {
	ro := &r.rollout
	if r.endedAt >= 0 || ro.back.step != notBack {
		return // another gate has stopped it
	}
	s := &ro.stages[i]
	left := 0
	for k := range ro.stages {
		if k == int(i) && s.step == stageGated || ro.stages[k].step == stageOver {
			continue // a stage that waits for its gate has been at all its nodes
		}
		for _, n := range ro.stages[k].nodes {
			if ro.records[n].tickets == 0 {
				left++
			}
		}
	}
	then := "rolled back"
	switch s.OnFailure {
	case model.GateAbort:
		then = "aborted with " + plural(left, "node", "nodes") + " untouched"
	case model.GatePause:
		then = "paused with " + plural(left, "node", "nodes") + " untouched"
	}
	r.reasonWithFix(model.GateFailed, fix, "Stage/"+s.Name, what+"; the upgrade is "+then)
	r.aborted, r.badSeen = true, true
	if s.OnFailure.GoesBack() {
		r.goBack(s)
		return
	}
	r.finish()
	r.stopStages()
}

// overdueInGate is a gated stage's node that has not come back within the
// gate's timeout after it was due (evGateOverdue): the gate cannot hold any more.
func (r *run) overdueInGate(n int32) bool {
	if r.nodes[n].flags&nodeReady != 0 || r.gateOf(n) == nil {
		return false
	}
	i := r.nodes[n].stage - 1
	s := &r.rollout.stages[i]
	r.failGate(i, fmt.Sprintf("the gate after stage %s did not hold within %s: %s did not come back after its upgrade",
		s.Name, formatTime(s.Gate.Timeout.Microseconds()), r.w.nodeSubject(n)), "Mend or replace the node.")
	return true
}

// unavailableNames lists the workloads that have fewer available replicas than
// at the start. It looks at all of them, once, when a gate has failed.
func (r *run) unavailableNames() string {
	var names []string
	for i := range r.workloads {
		if wl := &r.workloads[i]; wl.available < wl.baseline {
			subject := r.w.workloadSubject(int32(i))
			_, replicas := invariant.Replica(subject)
			names = append(names, fmt.Sprintf("%s has %d of %d %s that work", subject, wl.available, wl.baseline, replicas))
		}
	}
	const most = 5
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("and %d more workloads", len(names)-most))
	}
	return strings.Join(names, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
