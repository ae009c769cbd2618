package reports

import (
	"strings"
	"testing"

	"upsim/sim"
)

// What is zero is not said.
func TestTotalsLeaveZerosOut(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(*sim.Result)
		want, never string
	}{
		"nothing":   {func(*sim.Result) {}, "at the end:", "control plane:"},
		"no pods":   {func(*sim.Result) {}, "run:", "evictions:"},
		"API":       {func(r *sim.Result) { r.ControlPlane.APIUnavailableSeconds = 40 }, "API server away for 40s\n", "etcd"},
		"etcd":      {func(r *sim.Result) { r.ControlPlane.QuorumLostSeconds = 20 }, "etcd without quorum for 20s\n", "API server"},
		"refused":   {func(r *sim.Result) { r.EvictionsRefused = 3 }, "0 accepted, 3 refused\n", "deleted"},
		"errors":    {func(r *sim.Result) { r.EvictionErrors = 1 }, "0 accepted, 0 refused, 1 error\n", "deleted"},
		"deletions": {func(r *sim.Result) { r.Deletions = 2 }, "2 pods deleted without eviction\n", "accepted"},
		"surge":     {func(r *sim.Result) { r.Surge = sim.Surge{PeakNodes: 12, NodeHours: 4.5168} }, "extra nodes:   12 at most at once, 4.52 node hours\n", "("},
		"minutes":   {func(r *sim.Result) { r.Surge = sim.Surge{PeakNodes: 1, NodeHours: 0.01541} }, "1 at most at once, 0.015 node hours (55s)\n", "0.02"},
		"blast":     {func(r *sim.Result) { r.BlastRadius = sim.BlastRadius{Pods: 1, Workloads: 1} }, "blast radius:  a bad version reached 1 pod of 1 workload\n", "extra"},
		"no blast":  {func(*sim.Result) {}, "run:", "blast radius"},
		"pending":   {func(r *sim.Result) { r.FinalPending = 2 }, ", 2 pods without a node\n", "accepted"},
	} {
		r := result(sim.Safe)
		c.change(r)
		out := string(table(t, r, nil, TableOptions{}))
		if !strings.Contains(out, c.want) || strings.Contains(out, c.never) {
			t.Errorf("%s: want %q and not %q in\n%s", name, c.want, c.never, out)
		}
	}
}
