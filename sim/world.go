package sim

import (
	"strconv"

	"upsim/model"
)

// none is the id of nothing, in any field that holds an id.
const none = int32(-1)

// World is a compiled scenario: everything in it has a dense id, and nothing
// in it changes once Compile has returned it, so that it can be run many
// times; only RunLast uses it up. What changes during a run stands in the run's own copies of nodes,
// pods, workloads and budgets.
type World struct {
	scenario *model.Scenario
	upgrade  model.NamedUpgrade
	stages   []model.Stage   // of the strategy, as it expands on this cluster
	extras   [][]int32       // by stage: nodes that stand beside its own while it lasts
	findings []model.Finding // what was known before simulating

	versions  []model.Version // versions[i] is what a uint16 version id means
	rank      []int32         // by version id: its place in their order, equal for versions that compare equal
	minor     []int32         // by version id
	nodes     []nodeSpec
	workloads []workloadSpec
	budgets   []budgetSpec
	// By workload of two budgets: those beside its own that count its pods.
	alsoBudgets map[int32][]int32
	shapes      []shape
	classes     int // of nodes, see classify
	topo        []topology
	counters    []counter
	feeds       [][]int32 // counters of constraints, those that some workload's pods count in
	zoneOf      []uint16  // by node: its zone, the number of zones for nodes without one

	// For the index: the number of zones with that of the nodes without one, as far as it covers them; for each
	// word of a nodeSet and then for each of these the nodes there; and which have nodes.
	zonesIndexed int
	zoneWords    []uint64
	peopled      zoneSet

	within []int32 // see withinLimit
	usedUp bool    // its last run has taken the state
	// The state at the start of the upgrade. It is each World's own, where the rest may be that of others too, see Template.
	nodes0     []node
	pods0      []pod
	on0        [][]int32
	workloads0 []workload
	budgets0   []budget
	counts0    [][]int32 // by counter, then by domain
	liveAt0    []int32
	slotZone0  map[int32]int32
	slotNode0  map[int32]int32
	ports0     map[portOnNode]int32
	usedOther0 map[otherOnNode]int64
	queues0    []shapeQueue
	parked0    []int32 // shapes with parked pods
	whyParked0 map[int32]string
	nextNode0  int

	// honorsTaints: some spread constraint has nodeTaintsPolicy Honor.
	honorsTaints bool
	// Counters of one workload's own pods, as default spreading looks at them, by node and by zone. They are counted
	// when they are needed; those of a big workload have counters of their own.
	ownByNode, ownByZone int32

	lowestPriority int32
	slots          int32 // number of pod slots over all workloads
	daemonSets     []int32
	firstCP        int32 // id of the first control-plane node, behind the workers; none without
	workers        int32 // number of worker nodes
	latencies      latencies
}

// latencies are the assumptions, ready to draw from.
type latencies struct {
	controller, scheduler, request, taint, deletion     latency
	kubectl, kubelet, podsReadyAfterNode                latency
	startup, shutdown                                   sampler
	nodeUpgrade, nodeProvision, nodeDelete              sampler
	etcdBackup, etcdRestart, apiserverRestart           sampler
	etcdCatchUp, etcdRestore                            sampler
	componentRestart, leaderElection, controlPlaneNode  sampler
	deletionPoll, conflictRetry, monitorGrace, tolerate int64
	forceDetach                                         int64
}

// nodeSpec is what stays the same of a node.
type nodeSpec struct {
	name   string // empty for a node of a pool, which is named by pool and number
	pool   int32  // index into the scenario's pools; none for an explicit node
	number int32  // within the pool, from 0
	// poolName is the pool's name as reports show it.
	poolName string
	class    int32 // nodes of a class are equal to every selector, toleration and preference
	zone     int32 // domain of the zone topology; none without a zone
	labels   map[string]string
	other    map[string]int64 // allocatable of extended resources
	cordoned bool             // before the upgrade
	cp       bool             // a control-plane node
	twin     int32            // the worker that takes its place, or whose place it takes; none without
	extra    bool             // it stands beside the others while a stage lasts
}

// node is a node's changing state. Its first line of the processor's cache is what every pod that comes or goes touches.
type node struct {
	cpu, memory         int64 // allocatable, millicores and bytes
	usedCPU, usedMemory int64 // requested by its pods
	nzCPU, nzMemory     int64 // the same, with kube-scheduler's stand-ins for pods that ask for nothing
	pods, maxPods       int32
	class               int32
	flags               nodeFlags
	taints              taintBits
	dirty               bool

	zone    int32
	kubelet uint16
	proxy   uint16
	ticket  int32 // of the upgrade that is under way on it
	notWell int32 // pods on it that are broken
	downAt  int64 // since when its pods' tolerations of its absence run: its NoExecute taint
	upAt    int64 // since when it is Ready with its version
	away    int32 // generation of its absences: cancels events of an earlier one
	stage   int32 // 1 + the stage that it belongs to, 0 for none
	_       [24]byte
}

type nodeFlags uint16

const (
	nodeUnschedulable nodeFlags = 1 << iota // spec.unschedulable
	nodeReady                               // its Ready condition
	nodeRemoved                             // the object is gone
	nodeSilent                              // its kubelet does nothing: pods neither stop nor start
	nodeBusy                                // its upgrade is under way: not being Ready is no surprise
	nodeLost                                // the API server does not support its kubelet
	nodeBad                                 // its kubelet has a bad version that has set in
	nodeFailed                              // it has failed (nodefailure.go)
	nodeExpired                             // its kubelet's certificate has expired (certificates.go)
)

// nodeMute are the reasons for which a node's kubelet does nothing.
const nodeMute = nodeSilent | nodeFailed | nodeExpired

// taintBits are the taints that the node controllers set and take away.
type taintBits uint8

const (
	taintUnschedulable taintBits = 1 << iota // node.kubernetes.io/unschedulable:NoSchedule
	taintNotReady                            // node.kubernetes.io/not-ready or unreachable, NoSchedule
)

// workloadSpec is what stays the same of a workload; two lie in a line of the processor's cache.
type workloadSpec struct {
	*entrySpec
	*extras
	slot0     int32 // its pods' slots are slot0 … slot0+slots-1
	budget    int32 // the first budget that selects its pods, which counts them
	copy      int32 // which of the entry's copies
	twoBudget bool  // a second budget selects its pods: evictions fail
	podCount  bool  // a budget of it counts pod objects
	counted   bool  // some constraint counts its pods
	indexed   bool  // the placement index covers what its pods ask for
}

// extras are what few workloads have. The others share noExtras.
type extras struct {
	hostCount int32        // counter of its own live pods by node, and behind it that by zone, only of a big workload; none otherwise
	objective int32        // least number of ready replicas asked for; 0 means none
	feeds     int32        // index into World.feeds; none for most
	con       *constraints // nil: default spreading only
}

var noExtras = &extras{hostCount: none, feeds: none}

// entrySpec is what all copies of an entry have in common. There are few, so that they stay in the processor's cache.
type entrySpec struct {
	entry    int32 // index into the scenario's workloads
	slots    int32
	shape    int32
	kind     workloadKind
	volume   volumeKind
	never    bool // pods never turn Ready
	probed   bool // pods have a readiness probe
	emptyDir bool
	spreads  bool // pods without constraints of their own get kube-scheduler's default spreading
	parallel bool
	batch    bool // a Job
	preempts bool
	backoff  int32 // of a Job: how many of its pods may fail
	quorum   int32
	replicas int32 // of the scale; of a DaemonSet 0
	priority int32
	startup  *sampler
	shutdown *sampler
	catchUp  *sampler // nil where a Ready member counts for the quorum
	attach   *sampler // of its volume; nil for none
	detach   *sampler
	standing []int32 // where its first pods stand before the upgrade; none where the scheduler says
	grace    int64
	minReady int64

	tolerates int64 // how long its pods tolerate that their node is gone; never means for ever
}

type volumeKind uint8

const (
	volumeZonal volumeKind = 1 << iota
	volumeLocal
	volumeAny
)

// workloadKind groups the kinds by how their controllers behave.
type workloadKind uint8

const (
	replicaSet  workloadKind = iota // Deployment, ReplicaSet, Job: replaced when deletion begins
	statefulSet                     // replaced when the pod is gone; also custom controllers
	daemonSet                       // one pod per node, stays during a drain
	barePod                         // not replaced
	staticPod                       // mirror pod: not evicted, not counted
)

// workload is a workload's changing state. Its first line of the processor's cache is what every move of a pod touches.
type workload struct {
	want      int32 // replicas: of a DaemonSet the nodes it is meant for now
	live      int32 // pod objects that are not terminating
	creating  int32 // replacements that are under way
	ready     int32 // Ready and not terminating
	minReady  int32 // the fewest since the upgrade began
	available int32 // ready for minReadySeconds, and not seen broken
	baseline  int32 // available when the upgrade began
	wellFrom  int32 // see run.wellFrom
	unwell    int32 // the sum of broken, behind and pending
	vacant    int32 // list of slots without a pod, in the order in which they fell vacant
	vacantEnd int32
	breaks    uint16 // the rules that it breaks, as the log has them
	syncing   bool   // an evSync is under way
	dirty     bool
	below     int64 // for how long it has had fewer Ready pods than it wants; while it has, less by the instant at which that began
	*trouble        // nil before the first

	evictions int64
	refused   int64
	moved     int32 // slots whose pod was moved at least once
	maxMoves  int32
	twice     int32 // slots whose pod was moved more than once
	broken    int32 // ready and not working
	seen      int32 // of the broken ones, those that a gate can see
	behind    int32 // ready and not in sync
	pending   int32 // pods that found no node
	waiting   int32 // of these, those that no scheduler has looked at
	_         [16]byte
}

// trouble is what few workloads go through.
type trouble struct {
	preempted   int32 // pods deleted to make room for others
	dataLost    int32
	failures    int32 // of a Job: pods that were deleted
	notBefore   int64 // of a Job: when its controller makes replacements again
	parkedAt    int64 // since when pending > 0
	zero        int64 // for how long it had no Ready pod, as below; and behind the end of the upgrade
	zeroAfter   int64
	pendingTime int64
	pendingMax  int64
	errors      int64
}

// troubled is the workload's trouble, to add to it.
func (wl *workload) troubled() *trouble {
	if wl.trouble == nil {
		wl.trouble = new(trouble)
	}
	return wl.trouble
}

// had is the workload's trouble so far.
func (wl *workload) had() trouble {
	if wl.trouble == nil {
		return trouble{}
	}
	return *wl.trouble
}

// slot is a place in a workload: it outlives the pods that fill it, one after the other.
type slot struct {
	newest int32  // the last pod that was made for it, if that is still there; older ones follow by pod.before
	vacant int32  // the next in the workload's list of vacant ones
	moves  uint16 // how often its pod was moved
	ending uint16 // its pods that stand on a node and terminate
}

// pod is one pod object; two lie in a line of the processor's cache.
type pod struct {
	node     int32
	workload int32
	slot     int32
	before   int32 // the one before it in its slot that is still there; none for almost all
	claim    int32 // the drain that wants it gone
	gen      uint32
	attempt  uint32 // tells the pods of a slot apart, for draws: how often one of them was moved, and above 16 bits how often one was lost
	state    podState
	flags    podFlags
}

type podState uint8

const (
	podFree        podState = iota // no pod: this id is on the free list
	podCreated                     // waits for the scheduler
	podParked                      // found no node
	podStarting                    // bound
	podRunning                     // started
	podTerminating                 // has a deletion timestamp
)

type podFlags uint16

const (
	podReady       podFlags = 1 << iota // Ready condition
	podAvailable                        // counted in workload.available
	podBroken                           // does not work
	podSeen                             // a gate can see that
	podDisrupted                        // in its budget's disruptedPods
	podDeleting                         // its deletion is under way: accepted, not yet visible
	podWaits                            // no scheduler acts
	podInterrupted                      // its node went away while it started
	podSick                             // not Ready because of a bad version
	podNotStarted                       // its phase is Pending for the eviction API
	podDetached                         // its volume was taken from it by force
	podBehind                           // Ready, and its data is not in sync yet
)

// budgetSpec is what stays the same of a budget.
type budgetSpec struct {
	spec      *model.Budget
	inline    int32 // workload of an inline budget; none otherwise
	members   []int32
	replicas  int32 // sum of the scales of the members
	scale     bool  // every member has a scale
	countPods bool  // expectedPods counts pods
	expected  int32 // expectedPods of its status, where that does not count pods
	desired   int32 // desiredHealthy of its status
}

// budget is a budget's changing state: status as last written, and what the
// controller would write now. Its first line of the processor's cache is what every move of a pod touches.
type budget struct {
	// status; desired never changes
	expected, desired, healthy, allowed int32
	version                             uint32 // of the object: a write with an older one conflicts
	// live
	ready     int32 // matching pods that are Ready and not terminating
	disrupted int32 // of these, in disruptedPods
	pods      int32 // all matching pod objects, if expectedPods counts them

	waiting   int32  // claims that are parked on it
	looks     uint32 // of the controller, those to come included
	syncAt    int64  // when the controller writes its status next; never where that is what it would write
	exhausted int64  // for how long it has allowed nothing; while it does so, less by the instant at which that began
	countPods bool
	planned   bool // the next write is an event, see planSync
	shared    bool // several workloads: their floor is checked here
	dirty     bool
	awake     int32 // the claim whose attempt is under way

	start      int32 // ready when the upgrade began
	unready    int32 // parked claims on pods that are not Ready
	belowFloor int64 // time with fewer healthy pods than desired, and since when, while there are
	since      int64
	refused    int64
	*parking   // nil before the first
	_          [24]byte
}

// parking holds the claims that a budget has refused.
type parking struct {
	parked []parkedClaim // those that try again every period
	period int64
	beside []int32 // and those that have another rhythm
}

// topology is a label key whose values are domains.
type topology struct {
	key     string
	domains []string
	// of[node] is the node's domain, none where the label is missing. Nil for the hostname: the domain is the node.
	of []int32
}

// The topologies that every world has.
const (
	topoHost = int32(0)
	topoZone = int32(1)
)

// counter counts the pods of some workloads by domain of a topology.
type counter struct {
	topo    int32
	members []int32 // workloads
	live    bool    // leaves terminating pods out (spreading does, affinity does not)
	// walked: not kept up to date, since walking the few pods is cheaper.
	walked bool
}

type portOnNode struct {
	node int32
	port int32
}

// nodeName is the node's name.
func (w *World) nodeName(i int32) string {
	s := &w.nodes[i]
	if s.name != "" {
		return s.name
	}
	return w.scenario.Cluster.Pools[s.pool].NodeName(int(s.number))
}

// entry is the scenario's workload that w came from.
func (w *World) entry(i int32) *model.Workload {
	return &w.scenario.Cluster.Workloads[w.workloads[i].entry]
}

func (w *World) workloadName(i int32) string {
	return w.entry(i).CopyName(int(w.workloads[i].copy))
}

// workloadSubject is the workload as reports name it: kind/namespace/name.
func (w *World) workloadSubject(i int32) string {
	return w.workloadKind(i) + "/" + w.entry(i).Namespace + "/" + w.workloadName(i)
}

// workloadKind is the kind of the workload as reports name it.
func (w *World) workloadKind(i int32) string {
	e := w.entry(i)
	if e.Kind == model.Custom && e.OwnerKind != "" {
		return e.OwnerKind
	}
	return string(e.Kind)
}

func (w *World) nodeSubject(i int32) string { return "Node/" + w.nodeName(i) }

func (w *World) budgetSubject(i int32) string {
	namespace, name := w.budgetName(i)
	return "PodDisruptionBudget/" + namespace + "/" + name
}

// budgetName is the budget's name; an inline one has its workload's.
func (w *World) budgetName(i int32) (namespace, name string) {
	b := &w.budgets[i]
	if b.inline != none {
		return w.entry(b.inline).Namespace, w.workloadName(b.inline)
	}
	return b.spec.Namespace, b.spec.Name
}

// appendPodName appends a name for the pod in the slot: a StatefulSet's is exact, others are told apart by their slot.
func (w *World) appendPodName(b []byte, workload, slot int32) []byte {
	s := &w.workloads[workload]
	e := w.entry(workload)
	n := int(slot - s.slot0)
	if n < len(e.Existing) && e.Existing[n].Name != "" {
		return append(b, e.Existing[n].Name...)
	}
	b = e.AppendCopyName(b, int(s.copy))
	if s.kind == barePod {
		return b
	}
	return strconv.AppendInt(append(b, '-'), int64(n), 10)
}

func (w *World) podSubject(workload, slot int32) string {
	var room [96]byte // in which most names fit, so that only the text itself is asked for
	b := append(append(append(room[:0], "Pod/"...), w.entry(workload).Namespace...), '/')
	return string(w.appendPodName(b, workload, slot))
}

func (w *World) version(id uint16) model.Version { return w.versions[id] }

// versionIs is the id of a version that Compile has met.
func (w *World) versionIs(v model.Version) uint16 {
	for i, x := range w.versions {
		if x == v {
			return uint16(i)
		}
	}
	panic("sim: version " + v.String() + " was not compiled")
}

// versionIDs are the ids of versions that Compile has met.
func (w *World) versionIDs(vs []model.Version) []uint16 {
	out := make([]uint16, len(vs))
	for i, v := range vs {
		out[i] = w.versionIs(v)
	}
	return out
}

// rankVersions orders the versions once, since comparing two takes long.
func (w *World) rankVersions() {
	w.rank, w.minor = make([]int32, len(w.versions)), make([]int32, len(w.versions))
	for i, v := range w.versions {
		w.minor[i] = int32(v.Minor)
		for _, o := range w.versions {
			if o.Compare(v) < 0 {
				w.rank[i]++
			}
		}
	}
}

// versionID gives the version's id, a new one if it was not met before.
func (w *World) versionID(v model.Version) uint16 {
	for i, x := range w.versions {
		if x == v {
			return uint16(i)
		}
	}
	w.versions = append(w.versions, v)
	return uint16(len(w.versions) - 1)
}

// cpNode is the node of the i-th control-plane instance; none where there is none of ours.
func (w *World) cpNode(i int) int32 {
	if n := w.firstCP + int32(i); w.firstCP != none && int(n) < len(w.nodes) && w.nodes[n].cp {
		return n
	}
	return none
}
