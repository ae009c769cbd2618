package model

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Expand is the strategy as the list of stages that the simulation carries
// out. All that is left of the nodes is in the last stage of every strategy
// but custom, which has the stages that the scenario gives and no more.
func (n NodeUpgrade) Expand() []Stage {
	switch n.Strategy {
	case StrategyCanary:
		return n.canary()
	case StrategyCustom:
		return slices.Clone(n.Stages)
	case StrategyAllAtOnce:
		s := n.stage("nodes", NodeSet{})
		s.MaxUnavailable = intstr.FromString("100%")
		return []Stage{s}
	}
	s := n.stage("nodes", NodeSet{})
	switch n.Strategy {
	case StrategySurge:
		s.Replace = ReplaceSurge
	case StrategyBlueGreen:
		s.Replace, s.Slots, s.MaxUnavailable = ReplaceBlueGreen, SlotsBarrier, n.Batch
		s.BatchSoak, s.PoolSoak = n.BatchSoak, n.PoolSoak
	}
	return []Stage{s}
}

// stage is a stage of those nodes with what upgrade.nodes says.
func (n NodeUpgrade) stage(name string, nodes NodeSet) Stage {
	return Stage{
		Name:           name,
		Nodes:          nodes,
		MaxUnavailable: n.MaxUnavailable,
		Replace:        ReplaceInPlace,
		MaxSurge:       n.MaxSurge,
		Slots:          n.Slots,
		CordonAll:      n.CordonAll,
		Drain:          n.Drain,
		SoakPerNode:    n.SoakPerNode,
		Soak:           n.Soak,
		OnFailure:      GateAbort,
	}
}

// defaultCanary is one node that is watched for a while, and then the others.
func (n NodeUpgrade) defaultCanary() []Stage {
	first := n.stage("canary", NodeSet{Count: 1})
	if first.Soak == 0 {
		first.Soak = DefaultCanarySoak
	}
	return []Stage{first, n.stage("rest", NodeSet{})}
}

// canary has a gate after every stage but the last, and a last stage for the nodes that no other takes.
func (n NodeUpgrade) canary() []Stage {
	stages := slices.Clone(n.Stages)
	if len(stages) == 0 {
		stages = n.defaultCanary()
	}
	if !slices.ContainsFunc(stages, func(s Stage) bool { return s.Nodes.all() }) {
		name := "rest"
		for i := 2; slices.ContainsFunc(stages, func(s Stage) bool { return s.Name == name }); i++ {
			name = fmt.Sprintf("rest-%d", i)
		}
		stages = append(stages, n.stage(name, NodeSet{}))
	}
	for i := range stages[:len(stages)-1] {
		if stages[i].Gate == nil {
			gate := DefaultGate()
			stages[i].Gate = &gate
		}
	}
	return stages
}

// all reports whether the set takes every node that is left.
func (s NodeSet) all() bool {
	return s.Count == 0 && s.Selector == nil && len(s.Names) == 0 && (s.Percent == 0 || s.Percent == 100)
}
