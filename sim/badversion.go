package sim

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"upsim/model"
)

// hasVersion reports whether the i-th fault is a bad version that the node's kubelet has.
func (r *run) hasVersion(i int, n int32) bool {
	f := &r.w.scenario.Faults[i]
	return f.Kind == model.BadVersion && hitsVersion(f, r.w.version(r.nodes[n].kubelet)) && r.hitsNode(i, f, n)
}

// hitsVersion reports whether the fault's version, a minor or an exact one, is the kubelet's.
func hitsVersion(f *model.Fault, kubelet model.Version) bool {
	if f.Version.Patch < 0 {
		return f.Version.Minor == kubelet.Minor
	}
	return f.Version.Compare(kubelet) == 0
}

// badVersionOn plans the onsets of bad versions on a node that is Ready with a new version.
func (r *run) badVersionOn(n int32) {
	was := r.nodes[n].flags&nodeBad != 0
	r.nodes[n].flags &^= nodeBad
	r.nodes[n].upAt = r.now
	if was {
		r.heal(n)
	}
	for i := range r.w.scenario.Faults {
		if r.hasVersion(i, n) {
			r.pushAfter(r.w.scenario.Faults[i].Onset.Microseconds(), evBreak, uint32(r.nodes[n].away), n)
		}
	}
}

// heal has the pods work again that stayed on a node while its bad version went. The onset of another one breaks them anew.
func (r *run) heal(n int32) {
	a := &r.w.scenario.Assumptions
	stopped := a.NodeNotReadyWhileUpgrade && a.PodsDownWhileUpgrade // and start again with the kubelet
	for _, p := range slices.Backward(r.on[n]) {
		switch pd := &r.pods[p]; {
		case pd.flags&podBroken != 0:
			if pd.flags&(podSeen|podAvailable) == podSeen|podAvailable {
				r.countAvailable(&r.workloads[pd.workload], +1)
			}
			r.mend(pd)
		case pd.flags&podSick != 0:
			r.setSick(pd, false)
			if !stopped {
				r.pushAfter(0, evReady, pd.gen, p)
			}
		}
	}
}

// breakPods is the onset of a bad version on a node (evBreak): the pods that it
// breaks do so now, and those that come later as they turn Ready. While no API server answers, none is seen
// to be not Ready: it comes again for that when one is back.
func (r *run) breakPods(n int32) {
	r.nodes[n].flags |= nodeBad
	unsaid := false
	for _, p := range slices.Backward(r.on[n]) {
		pd := &r.pods[p]
		if pd.state == podRunning {
			r.reachPod(p)
		}
		if pd.flags&podReady != 0 {
			unsaid = r.breakPod(p) || unsaid
		}
	}
	if unsaid {
		r.push(r.cp.apiDownUntil, evBreak, uint32(r.nodes[n].away), n)
	}
	r.tellNode(evBreak, n)
}

// breakPod breaks a Ready pod on a bad node, if a fault that has set in there is
// meant for its workload: it turns not Ready, or it stays Ready and does not work,
// which a gate sees only after the time that detection takes. While no API server answers, it works no more, and it is
// unsaid that it is not Ready.
func (r *run) breakPod(p int32) (unsaid bool) {
	pd := &r.pods[p]
	n := pd.node
	for i := range r.w.scenario.Faults {
		f := &r.w.scenario.Faults[i]
		if pd.flags&podReady == 0 || !r.hasVersion(i, n) || r.now < r.nodes[n].upAt+f.Onset.Microseconds() || !r.w.hitsWorkload(f, pd.workload) {
			continue
		}
		r.hit[i] = true
		switch {
		case f.Effect == model.EffectNotReady && !r.noAPI():
			r.regressed(p, "turned not Ready by itself")
			r.becomeUnready(r.owned(p))
			r.setSick(pd, true)
		case f.Effect == model.EffectNotReady:
			r.setBroken(pd)
			unsaid = true
		case pd.flags&podBroken == 0:
			r.setBroken(pd)
			r.pushAfter(f.Detection.Microseconds(), evSeen, pd.gen, p)
		}
	}
	return unsaid
}

// setBroken counts a pod that stays Ready and does not work.
func (r *run) setBroken(pd *pod) {
	if pd.flags&podBroken != 0 {
		return
	}
	pd.flags |= podBroken
	r.workloads[pd.workload].broken++
	r.workloads[pd.workload].unwell++
	r.nodes[pd.node].notWell++
	r.dirtyNode(pd.node)
	r.dirtyWorkload(pd.workload)
}

// seen is a broken pod that monitoring has noticed (evSeen).
func (r *run) seen(p int32) bool {
	pd := &r.pods[p]
	if pd.flags&podBroken == 0 || pd.flags&podSeen != 0 {
		return false
	}
	if pd.flags&podAvailable != 0 {
		r.countAvailable(&r.workloads[pd.workload], -1)
	}
	r.setSeen(pd, true)
	r.regressed(p, "is seen not to work")
	return true
}

// setSeen counts a pod among those that are Ready and seen not to work, or no longer.
func (r *run) setSeen(pd *pod, on bool) {
	if (pd.flags&podSeen != 0) == on {
		return
	}
	if r.spent != nil {
		r.spend(pd.workload)
	}
	pd.flags ^= podSeen
	if on {
		r.workloads[pd.workload].seen++
	} else {
		r.workloads[pd.workload].seen--
	}
	if r.spent != nil {
		r.budgetMayBreak(pd.workload)
	}
}

// setSick counts a pod that is not Ready because of a bad version among those that are not well on its node.
func (r *run) setSick(pd *pod, on bool) {
	if (pd.flags&podSick != 0) == on {
		return
	}
	pd.flags ^= podSick
	if on {
		r.nodes[pd.node].notWell++
	} else {
		r.nodes[pd.node].notWell--
	}
	r.dirtyNode(pd.node)
}

// mend takes a broken pod that is no longer Ready out of the counts of broken ones.
func (r *run) mend(pd *pod) {
	r.setSeen(pd, false)
	pd.flags &^= podBroken
	r.workloads[pd.workload].broken--
	r.workloads[pd.workload].unwell--
	r.nodes[pd.node].notWell--
	r.dirtyNode(pd.node)
	r.dirtyWorkload(pd.workload)
}

// hitsWorkload reports whether the fault is meant for the workload.
func (w *World) hitsWorkload(f *model.Fault, i int32) bool {
	e := w.entry(i)
	switch {
	case e.Kind == model.Static:
		return false
	case len(f.WorkloadNames) > 0:
		return slices.ContainsFunc(f.WorkloadNames, func(ref string) bool { return e.Answers(ref, int(w.workloads[i].copy)) })
	case f.WorkloadSelector != nil:
		m, err := f.WorkloadSelector.Compile()
		return err == nil && m.Matches(labels.Set(e.CopyLabels(int(w.workloads[i].copy))))
	}
	return true
}
