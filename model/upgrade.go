package model

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Upgrade says what is to happen.
type Upgrade struct {
	To Version
	// Path are the versions that the control plane passes through, the last one being To. The
	// loader fills it minor by minor where the file does not give it.
	Path         []Version
	ControlPlane ControlPlaneUpgrade
	Nodes        NodeUpgrade
	// Windows are when the upgrade may run; none means always.
	Windows []MaintenanceWindow
	// Start is when it is started, in minutes since Monday 0:00; WhenClosed what it does outside a window. Both only with Windows.
	Start      int
	WhenClosed WhenClosed
	// Phases are the parts of the upgrade in their order, where a plan gives them. Without any the simulation lays
	// them out by Path, the skew policy and Nodes.Hops.
	Phases []UpgradePhase
}

// Unlike is the key by which an upgrade is to do more or less than another: the version to reach, how many nodes are meant, or
// whether the control plane is; empty where both are to do the same.
func (u *Upgrade) Unlike(other *Upgrade) string {
	switch {
	case u.To != other.To:
		return "to"
	case u.Nodes.Limit != other.Nodes.Limit:
		return "limit"
	case u.ControlPlane.Skip != other.ControlPlane.Skip:
		return "controlPlane"
	}
	return ""
}

// UpgradePhase is one part of an upgrade: the control plane to a version, or the worker nodes to it.
type UpgradePhase struct {
	ControlPlane bool
	To           Version
}

// ControlPlaneUpgrade is the procedure on the control plane.
type ControlPlaneUpgrade struct {
	// Skip: the control plane is not touched; it must already be at the target.
	Skip bool
	// Backup: an etcd snapshot is taken before each minor.
	Backup bool
	// Order names control-plane nodes; the others follow by number.
	Order []string
	// Kubeadm is the version of the kubeadm that is asked for every step; zero means the one of each step's own version.
	Kubeadm Version
	// APIServerDowntime is how long an instance's API server is out; nil means the assumption apiserverRestart.
	APIServerDowntime *Dist
	// PerNode is how long a control-plane node's kubelet upgrade takes; nil means the assumption nodeUpgrade.
	PerNode *Dist
	// Replace says how an instance gets to the new version: in place, which is the zero value as well, or by a new machine.
	Replace Replace
	// AtOnce is how many instances are worked on at once; 0 means 1.
	AtOnce int
	// Emulation: all instances first run the new version and emulate the old minor; nil means they do not.
	Emulation *Emulation
	// Kubelets says when the kubelets of the control plane's nodes follow: after all instances (the zero
	// value as well), or each with its instance.
	Kubelets KubeletsFollow
	// Workers says whether the workers' stages begin after those kubelets (the zero value as well) or beside them.
	Workers WorkersFollow
	// KubeletEndpoint is the API server that the kubelets of the control plane's nodes talk to; empty
	// means the one beside it on a new machine whose kubelet is at LocalKubeletMinor or newer, any on other nodes.
	KubeletEndpoint KubeletEndpoint

	// Of machines: MaxSurge new ones come before an old one goes, 1 or 0.
	MaxSurge int
	// WaitForCatchUp: before a machine comes or goes, every component has to be well and every etcd member to vote.
	WaitForCatchUp bool
	// KeepEtcdVolume: a new machine gets the volume of the old one's etcd member, and so is that member.
	KeepEtcdVolume bool
}

// Emulation is the step in which new binaries behave as the old minor (KEP-4330).
type Emulation struct {
	// Soak is how long all instances do so.
	Soak time.Duration
	// Gate is what must hold after the soak; if it does not, the old binaries come back. Nil means nothing.
	Gate *EmulationGate
}

// EmulationGate is what must hold for the emulation to end: no workload has fewer available replicas than when the upgrade began.
type EmulationGate struct {
	// Timeout is how long the gate may wait for that.
	Timeout time.Duration
}

// LeastEmulatingMinor is the first minor whose components can emulate an older one
// (https://kubernetes.io/docs/concepts/cluster-administration/compatibility-version).
const LeastEmulatingMinor = 32

// KubeletsFollow says when the kubelets of the control plane's nodes are upgraded.
type KubeletsFollow string

// The two ways: as kubeadm's documents have it, and as kubespray does it, host by host.
const (
	KubeletsAfter KubeletsFollow = "after"
	KubeletsWith  KubeletsFollow = "with"
)

// WorkersFollow says when the workers' stages begin.
type WorkersFollow string

// The two ways: after the control plane's nodes, or beside them, as OpenShift's machine config pools roll.
const (
	WorkersAfter  WorkersFollow = "after"
	WorkersBeside WorkersFollow = "beside"
)

// KubeletEndpoint says which API server a control-plane node's kubelet talks to.
type KubeletEndpoint string

// The load balancer's, which is any of them, or the one on its own node.
const (
	KubeletLoadBalancer KubeletEndpoint = "loadBalancer"
	KubeletLocal        KubeletEndpoint = "local"
)

// LocalKubeletMinor is from which minor on Cluster API has kubeadm point a new machine's kubelet to the API server beside
// it (ControlPlaneKubeletLocalMode: kubernetes-sigs/cluster-api#10947; kubeadm's own default since 1.33, KEP-4471).
const LocalKubeletMinor = 31

// LeastForDeleteFirst is how many instances Cluster API asks for before it lets one go before
// its new machine comes: with three the other two are still a quorum.
const LeastForDeleteFirst = 3

// DefaultControlPlaneUpgrade is the procedure where a scenario says nothing: in place, one instance after another.
func DefaultControlPlaneUpgrade(managed bool) ControlPlaneUpgrade {
	return ControlPlaneUpgrade{Backup: !managed, Replace: ReplaceInPlace, AtOnce: 1, Kubelets: KubeletsAfter, Workers: WorkersAfter, MaxSurge: 1, WaitForCatchUp: true}
}

// Hops says when worker nodes follow the control plane over several minors.
type Hops string

// The two ways: at every minor, or only when the skew would otherwise break and at the end.
const (
	HopsFinal Hops = "final"
	HopsEach  Hops = "each"
)

// Slots says how a free place among those worked on at once is filled again.
type Slots string

// Window refills as one node ends; barrier waits for the whole batch.
const (
	SlotsWindow  Slots = "window"
	SlotsBarrier Slots = "barrier"
)

// CordonScope says which nodes are cordoned, and when.
type CordonScope string

// The scopes: each node as its turn comes, with surge once its new one has
// joined, or before its new one is asked for; or all old nodes of the stage and
// those behind it, once the first new nodes have come or before any is asked for.
const (
	CordonOwn      CordonScope = "own"
	CordonOwnFirst CordonScope = "ownFirst"
	CordonAll      CordonScope = "all"
	CordonAllFirst CordonScope = "allFirst"
)

// NodeOrder says in which order a stage takes its nodes, but for those that `order` names.
type NodeOrder string

// By pool and name; by zone, then name; or by a hash, which stands for a system that promises no order.
const (
	OrderName   NodeOrder = "name"
	OrderZone   NodeOrder = "zone"
	OrderRandom NodeOrder = "random"
)

// PoolOrder says whether the nodes of all pools are one stage, or each pool is one.
type PoolOrder string

// One stage for all; one after another in their order; or all at the same time.
const (
	PoolsTogether   PoolOrder = "together"
	PoolsSequential PoolOrder = "sequential"
	PoolsParallel   PoolOrder = "parallel"
)

// PercentOf says what a percentage of nodes is of.
type PercentOf string

// Of all workers of the cluster, or of the nodes of the stage.
const (
	PercentOfWorkers PercentOf = "workers"
	PercentOfStage   PercentOf = "stage"
)

// Procedure is how the nodes of a stage get to the new version. What a stage
// does not say it has from upgrade.nodes.
type Procedure struct {
	Replace Replace
	// MaxUnavailable nodes are worked on at once; a percentage rounds down, at least to 1.
	MaxUnavailable intstr.IntOrString
	// MaxSurge is how many new nodes come at once before an old one goes; a percentage rounds up.
	// With terminateFirst and reimage they come before the first old node goes, and leave at the end.
	MaxSurge intstr.IntOrString
	// SurgePerZone: MaxSurge is for each zone that the stage has nodes in.
	SurgePerZone bool
	PercentOf    PercentOf
	// AtMost bounds the nodes that are worked on at once; 0 means no bound.
	AtMost    int
	Slots     Slots
	NodeOrder NodeOrder
	Cordon    CordonScope
	// Taint is the effect of a taint on the old nodes of the stage until each is upgraded; empty means none.
	Taint TaintEffect
	Drain Drain
	// FirstAlone: until one node has the new version, one is worked on at a time.
	FirstAlone bool
	// ProvisionTimeout is how long a new node may take to join before the upgrade fails; 0 means no limit.
	ProvisionTimeout time.Duration
	SoakPerNode      time.Duration
	Soak             time.Duration
	// NodeGate is what must hold after each node, before its place is free again; nil means nothing.
	NodeGate *Gate

	// Of blueGreen: how many old nodes are drained at once (a percentage is of the
	// stage's nodes, rounded up), the wait after each such batch, and the wait after
	// the last before the old nodes are removed.
	Batch               intstr.IntOrString
	BatchSoak, PoolSoak time.Duration
}

// NewNodes reports whether new nodes come in place of old ones.
func (p *Procedure) NewNodes() bool {
	switch p.Replace {
	case ReplaceSurge, ReplaceBlueGreen, ReplaceTerminateFirst, ReplaceDetachSurge:
		return true
	}
	return false
}

// MayBringNodes reports whether a new node may come in place of an old one, if only in place of one whose drain failed.
func (p *Procedure) MayBringNodes() bool {
	return p.NewNodes() || p.Drain.OnFailure == DrainDeleteNode
}

// Buffers reports whether extra nodes stand beside the stage's own while it lasts.
func (p *Procedure) Buffers() bool {
	return (p.Replace == ReplaceTerminateFirst || p.Replace == ReplaceReimage) && !isZero(p.MaxSurge)
}

// NodeUpgrade is the strategy for the worker nodes as the file gives it.
// Expand turns it into stages.
type NodeUpgrade struct {
	Strategy string
	Procedure
	// Order names nodes; the others follow as NodeOrder says.
	Order []string
	// Limit is the number of nodes to upgrade; 0 means all.
	Limit int
	Pools PoolOrder
	// Lag names pools that stay behind, until the control plane would get too new for them.
	Lag []string
	// MaxLag is by how many minors nodes may be older than the API servers, where a system allows fewer than the skew policy; 0 means as many as that does.
	MaxLag int
	// WaveLabel is the node label whose values are the waves of the strategy waves; empty means one wave a pool.
	WaveLabel string
	Hops      Hops
	Stages    []Stage
}

// Replace says how a node gets to the new version.
type Replace string

// The ways.
const (
	// ReplaceInPlace upgrades the node itself.
	ReplaceInPlace Replace = "inPlace"
	// ReplaceSurge brings a new node first, then the old one goes.
	ReplaceSurge Replace = "surge"
	// ReplaceTerminateFirst removes the old node, then a new one comes.
	ReplaceTerminateFirst Replace = "terminateFirst"
	// ReplaceReimage upgrades the node itself, with extra nodes beside for as long as the stage lasts.
	ReplaceReimage Replace = "reimage"
	// ReplaceDetachSurge takes the last maxSurge nodes out of their group, which brings new ones for them; the others
	// go before their new ones come, and those that were taken out go last.
	ReplaceDetachSurge Replace = "detachSurge"
	// ReplaceBlueGreen brings a whole second set first.
	ReplaceBlueGreen Replace = "blueGreen"
	// ReplaceMachines is of the control plane only.
	ReplaceMachines Replace = "machines"
)

// Stage is one step of a strategy: which nodes, how each gets to the new
// version, and what must hold before going on.
type Stage struct {
	Name  string
	Nodes NodeSet
	// Phase is the number of the phase, from 1, in which the stage has its turn; 0 means in every node phase.
	Phase int
	// Beside: it starts together with the stage before it.
	Beside bool
	Procedure
	Gate      *Gate
	OnFailure OnGateFailure
}

// NodeSet picks nodes of those that no earlier stage has picked, in upgrade order.
// At most one of Pool, Count, Percent, Selector and Names is set; none means all that are left.
type NodeSet struct {
	Pool     string
	Count    int
	Percent  int // of all worker nodes, rounded up
	Selector *LabelSelector
	Names    []string
	// InOrder: the nodes go in the order of Names, and not in upgrade order.
	InOrder bool
}

// Gate is what must hold after a stage's soak for the next stage to start; of blueGreen after its
// pool soak, for the old nodes to be removed.
type Gate struct {
	// NodesReady: every node of the stage is Ready.
	NodesReady bool
	// WorkloadsAvailable: no workload has fewer available (Ready for minReadySeconds, and working) replicas than
	// when the upgrade began.
	WorkloadsAvailable bool
	// AvailableFor is for how long these must hold without a break, from the moment on at which the gate begins to look.
	AvailableFor time.Duration
	// Timeout is how long the gate may wait for these to hold, AvailableFor included.
	Timeout time.Duration

	// NoRegression: the gate fails at once when, since its stage began, a pod on a node with the new version has turned not
	// Ready by itself, or is seen not to work.
	NoRegression bool
	// ErrorBudget is how much of its replicas' time each workload may lose, from the start of the upgrade on: its replicas
	// that are not Ready, or are seen not to work, over those that it wants. The gate fails at once when it
	// is used up. Nil means no limit. Workloads that serve nobody have none: Jobs and pods without a controller; nor
	// have DaemonSets, whose pods go down with their node by plan.
	ErrorBudget *time.Duration
}

// OnGateFailure says what follows a gate that failed.
type OnGateFailure string

// The reactions to a failed gate.
const (
	GateAbort OnGateFailure = "abort"
	GatePause OnGateFailure = "pause"
	// GateRollback: the nodes that this phase has upgraded go back to the version that they had.
	GateRollback OnGateFailure = "rollback"
	// GateRestore: so, and then the control plane is restored from its snapshot.
	GateRestore OnGateFailure = "restore"
)

// GoesBack reports whether nodes go back to the version that they had.
func (o OnGateFailure) GoesBack() bool { return o == GateRollback || o == GateRestore }
