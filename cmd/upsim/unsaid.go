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
func (u unsaid) tell(sh *shell, list []*model.Scenario, check func(*model.Scenario) string) {
	var commands []string
	counts := map[string]*[2]int{} // all, unsaid
	for _, sc := range list {
		if u[sc] == nil {
			continue
		}
		command := check(sc)
		if command == "" {
			continue
		}
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

// check is the command line that checks the scenario, as it was chosen; empty where that is with a strategy that is not its own,
// of which a check does not know.
func (c choice) check(sc *model.Scenario) string {
	switch {
	case sc.Varied:
		return ""
	case len(c.clusterFiles) > 0:
		return "upsim check " + c.cluster()
	case len(c.args) == 0:
		return checkBuiltin("default")
	case sc.File == "<stdin>":
		return "upsim check -"
	}
	return "upsim check " + shellWord(sc.File)
}

// cluster is how a real cluster and its target are given.
func (c choice) cluster() string {
	var words []string
	for _, f := range c.files() {
		words = append(words, "--cluster "+shellWord(f))
	}
	words = append(words, "--to "+c.options.To.String())
	if server := c.options.Server; !server.IsZero() {
		words = append(words, "--server-version "+server.String())
	}
	return strings.Join(words, " ")
}

// simulated is how a command that simulates names what was chosen.
func (c choice) simulated(sc *model.Scenario) string {
	switch {
	case len(c.clusterFiles) > 0:
		return " " + c.cluster()
	case sc.File == "<stdin>":
		return " -"
	case len(c.args) > 0:
		return " " + shellWord(sc.File)
	}
	return ""
}

// replay is the command line that runs one upgrade of the scenario again.
func (c choice) replay(sc *model.Scenario, up model.NamedUpgrade) string {
	words := "upsim run" + c.simulated(sc)
	if len(c.clusterFiles) == 0 && len(sc.Strategies) > 0 {
		return words + " --strategy " + shellWord(up.Name)
	}
	for _, flag := range [][2]string{{"--strategy", c.options.Strategy}, {"--max-unavailable", c.options.MaxUnavailable}, {"--max-surge", c.options.MaxSurge}} {
		if flag[1] != "" && len(c.clusterFiles) > 0 {
			words += " " + flag[0] + " " + shellWord(flag[1])
		}
	}
	return words
}

// compare is the command line that compares the scenario's upgrades.
func (c choice) compare(sc *model.Scenario) string { return "upsim compare" + c.simulated(sc) }

func checkBuiltin(name string) string { return "upsim scenarios show " + name + " | upsim check -" }

// shellWord is the text as one word of a shell's command line.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '-' || r == '_' || r == '+' || r == '=' || r == ',' || r == '@' || r == ':' ||
			r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
