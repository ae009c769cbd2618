package reports

import (
	"fmt"
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim"
)

// next writes the closing line: what the planner does now.
func (p *page) next(sc *model.Scenario, r *sim.Result) {
	p.buf.WriteByte('\n')
	p.para("Next: ", len("Next: "), nextStep(sc, r), len("Next: "))
}

func nextStep(sc *model.Scenario, r *sim.Result) string {
	errors, warnings := tally(r.Reasons)
	switch {
	case notSimulated(r):
		return "correct the plan as said under fix, and run it again."
	case r.Verdict == sim.Aborted && !slices.ContainsFunc(r.Reasons, func(f model.Finding) bool { return f.Code == model.GateFailed }):
		return "correct the plan as said under fix, and run it again; what was done before it stopped stays done."
	case r.Verdict == sim.Aborted:
		return "find out what the gate saw on the nodes that were upgraded, before any other node; the rest of the cluster was left alone."
	case r.Verdict == sim.Stuck:
		return "do what is said under fix for what blocks the drain, and run it again; a real upgrade would hang here until somebody does."
	case r.Verdict != sim.Safe && errors == 0:
		return "do not start this plan; remove what is said above, then run it again."
	case r.Verdict != sim.Safe:
		return fmt.Sprintf("do not start this plan; %s to remove, as said under fix, then run it again.", count(errors, "error"))
	}
	advice := window(sc, r)
	if warnings > 0 {
		return fmt.Sprintf("read the %s above and decide whether you can live with %s; then %s.",
			count(warnings, "warning"), pronoun(warnings), advice)
	}
	return "go ahead; " + advice + "."
}

// window says how long a maintenance window to plan for.
func window(sc *model.Scenario, r *sim.Result) string {
	if sc != nil && sc.Objectives.Window != nil {
		all := sim.Seconds(sc.Objectives.Window.Seconds())
		return fmt.Sprintf("the window of %s leaves %s to spare", human(all), brief(all-r.MakespanSeconds))
	}
	return "plan a window of more than " + brief(r.MakespanSeconds)
}

func pronoun(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func tally(list []model.Finding) (errors, warnings int) {
	for _, f := range list {
		switch f.Severity {
		case model.SeverityError:
			errors++
		case model.SeverityWarning:
			warnings++
		}
	}
	return errors, warnings
}

// countLine is the last line of a list of findings: "2 errors, 1 warning".
func countLine(list []model.Finding) string {
	errors, warnings := tally(list)
	var parts []string
	if errors > 0 {
		parts = append(parts, count(errors, "error"))
	}
	if warnings > 0 {
		parts = append(parts, count(warnings, "warning"))
	}
	if notes := len(list) - errors - warnings; notes > 0 {
		parts = append(parts, count(notes, "note"))
	}
	return strings.Join(parts, ", ")
}
