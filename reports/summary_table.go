package reports

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// SummaryTable writes what the runs of one upgrade with several seeds found, for people. Until is the share that intervals were
// to be narrow to, 0 where the number of seeds was given; replay is the command line that runs one seed again, but for the seed.
func SummaryTable(w io.Writer, sc *model.Scenario, s *montecarlo.Sample, until float64, replay string, opts TableOptions) error {
	p := newPage(opts)
	p.summaryHeadline(s)
	p.untilNarrow(s, until)
	p.verdicts(s)
	if makespan := s.Summary(montecarlo.Makespan); makespan.N > 0 {
		p.makespan(s, &makespan)
		p.figures(s)
	}
	if found := s.Findings(); len(found) > 0 {
		p.section("Found, each in the words of the first run that has it")
		p.findings(inRuns(found, len(s.Runs)), mostAlike)
	}
	p.workloadTimes(s)
	p.worst(s, replay)
	p.buf.WriteByte('\n')
	p.para("Next: ", len("Next: "), afterSeeds(sc, s, replay), len("Next: "))
	return p.writeTo(w)
}

func (p *page) summaryHeadline(s *montecarlo.Sample) {
	word, colour, warned := Outcomes(s), verdictColour(s.Worst.Verdict), ""
	if s.Unsafe() == 0 {
		n := 0
		for _, f := range s.Findings() {
			if f.Severity == model.SeverityWarning {
				n++
			}
		}
		warned = withWarnings(n)
	}
	rest := s.From + " -> " + s.To
	switch m := s.Summary(montecarlo.Makespan); {
	case m.N == 0:
		rest += ", not started"
	case s.Count(isIncomplete) == 0:
		rest += ", in " + brief(sim.Seconds(m.P50))
		if most := brief(sim.Seconds(m.P95)); most != brief(sim.Seconds(m.P50)) {
			rest += ", 95% within " + most
		}
	}
	p.firstLine(word, colour, warned, s.Scenario, s.Strategy, rest)
}

// Outcomes says how the runs ended: "safe in 87, stuck in 13 of 100 runs".
func Outcomes(s *montecarlo.Sample) string {
	counts := s.Verdicts()
	var parts []string
	for _, v := range slices.Backward(montecarlo.Gravity) {
		if n := counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d", v, n))
		}
	}
	if n := s.Count(isCutOff); n > 0 {
		parts = append(parts, fmt.Sprintf("cut off in %d", n))
	}
	runs := count(len(s.Runs), "run")
	if len(parts) == 1 {
		word, _, _ := strings.Cut(parts[0], " in ")
		if len(s.Runs) == 1 {
			return word + " in 1 run"
		}
		return word + " in all " + runs
	}
	return strings.Join(parts, ", ") + " of " + runs
}

func (p *page) untilNarrow(s *montecarlo.Sample, until float64) {
	switch {
	case until == 0:
	case s.Narrow(until):
		p.text(2, fmt.Sprintf("The intervals of the mean makespan and of being safe are within %s to each side after %s.", share(until), count(len(s.Runs), "run")))
	default:
		p.text(2, fmt.Sprintf("Not narrow enough: after %s, the most that were allowed, an interval is wider than %s to each side.", count(len(s.Runs), "run"), share(until)))
	}
}

// verdicts writes how probable each is that some run had, and being safe in any case.
func (p *page) verdicts(s *montecarlo.Sample) {
	p.section(fmt.Sprintf("Verdicts of seeds %d to %d", s.Runs[0].Seed, s.Runs[len(s.Runs)-1].Seed))
	g := &grid{columns: []column{{head: "VERDICT"}, {head: "RUNS", right: true}, {head: "SHARE", right: true}, {head: "95% INTERVAL"}}}
	counts := s.Verdicts()
	for _, v := range slices.Backward(montecarlo.Gravity) {
		if n := counts[v]; n > 0 || v == sim.Safe {
			low, high := montecarlo.Wilson(n, len(s.Runs))
			g.add(string(v), itoa(n), share(float64(n)/float64(len(s.Runs))), share(low)+" to "+share(high))
		}
	}
	if n := s.Count(isCutOff); n > 0 {
		g.add("cut off", itoa(n), share(float64(n)/float64(len(s.Runs))), "-")
	}
	p.grid(g, tableIndent)
}

// share writes a share of 1 in percent, with a digit behind the point where there is one.
func share(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", math.Round(x*1000)/10), ".0") + "%"
}

// makespan writes percentiles and mean, each with its interval, and how the runs spread.
func (p *page) makespan(s *montecarlo.Sample, m *montecarlo.Summary) {
	p.section("Makespan")
	switch n := s.Count(func(r *montecarlo.Run) bool { return r.Incomplete && !r.NotStarted }); {
	case n == m.N:
		p.text(tableIndent, "no run completed the upgrade; it counts until each stopped")
	case n > 0:
		p.text(tableIndent, fmt.Sprintf("%s did not complete the upgrade; there it counts until the run stopped", count(n, "run")))
	}
	switch n := s.Count(isLimited); {
	case n == len(s.Runs):
		p.text(tableIndent, "some workers stay older than "+s.To+", as `limit` says")
	case n > 0:
		p.text(tableIndent, fmt.Sprintf("in %s some workers stay older than %s, as `limit` says", count(n, "run"), s.To))
	}
	g := &grid{columns: []column{{head: "OF RUNS"}, {head: "WITHIN", right: true}, {head: "95% INTERVAL"}}}
	for _, x := range []struct {
		name     string
		value    float64
		interval montecarlo.Interval
	}{{"5%", m.P5, m.P5Interval}, {"50%", m.P50, m.P50Interval}, {"95%", m.P95, m.P95Interval}, {"mean", m.Mean, m.MeanInterval()}} {
		g.add(x.name, human(sim.Seconds(x.value)), between(x.interval, humanFloat))
	}
	p.grid(g, tableIndent)
	p.histogram(s.Values(montecarlo.Makespan))
}

func humanFloat(x float64) string { return human(sim.Seconds(x)) }

// between writes an interval, as far as the runs tell its ends.
func between(i montecarlo.Interval, write func(float64) string) string {
	switch low, high := math.IsInf(i.Low, 0), math.IsInf(i.High, 0); {
	case low && high:
		return "too few runs"
	case low:
		return "up to " + write(i.High)
	case high:
		return "from " + write(i.Low)
	}
	return write(i.Low) + " to " + write(i.High)
}

// spreads are the figures of a summary beside the makespan.
var spreads = []struct {
	name   string
	figure montecarlo.Figure
	write  func(float64) string
}{
	{"worst downtime", montecarlo.Downtime, humanFloat},
	{"worst time below budget", montecarlo.BelowFloor, humanFloat},
	{"worst time pending", montecarlo.Pending, humanFloat},
	{"waiting for windows", montecarlo.Waiting, humanFloat},
	{"evictions", montecarlo.Evictions, decimal},
	{"evictions refused", montecarlo.EvictionsRefused, decimal},
	{"eviction errors", montecarlo.EvictionErrors, decimal},
	{"pods deleted", montecarlo.Deletions, decimal},
	{"pods moved again", montecarlo.MovedAgain, decimal},
	{"extra nodes", montecarlo.PeakNodes, decimal},
	{"extra node hours", montecarlo.NodeHours, decimal},
	{"pods in blast radius", montecarlo.BlastPods, decimal},
	{"API server away", montecarlo.APIUnavailable, humanFloat},
	{"etcd without quorum", montecarlo.QuorumLost, humanFloat},
}

// decimal writes a number with one digit behind the point, where it has one.
func decimal(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

func (p *page) figures(s *montecarlo.Sample) {
	g := &grid{columns: []column{{head: "FIGURE"}, {head: "P5", right: true}, {head: "P50", right: true}, {head: "P95", right: true}, {head: "MEAN", right: true}, {head: "95% INTERVAL"}}}
	for _, x := range spreads {
		if m := s.Summary(x.figure); m.Max > 0 {
			g.add(x.name, x.write(m.P5), x.write(m.P50), x.write(m.P95), x.write(m.Mean), between(m.MeanInterval(), x.write))
		}
	}
	if len(g.rows) > 0 {
		p.section("Figures")
		p.grid(g, tableIndent)
	}
}

// inRuns adds to each finding in how many runs it was made.
func inRuns(found []montecarlo.Found, runs int) []model.Finding {
	list := make([]model.Finding, len(found))
	for i, f := range found {
		list[i] = f.Finding
		list[i].Message += ofRuns(f, f.Runs, runs)
	}
	return list
}

// ofRuns says that so many of all runs had a finding, and where these do not all have its words, of which run the words are.
func ofRuns(f montecarlo.Found, had, runs int) string {
	switch alike := had == f.Runs && !f.Varies; {
	case alike && had == runs:
		return ""
	case alike:
		return fmt.Sprintf(" [in %d of %d runs, first with seed %d]", had, runs, f.FirstSeed)
	case had == runs:
		return fmt.Sprintf(" [with seed %d; in each run the like]", f.FirstSeed)
	}
	return fmt.Sprintf(" [with seed %d; in %d of %d runs the like]", f.FirstSeed, had, runs)
}

// workloadTimes lists the workloads that were down, below their budgets or without a node for a pod.
func (p *page) workloadTimes(s *montecarlo.Sample) {
	list := s.Workloads()
	if len(list) == 0 {
		return
	}
	p.section("Workloads")
	g := &grid{columns: []column{{head: "NAMESPACE"}, {head: "NAME", flex: true}, {head: "KIND"}, {head: "MIN-READY", right: true},
		{head: "DOWN-P50", right: true}, {head: "DOWN-P95", right: true}, {head: "BELOW-PDB-P95", right: true}, {head: "PENDING-P95", right: true}}}
	shown := p.limit(len(list), mostRows)
	for _, w := range list[:shown] {
		down, below, pending := s.SummaryOf(w.Downtime), s.SummaryOf(w.BelowFloor), s.SummaryOf(w.Pending)
		g.add(w.Namespace, w.Name, w.Kind, fmt.Sprintf("%d/%d", w.MinReady, w.Replicas), orDash(sim.Seconds(down.P50)), orDash(sim.Seconds(down.P95)),
			orDash(sim.Seconds(below.P95)), orDash(sim.Seconds(pending.P95)))
	}
	p.grid(g, tableIndent)
	if hidden := len(list) - shown; hidden > 0 {
		p.text(tableIndent, more(hidden, "workload")+" (-v shows all)")
	}
}

// worst names the runs that are worth a look.
func (p *page) worst(s *montecarlo.Sample, replay string) {
	p.section("To replay")
	took := func(r *montecarlo.Run) string { return human(sim.Seconds(r.Figures[montecarlo.Makespan])) }
	w := &s.Worst
	text := string(w.Verdict) + " in " + took(w)
	switch {
	case w.CutOff:
		text = "cut off at " + took(w)
	case w.NotStarted:
		text = string(w.Verdict) + ", not started"
	case w.Verdict == sim.Stuck || w.Verdict == sim.Aborted:
		text = string(w.Verdict) + " after " + took(w)
	}
	if !w.NotStarted {
		text += ", digest " + s.WorstDigest
	}
	p.total("the worst", fmt.Sprintf("%s --seed %d   # %s", replay, w.Seed, text))
	if seed, ok := s.SeedAt(0.5); ok && len(s.Runs) > 1 {
		p.total("the middle", fmt.Sprintf("%s --seed %d   # the median makespan", replay, seed))
	}
}

// afterSeeds says what the planner does now.
func afterSeeds(sc *model.Scenario, s *montecarlo.Sample, replay string) string {
	makespan := s.Summary(montecarlo.Makespan)
	switch n := s.Unsafe(); {
	case s.Count(isCutOff) > 0:
		return "not every run is a whole upgrade: see the error CutOff, and run it again."
	case makespan.N == 0:
		return "correct the plan as said under fix, and run it again."
	case n == len(s.Runs):
		return "do not start this plan; remove what is said above, then run it again."
	case n > 0:
		verb := map[bool]string{true: "is", false: "are"}[n == 1]
		return fmt.Sprintf("%d of %d runs %s not safe; see how the worst one goes (%s --seed %d) and decide whether you can live with that.", n, len(s.Runs), verb, replay, s.Worst.Seed)
	}
	within := makespan.P95
	if high := makespan.P95Interval.High; !math.IsInf(high, 0) {
		within = high
	}
	if sc != nil && sc.Objectives.Window != nil {
		return withWholeInput(sc, fmt.Sprintf("go ahead, if you can live with what is said above: the longest run leaves %s of the window of %s to spare.",
			brief(sim.Seconds(sc.Objectives.Window.Seconds()-makespan.Max)), human(sim.Seconds(sc.Objectives.Window.Seconds()))))
	}
	return withWholeInput(sc, fmt.Sprintf("go ahead, if you can live with what is said above, and plan a window of more than %s, which 95 of 100 runs do not exceed.", brief(sim.Seconds(within))))
}
