package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim"
)

// isProof reports whether a finding says what a stuck run waits for; everything
// else that is wrong is no reason for it to hang.
func isProof(f model.Finding) bool {
	switch f.Code {
	case model.DrainNeverEnds, model.NodeNeverReturned, model.PodStuckTerminating:
		return f.Severity == model.SeverityError
	}
	return false
}

// proof writes why nothing can happen any more, with the numbers of the budgets
// that refuse. It gives back the reasons that it has not used.
func (p *page) proof(sc *model.Scenario, r *sim.Result, reasons []model.Finding) (rest []model.Finding) {
	var used []model.Finding
	for _, f := range reasons {
		if isProof(f) {
			used = append(used, f)
		} else {
			rest = append(rest, f)
		}
	}
	p.section("Stuck because")
	if len(used) == 0 {
		p.text(2, "nothing can happen any more, and the upgrade is not done")
	}
	p.findings(used, mostAlike)
	p.refusingBudgets(sc, r, used)
	return rest
}

// refusingBudgets lists the budgets that the proof names.
func (p *page) refusingBudgets(sc *model.Scenario, r *sim.Result, used []model.Finding) {
	var named []sim.BudgetResult
	for _, b := range r.Budgets {
		id := b.Namespace + "/" + b.Name
		if slices.ContainsFunc(used[:min(len(used), mostRows)], func(f model.Finding) bool {
			return containsName(f.Message, id) || containsName(f.Subject, id)
		}) {
			named = append(named, b)
		}
	}
	if len(named) == 0 {
		return
	}
	slices.SortStableFunc(named, func(a, b sim.BudgetResult) int { return cmp.Compare(b.SecondsExhausted, a.SecondsExhausted) })
	wants := budgetWants(sc)
	g := grid{columns: []column{{"BUDGET", false, true}, {"WANTS", false, true}, {"REFUSED", true, false}, {"ALLOWED-NOTHING-FOR", true, false}}}
	shown := p.limit(len(named), mostRows)
	for _, b := range named[:shown] {
		id := b.Namespace + "/" + b.Name
		g.add(id, wants[id], itoa(b.Refused), human(b.SecondsExhausted))
	}
	p.buf.WriteByte('\n')
	p.grid(&g, tableIndent)
	if rest := len(named) - shown; rest > 0 {
		p.text(2, fmt.Sprintf("and %d more budgets (-o json has them all)", rest))
	}
}

// containsName reports whether text speaks of name itself and not of a longer name that holds it.
func containsName(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !nameByte(text[i-1])) && (end == len(text) || !nameByte(text[end]) ||
			text[end] == '.' && (end+1 == len(text) || !nameByte(text[end+1]))) {
			return true
		}
		from = i + 1
	}
}

func nameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '.'
}
