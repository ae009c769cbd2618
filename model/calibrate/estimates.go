package calibrate

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Estimate is what the times of one quantity come to, of all subjects together or of one.
type Estimate struct {
	Quantity Quantity
	// Of is the workload or the pool; zero for all together. Others tells that those are left out which have an estimate of their own in use.
	Of     Subject
	Others bool
	// From are the subjects whose times are in it.
	From []Subject
	// N times, the least, the median and the greatest of them.
	N                int
	Min, Median, Max time.Duration
	Resolution       time.Duration
	Sources          []string
	// Fit is nil where they are too few.
	Fit *Fit
	// Use tells that the estimate goes into the scenario; Why, where it does not, the reason.
	Use bool
	Why string
}

// estimates makes them in the order of quantities, all together before each subject.
func (c *Collector) estimates() []Estimate {
	var out []Estimate
	for _, q := range quantities {
		if s := c.series[q.Quantity]; s != nil {
			out = append(out, s.estimates(q.Quantity)...)
		}
	}
	return out
}

func (s *series) estimates(q Quantity) []Estimate {
	subjects := s.subjects()
	var own, others []Subject
	for i, subject := range subjects {
		rest := slices.Concat(subjects[:i], subjects[i+1:])
		if perWorkload(q) && differ(s.values([]Subject{subject}), s.values(rest), s.resolution) {
			own = append(own, subject)
		} else {
			others = append(others, subject)
		}
	}
	if n := len(s.values(others)); n < FewestEqual {
		others = subjects
	}
	all := s.estimate(q, others)
	all.Others = len(others) < len(subjects)
	switch {
	case q == NodeBoot:
		all.Why = onlyBoot
	case all.Fit == nil:
		all.Why = tooFew(q, all.N)
	default:
		all.Use = true
	}
	out := []Estimate{all}
	if len(subjects) == 1 {
		return out
	}
	for _, subject := range subjects {
		if subject == (Subject{}) {
			continue
		}
		e := s.estimate(q, []Subject{subject})
		e.Of = subject
		e.Why = "as the others"
		switch {
		case e.Fit == nil:
			e.Why = tooFew(q, e.N)
		case q == NodeBoot:
			e.Why = onlyBoot
		case slices.Contains(own, subject):
			e.Use, e.Why = true, ""
		case !perWorkload(q):
			e.Why = "a scenario has one value for all pools"
		}
		out = append(out, e)
	}
	return out
}

// onlyBoot is why the time of a node's boot goes into no scenario.
const onlyBoot = "only a part of nodeProvision: from the node's registration to Ready"

// perWorkload tells the quantities that a scenario can give for each workload.
func perWorkload(q Quantity) bool { return q == Startup || q == Shutdown }

// tooFew says how many would be enough.
func tooFew(q Quantity, n int) string {
	switch {
	case latency(q):
		return fmt.Sprintf("%d of the %d that are needed", n, FewestLatencies)
	case n >= FewestEqual:
		return fmt.Sprintf("%d of the %d that are needed where they differ", n, FewestDifferent)
	}
	return fmt.Sprintf("%d of the %d that are needed where they agree, and %d where they differ", n, FewestEqual, FewestDifferent)
}

// latency tells the control plane's own times of milliseconds, of which a few say nothing.
func latency(q Quantity) bool {
	return slices.Contains([]Quantity{ControllerLatency, SchedulerLatency, TaintLag, DeletionLag}, q)
}

func (s *series) estimate(q Quantity, of []Subject) Estimate {
	times := s.values(of)
	n := len(times)
	e := Estimate{
		Quantity: q, From: of, N: n, Min: times[0], Median: times[n/2], Max: times[n-1],
		Resolution: s.resolution, Sources: slices.Sorted(maps.Keys(s.sources)),
	}
	if latency(q) && n < FewestLatencies {
		return e
	}
	if f, ok := fit(times, s.resolution); ok {
		e.Fit = &f
	}
	return e
}

// String names the subject; nothing for all together.
func (s Subject) String() string {
	switch {
	case s.Pool != "":
		return "pool " + s.Pool
	case s.Name != "":
		return s.Namespace + "/" + s.Name
	}
	return ""
}
