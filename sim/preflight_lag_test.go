package sim

import (
	"fmt"
	"strings"
	"testing"

	"upsim/model"
)

// GKE's and Gardener's pools may be two minors behind; the policy of Kubernetes is three, and so is that of AKS and EKS
// (before 1.28 two, when the policy is two as well, for kubelets older than 1.25). So nodes move before a step of the control plane
// that would leave them further behind, and a pool that is too far behind at the start is named.
func TestNodePoolLags(t *testing.T) {
	for _, c := range []struct {
		strategy, from, to, pools string
		phases, behind            string
	}{
		{"gke-surge", "v1.31.0", "v1.33", "", "plane 1.32, plane 1.33, nodes 1.33", ""},
		{"gke-surge", "v1.31.0", "v1.34", "", "plane 1.32, plane 1.33, nodes 1.33, plane 1.34, nodes 1.34", ""},
		{"gke-blue-green", "v1.31.0", "v1.35", "", "plane 1.32, plane 1.33, nodes 1.33, plane 1.34, plane 1.35, nodes 1.35", ""},
		{"gke-surge, lag: [b]", "v1.31.0", "v1.34", "", "plane 1.32, plane 1.33, nodes 1.33, plane 1.34, nodes 1.34", ""},
		{"gke-surge", "v1.31.0", "v1.33", "kubelet: v1.30.5", "plane 1.32, nodes 1.32, plane 1.33, nodes 1.33", ""},
		{"gke-surge", "v1.33.0", "v1.34", "kubelet: v1.30.5", "nodes 1.33, plane 1.34, nodes 1.34", "a at v1.30 is 3 minors older than the control plane at 1.33, and gke-surge allows 2"},
		{"gke-surge, maxLag: 3", "v1.31.0", "v1.34", "", "plane 1.32, plane 1.33, plane 1.34, nodes 1.34", ""},
		{"aks, hops: final", "v1.31.0", "v1.34", "", "plane 1.32, plane 1.33, plane 1.34, nodes 1.34", ""},
		{"eks", "v1.28.0", "v1.31", "", "plane 1.29, plane 1.30, plane 1.31, nodes 1.31", ""},
		{"gardener, hops: final", "v1.31.0", "v1.34", "", "plane 1.32, plane 1.33, nodes 1.33, plane 1.34, nodes 1.34", ""},
	} {
		sc := scenarioOf(t, fmt.Sprintf(`
cluster:
  version: %s
  controlPlane: {managed: true}
  nodePools: [{name: a, count: 2, %s}, {name: b, count: 1}]
upgrade: {to: %s, nodes: {strategy: %s}}
`, c.from, c.pools, c.to, c.strategy))
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			t.Fatal(err)
		}
		r := w.newRun(Options{})
		r.begin()
		var phases []string
		for _, p := range r.rollout.plan {
			what := "nodes "
			if p.controlPlane {
				what = "plane "
			}
			phases = append(phases, what+p.to.MinorString())
		}
		if got := strings.Join(phases, ", "); got != c.phases {
			t.Errorf("%s from %s to %s: %s, want %s", c.strategy, c.from, c.to, got, c.phases)
		}
		behind := ""
		for _, f := range w.Findings() {
			if f.Code == model.NodePoolLagsTooFar {
				behind += f.Message
			}
		}
		if !strings.HasPrefix(behind, c.behind) || c.behind == "" && behind != "" {
			t.Errorf("%s from %s to %s: %q, want %q", c.strategy, c.from, c.to, behind, c.behind)
		}
	}
}
