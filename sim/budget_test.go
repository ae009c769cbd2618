package sim

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

func budgetOf(t *testing.T, field, value string) *model.Budget {
	t.Helper()
	v := intstr.Parse(value)
	switch field {
	case "minAvailable":
		return &model.Budget{MinAvailable: &v}
	case "maxUnavailable":
		return &model.Budget{MaxUnavailable: &v}
	}
	t.Fatalf("a budget has no field %q", field)
	return nil
}

// statusRow is a row of pdb-status.csv: the status that the disruption controller of a real Kubernetes 1.34 wrote.
// Rows of kind Pod have no controller.
type statusRow struct {
	kind, field, value                            string
	replicas, expected, desired, healthy, allowed int
	sufficient                                    bool
}

func recordedStatus(t *testing.T) []statusRow {
	t.Helper()
	f, err := os.Open("testdata/pdb-status.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	if len(rows) != 1+285 {
		t.Fatalf("%d rows, want 285: the recording is not whole", len(rows)-1)
	}
	var list []statusRow
	for _, row := range rows[1:] {
		cell := func(name string) string {
			i, ok := column[name]
			if !ok {
				t.Fatalf("no column %q", name)
			}
			return row[i]
		}
		number := func(name string) int {
			n, err := strconv.Atoi(cell(name))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if number("ready") != number("currentHealthy") {
			t.Errorf("%v: ready and currentHealthy differ", row)
		}
		list = append(list, statusRow{cell("kind"), cell("field"), cell("value"), number("replicas"), number("expectedPods"), number("desiredHealthy"),
			number("currentHealthy"), number("disruptionsAllowed"), cell("condition") == "SufficientPods"})
	}
	return list
}

func TestBudgetStatusRecorded(t *testing.T) {
	for _, row := range recordedStatus(t) {
		sum, known := ownerScale(model.Kind(row.kind), row.replicas)
		e, d, a := budgetStatus(budgetOf(t, row.field, row.value), known, sum, row.replicas, row.healthy)
		if e != row.expected || d != row.desired || a != row.allowed || row.sufficient != (a > 0) {
			t.Errorf("%+v: got expected %d, desired %d, allowed %d", row, e, d, a)
		}
	}
}

// The same rows as a run begins with them: a scenario of so many pods, some of which never turn Ready.
func TestBudgetStatusOfARun(t *testing.T) {
	for _, row := range recordedStatus(t) {
		workloads := &strings.Builder{}
		fmt.Fprintln(workloads, "  workloads:\n  - {name: other}")
		entry := func(name string, n int, more string) {
			if model.Kind(row.kind) != model.BarePod {
				fmt.Fprintf(workloads, "  - {name: %s, kind: %s, replicas: %d, labels: {app: x}%s}\n", name, row.kind, n, more)
				return
			}
			for i := range n {
				fmt.Fprintf(workloads, "  - {name: %s-%d, kind: Pod, labels: {app: x}%s}\n", name, i, more)
			}
		}
		entry("up", row.healthy, "")
		entry("down", row.replicas-row.healthy, ", neverReady: true")
		sc := storyScenario(t, "status.txt", fmt.Sprintf(`cluster:
  version: v1.34.4
  controlPlane: {managed: true}
  nodes: [{name: n1, kubelet: v1.33.4}]
%s  podDisruptionBudgets: [{name: x, selector: {matchLabels: {app: x}}, %s: %s}]
upgrade: {to: v1.34.4, controlPlane: skip}
`, workloads.String(), row.field, row.value))
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			t.Fatalf("%+v: %v", row, err)
		}
		r := w.newRun(Options{Seed: 1})
		r.begin()
		b := &r.budgets[0]
		if got, want := [4]int32{b.expected, b.desired, b.healthy, b.allowed}, [4]int32{int32(row.expected), int32(row.desired), int32(row.healthy), int32(row.allowed)}; got != want {
			t.Errorf("%+v: a run begins with %v", row, got)
		}
	}
}

// Rows that the recording lacks: rounding, matched pods that differ from the
// replicas (a pod is being replaced), and what cannot be computed.
func TestBudgetStatus(t *testing.T) {
	const noScale = -1
	for _, c := range []struct {
		field, value               string
		replicas, matched, healthy int
		expected, desired, allowed int
	}{
		{"minAvailable", "5", 10, 10, 10, 10, 5, 5},
		{"minAvailable", "50%", 7, 7, 7, 7, 4, 3},
		{"maxUnavailable", "50%", 7, 7, 7, 7, 3, 4},
		{"maxUnavailable", "30%", 3, 3, 3, 3, 2, 1},
		{"maxUnavailable", "30%", 10, 10, 10, 10, 7, 3},
		{"maxUnavailable", "25%", 10, 10, 10, 10, 7, 3},
		{"maxUnavailable", "50%", 1, 1, 1, 1, 0, 1},
		{"minAvailable", "50%", 1, 1, 1, 1, 1, 0},
		{"maxUnavailable", "0%", 1, 1, 1, 1, 1, 0},
		{"maxUnavailable", "1", 5, 5, 4, 5, 4, 0},
		{"minAvailable", "5", 4, 4, 4, 4, 5, 0},
		{"maxUnavailable", "5", 3, 3, 3, 3, 0, 3},
		{"minAvailable", "100%", 3, 3, 3, 3, 3, 0},
		// 3 → 4 → 3 pods while one is being replaced: only the integer minAvailable counts them.
		{"minAvailable", "2", 3, 4, 2, 4, 2, 0},
		{"minAvailable", "50%", 3, 4, 3, 3, 2, 1},
		{"maxUnavailable", "1", 3, 4, 2, 3, 2, 0},
		{"maxUnavailable", "1", 3, 4, 4, 3, 2, 2},
		{"minAvailable", "2", noScale, 3, 3, 3, 2, 1},
		{"maxUnavailable", "1", noScale, 3, 3, 0, 0, 0},
		{"minAvailable", "10%", noScale, 3, 3, 0, 0, 0},
		{"minAvailable", "0", 0, 0, 0, 0, 0, 0},
		{"maxUnavailable", "1", 0, 0, 0, 0, 0, 0},
		{"maxUnavailable", "34%", 5_000_000, 5_000_000, 5_000_000, 5_000_000, 3_300_000, 1_700_000},
	} {
		e, d, a := budgetStatus(budgetOf(t, c.field, c.value), c.replicas != noScale, c.replicas, c.matched, c.healthy)
		if e != c.expected || d != c.desired || a != c.allowed {
			t.Errorf("%s %s of %d replicas, %d pods, %d healthy: expected %d, desired %d, allowed %d; want %d, %d, %d",
				c.field, c.value, c.replicas, c.matched, c.healthy, e, d, a, c.expected, c.desired, c.allowed)
		}
	}
	if e, d, a := budgetStatus(&model.Budget{}, true, 3, 3, 3); e != 0 || d != 0 || a != 0 {
		t.Errorf("a budget without a limit: %d, %d, %d; the controller allows nothing", e, d, a)
	}
	b := budgetOf(t, "maxUnavailable", "30%")
	if n := testing.AllocsPerRun(100, func() { budgetStatus(b, true, 10, 10, 9) }); n != 0 {
		t.Errorf("%v allocations; the simulator calls this at every change of a budget", n)
	}
}

// Unmanaged pods are left out of the sum; a controller without a scale spoils it.
func TestOwnerScale(t *testing.T) {
	for _, c := range []struct {
		kind  model.Kind
		n     int
		known bool
	}{
		{model.Deployment, 3, true}, {model.ReplicaSet, 3, true}, {model.StatefulSet, 3, true},
		{model.BarePod, 0, true},
		{model.DaemonSet, 0, false}, {model.Job, 0, false}, {model.Static, 0, false}, {model.Custom, 0, false},
	} {
		if n, known := ownerScale(c.kind, 3); n != c.n || known != c.known {
			t.Errorf("%s of 3: %d, %v; want %d, %v", c.kind, n, known, c.n, c.known)
		}
	}
}
