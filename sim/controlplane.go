package sim

import (
	"fmt"
	"slices"

	"upsim/model"
	"upsim/sim/invariant"
)

// controlPlane is the state of the API servers and of what runs beside them.
// Instance i is one of each; with kubeadm they share a node, and the
// controller-manager and the scheduler talk to the API server beside them.
type controlPlane struct {
	api, kcm, scheduler, ccm []uint16 // versions by instance; ccm is empty where there is none
	apiUp                    []bool
	oldest, newest           int32  // minors of the API servers that run; 0 while none does
	etcdUp                   []bool // empty where etcd is not ours
	kcmLeader                int
	schedulerLeader          int
	kcmDownUntil             int64
	schedulerDownUntil       int64
	apiDownUntil             int64 // while no API server answers: when one does again

	order   []int // instances in the order in which they are upgraded
	steps   []cpStep
	step    int
	to      uint16
	started int64
	nodes   bool   // the components are done, the nodes' kubelets have their turn
	retried []bool // by instance: its node's drain failed once
}

// cpStep is one step of the procedure, on one instance.
type cpStep struct {
	what     cpAction
	instance int
}

type cpAction uint8

const (
	cpBackup    cpAction = iota
	cpServe              // etcd member and API server are replaced
	cpServed             // the API server answers again
	cpManage             // controller-manager
	cpScheduler          // scheduler
	cpNode               // the node's kubelet
)

// renewDeadline is how long a leader may fail to renew its lease before it steps down (client-go leader election, default).
const renewDeadline = 10_000_000

// beginControlPlane sets up the instances as the scenario has them.
func (r *run) beginControlPlane() {
	c := &r.w.scenario.Cluster.ControlPlane
	cp := &r.cp
	n := max(1, c.Replicas)
	cp.api = r.w.versionIDs(apiServers(r.w.scenario))
	cp.kcm, cp.scheduler = r.w.versionIDs(c.ControllerManager), r.w.versionIDs(c.Scheduler)
	for len(cp.kcm) < n {
		cp.kcm = append(cp.kcm, cp.api[len(cp.kcm)])
	}
	for len(cp.scheduler) < n {
		cp.scheduler = append(cp.scheduler, cp.api[len(cp.scheduler)])
	}
	if len(c.CloudControllerManager) > 0 {
		cp.ccm = r.w.versionIDs(c.CloudControllerManager)
	}
	cp.apiUp = make([]bool, n)
	for i := range cp.apiUp {
		cp.apiUp[i] = true
	}
	if !c.Managed && c.Etcd != model.EtcdExternal {
		cp.etcdUp = make([]bool, n)
		for i := range cp.etcdUp {
			cp.etcdUp[i] = true
		}
	}
	cp.order = r.controlPlaneOrder(n)
	r.apiChanged()
}

// controlPlaneOrder is the instances in the order that the scenario names their nodes, the others by number.
func (r *run) controlPlaneOrder(n int) []int {
	var order []int
	for _, name := range r.w.upgrade.Upgrade.ControlPlane.Order {
		for i := range n {
			if n := r.w.cpNode(i); n != none && r.w.nodeName(n) == name && !slices.Contains(order, i) {
				order = append(order, i)
			}
		}
	}
	for i := range n {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	return order
}

// oldestAPI and newestAPI are the versions of the API servers that run; zero while none does.
func (r *run) oldestAPI() model.Version { return r.apiVersion(-1) }
func (r *run) newestAPI() model.Version { return r.apiVersion(+1) }

func (r *run) apiVersion(sign int) model.Version {
	var best model.Version
	for i, up := range r.cp.apiUp {
		if v := r.w.version(r.cp.api[i]); up && (best.IsZero() || v.Compare(best)*sign > 0) {
			best = v
		}
	}
	return best
}

// apiChanged is to be called when an API server has come, gone or changed its version.
func (r *run) apiChanged() {
	r.cp.oldest, r.cp.newest = int32(r.oldestAPI().Minor), int32(r.newestAPI().Minor)
	r.cpDirty = true
	r.recheckNodes()
}

// startControlPlane begins the procedure for one version: an etcd snapshot,
// the instances one after another, then the kubelets of their nodes one after
// another, so that no kubelet is ever newer than an API server.
func (r *run) startControlPlane(to model.Version) {
	cp := &r.cp
	c := &r.w.scenario.Cluster.ControlPlane
	cp.to, cp.step, cp.steps, cp.started = r.w.versionIs(to), 0, cp.steps[:0], r.now
	cp.retried, cp.nodes = make([]bool, len(cp.api)), false
	r.leaveStages()
	if !c.Managed && r.w.upgrade.Upgrade.ControlPlane.Backup {
		cp.steps = append(cp.steps, cpStep{cpBackup, 0})
	}
	for _, i := range cp.order {
		// An instance that an earlier attempt brought to the version is left alone.
		older := func(v uint16) bool { return r.w.rank[v] < r.w.rank[cp.to] }
		if older(cp.api[i]) {
			cp.steps = append(cp.steps, cpStep{cpServe, i}, cpStep{cpServed, i})
		}
		if older(cp.kcm[i]) || len(cp.ccm) > 0 && older(cp.ccm[i]) {
			cp.steps = append(cp.steps, cpStep{cpManage, i})
		}
		if older(cp.scheduler[i]) {
			cp.steps = append(cp.steps, cpStep{cpScheduler, i})
		}
	}
	if !c.Managed {
		for _, i := range cp.order {
			cp.steps = append(cp.steps, cpStep{cpNode, i})
		}
	}
	r.push(r.now, evControlPlane, 0, 0)
}

// controlPlaneStep takes the next step of the procedure (evControlPlane).
func (r *run) controlPlaneStep() {
	cp := &r.cp
	if cp.step == len(cp.steps) {
		r.endControlPlane()
		return
	}
	s := cp.steps[cp.step]
	cp.step++
	lat := &r.w.latencies
	wait := int64(0)
	switch s.what {
	case cpBackup:
		wait = r.cpDraw(&lat.etcdBackup, s)
		r.span("etcd snapshot before "+r.w.version(cp.to).String(), r.now, r.now+wait)
		cp.started = r.now + wait
	case cpServe:
		wait = r.serveDown(s)
	case cpServed:
		r.serveUp(s.instance)
	case cpManage:
		cp.kcm[s.instance] = cp.to
		if len(cp.ccm) > 0 {
			cp.ccm[s.instance] = cp.to
		}
		wait = r.cpDraw(&lat.componentRestart, s)
		if cp.kcmLeader == s.instance {
			r.handOver(&cp.kcmDownUntil, &cp.kcmLeader, s, wait)
		}
	case cpScheduler:
		cp.scheduler[s.instance] = cp.to
		wait = r.cpDraw(&lat.componentRestart, s)
		if cp.schedulerLeader == s.instance {
			r.handOver(&cp.schedulerDownUntil, &cp.schedulerLeader, s, wait)
		}
	case cpNode:
		r.cpDirty = true
		if !cp.nodes {
			r.spanControlPlane()
			cp.nodes, cp.started = true, r.now
		}
		r.controlPlaneNode(s.instance)
		return
	}
	r.cpDirty = true
	r.pushAfter(wait, evControlPlane, 0, 0)
}

func (r *run) cpDraw(s *sampler, st cpStep) int64 {
	return r.draw(s, forControlPlane, uint64(st.instance)<<8|uint64(st.what), uint64(r.cp.to))
}

// serveDown takes an instance's API server out, and its etcd member for the first part of that time.
func (r *run) serveDown(s cpStep) int64 {
	cp := &r.cp
	lat := &r.w.latencies
	out := r.cpDraw(&lat.apiserverRestart, s)
	if len(cp.etcdUp) > 0 && r.w.version(cp.api[s.instance]).Minor != r.w.version(cp.to).Minor {
		member := r.draw(&lat.etcdRestart, forControlPlane, uint64(s.instance)<<8|0x80, uint64(cp.to))
		out = max(out, member)
		cp.etcdUp[s.instance] = false
		r.pushAfter(member, evComponentUp, 0, int32(s.instance))
	}
	cp.apiUp[s.instance] = false
	r.apiChanged()
	if !slices.Contains(cp.apiUp, true) {
		cp.apiDownUntil = r.now + out
	}
	if out > renewDeadline && len(cp.api) > 1 {
		// The leaders beside it cannot renew their leases.
		if cp.kcmLeader == s.instance {
			r.handOver(&cp.kcmDownUntil, &cp.kcmLeader, s, 0)
		}
		if cp.schedulerLeader == s.instance {
			r.handOver(&cp.schedulerDownUntil, &cp.schedulerLeader, s, 0)
		}
	}
	return out
}

// serveUp is the instance's API server answering with its new version.
func (r *run) serveUp(i int) {
	r.cp.apiUp[i] = true
	r.cp.api[i] = r.cp.to
	r.apiChanged()
	r.dropUnsupported()
}

// componentUp is an etcd member that is back (evComponentUp).
func (r *run) componentUp(i int32) {
	r.cp.etcdUp[i] = true
	r.cpDirty = true
}

// handOver moves the lead away from an instance that stopped: another one acts
// once the lease has run out, or the same one after its restart where there is no
// other. An outage that lasts longer goes on.
func (r *run) handOver(downUntil *int64, leader *int, s cpStep, restart int64) {
	wait := r.draw(&r.w.latencies.leaderElection, forControlPlane, uint64(s.instance)<<8|uint64(s.what)|0x40, uint64(r.cp.to))
	if n := len(r.cp.api); n > 1 {
		*leader = (s.instance + 1) % n
	} else {
		wait = max(wait, restart)
	}
	*downUntil = max(*downUntil, r.now+wait)
}

// controlPlaneNode upgrades a control-plane node's kubelet: cordon, drain, upgrade, uncordon.
func (r *run) controlPlaneNode(i int) {
	cp := &r.cp
	n := r.w.cpNode(i)
	if n == none || r.w.version(r.nodes[n].kubelet).Compare(r.w.version(cp.to)) >= 0 {
		r.push(r.now, evControlPlane, 0, 0)
		return
	}
	r.startTicket(n, none)
}

// retryControlPlaneNode puts a control-plane node whose drain failed behind the
// others. A second failure with nothing upgraded in between ends the upgrade.
func (r *run) retryControlPlaneNode(n int32) {
	cp := &r.cp
	for i := range cp.api {
		if r.w.cpNode(i) == n && !cp.retried[i] {
			cp.retried[i] = true
			cp.steps = append(cp.steps, cpStep{cpNode, i})
			return
		}
	}
	r.halt()
}

// controlPlaneNodeDone goes on behind a control-plane node.
func (r *run) controlPlaneNodeDone() {
	if r.rollout.halted {
		r.endControlPlane()
		return
	}
	r.push(r.now, evControlPlane, 0, 0)
}

func (r *run) endControlPlane() {
	r.spanControlPlane()
	r.push(r.now, evPhase, 0, 0)
}

// spanControlPlane records the part of the procedure that ends now: the
// components of all instances, or the kubelets of their nodes. Parts in which there was nothing to do are left out.
func (r *run) spanControlPlane() {
	if r.now == r.cp.started {
		return
	}
	what := "control plane"
	if r.cp.nodes {
		what = "control-plane nodes"
	}
	r.span(fmt.Sprintf("%s to %s", what, r.w.version(r.cp.to)), r.cp.started, r.now)
}

// controllersDown is until when no controller-manager acts: in the past if one does.
func (r *run) controllersDown() int64 { return max(r.cp.kcmDownUntil, r.cp.apiDownUntil) }

// schedulerDown is the same for the scheduler.
func (r *run) schedulerDown() int64 { return max(r.cp.schedulerDownUntil, r.cp.apiDownUntil) }

// recheckNodes marks every node: an API server's version changed, and with it what the nodes' may be.
func (r *run) recheckNodes() {
	for n := range r.nodes {
		r.dirtyNode(int32(n))
	}
}

// controlPlaneFacts are what the invariants look at: the whole, and each
// component by its number (nil for one that is not there or not up).
func (r *run) controlPlaneFacts() (invariant.ControlPlane, []*invariant.Component) {
	cp := &r.cp
	f := invariant.ControlPlane{APIServers: int32(len(cp.api)), Members: int32(len(cp.etcdUp))}
	for _, up := range cp.apiUp {
		f.APIServersUp += one(up)
	}
	for _, up := range cp.etcdUp {
		f.MembersUp += one(up)
	}
	if f.Members > 0 && f.MembersUp <= f.Members/2 {
		f.APIServersUp = 0 // without quorum nothing answers
	}
	n := len(cp.api)
	parts := make([]*invariant.Component, 4*n+1)
	for i := range n {
		local := int32(0)
		if cp.apiUp[i] {
			local = r.w.minor[cp.api[i]]
			parts[i] = &invariant.Component{Kind: invariant.APIServer, Minor: local, OldestAPI: cp.oldest, NewestAPI: cp.newest}
		}
		// kubeadm points these at the API server beside them.
		beside := func(k invariant.ComponentKind, v uint16) *invariant.Component {
			return &invariant.Component{Kind: k, Minor: r.w.minor[v], OldestAPI: local, NewestAPI: local}
		}
		parts[n+i] = beside(invariant.ControllerManager, cp.kcm[i])
		parts[2*n+i] = beside(invariant.Scheduler, cp.scheduler[i])
		if len(cp.ccm) > 0 {
			parts[3*n+i] = beside(invariant.CloudControllerManager, cp.ccm[i])
		}
	}
	if k := r.w.scenario.Cluster.Kubectl; !k.IsZero() {
		parts[4*n] = &invariant.Component{Kind: invariant.Kubectl, Minor: int32(k.Minor), OldestAPI: cp.oldest, NewestAPI: cp.newest}
	}
	return f, parts
}

// checkControlPlane looks at the control plane's invariants at the end of a tick.
func (r *run) checkControlPlane() {
	whole, parts := r.controlPlaneFacts()
	r.sumTime(&r.quorumSince, &r.quorumLost, whole.Members > 0 && whole.MembersUp <= whole.Members/2)
	r.sumTime(&r.apiDownSince, &r.apiDown, whole.APIServersUp == 0)
	invariant.Observe(r.log, r.now, 0, whole)
	for id, f := range parts {
		if f != nil {
			invariant.Observe(r.log, r.now, int32(id), *f)
		}
	}
}

// sumTime adds the time in which a condition held to a sum.
func (r *run) sumTime(since, sum *int64, holds bool) {
	switch {
	case holds && *since == 0:
		*since = r.now + 1 // 0 means that it does not hold
	case !holds && *since != 0:
		*sum += r.upTo(r.now) - r.upTo(*since-1)
		*since = 0
	}
}

func one(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// componentSubject names a component as reports do.
func (w *World) componentSubject(id int32) string {
	n := int32(max(1, w.scenario.Cluster.ControlPlane.Replicas))
	if id == 4*n {
		return "kubectl/client"
	}
	name := fmt.Sprintf("cp-%d", id%n+1)
	if node := w.cpNode(int(id % n)); node != none {
		name = w.nodeName(node)
	}
	return [...]string{"apiserver/", "controller-manager/", "scheduler/", "cloud-controller-manager/"}[id/n] + name
}
