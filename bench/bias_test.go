package bench

import (
	"math"
	"path/filepath"
	"testing"

	"upsim/model"
)

// TestNoBias pools all recordings: the share of runs below each recorded figure would be spread evenly from 0 to 1 if
// upsim were as likely to have made the recording as the real control plane. Its mean over the 32 recordings must lie within three
// standard errors of a half (0.29/√32 each), for makespan, mean drain time and the seconds in which replicas lacked. A
// bias of some tens of milliseconds shows, as the control without kubectl's start-up does.
func TestNoBias(t *testing.T) {
	if testing.Short() {
		t.Skip("all recordings are simulated")
	}
	kinds := []kind{kindMakespan, kindMeanDrain, kindBelow}
	means, n := meanRanks(t, kinds, func(*model.Scenario) {})
	bound := 3 * math.Sqrt(1.0/12) / math.Sqrt(float64(n))
	for i, name := range []string{"makespan", "mean drain seconds", "seconds below"} {
		t.Logf("%s: mean rank of the record %.2f", name, means[i])
		if math.Abs(means[i]-0.5) > bound {
			t.Errorf("%s: the record is above %.0f %% of the runs in the mean over %d recordings; want 50 %% ± %.0f", name, 100*means[i], n, 100*bound)
		}
	}
	control, _ := meanRanks(t, kinds[:1], func(sc *model.Scenario) { sc.Assumptions.KubectlStart = model.Const(0) })
	if math.Abs(control[0]-0.5) <= bound {
		t.Errorf("without kubectl's start-up the mean rank of the makespan is %.2f, and that is no bias", control[0])
	}
}

// meanRanks is, for each kind of figure, the mean share of runs that lie below the record; equal ones count half.
func meanRanks(t *testing.T, kinds []kind, change func(*model.Scenario)) (means []float64, recordings int) {
	t.Helper()
	dirs, err := Recordings(tracesDir)
	if err != nil {
		t.Fatal(err)
	}
	means, figures := make([]float64, len(kinds)), make([]float64, len(kinds))
	for _, dir := range dirs {
		rec, err := LoadRecording(dir)
		if err != nil {
			t.Fatal(err)
		}
		change(rec.Scenario)
		var got []outcome
		for _, r := range simulate(t, rec.Scenario, seeds) {
			o, err := simulatedOutcome(r, rec.Record.Summary)
			if err != nil {
				t.Fatalf("%s: %v", filepath.Base(dir), err)
			}
			got = append(got, o)
		}
		for i, f := range recordedOutcome(rec.Record.Summary).figures {
			for k, kind := range kinds {
				if f.kind != kind {
					continue
				}
				below := 0.0
				for _, o := range got {
					switch d := o.figures[i].value - f.value; {
					case math.Abs(d) <= rounding:
						below += 0.5
					case d < 0:
						below++
					}
				}
				means[k] += below / float64(len(got))
				figures[k]++
			}
		}
	}
	for k := range means {
		means[k] /= figures[k]
	}
	return means, len(dirs)
}
