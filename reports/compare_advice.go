package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"upsim/sim"
	"upsim/sim/montecarlo"
)

// advice says in a sentence which row to take under the scenario's objectives, and why; where none can be taken, which is nearest.
func (p *page) advice(c *Comparison) string {
	a := c.Advice()
	if c.Unlike() != "" {
		return c.unlikeText()
	}
	if a.Take < 0 {
		return p.nearest(c)
	}
	take := c.rowAt(a.Take)
	everyRun := "in every run"
	switch {
	case c.Probability > 0:
		everyRun = fmt.Sprintf("in at least %s of all runs", share(c.Probability))
	case len(take.Sample.Runs) == 1:
		everyRun = "with this seed"
	}
	text := "Take " + take.Name + ": "
	if len(a.Safe) == 1 {
		text += "it alone is safe " + everyRun
	} else {
		text += fmt.Sprintf("of the %d that are safe %s %s", len(a.Safe), everyRun, p.steps(c, a, take))
	}
	if spare := c.spare(take); spare != "" {
		text += ", and " + spare
	}
	n := len(take.Sample.Runs)
	safe := n - c.choice.Bad(take.at)
	low, _ := montecarlo.Wilson(safe, n)
	return text + fmt.Sprintf(". (That %s safe tells, with 95%% confidence, that at least %s of all are.)", are(safe, n), share(low))
}

// withProbability says, where none is taken, what a probability of being safe would have to do with it; nothing where that is nothing.
func (c *Comparison) withProbability() string {
	switch {
	case c.Taken() != nil || c.Unlike() != "":
		return ""
	case c.Probability > 0:
		return fmt.Sprintf("As far as the runs tell, none is safe in at least %s of all.", share(c.Probability))
	case slices.ContainsFunc(c.Rows, func(r ComparedRow) bool { return r.comparable() && 2*c.choice.Bad(r.at) < len(r.Sample.Runs) }):
		return "With `--probability SHARE` what is safe in so many of all runs is taken."
	}
	return ""
}

// unlikeText is in place of an advice where the rows do not do the same.
func (c *Comparison) unlikeText() string {
	return fmt.Sprintf("None is advised: %s differs, so that they do not do the same, and what does less would look better.", c.Unlike())
}

// are is "one run is", or "20 of 20 runs are".
func are(safe, n int) string {
	if n == 1 {
		return "one run is"
	}
	return fmt.Sprintf("%d of %d runs are", safe, n)
}

// steps say how the choice among several that are safe came to one.
func (p *page) steps(c *Comparison, a montecarlo.Advice, take *ComparedRow) string {
	for _, list := range []*[]int{&a.Front, &a.LeastRisk, &a.First, &a.Equals} {
		*list = slices.DeleteFunc(slices.Clone(*list), func(i int) bool { r := c.rowAt(i); return r != take && c.isRepeat(r) })
	}
	var text string
	if len(a.Front) < len(a.Safe) {
		text = fmt.Sprintf("%d are on the front, and of these ", len(a.Front))
	}
	switch {
	case len(a.Front) == 1:
		return "it alone is on the front: none is better in time, cost or risk"
	case len(a.LeastRisk) == 1:
		return text + "it has the least risk (" + take.risk() + ")"
	case len(a.LeastRisk) < len(a.Front):
		text += fmt.Sprintf("%d have the least risk (%s), among which ", len(a.LeastRisk), take.risk())
	}
	text += "it is "
	makespan, hours := take.summary(montecarlo.Makespan), take.summary(montecarlo.NodeHours)
	time, cost := "fastest (95% of the runs within "+human(sim.Seconds(makespan.P95))+")", "cheapest (no extra nodes)"
	if hours.Mean > 0 {
		cost = "cheapest (" + decimal(hours.Mean) + " node hours of extra nodes)"
	}
	first, then := time, cost
	if a.CostFirst {
		first, then = cost, time
	}
	switch {
	case len(a.Equals) == len(a.LeastRisk):
		return text + "the first, and none can be told from it in time, cost and risk"
	case len(a.First) == len(a.LeastRisk):
		text += "the " + then
	case len(a.Equals) == len(a.First):
		text += "the " + first
	default:
		text += "among the " + first + " the " + then
	}
	if len(a.Equals) > 1 {
		var others []Line
		for _, i := range a.Equals[1:] {
			others = append(others, Line{Strategy: c.rowAt(i).Name})
		}
		text += ", no different from " + names(p, others, func(l Line) string { return l.Strategy }) + " as far as the runs tell"
	}
	return text
}

// risk writes what the risk of a row is, in means over the runs.
func (r *ComparedRow) risk() string {
	down, below, blast := r.summary(montecarlo.DowntimeOfAll), r.summary(montecarlo.BelowFloorOfAll), r.summary(montecarlo.BlastPods)
	var parts []string
	if down.Mean >= 0.5 {
		parts = append(parts, "workloads down for "+human(sim.Seconds(down.Mean)))
	}
	if below.Mean >= 0.5 {
		parts = append(parts, "below budgets for "+human(sim.Seconds(below.Mean)))
	}
	if blast.Mean >= 0.05 {
		parts = append(parts, decimal(blast.Mean)+" pods reached by a bad version")
	}
	if len(parts) == 0 {
		return "no workload down or below its budget"
	}
	return strings.Join(parts, ", ")
}

// spare says what the slowest run leaves of the window; nothing without one.
func (c *Comparison) spare(r *ComparedRow) string {
	if c.Scenario.Objectives.Window == nil {
		return ""
	}
	window := c.Scenario.Objectives.Window.Seconds()
	if r.summaryMax(montecarlo.Makespan) > window { // one of the runs that are not safe
		return ""
	}
	return fmt.Sprintf("its slowest run leaves %s of the window of %s", brief(sim.Seconds(window-r.summaryMax(montecarlo.Makespan))), human(sim.Seconds(window)))
}

// nearest is the advice where no row is safe in every run and reaches all nodes: which comes nearest, and what keeps it.
func (p *page) nearest(c *Comparison) string {
	var best *ComparedRow
	for i := range c.Rows {
		if r := &c.Rows[i]; r.started() && (best == nil || slices.Compare(r.distance(), best.distance()) < 0) {
			best = r
		}
	}
	switch {
	case best == nil && slices.ContainsFunc(c.Rows, func(r ComparedRow) bool { return r.Sample != nil }):
		return "Take none of them: none can start as it is; `upsim run` says what stands in the way of each, and how to mend it."
	case best == nil:
		return "Take none of them: each is refused as it is written."
	}
	runs := len(best.Sample.Runs)
	keeps := strings.TrimSuffix(p.trouble(best), ".")
	if safe := runs - best.Sample.Unsafe(); safe > 0 {
		return fmt.Sprintf("Take none of them: none reaches all nodes and is safe in every run; %s is the nearest, safe in %d of %s. What keeps it: %s.",
			best.Name, safe, count(runs, "run"), keeps)
	}
	near := best.risk() + ", 95% of the runs within " + human(sim.Seconds(best.summary(montecarlo.Makespan).P95))
	if !best.comparable() {
		near = "though it does not reach all nodes either"
	}
	return fmt.Sprintf("Take none of them: none is safe in any run. %s comes nearest (%s). What keeps it: %s. `upsim run` says how to mend it.", best.Name, near, keeps)
}

// distance is how far a row is from one to take, the weightiest first: the runs that are not safe, whether it leaves nodes behind or
// does not end in some run, what it puts at risk, and its time.
func (r *ComparedRow) distance() []float64 {
	behind := 0.0
	if !r.comparable() {
		behind = 1
	}
	mean := func(f montecarlo.Figure) float64 { return r.summary(f).Mean }
	return []float64{float64(r.Sample.Unsafe()), behind, mean(montecarlo.DowntimeOfAll), mean(montecarlo.BelowFloorOfAll), mean(montecarlo.BlastPods),
		r.summary(montecarlo.Makespan).P95}
}

// entry is the row as an entry of a scenario's strategies; nothing where it is one already.
func (r *ComparedRow) entry() string {
	if len(r.Settings) == 0 {
		return ""
	}
	parts := []string{"name: taken"}
	var drain []string
	for _, k := range r.Settings {
		value := k.Value
		isFlow := strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{") // a list or a mapping, which is written as it is
		if !isFlow && !percentage(value) && strings.ContainsAny(value, ":,{}[]#&*!|>'\"%@`\\ ") {
			value = strconv.Quote(value)
		}
		if key, ok := strings.CutPrefix(k.Key, "drain."); ok {
			drain = append(drain, key+": "+value)
			continue
		}
		parts = append(parts, k.Key+": "+value)
	}
	if len(drain) > 0 {
		parts = append(parts, "drain: {"+strings.Join(drain, ", ")+"}")
	}
	return "strategies: [{" + strings.Join(parts, ", ") + "}]"
}

// percentage reports whether a value is digits with the sign, which needs no quotes.
func percentage(s string) bool {
	digits, ok := strings.CutSuffix(s, "%")
	return ok && digits != "" && !strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
}
