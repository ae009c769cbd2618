package scenarios_test

import (
	"testing"

	"upsim/model"
	"upsim/scenarios"
	"upsim/sim"
)

// The scenario presets holds all systems against each other: what of their documents can be seen in the figures, with several seeds.
func TestPresetsCompared(t *testing.T) {
	e, ok := scenarios.Find("presets")
	if !ok {
		t.Fatal("there is no scenario presets")
	}
	sc := load(t, e)[0]
	ups := map[string]model.NamedUpgrade{}
	for _, up := range sc.Upgrades() {
		ups[up.Name] = up
		if up.Upgrade.Nodes.Strategy != up.Name {
			t.Errorf("%s is the strategy %s", up.Name, up.Upgrade.Nodes.Strategy)
		}
	}
	for _, p := range model.Presets() {
		if _, ok := ups[p.Name]; p.System && !ok {
			t.Errorf("%s is not in the scenario", p.Name)
		}
	}
	extra := map[string]int{ // nodes beyond the sixty, pools of 42 and 18
		"gke-surge": 1, "gke-blue-green": 42, "eks": 6, "aks": 1, "aks-blue-green": 42, "cluster-api": 1, "karpenter": 5 + 2, "kops": 1, "gardener": 2,
	}
	for seed := uint64(1); seed <= 4; seed++ {
		r := map[string]*sim.Result{}
		for name, up := range ups {
			r[name] = run(t, sc, up, sim.Options{Seed: seed})
			want := sim.Safe
			if name == "system-upgrade-controller" || name == "kubespray" {
				want = sim.Violated
			}
			if r[name].Verdict != want || r[name].Surge.PeakNodes != extra[name] {
				t.Errorf("%s, seed %d: %s with %d extra nodes, want %s with %d; reasons:\n%s", name, seed, r[name].Verdict, r[name].Surge.PeakNodes, want, extra[name], reasons(r[name]))
			}
			if want == sim.Safe && r[name].FinalVersions["v1.34.2"] != 60 {
				t.Errorf("%s, seed %d: %v at the end", name, seed, r[name].FinalVersions)
			}
		}
		for _, pair := range [][2]string{
			{"karpenter", "gardener"},            // a tenth of each pool is faster than one of each,
			{"gardener", "cluster-api"},          // which is faster than one of all:
			{"cluster-api", "kubeadm"},           // a new node comes in 3 min, and one in place takes 5
			{"eks", "eks-minimal"},               // with extra nodes by, nobody waits for a new one
			{"openshift", "kubeadm"},             // pools beside each other are faster than one after the other
			{"gke-blue-green", "aks-blue-green"}, // which has a soak after each batch
		} {
			if a, b := r[pair[0]].MakespanSeconds, r[pair[1]].MakespanSeconds; a >= b {
				t.Errorf("seed %d: %s takes %v s, %s %v s", seed, pair[0], a, pair[1], b)
			}
		}
	}
}
