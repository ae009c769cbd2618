package bench

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
	"upsim/sim"
)

// TestSyntheticIsALoadedScenario: a synthetic scenario is what the loader makes
// of the same cluster written down, so that no default is missing.
func TestSyntheticIsALoadedScenario(t *testing.T) {
	const file = `apiVersion: upsim/v1
kind: Scenario
metadata: {name: synthetic-VARIANT-30-nodes-300-pods}
cluster:
  version: v1.34.4
  controlPlane: {managed: true}
  nodePools:
  - name: pool01
    count: 30
    zones: [a, b, c]
    allocatable: {cpu: 1300m, memory: 1664Mi, pods: 110}
    kubelet: v1.33.9
  workloads:
  - name: app
    count: 30
    replicas: 10
    requests: {cpu: 100m, memory: 128Mi}
    podDisruptionBudget: {maxUnavailable: 10%}
    CONSTRAINT
upgrade:
  to: v1.34.4
  controlPlane: skip
  nodes: {strategy: rolling, maxUnavailable: 1%}
assumptions:
  startup: {p50: 10s, p99: 60s}
  controllerQPS: 100
  controllerBurst: 100
`
	for variant, constraint := range map[Variant]string{
		Plain:        "",
		ZoneSpread:   "topologySpreadConstraints: [{topologyKey: topology.kubernetes.io/zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]",
		AntiAffinity: "podAntiAffinity: {required: [{topologyKey: kubernetes.io/hostname}]}",
	} {
		text := strings.NewReplacer("VARIANT", string(variant), "CONSTRAINT", constraint).Replace(file)
		list, faults := model.Decode("written.yaml", []byte(text), nil)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		want, got := list[0], synthetic(t, Synthetic{Nodes: 30, PodsPerNode: 10, Variant: variant})
		want.File = got.File
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: loaded (-), synthetic (+)\n%s", variant, diff)
		}
	}
}

// TestSyntheticUpgrades: every variant can be upgraded whole, with no pod without a node.
func TestSyntheticUpgrades(t *testing.T) {
	for _, variant := range Variants() {
		sc := synthetic(t, Synthetic{Nodes: 60, PodsPerNode: 15, Variant: variant})
		r := compile(t, sc).Run(sim.Options{Seed: 1})
		if r.FinalVersions["v1.34.4"] != 60 || r.FinalPending != 0 {
			t.Errorf("%s: %s, versions %v, %d pods pending: %v", variant, r.Verdict, r.FinalVersions, r.FinalPending, r.Reasons)
		}
		// Each pod that was there at the start has to leave its node at least once.
		if r.Evictions < 60*15 {
			t.Errorf("%s: %d evictions of %d pods", variant, r.Evictions, 60*15)
		}
		if variant == Contended && r.EvictionsRefused == 0 {
			t.Errorf("%s: no eviction was refused", variant)
		}
	}
}

func TestSyntheticCounts(t *testing.T) {
	for _, s := range []Synthetic{{}, {Nodes: 7, PodsPerNode: 3, PodsPerWorkload: 4}, {Nodes: 3, PodsPerNode: 1}, {Nodes: 1234, Variant: Contended}} {
		sc := synthetic(t, s)
		s = s.withDefaults()
		nodes := 0
		for _, p := range sc.Cluster.Pools {
			nodes += p.Count
			if room := p.Allocatable.CPU / podCPU; 4*room < 5*int64(s.PodsPerNode) {
				t.Errorf("%+v: room for %d pods on a node is less than a quarter to spare", s, room)
			}
		}
		if nodes != s.Nodes || pods(sc) != s.Nodes*s.PodsPerNode {
			t.Errorf("%+v: %d nodes, %d pods", s, nodes, pods(sc))
		}
	}
}

func TestSyntheticRefuses(t *testing.T) {
	for word, s := range map[string]Synthetic{
		"at least one node":   {Nodes: -1},
		"one pod a workload":  {PodsPerWorkload: -3},
		"nodes are more than": {Nodes: 1 << 40},
		"pods on each":        {Nodes: 100_000, PodsPerNode: 1 << 40},
		"share a node":        {Nodes: 10, Variant: AntiAffinity},
		"is no variant":       {Variant: "hard"},
	} {
		if _, err := s.Scenario(); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
