package sim

import (
	"fmt"

	"upsim/model"
)

// Going back with the control plane: Kubernetes supports no older minor over the data of a newer one, so the
// etcd snapshot that was taken before is restored (https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd,
// "Restoring an etcd cluster": all API servers stopped, etcd restored in all its members, everything restarted).

// snapshot is what the control plane was before its last upgrade to a version.
type snapshot struct {
	taken     bool
	at        int64
	instances []instance
	kubelets  []uint16 // of the nodes of the instances
}

// takeSnapshot remembers the control plane as it is.
func (r *run) takeSnapshot() {
	s := snapshot{taken: true, at: r.now}
	for i := range r.cp.instances {
		in := r.cp.instances[i]
		kubelet := uint16(0)
		if in.node != none {
			kubelet = r.nodes[in.node].kubelet
		}
		s.instances, s.kubelets = append(s.instances, in), append(s.kubelets, kubelet)
	}
	r.cp.snapshot = s
}

// restoreControlPlane takes the control plane back to what it was before its last upgrade to a version, and ends the run
// then. The workers' kubelets have gone back before, or were never new. First the kubelets of its own nodes go back, one
// after another, so that none is newer than an API server, and then the snapshot is restored.
func (r *run) restoreControlPlane() {
	cp := &r.cp
	if cp.beside {
		cp.goesBack = true // nodes of its own may be in hand
		r.wakeLanes()
		return
	}
	if !cp.snapshot.taken {
		r.restored() // the control plane is as it was
		return
	}
	cp.procedure = procedure{to: cp.snapshot.instances[0].binary, snapshot: cp.snapshot, restores: true, part: -1, started: r.now, lanes: make([]lane, 1),
		parts: []cpPart{partNodesBack, partRestore}}
	for i := range cp.instances {
		cp.instances[i].retried = false
	}
	r.push(r.now, evControlPlane, 0, 0)
}

// emulationFails is the emulation's gate, of the phase with that number, that did not hold in time (evEmulationGate): the
// old binaries come back, one instance after another. They can read what was written meanwhile, so nothing is restored and nothing lost (KEP-4330).
func (r *run) emulationFails(l int32, phase uint32) bool {
	cp := &r.cp
	if r.endedAt >= 0 || uint32(r.rollout.phase) != phase || int(l) >= len(cp.lanes) || cp.lanes[l].need != needAvailable {
		return false
	}
	r.spanPart()
	r.reason(model.GateFailed, "control-plane/"+r.w.scenario.Name, fmt.Sprintf("the gate after the emulation of %s did not hold within %s: %s; the control plane goes back to %s",
		r.emulated(), formatTime(r.w.upgrade.Upgrade.ControlPlane.Emulation.Gate.Timeout.Microseconds()), r.unavailableNames(), r.w.version(cp.snapshot.instances[0].binary)))
	cp.procedure = procedure{to: cp.snapshot.instances[0].binary, restores: true, part: -1, started: r.now, lanes: make([]lane, 1), parts: []cpPart{partBinaryBack}}
	r.push(r.now, evControlPlane, 0, 0)
	return true
}

// nodeBackAgain takes a control-plane node's kubelet back to the version of before.
func (r *run) nodeBackAgain(l int32, i int) {
	n, to := r.cp.instances[i].node, r.cp.snapshot.kubelets[i]
	if n == none || r.w.rank[r.nodes[n].kubelet] <= r.w.rank[to] {
		r.push(r.now, evControlPlane, 0, l)
		return
	}
	r.rollout.target = to
	r.controlPlaneTicket(i)
}

// stopAll takes every API server and every member of etcd down for the restore.
func (r *run) stopAll(out int64) {
	for i := range r.cp.instances {
		in := &r.cp.instances[i]
		in.serves, in.servesAt = false, r.now+out
		in.memberUp, in.memberAt = false, r.now+out
	}
	r.apiChanged()
}

// startAll brings everything back as it was. The leases of the leaders are as old as the snapshot, so the first to start leads.
func (r *run) startAll() {
	cp := &r.cp
	for i, was := range cp.snapshot.instances {
		was.lane, was.off, was.offUntil = cp.instances[i].lane, cp.instances[i].off, cp.instances[i].offUntil
		cp.instances[i] = was
	}
	start := func(downUntil *int64, leader *int, why cpAction) {
		if !cp.instances[*leader].up() {
			*leader = r.nextLeader(*leader)
		}
		*downUntil = max(*downUntil, r.now+r.cpDraw(&r.w.latencies.componentRestart, cpStep{why, *leader}))
	}
	r.planSyncs()
	start(&cp.kcmDownUntil, &cp.kcmLeader, cpManage)
	start(&cp.schedulerDownUntil, &cp.schedulerLeader, cpScheduler)
	r.apiChanged()
	r.dropUnsupported()
}

// restored ends the run behind a restore.
func (r *run) restored() {
	if s := &r.cp.snapshot; s.taken {
		r.reason(model.ControlPlaneRestored, "control-plane/"+r.w.scenario.Name, fmt.Sprintf(
			"the control plane is at %s again, from the etcd snapshot of %s: everything that was written in the %s since is lost",
			r.w.version(r.cp.to), formatTime(s.at), formatTime(r.now-s.at)))
	}
	r.aborted = true
	r.finish()
}
