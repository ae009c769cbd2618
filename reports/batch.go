package reports

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim"
)

// Batch sums up the rows of a batch as they come. It keeps the few that it will name, however many there are.
type Batch struct {
	// Shard is what part of the work these rows are; empty for all of it.
	Shard string

	rows, files, failed int
	lastInput           int
	verdicts            map[sim.Verdict]int
	reasons             map[model.Code]int // of those that are not safe
	slowest, worst      ranking
	failures            []Row
}

// Add takes the next row; rows come in the order of their inputs.
func (b *Batch) Add(r Row) {
	if b.verdicts == nil {
		b.verdicts, b.reasons = map[sim.Verdict]int{}, map[model.Code]int{}
		b.slowest.before = func(x, y *Row) int { return cmp.Compare(y.Makespan, x.Makespan) }
		b.worst.before = func(x, y *Row) int { return worse(x, y) }
	}
	b.rows++
	if r.Input != b.lastInput {
		b.files++
		b.lastInput = r.Input
	}
	if r.Failure != nil {
		b.failed++
		if len(b.failures) < mostRanked {
			b.failures = append(b.failures, r)
		}
		return
	}
	b.verdicts[r.Verdict]++
	b.slowest.add(r)
	if r.Verdict != sim.Safe {
		b.worst.add(r)
		if r.Reason != "" {
			b.reasons[r.Reason]++
		}
	}
}

// mostRanked is how many rows a list of the summary names.
const mostRanked = 5

// ranking keeps the first few rows of an order; of equal ones those that came first.
type ranking struct {
	before func(x, y *Row) int
	rows   []Row
}

func (k *ranking) add(r Row) {
	if len(k.rows) == mostRanked && k.before(&r, &k.rows[mostRanked-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(k.rows, r, func(x, y Row) int {
		return cmp.Or(k.before(&x, &y), -1)
	})
	k.rows = slices.Insert(k.rows, at, r)
	k.rows = k.rows[:min(len(k.rows), mostRanked)]
}

// verdictOrder is from the worst to the best: what is stuck stays so.
var verdictOrder = []sim.Verdict{sim.Stuck, sim.Violated, sim.Aborted, sim.Safe}

// worse orders by verdict, then by the longest outage of a workload, by errors, and by time.
func worse(x, y *Row) int {
	place := func(r *Row) int { return slices.Index(verdictOrder, r.Verdict) }
	return cmp.Or(cmp.Compare(place(x), place(y)), cmp.Compare(y.WorstDowntime, x.WorstDowntime), cmp.Compare(y.Errors, x.Errors), cmp.Compare(y.Makespan, x.Makespan))
}

// Table writes the summary.
func (b *Batch) Table(w io.Writer, opts TableOptions) error {
	p := newPage(opts)
	p.text(0, b.counts())
	if len(b.reasons) > 0 {
		p.para("not safe because of ", len("not safe because of "), b.why(), tableIndent)
	}
	if len(b.worst.rows) > 0 {
		p.section("Worst")
		p.grid(b.ranked(b.worst.rows, true), tableIndent)
	}
	if len(b.slowest.rows) > 1 {
		p.section("Slowest")
		p.grid(b.ranked(b.slowest.rows, false), tableIndent)
	}
	if b.failed > 0 {
		p.section("Without a result")
		for i := range b.failures {
			first := b.failures[i].Failure.firstLine()
			if file := b.failures[i].File; !strings.Contains(first, file) {
				first = file + ": " + first
			}
			p.para("  ", 2, first, 4)
		}
		if more := b.failed - len(b.failures); more > 0 {
			p.text(tableIndent, fmt.Sprintf("and %d more: the rows that have an error", more))
		}
	}
	return p.writeTo(w)
}

// counts is the first sentence: how many of what.
func (b *Batch) counts() string {
	var parts []string
	for _, v := range slices.Backward(verdictOrder) {
		if n := b.verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	text := count(b.rows-b.failed, "simulation")
	if b.files != b.rows-b.failed {
		text += " of " + count(b.files, "file")
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if b.failed > 0 {
		text += fmt.Sprintf("; %d without a result", b.failed)
	}
	if b.Shard != "" {
		text = "shard " + b.Shard + ": " + text
	}
	return text
}

// why counts the first errors of what is not safe, the most frequent first.
func (b *Batch) why() string {
	codes := slices.SortedFunc(maps.Keys(b.reasons), func(x, y model.Code) int {
		return cmp.Or(cmp.Compare(b.reasons[y], b.reasons[x]), cmp.Compare(x, y))
	})
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = fmt.Sprintf("%s (%d)", c, b.reasons[c])
	}
	return strings.Join(words, ", ")
}

// ranked lists rows, with the reason where they are not safe. Columns that say the same in each row are left out.
func (b *Batch) ranked(rows []Row, bad bool) *grid {
	g := &grid{columns: []column{{head: "FILE", flex: true}}}
	several := func(of func(*Row) string) bool {
		return slices.ContainsFunc(rows, func(r Row) bool { return of(&r) != of(&rows[0]) })
	}
	cells := []func(*Row) string{func(r *Row) string { return r.File }}
	add := func(c column, cell func(*Row) string) {
		g.columns, cells = append(g.columns, c), append(cells, cell)
	}
	add(column{head: "SCENARIO", flex: true}, func(r *Row) string { return r.Scenario })
	if of := func(r *Row) string { return r.Strategy }; several(of) {
		add(column{head: "STRATEGY", flex: true}, of)
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Replication > 0 }) {
		add(column{head: "SEED", right: true}, func(r *Row) string { return fmt.Sprint(r.Seed) })
	}
	add(column{head: "VERDICT"}, func(r *Row) string { return string(r.Verdict) })
	if bad {
		add(column{head: "REASON"}, func(r *Row) string { return string(r.Reason) })
		add(column{head: "WORST-DOWN", right: true}, func(r *Row) string { return orDash(r.WorstDowntime) })
	}
	add(column{head: "MAKESPAN", right: true}, func(r *Row) string { return r.makespan() })
	for i := range rows {
		line := make([]string, len(cells))
		for k, cell := range cells {
			line[k] = cell(&rows[i])
		}
		g.add(line...)
	}
	return g
}
