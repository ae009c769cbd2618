package montecarlo

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"upsim/model"
	"upsim/sim"
)

// DefaultSeeds is over how many seeds a sensitivity is judged where nothing is said.
const DefaultSeeds = 5

// Change is by how much each assumption is made less and more: a fifth.
const Change = 0.2

// Sensitivity says which assumptions move the result of an upgrade most, so that one knows what to measure first.
type Sensitivity struct {
	Seeds   int
	As      Figures // with the assumptions as they are
	Effects []Effect
}

// Figures are means over seeds of what a run found, with the number of seeds that had each verdict.
type Figures struct {
	Makespan sim.Seconds
	// Downtime sums the times of all workloads without a ready replica, BelowFloor those with fewer than their budgets want.
	Downtime, BelowFloor sim.Seconds
	Verdicts             map[sim.Verdict]int
	verdicts             []sim.Verdict // by seed
}

// Moves reports whether a change of the assumption turns a verdict, or moves a figure by half a percent.
func (s *Sensitivity) Moves(e *Effect) bool { return e.Turned > 0 || e.moves(&s.As) >= 0.005 }

// Effect is what a change of one assumption does.
type Effect struct {
	// Assumption is its key: under assumptions, or where the scenario says it otherwise.
	Assumption string
	// Value is what it is: a model.Dist, a duration, a rate or a number; nil where each workload has its own.
	Value any
	// Default: the scenario left it at its default.
	Default    bool
	Less, More Figures
	// Turned counts the runs, of both changes, whose verdict became another one.
	Turned int
}

// moves is the largest share by which the change moves the makespan, or the
// downtime, or the time below budgets (these against the makespan where there was none).
func (e *Effect) moves(as *Figures) float64 {
	share := func(of func(*Figures) sim.Seconds) float64 {
		base := float64(cmp.Or(of(as), as.Makespan))
		if base == 0 {
			return 0
		}
		return max(math.Abs(float64(of(&e.Less)-of(as))), math.Abs(float64(of(&e.More)-of(as)))) / base
	}
	return max(share(func(f *Figures) sim.Seconds { return f.Makespan }), share(func(f *Figures) sim.Seconds { return f.Downtime }),
		share(func(f *Figures) sim.Seconds { return f.BelowFloor }))
}

// Vary simulates the upgrade with each assumption a fifth less and a fifth
// more, all else being equal, chance included. The effects stand in order: those
// that turn verdicts, then those that move the figures most. The error is Compile's.
func Vary(sc *model.Scenario, up model.NamedUpgrade, o Options) (*Sensitivity, error) {
	o.Seeds = cmp.Or(o.Seeds, DefaultSeeds)
	s := &Sensitivity{Seeds: o.Seeds}
	list := assumptionsOf(sc, up)
	figures := make([]Figures, 1+2*len(list))
	err := inParallel(len(figures), o.Workers, func(i int) error {
		changed, upgrade := sc, up
		if i > 0 {
			factor := 1 - Change
			if i%2 == 0 {
				factor = 1 + Change
			}
			changed, upgrade = list[(i-1)/2].scaled(sc, up, factor)
		}
		f, err := runSeeds(changed, upgrade, o)
		figures[i] = f
		return err
	})
	if err != nil {
		return nil, err
	}
	s.As = figures[0]
	for i, a := range list {
		e := Effect{Assumption: a.name, Value: a.value, Default: a.isDefault, Less: figures[1+2*i], More: figures[2+2*i]}
		e.Turned = turned(&s.As, &e.Less) + turned(&s.As, &e.More)
		s.Effects = append(s.Effects, e)
	}
	slices.SortStableFunc(s.Effects, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(b.Turned, a.Turned), cmp.Compare(b.moves(&s.As), a.moves(&s.As)))
	})
	return s, nil
}

func turned(a, b *Figures) (n int) {
	for i := range a.verdicts {
		if a.verdicts[i] != b.verdicts[i] {
			n++
		}
	}
	return n
}

// runSeeds simulates the upgrade with each seed in turn.
func runSeeds(sc *model.Scenario, up model.NamedUpgrade, o Options) (Figures, error) {
	f := Figures{Verdicts: make(map[sim.Verdict]int)}
	n := sim.Seconds(o.Seeds)
	for i := range o.Seeds {
		result, err := runSeed(sc, up, sc.Seed+uint64(i), o)
		if err != nil {
			return f, err
		}
		r := RunOf(result)
		f.Makespan += sim.Seconds(r.Figures[Makespan]) / n
		f.Downtime += sim.Seconds(r.Figures[DowntimeOfAll]) / n
		f.BelowFloor += sim.Seconds(r.Figures[BelowFloorOfAll]) / n
		f.verdicts = append(f.verdicts, r.Verdict)
		f.Verdicts[r.Verdict]++
	}
	return f, nil
}

// varied is something that can be made less or more.
type varied struct {
	name      string
	value     any
	isDefault bool
	scaled    func(*model.Scenario, model.NamedUpgrade, float64) (*model.Scenario, model.NamedUpgrade)
}

// assumptionsOf lists the assumptions, and the times that the scenario gives in their place.
func assumptionsOf(sc *model.Scenario, up model.NamedUpgrade) []varied {
	var list []varied
	standard := model.DefaultAssumptions()
	defaults := standard.Numbers()
	for i, n := range sc.Assumptions.Numbers() {
		list = append(list, varied{n.Name, value(n), reflect.DeepEqual(value(n), value(defaults[i])), func(sc *model.Scenario, up model.NamedUpgrade, by float64) (*model.Scenario, model.NamedUpgrade) {
			changed := *sc
			changed.Assumptions.Numbers()[i].Scale(by)
			return &changed, up
		}})
	}
	add := func(name string, of func(*model.Workload) **model.Dist) {
		if !slices.ContainsFunc(sc.Cluster.Workloads, func(w model.Workload) bool { return *of(&w) != nil }) {
			return
		}
		list = append(list, varied{name, nil, false, func(sc *model.Scenario, up model.NamedUpgrade, by float64) (*model.Scenario, model.NamedUpgrade) {
			changed := *sc
			changed.Cluster.Workloads = slices.Clone(sc.Cluster.Workloads)
			for k := range changed.Cluster.Workloads {
				scalePointer(of(&changed.Cluster.Workloads[k]), by)
			}
			return &changed, up
		}})
	}
	add("workloads[].startup", func(w *model.Workload) **model.Dist { return &w.Startup })
	add("workloads[].shutdown", func(w *model.Workload) **model.Dist { return &w.Shutdown })
	plane := func(name string, of func(*model.ControlPlaneUpgrade) **model.Dist) {
		if *of(&up.Upgrade.ControlPlane) == nil {
			return
		}
		list = append(list, varied{name, **of(&up.Upgrade.ControlPlane), false, func(sc *model.Scenario, up model.NamedUpgrade, by float64) (*model.Scenario, model.NamedUpgrade) {
			scalePointer(of(&up.Upgrade.ControlPlane), by)
			return sc, up
		}})
	}
	plane("controlPlane.apiserverDowntime", func(c *model.ControlPlaneUpgrade) **model.Dist { return &c.APIServerDowntime })
	plane("controlPlane.perNode", func(c *model.ControlPlaneUpgrade) **model.Dist { return &c.PerNode })
	return list
}

func scalePointer(p **model.Dist, by float64) {
	if *p != nil {
		d := (*p).Scaled(by)
		*p = &d
	}
}

// value is what a number of the assumptions is.
func value(n model.Number) any {
	switch {
	case n.Time != nil:
		return *n.Time
	case n.Fixed != nil:
		return *n.Fixed
	case n.Rate != nil:
		return *n.Rate
	}
	return *n.Count
}
