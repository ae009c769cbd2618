package bench

import (
	"runtime"
	"time"

	"upsim/model"
	"upsim/reports"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// Repeats says how often a case is simulated.
type Repeats struct {
	// Repeat is how often it is timed; the least counts, because everything else that a machine does only adds to it.
	Repeat int
	// Seeds is how many seeds each repeat runs, on all processors; 1 runs the scenario's own on one.
	Seeds int
	// Done is told each time that another run has ended, from any goroutine; nil means nobody listens.
	Done func()
}

// Measure simulates a synthetic upgrade, as `upsim run` does with the same
// scenario, and says what that cost. The error is that of a cluster that cannot be simulated.
func Measure(s Synthetic, o Repeats) (*reports.Speed, error) {
	s = s.withDefaults()
	sc, err := s.Scenario()
	if err != nil {
		return nil, err
	}
	up := sc.Upgrades()[0]
	m := &reports.Speed{Scenario: sc.Name, Strategy: s.Strategy, Variant: string(s.Variant), Mix: string(s.Mix),
		Nodes: s.Nodes, Pods: s.Pods(), Seeds: o.Seeds, Repeat: o.Repeat}
	startPeak()
	if err := measureOne(m, sc, up, o); err != nil {
		return nil, err
	}
	if o.Seeds > 1 {
		if err := measureSeeds(m, sc, up, o); err != nil {
			return nil, err
		}
	}
	m.PeakMemoryBytes = peakMemory()
	return m, nil
}

// measureOne times the scenario's own seed. With several it is simulated once, for what the table says of it.
func measureOne(m *reports.Speed, sc *model.Scenario, up model.NamedUpgrade, o Repeats) error {
	repeat := o.Repeat
	if o.Seeds > 1 {
		repeat = 1
	}
	for i := range repeat {
		runtime.GC() // so that no repeat pays for what another has left
		compiling := startClock()
		world, err := sim.Compile(sc, up)
		if err != nil {
			return err
		}
		compiled := compiling.cost().Seconds
		running := startClock()
		r := world.RunLast(sim.Options{Seed: sc.Seed})
		m.Least(i, compiled, running.cost())
		m.Verdict, m.Engine = r.Verdict, r.Engine
		m.Events, m.PodsMoved = r.Engine.Events, uint64(r.Evictions+r.Deletions)
		o.tell()
	}
	return nil
}

// measureSeeds times all seeds together.
func measureSeeds(m *reports.Speed, sc *model.Scenario, up model.NamedUpgrade, o Repeats) error {
	for i := range o.Repeat {
		runtime.GC()
		start := startClock()
		sample, err := montecarlo.Replicate(sc, up, montecarlo.Options{Seeds: o.Seeds, Done: o.Done})
		if err != nil {
			return err
		}
		m.Least(i, 0, start.cost())
		m.Events, m.PodsMoved = 0, 0
		for _, r := range sample.Runs {
			m.Events += r.Events
			m.PodsMoved += uint64(r.Figures[montecarlo.Evictions] + r.Figures[montecarlo.Deletions])
		}
	}
	return nil
}

func (o Repeats) tell() {
	if o.Done != nil {
		o.Done()
	}
}

// clock is when something began, by the wall and by the processor.
type clock struct {
	wall time.Time
	cpu  time.Duration
}

func startClock() clock { return clock{time.Now(), cpuTime()} }

func (c clock) cost() reports.Cost {
	return reports.Cost{Seconds: (cpuTime() - c.cpu).Seconds(), WallSeconds: time.Since(c.wall).Seconds()}
}
