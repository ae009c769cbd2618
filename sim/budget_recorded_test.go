package sim

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"upsim/model"
)

// TestExpectedPodsRecorded holds the numbers of pods that budgets expected while upgrades of small clusters were recorded
// against the simulated ones. Measured: with an integer minAvailable "it counts existing pods, terminating ones included
// (3 → 4 → 3); with a percentage or maxUnavailable it is the controller's replica count".
func TestExpectedPodsRecorded(t *testing.T) {
	const traces = "../bench/testdata/traces"
	for _, c := range []struct {
		recording, rule string
		least, most     int
	}{
		{"a-serial", "minAvailable 2 of 3", 3, 4},
		{"b-parallel2", "minAvailable 2 of 3", 3, 4},
		{"m-grace-long", "maxUnavailable 1 of 3", 3, 3},
		{"d-maxunav30", "maxUnavailable 30% of 10", 10, 10},
		{"e-minavail50", "minAvailable 50% of 7", 7, 7},
		{"g-nospare", "maxUnavailable 2 of 6", 6, 6},
	} {
		if least, most := recordedExpectation(t, filepath.Join(traces, c.recording, "recorded.json.gz")); least != c.least || most != c.most {
			t.Errorf("%s, %s: recorded from %d to %d pods expected, want %d to %d", c.recording, c.rule, least, most, c.least, c.most)
		}
		file := filepath.Join(traces, c.recording, "scenario.yaml")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		scs, faults := model.Decode(file, data, nil)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		least, most := 1<<30, 0
		for _, m := range regexp.MustCompile(`PodDisruptionBudget/\S+ expects (\d+),`).FindAllStringSubmatch(tellStory(t, scs[0], nil, Options{Seed: 1}), -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			least, most = min(least, n), max(most, n)
		}
		if least != c.least || most != c.most {
			t.Errorf("%s, %s: simulated from %d to %d pods expected, want %d to %d", c.recording, c.rule, least, most, c.least, c.most)
		}
	}
}

// recordedExpectation is the least and the most of expectedPods in a recording's budgets.
func recordedExpectation(t *testing.T, path string) (least, most int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var record struct {
		Events []struct {
			Type         string
			ExpectedPods int
		}
	}
	if err := json.NewDecoder(z).Decode(&record); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", path, err))
	}
	least = 1 << 30
	for _, e := range record.Events {
		if e.Type == "pdb.status" {
			least, most = min(least, e.ExpectedPods), max(most, e.ExpectedPods)
		}
	}
	return least, most
}
