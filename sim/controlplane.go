package sim

import (
	"fmt"
	"slices"

	"upsim/model"
	"upsim/sim/invariant"
)

// controlPlane is the state of the API servers and of what runs beside them.
// What the procedure that upgrades them needs to remember stands in procedure.
type controlPlane struct {
	// instances are those of the scenario and, where machines are replaced, behind them
	// as many that may take their places: instance i and i+n replace each other.
	instances          []instance
	etcd               bool  // etcd is ours: a member beside each API server
	oldest, newest     int32 // minors of the API servers that run; 0 while none does
	kcmLeader          int
	schedulerLeader    int
	kcmDownUntil       int64
	schedulerDownUntil int64
	apiDownUntil       int64 // while no API server answers: when one does again
	outUntil           int64 // the same, by a fault that takes all of them down

	procedure
}

// instance is one API server with what runs beside it: with kubeadm they share a
// node, and the controller-manager and the scheduler talk to the API server beside them.
// A version is the one that the component serves, the emulated one where it emulates an older minor.
type instance struct {
	api, kcm, scheduler, ccm uint16 // ccm is unused where there is none
	binary                   uint16 // of the API server: newer than api while it emulates
	node                     int32  // none where it has none of ours
	there                    bool   // its machine is part of the control plane
	serves                   bool   // its API server runs, while its machine does
	servesAt                 int64  // while it does not: when it will again
	off                      bool   // its machine is away
	offUntil                 int64
	member                   memberState
	memberUp                 bool // its etcd member runs, while its machine does
	memberAt                 int64
	asked                    bool  // its machine was asked for, to come in place of another
	arrived                  bool  // and has come
	awaited                  bool  // a lane waits for that
	lane                     int32 // of the procedure, which works on it
	retried                  bool  // its node's drain failed once
}

// up reports whether the API server answers, as far as it depends on the instance alone.
func (in *instance) up() bool { return in.there && in.serves && !in.off }

// renewDeadline is how long a leader may fail to renew its lease before it steps down (client-go leader election, default).
const renewDeadline = 10_000_000

// beginControlPlane sets up the instances as the scenario has them.
func (r *run) beginControlPlane() {
	c := &r.w.scenario.Cluster.ControlPlane
	cp := &r.cp
	api := r.w.versionIDs(apiServers(r.w.scenario))
	n := len(api)
	cp.etcd = !c.Managed && c.Etcd != model.EtcdExternal
	cp.instances = make([]instance, n)
	for i := range cp.instances {
		in := &cp.instances[i]
		*in = instance{api: api[i], kcm: api[i], scheduler: api[i], binary: api[i], node: r.w.cpNode(i), there: true, serves: true}
		if i < len(c.ControllerManager) {
			in.kcm = r.w.versionIs(c.ControllerManager[i])
		}
		if i < len(c.Scheduler) {
			in.scheduler = r.w.versionIs(c.Scheduler[i])
		}
		if i < len(c.CloudControllerManager) {
			in.ccm = r.w.versionIs(c.CloudControllerManager[i])
		}
		if cp.etcd {
			in.member, in.memberUp = memberVotes, true
		}
	}
	if r.replacesMachines() {
		for i := range n {
			cp.instances = append(cp.instances, instance{node: r.w.nodes[r.w.cpNode(i)].twin})
		}
	}
	r.apiChanged()
}

// ccm reports whether a cloud-controller-manager runs beside the API servers.
func (r *run) ccm() bool { return len(r.w.scenario.Cluster.ControlPlane.CloudControllerManager) > 0 }

// instanceOf is the instance that runs on a node; none for a worker.
func (w *World) instanceOf(n int32) int {
	if !w.nodes[n].cp {
		return int(none)
	}
	if t := w.nodes[n].twin; t != none && t < n {
		return w.instanceOf(t) + w.instances()
	}
	return int(n - w.firstCP)
}

// instances is how many API servers the scenario has.
func (w *World) instances() int { return max(1, w.scenario.Cluster.ControlPlane.Replicas) }

// controlPlaneOrder is the instances that are there, in the order that the scenario names their nodes, the others by number.
func (r *run) controlPlaneOrder() []int {
	var order []int
	add := func(i int) {
		if r.cp.instances[i].there && !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	for _, name := range r.w.upgrade.Upgrade.ControlPlane.Order {
		for i := range r.cp.instances {
			if n := r.cp.instances[i].node; n != none && r.w.nodeName(r.w.original(n)) == name {
				add(i)
			}
		}
	}
	n := r.w.instances()
	for i := range n {
		add(i)
		if i+n < len(r.cp.instances) {
			add(i + n)
		}
	}
	return order
}

// oldestAPI and newestAPI are the versions that the API servers that run serve; zero while none does.
func (r *run) oldestAPI() model.Version { return r.apiVersion(-1) }
func (r *run) newestAPI() model.Version { return r.apiVersion(+1) }

func (r *run) apiVersion(sign int) model.Version {
	var best model.Version
	if r.cp.outUntil > r.now {
		return best
	}
	for i := range r.cp.instances {
		in := &r.cp.instances[i]
		if v := r.w.version(in.api); in.up() && (best.IsZero() || v.Compare(best)*sign > 0) {
			best = v
		}
	}
	return best
}

// apiChanged is to be called when an API server has come, gone or changed its version.
func (r *run) apiChanged() {
	r.cp.oldest, r.cp.newest = int32(r.oldestAPI().Minor), int32(r.newestAPI().Minor)
	r.membersChanged()
	r.recheckNodes()
}

// membersChanged is to be called when an etcd member has come or gone, without which no API server may answer.
func (r *run) membersChanged() {
	cp := &r.cp
	was := r.noAPI()
	if at := r.apiAnswersAt(); at > r.now {
		r.planSyncs()
		if cp.apiDownUntil = at; !was {
			r.cutDrains()
		}
	} else {
		cp.apiDownUntil = min(cp.apiDownUntil, r.now)
	}
	r.cpDirty, r.unsettled = true, true
}

// apiAnswersAt is when an API server answers: in the past where one does. Without a quorum of etcd none does.
func (r *run) apiAnswersAt() int64 {
	first := downForever
	for i := range r.cp.instances {
		in := &r.cp.instances[i]
		if !in.there && !(in.asked && r.keepsEtcd()) {
			continue // a machine that comes without etcd's data needs an API server to join
		}
		at := int64(0)
		if !in.serves {
			at = in.servesAt
		}
		if in.off {
			at = max(at, in.offUntil)
		}
		first = min(first, at)
	}
	return max(first, r.quorumAt(), r.cp.outUntil)
}

// apiSeenBy is the minors of the API servers that a node's kubelet may talk to: the
// one beside it, or any, through the load balancer. 0 while none answers.
func (r *run) apiSeenBy(n int32) (oldest, newest int32) {
	i := r.w.instanceOf(n)
	if i < 0 || !r.localKubelet(n) {
		return r.cp.oldest, r.cp.newest
	}
	if in := &r.cp.instances[i]; in.up() {
		return r.w.minor[in.api], r.w.minor[in.api]
	}
	return 0, 0
}

// localKubelet reports whether a control-plane node's kubelet talks to the API server beside it.
func (r *run) localKubelet(n int32) bool {
	switch r.w.upgrade.Upgrade.ControlPlane.KubeletEndpoint {
	case model.KubeletLocal:
		return true
	case model.KubeletLoadBalancer:
		return false
	default:
		// Cluster API turns kubeadm's ControlPlaneKubeletLocalMode on for machines at 1.31 and newer.
		return r.rollout.records[n].joined && r.w.minor[r.nodes[n].kubelet] >= model.LocalKubeletMinor
	}
}

// handOver moves the lead away from an instance that stopped: another one acts
// once the lease has run out, or the same one after its restart where there is no
// other. An outage that lasts longer goes on.
func (r *run) handOver(downUntil *int64, leader *int, i int, why uint64, restart int64) {
	cp := &r.cp
	wait := r.drawExact(&r.w.latencies.leaderElection, forControlPlane, uint64(i)<<8|why|0x40, uint64(cp.to))
	if next := r.nextLeader(i); next != i {
		*leader = next
	} else {
		wait = max(wait, restart)
	}
	r.planSyncs()
	*downUntil = max(*downUntil, r.now+wait)
}

// nextLeader is the instance after i whose API server answers, else the next that is there at all; i itself where it is alone.
func (r *run) nextLeader(i int) int {
	n := len(r.cp.instances)
	for _, fit := range []func(*instance) bool{(*instance).up, func(in *instance) bool { return in.there }} {
		for k := 1; k < n; k++ {
			if j := (i + k) % n; fit(&r.cp.instances[j]) {
				return j
			}
		}
	}
	return i
}

// leadersLeave hands over what the instance leads.
func (r *run) leadersLeave(i int, why uint64, restart int64) {
	if r.cp.kcmLeader == i {
		r.handOver(&r.cp.kcmDownUntil, &r.cp.kcmLeader, i, why, restart)
	}
	if r.cp.schedulerLeader == i {
		r.handOver(&r.cp.schedulerDownUntil, &r.cp.schedulerLeader, i, why, restart)
	}
}

// leadersArrive has a new instance take what an instance led that is gone: its components start.
func (r *run) leadersArrive(i int) {
	r.planSyncs()
	cp := &r.cp
	take := func(downUntil *int64, leader *int, why cpAction) {
		if cp.instances[*leader].there {
			return
		}
		*leader = i
		*downUntil = max(*downUntil, r.now+r.cpDraw(&r.w.latencies.componentRestart, cpStep{why, i}))
	}
	take(&cp.kcmDownUntil, &cp.kcmLeader, cpManage)
	take(&cp.schedulerDownUntil, &cp.schedulerLeader, cpScheduler)
}

// machineOff is an instance whose machine has gone away, until then.
func (r *run) machineOff(i int, until int64) {
	in := &r.cp.instances[i]
	in.off, in.offUntil = true, until
	r.apiChanged()
	r.leadersLeave(i, leadOff, until-r.now)
}

// machineOn is an instance whose machine is back.
func (r *run) machineOn(i int) {
	in := &r.cp.instances[i]
	if !in.off {
		return
	}
	in.off = false
	r.apiChanged()
	r.dropUnsupported()
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
	var f invariant.ControlPlane
	n := len(cp.instances)
	there := int32(0)
	parts := make([]*invariant.Component, 4*n+1)
	for i := range cp.instances {
		in := &cp.instances[i]
		there += one(in.there)
		f.APIServersUp += one(in.up())
		f.Members += one(in.member == memberVotes)
		f.MembersUp += one(in.votes())
		if !in.there {
			continue
		}
		local := int32(0)
		if in.up() {
			local = r.w.minor[in.api]
			parts[i] = &invariant.Component{Kind: invariant.APIServer, Minor: local, OldestAPI: cp.oldest, NewestAPI: cp.newest}
		}
		// kubeadm points these at the API server beside them.
		beside := func(k invariant.ComponentKind, v uint16) *invariant.Component {
			return &invariant.Component{Kind: k, Minor: r.w.minor[v], OldestAPI: local, NewestAPI: local}
		}
		parts[n+i] = beside(invariant.ControllerManager, in.kcm)
		parts[2*n+i] = beside(invariant.Scheduler, in.scheduler)
		if r.ccm() {
			parts[3*n+i] = beside(invariant.CloudControllerManager, in.ccm)
		}
	}
	f.APIServers = max(there, int32(r.w.instances())) // also while their machines are being replaced
	if f.Members > 0 && f.MembersUp < quorum(f.Members) || cp.outUntil > r.now {
		f.APIServersUp = 0 // without quorum nothing answers
	}
	if k := r.w.scenario.Cluster.Kubectl; !k.IsZero() {
		parts[4*n] = &invariant.Component{Kind: invariant.Kubectl, Minor: int32(k.Minor), OldestAPI: cp.oldest, NewestAPI: cp.newest}
	}
	return f, parts
}

// checkControlPlane looks at the control plane's invariants at the end of a tick.
func (r *run) checkControlPlane() {
	whole, parts := r.controlPlaneFacts()
	r.sumTime(&r.quorumSince, &r.quorumLost, whole.Members > 0 && whole.MembersUp < quorum(whole.Members))
	r.sumTime(&r.apiDownSince, &r.apiDown, whole.APIServersUp == 0)
	invariant.Observe(r.log, r.now, 0, whole)
	for id, f := range parts {
		switch {
		case f != nil:
			invariant.Observe(r.log, r.now, int32(id), *f)
		case !r.cp.instances[id%len(r.cp.instances)].there:
			r.log.Set(r.now, invariant.Components, int32(id), 0)
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
func (r *run) componentSubject(id int32) string {
	n := int32(len(r.cp.instances))
	if id == 4*n {
		return "kubectl/client"
	}
	name := fmt.Sprintf("cp-%d", id%n+1)
	if node := r.cp.instances[id%n].node; node != none {
		name = r.w.nodeName(node)
	}
	return [...]string{"apiserver/", "controller-manager/", "scheduler/", "cloud-controller-manager/"}[id/n] + name
}
