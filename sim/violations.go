package sim

import (
	"fmt"

	"upsim/model"
	"upsim/sim/invariant"
)

// violationSum are the intervals of one rule and one subject.
type violationSum struct {
	class invariant.Class
	id    int32
	code  model.Code
	first invariant.Interval
	n     int
	total int64 // up to the end of the upgrade
	open  bool  // the last of them does not end
	end   int64 // when it does
}

// violationReasons sums the violations up: one reason for each code and subject.
func (r *run) violationReasons() {
	notReady := 0
	for _, s := range r.sumViolations() {
		if s.code == model.NodeNotReady {
			if notReady++; notReady > mostAlike {
				continue
			}
		}
		if s.code == model.PodsPending && s.total < 1_000_000 {
			continue // the time that the scheduler takes
		}
		if s.code == model.EtcdQuorumLost && r.w.instances() == 1 {
			continue // that the only API server does not answer says it
		}
		f := model.NewFinding(s.code, r.subject(s.class, s.id), r.violationMessage(s))
		f.Severity, f.Fix = r.severityOf(s.code), r.reasonFix(s.code, s.id, f.Fix)
		r.reasons = append(r.reasons, f)
	}
	if more := notReady - mostAlike; more > 0 {
		r.reason(model.NodeNotReady, "Scenario/"+r.w.scenario.Name, plural(more, "more node was", "more nodes were")+" not Ready for a time while the upgrade was not at work on them")
	}
}

// sumViolations are the violations that began during the upgrade, but for those that are a matter of course, in the order of their beginnings.
func (r *run) sumViolations() (order []*violationSum) {
	type key struct {
		class invariant.Class
		id    int32
		code  model.Code
	}
	sums := make(map[key]*violationSum)
	for _, v := range r.log.Intervals() {
		info, _ := v.Code().Info()
		if info.Severity == model.SeverityInfo || v.Start > r.endedAt {
			continue
		}
		k := key{v.Class, v.ID, v.Code()}
		s := sums[k]
		if s == nil {
			s = &violationSum{class: v.Class, id: v.ID, code: v.Code(), first: v}
			sums[k] = s
			order = append(order, s)
		}
		s.first.Join(v)
		s.n++
		s.open = s.open || v.IsOpen()
		s.total += r.upTo(v.End) - r.upTo(v.Start)
		s.end = v.End
	}
	return order
}

// violationMessage says what was wrong, from when on and for how long; a single interval is told whole, also where it ends beyond the upgrade.
func (r *run) violationMessage(s *violationSum) string {
	m := s.first.Message(r.subject(s.class, s.id))
	if s.code == model.PodsPending {
		m += " (" + r.whyParked[s.id] + ")"
	}
	m += fmt.Sprintf(", from %s", formatTime(s.first.Start))
	if s.n > 1 {
		return m + fmt.Sprintf(" and %s more, %s in all", plural(s.n-1, "time", "times"), formatTime(s.total))
	}
	if s.open {
		return m + " on"
	}
	whole := formatTime(s.end - s.first.Start)
	m += " for " + whole
	if whole != formatTime(s.total) { // as near as it is said
		m += ", beyond the end of the upgrade"
	}
	return m
}

// mostAlike is after how many reasons of the same kind, such as of the nodes of a zone that has failed, the others are only counted.
const mostAlike = 5

// severityOf is a broken rule's severity. A single API server or etcd member is out while it is
// upgraded, which is a warning; of several never so many should be out.
func (r *run) severityOf(c model.Code) model.Severity {
	info, _ := c.Info()
	switch {
	case c == model.APIServerUnreachable && r.w.instances() > 1:
		return model.SeverityError
	case c == model.EtcdQuorumLost && r.w.instances() == 1:
		return model.SeverityWarning
	}
	return info.Severity
}

func (r *run) subject(c invariant.Class, id int32) string {
	switch c {
	case invariant.Workloads:
		return r.w.workloadSubject(id)
	case invariant.Nodes:
		return r.w.nodeSubject(id)
	case invariant.Budgets:
		return r.w.budgetSubject(id)
	case invariant.Components:
		return r.componentSubject(id)
	}
	return "control-plane/" + r.w.scenario.Name
}
