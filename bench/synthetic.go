package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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

// Strategies lists the strategies with which a synthetic cluster can be upgraded.
func Strategies() []string {
	return []string{model.StrategyRolling, model.StrategyCanary, model.StrategySurge, model.StrategyBlueGreen}
}

// Synthetic describes a cluster and its upgrade by one minor. The control
// plane is managed and at the target already. Zero fields mean the defaults below.
type Synthetic struct {
	Nodes           int     // default 1000
	PodsPerNode     int     // on average; default 30
	PodsPerWorkload int     // default 10
	Strategy        string  // default rolling
	Variant         Variant // default plain
	Mix             Mix     // default equal
}

const (
	// pools is the number of pools of a cluster that has several: a tenth of the nodes each.
	pools = 10
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

// Scenario is what YAML describes, loaded. It fails on numbers that cannot be simulated.
func (s Synthetic) Scenario() (*model.Scenario, error) {
	text, err := s.YAML()
	if err != nil {
		return nil, err
	}
	list, faults := model.Decode(s.Name()+".yaml", text, nil)
	if len(faults) > 0 {
		return nil, fmt.Errorf("the synthetic scenario is no scenario: %w", faults)
	}
	return list[0], nil
}

// Name says what the cluster is and how it is upgraded.
func (s Synthetic) Name() string {
	s = s.withDefaults()
	return strings.ToLower(fmt.Sprintf("synthetic-%s-%s-%s-%d-nodes-%d-pods", s.Mix, s.Variant, s.Strategy, s.Nodes, s.Pods()))
}

// Pods is how many pods the cluster has.
func (s Synthetic) Pods() int {
	s = s.withDefaults()
	return s.Nodes * s.PodsPerNode
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
	if s.Strategy == "" {
		s.Strategy = model.StrategyRolling
	}
	if s.Variant == "" {
		s.Variant = Plain
	}
	if s.Mix == "" {
		s.Mix = Equal
	}
	return s
}

// validate refuses what cannot be simulated. Zero fields have their defaults by now.
func (s Synthetic) validate() error {
	switch {
	case s.Nodes < 1 || s.PodsPerNode < 1 || s.PodsPerWorkload < 1:
		return errors.New("a synthetic cluster needs at least one node, one pod a node and one pod a workload")
	case s.Nodes > model.MaxNodesPerCluster:
		return fmt.Errorf("%d nodes are more than a cluster may have (%d)", s.Nodes, model.MaxNodesPerCluster)
	case s.PodsPerNode > model.MaxReplicasPerCluster/s.Nodes:
		return fmt.Errorf("%d pods on each of %d nodes are more than a cluster may have (%d)", s.PodsPerNode, s.Nodes, model.MaxReplicasPerCluster)
	case s.Variant == AntiAffinity && s.PodsPerWorkload >= s.Nodes:
		return fmt.Errorf("%d pods that must not share a node need more than %d nodes", s.PodsPerWorkload, s.Nodes)
	}
	return errors.Join(oneOf("strategy", s.Strategy, Strategies()), oneOf("variant", s.Variant, Variants()), oneOf("mix", s.Mix, Mixes()))
}

func oneOf[T ~string](what string, word T, known []T) error {
	if slices.Contains(known, word) {
		return nil
	}
	return fmt.Errorf("%q is no %s of a synthetic cluster; there are %v", word, what, known)
}
