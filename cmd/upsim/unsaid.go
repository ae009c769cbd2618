package main

import (
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim"
)

// unsaid collects, by scenario, the errors that a check finds, and those that no run of the
// scenario met: a run sees only what its course of events leads to.
type unsaid map[*model.Scenario]*knownErrors

// knownErrors are those that a check finds in a scenario's upgrades.
type knownErrors struct{ all, unsaid []model.Finding }

// preflight takes what a check finds in an upgrade of the scenario.
func (u unsaid) preflight(sc *model.Scenario, w *sim.World) {
	k := u[sc]
	if k == nil {
		k = &knownErrors{}
		u[sc] = k
	}
	for _, f := range w.Findings() {
		if f.Severity == model.SeverityError && !hasFinding(k.all, f) {
			k.all, k.unsaid = append(k.all, f), append(k.unsaid, f)
		}
	}
}

// said drops what the report of a run says: the finding itself, or an error that names its subject as the cause.
func (u unsaid) said(sc *model.Scenario, r *sim.Result) {
	if k := u[sc]; k != nil {
		k.unsaid = slices.DeleteFunc(k.unsaid, func(f model.Finding) bool { return tells(r.Reasons, f) })
	}
}

func hasFinding(list []model.Finding, f model.Finding) bool {
	for _, o := range list {
		if o.Code == f.Code && o.Subject == f.Subject {
			return true
		}
	}
	return false
}

func tells(reasons []model.Finding, f model.Finding) bool {
	for _, o := range reasons {
		if o.Severity == model.SeverityError && (o.Code == f.Code && o.Subject == f.Subject || mentions(o.Message, f.Subject)) {
			return true
		}
	}
	return false
}

// mentions reports whether a text has the name as a whole one.
func mentions(text, name string) bool {
	partOfName := func(s string, i int) bool {
		return i >= 0 && i < len(s) && (s[i] == '-' || s[i] == '/' || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z')
	}
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		if !partOfName(text, at-1) && !partOfName(text, at+len(name)) {
			return true
		}
		from = at + 1
	}
}

// tell says how to see the errors that are left, one line for each command that shows them, and of how many they are.
func (u unsaid) tell(sh *shell, list []*model.Scenario, say commandLines) {
	var commands []string
	counts := map[string]*[2]int{} // all, unsaid
	for _, sc := range list {
		if u[sc] == nil {
			continue
		}
		command := say.check(sc)
		if counts[command] == nil {
			commands = append(commands, command)
			counts[command] = &[2]int{}
		}
		counts[command][0] += len(u[sc].all)
		counts[command][1] += len(u[sc].unsaid)
	}
	for _, command := range commands {
		switch all, unsaid := counts[command][0], counts[command][1]; {
		case unsaid == 0:
		case all == 1:
			sh.note("hint: 1 error can be known without simulating, and did not come up here: %s", command)
		case all == unsaid:
			sh.note("hint: %d errors can be known without simulating, none of which came up here: %s", all, command)
		default:
			sh.note("hint: %d errors can be known without simulating, %d of which did not come up here: %s", all, unsaid, command)
		}
	}
}
