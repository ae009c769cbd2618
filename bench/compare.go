package bench

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"upsim/sim"
)

// rounding lets numbers agree that differ only by floating-point rounding.
const rounding = 1e-9

// Compare holds runs of a recording's scenario, one per seed, against the
// recording by the rules that README.md states in words. It
// returns a sentence for each figure that is off; none means that they agree.
func Compare(r *Recording, runs []*sim.Result) []string {
	if len(runs) == 0 {
		return []string{"there are no runs to compare"}
	}
	want := recordedOutcome(r.Record.Summary)
	got := make([]outcome, len(runs))
	for i, run := range runs {
		var err error
		if got[i], err = simulatedOutcome(run, r.Record.Summary); err != nil {
			return []string{fmt.Sprintf("seed %d: %v", run.Seed, err)}
		}
	}
	var off []string
	for i, f := range want.figures {
		if r.tie() && !tolerances[f.kind].tie {
			continue
		}
		values := make([]float64, len(got))
		for k := range got {
			values[k] = got[k].figures[i].value
		}
		if s := compareFigure(f, values, r.Record.Exact, r.tie()); s != "" {
			off = append(off, s)
		}
	}
	off = append(off, compareDrains(want.drains, got)...)
	return append(off, compareVersions(want.versions, got, r.Record.Exact)...)
}

// compareFigure says how one recorded figure lies outside of the simulated
// values, or "". A tie leaves the median out.
func compareFigure(f figure, values []float64, exact, tie bool) string {
	t := tolerances[f.kind]
	lo, hi, mid := quantile(values, 0.01), quantile(values, 0.99), quantile(values, 0.5)
	tol := max(t.absolute, t.relative*max(math.Abs(f.value), math.Abs(mid)))
	if exact {
		if t.count {
			tol = 0
		}
		if math.Abs(mid-f.value) > tol+rounding {
			return fmt.Sprintf("%s: recorded %.6g, simulated median %.6g (tolerance %.3g)", f.name, f.value, mid, tol)
		}
		return ""
	}
	if f.value < lo-tol-rounding || f.value > hi+tol+rounding {
		return fmt.Sprintf("%s: recorded %.6g, simulated %.6g … %.6g (tolerance %.3g)", f.name, f.value, lo, hi, tol)
	}
	if t.median && !tie && math.Abs(mid-f.value) > 3*tol+rounding {
		return fmt.Sprintf("%s: recorded %.6g, simulated median %.6g (three tolerances: %.3g)", f.name, f.value, mid, 3*tol)
	}
	return ""
}

// compareDrains holds the most frequent end of each node's drain against the recorded one.
func compareDrains(want map[string]string, got []outcome) []string {
	var wrong []string
	for _, node := range slices.Sorted(maps.Keys(want)) {
		ends := make([]string, len(got))
		for i := range got {
			ends[i] = got[i].drains[node]
		}
		end := mostFrequent(ends)
		if want[node] == "drained" {
			if end != "drained" {
				wrong = append(wrong, fmt.Sprintf("drain of %s: recorded done, simulated mostly %s", node, end))
			}
		} else if end != "timedOut" && end != "refused" && end != "failed" {
			wrong = append(wrong, fmt.Sprintf("drain of %s: recorded not done, simulated mostly %s", node, end))
		}
	}
	allowed := 0
	if len(want) >= manyDrains {
		allowed = 1
	}
	if len(wrong) > allowed {
		return wrong
	}
	return nil
}

// mostFrequent is the most frequent word; of equally frequent ones the first met.
func mostFrequent(words []string) string {
	count := map[string]int{}
	for _, w := range words {
		count[w]++
	}
	best := words[0]
	for _, w := range words {
		if count[w] > count[best] {
			best = w
		}
	}
	return best
}

// compareVersions wants the recorded versions at the end of enough of the runs.
func compareVersions(want map[string]int, got []outcome, exact bool) []string {
	same := 0
	for i := range got {
		if maps.Equal(got[i].versions, want) {
			same++
		}
	}
	need := versionsShare
	if exact {
		need = versionsShareExact
	}
	if float64(same)/float64(len(got)) >= need {
		return nil
	}
	return []string{fmt.Sprintf("finalVersions: recorded %v, in %d %% of runs", want, 100*same/len(got))}
}
