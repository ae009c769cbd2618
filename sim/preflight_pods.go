package sim

import (
	"fmt"

	"upsim/model"
)

// refusal is a budget that allows no eviction of a workload's pods as they are before the upgrade, and could.
type refusal struct {
	limit string // the budget and what it asks for
	until int    // so many healthy pods let it allow one
}

// refusesNow keeps, for the workloads with pods that are not Ready, that their budget allows no eviction because of these.
func (p *preflight) refusesNow(b *model.Budget, subject string, members []member, n *counted) {
	ready, ill := 0, false
	for _, m := range members {
		e := &p.cluster.Workloads[m.unit.entry]
		if len(e.Existing) == 0 {
			if !e.NeverReady {
				ready += m.pods * int(m.unit.copies)
			}
			continue
		}
		up, of := readyBefore(e)
		ready += up + max(0, m.pods-len(e.Existing)) // those to come
		ill = ill || up < of
	}
	_, desired, allowed := budgetStatus(b, n.unscaled == "", n.replicas, n.pods, ready)
	if !ill || allowed > 0 {
		return
	}
	for _, m := range members {
		p.refusals[m.unit.entry] = refusal{fmt.Sprintf("%s (%s)", subject, limitText(b)), desired + 1}
	}
}

// podsBefore names the workloads that have pods which are not Ready before the upgrade begins, as far as a
// real cluster's files tell. A Job's pods need not be Ready, and those of a control plane have findings of their own.
func (p *preflight) podsBefore() {
	for i := range p.cluster.Workloads {
		e := &p.cluster.Workloads[i]
		ready, of := readyBefore(e)
		if ready >= of || e.Kind == model.Job || e.Kind == model.Static {
			continue
		}
		subject, budget := entrySubject(e, 0), ""
		if r, ok := p.refusals[int32(i)]; ok {
			budget = fmt.Sprintf("; %s allows no eviction until %d are", r.limit, r.until)
		}
		p.add(model.PodsNotReadyBefore, subject, "%s has %d of %s Ready before the upgrade begins%s", subject, ready, plural(of, "pod", "pods"), budget)
	}
}

// readyBefore counts a workload's pods that are Ready, of those that it has and wants.
func readyBefore(e *model.Workload) (ready, of int) {
	for i := range e.Existing {
		if x := &e.Existing[i]; x.Ready && !x.Terminating {
			ready++
		}
	}
	switch of = len(e.Existing); e.Kind {
	case model.Deployment, model.ReplicaSet, model.StatefulSet:
		of = min(of, e.Replicas)
	}
	return ready, of
}
