package reports

import (
	"cmp"
	"fmt"
	"slices"

	"upsim/model"
	"upsim/sim"
)

func (p *page) budgets(sc *model.Scenario, list []sim.BudgetResult) {
	if len(list) == 0 {
		return
	}
	p.section("Budgets")
	rows := slices.Clone(list)
	if !p.Verbose {
		rows = slices.DeleteFunc(rows, func(b sim.BudgetResult) bool { return b.Refused == 0 && b.SecondsExhausted == 0 })
	}
	slices.SortStableFunc(rows, func(a, b sim.BudgetResult) int {
		return cmp.Or(cmp.Compare(b.Refused, a.Refused), cmp.Compare(b.SecondsExhausted, a.SecondsExhausted),
			cmp.Compare(a.Namespace, b.Namespace), model.NaturalCompare(a.Name, b.Name))
	})
	if len(rows) == 0 {
		p.text(2, count(len(list), "budget")+": none refused an eviction or was ever used up.")
		return
	}
	wants := budgetWants(sc)
	shown := p.limit(len(rows), mostRows)
	g := grid{columns: []column{{"NAMESPACE", false, true}, {"NAME", false, true}, {"WANTS", false, true}, {"REFUSED", true, false}, {"ALLOWED-NOTHING-FOR", true, false}}}
	for _, b := range rows[:shown] {
		g.add(b.Namespace, b.Name, wants[b.Namespace+"/"+b.Name], itoa(b.Refused), orDash(b.SecondsExhausted))
	}
	p.grid(&g, tableIndent)
	if hidden := len(rows) - shown; hidden > 0 {
		p.text(2, fmt.Sprintf("and %d more that refused less (-o json has them all)", hidden))
	}
	if quiet := len(list) - len(rows); quiet > 0 {
		p.text(2, more(quiet, "budget")+": never used up, not shown")
	}
}

// budgetWants says of each budget of the scenario, by namespace/name, what it asks for.
func budgetWants(sc *model.Scenario) map[string]string {
	wants := map[string]string{}
	if sc == nil {
		return wants
	}
	put := func(namespace, name string, b model.Budget) {
		switch {
		case b.MinAvailable != nil:
			wants[namespace+"/"+name] = "minAvailable " + b.MinAvailable.String()
		case b.MaxUnavailable != nil:
			wants[namespace+"/"+name] = "maxUnavailable " + b.MaxUnavailable.String()
		}
	}
	for _, b := range sc.Cluster.Budgets {
		put(b.Namespace, b.Name, b)
	}
	for _, w := range sc.Cluster.Workloads {
		if w.Budget == nil {
			continue
		}
		// A budget written inside a workload is named after it, each copy's after the copy.
		for i := range max(1, w.Count) {
			put(w.Namespace, w.CopyName(i), *w.Budget)
		}
	}
	return wants
}
