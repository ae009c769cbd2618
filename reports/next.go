package reports

import (
	"cmp"
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
	case r.CutOff():
		return "this is not the whole upgrade: see the error CutOff, and run it again."
	case !r.Started():
		return "correct the plan as said under fix, and run it again."
	case r.Verdict == sim.Aborted && !r.Has(model.GateFailed):
		return "correct the plan as said under fix, and run it again; what was done before it stopped stays done."
	case r.Verdict == sim.Aborted && slices.ContainsFunc(r.Reasons, isProof):
		return "find out what the gate saw; the way back hangs, and for that " + afterStuck(r.Reasons)
	case r.Verdict == sim.Aborted && slices.ContainsFunc(r.Nodes, func(n sim.NodeResult) bool { return n.RolledBack }):
		return "find out what the gate saw, before any node is upgraded again."
	case r.Verdict == sim.Aborted:
		return "find out what the gate saw on the nodes that were upgraded, before any other node."
	case r.Verdict == sim.Stuck:
		return afterStuck(r.Reasons)
	case r.Verdict != sim.Safe && errors == 0:
		return "do not start this plan; remove what is said above, then run it again."
	case r.Verdict != sim.Safe:
		if s := before(r); s != "" {
			return s
		}
		return fmt.Sprintf("do not start this plan; %s to remove, as said under fix, then run it again.", count(causes(r.Reasons), "error"))
	}
	advice := window(sc, r)
	switch warnings {
	case 0:
		return withWholeInput(sc, "go ahead; "+advice+".")
	case 1:
		return withWholeInput(sc, "read the warning above and decide whether you can live with it; then "+advice+".")
	}
	return withWholeInput(sc, fmt.Sprintf("read the %d warnings above and decide whether you can live with them; then %s.", warnings, advice))
}

// withWholeInput is what to do where nothing stands in the way, or what comes before it where kubectl's output lacks, or perhaps
// lacks, something that the cluster has.
func withWholeInput(sc *model.Scenario, step string) string {
	if sc == nil {
		return step
	}
	if _, is := model.FirstOf(sc.Notes, model.InputIncomplete); is {
		return "write what the input lacks too, as said under fix, and run this again; nothing above tells what becomes of it."
	}
	if perhaps, is := model.FirstOf(sc.Notes, model.InputPerhapsIncomplete); is {
		return strings.ToLower(perhaps.Message[:1]) + perhaps.Message[1:] +
			" See that the cluster has none of these either, or write all that it has and run this again. Otherwise " + step
	}
	return step
}

// causes counts the errors to remove. That the upgrade is incomplete follows from the others, if there are any.
func causes(list []model.Finding) int {
	all, _ := tally(list)
	n := 0
	for _, f := range list {
		if f.Severity == model.SeverityError && f.Code != model.UpgradeIncomplete {
			n++
		}
	}
	return cmp.Or(n, all)
}

// afterStuck says what to do about each kind of proof, in the order of the reasons.
func afterStuck(list []model.Finding) string {
	room, _ := model.NoRoomForEvictedPods.Info()
	others, _ := model.NodeNeverReturned.Info() // where others wait for the node's place
	var steps []string
	for _, f := range list {
		if !isProof(f) {
			continue
		}
		step := "remove what the drain fails on, as said under fix"
		switch {
		case f.Code == model.PodStuckTerminating:
			step = "bring the node that does not answer back, or remove what is left of it, as said under fix"
		case f.Code == model.NodeNeverReturned:
			step = "plan who mends or replaces a node that does not come back"
			if f.Fix == others.Fix {
				step += ", or let the others go on with a larger maxUnavailable"
			}
		case f.Fix == room.Fix:
			step = "make room for the pods that find no node"
		case strings.Contains(f.Message, "PodDisruptionBudget/"):
			step = "have the budget that refuses allow an eviction, as said under fix"
		}
		if !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return "find out what the upgrade waits for, and run it again; a real upgrade would hang here."
	}
	return strings.Join(steps, "; ") + "; then run it again. A real upgrade would hang here until somebody acts."
}

// before is the advice where every error held from the very start of the
// upgrade, so that the cluster has it without the plan; else it is nothing.
func before(r *sim.Result) string {
	mended := sim.Seconds(0)
	for _, f := range r.Reasons {
		if f.Severity != model.SeverityError {
			continue
		}
		found := false
		for _, v := range r.Violations {
			if v.Code != f.Code || v.Subject != f.Subject {
				continue
			}
			if v.StartSeconds > 0 {
				return ""
			}
			found = true
			end := r.MakespanSeconds + 1
			if v.EndSeconds != nil {
				end = *v.EndSeconds
			}
			mended = max(mended, end)
		}
		if !found {
			return ""
		}
	}
	if mended > r.MakespanSeconds {
		return "mend the errors first, as said under fix, then run it again; the cluster has them before the upgrade begins, and this plan does not remove them."
	}
	return fmt.Sprintf("the cluster has these errors before the upgrade begins, and it removes the last of them at %s; mend them first, or upgrade those nodes first.", human(mended))
}

// window says how long a maintenance window to plan for.
func window(sc *model.Scenario, r *sim.Result) string {
	if sc != nil && sc.Objectives.Window != nil {
		all := sim.Seconds(sc.Objectives.Window.Seconds())
		return fmt.Sprintf("the window of %s leaves %s to spare", human(all), brief(all-r.MakespanSeconds))
	}
	return "plan a window of more than " + brief(r.MakespanSeconds)
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
