package sim

import (
	"fmt"

	"upsim/model"
)

// procedure is how far the control plane's upgrade to one version has come. It is done in
// parts, one after another: in each, every instance in the queue has its steps taken, so many instances at once.
type procedure struct {
	to       uint16
	parts    []cpPart
	part     int
	queue    []int // instances that the part has not begun with
	lanes    []lane
	waiting  int // lanes that wait for something to hold
	started  int64
	restores bool // it goes back
	goesBack bool // it is to go back once the nodes that are in hand are done
	beside   bool // it does the kubelets of its nodes beside the workers' stages, whose phase ends with it
	snapshot snapshot
}

// lane is one instance that is worked on.
type lane struct {
	steps []cpStep // that are ahead
	busy  bool
	shut  bool // it waits for a maintenance window
	need  need
}

// need is what a lane waits for.
type need uint8

const (
	needNothing   need = iota
	needHealth         // every member votes, every component and node is up
	needAPI            // an API server answers
	needAvailable      // every workload has the replicas that it had
)

// cpPart is a part of the procedure.
type cpPart uint8

const (
	partBackup     cpPart = iota // an etcd snapshot
	partReplace                  // the components of each instance, in place
	partSoak                     // all run the new version and emulate the old minor
	partBinaryBack               // or the old binaries come back, over the data that they can still read
	partRaise                    // they stop emulating it
	partMachines                 // each machine is replaced by a new one
	partNodes                    // the kubelets of the nodes
	partNodesBack                // the same, back to the version of before
	partRestore                  // the etcd snapshot, and with it everything else
)

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
	cpSoak
	cpJudge  // the emulation's gate decides
	cpRaise  // the API server restarts without emulating
	cpRaised // and answers again
	cpHealth // nothing goes on before all is well
	cpOrder  // a new machine is asked for
	cpJoin   // it joins
	cpRemove // the machine is drained and removed
	cpNodeBack
	cpRestore  // everything is down while the snapshot is restored
	cpRestored // and is up again
)

// What handOver is called for, beside the steps.
const leadOff = 0x3f

// startControlPlane begins the procedure for one version: an etcd snapshot,
// the instances one after another, then the kubelets of their nodes one after
// another, so that no kubelet is ever newer than an API server.
func (r *run) startControlPlane(to model.Version) {
	cp := &r.cp
	c := &r.w.scenario.Cluster.ControlPlane
	up := &r.w.upgrade.Upgrade.ControlPlane
	cp.procedure = procedure{to: r.w.versionIs(to), part: -1, started: r.now, lanes: make([]lane, 1)}
	r.takeSnapshot()
	for i := range cp.instances {
		cp.instances[i].retried = false
	}
	r.leaveStages()
	if !c.Managed && up.Backup {
		cp.parts = append(cp.parts, partBackup)
	}
	switch {
	case r.replacesMachines():
		cp.parts = append(cp.parts, partMachines)
	case up.Emulation != nil && r.emulates():
		cp.parts = append(cp.parts, partReplace, partSoak, partRaise)
	default:
		cp.parts = append(cp.parts, partReplace)
	}
	if !c.Managed && !r.replacesMachines() && up.Kubelets != model.KubeletsWith && !r.nodesBeside(to) {
		cp.parts = append(cp.parts, partNodes)
	}
	r.push(r.now, evControlPlane, 0, 0)
}

// nodesBeside reports whether the kubelets of the control plane's nodes wait for the workers' phase, which comes next.
func (r *run) nodesBeside(to model.Version) bool {
	ro := &r.rollout
	return r.w.upgrade.Upgrade.ControlPlane.Workers == model.WorkersBeside && ro.phase < len(ro.plan) && !ro.plan[ro.phase].controlPlane && ro.plan[ro.phase].to == to
}

// startBeside begins with the kubelets of the control plane's nodes as the workers' stages begin, as OpenShift's
// machine config pools do: the pool of the control plane and those of the workers roll in parallel.
func (r *run) startBeside(to model.Version) {
	cp := &r.cp
	if ro := &r.rollout; r.w.upgrade.Upgrade.ControlPlane.Workers != model.WorkersBeside || ro.phase < 2 || !ro.plan[ro.phase-2].controlPlane || ro.plan[ro.phase-2].to != to {
		return
	}
	cp.parts, cp.part, cp.queue, cp.lanes, cp.started, cp.beside = []cpPart{partNodes}, -1, nil, make([]lane, 1), r.now, true
	r.push(r.now, evControlPlane, 0, 0)
}

// older reports whether a component is yet to be brought to the procedure's version.
func (r *run) older(v uint16) bool { return r.w.rank[v] < r.w.rank[r.cp.to] }

// emulates reports whether an API server has a minor to go, which it can emulate the old one of; a patch changes nothing to emulate.
func (r *run) emulates() bool {
	for i := range r.cp.instances {
		if in := &r.cp.instances[i]; in.there && r.w.minor[in.api] < r.w.minor[r.cp.to] {
			return true
		}
	}
	return false
}

// stepsOf are the steps that a part takes on an instance. One that an earlier attempt brought to the version is left alone.
func (r *run) stepsOf(part cpPart, i int) (steps []cpStep) {
	in := &r.cp.instances[i]
	add := func(what ...cpAction) {
		for _, w := range what {
			steps = append(steps, cpStep{w, i})
		}
	}
	switch part {
	case partBackup:
		add(cpBackup)
	case partSoak:
		add(cpSoak, cpJudge)
	case partBinaryBack:
		if in.binary != in.api {
			add(cpServe, cpServed, cpManage, cpScheduler)
		}
	case partReplace:
		if r.older(in.binary) {
			add(cpServe, cpServed)
		}
		r.addManagers(in, add)
		if r.w.upgrade.Upgrade.ControlPlane.Kubelets == model.KubeletsWith && !r.w.scenario.Cluster.ControlPlane.Managed {
			add(cpNode)
		}
	case partRaise:
		if r.older(in.api) {
			add(cpRaise, cpRaised)
		}
		r.addManagers(in, add)
	case partMachines:
		if r.older(in.binary) {
			add(r.machineSteps(i)...)
		}
	case partNodes:
		add(cpNode)
	case partNodesBack:
		add(cpNodeBack)
	case partRestore:
		add(cpRestore, cpRestored)
	}
	return steps
}

// addManagers adds the steps of the controller-manager, with the cloud-controller-manager, and of the scheduler.
func (r *run) addManagers(in *instance, add func(...cpAction)) {
	if r.older(in.kcm) || r.ccm() && r.older(in.ccm) {
		add(cpManage)
	}
	if r.older(in.scheduler) {
		add(cpScheduler)
	}
}

// nextPart begins the next part; false behind the last.
func (r *run) nextPart() bool {
	cp := &r.cp
	if cp.part >= 0 {
		r.spanPart()
	}
	if cp.part++; r.stopped() || cp.part >= len(cp.parts) {
		return false
	}
	cp.started = r.now
	switch cp.parts[cp.part] {
	case partBackup, partSoak, partRestore:
		cp.queue = []int{0}
	default:
		cp.queue = r.controlPlaneOrder()
	}
	atOnce := r.w.upgrade.Upgrade.ControlPlane.AtOnce
	if cp.restores {
		atOnce = 1
	}
	cp.lanes = make([]lane, max(1, min(atOnce, len(cp.queue))))
	for l := range cp.lanes {
		cp.lanes[l].busy = true
		if l > 0 {
			r.push(r.now, evControlPlane, 0, int32(l))
		}
	}
	return true
}

// stopped reports whether nothing new is to begin.
func (r *run) stopped() bool { return (r.rollout.halted || r.cp.goesBack) && !r.cp.restores }

// controlPlaneStep takes the next step of a lane (evControlPlane), of the part's next instance where
// those of the lane's are taken, of the next part where all are.
func (r *run) controlPlaneStep(l int32) {
	cp := &r.cp
	if r.endedAt >= 0 {
		return // a gate stopped the upgrade
	}
	for {
		ln := &cp.lanes[l]
		switch {
		case r.stopped() && !r.joinsAnyway(ln):
			ln.steps, cp.queue = nil, nil
		case len(ln.steps) > 0:
			s := ln.steps[0]
			ln.steps = ln.steps[1:]
			cp.instances[s.instance].lane = l
			r.takeStep(l, s)
			return
		case len(cp.queue) > 0 && r.laneWaits(l):
			return
		case len(cp.queue) > 0:
			ln.steps, cp.queue = r.stepsOf(cp.parts[cp.part], cp.queue[0]), cp.queue[1:]
			continue
		}
		ln.busy = false
		for i := range cp.lanes {
			if cp.lanes[i].busy {
				return
			}
		}
		if !r.nextPart() {
			r.procedureOver()
			return
		}
		l = 0
	}
}

// procedureOver goes on behind the procedure.
func (r *run) procedureOver() {
	cp := &r.cp
	beside := cp.beside
	cp.beside = false
	switch {
	case cp.restores:
		r.restored()
	case cp.goesBack:
		r.restoreControlPlane()
	case beside && r.rollout.running > 0:
		// The workers' stages end the phase.
	default:
		r.push(r.now, evPhase, 0, 0)
	}
}

// spanPart records the part of the procedure that ends now. Parts in which there was nothing to do are left out.
func (r *run) spanPart() {
	if r.now == r.cp.started || r.cp.part < 0 || r.cp.part >= len(r.cp.parts) {
		return
	}
	v := r.w.version(r.cp.to)
	name := ""
	switch r.cp.parts[r.cp.part] {
	case partBackup:
		name = fmt.Sprintf("etcd snapshot before %s", v)
	case partReplace:
		name = fmt.Sprintf("control plane to %s", v)
		if r.emulatesNow() {
			name += " emulating " + r.emulated()
		}
	case partSoak:
		name = fmt.Sprintf("soak of %s emulating %s", v, r.emulated())
	case partBinaryBack:
		name = fmt.Sprintf("control plane back to %s", v)
	case partRaise:
		name = fmt.Sprintf("control plane raised to 1.%d", v.Minor)
	case partMachines:
		name = fmt.Sprintf("control-plane machines to %s", v)
	case partNodes:
		name = fmt.Sprintf("control-plane nodes to %s", v)
	case partNodesBack:
		name = fmt.Sprintf("control-plane nodes back to %s", v)
	case partRestore:
		name = fmt.Sprintf("control plane restored to %s", v)
	}
	r.span(name, r.cp.started, r.now)
}

// emulated is the oldest minor that an API server served before the procedure.
func (r *run) emulated() string {
	oldest := r.w.minor[r.cp.to]
	for i := range r.cp.snapshot.instances {
		if in := &r.cp.snapshot.instances[i]; in.there {
			oldest = min(oldest, r.w.minor[in.api])
		}
	}
	return fmt.Sprintf("1.%d", oldest)
}

// joinsAnyway reports whether a lane's next step is the join of a machine that has come with the volume of an etcd
// member which is missing without it: that is no longer undone when the upgrade stops.
func (r *run) joinsAnyway(ln *lane) bool {
	return len(ln.steps) > 0 && ln.steps[0].what == cpJoin && r.keepsEtcd() && r.cp.instances[r.twin(ln.steps[0].instance)].arrived
}
