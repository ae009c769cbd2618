package sim

import (
	"fmt"
	"slices"
	"strings"

	"upsim/model"
)

// reachPod counts a pod on a node whose bad version has set in among those that it has reached, if it breaks the pod's
// workload, whether it broke the pod or would have, up to the gate that sees it. What had that version before the upgrade does not count.
func (r *run) reachPod(p int32) {
	pd := &r.pods[p]
	if r.badSeen || pd.state == podTerminating || r.nodes[pd.node].upAt < 0 {
		return
	}
	for i := range r.w.scenario.Faults {
		if f := &r.w.scenario.Faults[i]; r.hasVersion(i, pd.node) && r.now >= r.nodes[pd.node].upAt+f.Onset.Microseconds() && r.w.hitsWorkload(f, pd.workload) {
			if r.reachedBad == nil {
				r.reachedBad = make(map[int32]bool)
			}
			r.reachedBad[pd.slot] = true
			return
		}
	}
}

// blastRadius is what a bad version has reached.
func (r *run) blastRadius() BlastRadius {
	b := BlastRadius{Pods: len(r.reachedBad)}
	for w := range r.w.workloads {
		if r.isReached(w) {
			b.Workloads++
		}
	}
	return b
}

// isReached reports whether a bad version has reached a pod of the workload.
func (r *run) isReached(w int) bool {
	spec := &r.w.workloads[w]
	for slot := spec.slot0; slot < spec.slot0+spec.slots && len(r.reachedBad) > 0; slot++ {
		if r.reachedBad[slot] {
			return true
		}
	}
	return false
}

// sawWorkloads remembers which workloads had a pod on a node with the new version for a gate to look at that has held.
func (r *run) sawWorkloads(s *stageRun) {
	r.held = append(r.held, s.Name)
	if r.saw == nil {
		r.saw = make([]bool, len(r.workloads))
	}
	for _, n := range s.nodes {
		for _, x := range []int32{n, r.w.nodes[n].twin} {
			if x == none || r.nodes[x].flags&nodeRemoved != 0 || r.nodes[x].kubelet != r.rollout.target {
				continue
			}
			for _, p := range slices.Backward(r.on[x]) {
				r.saw[r.pods[p].workload] = true
			}
		}
	}
}

// unseenReasons names the workloads that a bad version broke and that no gate which has held could see: none of
// their pods ran where it looked.
func (r *run) unseenReasons() {
	if len(r.held) == 0 {
		return
	}
	unseen := 0
	for w, broken := range r.brokenWorkloads() {
		if !broken || r.saw[w] {
			continue
		}
		subject := r.w.workloadSubject(int32(w))
		if unseen++; unseen <= mostAlike {
			r.reason(model.GateSawNoPod, subject, fmt.Sprintf("no pod of %s ran on the upgraded nodes of %s while the gate looked, so it could not see that the new version breaks it", subject, r.heldStages()))
		}
	}
	if more := unseen - mostAlike; more > 0 {
		r.reason(model.GateSawNoPod, "Scenario/"+r.w.scenario.Name, plural(more, "more workload that the new version breaks had", "more workloads that the new version breaks had")+" no pod where a gate looked")
	}
}

// brokenWorkloads are those that a bad version has reached, or breaks at the end. It looks at all pods, once.
func (r *run) brokenWorkloads() []bool {
	broken := make([]bool, len(r.workloads))
	for w := range broken {
		broken[w] = r.isReached(w)
	}
	for p := range r.pods {
		if pd := &r.pods[p]; pd.state != podFree && pd.node != none && pd.flags&(podBroken|podSick) != 0 && r.nodes[pd.node].upAt >= 0 {
			broken[pd.workload] = true
		}
	}
	return broken
}

func (r *run) heldStages() string {
	if len(r.held) == 1 {
		return "stage " + r.held[0]
	}
	return "stages " + strings.Join(r.held, ", ")
}

// fixForUnseen says what to do about gates that have held and did not keep a bad version from a workload; empty without such gates.
func (r *run) fixForUnseen(w int32) string {
	switch {
	case len(r.held) == 0:
		return ""
	case !r.saw[w]:
		return fmt.Sprintf("Have a pod of it run where the gate of %s looks: see %s.", r.heldStages(), model.GateSawNoPod)
	}
	return fmt.Sprintf("The gate of %s held before this was to be seen on its nodes: let it look for longer (`soak`, or `availableFor` in the gate), and at workloads (`workloadsAvailable`).", r.heldStages())
}
