package montecarlo

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"upsim/model"
	"upsim/sim"
)

// Options are the choices that are not part of the scenario.
type Options struct {
	// Seeds is how many seeds are run, from the scenario's own on; with Until it is the most. 0 means a default: of Vary
	// DefaultSeeds, of Replicate and ReplicateAll one, or with Until MostSeeds.
	Seeds int
	// Until stops Replicate and ReplicateAll once Narrow holds for this share, such as 0.02, and there are Least runs; 0 means
	// that Seeds says when.
	Until float64
	Least int
	// Workers is how many runs go on at once; 0 means one for each processor.
	Workers int
	// MaxEvents cuts a run off, as sim.Options has it; Audit is its too.
	MaxEvents uint64
	Audit     bool
	// Stop is asked now and then whether to give up.
	Stop func() bool
	// Done is told each time that another run of Replicate or ReplicateAll has ended, from any goroutine; nil means nobody listens.
	Done func()
}

// Bounds of how many seeds are run until intervals are narrow enough.
const (
	// FirstSeeds is how many there are before the first look: with few, a chance likeness of the first runs would end it.
	FirstSeeds = 30
	// MostSeeds is how many there are at most where nothing else is said.
	MostSeeds = 10_000
)

// MostRuns bounds the seeds of one sample; at some 250 bytes each, its figures then take a quarter of a gigabyte.
const MostRuns = 1_000_000

// Replicate runs the upgrade with one seed after another, from the scenario's own on, and keeps the figures of each. A run is
// the one that sim.Compile and World.Run give for the scenario with that seed, so that it can be replayed. The error is Compile's.
//
// With Until it looks after FirstSeeds runs, and whenever there are a quarter more, whether the sample is Narrow. Such
// sequential stopping is a little optimistic: a sample that looks narrow by chance ends there, so that an interval called
// 95 % covers slightly less often than that (Law, Simulation Modeling and Analysis, §9.4.1).
func Replicate(sc *model.Scenario, up model.NamedUpgrade, o Options) (*Sample, error) {
	s := newSample(sc, up)
	return s, o.untilNarrow(func(n int) (bool, error) {
		err := s.extend(sc, up, n, o)
		return err == nil && s.Narrow(o.Until), err
	})
}

// ReplicateAll is Replicate of several upgrades with the same seeds, so that their runs make pairs: with Until there are as many of
// each as it takes until all samples are Narrow. The error names the upgrade.
func ReplicateAll(sc *model.Scenario, ups []model.NamedUpgrade, o Options) ([]*Sample, error) {
	list := make([]*Sample, len(ups))
	for i, up := range ups {
		list[i] = newSample(sc, up)
	}
	return list, o.untilNarrow(func(n int) (narrow bool, err error) {
		narrow = true
		for i, s := range list {
			if err := s.extend(sc, ups[i], n, o); err != nil {
				return false, fmt.Errorf("%s: %w", ups[i].Name, err)
			}
			narrow = narrow && s.Narrow(o.Until)
		}
		return narrow, nil
	})
}

// untilNarrow calls extend with growing numbers of runs up to the most, or with Until only up to the one after which it says that
// they are narrow.
func (o Options) untilNarrow(extend func(n int) (narrow bool, err error)) error {
	if o.Until == 0 {
		_, err := extend(cmp.Or(o.Seeds, 1))
		return err
	}
	most := cmp.Or(o.Seeds, MostSeeds)
	for n := min(most, max(FirstSeeds, o.Least)); ; n = min(most, n+n/4) {
		if narrow, err := extend(n); narrow || err != nil || n == most {
			return err
		}
	}
}

// extend runs the upgrade until there are n runs.
func (s *Sample) extend(sc *model.Scenario, up model.NamedUpgrade, n int, o Options) error {
	first := len(s.Runs)
	s.Runs = append(s.Runs, make([]Run, n-first)...)
	t, err := sim.Prepare(sc, up)
	if err != nil {
		return err
	}
	return inParallel(n-first, o.Workers, func(i int) error {
		i += first
		r, err := runSeed(t, sc.Seed+uint64(i), o)
		if err != nil {
			return err
		}
		s.add(i, r)
		if o.Done != nil {
			o.Done()
		}
		return nil
	})
}

// runSeed is one run. Also what a cluster is like before the upgrade depends on the seed, as with `run --seed`.
func runSeed(t *sim.Template, seed uint64, o Options) (*sim.Result, error) {
	w, err := t.World(seed)
	if err != nil {
		return nil, err
	}
	return w.RunLast(sim.Options{Seed: seed, MaxEvents: o.MaxEvents, Audit: o.Audit, Stop: o.Stop}), nil
}

// inParallel calls f for 0 to n-1, on so many workers, and returns one of the errors. A panic of f is one of the caller's.
func inParallel(n, workers int, f func(i int) error) error {
	var g errgroup.Group
	g.SetLimit(cmp.Or(workers, runtime.GOMAXPROCS(0)))
	var once sync.Once
	var fault any
	for i := range n {
		g.Go(func() error {
			defer func() {
				if p := recover(); p != nil {
					once.Do(func() { fault = p })
				}
			}()
			return f(i)
		})
	}
	err := g.Wait()
	if fault != nil {
		panic(fault)
	}
	return err
}

// Narrow reports whether the 95 % interval of the mean makespan reaches at most this share of the mean to each side, and that
// of the probability of being safe at most so much to each side (2 % of the runs for 0.02).
func (s *Sample) Narrow(share float64) bool {
	sum := s.Summary(Makespan)
	if sum.N > 0 && sum.Mean > 0 && !(sum.MeanHalf <= share*sum.Mean) {
		return false
	}
	safe, n := s.Verdicts()[sim.Safe], len(s.Runs)
	low, high := Wilson(safe, n)
	p := float64(safe) / float64(max(1, n))
	return max(high-p, p-low) <= share // Wilson's interval is not symmetric
}
