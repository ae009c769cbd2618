package reports

import (
	"strings"
	"testing"

	"upsim/model"
	"upsim/sim"
)

// Nodes that needed no upgrade are not called behind.
func TestNodesThatHadTheVersion(t *testing.T) {
	r := result(sim.Safe)
	r.Nodes = []sim.NodeResult{node("n-1", 3, 300),
		{Name: "n-2", DrainResult: "none", Kubelet: "v1.34.2"}, {Name: "n-3", DrainResult: "none", Kubelet: "v1.34.3"},
		{Name: "n-4", DrainResult: "none", Kubelet: "v1.33.4"}, {Name: "n-5", DrainResult: "none", Kubelet: "?"}}
	out := string(table(t, r, nil, TableOptions{}))
	for _, want := range []string{"1 of 5 workers upgraded, 1 had v1.34.2 already, 1 had a newer version already: n-3\n", "2 workers not reached: n-4, n-5\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// An old node and the new one in its place are one node of the upgrade.
func TestReplacedNodesCountOnce(t *testing.T) {
	r := result(sim.Safe)
	r.Surge.PeakNodes = 2
	gone := sim.NodeResult{Name: "n-1", DrainResult: "drained", DrainSeconds: 3, Kubelet: "v1.33.4"}
	draining := sim.NodeResult{Name: "n-2", DrainResult: "none", DrainSeconds: 3, Kubelet: "v1.33.4"}
	fresh := func(name, old string) sim.NodeResult {
		return sim.NodeResult{Name: name, DrainResult: "none", UpgradedAtSeconds: at(200), Kubelet: "v1.34.2", Replaces: old}
	}
	r.Nodes = []sim.NodeResult{gone, draining, {Name: "n-3", DrainResult: "none", Kubelet: "v1.33.4"}, fresh("n-1-new", "n-1"), fresh("n-2-new", "n-2"), fresh("brand-new", "")}
	out := string(table(t, r, nil, TableOptions{}))
	if want := "2 of 4 workers upgraded, 1 by a new node in place of the old one\n"; !strings.Contains(out, want) {
		t.Errorf("%q is missing in\n%s", want, out)
	}
	if want := "  replaced: by a new node, NAME-new, now at v1.34.2\n"; !strings.Contains(out, want) {
		t.Errorf("%q is missing in\n%s", want, out)
	}
	r.Nodes[3].Replaces, r.Nodes[4].Replaces = "", "" // a node may have such a name of its own
	if plain := string(table(t, r, nil, TableOptions{})); !strings.Contains(plain, "3 of 6 workers upgraded\n") || strings.Contains(plain, "replaced") {
		t.Errorf("a node that replaces none is no replacement:\n%s", plain)
	}
	r.Nodes[5].Extra = true // and one that stood beside the others is none of them
	if still := string(table(t, r, nil, TableOptions{})); !strings.Contains(still, "2 of 5 workers upgraded\n  1 extra node stood beside them; still there at the end: 1\n") {
		t.Errorf("an extra node that is still there is not told:\n%s", still)
	}
	r.Nodes[5].Removed = true
	if beside := string(table(t, r, nil, TableOptions{})); !strings.Contains(beside, "2 of 5 workers upgraded\n  1 extra node stood beside them for a time\n") {
		t.Errorf("an extra node is none of those that were upgraded:\n%s", beside)
	}
	if !strings.Contains(out, "replaced") || !strings.Contains(out, "1 worker not reached: n-3\n") {
		t.Errorf("the nodes are told wrongly:\n%s", out)
	}
}

// An upgrade that ended after an earlier minor has replaced nodes, and upgraded none.
func TestReplacedForAnEarlierMinorIsNotUpgraded(t *testing.T) {
	r := result(sim.Violated)
	r.Surge.PeakNodes = 1
	r.Nodes = []sim.NodeResult{{Name: "n-1", DrainResult: "drained", DrainSeconds: 3, Kubelet: "v1.32.1"}, {Name: "n-1-new", DrainResult: "none", Kubelet: "v1.33.4", Replaces: "n-1"}}
	out := string(table(t, r, nil, TableOptions{}))
	for _, want := range []string{"0 of 1 worker upgraded\n", "  replaced: by a new node, NAME-new, now at v1.33.4\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// Nodes that went back are not upgraded, whether they are the same as before or came anew in place of a new one.
func TestNodesThatWentBack(t *testing.T) {
	r := result(sim.Aborted)
	r.Surge.PeakNodes = 1
	back := sim.NodeResult{DrainResult: "drained", DrainSeconds: 3, Kubelet: "v1.33.4", RolledBack: true}
	same, again := back, back
	same.Name, again.Name = "n-1", "n-2"
	gone := sim.NodeResult{Name: "n-2-new", DrainResult: "drained", DrainSeconds: 3, Kubelet: "v1.34.2", Replaces: "n-2", Removed: true, RolledBack: true}
	r.Nodes = []sim.NodeResult{same, again, gone}
	out := string(table(t, r, nil, TableOptions{}))
	for _, want := range []string{"0 of 2 workers upgraded", "n-1 - 3s drained - rolled back v1.33.4\n", "n-2 - 3s drained - rolled back v1.33.4\n", "n-2-new - 3s drained - removed v1.34.2\n"} {
		if rows := strings.Join(strings.Fields(out), " ") + "\n"; !strings.Contains(rows, strings.TrimSuffix(want, "\n")) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Contains(out, "replaced") {
		t.Errorf("an old node that is back is called replaced:\n%s", out)
	}
}

// On a way back that hangs, the old node is there again beside its new one, whose drain never ends: neither has given way to the other.
func TestNodesOfAWayBackThatHangs(t *testing.T) {
	r := result(sim.Aborted)
	r.Reasons = append(r.Reasons, neverEnds("Node/n-1-new", "the drain of Node/n-1-new waits for Pod/x/y-0 for ever", model.BudgetNeverAllows))
	at := sim.Seconds(60)
	r.Nodes = []sim.NodeResult{
		{Name: "n-1", DrainResult: "drained", DrainSeconds: 3, Kubelet: "v1.33.4"},
		{Name: "n-1-new", DrainResult: "none", DrainSeconds: 2, UpgradedAtSeconds: &at, Kubelet: "v1.34.2", Replaces: "n-1"},
	}
	out := strings.Join(strings.Fields(string(table(t, r, nil, TableOptions{}))), " ")
	for _, want := range []string{"0 of 1 worker upgraded", "n-1 - 3s drained - never v1.33.4", "n-1-new - 2s never ends - 1m v1.34.2"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}
