package sim

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"upsim/model"
)

// TestMachinesKeepQuorum replaces control planes of all sizes, with a look at their health before each machine: etcd never
// lacks a quorum and some API server always answers, however long machines and members take, unless the only instance
// has to go first. At the end as many instances are there as before, all new, and every one of their members votes.
func TestMachinesKeepQuorum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := rapid.IntRange
		span := func(what string) model.Dist {
			return model.Const(time.Duration(d(0, 400).Draw(rt, what)) * time.Second)
		}
		from, to := model.Version{Major: 1, Minor: 33, Patch: 4}, model.Version{Major: 1, Minor: 34, Patch: 2}
		sc := &model.Scenario{Name: "machines", Seed: uint64(d(1, 1000).Draw(rt, "seed")), Assumptions: model.DefaultAssumptions(),
			Cluster: model.Cluster{Version: from, ControlPlane: model.ControlPlane{Replicas: d(1, 7).Draw(rt, "instances"), Etcd: model.EtcdStacked}},
			Upgrade: model.Upgrade{To: to, Path: []model.Version{to}, ControlPlane: model.DefaultControlPlaneUpgrade(false), Nodes: model.DefaultNodeUpgrade()}}
		sc.Assumptions.NodeProvision, sc.Assumptions.EtcdCatchUp, sc.Assumptions.NodeDelete = span("provision"), span("catch up"), span("delete")
		up, n := &sc.Upgrade.ControlPlane, sc.Cluster.ControlPlane.Replicas
		up.Replace = model.ReplaceMachines
		switch d(1, 3).Draw(rt, "how") {
		case 2:
			if n >= model.LeastForDeleteFirst {
				up.MaxSurge = 0
			}
		case 3:
			up.MaxSurge, up.KeepEtcdVolume = 0, true
		}
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			rt.Fatal(err)
		}
		r := w.newRun(Options{Audit: true})
		r.begin()
		r.loop()
		res := r.result()
		few := up.KeepEtcdVolume && n < 3 // the one that is away is needed
		if lost := res.ControlPlane.QuorumLostSeconds > 0 || res.ControlPlane.APIUnavailableSeconds > 0; lost && !few {
			rt.Fatalf("%d instances, surge %d, volumes kept %v: no quorum for %v s, no API server for %v s", n, up.MaxSurge, up.KeepEtcdVolume,
				res.ControlPlane.QuorumLostSeconds, res.ControlPlane.APIUnavailableSeconds)
		}
		there := 0
		for i := range r.cp.instances {
			in := &r.cp.instances[i]
			if in.there != (i >= n) || in.there != in.votes() || in.there != in.up() || in.there && w.version(in.api) != to {
				rt.Fatalf("instance %d at the end: %+v", i+1, *in)
			}
			there += int(one(in.there))
		}
		if there != n || res.MakespanSeconds <= 0 || len(res.Nodes) != 2*n {
			rt.Fatalf("%d of %d instances are there, %d nodes in the result", there, n, len(res.Nodes))
		}
		if want := up.MaxSurge; res.Surge.PeakNodes != want {
			rt.Fatalf("%d extra machines at once, maxSurge is %d", res.Surge.PeakNodes, want)
		}
	})
}
