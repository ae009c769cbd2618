package sim

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"upsim/model"
)

// An upgrade that is laid out as a plan and run by it is the same course of
// events with the same result, whatever the strategy and whatever goes wrong.
func TestPlansRunTheSame(t *testing.T) {
	phases, ran := map[int]int{}, 0
	rapid.Check(t, func(rt *rapid.T) {
		sc := randomTrouble(rt)
		asDecoded(&sc.Upgrade.Nodes)
		// A plan names the nodes that an autoscaler may take away before their stage begins.
		sc.Faults = slices.DeleteFunc(sc.Faults, func(f model.Fault) bool { return f.Kind == model.ScaleDown })
		up := sc.Upgrades()[0]
		w, err := Compile(sc, up)
		if err != nil {
			rt.Fatal(err)
		}
		if len(w.Hindrances()) > 0 {
			return
		}
		want := w.Run(Options{MaxEvents: mostEvents})
		plan := w.Plan(sc.Seed)
		planned, _ := plan.Apply(up.Upgrade, &sc.Cluster)
		w2, err := Compile(sc, model.NamedUpgrade{Name: up.Name, Upgrade: planned})
		if err != nil {
			rt.Fatal(err)
		}
		if len(w2.nodes) != len(w.nodes) {
			return // new nodes were made ready for a stage that takes none, and chance is drawn by a node's number
		}
		got := w2.Run(Options{MaxEvents: mostEvents, Audit: true})
		nodePhases := 0
		for _, ph := range plan.Phases {
			if !ph.ControlPlane {
				nodePhases++
			}
		}
		if nodePhases > 1 && !allDrained(want) {
			return // which nodes a later phase finds is another matter then
		}
		// A plan has no stages without nodes, and so no word on them.
		want.Reasons = slices.DeleteFunc(want.Reasons, func(f model.Finding) bool { return f.Code == model.StageGetsNoNode })
		for _, r := range []*Result{want, got} {
			if len(r.Reasons) == 0 {
				r.Reasons = nil
			}
		}
		if a, b := resultText(rt, want), resultText(rt, got); !bytes.Equal(a, b) {
			rt.Fatalf("the plan\n%+v\nruns otherwise:\n%s\n%s", plan, a, b)
		}
		phases[nodePhases]++
		ran++
	})
	t.Logf("%d ran, by number of node phases: %v", ran, phases)
	if ran == 0 {
		t.Error("no upgrade could start")
	}
}

// A bare pod keeps kubectl from draining y-1 in the first phase, after y-1-new has come for it. In the last phase both stand and
// are to move, and the plan that names y-1 takes both: it is laid out before anybody knows of the new one.
func TestPlanTakesANodeWhoseNewOneStandsBesideIt(t *testing.T) {
	sc := storyScenario(t, "beside.txt", `cluster:
  version: v1.33.4
  nodePools: [{name: x, count: 2, kubelet: v1.33.4}, {name: y, count: 1, kubelet: v1.30.4}]
  workloads: [{name: bare, kind: Pod, placement: [y-1]}]
upgrade:
  to: v1.34.2
  nodes:
    strategy: canary
    drain: {force: true}
    stages: [{name: a, nodes: {count: 2}, replace: surge, maxSurge: 1, maxUnavailable: 0, drain: {force: false, onFailure: skip}}]
assumptions:
  unsupportedKubelet: reportOnly
`)
	up := sc.Upgrades()[0]
	w, err := Compile(sc, up)
	if err != nil {
		t.Fatal(err)
	}
	planned, _ := w.Plan(sc.Seed).Apply(up.Upgrade, &sc.Cluster)
	w2, err := Compile(sc, model.NamedUpgrade{Name: up.Name, Upgrade: planned})
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]*World{"the upgrade": w, "the plan made of it": w2} {
		r := w.Run(Options{Audit: true})
		if r.FinalVersions["v1.34.2"] != 4 || len(r.FinalVersions) != 1 || r.Evictions != 1 || !r.Has(model.DrainRefused) {
			t.Errorf("%s: %s, %v, evictions %d, want y-1 and y-1-new at v1.34.2 with x-1-new and x-2-new, and the bare pod evicted: %+v", name, r.Verdict, r.FinalVersions, r.Evictions, r.Reasons)
		}
	}
}

// allDrained reports whether every drain ended well at the first try.
func allDrained(r *Result) bool {
	for _, f := range []model.Code{model.DrainTimedOut, model.DrainFailed, model.DrainRefused} {
		if r.Has(f) {
			return false
		}
	}
	for _, n := range r.Nodes {
		if n.DrainResult != "drained" && n.DrainResult != "none" {
			return false
		}
	}
	return r.Verdict != Stuck && r.Verdict != Aborted
}

// asDecoded gives a random upgrade what the loader gives every one: a drain that waits has no number of attempts.
func asDecoded(u *model.NodeUpgrade) {
	drains := []*model.Drain{&u.Drain}
	for i := range u.Stages {
		drains = append(drains, &u.Stages[i].Drain)
	}
	for _, d := range drains {
		if d.OnFailure == model.DrainWait {
			d.Attempts = 1
		}
	}
}
