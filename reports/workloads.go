package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim"
)

// pendingWorth is the least waiting for a node that is worth a row: every pod
// that moves waits some milliseconds for the scheduler.
const pendingWorth sim.Seconds = 1

// troubled reports whether a planner should look at the workload.
func troubled(w sim.WorkloadResult) bool {
	return w.SecondsZero+w.SecondsZeroBeyond > 0 || w.SecondsBelowFloor > 0 || w.MaxMoves > 1 || w.SecondsPending >= pendingWorth || w.EvictionErrors > 0
}

// namedIn is every name, kind/namespace/name and others, that an error or a warning speaks of.
func namedIn(list []model.Finding) map[string]bool {
	named := map[string]bool{}
	for _, f := range list {
		if f.Severity == model.SeverityInfo {
			continue
		}
		named[f.Subject] = true
		for word := range strings.FieldsFuncSeq(f.Message, func(c rune) bool { return c != '/' && (c > 0x7f || !nameByte(byte(c))) }) {
			named[strings.TrimRight(word, ".")] = true
		}
	}
	return named
}

// notBack are the workloads of which replicas that were ready before the upgrade do not come back.
func notBack(list []model.Finding) map[string]bool {
	left := map[string]bool{}
	for _, f := range list {
		if f.Code == model.NeverBack || f.Code == model.ReplicasMissing {
			left[f.Subject] = true
		}
	}
	return left
}

// worseWorkload orders workloads by what hurts most.
func worseWorkload(a, b sim.WorkloadResult) int {
	return cmp.Or(
		cmp.Compare(b.SecondsZero+b.SecondsZeroBeyond, a.SecondsZero+a.SecondsZeroBeyond),
		cmp.Compare(b.SecondsBelowFloor, a.SecondsBelowFloor),
		cmp.Compare(b.EvictionErrors, a.EvictionErrors),
		cmp.Compare(b.SecondsPending, a.SecondsPending),
		cmp.Compare(b.MaxMoves, a.MaxMoves),
		cmp.Compare(a.Namespace, b.Namespace),
		model.NaturalCompare(a.Name, b.Name),
		cmp.Compare(a.Kind, b.Kind),
	)
}

func (p *page) workloads(r *sim.Result) {
	list := r.Workloads
	if len(list) == 0 {
		return
	}
	p.section("Workloads")
	named := namedIn(r.Reasons)
	bad := 0
	var rows []sim.WorkloadResult
	for _, w := range list {
		isBad := troubled(w) || named[w.Kind+"/"+w.Namespace+"/"+w.Name]
		if isBad {
			bad++
		}
		if isBad || p.Verbose {
			rows = append(rows, w)
		}
	}
	slices.SortStableFunc(rows, worseWorkload)
	fine := len(list) - bad
	if bad == 0 {
		p.text(2, fmt.Sprintf("%s: none was down or below its budget, no pod moved twice or waited for a node.", count(fine, "workload")))
	}
	if len(rows) == 0 {
		return
	}
	shown := p.limit(len(rows), mostRows)
	g := grid{columns: []column{
		{"NAMESPACE", false, true}, {"NAME", false, true}, {"KIND", false, true},
		{"MIN-READY", true, false}, {"DOWN", true, false}, {"BELOW-PDB", true, false}, {"PENDING", true, false}, {"MOVED", true, false},
	}}
	left, marked := notBack(r.Reasons), false
	for _, w := range rows[:shown] {
		mark := ""
		if left[w.Kind+"/"+w.Namespace+"/"+w.Name] {
			mark, marked = "*", true
		}
		g.add(w.Namespace, w.Name, w.Kind, itoa(w.MinReady)+"/"+itoa(w.Replicas)+mark,
			orDash(w.SecondsZero+w.SecondsZeroBeyond), orDash(w.SecondsBelowFloor), pending(w.SecondsPending), moves(w))
	}
	p.grid(&g, tableIndent)
	if hidden := len(rows) - shown; hidden > 0 {
		p.text(2, fmt.Sprintf("and %d more of this kind, less hurt (-o json has them all)", hidden))
	}
	if !p.Verbose && fine > 0 && bad > 0 {
		p.text(2, more(fine, "workload")+": fine, not shown")
	}
	if marked {
		p.text(2, "* fewer ready than before the upgrade when nothing can happen any more")
	}
	if i := slices.IndexFunc(rows[:shown], func(w sim.WorkloadResult) bool { return w.MaxMoves > 1 }); i >= 0 {
		p.text(2, movesExplained(rows[i]))
	}
}

// moves is "6" where every pod moved once at most, and "6 (3x)" where one moved three times.
func moves(w sim.WorkloadResult) string {
	switch {
	case w.PodsMoved == 0:
		return "-"
	case w.MaxMoves > 1:
		return fmt.Sprintf("%d (%dx)", w.PodsMoved, w.MaxMoves)
	}
	return itoa(w.PodsMoved)
}

// movesExplained reads the cell out, as the key to the column.
func movesExplained(w sim.WorkloadResult) string {
	if w.PodsMoved == 1 {
		return fmt.Sprintf("MOVED %s: 1 pod moved, %d times", moves(w), w.MaxMoves)
	}
	return fmt.Sprintf("MOVED %s: %d pods moved, some up to %d times", moves(w), w.PodsMoved, w.MaxMoves)
}

func pending(s sim.Seconds) string {
	if s < pendingWorth {
		return "-"
	}
	return human(s)
}
