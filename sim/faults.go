package sim

import (
	"slices"

	"upsim/model"
)

// beginFaults plans what goes wrong at a time, and breaks what already has a bad version.
func (r *run) beginFaults() {
	r.hit = make([]bool, len(r.w.scenario.Faults))
	for i := range r.w.scenario.Faults {
		switch f := &r.w.scenario.Faults[i]; f.Kind {
		case model.ControllerManagerOutage, model.SchedulerOutage, model.APIServerOutage:
			r.push(f.At.Microseconds(), evOutage, 0, int32(i))
		case model.NodeFailure:
			r.beginNodeFailure(i, f)
		case model.KubeletCertificates:
			r.beginCertificates(int32(i), f)
		case model.ScaleDown:
			r.beginScaleDown(i, f)
		case model.SlowImages:
			r.beginSlowImages(i, f)
		case model.NoCapacity:
			r.beginNoCapacity(i, f)
		}
	}
	r.watchIdle()
	for n := range int32(len(r.nodes)) {
		if r.nodes[n].flags&nodeRemoved != 0 {
			continue
		}
		r.nodes[n].upAt = -downForever // for long
		for i := range r.w.scenario.Faults {
			if r.hasVersion(i, n) {
				r.breakPods(n)
				break
			}
		}
	}
}

// nodeCame is a node that has just joined: from here on it can fail like any other.
func (r *run) nodeCame(n int32) {
	r.countInZone(n, +1, +1)
	r.renew(n)
	r.idleChanged(n)
	for i := range r.w.scenario.Faults {
		if f := &r.w.scenario.Faults[i]; f.Kind == model.NodeFailure && f.Rate > 0 {
			r.failByChance(int32(i), n, max(r.now, f.At.Microseconds()))
		}
	}
}

// nodeLeaves is a node whose object is about to be removed.
func (r *run) nodeLeaves(n int32) {
	r.countInZone(n, -1, -one(r.nodes[n].flags&nodeReady != 0))
	delete(r.absent, n)
	delete(r.failures, n)
	delete(r.certificates, n)
}

// lasts reports whether a fault with a beginning and an end is at work at that time.
func lasts(f *model.Fault, at int64) bool {
	return at >= f.At.Microseconds() && at < endOf(f)
}

// endOf is when the fault ends; downForever where it never does.
func endOf(f *model.Fault) int64 {
	if f.Forever {
		return downForever
	}
	return (f.At + f.For).Microseconds()
}

// meansNode reports whether the fault names the node: by name, selector, zone or pool, or by none of them.
func (w *World) meansNode(f *model.Fault, n int32) bool {
	switch {
	case len(f.NodeNames) > 0 && !slices.Contains(f.NodeNames, w.nodeName(n)) && !slices.Contains(f.NodeNames, w.nodeName(w.original(n))):
		return false // a node that takes another's place also answers to its name
	case f.Pool != "" && w.nodes[n].poolName != f.Pool, f.Zone != "" && w.zoneName(n) != f.Zone:
		return false
	case f.NodeSelector != nil:
		m, err := f.NodeSelector.Compile()
		return err == nil && m.Matches(w.nodeLabels(n))
	}
	return true
}

// zoneName is the node's zone; empty without one.
func (w *World) zoneName(n int32) string {
	if z := w.nodes[n].zone; z != none {
		return w.topo[topoZone].domains[z]
	}
	return ""
}

// hitsNode reports whether the fault is meant for the node; each draws for itself.
func (r *run) hitsNode(i int, f *model.Fault, n int32) bool {
	return r.w.meansNode(f, n) && (f.Probability >= 1 || uniform(hash(r.seed, forNodeFault, uint64(n), uint64(i))) < f.Probability)
}

// awayFor is how much longer than planned a node stays away after its upgrade: 0, a time, or never back.
func (r *run) awayFor(n int32) int64 {
	away := int64(0)
	for i := range r.w.scenario.Faults {
		f := &r.w.scenario.Faults[i]
		if f.Kind != model.NodeDoesNotReturn || f.LastsNoTime() || !r.hitsNode(i, f, n) {
			continue
		}
		r.hit[i] = true
		if f.Forever {
			return never
		}
		away = max(away, f.For.Microseconds())
	}
	return away
}

// keepsCordon reports whether nobody uncordons the node that is back from its upgrade.
func (r *run) keepsCordon(n int32) bool {
	keeps := false
	for i := range r.w.scenario.Faults {
		if f := &r.w.scenario.Faults[i]; f.Kind == model.ForgottenUncordon && r.hitsNode(i, f, n) {
			r.hit[i], keeps = true, true
		}
	}
	return keeps
}
