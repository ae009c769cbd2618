package montecarlo

import "math"

// Difference is how much more of a figure one upgrade has than another, from pairs of runs with the same seed. Since chance
// strikes both runs of a pair alike (common random numbers), it shows with fewer runs than from two unrelated samples.
type Difference struct {
	// N is the number of pairs, Mean the mean of their differences.
	N    int
	Mean float64
	// Half is half the width of the mean's interval; NaN where there are fewer than two pairs.
	Half float64
}

// Told reports whether the interval leaves 0 out: otherwise the runs do not tell whether there is a difference.
func (d Difference) Told() bool { return d.N > 1 && math.Abs(d.Mean) > d.Half }

// Compare is the paired-t interval of a figure of one sample less that of another (Law, Simulation Modeling and Analysis,
// §10.2.1, with common random numbers, §11.2). Of several such intervals, all hold together with Confidence: each one takes its
// share of the error (Bonferroni, §10.4). Pairs in which one of the two did not reach its end are left out.
func Compare(a, b *Sample, f Figure, intervals int) Difference {
	return comparePairs(a.Runs, b.Runs, f, intervals, (*Run).Ended)
}

// comparePairs is the interval from the pairs of which both runs count.
func comparePairs(a, b []Run, f Figure, intervals int, counts func(*Run) bool) Difference {
	var differences []float64
	for i := range min(len(a), len(b)) {
		if counts(&a[i]) && counts(&b[i]) {
			differences = append(differences, a[i].Figures[f]-b[i].Figures[f])
		}
	}
	if len(differences) == 0 {
		return Difference{Half: math.NaN()}
	}
	mean, half := meanInterval(differences, 1-(1-Confidence)/float64(max(1, intervals)))
	return Difference{len(differences), mean, half}
}
