package sim

import (
	"fmt"
	"slices"
	"strings"

	"upsim/model"
)

// Control-plane machines that are replaced and not upgraded, as Cluster API's
// KubeadmControlPlane and kOps do it: a new machine joins and an old one is drained and removed.

// replacesMachines reports whether the control plane's machines are replaced.
func (r *run) replacesMachines() bool { return r.w.replacesMachines() }

func (w *World) replacesMachines() bool {
	up := &w.upgrade.Upgrade.ControlPlane
	return !up.Skip && up.Replace == model.ReplaceMachines
}

// keepsEtcd reports whether a new machine gets the volume of the old one's etcd member.
func (r *run) keepsEtcd() bool { return r.w.upgrade.Upgrade.ControlPlane.KeepEtcdVolume }

// waitsForHealth reports whether the control plane's health is looked at before each machine that comes or goes.
func (r *run) waitsForHealth() bool { return r.w.upgrade.Upgrade.ControlPlane.WaitForCatchUp }

// machineSteps are the steps of one machine's replacement, with a look at the health of the control plane before each.
func (r *run) machineSteps(i int) []cpAction {
	steps := []cpAction{cpHealth, cpOrder, cpJoin, cpHealth, cpRemove}
	switch {
	case r.cp.instances[r.twin(i)].there:
		steps = []cpAction{cpHealth, cpRemove} // a second try, whose new machine has come
	case r.w.upgrade.Upgrade.ControlPlane.MaxSurge == 0:
		steps = []cpAction{cpHealth, cpRemove, cpOrder, cpJoin}
	}
	if r.waitsForHealth() {
		return append(steps, cpHealth)
	}
	var blind []cpAction
	for _, s := range steps {
		if s != cpHealth {
			blind = append(blind, s)
		}
	}
	return blind
}

// twin is the instance that takes an instance's place, or whose place it takes.
func (r *run) twin(i int) int { return (i + r.w.instances()) % len(r.cp.instances) }

// awaits reports whether a step has to wait for what it needs; it is taken again once that holds.
func (r *run) awaits(l int32, s cpStep) bool {
	n := needNothing
	switch {
	case s.what == cpHealth:
		n = needHealth
	case s.what == cpJoin && !r.keepsEtcd():
		n = needAPI
	case s.what == cpJudge && r.w.upgrade.Upgrade.ControlPlane.Emulation.Gate != nil:
		n = needAvailable
	case r.cp.outUntil > r.now && (s.what == cpBackup || s.what == cpServe || s.what == cpManage || s.what == cpScheduler || s.what == cpRaise):
		n = needAPI // kubeadm talks to it first, and is called again where it did not answer
	}
	if r.unmet(n) == "" {
		return false
	}
	ln := &r.cp.lanes[l]
	ln.steps, ln.need = append([]cpStep{s}, ln.steps...), n
	r.cp.waiting++
	r.unsettled = true
	if n == needAvailable {
		r.pushAfter(r.w.upgrade.Upgrade.ControlPlane.Emulation.Gate.Timeout.Microseconds(), evEmulationGate, uint32(r.rollout.phase), l)
	}
	return true
}

// controlPlaneMayGoOn lets the lanes go on that waited for what holds now, a
// moment after it does: whoever replaces machines watches them.
func (r *run) controlPlaneMayGoOn() {
	cp := &r.cp
	for l := range cp.lanes {
		if n := cp.lanes[l].need; n != needNothing && r.unmet(n) == "" {
			cp.lanes[l].need = needNothing
			cp.waiting--
			r.pushAfter(max(1, r.draw(&r.w.latencies.controller, forControlPlane, uint64(l)<<8|0x10, uint64(r.rollout.phase)<<16|uint64(len(cp.lanes[l].steps)))), evControlPlane, 0, int32(l))
		}
	}
}

// unmet says why what a lane needs does not hold; empty if it does. Cluster API's preflight wants no machine that is being
// deleted, every component and member of etcd healthy on every machine, and no learner.
func (r *run) unmet(n need) string {
	switch {
	case n == needAPI && r.apiAnswersAt() > r.now:
		return "no API server answers"
	case n == needAvailable && r.unavailable > 0:
		return "some workload has fewer replicas that work than when the upgrade began"
	case n != needHealth:
		return ""
	}
	for i := range r.cp.instances {
		in := &r.cp.instances[i]
		if !in.there {
			continue
		}
		name := r.w.nodeName(in.node)
		switch {
		case in.off, r.nodes[in.node].flags&nodeReady == 0, r.nodes[in.node].flags&nodeLost != 0:
			return name + " is not Ready"
		case in.member == memberLearner:
			return "the etcd member on " + name + " is still a learner"
		case r.cp.etcd && !in.votes():
			return "the etcd member on " + name + " is not up"
		case !in.serves:
			return "the API server on " + name + " is not up"
		}
	}
	if r.apiAnswersAt() > r.now {
		return "no API server answers"
	}
	return ""
}

// orderMachine asks for a new machine in place of instance i's, which comes as soon as there is one to be had.
func (r *run) orderMachine(i int) {
	in := &r.cp.instances[r.twin(i)]
	in.asked, in.servesAt = true, downForever
	r.nodes[in.node].away++
	if c := r.lacking(in.node); c != nil {
		r.hit[c.number] = true
		r.waiting = append(r.waiting, waitingNode{in.node, r.now, false})
		if !c.fault.Forever {
			in.servesAt = endOf(c.fault) + joinLag + r.drawExact(&r.w.latencies.nodeProvision, forNodeUpgrade, uint64(r.cp.instances[i].node), 1)
		}
	} else if at := r.order(in.node); at >= 0 {
		in.servesAt = at
	}
	if old := &r.cp.instances[i]; old.member != memberNone && !old.there {
		old.memberAt = in.servesAt // its volume comes with the machine
	}
}

// machineArrived is a new machine that has joined the cluster.
func (r *run) machineArrived(n int32) {
	in := &r.cp.instances[r.w.instanceOf(n)]
	in.arrived = true
	if in.awaited {
		in.awaited = false
		r.controlPlaneStep(in.lane)
	}
}

// awaitMachine has a lane go on when the new machine in place of instance i's has come.
func (r *run) awaitMachine(l int32, i int) {
	in := &r.cp.instances[r.twin(i)]
	if !in.asked {
		r.orderMachine(i)
	}
	if in.arrived {
		r.controlPlaneStep(l)
		return
	}
	in.lane, in.awaited = l, true
}

// machineJoins is a new machine in place of instance i's: kubeadm join. Its API server has the new version at once. With
// an etcd beside it, which it reads from, it answers once that member votes. kube-proxy is a
// DaemonSet and stays as it is until all machines are new.
func (r *run) machineJoins(i int) {
	cp := &r.cp
	old, j := &cp.instances[i], r.twin(i)
	in := &cp.instances[j]
	n := in.node
	proxy := r.nodes[old.node].proxy
	r.nodeJoin(n)
	r.nodes[n].proxy = proxy
	*in = instance{api: cp.to, kcm: cp.to, scheduler: cp.to, ccm: cp.to, binary: cp.to, node: n, there: true, servesAt: downForever}
	switch {
	case r.keepsEtcd():
		in.member, in.memberUp, in.serves = old.member, true, true
		old.member = memberNone
	case !cp.etcd:
		in.serves = true
	}
	r.apiChanged()
	r.dropUnsupported()
	r.leadersArrive(j)
	switch {
	case r.nodes[n].flags&nodeLost != 0:
		// Its kubelet gets nowhere with the API server that it reaches, so that its static pods never start.
		in.serves = false
		r.apiChanged()
	case cp.etcd && !r.keepsEtcd():
		r.addMember(j)
		r.apiChanged()
	}
	r.proxiesFollow()
}

// removeMachine has a drained machine deleted. With a look at etcd its member is
// removed first, and the lead moved away from it; without, the machine just stops.
func (r *run) removeMachine(t int32) {
	tk := &r.rollout.tickets[t]
	i := r.w.instanceOf(tk.node)
	if in := &r.cp.instances[i]; r.waitsForHealth() && !r.keepsEtcd() && r.cp.etcd {
		in.member, in.serves, in.servesAt = memberNone, false, downForever
		r.apiChanged()
	}
	r.removeSoon(t)
}

// machineStays looks whether a machine that was to be replaced still stands after its drain. Then none comes in
// its place: it is tried again before any other, or the upgrade ends.
func (r *run) machineStays(i int) {
	if !r.replacesMachines() || !r.cp.instances[i].there {
		return
	}
	r.cp.lanes[r.cp.instances[i].lane].steps = nil
	if !slices.Contains(r.cp.queue, i) {
		r.halt()
	}
}

// machineGone is a control-plane machine that is deleted. A member that was not removed before is down now, and is
// removed if the others still make a quorum; with its volume it comes back on the new machine.
func (r *run) machineGone(n int32) {
	i := r.w.instanceOf(n)
	in := &r.cp.instances[i]
	in.there, in.serves = false, false
	if r.w.upgrade.Upgrade.ControlPlane.MaxSurge == 0 {
		r.orderMachine(i)
	}
	if in.member != memberNone {
		if in.memberUp = false; !r.keepsEtcd() {
			in.memberAt = downForever
		}
		if !r.keepsEtcd() && (in.member == memberLearner || r.quorumAt() <= r.now) {
			in.member = memberNone
		}
	}
	r.apiChanged()
	r.leadersLeave(i, uint64(cpRemove), 0)
	r.dropUnsupported()
	r.proxiesFollow()
}

// comesWithMachine reports whether a static pod is one of those that kubeadm join makes on a new machine of the control plane.
func (r *run) comesWithMachine(w int32) bool {
	if !r.replacesMachines() || r.w.entry(w).Namespace != "kube-system" {
		return false
	}
	name := r.w.workloadName(w)
	return slices.ContainsFunc([]string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}, func(part string) bool {
		return name == part || strings.HasPrefix(name, part+"-")
	})
}

// proxyStays reports whether kube-proxy on a control-plane node stays as it is when the node is new: while there are old
// instances, which it may talk to.
func (r *run) proxyStays(n int32) bool {
	return r.w.nodes[n].cp && r.w.upgrade.Upgrade.ControlPlane.Kubelets == model.KubeletsWith
}

// proxiesFollow brings kube-proxy on the control plane's nodes to the new version once all instances are new: Cluster API
// changes its DaemonSet when the rollout of the control plane is done, kubeadm installs its add-ons then.
func (r *run) proxiesFollow() {
	for i := range r.cp.instances {
		if in := &r.cp.instances[i]; in.there && r.older(in.binary) {
			return
		}
	}
	for i := range r.cp.instances {
		if in := &r.cp.instances[i]; in.there && r.older(r.nodes[in.node].proxy) {
			r.nodes[in.node].proxy = r.cp.to
			r.dirtyNode(in.node)
		}
	}
}

// proveProcedure says what the control plane's procedure waits for for ever.
func (r *run) proveProcedure() {
	for l := range r.cp.lanes {
		if n := r.cp.lanes[l].need; n != needNothing {
			r.reason(model.ControlPlaneUnhealthy, "control-plane/"+r.w.scenario.Name,
				fmt.Sprintf("the next machine of the control plane waits for ever: %s", r.unmet(n)))
		}
	}
}
