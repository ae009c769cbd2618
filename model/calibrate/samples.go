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
	Namespace, Name string // of a workload, of which a namespace has only one of a name
	Pool            string
}

// series are the times of one quantity.
type series struct {
	of map[Subject][]time.Duration
	// resolution is the step of the coarsest clock that measured them.
	resolution time.Duration
	sources    map[string]int
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
}

func newSamples() samples { return samples{series: map[Quantity]*series{}} }

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
		s.leave(m, "ends before it begins")
		return
	case d > longest:
		s.leave(m, fmt.Sprintf("takes longer than %v, so it waited for something else", longest))
		return
	}
	all := s.series[m.Quantity]
	if all == nil {
		all = &series{of: map[Subject][]time.Duration{}, sources: map[string]int{}}
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

// leave counts a time that does not count.
func (s *samples) leave(m sample, why string) {
	for i := range s.left {
		if l := &s.left[i]; l.Quantity == m.Quantity && l.Why == why {
			l.Count++
			return
		}
	}
	s.left = append(s.left, LeftOut{m.Quantity, why, 1, m.object + " in " + m.input})
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
			model.NaturalCompare(a.Name, b.Name))
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
