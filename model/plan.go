package model

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
)

// KindPlan is the kind of a file that holds a plan.
const KindPlan = "Plan"

// StageLabelKey is the label by which each worker of a plan carries its stage.
const StageLabelKey = "upgrade.upsim/stage"

// Plan is the rollout of one upgrade laid out before it begins: its phases, and
// of each node phase the stages with the nodes that they take.
type Plan struct {
	Scenario string
	// Strategy is the name of the scenario's upgrade that was laid out.
	Strategy string
	From, To Version
	Phases   []PlanPhase
}

// PlanPhase is one part of the upgrade, the stages those of a node phase.
type PlanPhase struct {
	UpgradePhase
	// Stages name their nodes as the cluster has them before the upgrade, in the order in which they are taken.
	Stages []Stage
}

// The words for what a phase of a plan upgrades.
const (
	PhaseControlPlane = "controlPlane"
	PhaseNodes        = "nodes"
)

// StageLabel is the label that the nodes of a stage carry, as key=value. A name
// that is too long for a label's value is cut, and told apart by a hash.
func StageLabel(stage string) string {
	value := stage
	if len(validation.IsValidLabelValue(value)) > 0 {
		h := fnv.New32a()
		h.Write([]byte(stage))
		const hash = len("-01234567")
		value = fmt.Sprintf("%s-%08x", strings.TrimRight(stage[:min(len(stage), validation.LabelValueMaxLength-hash)], "-._"), h.Sum32())
	}
	return StageLabelKey + "=" + value
}

// LabelCommand is the kubectl command that gives a node its stage's label.
func LabelCommand(node, stage string) string {
	return "kubectl label node " + node + " " + StageLabel(stage) + " --overwrite"
}

// newNodeName is the name of the node that takes another's place, and of the one that takes that one's.
func newNodeName(name string) string {
	if old, ok := strings.CutSuffix(name, NewNodeSuffix); ok {
		return old
	}
	return name + NewNodeSuffix
}

// NewNodeSuffix is what a new node's name has behind its old one's.
const NewNodeSuffix = "-new"

// StandIns are the workers whose place a new node has before the phase of that
// index begins, if each phase before it ends well.
func (p *Plan) StandIns(phase int) map[string]bool {
	in := map[string]bool{}
	for _, ph := range p.Phases[:phase] {
		ph.standIns(in)
	}
	return in
}

// standIns follows what the phase's stages make of the nodes.
func (ph *PlanPhase) standIns(in map[string]bool) {
	for i := range ph.Stages {
		if s := &ph.Stages[i]; s.NewNodes() {
			for _, name := range s.Nodes.Names {
				in[name] = !in[name]
			}
		}
	}
}

// NodesAt are the names that the stage's nodes have when their phase begins,
// where new nodes may have taken their places.
func (s *Stage) NodesAt(standIns map[string]bool) []string {
	names := slices.Clone(s.Nodes.Names)
	for i, name := range names {
		if standIns[name] {
			names[i] = newNodeName(name)
		}
	}
	return names
}

// Resolved is the stage with its numbers worked out: a percentage is of so many
// nodes and rounds as the key says, and what its way of replacing nodes does not use has its default.
func (s Stage) Resolved(workers, nodes int) Stage {
	of := workers
	if s.PercentOf == PercentOfStage {
		of = nodes
	}
	d := DefaultNodeUpgrade().Procedure
	someAway := !isZero(s.MaxUnavailable)
	s.MaxUnavailable, s.MaxSurge = wholeNodes(s.MaxUnavailable, of, false), wholeNodes(s.MaxSurge, of, true)
	s.PercentOf, s.NodeOrder = d.PercentOf, d.NodeOrder
	if s.Replace == ReplaceBlueGreen {
		s.Batch, s.NodeGate = atLeastOne(wholeNodes(s.Batch, nodes, true)), nil
	} else {
		s.Batch, s.BatchSoak, s.PoolSoak = d.Batch, 0, 0
	}
	switch s.Replace {
	case ReplaceInPlace, ReplaceTerminateFirst:
		s.MaxUnavailable = atLeastOne(s.MaxUnavailable)
	case ReplaceBlueGreen:
	default:
		if isZero(s.MaxSurge) || s.Replace == ReplaceDetachSurge && someAway {
			s.MaxUnavailable = atLeastOne(s.MaxUnavailable)
		}
	}
	if isZero(s.MaxSurge) {
		s.SurgePerZone = false
	}
	if !s.MayBringNodes() && !s.Buffers() {
		s.ProvisionTimeout = 0
	}
	switch {
	case s.Cordon == CordonOwnFirst && (s.Replace != ReplaceSurge || isZero(s.MaxSurge)):
		s.Cordon = CordonOwn
	case s.Cordon == CordonAllFirst && s.Replace != ReplaceBlueGreen && !s.Buffers():
		s.Cordon = CordonAll
	}
	if s.Gate == nil && s.NodeGate == nil {
		s.OnFailure = GateAbort
	}
	s.Drain.resolve(nodes)
	return s
}

// resolve works out the drain's numbers for so many nodes, and gives what would do nothing its default.
func (p *Drain) resolve(nodes int) {
	waits := p.OnFailure == DrainWait
	if p.DisableEviction {
		p.Evict = EvictParallel
		if waits {
			p.Timeout = 0
		}
	}
	if p.Timeout == 0 {
		p.TimeoutCheck = TimeoutAfterRetry
	}
	if waits {
		p.Attempts, p.OnAPIOutage = 1, APIOutageFail // it tries again in any case
	}
	if waits && p.Timeout == 0 || !waits && p.Attempts == 1 {
		p.AttemptDelay = 0
	}
	switch {
	case p.OnFailure != DrainSkip:
		p.MaxSkipped = nil
	case p.MaxSkipped != nil:
		most := wholeNodes(*p.MaxSkipped, nodes, true)
		p.MaxSkipped = &most
	}
}

// wholeNodes resolves a number of nodes, or a percentage of them.
func wholeNodes(x intstr.IntOrString, of int, up bool) intstr.IntOrString {
	n, err := intstr.GetScaledValueFromIntOrPercent(&x, of, up)
	if err != nil {
		return x // the loader has read it once
	}
	return intstr.FromInt32(int32(n))
}

func atLeastOne(x intstr.IntOrString) intstr.IntOrString {
	return intstr.FromInt32(max(1, x.IntVal))
}

// Apply is the upgrade that carries the plan out: the one given, with the plan's
// phases, and its stages in place of the strategy. Workers that the plan does
// not name are left alone; of these, left are those that are older than the target.
// Such an upgrade is incomplete, as that of stages which do not take them is,
// unless the scenario limits how many nodes are meant.
func (p *Plan) Apply(up Upgrade, c *Cluster) (planned Upgrade, left []string) {
	planned = up
	planned.Phases = nil
	n := &planned.Nodes
	limited := n.Limit > 0
	n.Strategy, n.Pools, n.WaveLabel, n.Stages, n.Order, n.Limit = StrategyCustom, PoolsTogether, "", nil, nil, 0
	named := map[string]bool{}
	var path []Version
	for i := range p.Phases {
		ph := &p.Phases[i]
		planned.Phases = append(planned.Phases, ph.UpgradePhase)
		if ph.ControlPlane {
			path = append(path, ph.To)
		}
		for _, s := range ph.Stages {
			s.Phase, s.Nodes.InOrder = i+1, true
			n.Stages = append(n.Stages, s)
			for _, name := range s.Nodes.Names {
				if !named[name] {
					named[name] = true
					n.Order = append(n.Order, name)
				}
			}
		}
	}
	if k := len(up.Path) - len(path); k < 0 || !slices.Equal(up.Path[k:], path) {
		planned.Path = path
	}
	reached := 0
	for name, w := range c.workers() {
		switch {
		case w.Kubelet.Compare(up.To) >= 0 || slices.Contains(up.Nodes.Lag, w.Pool):
		case named[name]:
			reached++
		default:
			left = append(left, name)
		}
	}
	if limited && len(left) > 0 {
		n.Limit = reached
	}
	return planned, left
}

// LeftAlone says which workers that are older than the target the plan leaves alone; nothing where it names all.
func (p *Plan) LeftAlone(up Upgrade, c *Cluster) string {
	if _, left := p.Apply(up, c); len(left) > 0 {
		return leaves(left, p.To)
	}
	return ""
}

// StartsAt is the version that an upgrade of the cluster starts at: the oldest
// API server's, or, where the control plane has no part in it, the oldest worker's.
func (c *Cluster) StartsAt(up *Upgrade) Version {
	oldest := c.oldestServer()
	if !up.ControlPlane.Skip && oldest.Compare(up.To) != 0 {
		return oldest
	}
	for _, w := range c.workers() {
		if w.Kubelet.Compare(oldest) < 0 {
			oldest = w.Kubelet
		}
	}
	return oldest
}
