package bench

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
	"upsim/sim"
)

// every is each strategy with each variant and mix, on a cluster of that size.
func every(nodes, podsPerNode int) (list []Synthetic) {
	for _, strategy := range Strategies() {
		for _, variant := range Variants() {
			for _, mix := range Mixes() {
				list = append(list, Synthetic{Nodes: nodes, PodsPerNode: podsPerNode, Strategy: strategy, Variant: variant, Mix: mix})
			}
		}
	}
	return list
}

// TestSyntheticWritten holds the text against one written by hand.
func TestSyntheticWritten(t *testing.T) {
	const file = `apiVersion: upsim/v1
kind: Scenario
metadata: {name: synthetic-equal-VARIANT-surge-30-nodes-300-pods}
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
  nodes: {strategy: surge, maxSurge: 1%}
assumptions:
  startup: {p50: 10s, p99: 60s}
  nodeProvision: 3m
  controllerQPS: 100
  controllerBurst: 100
`
	for variant, constraint := range map[Variant]string{
		Plain:        "",
		ZoneSpread:   "topologySpreadConstraints: [{topologyKey: topology.kubernetes.io/zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]\n",
		AntiAffinity: "podAntiAffinity: {required: [{topologyKey: kubernetes.io/hostname}]}\n",
	} {
		if constraint != "" {
			constraint = "    " + constraint
		}
		want := strings.NewReplacer("VARIANT", string(variant), "    CONSTRAINT\n", constraint).Replace(file)
		got, err := Synthetic{Nodes: 30, PodsPerNode: 10, Strategy: "surge", Variant: variant}.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: written by hand (-), by upsim (+)\n%s", variant, diff)
		}
	}
}

// TestSyntheticUpgrades: every cluster can be upgraded whole, with no pod without a node.
func TestSyntheticUpgrades(t *testing.T) {
	for _, s := range every(60, 15) {
		r := compile(t, synthetic(t, s)).Run(sim.Options{Seed: 1})
		if r.Verdict != sim.Safe || r.FinalVersions["v1.34.4"] != 60 || r.FinalPending != 0 {
			t.Errorf("%s: %s, versions %v, %d pods pending: %v", s.Name(), r.Verdict, r.FinalVersions, r.FinalPending, r.Reasons)
		}
		// Each pod that was there at the start has to leave its node at least once.
		if r.Evictions < 60*15 {
			t.Errorf("%s: %d evictions of %d pods", s.Name(), r.Evictions, 60*15)
		}
		if s.Variant == Contended && r.EvictionsRefused == 0 {
			t.Errorf("%s: no eviction was refused", s.Name())
		}
	}
}

// TestMeasureIsTheRun: what is measured is the run of the scenario.
func TestMeasureIsTheRun(t *testing.T) {
	s := Synthetic{Nodes: 120, PodsPerNode: 7, Strategy: "surge", Mix: Drawn}
	runs := 0
	m, err := Measure(s, Repeats{Repeat: 2, Seeds: 1, Done: func() { runs++ }})
	if err != nil {
		t.Fatal(err)
	}
	r := compile(t, synthetic(t, s)).Run(sim.Options{})
	if m.Engine != r.Engine || m.Verdict != r.Verdict || m.Events != r.Engine.Events || m.PodsMoved != uint64(r.Evictions) || m.Pods != 840 || runs != 2 {
		t.Errorf("measured %+v in %d runs; the run has %+v and %d evictions", m, runs, r.Engine, r.Evictions)
	}
	several, err := Measure(s, Repeats{Repeat: 1, Seeds: 4})
	if err != nil {
		t.Fatal(err)
	}
	if several.Engine != r.Engine || several.Events < 3*m.Events || several.PodsMoved < 4*840 {
		t.Errorf("of four seeds: %+v", several)
	}
}

func TestSyntheticCounts(t *testing.T) {
	list := []Synthetic{{}, {Nodes: 7, PodsPerNode: 3, PodsPerWorkload: 4}, {Nodes: 3, PodsPerNode: 1}, {Nodes: 1234, Variant: Contended}}
	for _, s := range slices.Concat(list, every(7, 1), every(2500, 41)) {
		s = s.withDefaults()
		if s.Variant == AntiAffinity && s.PodsPerWorkload >= s.Nodes {
			continue // such a cluster is refused
		}
		sc := synthetic(t, s)
		nodes, room, wanted := 0, model.Resources{}, model.Resources{}
		for _, p := range sc.Cluster.Pools {
			nodes += p.Count
			room.CPU += int64(p.Count) * p.Allocatable.CPU
			room.Memory += int64(p.Count) * p.Allocatable.Memory
			room.Pods += int64(p.Count) * p.Allocatable.Pods
		}
		for _, w := range sc.Cluster.Workloads {
			n := int64(w.Count * w.Replicas)
			wanted.CPU += n * w.Requests.CPU
			wanted.Memory += n * w.Requests.Memory
			wanted.Pods += n
		}
		if nodes != s.Nodes || sc.Pods() != s.Nodes*s.PodsPerNode {
			t.Errorf("%s: %d nodes, %d pods", s.Name(), nodes, sc.Pods())
		}
		if s.Nodes < 100 {
			continue // too few for the shares of a mix to be met
		}
		if 5*wanted.CPU > 4*room.CPU+room.CPU/50 || 5*wanted.Memory > 4*room.Memory+room.Memory/50 || 5*wanted.Pods > 4*room.Pods {
			t.Errorf("%s: the pods want %+v of %+v, and a quarter is to be free besides", s.Name(), wanted, room)
		}
	}
}

// TestDrawnRequests holds the mix of requests against the public dumps: of 381 containers 56 % request CPU, 100m in
// the median and 250m at the 90th percentile, and 42 % memory, 70 Mi in the median.
func TestDrawnRequests(t *testing.T) {
	sc := synthetic(t, Synthetic{Nodes: 1000, Mix: Drawn})
	var cpu, memory []float64
	all := 0
	for _, w := range sc.Cluster.Workloads {
		for range w.Count {
			all++
			if w.Requests.CPU > 0 {
				cpu = append(cpu, float64(w.Requests.CPU))
			}
			if w.Requests.Memory > 0 {
				memory = append(memory, float64(w.Requests.Memory/mebi))
			}
		}
	}
	if share := float64(len(cpu)) / float64(all); math.Abs(share-0.56) > 0.05 || quantile(cpu, 0.5) != 100 || quantile(cpu, 0.9) != 250 {
		t.Errorf("%.2f request CPU, %v in the median, %v at the 90th percentile", share, quantile(cpu, 0.5), quantile(cpu, 0.9))
	}
	if share := float64(len(memory)) / float64(all); math.Abs(share-0.42) > 0.05 || quantile(memory, 0.5) != 70 {
		t.Errorf("%.2f request memory, %v in the median", share, quantile(memory, 0.5))
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
		"is no strategy":      {Strategy: "waves"},
		"is no mix":           {Mix: "odd"},
	} {
		if _, err := s.Scenario(); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
