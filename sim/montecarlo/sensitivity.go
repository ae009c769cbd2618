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
	verdicts             []sim.Verdict             // by seed
	values               [len(sensitive)][]float64 // by figure, then by seed
}

// sensitive are the figures that a change is looked for in: makespan, downtime, and the time below budgets.
var sensitive = [...]Figure{Makespan, DowntimeOfAll, BelowFloorOfAll}

// mean is the mean of one of the sensitive figures.
func (f *Figures) mean(figure int) sim.Seconds {
	return [...]sim.Seconds{f.Makespan, f.Downtime, f.BelowFloor}[figure]
}

// enough is by which share a figure must move to count: half a percent.
const enough = 0.005

// Moves reports whether a change of the assumption turns a verdict, or moves a figure by half a percent.
func (s *Sensitivity) Moves(e *Effect) bool { return e.Turned > 0 || e.moves(&s.As) >= enough }

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
	// Told: the seeds tell the effect from chance, with a confidence of 95 %.
	Told bool
}

// share is by which share a change moves a figure: of what it is, or of the makespan where it is 0.
func share(as, now *Figures, figure int) float64 {
	base := float64(cmp.Or(as.mean(figure), as.Makespan))
	if base == 0 {
		return 0
	}
	return math.Abs(float64(now.mean(figure)-as.mean(figure))) / base
}

// moves is the largest share by which the change moves a figure.
func (e *Effect) moves(as *Figures) (most float64) {
	for k := range sensitive {
		most = max(most, share(as, &e.Less, k), share(as, &e.More, k))
	}
	return most
}

// told reports whether the seeds tell the effect from chance: a change turns the verdict of most of them, or moves a figure
// so that the paired-t interval of the difference leaves 0 out. (Another time of some milliseconds can have another of two
// evictions come first, and with it a pause of 5 s more or less.)
func (e *Effect) told(as *Figures) bool {
	for _, now := range []*Figures{&e.Less, &e.More} {
		if 2*turned(as, now) > len(as.verdicts) {
			return true
		}
		for k := range sensitive {
			if share(as, now, k) < enough {
				continue
			}
			differences := make([]float64, len(as.values[k]))
			for i := range differences {
				differences[i] = now.values[k][i] - as.values[k][i]
			}
			if mean, half := meanInterval(differences, Confidence); math.Abs(mean) > half {
				return true
			}
		}
	}
	return false
}

// Vary simulates the upgrade with each assumption a fifth less and a fifth
// more, all else being equal, chance included. The effects stand in order: those
// that turn verdicts, then those that move the figures most, and behind them those that may be chance. The error is Compile's.
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
		e.Told = e.told(&s.As)
		s.Effects = append(s.Effects, e)
	}
	slices.SortStableFunc(s.Effects, func(a, b Effect) int {
		if s.Moves(&a) && s.Moves(&b) && a.Told != b.Told {
			if a.Told {
				return -1
			}
			return 1
		}
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
		for k, figure := range sensitive {
			f.values[k] = append(f.values[k], r.Figures[figure])
		}
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
	add("workloads[].catchUp", func(w *model.Workload) **model.Dist { return &w.CatchUp })
	add("workloads[].volume.attach", func(w *model.Workload) **model.Dist { return &volumeOf(w).Attach })
	add("workloads[].volume.detach", func(w *model.Workload) **model.Dist { return &volumeOf(w).Detach })
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

// volumeOf is a copy of the workload's volume that can be changed, in its place; an empty one where it has none.
func volumeOf(w *model.Workload) *model.Volume {
	if w.Volume == nil {
		return &model.Volume{}
	}
	own := *w.Volume
	w.Volume = &own
	return &own
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
