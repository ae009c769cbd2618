package model

import "time"

// FaultKind is the kind of a fault.
type FaultKind string

// The faults that this build simulates.
const (
	NodeDoesNotReturn FaultKind = "nodeDoesNotReturn"
	// ForgottenUncordon: a node is back from its upgrade, and nobody uncordons it.
	ForgottenUncordon       FaultKind = "forgottenUncordon"
	BadVersion              FaultKind = "badVersion"
	ControllerManagerOutage FaultKind = "controllerManagerOutage"
	SchedulerOutage         FaultKind = "schedulerOutage"
	// APIServerOutage: no API server answers, while all else goes on.
	APIServerOutage FaultKind = "apiServerOutage"
	// NodeFailure: the kubelet falls silent.
	NodeFailure FaultKind = "nodeFailure"
	// KubeletCertificates: kubelets have certificates that expire.
	KubeletCertificates FaultKind = "kubeletCertificates"
	// ScaleDown: a cluster-autoscaler removes nodes that nothing needs.
	ScaleDown FaultKind = "scaleDown"
	// SlowImages: pods that start in that time take Factor times as long.
	SlowImages FaultKind = "slowImages"
	// NoCapacity: a new node that is asked for in that time is to be had only afterwards.
	NoCapacity FaultKind = "noCapacity"
)

// BadVersionEffect is what a bad version does to a pod.
type BadVersionEffect string

// The pod turns not Ready, or it stays Ready and does not work.
const (
	EffectNotReady         BadVersionEffect = "notReady"
	EffectBrokenWhileReady BadVersionEffect = "brokenWhileReady"
)

// Fault is something that goes wrong. Which fields count depends on Kind.
type Fault struct {
	Kind FaultKind
	// Nodes it hits, by name or selector. Both empty means every node.
	NodeNames    []string
	NodeSelector *LabelSelector
	// Zone or Pool it hits (some kinds); empty means every one.
	Zone, Pool string
	// Probability is drawn once per node; 1 means certain.
	Probability float64

	// At is when it begins, since the start of the upgrade.
	At time.Duration
	// For is how long a node stays away, or what is wrong lasts; Forever means for good.
	For     time.Duration
	Forever bool

	// Version hits nodes whose kubelet has it: a minor (Version.Patch < 0) or exactly (badVersion).
	Version Version
	// Workloads it hits, by name or selector. Both empty means all.
	WorkloadNames    []string
	WorkloadSelector *LabelSelector
	// Onset is the time after the node is Ready at which pods on it break.
	Onset  time.Duration
	Effect BadVersionEffect
	// Detection is the time after a pod broke until a gate can see it.
	Detection time.Duration

	// Rate is how often a node fails in a day, by chance (nodeFailure).
	Rate float64
	// Validity is how long a certificate is valid, Age how old it is at the start (kubeletCertificates).
	Validity time.Duration
	Age      Dist
	// Unneeded is for how long a node has had nothing to do before it is removed (scaleDown).
	Unneeded time.Duration
	// Factor is by how much pods start more slowly (slowImages).
	Factor float64
	// Extra is how many nodes more than at the start are to be had (noCapacity); nil means that none
	// is, whatever the cluster gives back.
	Extra *int
}

// LastsNoTime reports whether the fault is over as it begins (`for: 0s`).
func (f *Fault) LastsNoTime() bool { return !f.Forever && f.For == 0 }
