package calibrate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"upsim/model"
)

// Quantity is what a time is of: the assumption of that name, or a key elsewhere in the scenario.
type Quantity string

// The quantities that can be measured. ControlPlaneNode is a key under upgrade;
// NodeBoot is only a part of the assumption nodeProvision, and no key of a scenario.
const (
	Startup           Quantity = "startup"
	Shutdown          Quantity = "shutdown"
	NodeUpgrade       Quantity = "nodeUpgrade"
	ControlPlaneNode  Quantity = "controlPlane.perNode"
	NodeProvision     Quantity = "nodeProvision"
	NodeBoot          Quantity = "nodeBoot"
	ControllerLatency Quantity = "controllerLatency"
	SchedulerLatency  Quantity = "schedulerLatency"
	TaintLag          Quantity = "taintLag"
	DeletionLag       Quantity = "deletionLag"
)

// quantities lists them in the order of a report, each with the longest time
// that is believed: what takes longer waited for something else.
var quantities = []struct {
	Quantity
	longest time.Duration
}{
	{Startup, time.Hour},
	{Shutdown, time.Hour},
	{NodeUpgrade, 12 * time.Hour},
	{ControlPlaneNode, 12 * time.Hour},
	{NodeProvision, 2 * time.Hour},
	{NodeBoot, longestBoot},
	{ControllerLatency, time.Second},
	{SchedulerLatency, time.Second},
	{TaintLag, time.Second},
	// The API server tries a write conflict on a budget again after half a second.
	{DeletionLag, 450 * time.Millisecond},
}

// Subject is whose times they are: a workload's or a pool's; zero stands for all together.
type Subject struct {
	Namespace, Name string // of a workload
	// Kind tells workloads of one name apart; empty where a namespace has only one of the name, unless it is a CronJob.
	Kind model.Kind
	Pool string
}

// series are the times of one quantity.
type series struct {
	of map[Subject][]time.Duration
	// resolution is the step of the coarsest clock that measured them.
	resolution time.Duration
	sources    map[string]int
	// example is the first time's object and file.
	example string
}

// LeftOut counts times that were seen and do not count, for one reason.
type LeftOut struct {
	Quantity Quantity
	Why      string
	Count    int
	// Example is the first: its object and its file.
	Example string
}

type samples struct {
	series map[Quantity]*series
	left   []LeftOut
	// wrong counts the times that clocks which do not agree have spoiled.
	wrong map[Quantity]int
	// kinds are those of the workloads of one name.
	kinds map[Subject]map[model.Kind]bool
}

func newSamples() samples {
	return samples{series: map[Quantity]*series{}, wrong: map[Quantity]int{}, kinds: map[Subject]map[model.Kind]bool{}}
}

// sample is one time: what was measured, whose, how exactly, and where.
type sample struct {
	Quantity
	of            Subject
	resolution    time.Duration
	source        string
	object, input string
}

// take keeps a time, or leaves it out where it cannot be one.
func (s *samples) take(m sample, d time.Duration) {
	longest := longestOf(m.Quantity)
	switch {
	case d < 0:
		s.spoiled(m, "ends before it begins")
		return
	case d > longest:
		s.leave(m, fmt.Sprintf("takes longer than %v, so it waited for something else", longest))
		return
	}
	all := s.series[m.Quantity]
	if all == nil {
		all = &series{of: map[Subject][]time.Duration{}, sources: map[string]int{}, example: m.where()}
		s.series[m.Quantity] = all
	}
	all.resolution = max(all.resolution, m.resolution)
	all.of[m.of] = append(all.of[m.of], d)
	all.sources[m.source]++
}

func longestOf(q Quantity) time.Duration {
	at := slices.IndexFunc(quantities, func(x struct {
		Quantity
		longest time.Duration
	}) bool {
		return x.Quantity == q
	})
	return quantities[at].longest
}

// where is how messages name the place of a time.
func (m *sample) where() string { return m.object + " in " + m.input }

// leave counts a time that does not count.
func (s *samples) leave(m sample, why string) { s.leaveMany(m.Quantity, why, 1, m.where()) }

func (s *samples) leaveMany(q Quantity, why string, n int, example string) {
	for i := range s.left {
		if l := &s.left[i]; l.Quantity == q && l.Why == why {
			l.Count += n
			return
		}
	}
	s.left = append(s.left, LeftOut{q, why, n, example})
}

// leftOut lists what was left out in the order of the quantities, the most first.
func (s *samples) leftOut() []LeftOut {
	order := map[Quantity]int{}
	for i, q := range quantities {
		order[q.Quantity] = i
	}
	out := slices.Clone(s.left)
	slices.SortStableFunc(out, func(a, b LeftOut) int {
		return cmp.Or(cmp.Compare(order[a.Quantity], order[b.Quantity]), cmp.Compare(b.Count, a.Count))
	})
	return out
}

// subjects lists those of the series in the order of their names.
func (s *series) subjects() []Subject {
	return slices.SortedFunc(maps.Keys(s.of), func(a, b Subject) int {
		return cmp.Or(model.NaturalCompare(a.Pool, b.Pool), cmp.Compare(a.Namespace, b.Namespace),
			model.NaturalCompare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
}

// values are the times of the subjects together, in order.
func (s *series) values(of []Subject) []time.Duration {
	var all []time.Duration
	for _, subject := range of {
		all = append(all, s.of[subject]...)
	}
	slices.Sort(all)
	return all
}
