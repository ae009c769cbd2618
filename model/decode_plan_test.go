package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// planned is a scenario that the plans of these tests are for, and a second one.
const plannedText = `
apiVersion: upsim/v1
kind: Scenario
metadata: {name: shop}
cluster: {version: v1.33.4, controlPlane: {replicas: 1}, nodePools: [{name: general, count: 3}], nodes: [{name: old, kubelet: v1.32.1}]}
upgrade: {to: v1.34.2}
strategies: [{name: slow}, {name: fast, maxUnavailable: 3}]
---
apiVersion: upsim/v1
kind: Scenario
metadata: {name: nodes-only}
cluster: {version: v1.34.2, controlPlane: {managed: true}, nodePools: [{name: general, count: 2, kubelet: v1.33.4}]}
upgrade: {to: v1.34.2, controlPlane: skip}
`

func plannedScenarios(t *testing.T) []*Scenario {
	t.Helper()
	list, faults := Decode("shop.yaml", []byte(plannedText), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return list
}

// inPlan is a plan with these phases, in flow form.
func inPlan(phases string) string {
	return "apiVersion: upsim/v1\nkind: Plan\nscenario: shop\nstrategy: slow\nfrom: v1.33.4\nto: v1.34.2\nphases: " + phases + "\n"
}

// inStage is a plan whose one stage has these keys.
func inStage(keys string) string {
	return inPlan("\n- {phase: controlPlane, to: v1.34.2}\n- {phase: nodes, to: v1.34.2, stages: [{" + keys + "}]}")
}

// Each case is a plan with the places of its faults marked, and what the messages say, in order.
func TestBadPlans(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		want       []string
	}{
		{"empty", "«", []string{"there is no plan in this file; `upsim plan SCENARIO -o yaml` makes one"}},
		{"not YAML", "a: b\n«c: d: e\n", []string{"mapping values are not allowed"}},
		{"list at the top", "«- a\n", []string{"a plan has keys such as `apiVersion`, `strategy` and `phases`; this is a list"}},
		{"two plans", inPlan("[]") + "---\n«a: b\n", []string{"a second plan begins here"}},
		{"a scenario", "apiVersion: upsim/v1\nkind: «Scenario\n", []string{`must be Plan, not "Scenario"; ` + "`upsim plan SCENARIO -o yaml` makes a plan of a scenario"}},
		{"another format", "apiVersion: «upsim/v2\nkind: Plan\n", []string{`must be upsim/v1, not "upsim/v2"`}},
		{"nothing but kind", "«apiVersion: upsim/v1\nkind: Plan\n", []string{`a plan has no "from"`, `no "phases"`, `no "scenario"`, `no "strategy"`, `no "to"`}},
		{"unknown key", inPlan("[]") + "«stages: []\n", []string{`unknown key "stages" in a plan`}},

		{"another scenario", strings.Replace(inPlan("[]"), "scenario: shop", "scenario: «bakery", 1), []string{`the plan is for "bakery"; there are the scenarios shop or nodes-only`}},
		{"another strategy", strings.Replace(inPlan("[]"), "strategy: slow", "strategy: «surge", 1), []string{`the scenario has no strategy called "surge"; there are slow or fast`}},
		{"another target", strings.Replace(inPlan("[{phase: controlPlane, to: v1.34.1}, {phase: nodes, to: v1.34.1, stages: []}]"), "\nto: v1.34.2", "\nto: «v1.34.1", 1),
			[]string{"the plan goes to v1.34.1, and the scenario's upgrade to v1.34.2"}},
		{"the cluster has moved on", strings.Replace(inPlan("[{phase: controlPlane, to: v1.34.2}]"), "from: v1.33.4", "from: «v1.33.1", 1),
			[]string{"the plan starts at v1.33.1, and the cluster is at v1.33.4; make the plan anew"}},
		{"version", strings.Replace(inPlan("[]"), "from: v1.33.4", "from: «soon", 1), []string{`"soon" is not a version`}},

		{"no phase", inPlan("«[]"), []string{"must have at least one phase"}},
		{"phases are no list", inPlan("«nodes"), []string{`must be a list, not "nodes"`}},
		{"phase of something else", inPlan("[{phase: «etcd, to: v1.34.2}]"), []string{"phase: must be controlPlane or nodes, not \"etcd\""}},
		{"phase without stages", inPlan("\n- {phase: controlPlane, to: v1.34.2}\n- «{phase: nodes, to: v1.34.2}"), []string{`a phase of nodes has no "stages"`}},
		{"stages of the control plane", inPlan("[{phase: controlPlane, to: v1.34.2, stages: «[]}]"), []string{"belongs to a phase of nodes"}},
		{"no control plane", inPlan("«[{phase: nodes, to: v1.34.2, stages: []}]"), []string{"no phase brings the control plane to v1.34.2"}},
		{"control plane half way", inPlan("«[{phase: controlPlane, to: v1.34.0}]"), []string{"no phase brings the control plane to v1.34.2"}},
		{"beyond the target", inPlan("[{phase: controlPlane, to: «v1.35.0}]"), []string{"is beyond v1.34.2, to which the plan goes"}},
		{"a control plane that is left alone", strings.NewReplacer("scenario: shop", "scenario: nodes-only", "slow", "rolling").Replace(inPlan("[{phase: «controlPlane, to: v1.34.2}]")),
			[]string{"leaves the control plane alone"}},

		{"stage without nodes", inStage("name: a, nodes: «[]"), []string{"must name at least one node"}},
		{"stage without a name", inPlan("\n- {phase: controlPlane, to: v1.34.2}\n- {phase: nodes, to: v1.34.2, stages: [«{nodes: [old]}]}"), []string{`stages[0] has no "name"`}},
		{"stage's name", inStage("name: «a b, nodes: [old]"), []string{`"a b" is not a valid name`}},
		{"two stages of a name", inPlan("\n- {phase: controlPlane, to: v1.34.2}\n- phase: nodes\n  to: v1.34.2\n  stages:\n  - {name: a, nodes: [old]}\n  - «{name: a, nodes: [general-1]}"), []string{`there are two stages called "a" in this phase`}},
		{"unknown node", inStage("name: a, nodes: [general-1, «general-4]"), []string{`no node has the name "general-4"; the nodes of the pool general are general-1 … general-3`}},
		{"new node that nothing brings", inStage("name: a, nodes: [«old-new]"), []string{`no node has the name "old-new"`}},
		{"control-plane node", inStage("name: a, nodes: [«cp-1]"), []string{`"cp-1" is a control-plane node`}},
		{"node twice", inStage("name: a, nodes: [old, «old]"), []string{`"old" was taken already in this phase, on line 9`}},
		{"node in two stages", inPlan("\n- {phase: controlPlane, to: v1.34.2}\n- phase: nodes\n  to: v1.34.2\n  stages:\n  - {name: a, nodes: [old]}\n  - {name: b, nodes: [general-1, «old]}"), []string{`"old" was taken already in this phase, on line 12`}},
		{"an old name", inPlan("\n- phase: nodes\n  to: v1.33.4\n  stages:\n  - {name: a, nodes: [old], replace: surge}\n- {phase: controlPlane, to: v1.34.2}\n- {phase: nodes, to: v1.34.2, stages: [{name: a, nodes: [«old, general-1]}]}"),
			[]string{`"old" is gone by then: an earlier phase brings "old-new" in its place`}},
		{"an old and a new name", inPlan("\n- phase: nodes\n  to: v1.33.4\n  stages:\n  - {name: a, nodes: [old], replace: surge}\n- {phase: controlPlane, to: v1.34.2}\n- {phase: nodes, to: v1.34.2, stages: [{name: a, nodes: [old-new, «old-new]}]}"),
			[]string{`"old-new" was taken already`}},
		{"pool", inStage("name: a, pool: «genral, nodes: [old]"), []string{`there is no pool called "genral"; did you mean "general"?`}},
		{"label of another stage", inStage("name: a, nodes: [old], label: «upgrade.upsim/stage=b"), []string{"must be upgrade.upsim/stage=a"}},
		{"command for another node", inStage("name: a, nodes: [old], commands: [«kubectl label node general-1 upgrade.upsim/stage=a --overwrite]"), []string{"must be `kubectl label node old upgrade.upsim/stage=a --overwrite`"}},
		{"command too many", inStage("name: a, nodes: [old], commands: [kubectl label node old upgrade.upsim/stage=a --overwrite, «kubectl get nodes]"), []string{"is one command more than the stage has nodes"}},
		{"command too few", inStage("name: a, nodes: [old, general-1], commands: «[kubectl label node old upgrade.upsim/stage=a --overwrite]"), []string{`has no command for "general-1"`}},
		{"order", inStage("name: a, nodes: [old], «nodeOrder: zone"), []string{"nodes are taken in the order in which they stand under nodes"}},
		{"beside nothing", inStage("name: a, nodes: [old], beside: «true"), []string{"there is no stage before this one"}},
		{"surge in place", inStage("name: a, nodes: [old], maxSurge: «2"), []string{"goes with a `replace` that brings new nodes"}},
		{"nothing at once", inStage("name: a, nodes: [old], maxUnavailable: «0"), []string{"no node could ever be upgraded"}},
		{"drain", inStage("name: a, nodes: [old], drain: {«tmeout: 5s}"), []string{`unknown key "tmeout" in drain; did you mean "timeout"?`}},
		{"rollback without a gate", inStage("name: a, nodes: [old], onFailure: «rollback"), []string{"rollback does nothing without a gate that could fail"}},
		{"restore of a control plane that is left alone", strings.NewReplacer("scenario: shop", "scenario: nodes-only", "slow", "rolling").Replace(
			inPlan("[{phase: nodes, to: v1.34.2, stages: [{name: a, nodes: [general-1], gate: {}, onFailure: «restore}]}]")), []string{"restore needs a control plane of ours"}},
		{"gate", inStage("name: a, nodes: [old], gate: {timeout: «5}"), []string{"5 has no unit"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, places := marked(tc.file)
			_, faults := DecodePlan("plan.yaml", []byte(text), plannedScenarios(t))
			if len(faults) != len(tc.want) {
				t.Fatalf("%d faults, want %d:\n%v", len(faults), len(tc.want), faults)
			}
			for i, f := range faults {
				if at := fmt.Sprintf("%d:%d", f.Line, f.Col); f.File != "plan.yaml" || at != places[min(i, len(places)-1)] || !strings.Contains(f.Message, tc.want[i]) {
					t.Errorf("got %v\nwant %q at %s", f, tc.want[i], places[min(i, len(places)-1)])
				}
			}
		})
	}
}

// What a plan does not say is as in the scenario; what it does not name is left alone, and that is said.
func TestPlanOfAPart(t *testing.T) {
	list := plannedScenarios(t)
	sc, faults := DecodePlan("plan.yaml", []byte(strings.Replace(inStage("name: a, nodes: [old, general-2]"), "slow", "fast", 1)), list)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	up := sc.Upgrades()
	if len(up) != 1 || up[0].Name != "fast" {
		t.Fatalf("upgrades %+v", up)
	}
	n := &up[0].Upgrade.Nodes
	if n.Limit != 0 || !slices.Equal(n.Order, []string{"old", "general-2"}) || n.Strategy != StrategyCustom || len(n.Stages) != 1 || n.Stages[0].Phase != 2 {
		t.Errorf("%+v", n)
	}
	if len(up[0].Upgrade.Phases) != 2 || !slices.Equal(up[0].Upgrade.Path, list[0].Upgrade.Path) {
		t.Errorf("phases %+v, path %v", up[0].Upgrade.Phases, up[0].Upgrade.Path)
	}
	last := sc.Notes[len(sc.Notes)-1]
	if last.Code != PlanLeavesNodes || !strings.Contains(last.Message, "2 of the workers that are older than v1.34.2 stand in no stage of the plan and are left alone: general-1, general-3") {
		t.Errorf("noted %+v", last)
	}
	if len(list[0].Strategies) != 2 || len(list[0].Notes) == len(sc.Notes) {
		t.Error("the scenario that was given has changed")
	}
	limited := list[0].Upgrade
	limited.Nodes.Limit = 3
	p := Plan{To: limited.To, Phases: []PlanPhase{{UpgradePhase: UpgradePhase{To: limited.To}, Stages: []Stage{{Name: "a", Nodes: NodeSet{Names: []string{"old", "general-2"}}}}}}}
	if planned, left := p.Apply(limited, &list[0].Cluster); planned.Nodes.Limit != 2 || len(left) != 2 {
		t.Errorf("limited to %d, %v left", planned.Nodes.Limit, left)
	}
}

// A plan may skip a patch of the scenario's path, but not its target.
func TestPlanWithAnotherPath(t *testing.T) {
	sc, faults := DecodePlan("plan.yaml", []byte(inPlan("[{phase: controlPlane, to: v1.34.0}, {phase: controlPlane, to: v1.34.2}, {phase: nodes, to: v1.34.2, stages: []}]")), plannedScenarios(t))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if path := sc.Upgrade.Path; len(path) != 2 || path[0].Patch != 0 {
		t.Errorf("path %v", path)
	}
}

// A stage's label is valid, whatever the stage is called, and no two stages share one.
func TestStageLabel(t *testing.T) {
	if got := StageLabel("canary"); got != "upgrade.upsim/stage=canary" {
		t.Error(got)
	}
	pool := strings.Repeat("long-name.", 10) + "pool"
	a, b := StageLabel(pool+"-a"), StageLabel(pool+"-b")
	for _, label := range []string{a, b} {
		key, value, _ := strings.Cut(label, "=")
		if wrong := append(labelKey(key), labelValue(value)...); len(wrong) > 0 {
			t.Errorf("%s: %v", label, wrong)
		}
	}
	if a == b {
		t.Errorf("two stages have the label %s", a)
	}
}
