package montecarlo

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"upsim/model"
	"upsim/sim"
)

// Three nodes one after the other, each away for nodeUpgrade; web is bound to the first, and down while that is away and
// until it has started again. So a fifth of 60 s moves the makespan by 36 s, a fifth of 10 s the downtime by 2 s.
const three = `apiVersion: upsim/v1
kind: Scenario
metadata: {name: three}
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 3, kubelet: v1.33.4}]
  workloads: [{name: web, startup: 10s, placement: [n-1], nodeSelector: {kubernetes.io/hostname: n-1}}]
upgrade: {to: v1.34.2, controlPlane: skip}
assumptions: {nodeUpgrade: 60s}
objectives: {window: 3m15s}
`

func vary(t *testing.T, o Options) *Sensitivity {
	t.Helper()
	list, faults := model.Decode("three.yaml", []byte(three), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	s, err := Vary(list[0], list[0].Upgrades()[0], o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestVary(t *testing.T) {
	s := vary(t, Options{Seeds: 3})
	if s.Seeds != 3 || s.As.Verdicts[sim.Safe] != 3 {
		t.Fatalf("as it is: %+v", s.As)
	}
	first := s.Effects[0]
	if first.Assumption != "nodeUpgrade" || first.Default || first.Turned != 3 || first.More.Verdicts[sim.Violated] != 3 {
		t.Errorf("nodeUpgrade turns the verdict: with a fifth more of it the window is missed; got %+v", first)
	}
	near := func(what string, got, want sim.Seconds) {
		t.Helper()
		if math.Abs(float64(got-want)) > 0.5 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("makespan", first.More.Makespan-s.As.Makespan, 36)
	near("makespan", first.Less.Makespan-s.As.Makespan, -36)
	for _, e := range s.Effects {
		switch e.Assumption {
		case "workloads[].startup":
			if !s.Moves(&e) || e.Value != nil {
				t.Errorf("the pods' own start: %+v", e)
			}
			near("downtime", e.More.Downtime-s.As.Downtime, 2)
		case "startup", "etcdRestore", "nodeProvision":
			if s.Moves(&e) || !e.Default {
				t.Errorf("%s has no part in it: %+v", e.Assumption, e)
			}
		}
	}
}

// The scenario is as it was, and the number of workers changes nothing.
func TestVaryIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	one, many := vary(t, Options{Workers: 1}), vary(t, Options{Workers: 7})
	if one.Seeds != DefaultSeeds {
		t.Errorf("%d seeds", one.Seeds)
	}
	if diff := cmp.Diff(one, many, cmp.AllowUnexported(Figures{}), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
