package reports

import (
	"fmt"
	"slices"

	"upsim/model"
	"upsim/sim"
)

// violationGroup are the violations of one code.
type violationGroup struct {
	code     model.Code
	severity model.Severity
	count    int
	subjects map[string]bool
	longest  sim.Violation
	length   sim.Seconds
}

func (p *page) violations(r *sim.Result) {
	if len(r.Violations) == 0 {
		return
	}
	p.section("Violations")
	told := map[string]bool{}
	for _, f := range r.Reasons {
		told[f.Message] = true
	}
	for _, g := range groupViolations(r) {
		v := g.longest
		lead, hang := p.severityLead(g.severity)
		text := string(g.code) + ": " + span(v, g.length)
		if g.count > 1 {
			text = fmt.Sprintf("%s: %d times on %s, the longest %s", g.code, g.count, count(len(g.subjects), "subject"), span(v, g.length))
		}
		p.para(lead, hang, text, hang)
		if v.Message != "" && !told[v.Message] {
			p.text(hang, v.Message)
		}
	}
}

// span says how long, when and on what.
func span(v sim.Violation, length sim.Seconds) string {
	s := human(length) + " from " + human(v.StartSeconds)
	if v.EndSeconds == nil {
		s += " to the end"
	} else {
		s += " to " + human(*v.EndSeconds)
	}
	if v.Subject != "" {
		s += ", " + v.Subject
	}
	return s
}

// groupViolations groups by code, gravest first, then in order of first appearance.
// One that never ended lasts to the end of the upgrade.
func groupViolations(r *sim.Result) []*violationGroup {
	index := map[model.Code]*violationGroup{}
	var groups []*violationGroup
	for _, v := range r.Violations {
		g := index[v.Code]
		if g == nil {
			g = &violationGroup{code: v.Code, severity: v.Severity, subjects: map[string]bool{}}
			index[v.Code] = g
			groups = append(groups, g)
		}
		end := max(v.StartSeconds, r.MakespanSeconds)
		if v.EndSeconds != nil {
			end = *v.EndSeconds
		}
		if length := end - v.StartSeconds; g.count == 0 || length > g.length {
			g.longest, g.length = v, length
		}
		if severityRank(v.Severity) < severityRank(g.severity) {
			g.severity = v.Severity
		}
		g.count++
		g.subjects[v.Subject] = true
	}
	slices.SortStableFunc(groups, func(a, b *violationGroup) int { return severityRank(a.severity) - severityRank(b.severity) })
	return groups
}
