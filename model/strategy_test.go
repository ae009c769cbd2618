package model

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
)

func expand(t *testing.T, keys string) []Stage {
	t.Helper()
	sc := decodeOne(t, inNodes(keys), nil)
	return sc.Upgrade.Nodes.Expand(&sc.Cluster)
}

func TestExpandRolling(t *testing.T) {
	want := Stage{Name: "nodes", Procedure: DefaultNodeUpgrade().Procedure, OnFailure: GateAbort}
	want.MaxUnavailable, want.Slots, want.Cordon, want.SoakPerNode, want.Soak = intstr.FromString("25%"), SlotsBarrier, CordonAll, time.Second, time.Minute
	same(t, "rolling", expand(t, "maxUnavailable: 25%, slots: barrier, cordon: all, soakPerNode: 1s, soak: 1m"), []Stage{want})
}

func TestExpandAllAtOnce(t *testing.T) {
	stages := expand(t, "strategy: allAtOnce")
	same(t, "stages", []any{len(stages), stages[0].MaxUnavailable, stages[0].Gate == nil}, []any{1, intstr.FromString("100%"), true})
}

func TestExpandCanary(t *testing.T) {
	gate := DefaultGate()
	same(t, "the default gate", gate, Gate{NodesReady: true, WorkloadsAvailable: true, Timeout: 10 * time.Minute})

	stages := expand(t, "strategy: canary, maxUnavailable: 3")
	same(t, "names", []string{stages[0].Name, stages[1].Name}, []string{"canary", "rest"})
	same(t, "canary", []any{stages[0].Nodes, stages[0].Soak, *stages[0].Gate, stages[0].OnFailure, stages[0].MaxUnavailable},
		[]any{NodeSet{Count: 1}, 10 * time.Minute, gate, GateAbort, intstr.FromInt32(3)})
	same(t, "rest", []any{stages[1].Nodes, stages[1].Soak, stages[1].Gate == nil}, []any{NodeSet{}, time.Duration(0), true})

	// What is written counts, also nothing.
	same(t, "soak", expand(t, "strategy: canary, soak: 0s")[0].Soak, time.Duration(0))
	same(t, "soak", expand(t, "strategy: canary, soak: 3m")[0].Soak, 3*time.Minute)

	stages = expand(t, "strategy: canary, stages: [{name: rest, nodes: {count: 1}, gate: {timeout: 1m, nodesReady: false}}, {nodes: {percent: 50}}]")
	same(t, "names", []string{stages[0].Name, stages[1].Name, stages[2].Name}, []string{"rest", "stage-2", "rest-2"})
	same(t, "gates", []any{*stages[0].Gate, *stages[1].Gate, stages[2].Gate == nil}, []any{Gate{WorkloadsAvailable: true, Timeout: time.Minute}, gate, true})

	same(t, "a stage that takes all is the last", len(expand(t, "strategy: canary, stages: [{nodes: {count: 1}}, {}]")), 2)
	same(t, "and so is all of them", len(expand(t, "strategy: canary, stages: [{nodes: {count: 1}}, {nodes: {percent: 100%}}]")), 2)
	same(t, "without a scenario", len((&NodeUpgrade{Strategy: StrategyCanary}).Expand(&Cluster{})), 2)
}

func TestExpandDoesNotChangeTheUpgrade(t *testing.T) {
	n := NodeUpgrade{Strategy: StrategyCanary, Stages: []Stage{{Name: "a", Nodes: NodeSet{Count: 1}}}}
	n.Expand(&Cluster{})
	same(t, "stages", []any{len(n.Stages), n.Stages[0].Gate == nil}, []any{1, true})
}

func TestExpandCustom(t *testing.T) {
	stages := expand(t, "strategy: custom, stages: [{name: some, nodes: {count: 2}}]")
	same(t, "stages", []any{len(stages), stages[0].Name, stages[0].Gate == nil}, []any{1, "some", true})
}

func TestExpandSurge(t *testing.T) {
	zero := intstr.FromInt32(0)
	want := Stage{Name: "nodes", Procedure: DefaultNodeUpgrade().Procedure, OnFailure: GateAbort}
	want.Replace, want.MaxSurge, want.MaxUnavailable, want.SoakPerNode = ReplaceSurge, intstr.FromInt32(1), zero, time.Second
	same(t, "surge", expand(t, "strategy: surge, soakPerNode: 1s"), []Stage{want})
	want.MaxSurge, want.SoakPerNode = intstr.FromString("25%"), 0
	same(t, "surge of a quarter", expand(t, "strategy: surge, maxSurge: 25%, maxUnavailable: 0"), []Stage{want})

	stages := expand(t, "strategy: canary, maxUnavailable: 2, stages: [{nodes: {count: 1}, replace: surge}, {replace: surge, maxSurge: 3}]")
	same(t, "surge by stages", []any{stages[0].Replace, stages[0].MaxSurge, stages[0].MaxUnavailable, stages[1].MaxSurge},
		[]any{ReplaceSurge, intstr.FromInt32(1), zero, intstr.FromInt32(3)})
	stages = expand(t, "strategy: custom, maxUnavailable: 0, maxSurge: 2, stages: [{nodes: {count: 1}, replace: surge}, {maxUnavailable: 1}]")
	same(t, "what a stage has from nodes", []any{stages[0].MaxSurge, stages[1].Replace, stages[1].MaxSurge, stages[1].MaxUnavailable},
		[]any{intstr.FromInt32(2), ReplaceInPlace, zero, intstr.FromInt32(1)})
}

func TestExpandBlueGreen(t *testing.T) {
	want := Stage{Name: "nodes", Procedure: DefaultNodeUpgrade().Procedure, OnFailure: GateAbort}
	want.Replace, want.MaxUnavailable, want.Slots, want.Cordon = ReplaceBlueGreen, intstr.FromInt32(0), SlotsBarrier, CordonAll
	same(t, "blueGreen", expand(t, "strategy: blueGreen"), []Stage{want})
	want.Batch, want.BatchSoak, want.PoolSoak = intstr.FromString("50%"), time.Minute, time.Hour
	same(t, "blueGreen of halves", expand(t, "strategy: blueGreen, batch: 50%, batchSoak: 1m, poolSoak: 1h, maxSurge: 0"), []Stage{want})
}

// An entry of strategies that has another strategy keeps what means the same
// there, and drops what belongs to the old one.
func TestStrategiesChangeStrategy(t *testing.T) {
	for _, c := range []struct {
		name, upgrade, entry string
		want                 func(*NodeUpgrade)
	}{
		{"rolling to surge", "maxUnavailable: 3, soak: 1m", "strategy: surge", func(n *NodeUpgrade) {
			n.Strategy, n.Replace, n.MaxSurge, n.Soak = StrategySurge, ReplaceSurge, intstr.FromInt32(1), time.Minute
		}},
		{"keys before the strategy", "maxUnavailable: 3", "maxSurge: 2, strategy: surge", func(n *NodeUpgrade) {
			n.Strategy, n.Replace, n.MaxSurge = StrategySurge, ReplaceSurge, intstr.FromInt32(2)
		}},
		{"surge to rolling", "strategy: surge, maxSurge: 2, maxUnavailable: 0", "strategy: rolling", func(n *NodeUpgrade) { n.MaxUnavailable = intstr.FromInt32(1) }},
		{"surge to surge", "strategy: surge, maxSurge: 2", "maxSurge: 3", func(n *NodeUpgrade) {
			n.Strategy, n.Replace, n.MaxSurge = StrategySurge, ReplaceSurge, intstr.FromInt32(3)
		}},
		{"rolling to blueGreen", "maxUnavailable: 3, slots: window, cordon: own", "batch: 2, strategy: blueGreen",
			func(n *NodeUpgrade) {
				n.Strategy, n.Replace, n.Batch, n.Slots, n.Cordon = StrategyBlueGreen, ReplaceBlueGreen, intstr.FromInt32(2), SlotsBarrier, CordonAll
			}},
		{"blueGreen to rolling", "strategy: blueGreen, batch: 2, batchSoak: 1m, poolSoak: 1m, slots: barrier, cordon: all", "strategy: rolling",
			func(n *NodeUpgrade) { n.MaxUnavailable = intstr.FromInt32(1) }},
		{"blueGreen to surge", "strategy: blueGreen, batch: 2, poolSoak: 1m", "nodes: {maxSurge: 10%, strategy: surge}", func(n *NodeUpgrade) {
			n.Strategy, n.Replace, n.MaxSurge = StrategySurge, ReplaceSurge, intstr.FromString("10%")
		}},
		{"all at once to rolling", "strategy: allAtOnce, maxUnavailable: 100%", "strategy: rolling", func(n *NodeUpgrade) { n.MaxUnavailable = intstr.FromInt32(1) }},
		{"surge to canary", "strategy: surge", "strategy: canary", func(n *NodeUpgrade) {
			n.Strategy, n.MaxUnavailable = StrategyCanary, intstr.FromInt32(1)
			n.fillStages()
		}},
	} {
		sc := decodeOne(t, inScenario("upgrade: {to: 1.34.2, nodes: {"+c.upgrade+"}}\nstrategies: [{name: a, "+c.entry+"}]\n"), nil)
		want := DefaultNodeUpgrade()
		want.MaxUnavailable = intstr.FromInt32(0)
		c.want(&want)
		same(t, c.name, sc.Strategies[0].Upgrade.Nodes, want)
	}
}
