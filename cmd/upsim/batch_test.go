package main

import (
	"strings"
	"testing"

	"upsim/model"
	"upsim/reports"
	"upsim/scenarios"
)

// A run that panics is a row with an error, and the next scenario has its result.
func TestAPanicIsARow(t *testing.T) {
	good := *scenarios.Default()
	bad := good
	bad.Name = "bad"
	bad.Assumptions.NodeUpgrade = model.Dist{Kind: model.Empirical} // of no value, which the loader would refuse
	f := &batchFile{input: 1, Found: scenarios.Found{Path: "two.yaml"}}
	f.load.Do(func() { f.list = []*model.Scenario{&bad, &good} })
	a := &batchAnswer{job: batchJob{file: f, replication: 1}}
	(&batchWork{}).simulate(a)
	if len(a.rows) != 2 {
		t.Fatalf("%d rows:\n%s", len(a.rows), a.text.String())
	}
	if got := a.rows[0].Failure; got == nil || got.ExitCode != exitFault || got.Scenario != "bad" || !strings.HasPrefix(got.Error, "internal fault: ") {
		t.Errorf("the first is %+v", a.rows[0])
	}
	if a.rows[1].Failure != nil || strings.Count(a.text.String(), "\n") != 2 {
		t.Errorf("the second is %+v of\n%s", a.rows[1], a.text.String())
	}
}

func TestCodeOfARow(t *testing.T) {
	for _, tc := range []struct {
		on   string
		row  reports.Row
		want int
	}{
		{"error", reports.Row{Line: reports.Line{Verdict: "safe", Warnings: 1}}, exitFine},
		{"warning", reports.Row{Line: reports.Line{Verdict: "safe", Warnings: 1}}, exitNotFine},
		{"warning", reports.Row{Line: reports.Line{Verdict: "safe"}}, exitFine},
		{"error", reports.Row{Line: reports.Line{Verdict: "aborted"}}, exitNotFine},
		{"error", reports.Row{Line: reports.Line{Verdict: "safe", Errors: 1}}, exitNotFine},
		{"never", reports.Row{Line: reports.Line{Verdict: "stuck", Errors: 1}}, exitFine},
		{"error", reports.Row{Failure: &reports.Failure{ExitCode: exitCutOff}}, exitCutOff},
		{"never", reports.Row{Failure: &reports.Failure{ExitCode: exitUsage}}, exitFine},
	} {
		f := failFlags{on: choiceFlag{value: tc.on}}
		if got := f.codeOf(&tc.row); got != tc.want {
			t.Errorf("%s, %+v: %d, want %d", tc.on, tc.row, got, tc.want)
		}
	}
}
