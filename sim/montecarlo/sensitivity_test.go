package montecarlo

import (
	"fmt"
	"math"
	"reflect"
	"slices"
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
	if s.Seeds != 3 || s.As.Verdicts[sim.Safe] != 3 || s.As.Ended != 3 {
		t.Fatalf("as it is: %+v", s.As)
	}
	first := s.Effects[0]
	if first.Assumption != "nodeUpgrade" || first.Default || first.Turned != 3 || !first.TurnTold || first.More.Verdicts[sim.Violated] != 3 {
		t.Errorf("nodeUpgrade turns the verdict: with a fifth more of it the window is missed; got %+v", first)
	}
	near := func(what string, got Difference, want float64) {
		t.Helper()
		if !got.Told() || got.N != 3 || math.Abs(got.Mean-want) > 0.5 || got.Half > 0.5 {
			t.Errorf("%s: %+v, want %v", what, got, want)
		}
	}
	near("makespan", first.MoreBy[0], 36)
	near("makespan", first.LessBy[0], -36)
	for _, e := range s.Effects {
		switch e.Assumption {
		case "workloads[web].startup":
			if !s.Moves(&e) || !reflect.DeepEqual(e.Value, model.Const(10*time.Second)) {
				t.Errorf("the pods' own start: %+v", e)
			}
			near("downtime", e.MoreBy[1], 2)
		case "startup", "etcdRestore", "nodeProvision":
			if s.Moves(&e) || !s.Still(&e) || !e.Default {
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

// Ten seeds of which one lost a pause of 5 s tell nothing; that all of them take two seconds more tells, and so does that none does.
func TestEffectIsToldFromChance(t *testing.T) {
	of := func(verdicts []sim.Verdict, makespans ...float64) (f Figures) {
		for i, m := range makespans {
			r := Run{Verdict: verdicts[i%len(verdicts)]}
			r.Figures[Makespan] = m
			f.runs = append(f.runs, r)
			f.Makespan += sim.Seconds(m / float64(len(makespans)))
		}
		return f
	}
	safe, stuck := []sim.Verdict{sim.Safe}, []sim.Verdict{sim.Stuck}
	as := of(safe, 30, 30.1, 30, 29.9, 30, 30, 30, 30, 30.2, 30)
	both := []sim.Verdict{sim.Safe, sim.Violated}
	for _, c := range []struct {
		name         string
		as, more     Figures
		moves, still bool
	}{
		{"nothing", as, as, false, true},
		{"a hundredth", as, of(safe, 30.01, 30.11, 30.01, 29.91, 30.01, 30.01, 30.01, 30.01, 30.21, 30.01), false, true},
		{"one pause", as, of(safe, 30, 30.1, 35, 29.9, 30, 30, 30, 30, 30.2, 30), false, false},
		{"every seed", as, of(safe, 28, 28.2, 28, 27.9, 28, 28, 28, 28, 28.2, 28), true, false},
		{"the verdict", as, of([]sim.Verdict{sim.Violated}, 30, 30.1, 30, 29.9, 30, 30, 30, 30, 30.2, 30), true, false},
		{"some verdicts, to both sides", of(both, 30, 30, 30, 30, 30, 30, 30, 30), of([]sim.Verdict{sim.Violated, sim.Safe}, 30, 30, 30, 30, 30, 30, 30, 30), false, false},
		{"stuck at another time", of(stuck, 10, 11, 10, 11), of(stuck, 20, 21, 20, 21), false, false},
	} {
		s := Sensitivity{Seeds: len(c.as.runs), As: c.as, Effects: []Effect{{Less: c.as, More: c.more}}}
		s.judge()
		if e := &s.Effects[0]; s.Moves(e) != c.moves || s.Still(e) != c.still {
			t.Errorf("%s: moves %v, still %v, want %v and %v: %+v", c.name, s.Moves(e), s.Still(e), c.moves, c.still, e.MoreBy)
		}
	}
}

func varyText(t *testing.T, text string, o Options) (*model.Scenario, *Sensitivity) {
	t.Helper()
	list, faults := model.Decode("own.yaml", []byte("apiVersion: upsim/v1\nkind: Scenario\nmetadata: {name: own}\n"+text), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	s, err := Vary(list[0], list[0].Upgrades()[0], o)
	if err != nil {
		t.Fatal(err)
	}
	return list[0], s
}

// A budget that never allows an eviction holds the drain up for ever, however long anything takes.
func TestVaryWhatIsStuckWhateverIsAssumed(t *testing.T) {
	stuck := `cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 2, kubelet: v1.33.4}]
  workloads: [{name: web, replicas: 2, placement: [n-1, n-2], podDisruptionBudget: {minAvailable: 2}}]
upgrade: {to: v1.34.2, controlPlane: skip}
`
	_, s := varyText(t, stuck, Options{})
	if !s.Hopeless() || s.As.Verdicts[sim.Stuck] != s.Seeds {
		t.Errorf("as it is: %+v", s.As)
	}
	for i := range s.Effects {
		if s.Moves(&s.Effects[i]) {
			t.Errorf("moves: %+v", s.Effects[i])
		}
	}
	if vary(t, Options{}).Hopeless() {
		t.Error("an upgrade that ends is not hopeless")
	}
}

// Runs that a limit has cut off have no verdict and no figures.
func TestVaryLeavesOutWhatWasCutOff(t *testing.T) {
	s := vary(t, Options{Seeds: 2, MaxEvents: 10})
	n, of := s.CutOff()
	if n != of || of != 2*(1+2*len(s.Effects)) || len(s.As.Verdicts) != 0 || s.As.Makespan != 0 || s.As.Ended != 0 || s.Hopeless() {
		t.Errorf("%d of %d cut off: %+v", n, of, s.As)
	}
	for i := range s.Effects {
		if s.Moves(&s.Effects[i]) || s.Effects[i].Turned > 0 {
			t.Errorf("moves: %+v", s.Effects[i])
		}
	}
}

// Of several workloads with a start of their own the sensitivity names the one on which the downtime hangs, also where they are too
// many to be looked at one by one.
func TestVaryNamesTheWorkload(t *testing.T) {
	text := `cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 3, kubelet: v1.33.4}]
  workloads:
  - {name: slow, startup: 50s, placement: [n-1]}
  - {name: slow, namespace: other, startup: 1s, replicas: 2}
`
	for i := range MostOwn {
		text += fmt.Sprintf("  - {name: quick%d, replicas: 2, startup: 1s}\n", i)
	}
	_, s := varyText(t, text+"upgrade: {to: v1.34.2, controlPlane: skip}\nassumptions: {nodeUpgrade: 10s}\n", Options{})
	found := map[string]*Effect{}
	parts := 0
	for i := range s.Effects {
		found[s.Effects[i].Assumption] = &s.Effects[i]
		parts += int(min(1, len(s.Effects[i].Of)))
	}
	joint, slow, others := found["workloads[].startup"], found["workloads[default/slow].startup"], found["workloads[others].startup"]
	if joint == nil || slow == nil || others == nil || parts != MostOwn+1 {
		t.Fatalf("%d parts, of all %v, of slow %v, of others %v", parts, joint, slow, others)
	}
	if !s.Moves(joint) || !s.Moves(slow) || slow.Of != "workloads[].startup" || s.Moves(others) || math.Abs(slow.MoreBy[1].Mean-joint.MoreBy[1].Mean) > 0.5 {
		t.Errorf("of all %+v\nof slow %+v\nof others %+v", joint.MoreBy, slow.MoreBy, others.MoreBy)
	}
}

// What a workload has of its own in place of an assumption, or beside them, is varied too, and the scenario stays as it was.
func TestVaryTimesOfWorkloads(t *testing.T) {
	sc, s := varyText(t, `cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes: [{name: n1, zone: z, kubelet: v1.33.4}, {name: n2, zone: z, kubelet: v1.33.4}]
  workloads: [{name: db, kind: StatefulSet, startup: 2s, shutdown: 1s, placement: [n1], volume: {zonal: true, attach: 60s, detach: 30s}}]
upgrade: {to: v1.34.2, controlPlane: skip}
assumptions: {nodeUpgrade: 5s}
`, Options{})
	for name, want := range map[string]float64{"workloads[db].volume.attach": 12, "workloads[db].volume.detach": 6} {
		i := slices.IndexFunc(s.Effects, func(e Effect) bool { return e.Assumption == name })
		if i < 0 {
			t.Fatalf("%s is not varied", name)
		}
		// The one pod moves once, and is down until its volume is free and attached again.
		if d := s.Effects[i].MoreBy[1]; !d.Told() || math.Abs(d.Mean-want) > 1 {
			t.Errorf("a fifth more of %s: down by %+v, want %v s", name, d, want)
		}
	}
	if first := s.Effects[0].Assumption; first != "workloads[db].volume.attach" {
		t.Errorf("%s is first", first)
	}
	attach, detach := model.Const(60*time.Second), model.Const(30*time.Second)
	if diff := cmp.Diff(&model.Volume{Zonal: true, Attach: &attach, Detach: &detach}, sc.Cluster.Workloads[0].Volume); diff != "" {
		t.Errorf("the scenario's volume is another one now:\n%s", diff)
	}
}
