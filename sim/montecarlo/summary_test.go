package montecarlo

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if !(math.Abs(got-want) <= by) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Newcombe, Statistics in Medicine 17 (1998), table I: the score method without a correction.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {20, 20, 0.8389, 1}} {
		low, high := Wilson(c.k, c.n)
		near(t, "low", low, c.low, 5e-5)
		near(t, "high", high, c.high, 5e-5)
	}
	if low, high := Wilson(0, 0); low != 0 || high != 1 {
		t.Errorf("of no run something is known: %v to %v", low, high)
	}
}

// Law, Simulation Modeling and Analysis, §4.5: ten observations, 1.34 ± 0.24 with 90 %.
func TestMeanInterval(t *testing.T) {
	mean, half := meanInterval([]float64{1.20, 1.50, 1.68, 1.89, 0.95, 1.49, 1.58, 1.55, 0.50, 1.09}, 0.90)
	near(t, "mean", mean, 1.34, 0.005)
	near(t, "half", half, 0.24, 0.005)
}

// The ranks that tables of order statistics give for the median (Conover, table A3): of 10 values the 2nd and the 9th, of 20 the
// 6th and the 15th, of 100 the 40th and the 61st. Of five no two are far enough apart, and the 95th percentile has an upper
// end from 72 values on, since 0.95^72 < 0.025 < 0.95^71.
func TestPercentileInterval(t *testing.T) {
	of := func(n int) Summary {
		var values []float64
		for i := range n {
			values = append(values, float64(n-i))
		}
		return Summarize(values)
	}
	for n, want := range map[int]Interval{5: {math.Inf(-1), math.Inf(1)}, 10: {2, 9}, 20: {6, 15}, 100: {40, 61}} {
		if got := of(n).P50Interval; got != want {
			t.Errorf("median of %d: %v, want %v", n, got, want)
		}
	}
	if got := of(71).P95Interval; !math.IsInf(got.High, 1) {
		t.Errorf("71 values bound the 95th percentile: %v", got)
	}
	if got := of(72).P95Interval; got.High != 72 {
		t.Errorf("72 values do not bound the 95th percentile: %v", got)
	}
	if got := of(72).P5Interval; got.Low != 1 {
		t.Errorf("the 5th percentile is not the mirror of the 95th: %v", got)
	}
}

func TestSummarize(t *testing.T) {
	values := []float64{9, 1, 7, 3, 5, 2, 8, 4, 10, 6, 20, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	s := Summarize(values)
	sorted := slices.Sorted(slices.Values(values))
	for p, got := range map[float64]float64{0.05: s.P5, 0.5: s.P50, 0.95: s.P95} {
		if want := stat.Quantile(p, stat.Empirical, sorted, nil); got != want {
			t.Errorf("quantile %v: %v, want %v", p, got, want)
		}
	}
	if s.P5 != 1 || s.P50 != 10 || s.P95 != 19 || s.Min != 1 || s.Max != 20 || s.Mean != 10.5 || s.N != 20 {
		t.Errorf("%+v", s)
	}
	slices.Reverse(values)
	if again := Summarize(values); again.Mean != s.Mean || again.MeanHalf != s.MeanHalf {
		t.Error("the order of the values counts")
	}
}

// No spread, one value and none at all: nothing is divided by nothing.
func TestSummarizeOfEqualValues(t *testing.T) {
	if s := Summarize([]float64{0.1, 0.1, 0.1}); s.Mean != 0.1 || s.MeanHalf != 0 || s.P95Interval != (Interval{0.1, 0.1}) || s.MeanInterval() != (Interval{0.1, 0.1}) {
		t.Errorf("three equal values: %+v", s)
	}
	one := Summarize([]float64{42})
	if one.Mean != 42 || one.P5 != 42 || one.P95 != 42 || one.N != 1 || !math.IsInf(one.MeanInterval().High, 1) || !math.IsInf(one.P50Interval.Low, -1) {
		t.Errorf("one value: %+v", one)
	}
	if none := Summarize(nil); none.N != 0 || none.Mean != 0 || !math.IsInf(none.MeanInterval().Low, -1) {
		t.Errorf("no value: %+v", none)
	}
}

func TestSignTest(t *testing.T) {
	near(t, "0 of 0", signTest(0, 0), 1, 0)
	near(t, "0 of 6", signTest(0, 6), 2.0/64, 1e-12)
	near(t, "1 of 6", signTest(1, 6), 14.0/64, 1e-12)
	near(t, "3 of 6", signTest(3, 6), 1, 0)
}
