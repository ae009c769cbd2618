package reports

import (
	"strings"
	"testing"

	"upsim/sim"
)

func several(t *testing.T, opts TableOptions, list ...Line) string {
	t.Helper()
	var b strings.Builder
	if err := Several(&b, list, "upsim compare shop.yaml", opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSeveral(t *testing.T) {
	one := Line{Scenario: "shop", Strategy: "rolling", Verdict: sim.Safe, Makespan: 5400, Evictions: 35, Refused: 3, MovedAgain: 2}
	two := Line{Scenario: "shop", Strategy: "surge", Verdict: sim.Violated, Makespan: 1200, Evictions: 7, Refused: 3, WorstDowntime: 12.5, ExtraNodes: 2, Errors: 1}
	// What is equal in all rows is said once.
	const want = `
All 2 results:
  STRATEGY  VERDICT   MAKESPAN  ERRORS  WORST-DOWN  MOVED-AGAIN  EVICTIONS  EXTRA-NODES
  rolling   safe         1h30m       0           -            2         35            0
  surge     violated       20m       1         13s            0          7            2
  equal in all: WARNINGS 0, PENDING 0, LEAST-READY 100%, REFUSED 3, NODE-HOURS 0
  WORST-DOWN: the longest that a workload had no ready replica, its outages together
  MOVED-AGAIN counts pods that moved more than once

Only rolling is safe: in 1h30m, with 0 warnings.
That is with seed 0 alone, and others may differ: upsim compare shop.yaml runs many.
`
	if got := several(t, TableOptions{}, one, two); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	// What a bad version reached is a column only where it reached something.
	bad := two
	bad.Blast = 3
	if out := several(t, TableOptions{}, one, bad); !strings.Contains(out, "BLAST") || !strings.Contains(out, "BLAST counts pods that a bad version reached, until a gate failed") {
		t.Errorf("got\n%s", out)
	}

	// A run that was cut off has no verdict, whatever it has found.
	out := several(t, TableOptions{}, one, Line{Strategy: "surge", Scenario: "shop", Verdict: sim.Safe, CutOff: true, Makespan: 3})
	if rows := strings.Split(out, "\n"); !strings.HasPrefix(rows[4], "  surge     cut off ") || !strings.Contains(out, "Only rolling is safe") {
		t.Errorf("got\n%s", out)
	}

	// The scenario is a column where there are several, in the order of the runs.
	two.Scenario = "bank"
	rows := strings.Split(several(t, TableOptions{}, one, two), "\n")
	if !strings.HasPrefix(rows[2], "  SCENARIO  STRATEGY") || !strings.HasPrefix(rows[3], "  shop      rolling") || !strings.HasPrefix(rows[4], "  bank      surge") {
		t.Errorf("got\n%s", strings.Join(rows, "\n"))
	}
}

// A plan that was refused has no figures: neither a time nor a count that would look like a good one.
func TestSeveralOfARunThatDidNotStart(t *testing.T) {
	refused := LineOf(abortedAtStart())
	ran := LineOf(safe())
	ran.Evictions = 9
	out := several(t, TableOptions{}, refused, ran)
	const want = `
All 2 results:
  STRATEGY  VERDICT  MAKESPAN  ERRORS
  rolling   aborted         -       1
  rolling   safe     1h12m15s       0
  equal in all that have it: WARNINGS 0, WORST-DOWN 0, PENDING 50ms, LEAST-READY 66%, MOVED-AGAIN 0, EVICTIONS 9, REFUSED 0, EXTRA-NODES 0, NODE-HOURS 0

Only rolling is safe: in 1h12m15s, with 0 warnings.
That is with seed 1 alone, and others may differ: upsim compare shop.yaml runs many.
`
	if out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	// Beside runs that differ, its cells are dashes.
	other := ran
	other.Evictions = 12
	if out = several(t, TableOptions{}, refused, ran, other); !strings.Contains(out, "  rolling   aborted         -       1          -\n") {
		t.Errorf("got\n%s", out)
	}
	// Alone with its like it has nothing to compare.
	if out = several(t, TableOptions{}, refused, refused); strings.Contains(out, "EVICTIONS") || !strings.Contains(out, "None of the 2 is safe.\n") {
		t.Errorf("got\n%s", out)
	}
}

// However much differs, no line is longer than 100 columns, or than the terminal; no figure is lost.
func TestSeveralStaysWithinItsWidth(t *testing.T) {
	one := Line{Scenario: "shop", Strategy: "three-at-once", Verdict: sim.Violated, Makespan: 5400}
	two := Line{Scenario: "bank", Strategy: "surge", Verdict: sim.Safe, Makespan: 93784, Errors: 1, Warnings: 2, WorstDowntime: 5461,
		Pending: 5462, Evictions: 123456, Refused: 7, MovedAgain: 8, ExtraNodes: 12}
	for _, width := range []int{0, 120, 80, 60} {
		out := several(t, TableOptions{Width: width}, one, two)
		most := width
		if width == 0 {
			most = comparedColumns
		}
		for _, line := range strings.Split(out, "\n") {
			if cells(line) > most {
				t.Errorf("%d columns in a width of %d: %s", cells(line), width, line)
			}
		}
		for _, want := range []string{"ERRORS", "WARNINGS", "WORST-DOWN", "PENDING", "MOVED-AGAIN", "EVICTIONS", "REFUSED", "EXTRA-NODES", "1h31m1s", "1h31m2s", "123456"} {
			if !strings.Contains(out, want) {
				t.Errorf("width %d: no %s in\n%s", width, want, out)
			}
		}
	}
}

func TestWhichAreSafe(t *testing.T) {
	line := func(name string, v sim.Verdict, makespan sim.Seconds, warnings int) Line {
		return Line{Scenario: "shop", Strategy: name, Verdict: v, Makespan: makespan, Warnings: warnings}
	}
	part := func(l Line) Line { l.Partial = true; return l }
	bad := line("bad", sim.Violated, 1, 0)
	for want, list := range map[string][]Line{
		"None of the 2 is safe.":                 {bad, bad},
		"Only a is safe: in 1m, with 1 warning.": {line("a", sim.Safe, 60, 1), bad},
		"2 of 3 are safe: a and b. The fastest of these is b, in 30s; a has the fewest warnings, 0.":               {line("a", sim.Safe, 60, 0), bad, line("b", sim.Safe, 30, 2)},
		"All 3 are safe. The fastest of these are b and c, in 30s each; a and c have the fewest warnings, 1 each.": {line("a", sim.Safe, 60, 1), line("b", sim.Safe, 30, 2), line("c", sim.Safe, 30, 1)},
		"All 2 are safe. Each of these takes 1m; each has 2 warnings.":                                             {line("a", sim.Safe, 60, 2), line("b", sim.Safe, 60, 2)},
		// What leaves nodes behind is done sooner, and no faster.
		"All 3 are safe. c leaves nodes behind. The fastest of the others is b, in 30s; each has 1 warning.": {line("a", sim.Safe, 60, 1), line("b", sim.Safe, 30, 1), part(line("c", sim.Safe, 10, 0))},
		"All 2 are safe. b leaves nodes behind.":                {line("a", sim.Safe, 60, 1), part(line("b", sim.Safe, 30, 1))},
		"2 of 3 are safe: a and b. a and b leave nodes behind.": {part(line("a", sim.Safe, 60, 1)), part(line("b", sim.Safe, 30, 1)), bad},
	} {
		if got := newPage(TableOptions{}).whichAreSafe(list); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	many := []Line{bad}
	for _, name := range strings.Fields("a b c d e f g") {
		many = append(many, line(name, sim.Safe, 60, 0))
	}
	many[1].Scenario = "bank"
	if got := newPage(TableOptions{}).whichAreSafe(many); got != "7 of 8 are safe: bank (a), shop (b), shop (c), shop (d), shop (e) and 2 more." {
		t.Errorf("got %s", got)
	}
}

func TestLineOf(t *testing.T) {
	want := Line{Scenario: "shop-1.33-to-1.34", Strategy: "rolling", Seed: 1, Verdict: sim.Violated, Partial: true, Makespan: 4334.5, Errors: 5, Warnings: 1,
		WorstDowntime: 42, Pending: 61, Evictions: 9, Refused: 60, MovedAgain: 1, Missing: 1, ExtraNodes: 2, NodeHours: 1.25}
	if got := LineOf(violated()); got != want {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if l := LineOf(stuck()); l.Errors != 2 || l.NotStarted {
		t.Errorf("an incomplete upgrade is counted beside its causes, or a stuck one has not started: %+v", l)
	}
	if l := LineOf(unfinished()); !l.CutOff {
		t.Errorf("not cut off: %+v", l)
	}
	if l := LineOf(abortedByGate()); l.NotStarted {
		t.Errorf("a gate stops what has started: %+v", l)
	}
}
