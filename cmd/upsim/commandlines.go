package main

import (
	"slices"
	"strings"

	"upsim/model"
	"upsim/scenarios"
)

// commandLines are those that a report or a hint offers for a scenario, each with what it was loaded from.
type commandLines interface {
	// check checks the scenario.
	check(*model.Scenario) string
	// run runs one of its upgrades again, but for the seed.
	run(*model.Scenario, model.NamedUpgrade) string
	// compare compares its upgrades.
	compare(*model.Scenario) string
}

// compareAll compares the upgrades of all the scenarios.
func compareAll(say commandLines, list []*model.Scenario) string {
	if slices.ContainsFunc(list, func(sc *model.Scenario) bool { return say.compare(sc) != say.compare(list[0]) }) {
		return "upsim compare FILE"
	}
	return say.compare(list[0])
}

// builtin is the name of a built-in scenario.
type builtin string

func (b builtin) show() string                 { return "upsim scenarios show " + string(b) }
func (b builtin) check(*model.Scenario) string { return b.show() + " | upsim check -" }
func (b builtin) run(*model.Scenario, model.NamedUpgrade) string {
	return "upsim scenarios run " + string(b)
}
func (b builtin) compare(*model.Scenario) string { return b.show() + " | upsim compare -" }

func (in *inputs) check(sc *model.Scenario) string {
	words := "upsim check" + in.simulated(sc)
	if words == "upsim check" {
		words = builtin("default").check(sc)
	}
	o := in.options
	if len(in.clusterFiles) == 0 {
		o = scenarios.Options{Strategy: o.Strategy}
	}
	if in.planFile != "" {
		o.Strategy = sc.Upgrades()[0].Name
	}
	return words + nodeFlags(o)
}

// nodeFlags are the flags of a command line that say how nodes are upgraded.
func nodeFlags(o scenarios.Options) (words string) {
	for _, flag := range [][2]string{{"--strategy", o.Strategy}, {"--max-unavailable", o.MaxUnavailable}, {"--max-surge", o.MaxSurge}} {
		if flag[1] != "" {
			words += " " + flag[0] + " " + shellWord(flag[1])
		}
	}
	return words
}

// cluster is how a real cluster and its target are given.
func (in *inputs) cluster() string {
	var words []string
	for _, f := range in.scenarioFiles() {
		words = append(words, "--cluster "+shellWord(f))
	}
	words = append(words, "--to "+in.options.To.String())
	if server := in.options.Server; !server.IsZero() {
		words = append(words, "--server-version "+server.String())
	}
	return strings.Join(words, " ")
}

// simulated is how a command that simulates names what was chosen.
func (in *inputs) simulated(sc *model.Scenario) string {
	switch {
	case len(in.clusterFiles) > 0:
		return " " + in.cluster()
	case sc.File == "<stdin>":
		return " -"
	case len(in.args) > 0:
		return " " + shellWord(sc.File)
	}
	return ""
}

func (in *inputs) run(sc *model.Scenario, up model.NamedUpgrade) string {
	words := "upsim run" + in.simulated(sc)
	o := in.options
	if len(in.clusterFiles) == 0 {
		o = scenarios.Options{}
		if len(sc.Strategies) > 0 {
			o.Strategy = up.Name
		}
	}
	words += nodeFlags(o)
	if in.planFile != "" {
		words += " --plan " + shellWord(in.planFile)
	}
	return words
}

func (in *inputs) compare(sc *model.Scenario) string { return "upsim compare" + in.simulated(sc) }

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
