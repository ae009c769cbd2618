package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim"
)

// proof writes why nothing can happen any more: the errors that have not ended,
// the nodes whose drains wait, and the budgets that refuse, each with its
// numbers. It gives back the reasons that it has not used.
func (p *page) proof(sc *model.Scenario, r *sim.Result, reasons []model.Finding) (rest []model.Finding) {
	isError := func(f model.Finding) bool {
		return f.Severity == model.SeverityError && f.Code != model.UpgradeIncomplete
	}
	isOpen := func(f model.Finding) bool { _, open := openSince(r, f); return isError(f) && open }
	// An error that ended before the run got stuck is no proof of it, unless there is nothing else.
	isProof := isError
	if slices.ContainsFunc(reasons, isOpen) {
		isProof = isOpen
	}
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
	for _, f := range used {
		if since, ok := openSince(r, f); ok {
			f.Message = "Since " + human(since) + ": " + f.Message
		}
		p.findings([]model.Finding{f}, 1)
	}
	p.blockedNodes(r)
	p.refusingBudgets(sc, r, used)
	return rest
}

// openSince is when the violation that the finding speaks of began, if it never ended.
func openSince(r *sim.Result, f model.Finding) (sim.Seconds, bool) {
	for _, v := range r.Violations {
		if v.EndSeconds == nil && v.Code == f.Code && v.Subject == f.Subject {
			return v.StartSeconds, true
		}
	}
	return 0, false
}

// blockedNodes lists the nodes that a drain has begun on and not emptied.
func (p *page) blockedNodes(r *sim.Result) {
	g := grid{columns: []column{{"NODE", false, true}, {"POOL", false, true}, {"DRAINING-FOR", true, false}, {"BLOCKED-FOR", true, false}}}
	for _, n := range r.Nodes {
		if n.UpgradedAtSeconds == nil && n.DrainResult != "drained" && (n.BlockedSeconds > 0 || n.DrainSeconds > 0) {
			g.add(n.Name, n.Pool, human(n.DrainSeconds), human(n.BlockedSeconds))
		}
	}
	p.proofGrid(&g, "nodes")
}

// refusingBudgets lists the budgets that the proof names, or all that refused something where it names none.
func (p *page) refusingBudgets(sc *model.Scenario, r *sim.Result, used []model.Finding) {
	var refusing, named []sim.BudgetResult
	for _, b := range r.Budgets {
		if b.Refused == 0 && b.SecondsExhausted == 0 {
			continue
		}
		refusing = append(refusing, b)
		id := b.Namespace + "/" + b.Name
		if slices.ContainsFunc(used, func(f model.Finding) bool {
			return containsName(f.Message, id) || containsName(f.Subject, id)
		}) {
			named = append(named, b)
		}
	}
	if len(named) > 0 {
		refusing = named
	}
	slices.SortStableFunc(refusing, func(a, b sim.BudgetResult) int { return cmp.Compare(b.SecondsExhausted, a.SecondsExhausted) })
	wants := budgetWants(sc)
	g := grid{columns: []column{{"BUDGET", false, true}, {"WANTS", false, true}, {"REFUSED", true, false}, {"ALLOWED-NOTHING-FOR", true, false}}}
	for _, b := range refusing {
		id := b.Namespace + "/" + b.Name
		g.add(id, wants[id], itoa(b.Refused), human(b.SecondsExhausted))
	}
	p.proofGrid(&g, "budgets")
}

func (p *page) proofGrid(g *grid, noun string) {
	if len(g.rows) == 0 {
		return
	}
	rest := len(g.rows) - p.limit(len(g.rows), mostRows)
	g.rows = g.rows[:len(g.rows)-rest]
	p.buf.WriteByte('\n')
	p.grid(g, tableIndent)
	if rest > 0 {
		p.text(2, fmt.Sprintf("and %d more %s (-o json has them all)", rest, noun))
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
