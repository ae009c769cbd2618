package sim

import (
	"time"

	"upsim/model"
)

// graces reports the workloads whose pods may take longer to stop than they are given when a drain evicts them: the kubelet
// kills them then (Kubernetes, Pod Lifecycle, termination of pods), and the simulation ends them there too.
func (p *preflight) graces(a *model.Assumptions) {
	for i := range p.cluster.Workloads {
		e, s := &p.cluster.Workloads[i], &p.standings[i]
		if !s.reached || s.pods == 0 || stays(e.Kind) {
			continue
		}
		takes := a.Shutdown
		if e.Shutdown != nil {
			takes = *e.Shutdown
		}
		often, seldom := takes.Quantile(0.5), takes.Quantile(0.99)
		given, whose := p.leastGrace(e)
		if seldom <= given {
			continue
		}
		how, long := "take", often
		if often <= given {
			how, long = "may take", seldom
		}
		p.add(model.GraceTooShort, entrySubject(e, 0), "its pods %s %s to stop, and are killed after the %s of %s%s",
			how, formatTime(long.Microseconds()), whose, formatTime(given.Microseconds()), alsoOf(max(1, e.Count)-1))
	}
}

// leastGrace is the shortest time that a drain of the upgrade gives the workload's pods to stop, and the key that says so.
func (p *preflight) leastGrace(e *model.Workload) (least time.Duration, whose string) {
	least, whose = e.GracePeriod, "terminationGracePeriodSeconds"
	for i, d := range p.drains {
		grace, key := e.GracePeriod, "terminationGracePeriodSeconds"
		if d.GracePeriod != nil {
			grace, key = *d.GracePeriod, "drain's gracePeriod"
		}
		if d.MaxGracePeriod != nil && *d.MaxGracePeriod < grace {
			grace, key = *d.MaxGracePeriod, "drain's maxGracePeriod"
		}
		if i == 0 || grace < least {
			least, whose = grace, key
		}
	}
	return least, whose
}
