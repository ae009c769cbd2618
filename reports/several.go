package reports

import (
	"io"
	"slices"
	"strconv"

	"upsim/sim"
)

// Line is what the comparison of several results shows of one.
type Line struct {
	Scenario, Strategy string
	Verdict            sim.Verdict
	Makespan           sim.Seconds
	Evictions          int64
	// CutOff: a limit ended the run, which then has no verdict.
	CutOff bool
	// WorstDowntime is the longest time in which a workload had no ready replica.
	WorstDowntime sim.Seconds
	// SurgeNodes is the greatest number of extra nodes.
	SurgeNodes int
}

// Several writes a table that holds results against each other, one row each,
// in their order. It begins with an empty line, to follow other reports.
func Several(w io.Writer, list []Line, opts TableOptions) error {
	p := newPage(opts)
	p.buf.WriteByte('\n')
	p.buf.WriteString("All " + strconv.Itoa(len(list)) + " results:\n")
	several := slices.ContainsFunc(list, func(l Line) bool { return l.Scenario != list[0].Scenario })
	g := &grid{columns: []column{{head: "STRATEGY", flex: true}, {head: "VERDICT"}, {head: "MAKESPAN", right: true},
		{head: "EVICTIONS", right: true}, {head: "WORST-DOWN", right: true}, {head: "EXTRA-NODES", right: true}}}
	if several {
		g.columns = slices.Insert(g.columns, 0, column{head: "SCENARIO", flex: true})
	}
	for _, l := range list {
		cells := []string{l.Strategy, string(l.Verdict), human(l.Makespan), strconv.FormatInt(l.Evictions, 10), "", ""}
		if l.CutOff {
			cells[1] = "cut off"
		}
		if l.WorstDowntime > 0 {
			cells[4] = human(l.WorstDowntime)
		}
		if l.SurgeNodes > 0 {
			cells[5] = strconv.Itoa(l.SurgeNodes)
		}
		if several {
			cells = slices.Insert(cells, 0, l.Scenario)
		}
		g.add(cells...)
	}
	p.grid(g, tableIndent)
	return p.writeTo(w)
}
