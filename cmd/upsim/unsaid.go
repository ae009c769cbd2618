package main

import (
	"strings"

	"upsim/model"
	"upsim/sim"
)

// unsaid collects, by scenario, the errors that a check finds and no run of the
// scenario met: a run sees only what its course of events leads to.
type unsaid map[*model.Scenario][]model.Finding

// preflight takes what a check finds in an upgrade of the scenario.
func (u unsaid) preflight(sc *model.Scenario, w *sim.World) {
	for _, f := range w.Findings() {
		if f.Severity == model.SeverityError && !hasFinding(u[sc], f) {
			u[sc] = append(u[sc], f)
		}
	}
}

// said drops what the report of a run says: the finding itself, or an error that names its subject as the cause.
func (u unsaid) said(sc *model.Scenario, r *sim.Result) {
	var left []model.Finding
	for _, f := range u[sc] {
		if !tells(r.Reasons, f) {
			left = append(left, f)
		}
	}
	u[sc] = left
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

// tell says how to see the errors that are left, one line for each command that shows them.
func (u unsaid) tell(sh *shell, list []*model.Scenario, check func(*model.Scenario) string) {
	var commands []string
	counts := map[string]int{}
	for _, sc := range list {
		if len(u[sc]) == 0 {
			continue
		}
		command := check(sc)
		if counts[command] == 0 {
			commands = append(commands, command)
		}
		counts[command] += len(u[sc])
	}
	for _, command := range commands {
		if n := counts[command]; n == 1 {
			sh.note("hint: 1 more error can be known without simulating: %s", command)
		} else {
			sh.note("hint: %d more errors can be known without simulating: %s", n, command)
		}
	}
}

// check is the command line that checks the scenario, as it was chosen.
func (c choice) check(sc *model.Scenario) string {
	switch {
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
