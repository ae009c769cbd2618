package main

import (
	"bytes"
	"slices"
	"testing"

	"upsim/model"
	"upsim/reports"
	"upsim/scenarios"
	"upsim/sim"
)

// Every upgrade of the library, written as a plan and read back, runs to the same bytes: the same events with
// the same result under the same name.
func TestPlansOfTheLibrary(t *testing.T) {
	planned := 0
	for _, e := range scenarios.Library() {
		list, err := e.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, sc := range list {
			for _, up := range sc.Upgrades() {
				planned += runAsPlanned(t, sc, list, up)
			}
		}
	}
	if planned < 20 {
		t.Errorf("only %d upgrades of the library could be planned", planned)
	}
}

// So does every strategy on a cluster that is several minors behind, at every minor or only when it must.
func TestPlansOfStrategies(t *testing.T) {
	planned := 0
	for _, s := range model.Presets() {
		if s.Name == model.StrategyCustom {
			continue
		}
		for _, hops := range []string{"final", "each"} {
			text := "apiVersion: upsim/v1\nkind: Scenario\nmetadata: {name: " + hops + "}\n" +
				"cluster:\n  version: v1.31.4\n  nodePools:\n" +
				"  - {name: a, count: 5, zones: [x, y, z], kubelet: v1.30.2}\n  - {name: b, count: 4, zones: [x, y], kubelet: v1.29.1}\n" +
				"  workloads:\n  - {name: web, replicas: 6, podDisruptionBudget: {maxUnavailable: 1}}\n" +
				"upgrade: {to: v1.33.2, nodes: {strategy: " + s.Name + ", hops: " + hops + "}}\n"
			list, faults := model.Decode(s.Name+".yaml", []byte(text), nil)
			if len(faults) > 0 {
				continue // a strategy that cannot be used yet, or that has no hops to choose
			}
			planned += runAsPlanned(t, list[0], list, list[0].Upgrades()[0])
		}
	}
	if planned < 8 {
		t.Errorf("only %d could be planned", planned)
	}
}

// runAsPlanned reports whether the upgrade could be planned, 1 or 0.
func runAsPlanned(t *testing.T, sc *model.Scenario, among []*model.Scenario, up model.NamedUpgrade) int {
	t.Helper()
	name := sc.Name + ", " + up.Name
	w, err := sim.Compile(sc, up)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Hindrances()) > 0 {
		return 0
	}
	want := resultText(t, w)
	for _, format := range []string{reports.FormatYAML, reports.FormatJSON} {
		var doc bytes.Buffer
		if err := reports.Plan(&doc, w.Plan(sc.Seed), format, reports.TableOptions{}); err != nil {
			t.Fatal(err)
		}
		planned, faults := model.DecodePlan("plan", doc.Bytes(), among)
		if len(faults) > 0 {
			t.Errorf("%s: %v\n%s", name, faults, doc.String())
			return 0
		}
		w2, err := sim.Compile(planned, planned.Upgrades()[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := resultText(t, w2); got != want {
			t.Errorf("%s runs otherwise by its plan:\n%s\n%s\n%s", name, want, got, doc.String())
		}
	}
	return 1
}

func resultText(t *testing.T, w *sim.World) string {
	t.Helper()
	var b bytes.Buffer
	r := w.Run(sim.Options{})
	// A plan is of no system, and so nobody can say what that one's control plane is.
	r.Reasons = slices.DeleteFunc(r.Reasons, func(f model.Finding) bool { return f.Code == model.ControlPlaneNotManaged })
	if err := reports.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
