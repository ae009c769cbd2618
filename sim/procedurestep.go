package sim

// The steps of the control plane's procedure, each on one instance.

// takeStep takes a step; what follows comes after it, by an event.
func (r *run) takeStep(l int32, s cpStep) {
	cp := &r.cp
	in := &cp.instances[s.instance]
	lat := &r.w.latencies
	wait := int64(0)
	if r.awaits(l, s) {
		return
	}
	switch s.what {
	case cpBackup:
		wait = r.cpDraw(&lat.etcdBackup, s)
		cp.snapshot.at = r.now
	case cpSoak:
		wait = r.w.upgrade.Upgrade.ControlPlane.Emulation.Soak.Microseconds()
	case cpServe, cpRaise:
		wait = r.serveDown(s)
	case cpServed, cpRaised:
		r.serveUp(s)
	case cpManage:
		if !r.emulatesNow() {
			in.kcm, in.ccm = cp.to, cp.to
		}
		wait = r.cpDraw(&lat.componentRestart, s)
		if cp.kcmLeader == s.instance {
			r.handOver(&cp.kcmDownUntil, &cp.kcmLeader, s.instance, uint64(s.what), wait)
		}
	case cpScheduler:
		if !r.emulatesNow() {
			in.scheduler = cp.to
		}
		wait = r.cpDraw(&lat.componentRestart, s)
		if cp.schedulerLeader == s.instance {
			r.handOver(&cp.schedulerDownUntil, &cp.schedulerLeader, s.instance, uint64(s.what), wait)
		}
	case cpNode:
		r.controlPlaneNode(l, s.instance)
		return
	case cpHealth, cpJudge:
		r.controlPlaneStep(l)
		return
	case cpOrder:
		r.awaitMachine(l, s.instance)
		return
	case cpJoin:
		r.machineJoins(s.instance)
	case cpRemove:
		r.controlPlaneTicket(s.instance)
		return
	case cpNodeBack:
		r.nodeBackAgain(l, s.instance)
		return
	case cpRestore:
		wait = r.cpDraw(&lat.etcdRestore, s)
		r.stopAll(wait)
	case cpRestored:
		r.startAll()
	}
	r.cpDirty, r.unsettled = true, true
	r.pushAfter(wait, evControlPlane, 0, l)
}

// emulatesNow reports whether what restarts now emulates the old minor.
func (r *run) emulatesNow() bool {
	cp := &r.cp
	return cp.parts[cp.part] == partReplace && cp.part+1 < len(cp.parts) && cp.parts[cp.part+1] == partSoak
}

func (r *run) cpDraw(s *sampler, st cpStep) int64 {
	return r.drawExact(s, forControlPlane, uint64(st.instance)<<8|uint64(st.what), uint64(r.cp.to))
}

// serveDown takes an instance's API server out, and its etcd member, whose version goes with the minor, for the first part of that time.
func (r *run) serveDown(s cpStep) int64 {
	cp := &r.cp
	lat := &r.w.latencies
	in := &cp.instances[s.instance]
	out := r.cpDraw(&lat.apiserverRestart, s)
	if cp.etcd && r.w.minor[in.binary] != r.w.minor[cp.to] && cp.parts[cp.part] != partBinaryBack { // etcd is never taken back
		member := r.drawExact(&lat.etcdRestart, forControlPlane, uint64(s.instance)<<8|0x80, uint64(cp.to))
		out = max(out, member)
		r.memberDown(s.instance, member)
	}
	in.serves, in.servesAt = false, r.now+out
	r.apiChanged()
	if out > renewDeadline && len(cp.instances) > 1 {
		// The leaders beside it cannot renew their leases.
		r.leadersLeave(s.instance, uint64(s.what), 0)
	}
	return out
}

// serveUp is the instance's API server answering with its new version.
func (r *run) serveUp(s cpStep) {
	in := &r.cp.instances[s.instance]
	in.serves, in.binary = true, r.cp.to
	if !r.emulatesNow() {
		in.api = r.cp.to
	}
	r.renew(in.node) // kubeadm upgrade renews the certificates of its node
	r.apiChanged()
	r.dropUnsupported()
}

// controlPlaneNode upgrades a control-plane node's kubelet: cordon, drain, upgrade, uncordon.
func (r *run) controlPlaneNode(l int32, i int) {
	r.cpDirty, r.unsettled = true, true
	n := r.cp.instances[i].node
	if n == none || r.w.version(r.nodes[n].kubelet).Compare(r.w.version(r.cp.to)) >= 0 {
		r.push(r.now, evControlPlane, 0, l)
		return
	}
	r.controlPlaneTicket(i)
}

// controlPlaneTicket takes the node of an instance in hand.
func (r *run) controlPlaneTicket(i int) {
	r.startTicket(r.cp.instances[i].node, none)
}

// retryControlPlaneNode puts a control-plane node whose drain failed behind the
// others, or before them where machines are replaced, since no other goes meanwhile. A second failure with nothing upgraded in between ends the upgrade.
func (r *run) retryControlPlaneNode(n int32) {
	in := &r.cp.instances[r.w.instanceOf(n)]
	if !in.retried {
		in.retried = true
		if r.cp.queue = append(r.cp.queue, r.w.instanceOf(n)); r.replacesMachines() {
			r.cp.queue = append(r.cp.queue[len(r.cp.queue)-1:], r.cp.queue[:len(r.cp.queue)-1]...)
		}
		return
	}
	r.halt()
}

// controlPlaneNodeDone goes on behind a control-plane node.
func (r *run) controlPlaneNodeDone(n int32) {
	l := r.cp.instances[r.w.instanceOf(n)].lane
	r.machineStays(r.w.instanceOf(n))
	if r.stopped() {
		r.controlPlaneStep(l)
		return
	}
	r.push(r.now, evControlPlane, 0, l)
}
