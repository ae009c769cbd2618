package model

import (
	"fmt"
	"slices"
)

// Expand is the strategy as the list of stages that the simulation carries
// out on the cluster. All that is left of the nodes is in the last stage of every
// strategy but custom, which has the stages that the scenario gives and no more.
func (n *NodeUpgrade) Expand(c *Cluster) []Stage {
	switch n.Strategy {
	case StrategyCanary:
		return n.canary()
	case StrategyCustom:
		return slices.Clone(n.Stages)
	case StrategyWaves:
		return n.waves(c)
	}
	switch n.Pools {
	case PoolsSequential:
		return n.poolStages(c, false)
	case PoolsParallel:
		return n.poolStages(c, true)
	}
	return []Stage{n.stage("nodes", NodeSet{})}
}

// stage is a stage of those nodes with what upgrade.nodes says.
func (n *NodeUpgrade) stage(name string, nodes NodeSet) Stage {
	return Stage{Name: name, Nodes: nodes, Procedure: n.Procedure, OnFailure: GateAbort}
}

// poolStages are a stage for each pool, and one for nodes without.
func (n *NodeUpgrade) poolStages(c *Cluster, beside bool) []Stage {
	var stages []Stage
	for _, pool := range c.poolNames() {
		stages = append(stages, n.stage(pool, NodeSet{Pool: pool}))
	}
	if len(stages) == 0 || slices.ContainsFunc(c.Nodes, func(x Node) bool { return x.Pool == "" && !x.IsControlPlane() }) {
		stages = append(stages, n.stage(unusedName("nodes", stages), NodeSet{}))
	}
	for i := range stages[1:] {
		stages[i+1].Beside = beside
	}
	return stages
}

// waves are the stages that the file gives; or one for each value of the wave
// label, in natural order, and one for nodes without it; or one for each pool.
func (n *NodeUpgrade) waves(c *Cluster) []Stage {
	switch {
	case len(n.Stages) > 0:
		return n.withRest(slices.Clone(n.Stages))
	case n.WaveLabel == "":
		return n.poolStages(c, false)
	}
	var stages []Stage
	for _, value := range c.labelValues(n.WaveLabel) {
		name := value
		if name == "" {
			name = "empty" // a label's value may be
		}
		stages = append(stages, n.stage(unusedName(name, stages), NodeSet{Selector: &LabelSelector{MatchLabels: map[string]string{n.WaveLabel: value}}}))
	}
	return n.withRest(stages)
}

// withRest adds a stage for the nodes that no other takes, where there may be some.
func (n *NodeUpgrade) withRest(stages []Stage) []Stage {
	if slices.ContainsFunc(stages, func(s Stage) bool { return s.Nodes.All() }) {
		return stages
	}
	return append(stages, n.stage(unusedName("rest", stages), NodeSet{}))
}

// unusedName is the name, with a number where a stage has it already.
func unusedName(name string, stages []Stage) string {
	taken := func(s string) bool { return slices.ContainsFunc(stages, func(x Stage) bool { return x.Name == s }) }
	unused := name
	for i := 2; taken(unused); i++ {
		unused = fmt.Sprintf("%s-%d", name, i)
	}
	return unused
}

// defaultCanary is one node that is watched for a while, and then the others.
func (n *NodeUpgrade) defaultCanary() []Stage {
	first := n.stage("canary", NodeSet{Count: 1})
	if first.Soak == 0 {
		first.Soak = DefaultCanarySoak
	}
	return []Stage{first, n.stage("rest", NodeSet{})}
}

// canary has a gate after every stage but the last, and a last stage for the nodes that no other takes.
func (n *NodeUpgrade) canary() []Stage {
	stages := slices.Clone(n.Stages)
	if len(stages) == 0 {
		stages = n.defaultCanary()
	}
	stages = n.withRest(stages)
	for i := range stages[:len(stages)-1] {
		if stages[i].Gate == nil {
			gate := DefaultGate()
			stages[i].Gate = &gate
		}
	}
	return stages
}

// All reports whether the set takes every node that is left.
func (s NodeSet) All() bool {
	return s.Pool == "" && s.Count == 0 && s.Selector == nil && len(s.Names) == 0 && (s.Percent == 0 || s.Percent == 100)
}
