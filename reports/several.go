package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"upsim/sim"
	"upsim/sim/montecarlo"
)

// Line is what the comparison of several results shows of one.
type Line struct {
	Scenario, Strategy string
	Seed               uint64
	Verdict            sim.Verdict
	// NotStarted: the upgrade was refused before it began, so that there are no figures of it.
	NotStarted bool
	// CutOff: a limit ended the run, which then has no verdict.
	CutOff bool
	// Partial: workers are left that are older than the target, as with `limit`.
	Partial  bool
	Makespan sim.Seconds
	// Errors counts as the closing line of a report does: an incomplete upgrade beside its causes is none.
	Errors, Warnings int
	// WorstDowntime is the longest time in which a workload had no ready replica, all its outages together, also beyond the end.
	WorstDowntime sim.Seconds
	// Pending is the longest time in which a workload had a pod that waited for a node.
	Pending            sim.Seconds
	Evictions, Refused int64
	// MovedAgain counts the pods that moved more than once.
	MovedAgain int
	// Missing is the largest share of its replicas that a workload with several had not ready.
	Missing float64
	// ExtraNodes is the greatest number of extra nodes, NodeHours the time that they cost.
	ExtraNodes int
	NodeHours  sim.Seconds
	// Blast counts the pods that a bad version reached, until a gate failed.
	Blast int
}

// LineOf keeps of a result what the comparison of several shows.
func LineOf(r *sim.Result) Line {
	run := montecarlo.RunOf(r)
	f := &run.Figures
	return Line{Scenario: r.Scenario, Strategy: r.Strategy, Seed: r.Seed, Verdict: r.Verdict, NotStarted: run.NotStarted, CutOff: run.CutOff, Partial: run.Partial,
		Makespan: r.MakespanSeconds, Errors: causes(r.Reasons), Warnings: int(f[montecarlo.Warnings]),
		WorstDowntime: sim.Seconds(f[montecarlo.Downtime]), Pending: sim.Seconds(f[montecarlo.Pending]),
		Evictions: r.Evictions, Refused: r.EvictionsRefused, MovedAgain: int(f[montecarlo.MovedAgain]), Missing: f[montecarlo.Missing],
		ExtraNodes: r.Surge.PeakNodes, NodeHours: r.Surge.NodeHours, Blast: r.BlastRadius.Pods}
}

// verdict is the word for the run in a table.
func (l *Line) verdict() string {
	if l.CutOff {
		return "cut off"
	}
	return string(l.Verdict)
}

func (l *Line) isSafe() bool { return l.Verdict == sim.Safe && !l.CutOff }

func (l *Line) makespan() string {
	if l.NotStarted {
		return "-"
	}
	return human(l.Makespan)
}

// figure is a column of a comparison that is left out where all rows are equal.
type figure[T any] struct {
	head string
	cell func(*T) string
	// always: a row has it too that has no run which started.
	always bool
}

// figures of the comparison, the weightiest first.
var figures = []figure[Line]{
	{"ERRORS", func(l *Line) string { return itoa(l.Errors) }, true},
	{"WARNINGS", func(l *Line) string { return itoa(l.Warnings) }, true},
	{"WORST-DOWN", func(l *Line) string { return orDash(l.WorstDowntime) }, false},
	{"PENDING", func(l *Line) string { return orDash(l.Pending) }, false},
	{"LEAST-READY", func(l *Line) string { return percent(1 - l.Missing) }, false},
	{"MOVED-AGAIN", func(l *Line) string { return itoa(l.MovedAgain) }, false},
	{"EVICTIONS", func(l *Line) string { return itoa(l.Evictions) }, false},
	{"REFUSED", func(l *Line) string { return itoa(l.Refused) }, false},
	{"EXTRA-NODES", func(l *Line) string { return itoa(l.ExtraNodes) }, false},
	{"NODE-HOURS", func(l *Line) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(l.NodeHours)), ".0") }, false},
	{"BLAST", func(l *Line) string { return itoa(l.Blast) }, false},
}

// percent writes a share, rounded down, so that less than all is never 100 %.
func percent(share float64) string { return fmt.Sprintf("%d%%", int(share*100+1e-9)) }

// cells are the figure of each row; started tells whether there are figures of one.
func (f *figure[T]) cells(list []T, started func(*T) bool) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = "-"
		if f.always || started(&list[i]) {
			out[i] = f.cell(&list[i])
		}
	}
	return out
}

// equal is the figure that all rows have that have one; nothing where they differ.
func (f *figure[T]) equal(list []T, started func(*T) bool) (cell string, ok bool) {
	for i, c := range f.cells(list, started) {
		switch {
		case !f.always && !started(&list[i]):
		case cell == "":
			cell = c
		case cell != c:
			return "", false
		}
	}
	return cell, true
}

// columnNote explains a head that does not say enough.
type columnNote struct{ head, text string }

var columnNotes = []columnNote{
	{"WORST-DOWN", "WORST-DOWN: the longest that a workload had no ready replica, its outages together"},
	{"LEAST-READY", "LEAST-READY: the smallest share of its replicas that a workload with several had ready"},
	{"MOVED-AGAIN", "MOVED-AGAIN counts pods that moved more than once"},
	{"BLAST", "BLAST counts pods that a bad version reached, until a gate failed"},
}

// comparedColumns is the most columns of the comparison where nothing else bounds it.
const comparedColumns = 100

// Several writes a table that holds results against each other, one row each,
// in their order, and says which are safe, and which command tells of more than one run of each. It begins with an empty line, to
// follow other reports.
func Several(w io.Writer, list []Line, compare string, opts TableOptions) error {
	p := newPage(opts)
	p.buf.WriteByte('\n')
	p.buf.WriteString("All " + count(len(list), "result") + ":\n")
	columns := comparison{}
	if severalScenarios(list) {
		columns.keys = append(columns.keys, columnOf(column{head: "SCENARIO", flex: true}, list, func(l *Line) string { return l.Scenario }))
	}
	columns.keys = append(columns.keys, columnOf(column{head: "STRATEGY", flex: true}, list, func(l *Line) string { return l.Strategy }))
	columns.rest = []compared{columnOf(column{head: "VERDICT"}, list, (*Line).verdict), columnOf(column{head: "MAKESPAN", right: true}, list, (*Line).makespan)}
	shown := figures
	if !slices.ContainsFunc(list, func(l Line) bool { return l.Blast > 0 }) {
		shown = figures[:len(figures)-1] // without a bad version there is nothing to say
	}
	heldTogether(p, columns, shown, list, func(l *Line) bool { return !l.NotStarted }, columnNotes)
	p.buf.WriteByte('\n')
	p.text(0, p.whichAreSafe(list))
	if slices.ContainsFunc(list, func(l Line) bool { return l.isSafe() }) {
		p.text(0, "That is with "+oneSeed(list)+" alone, and others may differ: "+compare+" runs many.")
	}
	return p.writeTo(w)
}

// oneSeed says with which seed the results are; several scenarios may each have one of its own.
func oneSeed(list []Line) string {
	if slices.ContainsFunc(list, func(l Line) bool { return l.Seed != list[0].Seed }) {
		return "one seed of each scenario"
	}
	return fmt.Sprintf("seed %d", list[0].Seed)
}

// heldTogether writes the columns with those figures in which the rows differ, and says in a line which are equal.
func heldTogether[T any](p *page, columns comparison, figures []figure[T], list []T, started func(*T) bool, notes []columnNote) {
	var same []string
	for _, f := range figures {
		cell, equal := f.equal(list, started)
		switch {
		case !equal:
			columns.rest = append(columns.rest, compared{column{head: f.head, right: true}, f.cells(list, started)})
		case cell == "-":
			same = append(same, f.head+" 0")
		case cell != "":
			same = append(same, f.head+" "+cell)
		}
	}
	p.wide(&columns)
	if len(same) > 0 {
		who := "equal in all"
		if slices.ContainsFunc(list, func(x T) bool { return !started(&x) }) {
			who += " that have it"
		}
		p.text(tableIndent, who+": "+strings.Join(same, ", "))
	}
	for _, note := range notes {
		if slices.ContainsFunc(columns.rest, func(c compared) bool { return c.head == note.head }) {
			p.text(tableIndent, note.text)
		}
	}
}

// wide writes the columns, in several parts where they would not fit.
func (p *page) wide(columns *comparison) {
	width := comparedColumns
	if p.Width > 0 {
		width = p.Width
	}
	for _, g := range columns.grids(width - tableIndent) {
		p.grid(g, tableIndent)
	}
}

func severalScenarios(list []Line) bool {
	return slices.ContainsFunc(list, func(l Line) bool { return l.Scenario != list[0].Scenario })
}

// compared is a column of the comparison with its cells.
type compared struct {
	column
	cells []string
}

// comparison is a table that may be too wide for its lines: its keys are repeated in each part.
type comparison struct{ keys, rest []compared }

func columnOf[T any](c column, list []T, cell func(*T) string) compared {
	out := compared{column: c}
	for i := range list {
		out.cells = append(out.cells, cell(&list[i]))
	}
	return out
}

func (c *compared) width() int {
	width := cells(c.head)
	for _, s := range c.cells {
		width = max(width, cells(clean(s)))
	}
	return width
}

// grids are the parts of the table, each within the width if the keys leave room for two columns.
func (c *comparison) grids(width int) []*grid {
	keys := 0
	for i := range c.keys {
		keys += c.keys[i].width() + len(gap)
	}
	keys = min(keys, width/2) // wider names are broken where the lines are bounded
	var parts []*grid
	for rest := c.rest; len(rest) > 0; {
		used, n := keys+rest[0].width(), 1
		for n < len(rest) && (n < 2 || used+len(gap)+rest[n].width() <= width) {
			used += len(gap) + rest[n].width()
			n++
		}
		parts = append(parts, gridOf(slices.Concat(c.keys, rest[:n])))
		rest = rest[n:]
	}
	return parts
}

func gridOf(columns []compared) *grid {
	g := &grid{}
	for _, c := range columns {
		g.columns = append(g.columns, c.column)
	}
	for row := range columns[0].cells {
		line := make([]string, len(columns))
		for i, c := range columns {
			line[i] = c.cells[row]
		}
		g.add(line...)
	}
	return g
}
