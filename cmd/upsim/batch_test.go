package main

import (
	"os"
	"path/filepath"
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
	a := newAnswer(batchJob{file: f, replication: 1})
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

// Two processes do not write one CSV; what one leaves or finishes another may write.
func TestOneWriterOfAStream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.csv")
	open := func() (*stream, error) { return (&shell{temps: &tempFiles{}}).openStream(path) }
	for _, end := range []func(*stream) error{(*stream).finish, func(s *stream) error { s.leave(); return nil }} {
		first, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := open(); err == nil || err.Error() != "cannot write "+path+": another upsim is writing it" {
			t.Errorf("the second writer got %v", err)
		}
		if _, err := first.Write([]byte("a,b\n")); err != nil {
			t.Fatal(err)
		}
		if err := end(first); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(entries) != 1 || entries[0].Name() != "two.csv" {
			t.Errorf("in the folder are %v: %v", entries, err)
		}
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
		f := failFlags{on: wordFlag{value: tc.on}}
		if got := f.codeOf(&tc.row); got != tc.want {
			t.Errorf("%s, %+v: %d, want %d", tc.on, tc.row, got, tc.want)
		}
	}
}
