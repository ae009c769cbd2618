package montecarlo

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"upsim/model"
)

// MostOwn is how many workloads' own values of one key are varied one by one; the rest of them are varied together.
const MostOwn = 8

// varied is something that can be made less or more.
type varied struct {
	name, of  string
	value     any
	isDefault bool
	scaled    func(*model.Scenario, model.NamedUpgrade, float64) (*model.Scenario, model.NamedUpgrade)
	parts     []varied // one by one, of what is varied together
}

// assumptionsOf lists the assumptions, the times that the scenario gives in their place, and those of its faults. When a fault
// begins is none: it is what the scenario asks about.
func assumptionsOf(sc *model.Scenario, up model.NamedUpgrade) []varied {
	var list []varied
	standard := model.DefaultAssumptions()
	defaults := standard.Numbers()
	for i, n := range sc.Assumptions.Numbers() {
		list = append(list, varied{name: n.Name, value: value(n), isDefault: reflect.DeepEqual(value(n), value(defaults[i])), scaled: func(sc *model.Scenario, up model.NamedUpgrade, by float64) (*model.Scenario, model.NamedUpgrade) {
			changed := *sc
			changed.Assumptions.Numbers()[i].Scale(by)
			return &changed, up
		}})
	}
	for _, k := range ownKeys {
		list = append(list, k.varied(sc)...)
	}
	plane := func(name string, of func(*model.ControlPlaneUpgrade) **model.Dist) {
		if *of(&up.Upgrade.ControlPlane) == nil {
			return
		}
		list = append(list, varied{name: name, value: **of(&up.Upgrade.ControlPlane), scaled: func(sc *model.Scenario, up model.NamedUpgrade, by float64) (*model.Scenario, model.NamedUpgrade) {
			scalePointer(of(&up.Upgrade.ControlPlane), by)
			return sc, up
		}})
	}
	plane("controlPlane.apiserverDowntime", func(c *model.ControlPlaneUpgrade) **model.Dist { return &c.APIServerDowntime })
	plane("controlPlane.perNode", func(c *model.ControlPlaneUpgrade) **model.Dist { return &c.PerNode })
	return append(list, faultsOf(sc)...)
}

// ownKey is a time that a workload may have of its own.
type ownKey struct {
	name string
	of   func(*model.Workload) **model.Dist
}

var ownKeys = []ownKey{
	{"startup", func(w *model.Workload) **model.Dist { return &w.Startup }},
	{"shutdown", func(w *model.Workload) **model.Dist { return &w.Shutdown }},
	{"catchUp", func(w *model.Workload) **model.Dist { return &w.CatchUp }},
	{"volume.attach", func(w *model.Workload) **model.Dist { return &volumeOf(w).Attach }},
	{"volume.detach", func(w *model.Workload) **model.Dist { return &volumeOf(w).Detach }},
}

// varied is the key of one workload by its name; of several it is that of all, with the workloads of which most pods take long one by one.
func (k ownKey) varied(sc *model.Scenario) []varied {
	var with []int
	for i := range sc.Cluster.Workloads {
		if w := sc.Cluster.Workloads[i]; *k.of(&w) != nil {
			with = append(with, i)
		}
	}
	all := "workloads[]." + k.name
	one := func(i int, of string) varied {
		w := sc.Cluster.Workloads[i]
		return varied{name: "workloads[" + workloadLabel(sc, i) + "]." + k.name, of: of, value: **k.of(&w), scaled: k.scale([]int{i})}
	}
	switch len(with) {
	case 0:
		return nil
	case 1:
		return []varied{one(with[0], "")}
	}
	joint := varied{name: all, scaled: k.scale(with)}
	weight := func(i int) time.Duration {
		w := sc.Cluster.Workloads[i]
		return (*k.of(&w)).Quantile(0.5) * time.Duration(max(1, w.Replicas)*max(1, w.Count))
	}
	longest := slices.Clone(with)
	slices.SortStableFunc(longest, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	alone := min(len(longest), MostOwn)
	for _, i := range longest[:alone] {
		joint.parts = append(joint.parts, one(i, all))
	}
	if rest := longest[alone:]; len(rest) > 0 {
		joint.parts = append(joint.parts, varied{name: "workloads[others]." + k.name, of: all, scaled: k.scale(rest)})
	}
	return []varied{joint}
}

// scale changes the key of these workloads, in a copy.
func (k ownKey) scale(workloads []int) func(*model.Scenario, model.NamedUpgrade, float64) (*model.Scenario, model.NamedUpgrade) {
	return func(sc *model.Scenario, up model.NamedUpgrade, by float64) (*model.Scenario, model.NamedUpgrade) {
		changed := *sc
		changed.Cluster.Workloads = slices.Clone(sc.Cluster.Workloads)
		for _, i := range workloads {
			scalePointer(k.of(&changed.Cluster.Workloads[i]), by)
		}
		return &changed, up
	}
}

// workloadLabel is the workload's name, with what tells it from others of the name.
func workloadLabel(sc *model.Scenario, i int) string {
	w := &sc.Cluster.Workloads[i]
	names, spaces := 0, 0
	for k := range sc.Cluster.Workloads {
		if other := &sc.Cluster.Workloads[k]; other.Name == w.Name {
			names++
			if other.Namespace == w.Namespace {
				spaces++
			}
		}
	}
	switch {
	case names == 1:
		return w.Name
	case spaces == 1:
		return w.Namespace + "/" + w.Name
	}
	return string(w.Kind) + "/" + w.Namespace + "/" + w.Name
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

// faultKeys are the numbers of faults that are assumed: each scales that of one fault, and reports whether the fault has it.
var faultKeys = []struct {
	name  string
	scale func(*model.Fault, float64) bool
}{
	{"for", func(f *model.Fault, by float64) bool { return !f.Forever && scaleTime(&f.For, by) }},
	{"probability", func(f *model.Fault, by float64) bool {
		has := f.Probability > 0 && f.Probability < 1
		if has {
			f.Probability = min(1, f.Probability*by)
		}
		return has
	}},
	{"rate", func(f *model.Fault, by float64) bool { f.Rate *= by; return f.Rate > 0 }},
	{"onset", func(f *model.Fault, by float64) bool { return scaleTime(&f.Onset, by) }},
	{"detection", func(f *model.Fault, by float64) bool { return scaleTime(&f.Detection, by) }},
	{"age", func(f *model.Fault, by float64) bool {
		f.Age = f.Age.Scaled(by)
		return f.Kind == model.KubeletCertificates
	}},
	{"unneededTime", func(f *model.Fault, by float64) bool { return scaleTime(&f.Unneeded, by) }},
	{"factor", func(f *model.Fault, by float64) bool {
		has := f.Factor > 1
		if has {
			f.Factor = max(1, f.Factor*by)
		}
		return has
	}},
}

func scaleTime(t *time.Duration, by float64) bool {
	*t = model.Const(*t).Scaled(by).Value
	return *t > 0
}

// faultsOf lists what is assumed of the faults, each key of all of them together.
func faultsOf(sc *model.Scenario) (list []varied) {
	for _, k := range faultKeys {
		if !slices.ContainsFunc(sc.Faults, func(f model.Fault) bool { return k.scale(&f, 1) }) {
			continue
		}
		list = append(list, varied{name: "faults[]." + k.name, scaled: func(sc *model.Scenario, up model.NamedUpgrade, by float64) (*model.Scenario, model.NamedUpgrade) {
			changed := *sc
			changed.Faults = slices.Clone(sc.Faults)
			for i := range changed.Faults {
				k.scale(&changed.Faults[i], by)
			}
			return &changed, up
		}})
	}
	return list
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
