package bench

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"upsim/sim"
)

// recordings are all that are for comparing, and the time that the real control plane took for them.
func recordings(tb testing.TB) (list []*Recording, seconds float64) {
	tb.Helper()
	dirs, err := Recordings(tracesDir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, dir := range dirs {
		rec, err := LoadRecording(dir)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, rec)
		seconds += rec.Record.Summary.MakespanSeconds
	}
	return list, seconds
}

// BenchmarkRecordings simulates every recorded upgrade once, from its loaded scenario, and says how much less time that takes than
// the real control plane took.
func BenchmarkRecordings(b *testing.B) {
	list, seconds := recordings(b)
	runs := 0
	start := cpuTime()
	for b.Loop() {
		for _, rec := range list {
			compile(b, rec.Scenario).RunLast(sim.Options{})
		}
		runs++
	}
	spent := (cpuTime() - start).Seconds() / float64(runs)
	b.ReportMetric(spent*1000, "cpu-ms/op")
	b.ReportMetric(seconds, "recorded-s")
	b.ReportMetric(seconds/spent, "times-faster")
}

// TestRecordedTimeInReadme: README says how long the recorded upgrades took.
func TestRecordedTimeInReadme(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	list, seconds := recordings(t)
	want := fmt.Sprintf("The %d recorded upgrades took the real control plane %.0f s", len(list), seconds)
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("README does not say: %s", want)
	}
}
