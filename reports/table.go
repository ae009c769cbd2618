package reports

import (
	"cmp"
	"fmt"
	"io"

	"upsim/model"
	"upsim/sim"
)

// Table writes the report of one run for people: the verdict, why, and what to
// do; then what happened to each part of the cluster, the worst first. The
// scenario adds what a result does not hold (what a budget asks for, the
// window); it may be nil.
func Table(w io.Writer, sc *model.Scenario, r *sim.Result, opts TableOptions) error {
	p := newPage(opts)
	p.headline(r)
	if !r.Started() {
		p.text(2, "Nothing was simulated: the plan must not start as it is.")
	}
	reasons := bySeverity(r.Reasons)
	if r.Verdict == sim.Stuck {
		reasons = p.proof(sc, r, reasons)
	}
	p.why(r, reasons)
	if r.Started() {
		p.phases(r.Phases)
		p.workloads(r)
		p.nodes(r)
		p.budgets(sc, r.Budgets)
		p.violations(r)
		p.totals(sc, r)
	}
	p.next(sc, r)
	return p.writeTo(w)
}

func (p *page) headline(r *sim.Result) {
	word, colour := clean(string(r.Verdict)), verdictColour(r.Verdict)
	if r.CutOff() {
		word, colour = "cut off", bold+yellow // what it has found until then is no verdict
	}
	warned := ""
	if r.Verdict == sim.Safe && !r.CutOff() {
		_, warnings := tally(r.Reasons)
		warned = withWarnings(warnings)
	}
	took := "in " + brief(r.MakespanSeconds)
	switch {
	case r.CutOff():
		took = fmt.Sprintf("after %s at %s", count(r.Engine.Events, "event"), brief(r.MakespanSeconds))
	case !r.Started():
		took = "not started"
	case r.Verdict == sim.Stuck:
		took = "stuck after " + brief(r.MakespanSeconds)
	case r.Verdict == sim.Aborted:
		took = "stopped after " + brief(r.MakespanSeconds)
	}
	p.firstLine(word, colour, warned, r.Scenario, r.Strategy, fmt.Sprintf("%s -> %s, %s", cmp.Or(r.From, "?"), cmp.Or(r.To, "?"), took))
}

// withWarnings follows the word safe: what a user may mind changes no verdict, and is to be seen at once.
func withWarnings(n int) string {
	if n == 0 {
		return ""
	}
	return ", with " + count(n, "warning")
}

// firstLine is the answer: the verdict, what qualifies it, and what was simulated, in at most 100 columns; long names
// give way, the longer one first, down to a few letters.
func (p *page) firstLine(word, colour, qualified, scenario, strategy, rest string) {
	const most, fewest = 100, 12
	lead, scenario, strategy := word+qualified+": ", clean(cmp.Or(scenario, "unnamed")), clean(cmp.Or(strategy, "-"))
	for over := cells(lead+scenario+", "+strategy+", "+rest) - most; over > 0; {
		longer := &scenario
		if cells(strategy) > cells(scenario) {
			longer = &strategy
		}
		room := max(fewest, cells(*longer)-over)
		if room >= cells(*longer) {
			break
		}
		*longer = cut(*longer, room)
		over = cells(lead+scenario+", "+strategy+", "+rest) - most
	}
	p.para(p.paint(colour, word)+qualified+": ", cells(lead), scenario+", "+strategy+", "+rest, 2)
}

// cut shortens text to so many columns, the last of which says that there was more.
func cut(text string, columns int) string {
	used := 0
	for i, r := range text {
		if used += cells(string(r)); used > columns-1 {
			return text[:i] + "…"
		}
	}
	return text
}

func verdictColour(v sim.Verdict) string {
	switch v {
	case sim.Safe:
		return bold + green
	case sim.Aborted:
		return bold + yellow
	}
	return bold + red
}
