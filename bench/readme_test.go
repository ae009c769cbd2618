package bench

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of recordings in README; read the difference before you commit it")

const (
	readme     = "../README.md"
	tableBegin = "<!-- recorded against simulated: written by go test ./bench -run TestReadmeTable -update -->\n"
	tableEnd   = "<!-- end of the table -->\n"
)

// TestReadmeTable: the table of recorded against simulated figures in README is the one that the runs give.
func TestReadmeTable(t *testing.T) {
	if testing.Short() {
		t.Skip("all recordings are simulated")
	}
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), tableBegin)
	have, after, ended := strings.Cut(rest, tableEnd)
	if !ok || !ended {
		t.Fatalf("%s has no %q … %q", readme, tableBegin, tableEnd)
	}
	want := recordingsTable(t)
	if *update {
		if err := os.WriteFile(readme, []byte(before+tableBegin+want+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have != want {
		t.Errorf("the table of recordings in README is not that of the runs (go test ./bench -run TestReadmeTable -update); it would be\n%s", want)
	}
}

// recordingsTable has a row a recording: makespan, evictions and refused evictions, recorded and simulated.
func recordingsTable(t *testing.T) string {
	t.Helper()
	dirs, err := Recordings(tracesDir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| recording | makespan in seconds: recorded | simulated | evictions: recorded | simulated | refused: recorded | simulated |\n|---|---|---|---|---|---|---|\n")
	for _, dir := range dirs {
		rec, err := LoadRecording(dir)
		if err != nil {
			t.Fatal(err)
		}
		var makespans, evictions, refused []float64
		for _, r := range simulate(t, rec.Scenario, seeds) {
			makespans = append(makespans, float64(r.MakespanSeconds))
			evictions = append(evictions, float64(r.Evictions))
			refused = append(refused, float64(r.EvictionsRefused))
		}
		s := rec.Record.Summary
		fmt.Fprintf(&b, "| %s | %.1f | %s | %d | %s | %d | %s |\n", filepath.Base(dir), s.MakespanSeconds, simulatedCell(makespans, 1),
			s.Evictions, simulatedCell(evictions, 0), s.EvictionsRefused, simulatedCell(refused, 0))
	}
	return b.String()
}

// simulatedCell is the median with the 1st and the 99th percentile, or the median alone where these are equal to it.
func simulatedCell(values []float64, digits int) string {
	text := func(q float64) string { return strconv.FormatFloat(quantile(values, q), 'f', digits, 64) }
	lo, mid, hi := text(0.01), text(0.5), text(0.99)
	if lo == mid && hi == mid {
		return mid
	}
	return fmt.Sprintf("%s (%s … %s)", mid, lo, hi)
}
