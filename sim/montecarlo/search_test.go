package montecarlo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"upsim/model"
	"upsim/sim"
)

// Twelve nodes in two pools and two zones; web has a budget that lets two pods go, and whatever takes three nodes away at once
// may leave it below. The nodes take five minutes in place, new ones three to come.
const searched = `apiVersion: upsim/v1
kind: Scenario
metadata: {name: searched}
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools:
  - {name: a, count: 6, zones: [x, y], kubelet: v1.33.4, allocatable: {cpu: "4", memory: 8Gi}}
  - {name: b, count: 4, zones: [x, y], kubelet: v1.33.4, allocatable: {cpu: "4", memory: 8Gi}}
  workloads:
  - {name: web, replicas: 8, requests: {cpu: "1"}, startup: 20s, podDisruptionBudget: {maxUnavailable: 2}}
  - {name: one, replicas: 2, requests: {cpu: "1"}, podDisruptionBudget: {maxUnavailable: 1}}
upgrade: {to: v1.34.2, controlPlane: skip}
`

func space(t *testing.T, text string) (*model.Scenario, []model.NamedUpgrade, func(int) bool) {
	t.Helper()
	list, faults := model.Decode("test.yaml", []byte(text), nil, model.SearchSpace)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	sc := list[0]
	plans := sc.Upgrades()
	refused := []bool{false}
	for i := range sc.Variants {
		plans, refused = append(plans, sc.Variants[i].Named()), append(refused, sc.Variants[i].Refused != "")
	}
	return sc, plans, func(i int) bool { return refused[i] }
}

// No complete run stays below its bound, whatever the plan.
func TestBound(t *testing.T) {
	sc, plans, refused := space(t, searched)
	tight := 0
	for i, up := range plans {
		if !refused(i) && boundHolds(t, sc, up) {
			tight++
		}
	}
	if tight < 10 {
		t.Errorf("only %d bounds are near", tight)
	}
}

// boundHolds tests the bound of a plan against its run, and reports whether it is near the makespan.
func boundHolds(t rapid.TB, sc *model.Scenario, up model.NamedUpgrade) (tight bool) {
	w, err := sim.Compile(sc, up)
	if err != nil {
		t.Fatal(err)
	}
	r := RunOf(w.Run(sim.Options{Seed: sc.Seed}))
	b := boundOf(sc, w)
	if r.Incomplete || r.NotStarted {
		return false
	}
	m, h := r.Figures[Makespan], r.Figures[NodeHours]
	if m < b.makespan-1e-6 {
		t.Errorf("%s: it takes %v s and is bound to %v", up.Name, m, b.makespan)
	}
	if h < b.nodeHours-1e-9 {
		t.Errorf("%s: it needs %v node hours and is bound to %v", up.Name, h, b.nodeHours)
	}
	return b.makespan > 0 && m < 1.1*b.makespan
}

// The systems have ways of replacing nodes that the search does not try, such as new nodes for which nobody waits.
func TestBoundOfPresets(t *testing.T) {
	slowMachines := searched + "assumptions: {nodeProvision: 20m}\n"
	for _, away := range []string{"1", "2", "3"} {
		list, faults := model.Decode("test.yaml", []byte(slowMachines), nil, func(*model.Scenario) (list []model.Change) {
			for _, p := range model.Presets() {
				c := model.ChangeTo(p.Name)
				list = append(list, c, model.Change{Name: p.Name + " " + away, Keys: append(slices.Clone(c.Keys), model.KeyValue{Key: "maxUnavailable", Value: away})})
			}
			return list
		})
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		held := map[model.Replace]int{}
		for i := range list[0].Variants {
			if v := &list[0].Variants[i]; v.Refused == "" {
				boundHolds(t, list[0], v.Named())
				held[v.Named().Upgrade.Nodes.Replace]++
			}
		}
		for _, way := range []model.Replace{model.ReplaceInPlace, model.ReplaceSurge, model.ReplaceTerminateFirst, model.ReplaceReimage, model.ReplaceDetachSurge, model.ReplaceBlueGreen} {
			if held[way] == 0 {
				t.Errorf("no preset replaces nodes by %s", way)
			}
		}
	}
}

// The numbers of every way, by chance.
func TestBoundOfAnyProcedure(t *testing.T) {
	const text = `apiVersion: upsim/v1
kind: Scenario
metadata: {name: any}
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools:
  - {name: a, count: %d,%s kubelet: v1.33.4, allocatable: {cpu: "4", memory: 8Gi}}
  - {name: b, count: %d, kubelet: v1.32.4, allocatable: {cpu: "4", memory: 8Gi}}
upgrade: {to: v1.34.2, controlPlane: skip}
assumptions: {nodeProvision: 10m, nodeUpgrade: 4m}
`
	ran := 0
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(rt, what) }
		number := func(what string, least, most int) int { return rapid.IntRange(least, most).Draw(rt, what) }
		change := model.Change{Name: "any"}
		set := func(key string, values ...string) {
			if value := pick(key, append(values, "")...); value != "" {
				change.Keys = append(change.Keys, model.KeyValue{Key: key, Value: value})
			}
		}
		change.Keys = append(change.Keys, model.KeyValue{Key: "replace", Value: pick("replace", "inPlace", "surge", "terminateFirst", "reimage", "detachSurge", "blueGreen")})
		set("maxUnavailable", "0", "1", "2", "30%")
		set("maxSurge", "0", "1", "2", "30%")
		set("surgePerZone", "true")
		set("atMost", "1", "3")
		set("slots", "barrier", "window")
		set("pools", "parallel", "sequential")
		set("hops", "each", "final")
		set("cordon", "own", "all")
		set("soakPerNode", "3m")
		written := fmt.Sprintf(text, number("a", 1, 9), pick("zones", "", " zones: [x],", " zones: [x, y, z],"), number("b", 1, 5))
		list, faults := model.Decode("test.yaml", []byte(written), nil, func(*model.Scenario) []model.Change { return []model.Change{change} })
		if len(faults) > 0 {
			rt.Fatal(faults)
		}
		if v := &list[0].Variants[0]; v.Refused == "" {
			boundHolds(rt, list[0], v.Named())
			ran++
		}
	})
	t.Logf("%d ran", ran)
	if ran == 0 {
		t.Error("every procedure was refused")
	}
}

// The search finds what trying everything finds, or what takes hardly longer, with a part of its runs: of plans that are alike,
// halving may leave the better one behind.
func TestFindBest(t *testing.T) {
	for _, costFirst := range []bool{false, true} {
		sc, plans, refused := space(t, searched)
		o := SearchOptions{Probability: 0.8, CostFirst: costFirst}
		s, err := FindBest(sc, plans, refused, o)
		if err != nil {
			t.Fatal(err)
		}
		if s.Best < 0 || s.Fresh.Unsafe() > 0 || s.Fresh.Runs[0].Seed != 1+openFor*uint64(SeedsFor(0.8)) || len(s.OwnFresh.Runs) != len(s.Fresh.Runs) {
			t.Fatalf("cost first %v: %+v", costFirst, s)
		}
		all := newSearch(sc, plans, o)
		best, everything := -1, 0
		for i := range plans {
			if refused(i) {
				continue
			}
			if err := all.run(all.final, i); err != nil {
				t.Fatal(err)
			}
			everything += all.final
			if all.bad(all.Samples[i]) == 0 && (best < 0 || all.better(i, best) < 0) {
				best = i
			}
		}
		bound := 0
		for i, why := range s.Out {
			if why == OutBound {
				bound++
				if all.bad(all.Samples[i]) == 0 && all.better(i, s.Best) < 0 {
					t.Errorf("cost first %v: %s is out by its bound, and better than %s, which was found", costFirst, plans[i].Name, plans[s.Best].Name)
				}
			}
		}
		if bound < 10 {
			t.Errorf("cost first %v: bounds put only %d plans out", costFirst, bound)
		}
		found, least := all.Samples[s.Best], all.Samples[best]
		f := map[bool]Figure{false: Makespan, true: NodeHours}[costFirst]
		if x, y := found.Summary(f), least.Summary(f); x.Mean > 1.02*y.Mean {
			t.Errorf("cost first %v: it finds %s with %v, and %s has %v", costFirst, plans[s.Best].Name, x.Mean, plans[best].Name, y.Mean)
		}
		if s.Runs*2 > everything {
			t.Errorf("cost first %v: %d runs, everything has %d", costFirst, s.Runs, everything)
		}
	}
}

// What was safe in the search by luck, and is not with fresh seeds, is given up, and the next that is safe is found; nothing is
// put out for being no better than the first.
func TestFindBestGoesOnBehindWhatIsInDoubt(t *testing.T) {
	sc, _, _ := space(t, strings.Replace(searched, `requests: {cpu: "1"}, podDisruptionBudget: {maxUnavailable: 1}}`, `requests: {cpu: "1"}}`, 1))
	plan := func(nodes int32, soak time.Duration) model.NamedUpgrade {
		up := sc.Upgrades()[0]
		up.Upgrade.Nodes.MaxUnavailable, up.Upgrade.Nodes.SoakPerNode = intstr.FromInt32(nodes), soak
		return up
	}
	plans := []model.NamedUpgrade{plan(1, time.Minute), plan(10, 0), plan(1, 0)}
	s := newSearch(sc, plans, SearchOptions{Probability: 0.8})
	if err := s.run(s.final, 1); err != nil {
		t.Fatal(err)
	}
	lucky := s.Samples[1]
	if s.bad(lucky) == 0 {
		t.Fatal("all nodes at once are safe, so that this test says nothing")
	}
	for i := range lucky.Runs {
		lucky.Runs[i].Verdict = sim.Safe
	}
	if err := s.prepare(func(int) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if err := s.halve(); err != nil {
		t.Fatal(err)
	}
	if s.Best != 2 || s.Out[1] != OutDoubt || s.bad(s.Fresh) > 0 || len(s.OwnFresh.Runs) != s.final {
		t.Errorf("best %d, out %q", s.Best, s.Out)
	}
	doubts := 0
	for _, r := range s.Rounds {
		doubts += r.Out[OutDoubt]
	}
	if doubts != 1 {
		t.Errorf("the rounds tell of %d plans in doubt: %+v", doubts, s.Rounds)
	}
}

// Where each plan fails now and then, as many seeds as would do if none did say nothing; more of them do.
func TestFindBestGoesOnWhereItIsOpen(t *testing.T) {
	failing := searched + "faults: [{kind: nodeDoesNotReturn, probability: 0.003, for: forever}]\n"
	sc, _, _ := space(t, failing)
	plan := func(nodes int32) model.NamedUpgrade {
		up := sc.Upgrades()[0]
		up.Upgrade.Nodes.MaxUnavailable = intstr.FromInt32(nodes)
		return up
	}
	find := func(seeds int) *Search {
		s, err := FindBest(sc, []model.NamedUpgrade{plan(1), plan(2)}, func(int) bool { return false }, SearchOptions{Options: Options{Seeds: seeds}, Probability: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := find(0)
	if s.Best != 1 {
		t.Fatalf("best %d, out %q", s.Best, s.Out)
	}
	x := s.Samples[1]
	if bad := s.bad(x); bad == 0 || len(x.Runs) <= SeedsFor(0.9) || !s.isSafe(bad, len(x.Runs)) || !s.isSafe(s.bad(s.Fresh), len(s.Fresh.Runs)) {
		t.Errorf("%d of %d runs are not safe, and %d of %d fresh ones", bad, len(x.Runs), s.bad(s.Fresh), len(s.Fresh.Runs))
	}
	if len(s.Fresh.Runs) != len(s.OwnFresh.Runs) || s.Fresh.Runs[0].Seed <= x.Runs[len(x.Runs)-1].Seed {
		t.Errorf("%d fresh runs from seed %d beside %d", len(s.Fresh.Runs), s.Fresh.Runs[0].Seed, len(s.OwnFresh.Runs))
	}
	if s = find(SeedsFor(0.9)); s.Best != -1 || !slices.Equal(s.Out, []string{OutUntold, OutUntold}) {
		t.Errorf("with as many seeds as do if all are safe: best %d, out %q", s.Best, s.Out)
	}
}

func TestFindBestIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	find := func(workers int) *Search {
		sc, plans, refused := space(t, searched)
		s, err := FindBest(sc, plans[:60], refused, SearchOptions{Options: Options{Workers: workers}, Probability: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one, many := find(1), find(5)
	if diff := cmp.Diff(one, many, cmpopts.IgnoreUnexported(Search{}, Sample{}), cmpopts.IgnoreFields(Search{}, "Plans")); diff != "" {
		t.Error(diff)
	}
}

// fourPlans are a search of four plans that are not run: the samples are made up.
func fourPlans(samples ...*Sample) *Search {
	s := newSearch(&model.Scenario{}, make([]model.NamedUpgrade, len(samples)), SearchOptions{Probability: 0.5})
	s.Samples, s.Rounds = samples, []Round{{Best: 0}}
	return s
}

// What was behind comes back where it looks better than the best that is safe, and nothing else does.
func TestComeBack(t *testing.T) {
	own, faster, slower, notSafe := sampleOf(100, 100, 100, 100), sampleOf(50, 50), sampleOf(200, 200), sampleOf(10, 10)
	s := fourPlans(own, faster, slower, notSafe)
	s.Out = []string{"", OutBehind, OutBehind, OutUnsafe}
	if n, seeds := s.comeBack(); n != 1 || seeds != 4 || !slices.Equal(s.Out, []string{"", "", OutBehind, OutUnsafe}) {
		t.Errorf("%d come back with %d seeds: %q", n, seeds, s.Out)
	}
	s.Rounds[0].Best = -1
	if n, _ := s.comeBack(); n != 1 || s.Out[2] != "" {
		t.Errorf("where nothing is safe, %d come back: %q", n, s.Out)
	}
}

// A bound puts out what cannot be better than the slowest and dearest run, not than the mean.
func TestBeyondTheSlowestRun(t *testing.T) {
	own := sampleOf(90, 100, 130, 100)
	for i := range own.Runs {
		own.Runs[i].Figures[NodeHours] = float64(i)
	}
	s := fourPlans(own, nil, nil)
	for _, tc := range []struct {
		b                bound
		byTime, byCostly bool
	}{
		{bound{makespan: 120, nodeHours: 2}, false, false},
		{bound{makespan: 131, nodeHours: 2}, true, false},
		{bound{makespan: 120, nodeHours: 3.1}, false, true},
		{bound{makespan: 131, nodeHours: 3}, true, true},
	} {
		s.bounds[1] = tc.b
		s.o.CostFirst = false
		byTime := s.beyond(0)(1)
		s.o.CostFirst = true
		if byCost := s.beyond(0)(1); byTime != tc.byTime || byCost != tc.byCostly {
			t.Errorf("%+v: out by time %v, by cost %v", tc.b, byTime, byCost)
		}
	}
	own.Runs[0].Verdict = sim.Stuck
	if s.beyond(0)(1) {
		t.Error("a run that got stuck bounds others")
	}
}

// What fresh seeds do not tell from the scenario's own plan is not better than it.
func TestSettleKeepsWhatIsNoWorse(t *testing.T) {
	own, level, faster := sampleOf(100, 104, 98, 101), sampleOf(99, 104, 99, 100), sampleOf(50, 54, 48, 51)
	cheaper := sampleOf(100, 104, 98, 101)
	own.each(NodeHours, 2)
	level.each(NodeHours, 2)
	faster.each(NodeHours, 3)
	cheaper.each(NodeHours, 1)
	for _, tc := range []struct {
		found     *Sample
		costFirst bool
		want      int
	}{{level, false, 0}, {level, true, 0}, {faster, false, 1}, {faster, true, 0}, {cheaper, false, 1}, {cheaper, true, 1}} {
		s := fourPlans(own, tc.found)
		s.o.CostFirst, s.Rounds[0].Best, s.fresh = tc.costFirst, 1, []*Sample{own, tc.found}
		if err := s.settle(); err != nil || s.Best != tc.want || s.Fresh != s.fresh[tc.want] {
			t.Errorf("cost first %v: best %d, want %d, %v", tc.costFirst, s.Best, tc.want, err)
		}
	}
	unsafe := sampleOf(100, 104, 98, 101)
	for i := range unsafe.Runs {
		unsafe.Runs[i].Verdict = sim.Violated
	}
	s := fourPlans(unsafe, level)
	s.Rounds[0].Best, s.fresh = 1, []*Sample{unsafe, level}
	if err := s.settle(); err != nil || s.Best != 1 {
		t.Errorf("beside one that is not safe: best %d, %v", s.Best, err)
	}
}

// Where nothing is safe, nothing is found; what must not start is out before it is run.
func TestFindBestOfNone(t *testing.T) {
	sc, plans, refused := space(t, strings.Replace(searched, "maxUnavailable: 2}", "minAvailable: 8}", 1))
	s, err := FindBest(sc, plans, refused, SearchOptions{Probability: 0.5})
	if err != nil || s.Best != -1 || s.Fresh != nil || s.Rounds[len(s.Rounds)-1].Best != -1 {
		t.Errorf("%v %+v", err, s)
	}
	skips := strings.Replace(searched, "{to: v1.34.2, controlPlane: skip}", "{to: v1.36.0, path: [v1.36.0]}", 1)
	sc, plans, refused = space(t, skips)
	if s, err = FindBest(sc, plans, refused, SearchOptions{Probability: 0.5}); err != nil || s.Best != -1 || s.Runs != 0 || s.Rounds[0].Out[OutNotStarted] == 0 {
		t.Errorf("%v %+v", err, s)
	}
}

func TestSeedsFor(t *testing.T) {
	for p, want := range map[float64]int{0.5: 4, 0.8: 16, 0.9: 35, 0.95: 73, 0.99: 381} { // z²p/(1-p), rounded up
		if got := SeedsFor(p); got != want {
			t.Errorf("%v: %d, want %d", p, got, want)
		}
	}
}
