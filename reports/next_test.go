package reports

import (
	"bytes"
	"strings"
	"testing"

	"upsim/model"
	"upsim/sim"
)

// What is to be done about a stuck run follows from what it is stuck on.
func TestNextOfAStuckRunFitsItsCause(t *testing.T) {
	budget := neverEnds("Node/a", "the drain of Node/a waits for Pod/x/y-0 for ever: PodDisruptionBudget/x/y wants 1 healthy and has 1", model.BudgetNeverAllows)
	room := neverEnds("Node/a", "the drain of Node/a waits for Pod/x/y-0 for ever: PodDisruptionBudget/x/y wants 3 healthy and has 2; 1 pod of Deployment/x/y wait for a node and find none", model.NoRoomForEvictedPods)
	terminating := model.NewFinding(model.PodStuckTerminating, "Pod/x/y-0", "Pod/x/y-0 stays terminating because Node/a does not answer, so its drain never ends")
	lostForGood := model.NewFinding(model.NodeNeverReturned, "Node/a", "Node/a did not come back after its upgrade")
	again := model.NewFinding(model.DrainNeverEnds, "Node/a", "the drain of Node/a fails again and again: kubectl drain refuses: Pod/x/z has no controller")
	mild := terminating
	mild.Severity = model.SeverityWarning
	for _, c := range []struct {
		name    string
		reasons []model.Finding
		want    []string
		never   string
	}{
		{"a budget", []model.Finding{budget}, []string{"change the budget"}, "room"},
		{"no room", []model.Finding{room}, []string{"make room"}, "budget"},
		{"a lost node", []model.Finding{terminating}, []string{"does not answer"}, "budget"},
		{"a node that does not return", []model.Finding{lostForGood}, []string{"mends or replaces"}, "budget"},
		{"a drain that fails each time", []model.Finding{again}, []string{"what the drain fails on"}, "budget"},
		{"two causes", []model.Finding{budget, budget, lostForGood}, []string{"change the budget that refuses, as said under fix; plan who"}, "room"},
		{"a warning is no cause", []model.Finding{budget, mild}, []string{"change the budget"}, "does not answer"},
		{"nothing known", nil, []string{"find out what"}, "budget"},
	} {
		r := result(sim.Stuck)
		r.Reasons = c.reasons
		got := nextStep(nil, r)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q does not say %q", c.name, got, want)
			}
		}
		if strings.Contains(got, c.never) {
			t.Errorf("%s: %q says %q", c.name, got, c.never)
		}
	}
}

// Errors that a cluster has before its upgrade are not blamed on the plan.
func TestNextTellsOldErrorsFromNewOnes(t *testing.T) {
	run := func(start sim.Seconds, end *sim.Seconds) string {
		r := result(sim.Violated)
		r.MakespanSeconds = 900
		r.Reasons = []model.Finding{model.NewFinding(model.NodeLost, "Node/a", "Node/a is lost")}
		r.Violations = []sim.Violation{{Code: model.NodeLost, Severity: model.SeverityError, Subject: "Node/a", StartSeconds: start, EndSeconds: end}}
		return nextStep(nil, r)
	}
	for name, c := range map[string]struct{ got, want string }{
		"mended by the upgrade": {run(0, at(300)), "removes the last of them at 5m"},
		"there to the end":      {run(0, nil), "does not remove them"},
		"ends after it":         {run(0, at(1000)), "does not remove them"},
		"made by the upgrade":   {run(10, nil), "do not start this plan; 1 error to remove"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s: %q does not say %q", name, c.got, c.want)
		}
	}
	r := result(sim.Violated)
	r.Reasons = []model.Finding{model.NewFinding(model.ObjectiveMissed, "Scenario/a", "too long"), model.NewFinding(model.UpgradeIncomplete, "Scenario/a", "1 of 3")}
	if got := nextStep(nil, r); !strings.Contains(got, "; 1 error to remove") {
		t.Errorf("that the upgrade is incomplete is counted beside its cause: %q", got)
	}
	r.Reasons = r.Reasons[1:]
	if got := nextStep(nil, r); !strings.Contains(got, "; 1 error to remove") {
		t.Errorf("an incomplete upgrade alone: %q", got)
	}
}

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

// A message that names its subject is not led by it once more.
func TestSubjectsAreSaidOnce(t *testing.T) {
	list := []model.Finding{
		model.NewFinding(model.PodMovedMoreThanOnce, "Deployment/x/web", "1 pod of Deployment/x/web moved more than once"),
		model.NewFinding(model.PodMovedMoreThanOnce, "Deployment/x/web", "1 pod of Deployment/x/web2 moved more than once"),
		model.NewFinding(model.NodeLost, "Node/a", "Node/a is lost"),
		model.NewFinding(model.DrainRefused, "Node/a", "kubectl drain refuses"),
	}
	out := string(bytesOf(t, func(b *bytes.Buffer) error {
		return Findings(b, Checked{Findings: list}, FormatTable, TableOptions{})
	}))
	for _, want := range []string{"- 1 pod of Deployment/x/web moved", "- Deployment/x/web: 1 pod of Deployment/x/web2 moved", "NodeLost\n", "DrainRefused  Node/a\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// What is zero is not said.
func TestTotalsLeaveZerosOut(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(*sim.Result)
		want, never string
	}{
		"nothing":   {func(*sim.Result) {}, "at the end:", "control plane:"},
		"no pods":   {func(*sim.Result) {}, "run:", "evictions:"},
		"API":       {func(r *sim.Result) { r.ControlPlane.APIUnavailableSeconds = 40 }, "API server away for 40s\n", "etcd"},
		"etcd":      {func(r *sim.Result) { r.ControlPlane.QuorumLostSeconds = 20 }, "etcd without quorum for 20s\n", "API server"},
		"refused":   {func(r *sim.Result) { r.EvictionsRefused = 3 }, "0 accepted, 3 refused\n", "deleted"},
		"errors":    {func(r *sim.Result) { r.EvictionErrors = 1 }, "0 accepted, 0 refused, 1 error\n", "deleted"},
		"deletions": {func(r *sim.Result) { r.Deletions = 2 }, "2 pods deleted without eviction\n", "accepted"},
		"pending":   {func(r *sim.Result) { r.FinalPending = 2 }, ", 2 pods without a node\n", "accepted"},
	} {
		r := result(sim.Safe)
		c.change(r)
		out := string(table(t, r, nil, TableOptions{}))
		if !strings.Contains(out, c.want) || strings.Contains(out, c.never) {
			t.Errorf("%s: want %q and not %q in\n%s", name, c.want, c.never, out)
		}
	}
}
