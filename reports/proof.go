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
	since := openSince(r)
	isOpen := func(f model.Finding) bool {
		_, open := since[breach{f.Code, f.Subject}]
		return isError(f) && open
	}
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
	for i, f := range used {
		if start, ok := since[breach{f.Code, f.Subject}]; ok {
			used[i].Message = "Since " + human(start) + ": " + f.Message
		}
	}
	p.findings(used, mostAlike)
	p.blockedNodes(r)
	p.refusingBudgets(sc, r, used)
	return rest
}

// breach is what a finding and a violation of one thing have in common.
type breach struct {
	code    model.Code
	subject string
}

// openSince is when each violation that never ended began.
func openSince(r *sim.Result) map[breach]sim.Seconds {
	since := map[breach]sim.Seconds{}
	for _, v := range r.Violations {
		key := breach{v.Code, v.Subject}
		if _, known := since[key]; v.EndSeconds == nil && !known {
			since[key] = v.StartSeconds
		}
	}
	return since
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
		if slices.ContainsFunc(used[:min(len(used), mostRows)], func(f model.Finding) bool {
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
