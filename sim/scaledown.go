package sim

import (
	"fmt"

	"upsim/model"
)

// scaleDown is a cluster-autoscaler at work: it removes a node that has had no pods but those of DaemonSets and static
// ones for so long. It leaves alone what is cordoned or not Ready. What it would do with a node whose pods fit elsewhere, and how
// it would bring nodes back, is not simulated.
type scaleDown struct {
	fault  *model.Fault
	number int
}

// idleNode is what the autoscalers know of a node.
type idleNode struct {
	pods  int32 // on it, without those of DaemonSets and static ones
	idle  bool
	since int64
	gen   uint32
}

func (r *run) beginScaleDown(i int, f *model.Fault) {
	r.scaleDowns = append(r.scaleDowns, scaleDown{f, i})
	if r.idle != nil {
		return
	}
	r.idle = make([]idleNode, len(r.nodes))
	for p := range r.pods {
		if pd := &r.pods[p]; pd.state != podFree && pd.node != none && !staysOn(&r.w.workloads[pd.workload]) {
			r.idle[pd.node].pods++
		}
	}
}

// staysOn reports whether the autoscaler looks past the workload's pods.
func staysOn(spec *workloadSpec) bool { return spec.kind == daemonSet || spec.kind == staticPod }

// watchIdle begins to look at the nodes as they are at the start.
func (r *run) watchIdle() {
	for n := range int32(len(r.idle)) {
		r.idleChanged(n)
	}
}

// countOn counts a pod that came to a node, or with -1 left it.
func (r *run) countOn(n int32, spec *workloadSpec, by int32) {
	if r.idle == nil || staysOn(spec) {
		return
	}
	r.idle[n].pods += by
	r.idleChanged(n)
}

// idleChanged is told when something has changed by which a node may be unneeded, or no longer: its pods, its
// cordon, its readiness. Each time that it begins to be so is one event for each autoscaler.
func (r *run) idleChanged(n int32) {
	if r.idle == nil {
		return
	}
	x, nd := &r.idle[n], &r.nodes[n]
	idle := x.pods == 0 && nd.flags&(nodeRemoved|nodeUnschedulable|nodeBusy) == 0 && nd.flags&nodeReady != 0 && !r.w.nodes[n].cp
	if idle == x.idle {
		return
	}
	x.idle, x.since = idle, r.now
	x.gen++
	if !idle {
		return
	}
	for i := range r.scaleDowns {
		f := r.scaleDowns[i].fault
		if at := max(r.now, f.At.Microseconds()) + max(1, f.Unneeded.Microseconds()); r.w.meansNode(f, n) && at < endOf(f) {
			r.push(at, evScaleDown, x.gen, n)
		}
	}
}

// scalesDown is the removal of a node that has been unneeded for long enough (evScaleDown). What the rollout was about
// to do with the node is not needed any more; where it was to take another's place, that one's drain goes on.
func (r *run) scalesDown(n int32, gen uint32) bool {
	x := &r.idle[n]
	if !x.idle || x.gen&genMask != gen || r.endedAt >= 0 {
		return false
	}
	if r.noAPI() {
		r.push(r.cp.apiDownUntil, evScaleDown, gen, n)
		return false
	}
	for i := range r.scaleDowns {
		s := &r.scaleDowns[i]
		if !r.w.meansNode(s.fault, n) || !lasts(s.fault, r.now) || r.now < max(x.since, s.fault.At.Microseconds())+s.fault.Unneeded.Microseconds() {
			continue
		}
		r.hit[s.number] = true
		r.sayNode(n, "scaled down")
		r.scaledDown = append(r.scaledDown, removal{n, r.now, s.fault.Unneeded.Microseconds()})
		r.unneeded(n)
		return true
	}
	return false
}

// removal is a node that an autoscaler has removed.
type removal struct {
	node      int32
	at, after int64
}

// unneeded removes the node, and ends its upgrade if that has been begun with.
func (r *run) unneeded(n int32) {
	t := r.nodes[n].ticket
	r.removeNode(n)
	if t == none {
		return
	}
	tk := &r.rollout.tickets[t]
	if tk.step != stepCordon && tk.step != stepProvision {
		return // it is done with the node but for a soak
	}
	if s := r.stageOf(tk); s != nil {
		s.progress = true
	}
	if twin := r.w.nodes[n].twin; twin != none {
		if who, asked := r.rollout.asked[twin]; asked && who.ticket == t {
			r.withdraw(twin) // which ends the ticket
			return
		}
	}
	r.ticketDone(t)
}

// scaleDownReasons names the nodes that an autoscaler has removed.
func (r *run) scaleDownReasons() {
	for i, x := range r.scaledDown {
		if i == mostAlike {
			more := len(r.scaledDown) - mostAlike
			r.reason(model.NodeScaledDown, "Scenario/"+r.w.scenario.Name, "so "+plural(more, "more node was", "more nodes were"))
			return
		}
		node := r.w.nodeSubject(x.node)
		r.reason(model.NodeScaledDown, node, fmt.Sprintf("the autoscaler removed %s at %s, when no pod but those of DaemonSets had been on it for %s", node, formatTime(x.at), formatTime(x.after)))
	}
}
