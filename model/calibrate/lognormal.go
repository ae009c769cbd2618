package calibrate

import (
	"math"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// lognormal is fitted to times in steps of the clock. Each is the difference of
// two instants that were cut off to whole steps, so that a true time x shows as
// the whole number below it or the one above. Where steps is false the clock is so fine that this is nothing.
type lognormal struct {
	mu, sigma float64
	steps     bool
}

// fineClock is the median in steps from which cutting off is taken for nothing.
const fineClock = 1000

// fitLognormal is the lognormal of greatest likelihood for sorted times in steps.
func fitLognormal(x []float64) lognormal {
	logs := make([]float64, len(x))
	for i := range x {
		logs[i] = math.Log(max(x[i], 0.5))
	}
	l := lognormal{steps: x[len(x)/2] < fineClock}
	l.mu, l.sigma = stat.PopMeanStdDev(logs, nil)
	l.sigma = max(l.sigma, 1e-3)
	if !l.steps {
		return l
	}
	counts := map[float64]float64{}
	var order []float64
	for _, k := range x {
		if counts[k] == 0 {
			order = append(order, k)
		}
		counts[k]++
	}
	problem := optimize.Problem{Func: func(p []float64) float64 {
		try, sum := lognormal{p[0], math.Exp(p[1]), true}, 0.0
		for _, k := range order {
			sum -= counts[k] * math.Log(max(try.shows(k), 1e-12))
		}
		return sum
	}}
	best, err := optimize.Minimize(problem, []float64{l.mu, math.Log(l.sigma)}, nil, &optimize.NelderMead{})
	if err == nil && len(best.X) == 2 && !math.IsNaN(best.F) {
		l.mu, l.sigma = best.X[0], math.Exp(best.X[1])
	}
	return l
}

// below is the integral of the distribution function up to x.
func (l lognormal) below(x float64) float64 {
	if x <= 0 {
		return 0
	}
	z := (math.Log(x) - l.mu) / l.sigma
	return float64(x*distuv.UnitNormal.CDF(z)) - float64(math.Exp(l.mu+l.sigma*l.sigma/2)*distuv.UnitNormal.CDF(z-l.sigma))
}

// shows is the probability that a time shows as k whole steps, whatever the
// phase of the clock: the mean over u in [0,1) of F(k+1-u) - F(k-u).
func (l lognormal) shows(k float64) float64 { return l.below(k+1) - 2*l.below(k) + l.below(k-1) }

// shown is the probability that a time shows as k steps or less.
func (l lognormal) shown(k float64) float64 {
	if l.steps {
		return l.below(k+1) - l.below(k)
	}
	return distuv.LogNormal{Mu: l.mu, Sigma: l.sigma}.CDF(k)
}

// distance is the Kolmogorov-Smirnov distance between sorted times and what the lognormal would show.
func (l lognormal) distance(x []float64) float64 {
	n, d := float64(len(x)), 0.0
	for i := 0; i < len(x); {
		before := float64(i) / n
		k := x[i]
		for i < len(x) && x[i] == k {
			i++
		}
		last := k // the last instant at which fewer have come
		if l.steps {
			last--
		}
		d = max(d, math.Abs(l.shown(k)-float64(i)/n), math.Abs(l.shown(last)-before))
	}
	return d
}

// quantiles are the median and the 99th percentile, in steps.
func (l lognormal) quantiles() (p50, p99 float64) {
	return math.Exp(l.mu), math.Exp(l.mu + float64(l.sigma*distuv.UnitNormal.Quantile(0.99)))
}
