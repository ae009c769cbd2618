package bench

import (
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"upsim/model"
	"upsim/sim"
)

const (
	tracesDir = "testdata/traces"
	// seeds 1 to 100 are compared, as the rules say.
	seeds = 100
	// workers is the number of runs at once.
	workers = 2
)

// shortRecordings stand for all of them in short tests.
var shortRecordings = []string{"a-serial", "e-minavail50", "f-statefulset", "j-antiaffinity"}

// TestRecordings simulates every recorded upgrade and wants the figures of the real one.
func TestRecordings(t *testing.T) {
	dirs, err := Recordings(tracesDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			if testing.Short() && !slices.Contains(shortRecordings, name) {
				t.Skip("not one of the short ones")
			}
			rec, err := LoadRecording(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, off := range Compare(rec, simulate(t, rec.Scenario, seeds)) {
				t.Error(off)
			}
		})
	}
}

// simulate runs the scenario's one upgrade with the seeds from 1 to n, in their order.
func simulate(t *testing.T, sc *model.Scenario, n int) []*sim.Result {
	t.Helper()
	world, err := sim.Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	runs := make([]*sim.Result, n)
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				runs[i] = world.Run(sim.Options{Seed: uint64(i + 1)})
			}
		})
	}
	group.Wait()
	return runs
}

// TestRecordingsAreWhole: each record has the figures that are compared.
func TestRecordingsAreWhole(t *testing.T) {
	dirs, err := Recordings(tracesDir)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(dirs))
	for i, dir := range dirs {
		names[i] = filepath.Base(dir)
		rec, err := readRecord(filepath.Join(dir, "recorded.json.gz"))
		if err != nil {
			t.Error(err)
			continue
		}
		s := rec.Summary
		nodes := 0
		for _, n := range s.FinalVersions {
			nodes += n
		}
		if s.MakespanSeconds <= 0 || len(s.Workloads) == 0 || len(s.Drains) == 0 || nodes < len(s.Drains) {
			t.Errorf("%s lacks figures: %+v", dir, s)
		}
	}
	for _, name := range shortRecordings {
		if !slices.Contains(names, name) {
			t.Errorf("there is no recording %s", name)
		}
	}
}
