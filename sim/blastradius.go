package sim

import (
	"fmt"
	"strings"

	"upsim/model"
)

// reachPod counts a pod on a node whose bad version has set in among those that it has reached, if it breaks the pod's
// workload, whether it broke the pod or would have: up to the gate that sees it, or to the end of the
// upgrade. What had that version before the upgrade does not count.
func (r *run) reachPod(p int32) {
	pd := &r.pods[p]
	if r.badSeen || r.endedAt >= 0 || pd.state == podTerminating || r.nodes[pd.node].upAt < 0 {
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
		spec := &r.w.workloads[w]
		for slot := spec.slot0; slot < spec.slot0+spec.slots && len(r.reachedBad) > 0; slot++ {
			if r.reachedBad[slot] {
				b.Workloads++
				break
			}
		}
	}
	return b
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
			for p := r.nodes[x].firstPod; p != none; p = r.pods[p].nextOnNode {
				r.saw[r.pods[p].workload] = true
			}
		}
	}
}

// fixForUnseen says why gates that have held did not keep a bad version from a workload; empty without such gates.
func (r *run) fixForUnseen(w int32) string {
	if len(r.held) == 0 {
		return ""
	}
	stages := "stage " + r.held[0]
	if len(r.held) > 1 {
		stages = "stages " + strings.Join(r.held, ", ")
	}
	if !r.saw[w] {
		return fmt.Sprintf("No pod of %s ran on the upgraded nodes of %s while the gate looked, so it could not see this: have a pod of it run there (`nodes: {names: […]}` of nodes that have one, or `taint: PreferNoSchedule` on the old ones).",
			r.w.workloadSubject(w), stages)
	}
	return fmt.Sprintf("The gate of %s held before this was to be seen on its nodes: let it look for longer (`soak`, or `availableFor` in the gate), and at workloads (`workloadsAvailable`).", stages)
}

// reasonFix is the fix for a broken rule of a workload, where the run knows better than the table of codes.
func (r *run) reasonFix(c model.Code, w int32, fix string) string {
	if c == model.NoWorkingReplica {
		if better := r.fixForUnseen(w); better != "" {
			return better
		}
	}
	return fix
}
