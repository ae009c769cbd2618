package model

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
)

func expand(t *testing.T, keys string) []Stage {
	t.Helper()
	return decodeOne(t, inNodes(keys), nil).Upgrade.Nodes.Expand()
}

func TestExpandRolling(t *testing.T) {
	want := Stage{Name: "nodes", MaxUnavailable: intstr.FromString("25%"), Slots: SlotsBarrier, CordonAll: true,
		Drain: DefaultDrain(), SoakPerNode: time.Second, Soak: time.Minute, OnFailure: GateAbort}
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
	same(t, "without a scenario", len(NodeUpgrade{Strategy: StrategyCanary}.Expand()), 2)
}

func TestExpandDoesNotChangeTheUpgrade(t *testing.T) {
	n := NodeUpgrade{Strategy: StrategyCanary, Stages: []Stage{{Name: "a", Nodes: NodeSet{Count: 1}}}}
	n.Expand()
	same(t, "stages", []any{len(n.Stages), n.Stages[0].Gate == nil}, []any{1, true})
}

func TestExpandCustom(t *testing.T) {
	stages := expand(t, "strategy: custom, stages: [{name: some, nodes: {count: 2}}]")
	same(t, "stages", []any{len(stages), stages[0].Name, stages[0].Gate == nil}, []any{1, "some", true})
}
