package model

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Well-known labels and taints, as Kubernetes spells them.
const (
	LabelHostname      = "kubernetes.io/hostname"
	LabelZone          = "topology.kubernetes.io/zone"
	LabelControlPlane  = "node-role.kubernetes.io/control-plane"
	TaintUnschedulable = "node.kubernetes.io/unschedulable"
	TaintNotReady      = "node.kubernetes.io/not-ready"
	// TaintOutdated stands for the taint that systems put on nodes which are still to be upgraded, each under a key of its own.
	TaintOutdated         = "node.upsim/outdated"
	TaintUnreachable      = "node.kubernetes.io/unreachable"
	PoolControlPlane      = "control-plane"
	DefaultNamespace      = "default"
	DefaultPodsPerNode    = 110
	DefaultGracePeriod    = 30 * time.Second
	MaxReplicasPerCluster = 5_000_000
	MaxNodesPerCluster    = 200_000
)

// Cluster is the topology before the upgrade.
type Cluster struct {
	// Version is that of every component and node not given otherwise.
	Version      Version
	ControlPlane ControlPlane
	// Kubectl is the client in use; zero means none was named.
	Kubectl   Version
	Pools     []NodePool
	Nodes     []Node
	Workloads []Workload
	Budgets   []Budget
	// FromFiles: it was read from kubectl output, at least in part, which what a scenario writes overrides by name.
	FromFiles bool
	// Notes are what the reader of a real cluster's output noticed; empty for a
	// written topology. Those of a scenario are in Scenario.Notes.
	Notes []Finding
}

// EtcdPlacement says where the members of etcd run.
type EtcdPlacement string

// The two placements of etcd: a member on each control-plane node, or elsewhere.
const (
	EtcdStacked  EtcdPlacement = "stacked"
	EtcdExternal EtcdPlacement = "external"
)

// ControlPlane describes the API servers and what runs beside them.
type ControlPlane struct {
	// Replicas is the number of API server instances, at least 1.
	Replicas int
	Etcd     EtcdPlacement
	// Managed: run by a provider; no nodes of ours, no etcd of ours.
	Managed bool
	// The versions of each instance; a slice has one entry per instance after
	// defaulting. CloudControllerManager is empty when there is none; Etcd is
	// empty when it was not named.
	APIServer              []Version
	ControllerManager      []Version
	Scheduler              []Version
	CloudControllerManager []Version
	Etcdv                  []Version
	// Inferred tells the instances whose API server's version was taken from elsewhere, a kubelet; nil means none.
	Inferred []bool
}

// NodePool is a set of identical nodes named NAME-1 … NAME-Count, zones round robin.
type NodePool struct {
	Name        string
	Count       int
	Zones       []string
	Allocatable Resources
	Labels      map[string]string
	Taints      []Taint
	Kubelet     Version
	KubeProxy   Version
	// MaxNodes is the pool's quota; 0 means none.
	MaxNodes int
}

// Node is one explicit node.
type Node struct {
	Name          string
	Pool          string
	Zone          string
	Allocatable   Resources
	Labels        map[string]string
	Taints        []Taint
	Kubelet       Version
	KubeProxy     Version
	Unschedulable bool
	Ready         bool
}

// Resources is an amount of each resource. CPU is in millicores, Memory in
// bytes; Pods counts pods (only of a node). Other holds extended resources and
// ephemeral storage in their own unit.
type Resources struct {
	CPU    int64
	Memory int64
	Pods   int64
	Other  map[string]int64
}

// TaintEffect is what a taint does to pods that do not tolerate it.
type TaintEffect string

// The effects of a taint.
const (
	NoSchedule       TaintEffect = "NoSchedule"
	PreferNoSchedule TaintEffect = "PreferNoSchedule"
	NoExecute        TaintEffect = "NoExecute"
)

// Taint keeps pods off a node.
type Taint struct {
	Key, Value string
	Effect     TaintEffect
}

// Toleration lets a pod onto nodes with a matching taint. An empty Key with
// operator Exists matches every taint; an empty Effect matches every effect.
type Toleration struct {
	Key      string
	Operator string // Equal or Exists
	Value    string
	Effect   TaintEffect
	// Seconds bounds how long a NoExecute taint is tolerated; nil means for ever.
	Seconds *int64
}

// Budget is a PodDisruptionBudget. Exactly one of MinAvailable and MaxUnavailable is set.
type Budget struct {
	Name           string
	Namespace      string
	Selector       LabelSelector
	MinAvailable   *intstr.IntOrString
	MaxUnavailable *intstr.IntOrString
	// AlwaysAllow: unhealthyPodEvictionPolicy is AlwaysAllow; otherwise IfHealthyBudget.
	AlwaysAllow bool
	// SelectsNothing: the selector was null, as real files have it; policy/v1 lets it match no pod.
	SelectsNothing bool
}
