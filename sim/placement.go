package sim

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"upsim/model"
	"upsim/model/skew"
)

// place gives every pod the place that it has before the upgrade: where the
// scenario or the real cluster says, and else where the scheduler puts it.
// What finds no node is parked. All that can be is Ready.
func (w *World) place() {
	w.emptyState()
	r := w.scratchRun(Options{Seed: w.scenario.Seed})
	r.placing = true
	for i := range int32(len(w.workloads)) {
		r.placeWorkload(i)
	}
	small := newSmallSearch(r)
	for p := range int32(len(r.pods)) {
		pd := &r.pods[p]
		if pd.node != none {
			continue // it stands already
		}
		var n int32
		if spec := &w.workloads[pd.workload]; small.serves(spec) {
			n = small.choose(spec, pd)
		} else {
			n = r.choose(r.owned(p), nil)
		}
		if n != none {
			r.attach(r.owned(p), n)
			r.settle(p)
		} else {
			r.pods[p].state = podCreated
			r.park(p)
		}
	}
	w.keep(r)
	r.release()
}

// keep makes the state of a run the World's own, as it is before the upgrade.
func (w *World) keep(r *run) {
	w.liveAt0 = r.liveAt
	w.nodes0, w.pods0, w.on0, w.workloads0, w.budgets0, w.counts0 = r.nodes, r.pods, cloneLists(r.on), r.workloads, r.budgets, r.counts
	w.slotZone0, w.slotNode0, w.ports0, w.usedOther0, w.nextNode0 = r.slotZone, r.slotNode, r.ports, r.usedOther, r.nextNode
	for i := range w.nodes0 {
		w.nodes0[i].dirty = false
	}
	for i := range w.workloads0 {
		w.workloads0[i].dirty = false
		w.workloads0[i].trouble = nil // pods that wait do so from 0 on
	}
	for i := range w.budgets0 {
		w.budgets0[i].dirty, w.budgets0[i].planned, w.budgets0[i].syncAt = false, false, never
	}
	w.queues0 = r.queues
	w.parked0, w.whyParked0 = r.parkedShapes, r.whyParked
}

// Bounds on what a compiled scenario may hold, far above the largest real
// clusters, so that a few lines of input cannot ask for all memory.
const (
	maxSlots = 20_000_000 // pods, a DaemonSet's one for each node
	maxCells = 64_000_000 // counts of pods by domain
	maxKinds = 1_000      // zones
)

// tooLarge refuses a scenario beyond those bounds.
func (c *compiler) tooLarge() error {
	zones := len(c.topo[topoZone].domains)
	switch {
	case zones > maxKinds:
		return fmt.Errorf("%d zones are more than the %d that can be simulated", zones, maxKinds)
	case c.cells > maxCells:
		return fmt.Errorf("the workloads and the domains of their constraints need %d counters, more than the %d that can be simulated", c.cells, maxCells)
	}
	return nil
}

// emptyState makes the state in which no pod stands anywhere.
func (w *World) emptyState() {
	w.nodes0 = cloneHuge(w.nodes0) // of the template
	w.workloads0 = makeHuge[workload](len(w.workloads), len(w.workloads))
	for i := range w.workloads0 {
		w.workloads0[i] = workload{vacant: none, vacantEnd: none, want: w.workloads[i].replicas}
	}
	w.budgets0 = makeHuge[budget](len(w.budgets), len(w.budgets))
	for i := range w.budgets0 {
		w.budgets0[i] = budget{syncAt: never, awake: none, shared: len(w.budgets[i].members) > 1,
			expected: w.budgets[i].expected, desired: w.budgets[i].desired, countPods: w.budgets[i].countPods}
	}
	w.counts0 = make([][]int32, len(w.counters))
	for i := range w.ownByNode {
		w.counts0[i] = make([]int32, w.cellsOf(&w.counters[i]))
	}
	w.liveAt0 = makeHuge[int32](int(w.slots), int(w.slots))
	for i := range w.liveAt0 {
		w.liveAt0[i] = none
	}
	w.slotZone0, w.slotNode0 = make(map[int32]int32), make(map[int32]int32)
	w.ports0, w.usedOther0 = make(map[portOnNode]int32), make(map[otherOnNode]int64)
	w.pods0, w.on0 = makeHuge[pod](0, withSpares(int(w.slots))), make([][]int32, len(w.nodes0))
}

// forPlacement works out what placing pods needs to know, beside their constraints.
func (c *compiler) forPlacement() {
	w := c.World
	w.ownByNode, w.ownByZone = int32(len(w.counters)), int32(len(w.counters))+1
	w.counters = append(w.counters, counter{topo: topoHost, walked: true}, counter{topo: topoZone, live: true})
	zones := len(w.topo[topoZone].domains)
	w.zoneOf = make([]uint16, len(w.nodes))
	for i := range w.nodes {
		if z := w.nodes[i].zone; z != none {
			w.zoneOf[i] = uint16(z)
		} else {
			w.zoneOf[i] = uint16(zones)
		}
	}
	w.indexZones()
	for i := range w.workloads {
		w.workloads[i].indexed = w.indexed(&w.workloads[i])
	}
	w.lowestPriority = math.MaxInt32
	for i := range w.workloads {
		w.lowestPriority = min(w.lowestPriority, w.workloads[i].priority)
	}
}

// indexZones sorts the nodes by zone for the placement index, which is not used where there are more zones than it can tell apart.
func (w *World) indexZones() {
	w.zonesIndexed = min(len(w.topo[topoZone].domains)+1, maxZones)
	w.zoneWords = make([]uint64, len(newNodeSet(len(w.nodes)))*w.zonesIndexed)
	for i, z := range w.zoneOf {
		if int(z) < w.zonesIndexed {
			w.zoneWords[i/wordBits*w.zonesIndexed+int(z)] |= 1 << (i % wordBits)
			w.peopled |= 1 << z
		}
	}
}

// registerVersions gives an id to every version that the run can meet.
func (c *compiler) registerVersions() {
	cl := &c.scenario.Cluster
	c.versionID(cl.Version)
	for _, vs := range [][]model.Version{cl.ControlPlane.APIServer, cl.ControlPlane.ControllerManager, cl.ControlPlane.Scheduler, cl.ControlPlane.CloudControllerManager, c.upgrade.Upgrade.Path} {
		for _, v := range vs {
			c.versionID(v)
		}
	}
	c.versionID(c.upgrade.Upgrade.To)
	for _, p := range c.upgrade.Upgrade.Phases {
		c.versionID(p.To)
	}
	c.rankVersions()
}

// loseUnsupported takes the nodes out whose kubelet the API servers do not
// support: they were lost long before the upgrade, so nothing is placed there.
func (c *compiler) loseUnsupported() {
	versions := apiServers(c.scenario)
	oldest, newest := versions[0].Minor, versions[0].Minor
	for _, v := range versions {
		oldest, newest = min(oldest, v.Minor), max(newest, v.Minor)
	}
	for i := range c.nodes0 {
		if nd := &c.nodes0[i]; c.loses(nd, oldest, newest) {
			nd.flags = nd.flags&^nodeReady | nodeLost | nodeSilent
			nd.taints |= taintNotReady
		}
	}
}

// loses reports whether a node with this kubelet is lost to API servers of these minors.
func (w *World) loses(nd *node, oldest, newest int) bool {
	return w.scenario.Assumptions.UnsupportedKubelet == model.KubeletLost && nd.flags&nodeRemoved == 0 &&
		skew.Kubelet(int(w.minor[nd.kubelet]), oldest, newest) != ""
}

// apiServers are the versions of the API servers at the start, one for each instance.
func apiServers(sc *model.Scenario) []model.Version {
	c := &sc.Cluster.ControlPlane
	out := make([]model.Version, max(1, c.Replicas))
	for i := range out {
		out[i] = sc.Cluster.Version
		if i < len(c.APIServer) {
			out[i] = c.APIServer[i]
		}
	}
	return out
}

// standings finds the nodes on which the scenario says that pods stand.
func (c *compiler) standings() error {
	for i := range int32(len(c.workloads)) {
		spec, e := &c.workloads[i], c.entry(i)
		if spec.kind == daemonSet || spec.copy > 0 {
			continue
		}
		for k := range spec.slots {
			at := none
			switch {
			case int(k) < len(e.Existing):
				x := &e.Existing[k]
				if x.Node != "" {
					if at = c.node(x.Node); at == none {
						return fmt.Errorf("pod %s of workload %s stands on node %s, which is not in the cluster", x.Name, c.workloadName(i), x.Node)
					}
				}
			case int(k) < len(e.Placement):
				if at = c.node(e.Placement[k]); at == none {
					return fmt.Errorf("workload %s is placed on node %s, which is not in the cluster", c.workloadName(i), e.Placement[k])
				}
			case spec.kind == staticPod:
				return fmt.Errorf("static pod %s needs a placement: name its node", c.workloadName(i))
			default:
				continue
			}
			spec.standing = append(spec.standing, at)
		}
	}
	return nil
}

// placeWorkload makes the pods of one workload, and places those that stand somewhere already.
func (r *run) placeWorkload(i int32) {
	spec, existing := &r.w.workloads[i], r.w.entry(i).Existing
	if spec.kind == daemonSet {
		s := &r.w.shapes[spec.shape]
		for n := range int32(len(r.nodes)) {
			if nd := &r.nodes[n]; s.fit[nd.class].ok && nd.flags&nodeRemoved == 0 {
				r.workloads[i].want++
				r.newPod(i, spec.slot0+n)
			}
		}
		return
	}
	for k := range spec.slots {
		p := r.newPod(i, spec.slot0+k)
		if int(k) >= len(spec.standing) || spec.standing[k] == none {
			continue
		}
		at := spec.standing[k]
		if spec.kind == staticPod {
			r.slotNode[spec.slot0+k] = at
		}
		r.attach(r.owned(p), at)
		if int(k) >= len(existing) || existing[k].Ready {
			r.settle(p)
		} else {
			r.pods[p].state = podRunning
			r.pods[p].flags &^= podNotStarted
		}
	}
}

// node is the id of a node by name; none if there is no such node.
func (c *compiler) node(name string) int32 {
	if id, ok := c.ids()[name]; ok {
		return id
	}
	return none
}

// settle makes a pod what it has become long before the upgrade: running, and Ready if it can be.
func (r *run) settle(p int32) {
	pd := &r.pods[p]
	spec := &r.w.workloads[pd.workload]
	pd.state = podRunning
	pd.flags &^= podNotStarted
	if spec.never || r.nodes[pd.node].flags&nodeReady == 0 {
		return
	}
	pd.flags |= podReady | podAvailable
	r.workloads[pd.workload].ready++
	r.workloads[pd.workload].available++
	if spec.budget != none {
		r.budgets[spec.budget].ready++
		for _, b := range r.w.alsoBudgets[pd.workload] {
			r.budgets[b].ready++
		}
	}
}

// resumeParked has the scheduler look at pods that were pending before the upgrade when something changes for them.
func (r *run) resumeParked() {
	for i := range r.queues {
		r.queues[i].pods = slices.Clone(r.w.queues0[i].pods)
	}
	r.parkedShapes = slices.Clone(r.w.parked0)
	r.whyParked = maps.Clone(r.w.whyParked0)
}
