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
	// Apart tells of a workload or a pool that its times are not those of the rest.
	Apart bool
	// Use tells that the estimate goes into the scenario; Why, where it does not, the reason.
	Use bool
	Why string
}

// estimates makes them in the order of quantities, all together before each subject.
func (c *Collector) estimates() []Estimate {
	var out []Estimate
	for _, q := range quantities {
		if s := c.series[q.Quantity]; s != nil {
			out = append(out, s.estimates(q.Quantity, c.shared)...)
		}
	}
	return out
}

func (s *series) estimates(q Quantity, shared func(Subject) bool) []Estimate {
	subjects := s.subjects()
	own, others := s.split(q, subjects)
	var out []Estimate
	if len(others) > 0 {
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
		out = append(out, all)
	}
	if len(subjects) == 1 && len(others) == 1 {
		return out
	}
	for _, subject := range subjects {
		if subject == (Subject{}) {
			continue
		}
		e := s.estimate(q, []Subject{subject})
		e.Of, e.Why = subject, "as the others"
		e.Apart = slices.Contains(own, subject) || s.apart(subject, subjects)
		switch {
		case e.Fit == nil:
			e.Why = tooFew(q, e.N)
		case q == NodeBoot:
			e.Why = onlyBoot
		case !perWorkload(q):
			if e.Why = "a scenario has one value for all pools"; e.Apart {
				e.Why = "not as other pools', and " + e.Why
			}
		case subject.Kind == cronJob:
			e.Why = "a scenario has no CronJob: each of its runs is a Job of its own"
		case e.Apart && shared(subject):
			e.Why = "a scenario has only one workload of that name in a namespace"
		case e.Apart:
			e.Use, e.Why = true, ""
		}
		out = append(out, e)
	}
	return out
}

// split tells the subjects whose times are their own from the others, of which each stands for all.
// Where none can be told from the rest since there is more than one of each sort, but
// the times agree within every workload and not between them, they are each one's own.
func (s *series) split(q Quantity, subjects []Subject) (own, others []Subject) {
	if !perWorkload(q) {
		return nil, subjects
	}
	for i, subject := range subjects {
		rest := slices.Concat(subjects[:i], subjects[i+1:])
		if subject.Kind == cronJob || differ(s.values([]Subject{subject}), s.values(rest), s.resolution) {
			own = append(own, subject)
		} else {
			others = append(others, subject)
		}
	}
	var several []Subject
	for _, subject := range others {
		times := s.values([]Subject{subject})
		if len(times) >= Pair {
			several = append(several, subject)
			if !agree(times, s.resolution) {
				return own, others
			}
		}
	}
	if len(several) < 2 || agree(s.values(several), s.resolution) {
		return own, others
	}
	return append(own, several...), slices.DeleteFunc(others, func(x Subject) bool { return slices.Contains(several, x) })
}

// apart tells that the median of a pool's times is not that of another.
func (s *series) apart(pool Subject, all []Subject) bool {
	a := s.median(pool)
	return pool.Pool != "" && slices.ContainsFunc(all, func(other Subject) bool {
		b := s.median(other)
		return float64((a - b).Abs()) > max(float64(s.resolution), alike/2*float64(min(a, b)))
	})
}

func (s *series) median(of Subject) time.Duration {
	times := s.values([]Subject{of})
	return times[len(times)/2]
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
	return fmt.Sprintf("%d of the %d that are needed where they agree (%d within %g %%), and %d where they differ", n, FewestEqual, Pair, 100*pairAlike, FewestDifferent)
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

// OnlyPair tells that the estimate rests on two times alone, which agree: no third tells whether they are right.
func (e *Estimate) OnlyPair() bool { return e.Fit != nil && e.N == Pair }

// String names the subject; nothing for all together.
func (s Subject) String() string {
	switch {
	case s.Pool != "":
		return "pool " + s.Pool
	case s.Name != "":
		if s.Kind != "" {
			return s.Namespace + "/" + s.Name + " (" + string(s.Kind) + ")"
		}
		return s.Namespace + "/" + s.Name
	}
	return ""
}
