package calibrate

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"upsim/model"
)

// The fewest times that say anything: a pair of equal ones, which is marked as
// such; equal ones, different ones, those of a latency of milliseconds, and those
// of a lognormal, whose 99th percentile is read off its form.
const (
	Pair            = 2
	FewestEqual     = 3
	FewestDifferent = 5
	FewestLatencies = 10
	FewestLognormal = 10
)

// alike is the spread within which times count as one constant, relative to
// their median: a tenth either way, half of what run --sensitivity varies.
const alike = 0.2

// pairAlike is the same for a pair, whose clock must be as fine too: a third time does not tell that they are right.
const pairAlike = 0.05

// agree tells that sorted times count as one constant.
func agree(times []time.Duration, resolution time.Duration) bool {
	n := len(times)
	return float64(times[n-1]-times[0]) <= max(float64(resolution), alike*float64(times[n/2]))
}

// pairAgrees tells that two times are good enough for a constant.
func pairAgrees(times []time.Duration, resolution time.Duration) bool {
	return len(times) == Pair && float64(max(times[1]-times[0], resolution)) <= pairAlike*float64(times[0])
}

// mostValues bounds an empirical distribution in a scenario; of more times each value is the mean of an equal share.
const mostValues = 20

// Fit is the distribution that was found for some times.
type Fit struct {
	model.Dist
	// D is the Kolmogorov-Smirnov distance between the times and the nearest lognormal, and
	// Bound the largest with which it passes; both 0 where none was tried.
	// An empirical distribution with a D is one that no lognormal fits.
	D, Bound float64
}

// fit finds the distribution of sorted times, which a clock of that resolution
// measured: a constant where they agree, else a lognormal where it passes, else the times themselves.
// False means that they are too few.
func fit(times []time.Duration, resolution time.Duration) (Fit, bool) {
	n := len(times)
	if n < FewestEqual && !pairAgrees(times, resolution) {
		return Fit{}, false
	}
	x := make([]float64, n)
	for i, t := range times {
		x[i] = float64(t)
	}
	if agree(times, resolution) {
		return Fit{Dist: model.Const(rounded(stat.Mean(x, nil), resolution))}, true
	}
	if n < FewestDifferent {
		return Fit{}, false
	}
	var f Fit
	if n >= FewestLognormal {
		for i := range x {
			x[i] = math.Round(x[i] / float64(resolution))
		}
		l := fitLognormal(x)
		f.D, f.Bound = l.distance(x), passes(n)
		if f.D <= f.Bound {
			p50, p99 := l.quantiles()
			f.Dist = model.LogNormalDist(max(resolution/10, rounded(p50*float64(resolution), resolution)), rounded(p99*float64(resolution), resolution))
			return f, true
		}
	}
	f.Dist = empirical(times, resolution)
	return f, true
}

// goodEnough is a distance that no scenario notices, however many times there are.
const goodEnough = 0.05

// passes is the largest Kolmogorov-Smirnov distance at which n times still pass
// for a lognormal whose parameters were taken from them, at 5 %: Stephens' form
// of Lilliefors' bound (EDF Statistics for Goodness of Fit, JASA 69, 1974, table 1A, case 3).
func passes(n int) float64 {
	root := math.Sqrt(float64(n))
	return max(goodEnough, 0.895/(root-0.01+0.85/root))
}

// empirical has the times themselves, or the means of equal shares, which keep the mean of all.
func empirical(times []time.Duration, resolution time.Duration) model.Dist {
	m := min(len(times), mostValues)
	values := make([]time.Duration, m)
	for i := range m {
		share := times[i*len(times)/m : (i+1)*len(times)/m]
		sum := 0.0
		for _, t := range share {
			sum += float64(t)
		}
		values[i] = rounded(sum/float64(len(share)), resolution)
	}
	return model.EmpiricalDist(values...)
}

// rounded has three significant digits and no more than a tenth of the clock's step, since no measurement has more.
func rounded(x float64, resolution time.Duration) time.Duration {
	if x < 1 {
		return 0
	}
	step := max(math.Pow(10, math.Floor(math.Log10(x))-2), float64(resolution)/10)
	return max(time.Microsecond, time.Duration(math.Round(x/step)*step)).Round(time.Microsecond)
}

// differ reports whether the times of one subject are others than those of the
// rest: their quantiles differ by more than can be told apart, and chance does
// not explain it. That is a two-sample Kolmogorov-Smirnov distance beyond its 1 % bound, or times
// that agree with each other and have none of the rest between them, or are five or more.
func differ(own, rest []time.Duration, resolution time.Duration) bool {
	n, m := len(own), len(rest)
	if m == 0 {
		return false
	}
	if n < FewestEqual {
		return beyond(own, rest, resolution)
	}
	apart := false
	for _, q := range []float64{0.05, 0.5, 0.95} {
		a, b := own[int(q*float64(n-1))], rest[int(q*float64(m-1))]
		apart = apart || math.Abs(float64(a-b)) > max(float64(resolution), alike/2*float64(min(a, b)))
	}
	if !apart {
		return false
	}
	lo, _ := slices.BinarySearch(rest, own[0])
	hi, _ := slices.BinarySearch(rest, own[n-1]+1)
	if agree(own, resolution) && (lo == hi || n >= FewestDifferent) {
		return true
	}
	// 1.63: the 1 % point of Kolmogorov's limiting distribution.
	d := stat.KolmogorovSmirnov(floats(own), nil, floats(rest), nil)
	return d > 1.63*math.Sqrt(float64(n+m)/(float64(n)*float64(m)))
}

// beyond reports whether one or two times are not of the rest, though they may be
// too few to say more: they lie beyond all of it, and two agree, or the rest does.
func beyond(own, rest []time.Duration, resolution time.Duration) bool {
	n, m := len(own), len(rest)
	if m < FewestEqual || !agree(rest, resolution) && (n < Pair || !agree(own, resolution)) {
		return false
	}
	gap := max(own[0]-rest[m-1], rest[0]-own[n-1])
	return float64(gap) > max(float64(resolution), alike/2*float64(min(own[0], rest[0])))
}

func floats(times []time.Duration) []float64 {
	x := make([]float64, len(times))
	for i, t := range times {
		x[i] = float64(t)
	}
	return x
}
