package sim

import (
	"fmt"
	"strings"

	"upsim/model"
)

// gateHolds reports whether what the stage's gate asks for holds now.
func (r *run) gateHolds(s *stageRun) bool {
	return !(s.Gate.NodesReady && s.notReady > 0) && !(s.Gate.WorkloadsAvailable && r.unavailable > 0)
}

// gateMayPass lets stages that wait for their gates go on as soon as these hold.
func (r *run) gateMayPass() {
	ro := &r.rollout
	if ro.gated == 0 || r.endedAt >= 0 {
		return
	}
	for i := range ro.stages {
		s := &ro.stages[i]
		if len(s.atGate) > 0 && r.nodeGateHolds(s) {
			r.passNodeGate(s)
		}
		if s.step != stageGated || !r.gateHolds(s) {
			continue
		}
		r.spanWait(s)
		r.leaveWaits(s)
		r.stageOver(int32(i))
	}
}

// nodeGateHolds reports whether what must hold after each node of the stage does
// so now. Nodes that are away for their upgrade do not count.
func (r *run) nodeGateHolds(s *stageRun) bool {
	return !(s.NodeGate.NodesReady && s.notReady > s.away) && !(s.NodeGate.WorkloadsAvailable && r.unavailable > 0)
}

// passNodeGate frees the places of the tickets that wait for the node gate.
func (r *run) passNodeGate(s *stageRun) {
	waiting := s.atGate
	s.atGate = nil
	r.rollout.gated -= len(waiting)
	for _, t := range waiting {
		r.ticketDone(t)
	}
}

// nodeGateTimeout is a node gate that did not hold in time: the upgrade stops (evNodeGateTimeout).
func (r *run) nodeGateTimeout(t int32) bool {
	tk := &r.rollout.tickets[t]
	if tk.step != stepGate || r.endedAt >= 0 { // another gate has stopped the upgrade
		return false
	}
	s := r.stageOf(tk)
	var why []string
	if s.NodeGate.NodesReady && s.notReady > s.away {
		why = append(why, fmt.Sprintf("%s not Ready", plural(int(s.notReady-s.away), "node is", "nodes are")))
	}
	if s.NodeGate.WorkloadsAvailable && r.unavailable > 0 {
		why = append(why, r.unavailableNames())
	}
	r.failGate(s, "the gate after "+r.w.nodeSubject(tk.node)+" of stage "+s.Name, s.NodeGate, why)
	return true
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
	wl := &r.workloads[w]
	was := wl.available < wl.baseline
	wl.baseline = min(wl.baseline, wl.live)
	if was && wl.available >= wl.baseline {
		r.unavailable--
	}
}

// gateTimeout is a gate that did not hold in time (evGateTimeout): the upgrade stops.
func (r *run) gateTimeout(stage int32, gen uint32) bool {
	s := &r.rollout.stages[stage]
	if s.step != stageGated || s.gateGen&genMask != gen || r.endedAt >= 0 {
		return false
	}
	r.spanWait(s)
	r.leaveWaits(s)
	s.step = stageOver
	var why []string
	if s.Gate.NodesReady && s.notReady > 0 {
		why = append(why, fmt.Sprintf("%s not Ready", plural(int(s.notReady), "node is", "nodes are")))
	}
	if s.Gate.WorkloadsAvailable && r.unavailable > 0 {
		why = append(why, r.unavailableNames())
	}
	r.failGate(s, "the gate after stage "+s.Name, s.Gate, why)
	return true
}

// failGate stops the upgrade at a stage whose gate does not hold.
func (r *run) failGate(s *stageRun, which string, g *model.Gate, why []string) {
	then := "the upgrade is aborted"
	if s.OnFailure == model.GatePause {
		then = "the upgrade is paused"
	}
	left := 0
	for i := range r.rollout.stages {
		if r.rollout.stages[i].step == stageOver {
			continue
		}
		for _, n := range r.rollout.stages[i].nodes {
			if r.rollout.records[n].tickets == 0 {
				left++
			}
		}
	}
	r.reason(model.GateFailed, "Stage/"+s.Name, fmt.Sprintf("%s did not hold within %s: %s; %s with %s untouched",
		which, formatTime(g.Timeout.Microseconds()), strings.Join(why, "; "), then, plural(left, "node", "nodes")))
	r.aborted = true
	r.finish()
	r.stopStages()
}

// overdueInGate is a gated stage's node that has not come back within the
// gate's timeout after it was due (evOverdue): the gate cannot hold any more.
func (r *run) overdueInGate(n int32) bool {
	if r.nodes[n].flags&nodeReady != 0 || r.gateOf(n) == nil {
		return false
	}
	s := &r.rollout.stages[r.nodes[n].stage-1]
	r.failGate(s, "the gate after stage "+s.Name, s.Gate, []string{r.w.nodeSubject(n) + " did not come back after its upgrade"})
	return true
}

// unavailableNames lists the workloads that have fewer available replicas than
// at the start. It looks at all of them, once, when a gate has failed.
func (r *run) unavailableNames() string {
	var names []string
	for i := range r.workloads {
		if wl := &r.workloads[i]; wl.available < wl.baseline {
			names = append(names, fmt.Sprintf("%s has %d of %d replicas that work", r.w.workloadSubject(int32(i)), wl.available, wl.baseline))
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
	return fmt.Sprintf("%d %s", n, many)
}
