package montecarlo

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"upsim/model"
	"upsim/sim"
)

// Each node has one chance in ten not to come back, which a run in place then waits for: some seeds are stuck.
const chancy = `apiVersion: upsim/v1
kind: Scenario
metadata: {name: chancy}
seed: 7
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 5, zones: [a, b], kubelet: v1.33.4}]
  workloads:
  - {name: web, replicas: 4, startup: {p50: 10s, p99: 60s}, podDisruptionBudget: {maxUnavailable: 1}}
  - {name: one, startup: {p50: 10s, p99: 60s}}
upgrade: {to: v1.34.2, controlPlane: skip}
assumptions: {nodeUpgrade: {p50: 60s, p99: 300s}}
faults: [{kind: nodeDoesNotReturn, probability: 0.1, for: forever}]
`

func decode(t *testing.T, text string) (*model.Scenario, model.NamedUpgrade) {
	t.Helper()
	list, faults := model.Decode("test.yaml", []byte(text), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return list[0], list[0].Upgrades()[0]
}

func replicate(t *testing.T, text string, o Options) *Sample {
	t.Helper()
	sc, up := decode(t, text)
	s, err := Replicate(sc, up, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A run with one of the seeds, alone, is the run of the sample, also where the worst one is named.
func TestReplay(t *testing.T) {
	sc, up := decode(t, chancy)
	s, err := Replicate(sc, up, Options{Seeds: 40})
	if err != nil {
		t.Fatal(err)
	}
	if s.Runs[0].Seed != 7 || s.Runs[39].Seed != 46 {
		t.Errorf("the seeds are %d to %d", s.Runs[0].Seed, s.Runs[39].Seed)
	}
	verdicts := s.Verdicts()
	if verdicts[sim.Stuck] == 0 || verdicts[sim.Safe] == 0 || verdicts[sim.Stuck]+verdicts[sim.Safe] != 40 {
		t.Fatalf("the verdicts are %v", verdicts)
	}
	if s.Worst.Verdict != sim.Stuck {
		t.Errorf("the worst run is %+v", s.Worst)
	}
	for _, want := range []Run{s.Worst, s.Runs[0], s.Runs[23]} {
		alone := *sc
		alone.Seed = want.Seed
		w, err := sim.Compile(&alone, up)
		if err != nil {
			t.Fatal(err)
		}
		r := w.Run(sim.Options{})
		if diff := cmp.Diff(want, RunOf(r)); diff != "" {
			t.Errorf("seed %d: %s", want.Seed, diff)
		}
		if want.Seed == s.Worst.Seed && r.Engine.Digest != s.WorstDigest {
			t.Errorf("the replay of seed %d is another run: %s, want %s", want.Seed, r.Engine.Digest, s.WorstDigest)
		}
	}
	for _, r := range s.Runs {
		if worse(&r, &s.Worst) {
			t.Errorf("seed %d is worse than seed %d", r.Seed, s.Worst.Seed)
		}
	}
}

// everyKind has workloads of every kind, in a cluster that is placed by index: with constraints, volumes, a node of their own and
// room for none, and stages of nodes in random order.
const everyKind = `apiVersion: upsim/v1
kind: Scenario
metadata: {name: every-kind}
seed: 3
cluster:
  version: v1.34.2
  controlPlane: {replicas: 3}
  nodePools: [{name: n, count: 120, zones: [a, b, c], kubelet: v1.33.4, allocatable: {cpu: "4", memory: 8Gi, pods: 20}}]
  workloads:
  - {name: web, count: 20, replicas: 6, requests: {cpu: 500m}, podDisruptionBudget: {maxUnavailable: 1}}
  - name: apart
    replicas: 9
    requests: {cpu: 100m, memory: 1Gi}
    podAntiAffinity: {required: [{topologyKey: kubernetes.io/hostname}]}
    topologySpreadConstraints: [{topologyKey: topology.kubernetes.io/zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]
  - {name: wide, replicas: 80, requests: {cpu: 50m}}
  - {name: db, kind: StatefulSet, replicas: 3, volume: {zonal: true, attach: 5s, detach: 5s}, podDisruptionBudget: {maxUnavailable: 1}}
  - {name: local, kind: StatefulSet, replicas: 2, volume: {local: true}}
  - {name: agent, kind: DaemonSet, requests: {cpu: 100m}}
  - {name: pinned, replicas: 2, placement: [n-3, n-7]}
  - {name: bare, kind: Pod}
  - {name: too-big, replicas: 3, requests: {cpu: "5"}}
upgrade:
  to: v1.34.2
  controlPlane: skip
  nodes:
    strategy: custom
    stages:
    - {name: some, nodes: {count: 10}, nodeOrder: random, maxUnavailable: 2, drain: {force: true, timeout: 5m}}
    - {name: rest, maxUnavailable: 4, drain: {force: true, timeout: 5m}}
assumptions: {startup: {p50: 10s, p99: 60s}}
`

// Each run of a sample is the one that the scenario gives with its seed alone, whatever there is in the cluster.
func TestReplicateIsCompileAndRun(t *testing.T) {
	buffered := strings.NewReplacer("name: rest, maxUnavailable: 4", "name: rest, nodeOrder: random, replace: reimage, maxSurge: 4, maxUnavailable: 0", ", volume: {local: true}", "")
	for _, text := range []string{everyKind, strings.Replace(everyKind, "nodeOrder: random, ", "", 1), buffered.Replace(everyKind), chancy, three} {
		sc, up := decode(t, text)
		s, err := Replicate(sc, up, Options{Seeds: 6, Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range s.Runs {
			alone := *sc
			alone.Seed += uint64(i)
			w, err := sim.Compile(&alone, up)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(RunOf(w.Run(sim.Options{})), got); diff != "" {
				t.Errorf("%s, seed %d: %s", sc.Name, alone.Seed, diff)
			}
			if got.NotStarted {
				t.Errorf("%s, seed %d: it did not start", sc.Name, alone.Seed)
			}
		}
	}
}

func TestReplicateIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	one, many := replicate(t, chancy, Options{Seeds: 25, Workers: 1}), replicate(t, chancy, Options{Seeds: 25, Workers: 7})
	if diff := cmp.Diff(one, many, cmpopts.IgnoreUnexported(Sample{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(one.Findings(), many.Findings(), cmp.AllowUnexported(Found{})); diff != "" {
		t.Error(diff)
	}
	summaries := func(s *Sample) (list []Summary) {
		for _, w := range s.Workloads() {
			list = append(list, s.SummaryOf(w.Downtime), s.SummaryOf(w.BelowFloor), s.SummaryOf(w.Pending))
		}
		return list
	}
	if diff := cmp.Diff(summaries(one), summaries(many), cmp.AllowUnexported(Summary{}), cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

func TestFindingsAndWorkloads(t *testing.T) {
	s := replicate(t, chancy, Options{Seeds: 40})
	stuck := s.Verdicts()[sim.Stuck]
	first := s.Findings()[0]
	if first.Severity != model.SeverityError || first.Runs == 0 || first.Runs > stuck {
		t.Errorf("the first finding is %+v", first)
	}
	for _, f := range s.Findings() {
		if f.FirstSeed < 7 || f.FirstSeed > 46 || f.Runs < 1 || f.Runs > 40 {
			t.Errorf("%s %s: %d runs, first with seed %d", f.Code, f.Subject, f.Runs, f.FirstSeed)
		}
	}
	list := s.Workloads()
	if len(list) == 0 || list[0].Name != "one" {
		t.Fatalf("the single replica is not the longest down: %+v", list)
	}
	if sum := s.SummaryOf(list[0].Downtime); sum.N != 40 || sum.Max == 0 {
		t.Errorf("its downtime: %+v", sum)
	}
}

// With no spread the makespan is narrow at once; the probability of being safe takes its runs: Wilson's interval of n safe
// runs of n reaches down by z²/(n+z²), which is at most 5 % from 73 runs on. The looks are at 30, 37, 46, 57, 71 and 88.
func TestUntil(t *testing.T) {
	if s := replicate(t, three, Options{Until: 0.05}); len(s.Runs) != 88 || !s.Narrow(0.05) {
		t.Errorf("%d runs", len(s.Runs))
	}
	if s := replicate(t, three, Options{Until: 0.2}); len(s.Runs) != FirstSeeds {
		t.Errorf("%d runs", len(s.Runs))
	}
	if s := replicate(t, chancy, Options{Until: 0.01, Seeds: 50}); len(s.Runs) != 50 || s.Narrow(0.01) {
		t.Errorf("%d runs, narrow %v", len(s.Runs), s.Narrow(0.01))
	}
	// More runs are the same runs, and more.
	few, more := replicate(t, chancy, Options{Seeds: 20}), replicate(t, chancy, Options{Until: 0.01, Seeds: 50})
	if diff := cmp.Diff(few.Runs, more.Runs[:20]); diff != "" {
		t.Error(diff)
	}
}

// Several upgrades have the same seeds, as many as the one takes that is narrow last, and each has the runs that it has alone.
func TestUntilAllAreNarrow(t *testing.T) {
	sc, own := decode(t, chancy+"strategies: [{name: own}, {name: surge, strategy: surge}]\n")
	ups := sc.Upgrades()
	alone := func(up model.NamedUpgrade, o Options) *Sample {
		s, err := Replicate(sc, up, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	o := Options{Until: 0.1}
	a, b := len(alone(own, o).Runs), len(alone(ups[1], o).Runs)
	if a == b {
		t.Fatalf("both take %d runs, so that this tests nothing", a)
	}
	list, err := ReplicateAll(sc, ups, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, up := range ups {
		if diff := cmp.Diff(alone(up, Options{Seeds: max(a, b)}).Runs, list[i].Runs); diff != "" {
			t.Errorf("%s: %s", up.Name, diff)
		}
	}
	if list, err = ReplicateAll(sc, ups, Options{Until: 0.9, Least: 35}); err != nil || len(list[0].Runs) != 35 || len(list[1].Runs) != 35 {
		t.Errorf("at least 35, and there are %d and %d: %v", len(list[0].Runs), len(list[1].Runs), err)
	}
}

// A plan that must not start is so with every seed, and has no figures.
// Wilson's interval of 29 of 30 reaches from 0.833 to 0.994, further down than up.
func TestNarrowToEachSide(t *testing.T) {
	s := sampleOf(slices.Repeat([]float64{100}, 30)...)
	s.Runs[3].Verdict = sim.Stuck
	for share, want := range map[float64]bool{0.1: false, 0.13: false, 0.135: true} {
		if got := s.Narrow(share); got != want {
			t.Errorf("within %v: %v", share, got)
		}
	}
}

func TestReplicateWhatDoesNotStart(t *testing.T) {
	skips := strings.Replace(three, "upgrade: {to: v1.34.2, controlPlane: skip}", "upgrade: {to: v1.36.0, path: [v1.36.0]}", 1)
	s := replicate(t, skips, Options{Seeds: 3})
	if s.Verdicts()[sim.Aborted] != 3 || !s.Runs[2].NotStarted {
		t.Fatalf("%+v", s.Runs)
	}
	if sum := s.Summary(Makespan); sum.N != 0 {
		t.Errorf("it has a makespan: %+v", sum)
	}
	if _, ok := s.SeedAt(0.5); ok {
		t.Error("it has a run in the middle")
	}
}

func TestAPanicOfARunIsTheCallers(t *testing.T) {
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("recovered %v", p)
		}
	}()
	_ = inParallel(10, 3, func(i int) error {
		if i == 4 {
			panic("broken")
		}
		return nil
	})
	t.Error("the panic is lost")
}

// The worst run has the gravest verdict; of these it is the longest, then the one with the most downtime, then the first.
func TestWorse(t *testing.T) {
	run := func(seed uint64, v sim.Verdict, makespan, down float64) *Run {
		r := &Run{Seed: seed, Verdict: v}
		r.Figures[Makespan], r.Figures[Downtime] = makespan, down
		return r
	}
	list := []*Run{run(9, sim.Stuck, 10, 0), run(2, sim.Violated, 500, 0), run(8, sim.Safe, 200, 0), run(3, sim.Safe, 100, 7), run(4, sim.Safe, 100, 5), run(5, sim.Safe, 100, 5)}
	for i := range list {
		for j := range list {
			if worse(list[i], list[j]) != (i < j) {
				t.Errorf("%+v worse than %+v: %v", list[i], list[j], i >= j)
			}
		}
	}
}
