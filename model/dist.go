package model

import (
	"math"
	"slices"
	"sort"
	"time"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// DistKind is the family of a distribution of times.
type DistKind string

// The families of distributions that a time can have.
const (
	Constant    DistKind = "constant"
	Uniform     DistKind = "uniform"
	Exponential DistKind = "exponential"
	Normal      DistKind = "normal"
	LogNormal   DistKind = "lognormal"
	Triangular  DistKind = "triangular"
	Empirical   DistKind = "empirical"
)

// Dist is a time that is constant or drawn. Which fields count depends on Kind:
// constant Value; uniform Min, Max; exponential Mean; normal Mean, StdDev
// (redrawn below 0); lognormal P50, P99; triangular Min, Mode, Max; empirical Values.
type Dist struct {
	Kind           DistKind
	Value          time.Duration
	Min, Mode, Max time.Duration
	Mean, StdDev   time.Duration
	P50, P99       time.Duration
	Values         []time.Duration // sorted
}

// Equal reports whether both are the same distribution with the same parameters.
func (d Dist) Equal(o Dist) bool {
	return d.Kind == o.Kind && d.Value == o.Value && d.Min == o.Min && d.Mode == o.Mode && d.Max == o.Max &&
		d.Mean == o.Mean && d.StdDev == o.StdDev && d.P50 == o.P50 && d.P99 == o.P99 && slices.Equal(d.Values, o.Values)
}

// Const is the distribution that always gives d.
func Const(d time.Duration) Dist { return Dist{Kind: Constant, Value: d} }

// LogNormalDist is the lognormal distribution through two quantiles.
func LogNormalDist(p50, p99 time.Duration) Dist { return Dist{Kind: LogNormal, P50: p50, P99: p99} }

// EmpiricalDist draws one of the values, each as likely as the others.
func EmpiricalDist(values ...time.Duration) Dist {
	v := append([]time.Duration(nil), values...)
	sort.Slice(v, func(i, j int) bool { return v[i] < v[j] })
	return Dist{Kind: Empirical, Values: v}
}

// z99 is the standard normal quantile at 0.99.
var z99 = distuv.UnitNormal.Quantile(0.99)

// longest bounds every drawn time, so that the clock cannot overflow.
const longest = 10 * 365 * 24 * time.Hour

// Quantile maps u in (0,1) to a time: the inverse of the distribution function.
// A uniform u makes it a draw, a fixed u the quantile. The result is never
// negative and at most ten years.
func (d Dist) Quantile(u float64) time.Duration { return d.Inverse()(u) }

// Inverse is Quantile as a function, for many draws: what it needs of the distribution is worked out once.
func (d Dist) Inverse() func(u float64) time.Duration {
	switch d.Kind {
	case Uniform:
		least, span := float64(d.Min), float64(d.Max-d.Min)
		return func(u float64) time.Duration { return clampDuration(least + float64(u*span)) }
	case Exponential:
		if d.Mean == 0 {
			return always(0)
		}
		e := distuv.Exponential{Rate: 1 / float64(d.Mean)}
		return func(u float64) time.Duration { return clampDuration(e.Quantile(u)) }
	case Normal:
		if d.StdDev == 0 {
			return always(clampDuration(float64(d.Mean)))
		}
		// Redrawing below zero is the distribution cut off there.
		n := distuv.Normal{Mu: float64(d.Mean), Sigma: float64(d.StdDev)}
		below := n.CDF(0)
		return func(u float64) time.Duration { return clampDuration(n.Quantile(below + float64(u*(1-below)))) }
	case LogNormal:
		if d.P50 == 0 {
			return always(0)
		}
		median, sigma := float64(d.P50), math.Log(float64(d.P99)/float64(d.P50))/z99
		return func(u float64) time.Duration {
			return clampDuration(median * math.Exp(sigma*mathext.NormalQuantile(u)))
		}
	case Triangular:
		if d.Min == d.Max {
			return always(clampDuration(float64(d.Min)))
		}
		t := distuv.NewTriangle(float64(d.Min), float64(d.Max), float64(d.Mode), nil)
		return func(u float64) time.Duration { return clampDuration(t.Quantile(u)) }
	case Empirical:
		return func(u float64) time.Duration { return d.Values[min(int(u*float64(len(d.Values))), len(d.Values)-1)] }
	}
	return always(d.Value)
}

func always(t time.Duration) func(float64) time.Duration {
	return func(float64) time.Duration { return t }
}

func clampDuration(x float64) time.Duration {
	if !(x > 0) {
		return 0
	}
	return time.Duration(min(x, float64(longest)))
}

// Least is the shortest time that can be drawn, 0 where times close to none can.
func (d Dist) Least() time.Duration {
	switch {
	case d.Kind == Constant || d.Kind == "":
		return d.Value
	case d.Kind == Uniform || d.Kind == Triangular:
		return d.Min
	case d.Kind == Empirical:
		return d.Values[0]
	case d.Kind == Normal && d.StdDev == 0:
		return clampDuration(float64(d.Mean))
	}
	return 0
}
