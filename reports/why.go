package reports

import (
	"fmt"
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim"
)

// bySeverity gives the findings gravest first, otherwise in their own order.
func bySeverity(list []model.Finding) []model.Finding {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b model.Finding) int { return severityRank(a.Severity) - severityRank(b.Severity) })
	return out
}

func severityRank(s model.Severity) int {
	switch s {
	case model.SeverityError:
		return 0
	case model.SeverityWarning:
		return 1
	}
	return 2
}

func (p *page) why(r *sim.Result, reasons []model.Finding) {
	if len(reasons) == 0 {
		if len(r.Reasons) == 0 && r.Verdict == sim.Safe {
			p.section("Why")
			p.text(2, "Nothing stands in the way: no error, no warning, every objective is met.")
		}
		return
	}
	p.section("Why")
	p.findings(reasons, mostAlike)
}

// alike are findings that differ in subject and message only.
type alike struct {
	code     model.Code
	severity model.Severity
	fix      string
	list     []model.Finding
}

// findings writes the findings, those with the same code and fix together, and of those the first most.
func (p *page) findings(list []model.Finding, most int) {
	index := map[[3]string]int{}
	var groups []alike
	for _, f := range list {
		key := [3]string{string(f.Code), string(f.Severity), f.Fix}
		i, ok := index[key]
		if !ok {
			i = len(groups)
			index[key] = i
			groups = append(groups, alike{code: f.Code, severity: f.Severity, fix: f.Fix})
		}
		groups[i].list = append(groups[i].list, f)
	}
	for _, g := range groups {
		p.alike(g, most)
	}
}

func (p *page) alike(g alike, most int) {
	lead, hang := p.severityLead(g.severity)
	if len(g.list) == 1 {
		head := string(g.code)
		if f := g.list[0]; !namesSubject(f.Message, f.Subject) {
			head += "  " + f.Subject
		}
		p.para(lead, hang, head, hang)
		p.text(hang, g.list[0].Message)
	} else {
		p.para(lead, hang, fmt.Sprintf("%s  (%d)", g.code, len(g.list)), hang)
		shown := p.limit(len(g.list), most)
		for _, f := range g.list[:shown] {
			text := f.Message
			if !namesSubject(text, f.Subject) {
				text = f.Subject + ": " + text
			}
			p.para(strings.Repeat(" ", hang)+"- ", hang+2, text, hang+2)
		}
		if rest := len(g.list) - shown; rest > 0 {
			p.para(strings.Repeat(" ", hang)+"- ", hang+2, fmt.Sprintf("and %d more (-o json has them all)", rest), hang+2)
		}
	}
	if g.fix != "" {
		p.para(strings.Repeat(" ", hang)+"fix: ", hang+5, g.fix, hang+5)
	}
}

// namesSubject reports whether a message says itself what it is about.
func namesSubject(message, subject string) bool {
	return subject == "" || containsName(message, subject)
}
