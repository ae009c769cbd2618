package reports

import (
	"fmt"
	"math"
	"slices"

	"upsim/model"
	"upsim/sim"
)

// violationGroup are the violations of one code, either of those that began before the upgrade's end or of the others.
type violationGroup struct {
	code     model.Code
	after    bool // they began after the end of the upgrade
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
		text += g.span(r)
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

// span says how long and when, and how much longer than the upgrade.
func (g *violationGroup) span(r *sim.Result) string {
	v, makespan := g.longest, r.MakespanSeconds
	switch {
	case g.after && v.EndSeconds == nil:
		return "after the end of the upgrade, from " + human(v.StartSeconds) + " for good"
	case g.after:
		return human(g.length) + " after the end of the upgrade, from " + human(v.StartSeconds) + " to " + human(*v.EndSeconds)
	}
	s := human(g.length) + " from " + human(v.StartSeconds)
	switch {
	case v.EndSeconds == nil && r.CutOff():
		return s + " on"
	case v.EndSeconds == nil:
		return s + " to the end and for good"
	case *v.EndSeconds >= makespan+beyondWorth:
		return s + " to the end and " + human(*v.EndSeconds-makespan) + " beyond"
	case *v.EndSeconds > makespan:
		return s + " to the end"
	}
	return s + " to " + human(*v.EndSeconds)
}

// beyondWorth is the least time after the end of the upgrade that is worth a word.
const beyondWorth sim.Seconds = 1

// lengthOf is how long a violation lasted: to the end of the upgrade, or after
// it to its own end, for ever where it has none.
func lengthOf(v sim.Violation, makespan sim.Seconds) sim.Seconds {
	switch after := v.StartSeconds > makespan; {
	case v.EndSeconds == nil && after:
		return sim.Seconds(math.Inf(1))
	case v.EndSeconds == nil:
		return makespan - v.StartSeconds
	case after:
		return *v.EndSeconds - v.StartSeconds
	}
	return min(makespan, *v.EndSeconds) - v.StartSeconds
}

// groupViolations groups by code, gravest first, then in order of first appearance;
// what began after the end of the upgrade stands in groups of its own.
func groupViolations(r *sim.Result) []*violationGroup {
	type key struct {
		code  model.Code
		after bool
	}
	index := map[key]*violationGroup{}
	var groups []*violationGroup
	for _, v := range r.Violations {
		k := key{v.Code, v.StartSeconds > r.MakespanSeconds}
		length := lengthOf(v, r.MakespanSeconds)
		if k.after && (length < beyondWorth || v.Severity == model.SeverityInfo) {
			continue
		}
		g := index[k]
		if g == nil {
			g = &violationGroup{code: v.Code, after: k.after, severity: v.Severity, subjects: map[string]bool{}}
			index[k] = g
			groups = append(groups, g)
		}
		if g.count == 0 || length > g.length {
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
