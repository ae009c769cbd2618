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
	groups := groupViolations(r)
	if len(groups) == 0 {
		return
	}
	p.section("Violations")
	told := map[string]bool{}
	for _, f := range r.Reasons {
		told[f.Message] = true
	}
	for _, g := range groups {
		v := g.longest
		lead, hang := p.severityLead(g.severity)
		text := string(g.code) + ": "
		switch {
		case len(g.subjects) > 1:
			text += fmt.Sprintf("%d times on %d subjects, the longest ", g.count, len(g.subjects))
		case g.count > 1:
			text += fmt.Sprintf("%d times, the longest ", g.count)
		}
		text += span(v, g.length, r.MakespanSeconds)
		message := v.Message
		if told[message] {
			message = ""
		}
		if !namesSubject(message, v.Subject) {
			text += ", " + v.Subject
		}
		p.para(lead, hang, text, hang)
		if message != "" {
			p.text(hang, message)
		}
	}
}

// span says how long and when.
func span(v sim.Violation, length, makespan sim.Seconds) string {
	s := human(length) + " from " + human(v.StartSeconds)
	if v.EndSeconds == nil || *v.EndSeconds > makespan {
		return s + " to the end"
	}
	return s + " to " + human(*v.EndSeconds)
}

// groupViolations groups by code, gravest first, then in order of first appearance.
// Times count to the end of the upgrade; what began after it is left out.
func groupViolations(r *sim.Result) []*violationGroup {
	index := map[model.Code]*violationGroup{}
	var groups []*violationGroup
	for _, v := range r.Violations {
		if v.StartSeconds > r.MakespanSeconds {
			continue
		}
		g := index[v.Code]
		if g == nil {
			g = &violationGroup{code: v.Code, severity: v.Severity, subjects: map[string]bool{}}
			index[v.Code] = g
			groups = append(groups, g)
		}
		end := r.MakespanSeconds
		if v.EndSeconds != nil {
			end = min(end, *v.EndSeconds)
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
