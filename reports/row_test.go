package reports_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
	"upsim/reports"
	"upsim/scenarios"
	"upsim/sim"
)

// What is kept of a row is the same, whether it was just made or read from a
// file, for each scenario of the library: so a resumed or merged batch has the same CSV and summary.
func TestRowsReadBack(t *testing.T) {
	seen := map[sim.Verdict]int{}
	for _, e := range scenarios.Library() {
		list, err := e.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, sc := range list {
			for _, up := range sc.Upgrades() {
				w, err := sim.Compile(sc, up)
				if err != nil {
					t.Fatal(err)
				}
				o := reports.Origin{Input: 7, File: `a "file",é.yaml`, Document: 2, SHA256: "5a", Upsim: "v1",
					ClusterFiles: []reports.FileDigest{{File: "n.json", SHA256: "00"}}, Flags: &reports.Flags{Seeds: 2}}
				r := w.Run(sim.Options{})
				seen[r.Verdict]++
				var line bytes.Buffer
				if err := reports.ResultRow(&line, o, r); err != nil {
					t.Fatal(err)
				}
				compareRows(t, e.Name, line.Bytes(), reports.RowOf(o, r))
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("the library has only these verdicts: %v", seen)
	}
}

func compareRows(t *testing.T, name string, line []byte, made reports.Row) {
	t.Helper()
	read, err := reports.ParseRow(line)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if o, err := reports.ParseOrigin(line); err != nil || cmp.Diff(o, made.Origin) != "" {
		t.Errorf("%s: the origin is %+v: %v", name, o, err)
	}
	var a, b bytes.Buffer
	if err := reports.CSVRow(&a, &made); err != nil {
		t.Fatal(err)
	}
	if err := reports.CSVRow(&b, &read); err != nil || a.String() != b.String() {
		t.Errorf("%s: made\n%sand read\n%s%v", name, a.String(), b.String(), err)
	}
	// Hours of nodes are written with six decimals; everything else is exact.
	made.NodeHours, read.NodeHours = 0, 0
	if d := cmp.Diff(made, read); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

func TestFailureRow(t *testing.T) {
	seed := uint64(3)
	for _, f := range []reports.Failure{
		{ExitCode: 2, Error: "a.yaml:1:1: error: one\n  x\n  ^\nand \x1b[2J"},
		{Scenario: "s", Strategy: "rolling", Seed: &seed, ExitCode: 3, Error: "cut off"},
	} {
		o := reports.Origin{Input: 1, File: "a.yaml", Upsim: "v1"}
		var line bytes.Buffer
		if err := reports.FailureRow(&line, o, f); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(line.Bytes(), []byte("\n")); n != 1 || bytes.ContainsRune(line.Bytes(), '\x1b') {
			t.Errorf("%q is no line to print", line.String())
		}
		compareRows(t, f.Error, line.Bytes(), reports.FailureOf(o, f))
	}
}

func TestNoRow(t *testing.T) {
	for _, line := range []string{"", "{}", "[]", "null", `{"input":1}`, `{"input":0,"apiVersion":"upsim/v1","kind":"Result"}`,
		`{"input":1,"apiVersion":"upsim/v1","kind":"Plan"}`, `{"input":1,"apiVersion":"upsim/v2","kind":"Result"}`,
		`{"input":1,"apiVersion":"upsim/v1","kind":"Result"`, `{"input":"x","apiVersion":"upsim/v1","kind":"Result"}`} {
		if r, err := reports.ParseRow([]byte(line)); err == nil {
			t.Errorf("%s is taken for %+v", line, r)
		}
	}
}

// A row has a cell in each column.
func TestCSV(t *testing.T) {
	var text bytes.Buffer
	if err := reports.CSVHead(&text); err != nil {
		t.Fatal(err)
	}
	row := reports.FailureOf(reports.Origin{Input: 1, File: "a,\n.yaml"}, reports.Failure{Error: "one\ntwo"})
	if err := reports.CSVRow(&text, &row); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(records) != 2 || len(records[0]) != len(records[1]) {
		t.Fatalf("%v: %v", records, err)
	}
	if last := len(records[0]) - 1; records[0][last] != "error" || records[1][last] != "one" || records[1][1] != "a,\n.yaml" {
		t.Errorf("%q", records)
	}
}

// The summary names the five worst and the five slowest, of equal ones the longest and then the first, and the first failures.
func TestBatchSummary(t *testing.T) {
	var b reports.Batch
	add := func(input int, name string, v sim.Verdict, makespan, down sim.Seconds) {
		r := reports.Row{Origin: reports.Origin{Input: input, File: name + ".yaml"}}
		if v != sim.Safe {
			r.Reason = map[bool]model.Code{true: model.NoReadyReplica, false: model.DrainNeverEnds}[down > 0]
		}
		r.Line = reports.Line{Scenario: name, Strategy: "rolling", Verdict: v, Makespan: makespan, WorstDowntime: down}
		b.Add(r)
	}
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		add(i+1, name, sim.Safe, 60, 0)
	}
	add(8, "slow", sim.Safe, 7200, 0)
	add(9, "out", sim.Violated, 30, 600)
	add(10, "worse", sim.Violated, 20, 1200)
	add(11, "stays", sim.Stuck, 10, 0)
	add(12, "longer", sim.Stuck, 15, 0)
	for i := range 7 {
		b.Add(reports.FailureOf(reports.Origin{Input: 13 + i, File: "broken.yaml"}, reports.Failure{Error: "it is broken\n  here"}))
	}
	var got strings.Builder
	if err := b.Table(&got, reports.TableOptions{}); err != nil {
		t.Fatal(err)
	}
	want := `12 simulations of 19 files: 8 safe, 2 violated, 2 stuck; 7 without a result
not safe because of DrainNeverEnds (2), NoReadyReplica (2)

Worst:
  FILE         SCENARIO  VERDICT   REASON          WORST-DOWN  MAKESPAN
  longer.yaml  longer    stuck     DrainNeverEnds           -       15s
  stays.yaml   stays     stuck     DrainNeverEnds           -       10s
  worse.yaml   worse     violated  NoReadyReplica         20m       20s
  out.yaml     out       violated  NoReadyReplica         10m       30s

Slowest:
  FILE       SCENARIO  VERDICT  MAKESPAN
  slow.yaml  slow      safe           2h
  a.yaml     a         safe           1m
  b.yaml     b         safe           1m
  c.yaml     c         safe           1m
  d.yaml     d         safe           1m

Without a result:
  broken.yaml: it is broken
  broken.yaml: it is broken
  broken.yaml: it is broken
  broken.yaml: it is broken
  broken.yaml: it is broken
  and 2 more: the rows that have an error
`
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Error(d)
	}
}
