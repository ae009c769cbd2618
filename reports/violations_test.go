package reports

import (
	"strings"
	"testing"

	"upsim/model"
	"upsim/sim"
)

// What lasts longer than the upgrade, or begins after it, is told as such.
func TestViolationsBeyondTheEnd(t *testing.T) {
	down := func(subject string, start sim.Seconds, end *sim.Seconds) sim.Violation {
		return sim.Violation{Code: model.NoReadyReplica, Severity: model.SeverityError, Subject: subject, StartSeconds: start, EndSeconds: end, Message: subject + " is down"}
	}
	const a, b = "Deployment/shop/a", "Deployment/shop/b"
	for name, c := range map[string]struct {
		list []sim.Violation
		want string
	}{
		"within":              {[]sim.Violation{down(a, 10, at(40))}, "NoReadyReplica: 30s from 10s to 40s\n"},
		"at the end":          {[]sim.Violation{down(a, 40, at(100))}, "NoReadyReplica: 1m from 40s to 1m40s\n"},
		"a moment longer":     {[]sim.Violation{down(a, 40, at(100.4))}, "NoReadyReplica: 1m from 40s to the end\n"},
		"longer":              {[]sim.Violation{down(a, 40, at(225))}, "NoReadyReplica: 1m from 40s to the end and 2m5s beyond\n"},
		"for good":            {[]sim.Violation{down(a, 40, nil)}, "NoReadyReplica: 1m from 40s to the end and for good\n"},
		"after":               {[]sim.Violation{down(a, 110, at(130))}, "NoReadyReplica: 20s after the end of the upgrade, from 1m50s to 2m10s\n"},
		"after, for good":     {[]sim.Violation{down(a, 110, at(130)), down(b, 120, nil)}, "NoReadyReplica: 2 times on 2 subjects, the longest after the end of the upgrade, from 2m for good\n"},
		"before it and after": {[]sim.Violation{down(a, 10, at(40)), down(a, 110, at(130))}, "NoReadyReplica: 30s from 10s to 40s\n"},
	} {
		r := result(sim.Violated)
		r.MakespanSeconds, r.Violations = 100, c.list
		out := string(table(t, r, nil, TableOptions{}))
		if !strings.Contains(out, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, out)
		}
	}
}

// What a run that was cut off left open may have ended later.
func TestViolationsOfARunThatWasCutOff(t *testing.T) {
	r := unfinished()
	r.Violations = []sim.Violation{{Code: model.PodsPending, Severity: model.SeverityWarning, Subject: "Deployment/shop/a", StartSeconds: 2}}
	if out, want := string(table(t, r, nil, TableOptions{})), "PodsPending: 40s from 2s on, Deployment/shop/a\n"; !strings.Contains(out, want) {
		t.Errorf("want %q in\n%s", want, out)
	}
}

// A moment after the end, and matters of course after it, are not worth a word.
func TestViolationsLeaveTriflesOut(t *testing.T) {
	r := result(sim.Safe)
	r.MakespanSeconds = 100
	r.Violations = []sim.Violation{
		{Code: model.PodsPending, Severity: model.SeverityWarning, Subject: "Deployment/shop/a", StartSeconds: 101, EndSeconds: at(101.02)},
		{Code: model.BelowReplicas, Severity: model.SeverityInfo, Subject: "Deployment/shop/a", StartSeconds: 101, EndSeconds: at(120)},
	}
	if out := string(table(t, r, nil, TableOptions{})); strings.Contains(out, "Violations:") {
		t.Errorf("violations that are none of a planner's business are shown:\n%s", out)
	}
}

// A workload that does not come back is marked in the table, and others are not.
func TestWorkloadsThatDoNotComeBack(t *testing.T) {
	r := safe()
	r.Workloads = append(r.Workloads,
		sim.WorkloadResult{Namespace: "shop", Name: "gone", Kind: "Deployment", Replicas: 2, SecondsZero: 60},
		sim.WorkloadResult{Namespace: "shop", Name: "less", Kind: "DaemonSet", Replicas: 7, MinReady: 6},
		sim.WorkloadResult{Namespace: "shop", Name: "moved", Kind: "Deployment", Replicas: 4, MinReady: 3, PodsMoved: 4, MaxMoves: 2})
	const note = "* fewer ready than before the upgrade when nothing can happen any more\n"
	if out := string(table(t, r, nil, TableOptions{})); strings.Contains(out, note) || strings.Contains(out, "*  ") {
		t.Errorf("a mark without a reason:\n%s", out)
	}
	r.Reasons = []model.Finding{
		model.NewFinding(model.NeverBack, "Deployment/shop/gone", "it is gone"),
		model.NewFinding(model.ReplicasMissing, "DaemonSet/shop/less", "one is missing"),
	}
	out := string(table(t, r, nil, TableOptions{}))
	for _, want := range []string{" 0/2*  ", " 6/7*  ", " 3/4  ", note} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
}
