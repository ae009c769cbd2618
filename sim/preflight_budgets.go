package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// member is what a budget selects of one unit.
type member struct {
	unit unit
	standing
}

// budgets looks for those that can never allow an eviction, assuming that every
// pod that can be Ready is; that cannot be computed; that select nothing; and
// for pods with two. A drain that deletes instead of evicting asks no budget.
func (p *preflight) budgets() {
	p.limited = make([]bool, len(p.cluster.Workloads))
	evicts := slices.ContainsFunc(p.drains, func(d model.Drain) bool { return !d.DisableEviction })
	for i := range p.cluster.Workloads {
		e := &p.cluster.Workloads[i]
		if e.Budget == nil || !evicts {
			continue
		}
		m := []member{{unit{int32(i), 0, 1}, p.standings[i]}}
		p.judge(e.Budget, budgetName(e.Namespace, e.CopyName(0)), m, max(1, e.Count)-1)
	}
	if len(p.cluster.Budgets) == 0 {
		return
	}

	units := p.unitList()
	x := p.index(units)
	of := make([][]int32, len(units)) // the cluster's budgets on each unit
	for i := range p.cluster.Budgets {
		b := &p.cluster.Budgets[i]
		var members []member
		for _, j := range x.selected(b) {
			of[j] = append(of[j], int32(i))
			members = append(members, member{units[j], p.standings[units[j].entry]})
		}
		subject := budgetName(b.Namespace, b.Name)
		if !slices.ContainsFunc(members, func(m member) bool { return m.pods > 0 }) {
			p.add(model.BudgetMatchesNothing, subject, "%s", p.selectsNothing(b, members))
		} else if evicts {
			p.judge(b, subject, members, 0)
		}
	}
	if evicts {
		p.twoBudgets(units, of)
	}
}

func budgetName(namespace, name string) string {
	return "PodDisruptionBudget/" + cmp.Or(namespace, model.DefaultNamespace) + "/" + name
}

func (p *preflight) selectsNothing(b *model.Budget, members []member) string {
	switch {
	case len(members) > 0:
		return fmt.Sprintf("it selects only %s, which has no pods", p.namedUnits(members))
	case b.SelectsNothing:
		return "its selector is null, which selects no pod"
	}
	return "its selector matches no pod of namespace " + cmp.Or(b.Namespace, model.DefaultNamespace)
}

func (p *preflight) namedUnits(members []member) string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = entrySubject(&p.cluster.Workloads[m.unit.entry], int(m.unit.copy))
	}
	return named(names)
}

// counted is what a budget would count of its members' pods.
type counted struct {
	replicas, pods, healthy int
	unscaled                string   // the first of its members that has no scale
	leaving                 []member // those that a drain would have to evict
}

func (p *preflight) countMembers(members []member) (n counted) {
	for _, m := range members {
		e := &p.cluster.Workloads[m.unit.entry]
		if m.pods == 0 {
			continue
		}
		scale, ok := ownerScale(e.Kind, e.Replicas)
		if n.replicas += scale * int(m.unit.copies); !ok && n.unscaled == "" {
			n.unscaled = entrySubject(e, int(m.unit.copy))
		}
		n.pods += m.pods * int(m.unit.copies)
		if !e.NeverReady {
			n.healthy += m.pods * int(m.unit.copies)
		}
		if m.reached && !stays(e.Kind) {
			n.leaving = append(n.leaving, m)
		}
	}
	return n
}

// judge reports a budget that stops a drain whatever happens.
func (p *preflight) judge(b *model.Budget, subject string, members []member, otherCopies int) {
	n := p.countMembers(members)
	_, desired, allowed := budgetStatus(b, n.unscaled == "", n.replicas, n.pods, n.healthy)
	if b.AlwaysAllow || desired > 0 && n.healthy >= desired {
		// Pods that are not Ready leave without asking for an allowance.
		n.leaving = slices.DeleteFunc(n.leaving, func(m member) bool { return p.cluster.Workloads[m.unit.entry].NeverReady })
	}
	p.sparesQuorum(subject, n.leaving, allowed, otherCopies)
	if len(n.leaving) == 0 || allowed > 0 {
		p.refusesNow(b, subject, members, &n)
		return
	}
	who, others := p.whoAndWhere(n.leaving), alsoOf(otherCopies)
	counts := b.MinAvailable != nil && b.MinAvailable.Type == intstr.Int
	switch {
	case !counts && n.unscaled != "":
		p.add(model.BudgetNotComputable, subject, "%s needs a scale, and %s has none: no pod of %s can be evicted%s",
			limitText(b), n.unscaled, who, others)
	case !counts && n.replicas == 0:
		p.add(model.BudgetNotComputable, subject, "%s needs a scale, and its pods have no controller: no pod of %s can be evicted%s",
			limitText(b), who, others)
	default:
		most := fmt.Sprintf("there are never more than %d", n.healthy)
		if n.healthy < n.pods {
			most = fmt.Sprintf("never more than %d of the %d turn Ready", n.healthy, n.pods)
		}
		p.add(model.BudgetNeverAllows, subject, "%s wants %s and %s: no pod of %s can ever be evicted%s",
			limitText(b), plural(desired, "healthy pod", "healthy pods"), most, who, others)
	}
	f := &p.found[len(p.found)-1]
	if e := &p.cluster.Workloads[members[0].unit.entry]; e.Budget != b {
		f.Fix = fixForOwnBudget(p.cluster, f.Code, b, n.pods, n.unscaled == "")
	} else if f.Code == model.BudgetNeverAllows {
		f.Fix = fixForInlineBudget(e)
	}
}

// whoAndWhere names the workloads, and the nodes of their pods that are known.
func (p *preflight) whoAndWhere(list []member) string {
	var nodes []string
	for _, m := range list {
		nodes = append(nodes, m.nodes...)
	}
	if len(nodes) == 0 {
		return p.namedUnits(list)
	}
	slices.SortFunc(nodes, model.NaturalCompare)
	return p.namedUnits(list) + " on " + named(slices.Compact(nodes))
}

// limitText is a budget's limit as its file has it.
func limitText(b *model.Budget) string {
	switch {
	case b.MinAvailable != nil:
		return "minAvailable " + b.MinAvailable.String()
	case b.MaxUnavailable != nil:
		return "maxUnavailable " + b.MaxUnavailable.String()
	}
	return "a budget without minAvailable or maxUnavailable"
}

// twoBudgets reports pods whose eviction fails because two budgets select
// them, one finding for each workload entry.
func (p *preflight) twoBudgets(units []unit, of [][]int32) {
	for i := 0; i < len(units); {
		entry := units[i].entry
		e, s := &p.cluster.Workloads[entry], &p.standings[entry]
		first, copies := -1, 0
		var names, others []string
		for ; i < len(units) && units[i].entry == entry; i++ {
			n := len(of[i])
			if e.Budget != nil {
				n++
			}
			if n < 2 || s.pods == 0 || !s.reached || stays(e.Kind) {
				continue
			}
			if copies += int(units[i].copies); first >= 0 {
				continue
			}
			first = int(units[i].copy)
			if e.Budget != nil {
				names = append(names, e.CopyName(first)+" (its own `podDisruptionBudget`)")
			}
			for _, b := range of[i] {
				others = append(others, p.cluster.Budgets[b].Name)
			}
			names = append(names, others...)
		}
		if first >= 0 {
			p.addWithFix(fixForTwoBudgets(p.cluster, e, others), model.TwoBudgetsOnPod, entrySubject(e, first), "the budgets %s select its pods: the eviction of a pod with more than one fails%s",
				strings.Join(names, ", "), alsoOf(copies-1))
		}
	}
}
