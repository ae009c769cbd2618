package montecarlo

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is that of every interval.
const Confidence = 0.95

// Interval is one of Confidence; an end that the runs do not tell is infinite.
type Interval struct{ Low, High float64 }

// Summary describes a figure over several runs.
type Summary struct {
	N int
	// P5, P50 and P95 are values that a run had: the smallest that so many percent of the runs do not exceed.
	P5, P50, P95 float64
	// Intervals of the percentiles, from order statistics: see percentileInterval.
	P5Interval, P50Interval, P95Interval Interval
	Min, Max, Mean                       float64
	// MeanHalf is half the width of the mean's interval, Student's t; NaN for a single run.
	MeanHalf float64
	sorted   []float64
}

// Summarize describes values. Equal values give equal bytes, whatever their order.
func Summarize(values []float64) Summary {
	s := Summary{N: len(values), sorted: slices.Clone(values), MeanHalf: math.NaN()}
	if s.N == 0 {
		return s
	}
	slices.Sort(s.sorted)
	s.Min, s.Max = s.sorted[0], s.sorted[s.N-1]
	s.P5, s.P50, s.P95 = s.quantile(0.05), s.quantile(0.5), s.quantile(0.95)
	s.P5Interval, s.P50Interval, s.P95Interval = s.percentileInterval(0.05), s.percentileInterval(0.5), s.percentileInterval(0.95)
	s.Mean, s.MeanHalf = meanInterval(s.sorted, Confidence)
	return s
}

// MeanInterval is that of the mean. Of one run nothing is known.
func (s *Summary) MeanInterval() Interval {
	if math.IsNaN(s.MeanHalf) {
		return Interval{math.Inf(-1), math.Inf(1)}
	}
	return Interval{s.Mean - s.MeanHalf, s.Mean + s.MeanHalf}
}

// quantile is the nearest-rank quantile: the value of rank ⌈p·n⌉.
func (s *Summary) quantile(p float64) float64 {
	rank := int(math.Ceil(float64(p*float64(s.N)) - 1e-9)) // 0.05*20 is a little more than 1
	return s.sorted[min(max(rank, 1), s.N)-1]
}

// percentileInterval lies between two of the sorted values, whatever the distribution: the number of values below the
// p-quantile is binomial, and of the ranks that leave at most 2.5 % to each side it takes the innermost (Conover, Practical
// Nonparametric Statistics, §3.2; Hahn and Meeker, Statistical Intervals, §5.2). Where the runs are too few for an end, there is none.
func (s *Summary) percentileInterval(p float64) Interval {
	out := Interval{math.Inf(-1), math.Inf(1)}
	if s.sorted[0] == s.sorted[s.N-1] && s.N > 1 { // nothing varies, as far as the runs tell
		return Interval{s.sorted[0], s.sorted[0]}
	}
	const tail = (1 - Confidence) / 2
	below := distuv.Binomial{N: float64(s.N), P: p}
	// The quantile is at least the value of rank r with the probability that r or more values are below it.
	if r := lastRank(s.N, func(r int) bool { return below.CDF(float64(r-1)) <= tail }); r >= 1 {
		out.Low = s.sorted[r-1]
	}
	// And at most that of rank r if fewer than r are.
	if r := lastRank(s.N, func(r int) bool { return below.CDF(float64(r-1)) < 1-tail }) + 1; r <= s.N {
		out.High = s.sorted[r-1]
	}
	return out
}

// lastRank is the largest rank from 1 to n for which ok holds, which it does up to some rank; 0 where there is none.
func lastRank(n int, ok func(int) bool) int {
	low, high := 0, n
	for low < high {
		if mid := (low + high + 1) / 2; ok(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// meanInterval is the mean with half the width of its interval by Student's t, which holds for the mean of a figure that is not
// too skewed (Law, Simulation Modeling and Analysis, §4.5). One value has none; equal ones have a width of 0.
func meanInterval(values []float64, confidence float64) (mean, half float64) {
	n := float64(len(values))
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean = sum / n
	if len(values) < 2 {
		return mean, math.NaN()
	}
	if slices.Min(values) == slices.Max(values) {
		return values[0], 0
	}
	squares := 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean)) // the conversion keeps the product from being fused
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - (1-confidence)/2)
	return mean, float64(t * math.Sqrt(squares/(n-1)/n))
}

// Wilson is the interval of a probability of which k of n runs speak (Wilson, JASA 22, 1927): unlike mean ± deviation it does
// not end at 0 or 1 where all runs agree. Of no run nothing is known.
func Wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	z := distuv.UnitNormal.Quantile(1 - (1-Confidence)/2)
	z2, N := float64(z*z), float64(n)
	p := float64(k) / N
	centre := (p + z2/(2*N)) / (1 + z2/N)
	half := z / (1 + z2/N) * math.Sqrt(p*(1-p)/N+z2/(4*N*N))
	low, high = max(0, centre-half), min(1, centre+half)
	if k == 0 {
		low = 0
	}
	if k == n {
		high = 1
	}
	return low, high
}

// signTest is the probability that, of n fair coins, at most k or at least n-k show heads.
func signTest(k, n int) float64 {
	if n == 0 {
		return 1
	}
	return min(1, 2*distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(k)))
}
