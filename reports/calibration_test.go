package reports

import (
	"bytes"
	"testing"
	"time"

	"upsim/model"
	"upsim/model/calibrate"
)

// someCalibration has one of everything that can be said of a calibration.
func someCalibration() *calibrate.Calibration {
	const s, ms = time.Second, time.Millisecond
	db, gpu := calibrate.Subject{Namespace: "shop", Name: "db"}, calibrate.Subject{Pool: "gpu"}
	web := calibrate.Subject{Namespace: model.DefaultNamespace, Name: "web"}
	return &calibrate.Calibration{
		Inputs: []calibrate.Input{{Name: "before.json", Pods: 214, Nodes: 12, Events: 1840}, {Name: "last-year.json", Recording: true, Events: 1}},
		Estimates: []calibrate.Estimate{
			{Quantity: calibrate.Startup, Others: true, N: 187, Min: 6 * s, Median: 11 * s, Max: 51 * s, Resolution: s, Use: true,
				Sources: []string{"conditions PodScheduled to Ready"},
				Fit:     &calibrate.Fit{Dist: model.LogNormalDist(11200*ms, 48*s), D: 0.0412, Bound: 0.0652}},
			{Quantity: calibrate.Startup, Of: db, Apart: true, N: 12, Min: 39 * s, Median: 40 * s, Max: 90 * s, Resolution: s, Use: true,
				Fit: &calibrate.Fit{Dist: model.EmpiricalDist(39*s, 40*s, 90*s), D: 0.31, Bound: 0.24}},
			{Quantity: calibrate.Startup, Of: web, N: 1, Min: 8 * s, Median: 8 * s, Max: 8 * s, Resolution: s, Why: "1 of the 3 that are needed where they agree, and 5 where they differ"},
			{Quantity: calibrate.Startup, Of: calibrate.Subject{Namespace: "shop", Name: "report", Kind: "CronJob"}, Apart: true, N: 3, Min: 40 * s, Median: 40 * s, Max: 40 * s, Resolution: s,
				Why: "a scenario has no CronJob", Fit: &calibrate.Fit{Dist: model.Const(40 * s)}},
			{Quantity: calibrate.Shutdown, From: []calibrate.Subject{web}, N: 3, Min: s, Median: 2 * s, Max: 2 * s, Resolution: s, Use: true,
				Sources: []string{"a", "b"}, Fit: &calibrate.Fit{Dist: model.Const(1700 * ms)}},
			{Quantity: calibrate.NodeUpgrade, N: 6, Min: 240 * s, Median: 300 * s, Max: 600 * s, Resolution: s, Use: true,
				Sources: []string{"cordoned to Ready"}, Fit: &calibrate.Fit{Dist: model.EmpiricalDist(240*s, 250*s, 300*s, 310*s, 320*s, 600*s)}},
			{Quantity: calibrate.NodeUpgrade, Of: gpu, Apart: true, N: 1, Min: 600 * s, Median: 600 * s, Max: 600 * s, Resolution: s, Why: "not as other pools', and a scenario has one value for all pools"},
			{Quantity: calibrate.ControlPlaneNode, N: 2, Min: 360 * s, Median: 361 * s, Max: 365 * s, Resolution: s, Use: true,
				Sources: []string{"cordoned to Ready"}, Fit: &calibrate.Fit{Dist: model.Const(362 * s)}},
			{Quantity: calibrate.NodeBoot, N: 3, Min: 40 * s, Median: 40 * s, Max: 41 * s, Resolution: s, Why: "only a part of nodeProvision",
				Sources: []string{"creationTimestamp to Ready"}, Fit: &calibrate.Fit{Dist: model.Const(40300 * ms)}},
		},
		LeftOut: []calibrate.LeftOut{{Quantity: calibrate.Startup, Why: "has restarted, and its Ready is of the last time", Count: 7, Example: "Pod/shop/web\x1b[1m in before.json"}},
		Missing: []calibrate.Missing{
			{Quantity: calibrate.NodeProvision, Why: "no snapshot tells it", Fix: "ask the provider", Command: "ask --politely"},
			{Quantity: calibrate.TaintLag, Why: "it is milliseconds", Fix: "record an upgrade"},
			{Quantity: calibrate.DeletionLag, Why: "it is milliseconds", Fix: "record an upgrade"},
		},
	}
}

func TestCalibrationGolden(t *testing.T) {
	nothing := &calibrate.Calibration{Inputs: []calibrate.Input{{Name: "f"}}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"calibration.txt": func(b *bytes.Buffer) error { return Calibration(b, someCalibration(), FormatTable, TableOptions{}) },
		"calibration.80.txt": func(b *bytes.Buffer) error {
			return Calibration(b, someCalibration(), FormatTable, TableOptions{Width: 80})
		},
		"calibration.json":      func(b *bytes.Buffer) error { return Calibration(b, someCalibration(), FormatJSON, TableOptions{}) },
		"calibration.yaml":      func(b *bytes.Buffer) error { return Calibration(b, someCalibration(), FormatYAML, TableOptions{}) },
		"calibration-none.txt":  func(b *bytes.Buffer) error { return Calibration(b, nothing, FormatTable, TableOptions{}) },
		"calibration-none.json": func(b *bytes.Buffer) error { return Calibration(b, nothing, FormatJSON, TableOptions{}) },
		"calibration-none.yaml": func(b *bytes.Buffer) error { return Calibration(b, nothing, FormatYAML, TableOptions{}) },
	} {
		golden(t, name, bytesOf(t, write))
	}
	if err := Calibration(&bytes.Buffer{}, nothing, "csv", TableOptions{}); err == nil {
		t.Error("csv is no format of a calibration")
	}
}

// Pasted into a scenario the YAML is accepted, and says what was measured.
func TestCalibrationPasted(t *testing.T) {
	measured := bytesOf(t, func(b *bytes.Buffer) error { return Calibration(b, someCalibration(), FormatYAML, TableOptions{}) })
	const head = "apiVersion: upsim/v1\nkind: Scenario\nmetadata: {name: pasted}\n"
	// The block of the control plane ends the text, and the workloads stand before it.
	text := bytes.Replace(measured, []byte("cluster:\n"), []byte("cluster:\n  version: v1.33.9\n"), 1)
	text = append([]byte(head), append(text, "  to: v1.34.2\n"...)...)
	list, faults := model.Decode("pasted.yaml", text, nil)
	if len(faults) > 0 {
		t.Fatalf("%v in\n%s", faults, text)
	}
	a, w, up := &list[0].Assumptions, &list[0].Cluster.Workloads[0], &list[0].Upgrade
	if a.Startup.P50 != 11200*time.Millisecond || a.Startup.P99 != 48*time.Second || a.Shutdown.Value != 1700*time.Millisecond || len(a.NodeUpgrade.Values) != 6 {
		t.Errorf("%+v", a)
	}
	if w.Name != "db" || w.Namespace != "shop" || w.Startup == nil || len(w.Startup.Values) != 3 || w.Startup.Values[2] != 90*time.Second {
		t.Errorf("%+v", w)
	}
	if up.ControlPlane.PerNode == nil || up.ControlPlane.PerNode.Value != 362*time.Second {
		t.Errorf("%+v", up.ControlPlane)
	}
	if a.NodeProvision.Value != 3*time.Minute {
		t.Errorf("nodeProvision %+v", a.NodeProvision)
	}
}
