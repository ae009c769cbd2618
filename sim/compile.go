package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"upsim/model"
)

// Compile turns a scenario and one of its upgrades into a World: names become
// dense ids, selectors become lists of workloads, and pods without a given
// node are placed by the scheduler. The error says what the scenario asks for
// that cannot be simulated.
func Compile(sc *model.Scenario, up model.NamedUpgrade) (*World, error) {
	t, err := Prepare(sc, up)
	if err != nil {
		return nil, err
	}
	return t.World(sc.Seed)
}

// emptyStages names the stages whose selector matches no worker.
func (w *World) emptyStages() []model.Finding {
	var out []model.Finding
	for _, s := range w.stages {
		if s.Nodes.Selector == nil {
			continue
		}
		m, err := s.Nodes.Selector.Compile()
		if err != nil {
			continue // the loader has compiled it once
		}
		any := false
		for n := range w.workers {
			any = any || m.Matches(w.nodeLabels(n))
		}
		if !any {
			out = append(out, model.NewFinding(model.StageWithoutNodes, "Stage/"+s.Name, fmt.Sprintf("the selector of stage %s matches none of %s", s.Name, plural(int(w.workers), "worker", "workers"))))
		}
	}
	return out
}

// stagesLeftOut names the stages of the scenario for which earlier ones, or the limit, leave no
// node. A stage for whatever is left may get nothing.
func (w *World) stagesLeftOut() []model.Finding {
	var out []model.Finding
	nodes := w.withinLimit()
	if len(nodes) == 0 || len(w.upgrade.Upgrade.Phases) > 0 {
		return nil // there is nothing to upgrade, or a plan names the nodes of each phase
	}
	limit := w.upgrade.Upgrade.Nodes.Limit
	var all []int32
	var before []string
	for i := range w.stages {
		s := &w.stages[i]
		mine, rest := w.pick(nodes, s, w.scenario.Seed)
		nodes = rest
		if len(mine) > 0 {
			before = append(before, s.Name)
			continue
		}
		if all == nil {
			all = slices.DeleteFunc(w.upgradeOrder(w.nodes0, w.upgrade.Upgrade.To), w.lags)
		}
		alone, _ := w.pick(all, s, w.scenario.Seed)
		why := ""
		switch {
		case s.Nodes.All() || len(alone) == 0 || !slices.ContainsFunc(w.upgrade.Upgrade.Nodes.Stages, func(own model.Stage) bool { return own.Name == s.Name }):
			continue
		case limit > 0 && len(all) > limit && len(rest) == 0:
			why = fmt.Sprintf("the limit of %s leaves it none", plural(limit, "node", "nodes"))
		default:
			why = "the stages before it take all of its nodes: " + strings.Join(before, ", ")
		}
		out = append(out, model.NewFinding(model.StageGetsNoNode, "Stage/"+s.Name, fmt.Sprintf("stage %s gets no node: %s", s.Name, why)))
	}
	return out
}

// compiler holds what only compiling needs.
type compiler struct {
	*World
	tooMany  error            // more nodes than can be simulated
	nodeID   map[string]int32 // made by ids when a name is looked up for the first time
	shapeOf  map[string]int32
	topoOf   map[string]int32
	taints   [][]model.Taint     // by node
	byLabel  map[string][]int32  // namespace, key and value to workloads
	byName   map[string][]int32  // namespace to workloads
	labels   []map[string]string // by workload
	cells    int64               // of all counters
	counter0 map[string]int32    // counters of constraints, by what they count
}

func (w *World) latenciesOf(a *model.Assumptions) latencies {
	cp := a.NodeUpgrade
	if d := w.upgrade.Upgrade.ControlPlane.PerNode; d != nil {
		cp = *d
	}
	api := a.APIServerRestart
	if d := w.upgrade.Upgrade.ControlPlane.APIServerDowntime; d != nil {
		api = *d
	}
	return latencies{
		startup: newSampler(a.Startup), shutdown: newSampler(a.Shutdown),
		nodeUpgrade: newSampler(a.NodeUpgrade), nodeProvision: newSampler(a.NodeProvision), nodeDelete: newSampler(a.NodeDelete),
		podsReadyAfterNode: newLatency(a.PodsReadyAfterNode),
		controller:         newLatency(a.ControllerLatency), scheduler: newLatency(a.SchedulerLatency),
		request: newLatency(a.APILatency), taint: newLatency(a.TaintLag), deletion: newLatency(a.DeletionLag),
		kubectl: newLatency(a.KubectlStart), kubelet: newLatency(a.KubeletLag), etcdBackup: newSampler(a.EtcdBackup),
		etcdRestart: newSampler(a.EtcdRestart), etcdCatchUp: newSampler(a.EtcdCatchUp), etcdRestore: newSampler(a.EtcdRestore), apiserverRestart: newSampler(api),
		componentRestart: newSampler(a.ComponentRestart), leaderElection: newSampler(a.LeaderElection),
		controlPlaneNode: newSampler(cp),
		deletionPoll:     a.DeletionPoll.Microseconds(), conflictRetry: a.ConflictRetry.Microseconds(),
		monitorGrace: a.NodeMonitorGrace.Microseconds(), tolerate: a.UnreachableToleration.Microseconds(),
		forceDetach: a.ForceDetach.Microseconds(),
	}
}

func (c *compiler) latencies() { c.World.latencies = c.latenciesOf(&c.scenario.Assumptions) }

// compileNodes numbers the workers (pools first, in their order, then explicit
// nodes) and, behind them, the control-plane nodes.
func (c *compiler) compileNodes() {
	cl := &c.scenario.Cluster
	c.topo = []topology{{key: model.LabelHostname}, {key: model.LabelZone}}
	c.topoOf = map[string]int32{model.LabelHostname: 0, model.LabelZone: 1}
	all := len(cl.Nodes) + cl.ControlPlane.Replicas
	for pi := range cl.Pools {
		all += cl.Pools[pi].Count
	}
	c.nodes, c.nodes0, c.taints = make([]nodeSpec, 0, all), make([]node, 0, all), make([][]model.Taint, 0, all)
	for pi := range cl.Pools {
		p := &cl.Pools[pi]
		for i := range p.Count {
			n := model.Node{Pool: p.Name, Allocatable: p.Allocatable, Labels: p.Labels, Taints: p.Taints,
				Kubelet: p.Kubelet, KubeProxy: p.KubeProxy, Ready: true}
			if len(p.Zones) > 0 {
				n.Zone = p.Zones[i%len(p.Zones)]
			}
			c.addNode(&n, int32(pi), int32(i), false)
		}
	}
	for i := range cl.Nodes {
		if !cl.Nodes[i].IsControlPlane() {
			c.addNode(&cl.Nodes[i], none, 0, false)
		}
	}
	c.workers = int32(len(c.nodes))
	if !cl.ControlPlane.Managed {
		c.controlPlaneNodes()
	}
	c.registerVersions()
	c.twins()
	c.extraNodes()
}

// controlPlaneNodes numbers the scenario's own control-plane nodes, or makes cp-1 … as kubeadm does.
func (c *compiler) controlPlaneNodes() {
	cl := &c.scenario.Cluster
	c.firstCP = c.workers
	for i := range cl.Nodes {
		if cl.Nodes[i].IsControlPlane() {
			n := cl.Nodes[i]
			c.addNode(&n, none, 0, true)
		}
	}
	if int32(len(c.nodes)) > c.workers {
		return
	}
	for i := range cl.ControlPlane.Replicas {
		n := model.Node{Name: "cp-" + strconv.Itoa(i+1), Kubelet: cl.Version, KubeProxy: cl.Version, Ready: true,
			Labels:      map[string]string{model.LabelControlPlane: ""},
			Taints:      []model.Taint{{Key: model.LabelControlPlane, Effect: model.NoSchedule}},
			Allocatable: model.Resources{CPU: 4000, Memory: 16 << 30, Pods: model.DefaultPodsPerNode}}
		c.addNode(&n, none, 0, true)
	}
}

// twins gives each worker a node that may take its place: where a strategy
// brings new nodes, if only for one whose drain failed, a worker and its twin OLD-new replace each other.
func (c *compiler) twins() {
	if slices.ContainsFunc(c.stages, func(s model.Stage) bool { return s.MayBringNodes() }) {
		c.twinsOf(0, c.workers)
	}
	if c.replacesMachines() {
		c.twinsOf(c.firstCP, min(c.firstCP+int32(c.instances()), int32(len(c.nodes))))
	}
}

// twinsOf gives the nodes from one to another theirs.
func (c *compiler) twinsOf(from, to int32) {
	size := int(to - from)
	c.nodes, c.nodes0, c.taints = slices.Grow(c.nodes, size), slices.Grow(c.nodes0, size), slices.Grow(c.taints, size)
	for i := from; i < to; i++ {
		id := c.addAbsent(i, c.nodeName(i)+model.NewNodeSuffix)
		c.nodes[id].twin, c.nodes[i].twin = i, id
	}
}

// extraNodes gives the stages that have them their extra nodes: in turn in each
// zone that the stage's nodes lie in or their pool is given, like the first of these. A stage that has a turn of its own
// in several phases has the same extra nodes in each; the last phase, with all nodes, says which.
func (c *compiler) extraNodes() {
	c.extras = make([][]int32, len(c.stages))
	if !slices.ContainsFunc(c.stages, func(s model.Stage) bool { return s.Buffers() }) {
		return
	}
	last := make(map[string]int) // by name: the stage of a later phase
	left := newLeftover(c.withinLimit())
	for _, k := range c.stagesByPhase() {
		s := &c.stages[k]
		mine := c.pickLeft(left, s, c.scenario.Seed)
		if !s.Buffers() {
			continue
		}
		if j, ok := last[s.Name]; ok && s.Phase != 0 {
			c.extras[k] = slices.Clip(c.extras[j])
		}
		last[s.Name] = k
		if len(mine) == 0 {
			continue
		}
		spots := c.spotsOf(s, mine)
		number, extra := 0, resolve(s, int(c.workers), len(mine), len(spots)).extra
		if len(c.nodes)+extra > 2*model.MaxNodesPerCluster {
			c.tooMany = fmt.Errorf("stage %s has %d extra nodes, with which there are more than the %d nodes that can be simulated; lower maxSurge", s.Name, extra, 2*model.MaxNodesPerCluster)
			return
		}
		for i := len(c.extras[k]); i < extra; i++ {
			n := spots[i%len(spots)].like
			base := "surge"
			if p := c.nodes[n].poolName; p != "" {
				base = p + "-surge"
			}
			var name string
			for taken := true; taken; _, taken = c.ids()[name] {
				number++
				name = fmt.Sprintf("%s-%d", base, number)
			}
			id := c.addAbsent(n, name)
			c.nodes[id].extra = true
			if zone := spots[i%len(spots)].zone; zone != "" {
				c.nodes[id].zone = c.domain(topoZone, zone)
				c.nodes0[id].zone = c.nodes[id].zone
			}
			c.extras[k] = append(c.extras[k], id)
		}
	}
}

// stagesByPhase are the stages' numbers, those of later phases first.
func (c *compiler) stagesByPhase() []int {
	order := make([]int, len(c.stages))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.stages[b].Phase, c.stages[a].Phase) })
	return order
}

// addAbsent adds a node like another one, which is not there yet.
func (c *compiler) addAbsent(like int32, name string) int32 {
	id := int32(len(c.nodes))
	s, st := c.nodes[like], c.nodes0[like]
	s.name, s.cordoned, s.twin = name, false, none
	st.flags, st.taints = nodeRemoved, 0
	c.nodes = append(c.nodes, s)
	c.nodes0 = append(c.nodes0, st)
	c.taints = append(c.taints, c.taints[like])
	if c.nodeID != nil {
		c.nodeID[name] = id
	}
	return id
}

func (c *compiler) addNode(n *model.Node, pool, number int32, cp bool) {
	id := int32(len(c.nodes))
	s := nodeSpec{name: n.Name, pool: pool, number: number, poolName: n.Pool, cordoned: n.Unschedulable,
		zone: none, labels: n.Labels, other: n.Allocatable.Other, cp: cp, twin: none}
	if cp {
		s.poolName = model.PoolControlPlane
	}
	zone := n.Zone
	if zone == "" {
		zone = n.Labels[model.LabelZone]
	}
	c.nodes = append(c.nodes, s)
	if zone != "" {
		c.nodes[id].zone = c.domain(topoZone, zone)
	}
	st := node{cpu: n.Allocatable.CPU, memory: n.Allocatable.Memory, maxPods: int32(min(n.Allocatable.Pods, math.MaxInt32)), zone: c.nodes[id].zone,
		ticket: none, kubelet: c.versionID(n.Kubelet), proxy: c.versionID(n.KubeProxy)}
	if n.Unschedulable {
		st.flags |= nodeUnschedulable
		st.taints |= taintUnschedulable
	}
	if n.Ready {
		st.flags |= nodeReady
	} else {
		st.flags |= nodeSilent
		st.taints |= taintNotReady
	}
	c.nodes0 = append(c.nodes0, st)
	c.taints = append(c.taints, n.Taints)
}

// ids are the nodes by name.
func (c *compiler) ids() map[string]int32 {
	if c.nodeID == nil {
		c.nodeID = make(map[string]int32, len(c.nodes))
		for i := range int32(len(c.nodes)) {
			c.nodeID[c.nodeName(i)] = i
		}
	}
	return c.nodeID
}

// nodeLabel is the value of a label that selectors may ask for.
func (w *World) nodeLabel(i int32, key string) (string, bool) {
	s := &w.nodes[i]
	switch key {
	case model.LabelHostname:
		if v, ok := s.labels[key]; ok && s.twin == none && !s.extra {
			return v, true
		}
		return w.nodeName(i), true
	case model.LabelZone:
		if s.zone != none {
			return w.topo[topoZone].domains[s.zone], true
		}
	}
	v, ok := s.labels[key]
	return v, ok
}

// nodeLabels are a node's labels with those that Kubernetes adds.
func (w *World) nodeLabels(n int32) labels.Set {
	set := labels.Set{}
	for k, v := range w.nodes[n].labels {
		set[k] = v
	}
	for _, k := range []string{model.LabelHostname, model.LabelZone} {
		if v, ok := w.nodeLabel(n, k); ok {
			set[k] = v
		}
	}
	return set
}

// domain gives the id of a topology's value.
func (c *compiler) domain(topo int32, value string) int32 {
	t := &c.topo[topo]
	for i, d := range t.domains {
		if d == value {
			return int32(i)
		}
	}
	t.domains = append(t.domains, value)
	return int32(len(t.domains) - 1)
}

// topologyOf gives the id of a label key, with the domain of each node.
func (c *compiler) topologyOf(key string) int32 {
	id, ok := c.topoOf[key]
	if !ok {
		id = int32(len(c.topo))
		c.topo = append(c.topo, topology{key: key})
		c.topoOf[key] = id
	}
	t := &c.topo[id]
	if id == topoHost || t.of != nil {
		return id
	}
	of := make([]int32, len(c.nodes))
	seen := make(map[string]int32)
	for d, v := range t.domains {
		seen[v] = int32(d)
	}
	for i := range of {
		of[i] = none
		if v, ok := c.nodeLabel(int32(i), key); ok {
			d, ok := seen[v]
			if !ok {
				d = c.domainNew(id, v)
				seen[v] = d
			}
			of[i] = d
		}
	}
	c.topo[id].of = of
	return id
}

func (c *compiler) domainNew(topo int32, value string) int32 {
	t := &c.topo[topo]
	t.domains = append(t.domains, value)
	return int32(len(t.domains) - 1)
}

func kindOf(k model.Kind) workloadKind {
	switch k {
	case model.StatefulSet, model.Custom:
		return statefulSet
	case model.DaemonSet:
		return daemonSet
	case model.BarePod:
		return barePod
	case model.Static:
		return staticPod
	}
	return replicaSet
}

// compileWorkloads expands entries into workloads and gives each its slots.
func (c *compiler) compileWorkloads() error {
	c.shapeOf = make(map[string]int32)
	c.topologyOf(model.LabelZone)
	entries := c.scenario.Cluster.Workloads
	copies := 0
	for ei := range entries {
		copies += max(1, entries[ei].Count)
	}
	c.workloads = makeHuge[workloadSpec](0, copies)
	for ei := range entries {
		e := &entries[ei]
		shape := c.shape(e)
		base := &entrySpec{entry: int32(ei), kind: kindOf(e.Kind), shape: shape,
			parallel: e.Parallel || e.Kind == model.Custom, grace: e.GracePeriod.Microseconds(), minReady: e.MinReady.Microseconds(),
			quorum: int32(e.Quorum), never: e.NeverReady, probed: e.ReadinessProbe, batch: e.Kind == model.Job, emptyDir: e.EmptyDir, priority: e.Priority, preempts: !e.NeverPreempts,
			startup: &c.World.latencies.startup, shutdown: &c.World.latencies.shutdown,
			spreads: len(e.Spread) == 0 && (e.Kind == model.Deployment || e.Kind == model.ReplicaSet || e.Kind == model.StatefulSet)}
		if base.batch {
			base.backoff = jobBackoffLimit(e)
		}
		if e.Startup != nil {
			base.startup = exactly(e.Startup)
		}
		if e.Shutdown != nil {
			base.shutdown = exactly(e.Shutdown)
		}
		if e.CatchUp != nil {
			base.catchUp = exactly(e.CatchUp)
		}
		if v := e.Volume; v != nil {
			base.volume = volumeAny
			if v.Zonal {
				base.volume |= volumeZonal
			}
			if v.Local {
				base.volume |= volumeLocal
			}
			base.attach, base.detach = exactly(v.Attach), exactly(v.Detach)
		}
		base.tolerates = c.toleration(e)
		switch base.kind {
		case daemonSet:
			base.slots = int32(len(c.nodes))
		case barePod, staticPod:
			base.replicas, base.slots = int32(max(1, e.Replicas)), int32(max(1, e.Replicas))
		default:
			base.replicas = int32(e.Replicas)
			base.slots = max(base.replicas, int32(len(e.Existing)))
		}
		pods := int(base.slots) * max(1, e.Count)
		base.startup.tabulate(pods)
		base.shutdown.tabulate(pods)
		for i := range max(1, e.Count) {
			s := workloadSpec{entrySpec: base, copy: int32(i), slot0: c.slots, budget: none, extras: noExtras}
			if n := c.scenario.Objectives.MinReadyOf(e, i); n != 0 {
				s.extra().objective = int32(n)
			}
			if int64(c.slots)+int64(s.slots) > maxSlots {
				return fmt.Errorf("workload %s brings the cluster over the %d pods that can be simulated", e.Name, maxSlots)
			}
			c.slots += s.slots
			if s.kind == daemonSet {
				c.daemonSets = append(c.daemonSets, int32(len(c.workloads)))
			}
			c.workloads = append(c.workloads, s)
		}
	}
	for i := range c.workloads {
		if s := &c.workloads[i]; s.spreads && s.replicas > c.fewPods() {
			s.extra().hostCount = c.addCounter(counter{topo: topoHost, members: []int32{int32(i)}, live: true})
			c.addCounter(counter{topo: topoZone, members: []int32{int32(i)}, live: true}) // zoneCount
		}
	}
	return nil
}

// extra are the workload's own extras, to change.
func (s *workloadSpec) extra() *extras {
	if s.extras == noExtras {
		own := *noExtras
		s.extras = &own
	}
	return s.extras
}

// fewPods is up to how many pods it is cheaper to walk them than to keep a count by node.
func (c *compiler) fewPods() int32 { return max(64, int32(len(c.nodes))/8) }

// exactly is a sampler of its own for a time that the scenario gives; it gives 0 for none.
func exactly(d *model.Dist) *sampler {
	s := new(sampler)
	if d != nil {
		*s = newSampler(*d)
	}
	return s
}

func (c *compiler) addCounter(k counter) int32 {
	id := int32(len(c.counters))
	c.counters = append(c.counters, k)
	c.cells += int64(c.cellsOf(&k))
	for _, m := range k.members {
		if !k.walked {
			if s := &c.workloads[m]; s.feeds == none {
				s.extra().feeds, c.feeds = int32(len(c.feeds)), append(c.feeds, []int32{id})
			} else {
				c.feeds[s.feeds] = append(c.feeds[s.feeds], id)
			}
		}
	}
	return id
}

// cellsOf is how many domains the counter is kept for.
func (w *World) cellsOf(k *counter) int {
	switch {
	case k.walked:
		return 0
	case k.topo == topoHost:
		return len(w.nodes)
	}
	return len(w.topo[k.topo].domains)
}

// matching lists the workloads of a namespace whose pods the selector selects.
func (c *compiler) matching(namespace string, sel model.LabelSelector) ([]int32, error) {
	m, err := sel.Compile()
	if err != nil {
		return nil, err
	}
	c.index()
	from := c.byName[namespace]
	if len(sel.MatchLabels) > 0 {
		keys := make([]string, 0, len(sel.MatchLabels))
		for k := range sel.MatchLabels {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		from = c.byLabel[namespace+"\x00"+keys[0]+"="+sel.MatchLabels[keys[0]]]
	}
	var out []int32
	for _, i := range from {
		if m.Matches(labels.Set(c.labels[i])) {
			out = append(out, i)
		}
	}
	return out, nil
}

func (c *compiler) index() {
	if c.byLabel != nil {
		return
	}
	c.byLabel, c.byName = make(map[string][]int32), make(map[string][]int32)
	c.labels = make([]map[string]string, len(c.workloads))
	c.alsoBudgets = make(map[int32][]int32)
	for i := range c.workloads {
		e := c.entry(int32(i))
		l := e.CopyLabels(int(c.workloads[i].copy))
		c.labels[i] = l
		c.byName[e.Namespace] = append(c.byName[e.Namespace], int32(i))
		for k, v := range l {
			key := e.Namespace + "\x00" + k + "=" + v
			c.byLabel[key] = append(c.byLabel[key], int32(i))
		}
	}
}

// compileBudgets numbers the budgets, inline ones in workload order first, and finds their members.
func (c *compiler) compileBudgets() {
	all := len(c.scenario.Cluster.Budgets)
	for i := range c.workloads {
		if c.entry(int32(i)).Budget != nil {
			all++
		}
	}
	c.budgets = make([]budgetSpec, 0, all)
	for i := range c.workloads {
		e := c.entry(int32(i))
		if e.Budget == nil {
			continue
		}
		c.addBudget(budgetSpec{spec: e.Budget, inline: int32(i), members: []int32{int32(i)}})
	}
	for i := range c.scenario.Cluster.Budgets {
		b := &c.scenario.Cluster.Budgets[i]
		var members []int32
		if !b.SelectsNothing {
			// The loader has compiled the selector once, so it cannot fail here.
			members, _ = c.matching(b.Namespace, b.Selector)
		}
		c.addBudget(budgetSpec{spec: b, inline: none, members: members})
	}
}

func (c *compiler) addBudget(b budgetSpec) {
	id := int32(len(c.budgets))
	b.scale = len(b.members) > 0
	b.countPods = b.spec.MinAvailable != nil && b.spec.MinAvailable.Type == 0
	own := 0
	for _, m := range b.members {
		if s := &c.workloads[m]; s.budget == none {
			s.budget = id
			own++
		} else {
			s.twoBudget = true // evictions of its pods fail
		}
		e := c.entry(m)
		n, known := ownerScale(e.Kind, e.Replicas)
		b.replicas += int32(n)
		b.scale = b.scale && known
	}
	// A pod's changes have the controller look at the pod's first budget only (getPdbForPod in
	// pkg/controller/disruption/disruption.go), but a budget that it looks at counts all the pods that the budget selects.
	if own > 0 {
		e, d, _ := budgetStatus(b.spec, b.scale, int(b.replicas), 1, 0)
		b.expected, b.desired = int32(e), int32(d)
		for _, m := range b.members {
			s := &c.workloads[m]
			s.podCount = s.podCount || b.countPods
			if s.budget != id {
				c.alsoBudgets[m] = append(c.alsoBudgets[m], id)
			}
		}
	} else {
		b.members, b.countPods = nil, false // it selects nothing, or only pods that another budget has (recorded: h-twopdbs)
	}
	c.budgets = append(c.budgets, b)
}

// key writes a map in a fixed order.
func key(m map[string]string) string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	var b strings.Builder
	for _, k := range ks {
		fmt.Fprintf(&b, "%q=%q,", k, m[k])
	}
	return b.String()
}
