package sim

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"upsim/model"
)

// TestIndexChoosesAsSearch runs random clusters with the index and with the
// exhaustive search: every placement must be the same, so the digests are.
func TestIndexChoosesAsSearch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sc := randomScenario(rt)
		w, err := Compile(sc, model.NamedUpgrade{Name: "rolling", Upgrade: sc.Upgrade})
		if err != nil {
			rt.Fatal(err)
		}
		plain := w.Run(Options{Audit: true, MaxEvents: mostEvents, plainSearch: true})
		indexed := w.Run(Options{Audit: true, MaxEvents: mostEvents, forceIndex: true})
		if plain.Engine.Events >= mostEvents {
			rt.Fatalf("a small cluster took %d events", plain.Engine.Events)
		}
		if plain.Engine.Digest != indexed.Engine.Digest {
			rt.Fatalf("the index led to another run: %v and %v", plain.Engine, indexed.Engine)
		}
	})
}

// mostEvents is more than a random upgrade needs, so that one that does not end is seen as such.
const mostEvents = 1_000_000

// randomScenario draws a small cluster whose nodes, zones, requests, budgets and constraints vary, and a strategy.
func randomScenario(rt *rapid.T) *model.Scenario {
	d := rapid.IntRange
	sc := &model.Scenario{Name: "random", Assumptions: model.DefaultAssumptions(), Seed: uint64(d(1, 1000).Draw(rt, "seed"))}
	old, to := model.Version{Major: 1, Minor: 33, Patch: 4}, model.Version{Major: 1, Minor: 34, Patch: 2}
	sc.Cluster.Version = to
	sc.Cluster.ControlPlane = model.ControlPlane{Replicas: 3, Managed: true}
	zones := []string{"a", "b", "c", "d", "e", "f"}[:d(0, rapid.SampledFrom([]int{3, 3, 6}).Draw(rt, "most zones")).Draw(rt, "zones")]
	for p := range d(1, 2).Draw(rt, "pools") {
		sc.Cluster.Pools = append(sc.Cluster.Pools, model.NodePool{Name: fmt.Sprint("pool", p), Count: d(2, rapid.SampledFrom([]int{8, 8, 150}).Draw(rt, "most")).Draw(rt, "nodes"), Zones: zones,
			Allocatable: model.Resources{CPU: int64(1000 * d(1, 8).Draw(rt, "cpu")), Memory: int64(d(1, 8).Draw(rt, "memory")) << 30, Pods: int64(d(4, 20).Draw(rt, "pods"))},
			Kubelet:     old, KubeProxy: old})
	}
	for i := range d(1, 4).Draw(rt, "workloads") {
		w := model.Workload{Name: fmt.Sprint("w", i), Namespace: "default", Kind: rapid.SampledFrom([]model.Kind{model.Deployment, model.StatefulSet, model.Job, model.DaemonSet}).Draw(rt, "kind"), Count: 1,
			Replicas: d(1, 9).Draw(rt, "replicas"), Requests: model.Resources{CPU: int64(100 * d(0, 9).Draw(rt, "request")), Memory: int64(100*d(0, 9).Draw(rt, "bytes")) << 20},
			GracePeriod: 30 * time.Second, Parallel: rapid.Bool().Draw(rt, "parallel")}
		for range d(0, 2).Draw(rt, "spreads") {
			w.Spread = append(w.Spread, model.SpreadConstraint{TopologyKey: rapid.SampledFrom([]string{model.LabelHostname, model.LabelZone}).Draw(rt, "key"), MaxSkew: d(1, 3).Draw(rt, "skew"),
				DoNotSchedule: rapid.Bool().Draw(rt, "hard"), HonorTaints: rapid.Bool().Draw(rt, "honor")})
		}
		if d(0, 3).Draw(rt, "anti") == 0 {
			w.AntiAffinity.Required = append(w.AntiAffinity.Required, model.PodTerm{TopologyKey: rapid.SampledFrom([]string{model.LabelHostname, model.LabelZone}).Draw(rt, "antikey")})
		}
		if d(0, 1).Draw(rt, "budget") == 1 {
			n := intstr.FromInt32(int32(d(1, 3).Draw(rt, "unavailable")))
			w.Budget = &model.Budget{MaxUnavailable: &n}
		}
		sc.Cluster.Workloads = append(sc.Cluster.Workloads, w)
	}
	drain := model.DefaultDrain()
	drain.Timeout = time.Duration(d(0, 60).Draw(rt, "timeout")) * time.Second
	drain.OnFailure = rapid.SampledFrom([]model.OnDrainFailure{model.DrainFail, model.DrainSkip, model.DrainUncordonAndContinue, model.DrainUncordonAndRetry, model.DrainForceDelete}).Draw(rt, "failure")
	sc.Upgrade = model.Upgrade{To: to, Path: []model.Version{to}, ControlPlane: model.ControlPlaneUpgrade{Skip: true}, Nodes: model.DefaultNodeUpgrade()}
	sc.Upgrade.Nodes.MaxUnavailable, sc.Upgrade.Nodes.Drain = intstr.FromInt32(int32(d(1, 4).Draw(rt, "atOnce"))), drain
	randomNewNodes(rt, &sc.Upgrade.Nodes)
	return sc
}

// randomNewNodes sometimes makes the strategy one that brings new nodes, as the loader reads it.
func randomNewNodes(rt *rapid.T, u *model.NodeUpgrade) {
	d := rapid.IntRange
	some := func(what string) intstr.IntOrString {
		if d(1, 2).Draw(rt, what+" as a percentage") == 2 {
			return intstr.FromString(fmt.Sprintf("%d%%", d(1, 100).Draw(rt, what)))
		}
		return intstr.FromInt32(int32(d(1, 5).Draw(rt, what)))
	}
	soak := func(what string) time.Duration {
		return time.Duration(rapid.SampledFrom([]int{0, 0, 7, 90}).Draw(rt, what)) * time.Second
	}
	u.Replace = rapid.SampledFrom([]model.Replace{model.ReplaceInPlace, model.ReplaceInPlace, model.ReplaceSurge, model.ReplaceBlueGreen,
		model.ReplaceTerminateFirst, model.ReplaceReimage, model.ReplaceDetachSurge}).Draw(rt, "replace")
	zero := intstr.FromInt32(0)
	switch u.Replace {
	case model.ReplaceSurge, model.ReplaceDetachSurge:
		u.MaxSurge, u.MaxUnavailable = some("surge"), zero
		if d(1, 3).Draw(rt, "some go first") == 1 {
			u.MaxUnavailable = some("unavailable")
		}
		if u.Replace == model.ReplaceSurge && d(1, 4).Draw(rt, "cordon before") == 1 {
			u.Cordon = model.CordonOwnFirst
		}
	case model.ReplaceReimage, model.ReplaceTerminateFirst:
		if d(1, 3).Draw(rt, "extra nodes") > 1 {
			u.MaxSurge, u.SurgePerZone = some("surge"), rapid.Bool().Draw(rt, "per zone")
			u.Cordon = rapid.SampledFrom([]model.CordonScope{model.CordonOwn, model.CordonAll, model.CordonAllFirst}).Draw(rt, "cordon")
		}
	case model.ReplaceBlueGreen:
		u.Batch, u.BatchSoak, u.PoolSoak = some("batch"), soak("batch soak"), soak("pool soak")
		u.MaxUnavailable, u.Slots = zero, model.SlotsBarrier
		u.Cordon = rapid.SampledFrom([]model.CordonScope{model.CordonAll, model.CordonAllFirst}).Draw(rt, "cordon")
	}
	u.PercentOf = rapid.SampledFrom([]model.PercentOf{model.PercentOfWorkers, model.PercentOfStage}).Draw(rt, "percent of")
	u.Pools = rapid.SampledFrom([]model.PoolOrder{model.PoolsTogether, model.PoolsTogether, model.PoolsSequential, model.PoolsParallel}).Draw(rt, "pools")
	u.NodeOrder = rapid.SampledFrom([]model.NodeOrder{model.OrderName, model.OrderZone, model.OrderRandom}).Draw(rt, "order")
	u.Taint = rapid.SampledFrom([]model.TaintEffect{"", "", model.PreferNoSchedule, model.NoSchedule}).Draw(rt, "taint")
	u.FirstAlone = d(1, 4).Draw(rt, "first alone") == 1
	if u.Replace != model.ReplaceBlueGreen && d(1, 4).Draw(rt, "node gate") == 1 {
		u.NodeGate = &model.Gate{NodesReady: true, WorkloadsAvailable: rapid.Bool().Draw(rt, "available after each"), Timeout: time.Duration(d(0, 400).Draw(rt, "timeout after each")) * time.Second}
	}
	if d(1, 6).Draw(rt, "limit of boots") == 1 {
		u.ProvisionTimeout = time.Duration(d(1, 300).Draw(rt, "provision timeout")) * time.Second
	}
	if d(1, 6).Draw(rt, "at most") == 1 {
		u.AtMost = d(1, 3).Draw(rt, "so many")
	}
}

// bringsNewNodes reports whether a stage of the strategy does.
func bringsNewNodes(sc *model.Scenario) bool {
	for _, s := range sc.Upgrade.Nodes.Expand(&sc.Cluster) {
		if s.NewNodes() {
			return true
		}
	}
	return false
}
