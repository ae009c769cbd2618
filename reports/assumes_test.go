package reports

import (
	"strings"
	"testing"
	"time"

	"upsim/model"
	"upsim/sim"
)

// The report names the assumptions that come to bear, and which of them nobody has measured.
func TestAssumes(t *testing.T) {
	const head = `{apiVersion: upsim/v1, kind: Scenario, metadata: {name: a}, `
	const one = head + `cluster: {version: 1.33.4, nodePools: [{name: p, count: 2}], workloads: [{name: w}]}, `
	for _, c := range []struct{ name, file, strategy, want string }{
		{"defaults", one + `upgrade: {to: 1.34.2}}`, "rolling", "node upgrade 5m, pod start 10s, pod stop 2s (defaults)"},
		{"one measured", one + `upgrade: {to: 1.34.2}, assumptions: {nodeUpgrade: 7m30s}}`, "rolling", "node upgrade 7m30s, pod start 10s (default), pod stop 2s (default)"},
		{"written as it is", one + `upgrade: {to: 1.34.2}, assumptions: {nodeUpgrade: 5m}}`, "rolling", "node upgrade 5m, pod start 10s, pod stop 2s (defaults)"},
		{"all measured", one + `upgrade: {to: 1.34.2}, assumptions: {nodeUpgrade: {dist: uniform, min: 3m, max: 6m}, startup: {p50: 15s, p99: 60s}, shutdown: {dist: empirical, values: [4s, 1s]}}}`,
			"rolling", "node upgrade 3m–6m, pod start 15s/1m (p50/p99), pod stop 1s–4s"},
		{"surge", one + `upgrade: {to: 1.34.2, nodes: {strategy: surge}}, assumptions: {nodeProvision: 4m}}`, "surge",
			"node upgrade 5m (default), new node 4m, node removal 0s (default), pod start 10s (default), pod stop 2s (default)"},
		{"only new nodes", one + `upgrade: {to: 1.34.2, controlPlane: {perNode: 9m}, nodes: {strategy: blueGreen}}}`, "blueGreen", "new node 3m, node removal 0s, pod start 10s, pod stop 2s (defaults)"},
		{"the entry that was simulated", one + `upgrade: {to: 1.34.2, controlPlane: {perNode: 9m}}, strategies: [{name: x}, {name: y, strategy: surge}]}`, "x", "node upgrade 5m, pod start 10s, pod stop 2s (defaults)"},
		{"workloads with their own", head + `cluster: {version: 1.33.4, nodePools: [{name: p, count: 2}], workloads: [{name: w, startup: 3s, shutdown: 1s}]}, upgrade: {to: 1.34.2}}`, "rolling", "node upgrade 5m (default)"},
	} {
		found, faults := model.Decode("a", []byte(c.file), nil)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", c.name, faults)
		}
		r := result(sim.Safe)
		r.Strategy = c.strategy
		out := string(table(t, r, func() *model.Scenario { return found[0] }, TableOptions{}))
		if !strings.Contains(out, "  assumes:       "+c.want+"\n") {
			t.Errorf("%s: want %q in\n%s", c.name, c.want, out)
		}
	}
	if out := string(table(t, result(sim.Safe), nil, TableOptions{})); strings.Contains(out, "assumes") {
		t.Errorf("what was assumed is not known without the scenario:\n%s", out)
	}
}

func TestDistribution(t *testing.T) {
	for want, d := range map[string]model.Dist{
		"1s–5s":              {Kind: model.Triangular, Min: time.Second, Mode: 2 * time.Second, Max: 5 * time.Second},
		"6.9s/46s (p50/p99)": {Kind: model.Exponential, Mean: 10 * time.Second},
		"1m/1m23s (p50/p99)": {Kind: model.Normal, Mean: time.Minute, StdDev: 10 * time.Second},
	} {
		if got := distribution(d); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
