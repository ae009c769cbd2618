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
	lead := p.paint(colour, word) + ": "
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
	text := fmt.Sprintf("%s, %s, %s -> %s, %s",
		cmp.Or(r.Scenario, "unnamed"), cmp.Or(r.Strategy, "-"), cmp.Or(r.From, "?"), cmp.Or(r.To, "?"), took)
	p.para(lead, cells(word)+2, text, 2)
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
