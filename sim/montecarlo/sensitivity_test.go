package montecarlo

import (
	"math"
	"testing"
	"time"

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

// Five seeds of which one lost a pause of 5 s tell nothing; that all of them take two seconds more tells.
func TestEffectIsToldFromChance(t *testing.T) {
	of := func(verdict sim.Verdict, makespans ...float64) (f Figures) {
		f.values = [len(sensitive)][]float64{makespans, make([]float64, len(makespans)), make([]float64, len(makespans))}
		for _, m := range makespans {
			f.Makespan += sim.Seconds(m / float64(len(makespans)))
			f.verdicts = append(f.verdicts, verdict)
		}
		return f
	}
	as := of(sim.Safe, 30, 30.1, 30, 29.9, 30)
	for _, c := range []struct {
		name       string
		less, more Figures
		told       bool
	}{
		{"nothing", as, as, false},
		{"one pause", as, of(sim.Safe, 30, 30.1, 35, 29.9, 30), false},
		{"every seed", of(sim.Safe, 28, 28.2, 28, 27.9, 28), as, true},
		{"the verdict", as, of(sim.Violated, 30, 30.1, 30, 29.9, 30), true},
	} {
		e := Effect{Less: c.less, More: c.more}
		if got := e.told(&as); got != c.told {
			t.Errorf("%s: told %v, want %v", c.name, got, c.told)
		}
	}
}

// What a workload has of its own in place of an assumption, or beside them, is varied too, and the scenario stays as it was.
func TestVaryTimesOfWorkloads(t *testing.T) {
	list, faults := model.Decode("own.yaml", []byte(`apiVersion: upsim/v1
kind: Scenario
metadata: {name: own}
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 3, kubelet: v1.33.4}]
  workloads: [{name: db, kind: StatefulSet, replicas: 2, quorum: 1, catchUp: 20s, volume: {zonal: true, attach: 30s, detach: 20s}}]
upgrade: {to: v1.34.2, controlPlane: skip}
`), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	s, err := Vary(list[0], list[0].Upgrades()[0], Options{Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"workloads[].catchUp": true, "workloads[].volume.attach": true, "workloads[].volume.detach": true}
	for _, e := range s.Effects {
		delete(want, e.Assumption)
	}
	if len(want) > 0 {
		t.Errorf("not varied: %v", want)
	}
	attach, detach := model.Const(30*time.Second), model.Const(20*time.Second)
	if diff := cmp.Diff(&model.Volume{Zonal: true, Attach: &attach, Detach: &detach}, list[0].Cluster.Workloads[0].Volume); diff != "" {
		t.Errorf("the scenario's volume is another one now:\n%s", diff)
	}
}
