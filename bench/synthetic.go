package bench

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// Variant is what makes a synthetic cluster hard.
type Variant string

// The variants. Plain has nothing but resources and budgets.
const (
	Plain Variant = "plain"
	// ZoneSpread: every workload spreads over the zones, DoNotSchedule, maxSkew 1.
	ZoneSpread Variant = "zone-spread"
	// AntiAffinity: no two pods of a workload on one node, required.
	AntiAffinity Variant = "anti-affinity"
	// Contended: ten pools, all nodes of a pool at once, and budgets that let one pod go.
	Contended Variant = "contended"
)

// Variants lists them all.
func Variants() []Variant { return []Variant{Plain, ZoneSpread, AntiAffinity, Contended} }

// Synthetic describes a cluster of equal nodes and equal workloads, to be
// upgraded by one minor. The control plane is managed and at the target
// already. Zero fields mean the defaults below.
type Synthetic struct {
	Nodes           int // default 1000
	PodsPerNode     int // default 30
	PodsPerWorkload int // default 10
	Variant         Variant
}

// What every synthetic cluster has.
const (
	// podCPU and podMemory are what a pod requests, in millicores and bytes.
	podCPU    = 100
	podMemory = 128 << 20
	// sparePercent of what the pods request is free besides, on every node.
	sparePercent = 25
	// contendedPools is the number of pools of the contended variant: a tenth of the nodes goes at once.
	contendedPools = 10
	// leastControllerQPS, which is its burst too, is that with which Kubernetes validates
	// its releases on 5,000 nodes (--kube-api-qps=100 --kube-api-burst=100 of
	// kube-controller-manager); with the defaults of 20 and 30 the replacement
	// of pods is what limits a cluster of this size. A larger one has one request a
	// second for each nodesPerQPS nodes, the same share: GKE has shown 1,000 pods a second on 130,000 nodes.
	leastControllerQPS = 100
	nodesPerQPS        = 50
)

var (
	syntheticFrom = model.Version{Major: 1, Minor: 33, Patch: 9}
	syntheticTo   = model.Version{Major: 1, Minor: 34, Patch: 4}
)

// Scenario builds the scenario: pools with three zones, Deployments as one
// entry with a count, each with a budget that lets 10 % of its pods go, and a
// rolling upgrade of 1 % of the nodes at once. Startup is lognormal with a
// median of 10 s, every other assumption has its default but for the limits of
// the controllers. It fails on numbers that cannot be simulated.
func (s Synthetic) Scenario() (*model.Scenario, error) {
	s = s.withDefaults()
	pods := s.Nodes * s.PodsPerNode
	switch {
	case s.Nodes < 1 || s.PodsPerNode < 1 || s.PodsPerWorkload < 1:
		return nil, errors.New("a synthetic cluster needs at least one node, one pod a node and one pod a workload")
	case s.Nodes > model.MaxNodesPerCluster:
		return nil, fmt.Errorf("%d nodes are more than a cluster may have (%d)", s.Nodes, model.MaxNodesPerCluster)
	case s.PodsPerNode > model.MaxReplicasPerCluster/s.Nodes:
		return nil, fmt.Errorf("%d pods on each of %d nodes are more than a cluster may have (%d)", s.PodsPerNode, s.Nodes, model.MaxReplicasPerCluster)
	case s.Variant == AntiAffinity && s.PodsPerWorkload >= s.Nodes:
		return nil, fmt.Errorf("%d pods that must not share a node need more than %d nodes", s.PodsPerWorkload, s.Nodes)
	}
	switch s.Variant {
	case Plain, ZoneSpread, AntiAffinity, Contended:
	default:
		return nil, fmt.Errorf("%q is no variant of a synthetic cluster; there are %v", s.Variant, Variants())
	}

	a := model.DefaultAssumptions()
	a.Startup = model.LogNormalDist(10*time.Second, 60*time.Second)
	qps := max(leastControllerQPS, s.Nodes/nodesPerQPS)
	a.ControllerQPS, a.ControllerBurst = float64(qps), qps
	return &model.Scenario{
		Document: 1,
		Name:     fmt.Sprintf("synthetic-%s-%d-nodes-%d-pods", s.Variant, s.Nodes, pods),
		Cluster: model.Cluster{
			Version:      syntheticTo,
			ControlPlane: managedControlPlane(),
			Pools:        s.pools(),
			Workloads:    s.workloads(pods),
		},
		Upgrade: model.Upgrade{
			To:           syntheticTo,
			ControlPlane: model.ControlPlaneUpgrade{Skip: true},
			Nodes:        s.strategy(),
		},
		Assumptions: a,
		Seed:        1,
	}, nil
}

func (s Synthetic) withDefaults() Synthetic {
	set := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	set(&s.Nodes, 1000)
	set(&s.PodsPerNode, 30)
	set(&s.PodsPerWorkload, 10)
	if s.Variant == "" {
		s.Variant = Plain
	}
	return s
}

// pools are one, or ten that differ by at most one node.
func (s Synthetic) pools() []model.NodePool {
	count := 1
	if s.Variant == Contended {
		count = min(contendedPools, s.Nodes)
	}
	pools := make([]model.NodePool, count)
	for i := range pools {
		pools[i] = model.NodePool{
			Name:  fmt.Sprintf("pool%02d", i+1),
			Count: s.Nodes*(i+1)/count - s.Nodes*i/count,
			Zones: []string{"a", "b", "c"},
			Allocatable: model.Resources{
				CPU:    withSpare(int64(s.PodsPerNode)) * podCPU,
				Memory: withSpare(int64(s.PodsPerNode)) * podMemory,
				Pods:   max(model.DefaultPodsPerNode, withSpare(int64(s.PodsPerNode))),
			},
			Kubelet:   syntheticFrom,
			KubeProxy: syntheticFrom,
		}
	}
	return pools
}

// withSpare is the number of pods for which a node has room that is meant for n.
func withSpare(n int64) int64 { return (n*(100+sparePercent) + 99) / 100 }

// workloads are as many full ones as there are pods for, and one with the rest.
func (s Synthetic) workloads(pods int) []model.Workload {
	var list []model.Workload
	if full := pods / s.PodsPerWorkload; full > 0 {
		list = append(list, s.workload("app", full, s.PodsPerWorkload))
	}
	if rest := pods % s.PodsPerWorkload; rest > 0 {
		list = append(list, s.workload("rest", 1, rest))
	}
	return list
}

func (s Synthetic) workload(name string, count, replicas int) model.Workload {
	allowed := intstr.FromString("10%")
	if s.Variant == Contended {
		allowed = intstr.FromInt32(1)
	}
	w := model.Workload{
		Name: name, Namespace: model.DefaultNamespace, Kind: model.Deployment, Count: count, Replicas: replicas,
		Requests:    model.Resources{CPU: podCPU, Memory: podMemory},
		GracePeriod: model.DefaultGracePeriod,
		Budget:      &model.Budget{Name: name, Namespace: model.DefaultNamespace, MaxUnavailable: &allowed},
	}
	switch s.Variant {
	case ZoneSpread:
		w.Spread = []model.SpreadConstraint{{TopologyKey: model.LabelZone, MaxSkew: 1, DoNotSchedule: true}}
	case AntiAffinity:
		w.AntiAffinity.Required = []model.PodTerm{{TopologyKey: model.LabelHostname}}
	}
	return w
}

// strategy is the upgrade of the nodes. Pools are upgraded in their order, so
// batches of a tenth are the ten pools, one after another, where the nodes are a
// multiple of ten.
func (s Synthetic) strategy() model.NodeUpgrade {
	up := model.DefaultNodeUpgrade()
	up.MaxUnavailable = intstr.FromString("1%")
	if s.Variant == Contended {
		up.MaxUnavailable, up.Slots = intstr.FromString("10%"), model.SlotsBarrier
	}
	return up
}

func managedControlPlane() model.ControlPlane {
	cp := model.ControlPlane{Replicas: 3, Etcd: model.EtcdStacked, Managed: true}
	for range cp.Replicas {
		cp.APIServer = append(cp.APIServer, syntheticTo)
		cp.ControllerManager = append(cp.ControllerManager, syntheticTo)
		cp.Scheduler = append(cp.Scheduler, syntheticTo)
	}
	return cp
}
