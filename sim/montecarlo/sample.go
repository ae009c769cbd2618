package montecarlo

import (
	"cmp"
	"slices"
	"sync"

	"upsim/model"
	"upsim/sim"
)

// Sample is what the runs of one upgrade with several seeds found. Its memory grows with the number of runs by their figures alone.
type Sample struct {
	Scenario, Strategy, From, To string
	// Runs are in the order of their seeds.
	Runs []Run
	// Worst is the run with the gravest verdict; of several the longest, then the one with the longest downtime, then the first.
	Worst Run
	// WorstDigest is its digest, by which a replay is known to be the same run.
	WorstDigest string

	mu        sync.Mutex // of what follows and of Worst, while runs go on
	found     map[foundKey]*Found
	codes     map[model.Code]int
	workloads map[workloadKey]*Workload
}

type (
	foundKey struct {
		code    model.Code
		subject string
	}
	workloadKey struct{ namespace, name, kind string }
)

// Found is a finding of some of the runs, in the words of the first of them.
type Found struct {
	model.Finding
	// Runs is how many runs had it, FirstSeed the seed of the first of them.
	Runs      int
	FirstSeed uint64
	// CodeRuns is how many runs had a finding with this code.
	CodeRuns int
	// Varies: other runs have it in other words, with other numbers or times.
	Varies bool

	place int // in the first of its runs
}

// Workload is what happened to one workload that was down, below its budget or without a node for a pod in some run. The times
// are those of such runs; in the others they are 0.
type Workload struct {
	Namespace, Name, Kind string
	// Replicas and MinReady are the most and the least of all such runs.
	Replicas, MinReady            int
	Downtime, BelowFloor, Pending []float64
}

func newSample(sc *model.Scenario, up model.NamedUpgrade) *Sample {
	return &Sample{Scenario: sc.Name, Strategy: up.Name, From: sc.Cluster.StartsAt(&up.Upgrade).String(), To: up.Upgrade.To.String(),
		found: make(map[foundKey]*Found), codes: make(map[model.Code]int), workloads: make(map[workloadKey]*Workload)}
}

// add takes the result of the i-th run. What it keeps does not depend on the order in which runs end.
func (s *Sample) add(i int, r *sim.Result) {
	run := RunOf(r)
	s.Runs[i] = run
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Worst.Verdict == "" || worse(&run, &s.Worst) {
		s.Worst, s.WorstDigest = run, r.Engine.Digest
	}
	had := make(map[foundKey]bool, len(r.Reasons))
	for place, f := range r.Reasons {
		key, code := foundKey{f.Code, f.Subject}, foundKey{code: f.Code}
		if !had[code] {
			s.codes[f.Code]++
		}
		if had[key] {
			continue
		}
		had[key], had[code] = true, true
		x := s.found[key]
		if x == nil {
			x = &Found{Finding: f, FirstSeed: run.Seed, place: place}
			s.found[key] = x
		}
		x.Runs++
		x.Varies = x.Varies || x.Message != f.Message
		if run.Seed < x.FirstSeed {
			x.Finding, x.FirstSeed, x.place = f, run.Seed, place
		}
	}
	for i := range r.Workloads {
		s.addWorkload(&r.Workloads[i])
	}
}

func (s *Sample) addWorkload(w *sim.WorkloadResult) {
	down := float64(w.SecondsZero + w.SecondsZeroBeyond)
	if down == 0 && w.SecondsBelowFloor == 0 && w.SecondsPending == 0 {
		return
	}
	key := workloadKey{w.Namespace, w.Name, w.Kind}
	x := s.workloads[key]
	if x == nil {
		x = &Workload{Namespace: w.Namespace, Name: w.Name, Kind: w.Kind, MinReady: w.MinReady}
		s.workloads[key] = x
	}
	x.Replicas, x.MinReady = max(x.Replicas, w.Replicas), min(x.MinReady, w.MinReady)
	x.Downtime = append(x.Downtime, down)
	x.BelowFloor = append(x.BelowFloor, float64(w.SecondsBelowFloor))
	x.Pending = append(x.Pending, float64(w.SecondsPending))
}

// worse reports whether a run ended worse than another.
func worse(a, b *Run) bool {
	return cmp.Or(cmp.Compare(gravity(b), gravity(a)), cmp.Compare(a.Figures[Makespan], b.Figures[Makespan]),
		cmp.Compare(a.Figures[Downtime], b.Figures[Downtime]), cmp.Compare(b.Seed, a.Seed)) > 0
}

// Gravity are the verdicts, the gravest first.
var Gravity = []sim.Verdict{sim.Aborted, sim.Stuck, sim.Violated, sim.Safe}

// gravity is the place of the run's verdict among them; one that was cut off is worse than any, since nothing is known of it.
func gravity(r *Run) int {
	if r.CutOff {
		return -1
	}
	return slices.Index(Gravity, r.Verdict)
}

// Verdicts counts the runs that had each verdict. Runs that were cut off have none.
func (s *Sample) Verdicts() map[sim.Verdict]int {
	counts := make(map[sim.Verdict]int)
	for i := range s.Runs {
		if !s.Runs[i].CutOff {
			counts[s.Runs[i].Verdict]++
		}
	}
	return counts
}

// Count is how many runs are as asked.
func (s *Sample) Count(is func(*Run) bool) (n int) {
	for i := range s.Runs {
		if is(&s.Runs[i]) {
			n++
		}
	}
	return n
}

// Findings are those of all runs: the gravest severity first, then those of most runs, then as in their first run.
func (s *Sample) Findings() []Found {
	severity := []model.Severity{model.SeverityError, model.SeverityWarning, model.SeverityInfo}
	var list []Found
	for _, f := range s.found {
		x := *f
		x.CodeRuns = s.codes[f.Code]
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b Found) int {
		return cmp.Or(cmp.Compare(slices.Index(severity, a.Severity), slices.Index(severity, b.Severity)), cmp.Compare(b.Runs, a.Runs),
			cmp.Compare(a.FirstSeed, b.FirstSeed), cmp.Compare(a.place, b.place))
	})
	return list
}

// Workloads are those to which something happened in some run, the longest downtime in any run first, then the longest time
// below the budget, then by name.
func (s *Sample) Workloads() []*Workload {
	var list []*Workload
	for _, w := range s.workloads {
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b *Workload) int {
		return cmp.Or(cmp.Compare(slices.Max(b.Downtime), slices.Max(a.Downtime)), cmp.Compare(slices.Max(b.BelowFloor), slices.Max(a.BelowFloor)),
			cmp.Compare(slices.Max(b.Pending), slices.Max(a.Pending)),
			cmp.Compare(a.Namespace, b.Namespace), model.NaturalCompare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// Values are a figure of the runs that started, in the order of their seeds.
func (s *Sample) Values(f Figure) []float64 {
	values := make([]float64, 0, len(s.Runs))
	for i := range s.Runs {
		if !s.Runs[i].NotStarted {
			values = append(values, s.Runs[i].Figures[f])
		}
	}
	return values
}

// Summary describes a figure over the runs that started.
func (s *Sample) Summary(f Figure) Summary { return Summarize(s.Values(f)) }

// SummaryOf describes a workload's times over the runs that started.
func (s *Sample) SummaryOf(times []float64) Summary {
	all := make([]float64, s.Count(func(r *Run) bool { return !r.NotStarted }))
	copy(all, times)
	return Summarize(all)
}

// SeedAt is the seed of the run whose makespan is the p-quantile of all, for a replay; ok is false where none started.
func (s *Sample) SeedAt(p float64) (seed uint64, ok bool) {
	values := s.Values(Makespan)
	if len(values) == 0 {
		return 0, false
	}
	all := Summarize(values)
	want := all.quantile(p)
	for i := range s.Runs {
		if !s.Runs[i].NotStarted && s.Runs[i].Figures[Makespan] == want {
			return s.Runs[i].Seed, true
		}
	}
	return 0, false
}
