package reports

import (
	"strings"
	"testing"

	"upsim/model"
	"upsim/sim"
)

// A gate took nodes back, and a drain on the way hangs: Next says both.
func TestNextOfAWayBackThatHangs(t *testing.T) {
	r := result(sim.Aborted)
	r.Nodes = []sim.NodeResult{{Name: "n", RolledBack: true}}
	r.Reasons = []model.Finding{model.NewFinding(model.GateFailed, "Stage/s", "the gate of stage s fails"),
		neverEnds("Node/a", "the drain of Node/a waits for Pod/x/y-0 for ever: PodDisruptionBudget/x/y wants 1 healthy and has 0 of 2", model.BudgetNeverAllows)}
	got := nextStep(nil, r)
	for _, want := range []string{"what the gate saw", "the way back hangs", "the budget that refuses"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

// What is to be done about a stuck run follows from what it is stuck on.
func TestNextOfAStuckRunFitsItsCause(t *testing.T) {
	budget := neverEnds("Node/a", "the drain of Node/a waits for Pod/x/y-0 for ever: PodDisruptionBudget/x/y wants 1 healthy and has 1", model.BudgetNeverAllows)
	room := neverEnds("Node/a", "the drain of Node/a waits for Pod/x/y-0 for ever: PodDisruptionBudget/x/y wants 3 healthy and has 2; 1 pod of Deployment/x/y wait for a node and find none", model.NoRoomForEvictedPods)
	terminating := model.NewFinding(model.PodStuckTerminating, "Pod/x/y-0", "Pod/x/y-0 stays terminating because Node/a does not answer, so its drain never ends")
	lostForGood := model.NewFinding(model.NodeNeverReturned, "Node/a", "Node/a did not come back after its upgrade")
	alone := lostForGood
	alone.Fix = "Mend or replace the node."
	again := model.NewFinding(model.DrainNeverEnds, "Node/a", "the drain of Node/a fails again and again: kubectl drain refuses: Pod/x/z has no controller")
	mild := terminating
	mild.Severity = model.SeverityWarning
	for _, c := range []struct {
		name    string
		reasons []model.Finding
		want    []string
		never   string
	}{
		{"a budget", []model.Finding{budget}, []string{"have the budget that refuses allow"}, "room"},
		{"no room", []model.Finding{room}, []string{"make room"}, "budget"},
		{"a lost node", []model.Finding{terminating}, []string{"does not answer"}, "budget"},
		{"a node that does not return", []model.Finding{lostForGood}, []string{"mends or replaces", "larger maxUnavailable"}, "budget"},
		{"one whose place nobody waits for", []model.Finding{alone}, []string{"mends or replaces"}, "maxUnavailable"},
		{"a drain that fails each time", []model.Finding{again}, []string{"what the drain fails on"}, "budget"},
		{"two causes", []model.Finding{budget, budget, lostForGood}, []string{"have the budget that refuses allow an eviction, as said under fix; plan who"}, "room"},
		{"a warning is no cause", []model.Finding{budget, mild}, []string{"have the budget that refuses allow"}, "does not answer"},
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

// Where the input is not whole, or may not be, that comes before going ahead.
func TestNextOfAnInputThatIsNotWhole(t *testing.T) {
	const lacks = "The input has no PodDisruptionBudgets; the result knows nothing of what it leaves out."
	perhaps := []model.Finding{model.NewFinding(model.InputPerhapsIncomplete, "Cluster", lacks)}
	warning := []model.Finding{model.NewFinding(model.PodMovedMoreThanOnce, "Deployment/a/b", "moved twice")}
	const doubt = "the input has no PodDisruptionBudgets; the result knows nothing of what it leaves out." +
		" See that the cluster has none of these either, or write all that it has and run this again. Otherwise "
	for _, c := range []struct {
		notes, reasons []model.Finding
		want           string
	}{
		{nil, nil, "go ahead; plan a window of more than 15m."},
		{perhaps, nil, doubt + "go ahead; plan a window of more than 15m."},
		{perhaps, warning, doubt + "read the warning above and decide whether you can live with it; then plan a window of more than 15m."},
		{[]model.Finding{model.NewFinding(model.InputIncomplete, "Cluster", "The input has no pods.")}, warning,
			"write what the input lacks too, as said under fix, and run this again; nothing above tells what becomes of it."},
	} {
		r := result(sim.Safe)
		r.MakespanSeconds, r.Reasons = 900, c.reasons
		if got := nextStep(&model.Scenario{Notes: c.notes}, r); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}
