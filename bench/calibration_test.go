package bench

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"upsim/model"
	"upsim/model/calibrate"
)

// tooFewTimes names what a recording has fewer than two times of, and how many: kubectl
// drained one pod, or none of a workload, or one node. Everything else that its
// scenario states must be recovered.
var tooFewTimes = map[string][]string{
	"c-blocked":           {"startup solo 0", "shutdown solo 0", "nodeUpgrade 1"},
	"g2-nospare-deadlock": {"nodeUpgrade 0"},
	"h-twopdbs":           {"startup web 0", "shutdown web 0", "nodeUpgrade 0"},
	"i1-unhealthy-budget": {"startup bad 0", "shutdown bad 0", "nodeUpgrade 0"},
	"i2-unhealthy-always": {"startup bad 0"},
	"i3-unhealthy-mixed":  {"startup good 0", "shutdown good 0", "startup bad 0", "shutdown bad 1", "nodeUpgrade 0"},
	"l-barepod":           {"startup bare 0", "shutdown bare 0", "startup web 1", "shutdown web 1", "nodeUpgrade 1"},
	"l2-barepod-force":    {"startup bare 0"},
	"o-daemonset":         {"startup agent 0", "shutdown agent 0"},
	"q2-surge2-sts":       {"shutdown agent 0"},
}

// TestCalibrationRecoversRecordings calibrates every recording and wants each
// constant that its scenario states within 5 %, by the numbers that a scenario gets into which the result is pasted.
func TestCalibrationRecoversRecordings(t *testing.T) {
	dirs, err := Recordings(tracesDir)
	if err != nil {
		t.Fatal(err)
	}
	checked, worst := 0, 0.0
	for _, dir := range dirs {
		rec, err := LoadRecording(dir)
		if err != nil {
			t.Fatal(err)
		}
		c := calibrateRecording(t, dir)
		var few []string
		check := func(q calibrate.Quantity, workload string, want *model.Dist) {
			if want == nil || want.Kind != model.Constant {
				return
			}
			what := string(q)
			if workload != "" {
				what += " " + workload
			}
			got, n := pasted(c, q, workload)
			if got == nil || n == 0 {
				few = append(few, fmt.Sprintf("%s %d", what, n))
				return
			}
			checked++
			off := math.Abs(float64(got.Quantile(0.5)-want.Value)) / float64(want.Value)
			worst = max(worst, off)
			if off > 0.05 || got.Kind != model.Constant {
				t.Errorf("%s: %s is %+v, stated %v", rec.Name, what, *got, want.Value)
			}
		}
		for i := range rec.Scenario.Cluster.Workloads {
			w := &rec.Scenario.Cluster.Workloads[i]
			for k := range w.Count {
				check(calibrate.Startup, w.CopyName(k), w.Startup)
				check(calibrate.Shutdown, w.CopyName(k), w.Shutdown)
			}
		}
		for _, up := range rec.Scenario.Upgrades() {
			if up.Upgrade.Nodes.Replace == model.ReplaceInPlace {
				check(calibrate.NodeUpgrade, "", &rec.Scenario.Assumptions.NodeUpgrade)
			} else {
				check(calibrate.NodeProvision, "", &rec.Scenario.Assumptions.NodeProvision)
			}
		}
		if !slices.Equal(few, tooFewTimes[rec.Name]) {
			t.Errorf("%s: too few times of %q, listed are %q", rec.Name, few, tooFewTimes[rec.Name])
		}
	}
	if checked != 121 { // README tells this number
		t.Errorf("%d constants were checked", checked)
	}
	t.Logf("%d constants, the worst %.1f %% off", checked, 100*worst)
}

// pasted is what a scenario gets for a workload, or for all with "": its own
// estimate, else that of the others. N counts the workload's own times.
func pasted(c *calibrate.Calibration, q calibrate.Quantity, workload string) (got *model.Dist, n int) {
	own := false
	for _, e := range c.Estimates {
		if e.Quantity != q {
			continue
		}
		if e.Of.Name == workload || len(e.From) == 1 && e.From[0].Name == workload {
			n = e.N
		}
		if e.Use && (e.Of.Name == workload || e.Of.Name == "" && !own) {
			got, own = &e.Fit.Dist, e.Of.Name == workload
		}
	}
	return got, n
}

func calibrateRecording(t *testing.T, dir string) *calibrate.Calibration {
	t.Helper()
	path := filepath.Join(dir, "recorded.json.gz")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := calibrate.NewCollector()
	if err := c.Add(path, f); err != nil {
		t.Fatal(err)
	}
	out, err := c.Calibrate()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCalibratedScenarioAgrees replaces what a recording's scenario states by
// what was measured on the recording, latencies included, and wants the runs to agree with it still.
func TestCalibratedScenarioAgrees(t *testing.T) {
	for _, name := range []string{"a-serial", "e-minavail50", "f-statefulset", "m-grace-long", "o-daemonset", "q2-surge2-sts", "t-bluegreen"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(tracesDir, name)
			rec, err := LoadRecording(dir)
			if err != nil {
				t.Fatal(err)
			}
			c := calibrateRecording(t, dir)
			replaced := 0
			for _, n := range rec.Scenario.Assumptions.Numbers() {
				if d, _ := pasted(c, calibrate.Quantity(n.Name), ""); d != nil {
					*n.Time = *d
					replaced++
				}
			}
			for i := range rec.Scenario.Cluster.Workloads {
				w := &rec.Scenario.Cluster.Workloads[i]
				for q, p := range map[calibrate.Quantity]**model.Dist{calibrate.Startup: &w.Startup, calibrate.Shutdown: &w.Shutdown} {
					if d, n := pasted(c, q, w.Name); d != nil && n > 0 {
						*p = d
						replaced++
					}
				}
			}
			if replaced < 4 {
				t.Fatalf("%d numbers were measured", replaced)
			}
			for _, off := range Compare(rec, simulate(t, rec.Scenario, seeds)) {
				t.Error(off)
			}
		})
	}
}
