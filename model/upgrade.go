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
}

// ControlPlaneUpgrade is the procedure on the control plane.
type ControlPlaneUpgrade struct {
	// Skip: the control plane is not touched; it must already be at the target.
	Skip bool
	// Backup: an etcd snapshot is taken before each minor.
	Backup bool
	// Order names control-plane nodes; the others follow by number.
	Order []string
	// APIServerDowntime is how long an instance's API server is out; nil means the assumption apiserverRestart.
	APIServerDowntime *Dist
	// PerNode is how long a control-plane node's kubelet upgrade takes; nil means the assumption nodeUpgrade.
	PerNode *Dist
}

// Hops says when worker nodes follow the control plane over several minors.
type Hops string

// The two ways: at every minor, or only when the skew would otherwise break and at the end.
const (
	HopsFinal Hops = "final"
	HopsEach  Hops = "each"
)

// Slots says how a free place among maxUnavailable is filled again.
type Slots string

// Window refills as one node ends; barrier waits for the whole batch.
const (
	SlotsWindow  Slots = "window"
	SlotsBarrier Slots = "barrier"
)

// NodeUpgrade is the strategy for the worker nodes as the file gives it.
// Expand turns it into stages.
type NodeUpgrade struct {
	Strategy       string
	MaxUnavailable intstr.IntOrString
	MaxSurge       intstr.IntOrString
	Slots          Slots
	// Order names nodes; the others follow by pool, then name in natural order.
	Order []string
	// Limit is the number of nodes to upgrade; 0 means all.
	Limit       int
	CordonAll   bool
	SoakPerNode time.Duration
	Soak        time.Duration
	Drain       Drain
	Hops        Hops
	Stages      []Stage

	// Of blueGreen: how many old nodes are drained at once, the wait after each
	// such batch, and the wait after the last before the old nodes are removed.
	Batch               intstr.IntOrString
	BatchSoak, PoolSoak time.Duration
}

// Replace says how a node gets to the new version.
type Replace string

// The ways: the node itself is upgraded; a new one comes first and the old one
// goes; or a whole second set comes first.
const (
	ReplaceInPlace   Replace = "inPlace"
	ReplaceSurge     Replace = "surge"
	ReplaceBlueGreen Replace = "blueGreen"
)

// Stage is one step of a strategy: which nodes, how many at once, and what
// must hold before going on.
type Stage struct {
	Name  string
	Nodes NodeSet
	// MaxUnavailable nodes are worked on at once; a percentage is of all workers, rounded down, at least 1.
	MaxUnavailable intstr.IntOrString
	Replace        Replace
	// MaxSurge new nodes come at once where Replace is surge; a percentage is of all workers, rounded up.
	MaxSurge    intstr.IntOrString
	Slots       Slots
	CordonAll   bool
	Drain       Drain
	SoakPerNode time.Duration
	Soak        time.Duration
	// Of blueGreen, as in NodeUpgrade; MaxUnavailable is the batch.
	BatchSoak, PoolSoak time.Duration
	Gate                *Gate
	OnFailure           OnGateFailure
}

// NewNodes reports whether the stage brings new nodes in place of old ones.
func (s *Stage) NewNodes() bool {
	return s.Replace == ReplaceSurge || s.Replace == ReplaceBlueGreen
}

// NodeSet picks nodes of those that no earlier stage has picked, in upgrade order.
// At most one of Count, Percent, Selector and Names is set; none means all that are left.
type NodeSet struct {
	Count    int
	Percent  int // of all worker nodes, rounded up
	Selector *LabelSelector
	Names    []string
}

// Gate is what must hold after a stage's soak for the next stage to start.
type Gate struct {
	// NodesReady: every node of the stage is Ready.
	NodesReady bool
	// WorkloadsAvailable: no workload has fewer available (Ready for minReadySeconds, and working) replicas than
	// when the upgrade began.
	WorkloadsAvailable bool
	// Timeout is how long the gate may wait for these to hold.
	Timeout time.Duration
}

// OnGateFailure says what follows a gate that did not hold in time.
type OnGateFailure string

// The reactions to a failed gate that this build simulates.
const (
	GateAbort OnGateFailure = "abort"
	GatePause OnGateFailure = "pause"
)
