package model

import "time"

// Kind is the kind of controller that owns a workload's pods.
type Kind string

// The kinds of workload. Custom is a controller that upsim does not know (a
// custom resource): its pods count as managed, without a scale.
const (
	Deployment  Kind = "Deployment"
	ReplicaSet  Kind = "ReplicaSet"
	StatefulSet Kind = "StatefulSet"
	DaemonSet   Kind = "DaemonSet"
	Job         Kind = "Job"
	BarePod     Kind = "Pod"
	Static      Kind = "Static"
	Custom      Kind = "Custom"
)

// Workload is a set of equal pods with one owner.
type Workload struct {
	Name      string
	Namespace string
	Kind      Kind
	// OwnerKind is the owner's own kind where Kind is Custom (for instance StrimziPodSet).
	OwnerKind string
	// Count is the number of copies of this entry, named by CopyName; at least 1.
	Count    int
	Replicas int
	// Labels of the pods. Nil means {app: NAME}, for each copy its own name.
	Labels   map[string]string
	Requests Resources

	// Startup (bound to Ready) and Shutdown (deletion to gone); nil means the assumption of the same name.
	Startup, Shutdown *Dist
	GracePeriod       time.Duration
	MinReady          time.Duration
	NeverReady        bool
	// ReadinessProbe: a container has one, so that the pods are not Ready for a moment after their node's kubelet has started again.
	ReadinessProbe bool
	// Parallel: podManagementPolicy is Parallel; otherwise OrderedReady. Only of a StatefulSet.
	Parallel bool
	// BackoffLimit is how many of a Job's pods may fail, deleted ones among them, before it fails; nil means 6, as in Kubernetes.
	BackoffLimit *int

	NodeSelector map[string]string
	Tolerations  []Toleration
	NodeAffinity NodeAffinity
	PodAffinity  PodAffinity
	AntiAffinity PodAffinity
	Spread       []SpreadConstraint
	HostPorts    []int
	Priority     int32
	// NeverPreempts: preemptionPolicy is Never.
	NeverPreempts bool
	EmptyDir      bool
	Volume        *Volume
	// Budget is the inline budget (its selector is this workload's own pods); nil means none.
	Budget *Budget
	// Placement names the nodes of the first pods, in order; the rest are scheduled.
	Placement []string
	// Existing are pods read from a real cluster; with them, Placement is empty.
	Existing []ExistingPod
	// Quorum is the least number of ready members with which the workload works; 0 means no rule.
	Quorum int
	// CatchUp is the time after a member turns Ready until its data is in sync, so that
	// it counts for the quorum; nil means that a Ready member counts.
	CatchUp *Dist
}

// ExistingPod is a pod as a real cluster reported it.
type ExistingPod struct {
	Name string
	// Node is empty for a pod that waits for one.
	Node  string
	Ready bool
	// Ordinal of a StatefulSet's pod; -1 elsewhere.
	Ordinal int
	// Terminating: it had a deletion timestamp.
	Terminating bool
}

// Volume is the persistent volume that each pod of a workload mounts.
type Volume struct {
	// Zonal: it can be attached only in the zone of the pod's first node.
	Zonal bool
	// Local: it lives on the pod's first node.
	Local bool
	// Attach is added before startup, Detach after the old pod is gone; nil means none.
	Attach, Detach *Dist
}

// NodeAffinity restricts (Required) or prefers (Preferred) nodes by label.
// The terms of Required are alternatives; an empty list asks for nothing.
type NodeAffinity struct {
	Required  []NodeTerm
	Preferred []WeightedNodeTerm
}

// NodeTerm is a list of requirements on node labels that must all hold.
type NodeTerm struct {
	Labels []Requirement
}

// WeightedNodeTerm is a preference with a weight of 1 to 100.
type WeightedNodeTerm struct {
	Weight int
	Term   NodeTerm
}

// PodAffinity attracts a pod to, or (as anti-affinity) keeps it from, domains that hold matching pods.
type PodAffinity struct {
	Required  []PodTerm
	Preferred []WeightedPodTerm
}

// PodTerm selects pods and the label whose values are the domains. A nil
// Selector selects the workload's own pods. Namespaces empty means the workload's own.
type PodTerm struct {
	TopologyKey string
	Selector    *LabelSelector
	Namespaces  []string
}

// WeightedPodTerm is a preference with a weight of 1 to 100.
type WeightedPodTerm struct {
	Weight int
	Term   PodTerm
}

// SpreadConstraint is a topologySpreadConstraint. A nil Selector selects the workload's own pods.
type SpreadConstraint struct {
	TopologyKey string
	MaxSkew     int
	// DoNotSchedule makes it a filter; otherwise (ScheduleAnyway) it is a score.
	DoNotSchedule bool
	Selector      *LabelSelector
	// HonorTaints: nodeTaintsPolicy is Honor; the default is Ignore.
	HonorTaints bool
	// IgnoreAffinity: nodeAffinityPolicy is Ignore; the default is Honor.
	IgnoreAffinity bool
	// MinDomains is the least number of domains; 0 means not set.
	MinDomains int
}
