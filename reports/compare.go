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

// Comparison holds upgrades of one scenario against each other, run with the same seeds.
type Comparison struct {
	Scenario *model.Scenario
	// Keys are those of a study, which vary; nil where strategies are compared.
	Keys []string
	Rows []ComparedRow
	// Probability is how probable being safe has to be for a row to be taken; 0 means safe in every run.
	Probability float64
	// Until is the share that the intervals of all rows were to be narrow to, 0 where the number of seeds was given.
	Until float64

	choice *montecarlo.Choice
	// idle are the keys of a study whose values give the same runs, whatever the others are.
	idle map[int]bool
	// unlike is what Unlike tells.
	unlike string
}

// ComparedRow is one of them.
type ComparedRow struct {
	Name    string
	Upgrade model.NamedUpgrade
	// Values are those of the keys of a study; Settings are keys of upgrade.nodes, or of upgrade, that make the upgrade this one.
	Values   []string
	Settings []model.KeyValue
	// Refused says why it is no upgrade; then there is no sample.
	Refused string
	Sample  *montecarlo.Sample

	at int // its place in the choice
	c  *Comparison
}

// NewComparison judges the rows, by every run or with a probability.
func NewComparison(sc *model.Scenario, keys []string, rows []ComparedRow, probability float64) *Comparison {
	c := &Comparison{Scenario: sc, Keys: keys, Rows: rows, Probability: probability}
	var samples []*montecarlo.Sample
	for i := range rows {
		if rows[i].c = c; rows[i].Sample != nil {
			rows[i].at = len(samples)
			samples = append(samples, rows[i].Sample)
		}
	}
	o := montecarlo.ChoiceOptions{Probability: probability}
	c.choice = montecarlo.NewChoice(samples, o)
	if c.unlike = c.findUnlike(); c.unlike != "" {
		o.Unlike = true
		c.choice = montecarlo.NewChoice(samples, o)
	}
	c.idle = idleKeys(keys, rows)
	return c
}

// Unlike is the key whose values have rows that could be compared do more or less, empty where all of these do the same: what does
// less would look better.
func (c *Comparison) Unlike() string { return c.unlike }

func (c *Comparison) findUnlike() string {
	var first *model.Upgrade
	for i := range c.Rows {
		up := &c.Rows[i].Upgrade.Upgrade
		switch {
		case !c.Rows[i].comparable():
		case first == nil:
			first = up
		default:
			if key := up.Unlike(first); key != "" {
				return key
			}
		}
	}
	return ""
}

// idleKeys finds the keys of a study that change nothing.
func idleKeys(keys []string, rows []ComparedRow) map[int]bool {
	idle := map[int]bool{}
	for k := range keys {
		first := map[string]*ComparedRow{} // by the values of the other keys
		idle[k] = slices.ContainsFunc(rows, func(r ComparedRow) bool { return r.Values[k] != rows[0].Values[k] })
		for i := range rows {
			others := slices.Clone(rows[i].Values)
			others[k] = ""
			id := strings.Join(others, "\x00")
			if f := first[id]; f == nil {
				first[id] = &rows[i]
			} else if !sameRuns(f, &rows[i]) {
				idle[k] = false
				break
			}
		}
	}
	return idle
}

func sameRuns(a, b *ComparedRow) bool {
	if a.Sample == nil || b.Sample == nil {
		return a.Sample == b.Sample && a.Refused == b.Refused
	}
	return slices.Equal(a.Sample.Runs, b.Sample.Runs)
}

// isRepeat reports whether a row differs from an earlier one in idle keys alone.
func (c *Comparison) isRepeat(r *ComparedRow) bool {
	for k := range c.idle {
		if c.idle[k] && r.Values[k] != c.Rows[0].Values[k] {
			return true
		}
	}
	return false
}

// Advice is which row to take.
func (c *Comparison) Advice() montecarlo.Advice {
	return c.choice.Advise(c.Scenario.Objectives.Window != nil)
}

// Taken is the row that the advice names, nil where it names none.
func (c *Comparison) Taken() *ComparedRow {
	a := c.Advice()
	if a.Take < 0 {
		return nil
	}
	return c.rowAt(a.Take)
}

// rowAt is the row with that place in the choice.
func (c *Comparison) rowAt(at int) *ComparedRow {
	return &c.Rows[slices.IndexFunc(c.Rows, func(r ComparedRow) bool { return r.Sample != nil && r.at == at })]
}

// against is the row that the others' differences are from, the first that can be compared; nil without one.
func (c *Comparison) against() *ComparedRow {
	if i := slices.IndexFunc(c.Rows, func(r ComparedRow) bool { return r.comparable() }); i >= 0 {
		return &c.Rows[i]
	}
	return nil
}

func (r *ComparedRow) comparable() bool { return r.Sample != nil && r.c.choice.Comparable(r.at) }

func (r *ComparedRow) front() bool { return r.Sample != nil && r.c.choice.Front(r.at) }

func (r *ComparedRow) started() bool {
	return r.Sample != nil && r.Sample.Count(func(x *montecarlo.Run) bool { return !x.NotStarted }) > 0
}

// summary is over the runs that count, as the choice has it.
func (r *ComparedRow) summary(f montecarlo.Figure) montecarlo.Summary {
	return r.c.choice.Summary(r.at, f)
}

// safe reports whether the row may be taken.
func (r *ComparedRow) safe() bool { return r.Sample != nil && r.c.choice.Safe(r.at) }

// verdict is the word for a row: where its runs had several, how many were safe, and the gravest with its share.
func (r *ComparedRow) verdict() string {
	if r.Sample == nil {
		return "refused"
	}
	if n := r.Sample.Count(isCutOff); n > 0 {
		return "cut off"
	}
	worst := r.Sample.Worst.Verdict
	if n := r.Sample.Verdicts()[worst]; n < len(r.Sample.Runs) {
		all := float64(len(r.Sample.Runs))
		return fmt.Sprintf("safe %s, %s %s", share(float64(r.Sample.Verdicts()[sim.Safe])/all), worst, share(float64(n)/all))
	}
	return string(worst)
}

// atMedian, atP95 and onAverage are the cell of a figure.
func atMedian(f montecarlo.Figure, write func(float64) string) func(*ComparedRow) string {
	return func(r *ComparedRow) string { s := r.summary(f); return write(s.P50) }
}

func atP95(f montecarlo.Figure, write func(float64) string) func(*ComparedRow) string {
	return func(r *ComparedRow) string { s := r.summary(f); return write(s.P95) }
}

func onAverage(f montecarlo.Figure, write func(float64) string) func(*ComparedRow) string {
	return func(r *ComparedRow) string { s := r.summary(f); return write(s.Mean) }
}

func dashFloat(x float64) string { return orDash(sim.Seconds(math.Round(x*1000) / 1000)) }

// comparedFigures are the columns of a comparison, the weightiest first; all but the first two are means over the runs.
var comparedFigures = []figure[ComparedRow]{
	{"MAKESPAN", atMedian(montecarlo.Makespan, humanFloat), false},
	{"P95", atP95(montecarlo.Makespan, humanFloat), false},
	{"DOWN", onAverage(montecarlo.DowntimeOfAll, dashFloat), false},
	{"BELOW-PDB", onAverage(montecarlo.BelowFloorOfAll, dashFloat), false},
	{"EVICTIONS", onAverage(montecarlo.Evictions, decimal), false},
	{"MOVED-AGAIN", onAverage(montecarlo.MovedAgain, decimal), false},
	{"NODE-HOURS", onAverage(montecarlo.NodeHours, decimal), false},
	{"EXTRA-NODES", func(r *ComparedRow) string { return decimal(r.summaryMax(montecarlo.PeakNodes)) }, false},
	{"BLAST", onAverage(montecarlo.BlastPods, decimal), false},
}

var comparedNotes = []columnNote{
	{"FRONT", "FRONT: none is at least as good in time, cost and risk, and better in one: see upsim compare --help"},
	{"P95", "MAKESPAN is the median of the runs, P95 what 95% of them do not exceed; the other columns are means"},
	{"DOWN", "DOWN: the time that workloads had no ready replica, BELOW-PDB: fewer than their budgets want, added up over all workloads"},
	{"MOVED-AGAIN", "MOVED-AGAIN counts pods that moved more than once"},
	{"EXTRA-NODES", "EXTRA-NODES: at most at once, NODE-HOURS: the time that they cost"},
	{"BLAST", "BLAST counts pods that a bad version reached, until a gate failed"},
}

// Compare writes a comparison in a format. The CSV has a head only where it is asked for, or where the keys of a study are columns.
func Compare(w io.Writer, c *Comparison, format string, head bool, opts TableOptions) error {
	switch format {
	case FormatTable:
		return compareTable(w, c, opts)
	case FormatJSON:
		return writeJSON(w, comparisonOf(c))
	case FormatCSV:
		return compareCSV(w, c, head || len(c.Keys) > 0)
	}
	return unknownFormat(format)
}

func compareTable(w io.Writer, c *Comparison, opts TableOptions) error {
	p := newPage(opts)
	p.text(0, c.title())
	p.allNarrow(c)
	p.buf.WriteByte('\n')
	p.comparison(c)
	p.buf.WriteByte('\n')
	p.text(0, p.advice(c))
	if more := c.withProbability(); more != "" {
		p.text(0, more)
	}
	if take := c.Taken(); take != nil && take.entry() != "" {
		p.text(0, "In the scenario: "+take.entry())
	}
	return p.writeTo(w)
}

// allNarrow says, where that was asked for, how many runs of each row it took until the intervals of all of them were narrow, or
// those of which rows are not.
func (p *page) allNarrow(c *Comparison) {
	if c.Until == 0 || len(c.choice.Samples) == 0 {
		return
	}
	runs := count(len(c.choice.Samples[0].Runs), "run")
	var wide []*ComparedRow
	for at, s := range c.choice.Samples {
		if !s.Narrow(c.Until) {
			wide = append(wide, c.rowAt(at))
		}
	}
	if len(wide) > 0 {
		p.text(2, fmt.Sprintf("Not narrow enough: after %s of each, the most that were allowed, an interval is wider than %s to each side, of %s.", runs, share(c.Until), names(p, wide, func(r *ComparedRow) string { return r.Name })))
		return
	}
	p.text(2, fmt.Sprintf("The intervals of each one's mean makespan and of its being safe are within %s to each side after %s of each.", share(c.Until), runs))
}

// comparison writes the rows' figures, what keeps some from being taken, and their differences.
func (p *page) comparison(c *Comparison) {
	rows := p.worthShowing(c)
	columns := comparison{keys: c.keyColumns(rows)}
	columns.rest = []compared{columnOf(column{head: "FRONT"}, rows, func(r *ComparedRow) string {
		if r.front() {
			return "*"
		}
		return ""
	}), columnOf(column{head: "VERDICT"}, rows, (*ComparedRow).verdict)}
	heldTogether(p, columns, comparedFigures, rows, (*ComparedRow).started, comparedNotes)
	p.hiddenRows(c, len(c.Rows)-len(rows))
	if slices.ContainsFunc(rows, func(r ComparedRow) bool { return r.comparable() && r.Sample.Count(notEnded) > 0 }) {
		p.text(tableIndent, "figures are of the runs that reach the end with all nodes")
	}
	if slices.ContainsFunc(rows, func(r ComparedRow) bool { return r.Sample != nil && r.Sample.Count(isLimited) > 0 }) {
		p.text(tableIndent, "some workers stay older than the target, as `limit` says")
	}
	p.whyNot(c)
	p.differences(c)
}

func notEnded(r *montecarlo.Run) bool { return !r.Ended() }

// worthShowing are all rows but repeats, or where these are many the first of them and those on the front.
func (p *page) worthShowing(c *Comparison) []ComparedRow {
	if p.Verbose {
		return c.Rows
	}
	rows := slices.DeleteFunc(slices.Clone(c.Rows), func(r ComparedRow) bool { return c.isRepeat(&r) })
	if len(rows) <= mostNodes {
		return rows
	}
	shown := slices.Clone(rows[:1])
	for i := range rows[1:] {
		if rows[i+1].front() {
			shown = append(shown, rows[i+1])
		}
	}
	return shown
}

// hiddenRows says which rows are not shown, and why.
func (p *page) hiddenRows(c *Comparison, n int) {
	var keys []string
	for k, key := range c.Keys {
		if c.idle[k] {
			keys = append(keys, key)
		}
	}
	if len(keys) > 0 {
		p.text(tableIndent, "the value of "+strings.Join(keys, ", ")+" changes nothing in any run")
	}
	if n > 0 {
		p.text(tableIndent, more(n, "row")+" that repeat these, or are not on the front (-v shows all, -o csv has them)")
	}
}

func (r *ComparedRow) summaryMax(f montecarlo.Figure) float64 { s := r.summary(f); return s.Max }

// title says what is compared.
func (c *Comparison) title() string {
	what := count(len(c.Rows), "strateg")
	what = strings.Replace(strings.Replace(what, "strategs", "strategies", 1), "1 strateg", "1 strategy", 1)
	if c.Keys != nil {
		what = count(len(c.Rows), "combination")
	}
	if len(c.choice.Samples) == 0 {
		return c.Scenario.Name + ": " + what
	}
	s := c.choice.Samples[0]
	return fmt.Sprintf("%s, %s -> %s: %s, each with seeds %d to %d", s.Scenario, s.From, s.To, what, s.Runs[0].Seed, s.Runs[len(s.Runs)-1].Seed)
}

// keyColumns name the rows: by their strategy, or by the values of a study.
func (c *Comparison) keyColumns(rows []ComparedRow) []compared {
	if c.Keys == nil {
		return []compared{columnOf(column{head: "STRATEGY", flex: true}, rows, func(r *ComparedRow) string { return r.Name })}
	}
	list := make([]compared, len(c.Keys))
	for i, key := range c.Keys {
		list[i] = columnOf(column{head: key, flex: true}, rows, func(r *ComparedRow) string { return r.Values[i] })
	}
	return list
}

// whyNot says of the rows that cannot be taken why, and of those that can be what keeps some of their runs from being safe.
func (p *page) whyNot(c *Comparison) {
	p.troubles(c, "Not to be taken", func(r *ComparedRow) bool { return !r.safe() })
	p.troubles(c, "Not safe in some runs", func(r *ComparedRow) bool { return r.safe() && c.choice.Bad(r.at) > 0 })
}

// troubles writes the troubles of some rows, each once with the names of those that have it.
func (p *page) troubles(c *Comparison, head string, of func(*ComparedRow) bool) {
	var why []string
	who := map[string][]Line{}
	for i := range c.Rows {
		r, text := &c.Rows[i], ""
		switch {
		case !of(r):
			continue
		case r.Refused != "":
			text = "it is no plan: " + r.Refused
		case r.Sample.Unsafe() == 0 && c.Unlike() != "":
			continue // which the advice says of all
		default:
			text = p.trouble(r)
		}
		if who[text] == nil {
			why = append(why, text)
		}
		who[text] = append(who[text], Line{Strategy: r.Name})
	}
	if len(why) == 0 {
		return
	}
	p.section(head)
	shown := p.limit(len(why), mostRows)
	for _, text := range why[:shown] {
		names := names(p, who[text], func(l Line) string { return l.Strategy })
		p.para("  ", 2, names+": "+text, 4)
	}
	if hidden := len(why) - shown; hidden > 0 {
		p.text(2, more(hidden, "reason")+" (-v shows all)")
	}
}

// trouble is why a row has no place: the error of most of its runs.
func (p *page) trouble(r *ComparedRow) string {
	s := r.Sample
	if s.Unsafe() == 0 {
		return "it leaves nodes behind, so that it is not compared with those that do not"
	}
	found := s.Findings()
	if len(found) == 0 {
		return Outcomes(s)
	}
	first := slices.IndexFunc(found, func(f montecarlo.Found) bool { return s.Worst.Verdict == sim.Stuck && isProof(f.Finding) })
	if first < 0 {
		first = slices.IndexFunc(found, func(f montecarlo.Found) bool {
			return f.Severity == model.SeverityError && f.Code != model.UpgradeIncomplete
		})
	}
	f := found[max(first, 0)]
	text := string(f.Code) + ": "
	if !namesSubject(f.Message, f.Subject) {
		text += f.Subject + ": "
	}
	text += f.Message
	return text + ofRuns(f, f.CodeRuns, len(s.Runs))
}

// compareDifferences are the figures whose differences are told.
var compareDifferences = []struct {
	head   string
	figure montecarlo.Figure
	write  func(float64) string
	// unit is the least difference that is written of such a value.
	unit func(float64) float64
}{
	{"MAKESPAN", montecarlo.Makespan, humanFloat, resolution},
	{"DOWN", montecarlo.DowntimeOfAll, humanFloat, resolution},
	{"BELOW-PDB", montecarlo.BelowFloorOfAll, humanFloat, resolution},
	{"EVICTIONS", montecarlo.Evictions, decimal, tenth},
	{"MOVED-AGAIN", montecarlo.MovedAgain, decimal, tenth},
	{"NODE-HOURS", montecarlo.NodeHours, decimal, tenth},
	{"BLAST", montecarlo.BlastPods, decimal, tenth},
}

func tenth(float64) float64 { return 0.1 }

const noDifference = "no difference"

// differences writes how far each row is from the first, as far as the pairs of runs tell.
func (p *page) differences(c *Comparison) {
	from := c.against()
	if from == nil {
		return
	}
	var rows []ComparedRow
	for _, r := range p.worthShowing(c) {
		if r.comparable() && r.at != from.at {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return
	}
	p.section("Differences from " + from.Name)
	if len(from.Sample.Runs) < 2 {
		p.text(tableIndent, "one run of each does not tell a difference from chance; --seeds 20 would")
		return
	}
	columns := comparison{keys: c.keyColumns(rows)}
	var same []string
	for _, d := range compareDifferences {
		if d.figure == montecarlo.BlastPods && !c.hasBlast() {
			continue // there is no bad version
		}
		col := columnOf(column{head: d.head, right: true}, rows, func(r *ComparedRow) string {
			x := c.choice.Difference(r.at, from.at, d.figure, len(compareDifferences))
			return differs(x, d.write, d.unit(x.Mean))
		})
		if !slices.ContainsFunc(col.cells, func(s string) bool { return s != noDifference }) {
			same = append(same, d.head)
			continue
		}
		columns.rest = append(columns.rest, col)
	}
	if len(columns.rest) > 0 {
		p.wide(&columns)
		p.text(tableIndent, "means with 95% intervals that hold together, all of them, from pairs of runs with the same seed (paired t, Bonferroni); one without ± is narrower than its last digit")
	}
	if len(same) > 0 {
		p.text(tableIndent, "no difference can be told in "+strings.Join(same, ", "))
	}
}

// hasBlast reports whether a bad version reached a pod in some run.
func (c *Comparison) hasBlast() bool {
	return slices.ContainsFunc(c.Rows, func(r ComparedRow) bool { return r.started() && r.summaryMax(montecarlo.BlastPods) > 0 })
}

// differs writes a difference with its interval, or that none can be told.
func differs(d montecarlo.Difference, write func(float64) string, unit float64) string {
	if !d.Told() {
		return noDifference
	}
	sign := "+"
	if d.Mean < 0 {
		sign = "-"
	}
	text := write(math.Abs(d.Mean))
	if text == write(0) {
		return text // told, and too little to be written
	}
	if half := math.Round(d.Half/unit) * unit; half > 0 { // less is lost in what is written of the mean
		text += " ±" + write(half)
	}
	return sign + text
}
