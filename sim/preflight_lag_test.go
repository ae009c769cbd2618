package sim

import (
	"fmt"
	"strings"
	"testing"

	"upsim/model"
)

// GKE's and Gardener's pools may be two minors behind; the policy of Kubernetes is three, and so is that of AKS and EKS
// (before 1.28 two, when the policy is two as well, for kubelets older than 1.25). A pool is named once, at the first step that leaves it too far behind.
func TestNodePoolLags(t *testing.T) {
	for _, c := range []struct {
		strategy, from, to, pools string
		want                      []string
	}{
		{"gke-surge", "v1.31.0", "v1.33", "", nil},
		{"gke-surge", "v1.31.0", "v1.34", "", []string{"a at v1.31 would be 3 minors older than the control plane at 1.34, and gke-surge allows 2", "b at v1.31"}},
		{"gke-surge, hops: each", "v1.31.0", "v1.34", "", nil},
		{"gke-surge, hops: each, lag: [b]", "v1.31.0", "v1.34", "", []string{"b at v1.31 would be 3"}},
		{"gke-surge", "v1.31.0", "v1.33", "kubelet: v1.30.5", []string{"a at v1.30 would be 3 minors older than the control plane at 1.33"}},
		{"gke-blue-green", "v1.31.0", "v1.35", "", []string{"a at v1.31 would be 3 minors older than the control plane at 1.34", "b at v1.31"}},
		{"aks", "v1.31.0", "v1.34", "kubelet: v1.30.5", nil}, // the pools follow every minor, and one that is older with them
		{"aks, hops: final", "v1.31.0", "v1.34", "", nil},
		{"eks", "v1.28.0", "v1.31", "", nil},
		{"gardener, hops: final", "v1.31.0", "v1.34", "", []string{"a at v1.31 would be 3", "b at v1.31"}},
		{"gardener", "v1.31.0", "v1.34", "", nil},
		{"cluster-api", "v1.31.0", "v1.34", "", nil},
		{"surge", "v1.31.0", "v1.34", "", nil},
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
		var got []string
		for _, f := range w.Findings() {
			if f.Code == model.NodePoolLagsTooFar {
				got = append(got, f.Message)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%+v: %q", c, got)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(got[i], want) {
				t.Errorf("%+v: %q", c, got[i])
			}
		}
	}
}
