package calibrate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"upsim/model"
)

// drawn are n lognormal times as a clock of that resolution shows them: the difference of two instants that are cut off.
func drawn(seed uint64, n int, p50, p99, resolution time.Duration) []time.Duration {
	rnd := rand.New(rand.NewPCG(seed, 1))
	l := model.LogNormalDist(p50, p99)
	out := make([]time.Duration, n)
	for i := range out {
		phase := time.Duration(rnd.Int64N(int64(resolution)))
		out[i] = (phase + l.Quantile(rnd.Float64())).Truncate(resolution)
	}
	slices.Sort(out)
	return out
}

// The fit of times drawn from a known lognormal has its parameters within four
// standard errors: sigma/sqrt(n) of the log of the median, sigma*sqrt(1/n + z²/2n) of
// that of the 99th percentile (z its normal quantile), with the variance that a coarse clock
// adds, 1/6 of its step squared. By chance one in 16,000 would be farther off; the seeds are fixed.
func TestFitRecoversLognormals(t *testing.T) {
	for _, tc := range []struct {
		n                    int
		p50, p99, resolution time.Duration
	}{
		{1000, 20 * time.Second, 90 * time.Second, time.Second},
		{300, 20 * time.Second, 90 * time.Second, time.Millisecond},
		{500, 3 * time.Second, 9 * time.Second, time.Second},
		{400, 1500 * time.Millisecond, 8 * time.Second, time.Second},
		{200, 8 * time.Millisecond, 40 * time.Millisecond, time.Millisecond},
		{60, 5 * time.Minute, 9 * time.Minute, time.Second},
		{5000, 10 * time.Second, 60 * time.Second, time.Second},
	} {
		for seed := range uint64(5) {
			f, ok := fit(drawn(seed, tc.n, tc.p50, tc.p99, tc.resolution), tc.resolution)
			if !ok || f.D <= 0 || f.Bound <= 0 {
				t.Fatalf("%+v: %+v, %v", tc, f, ok)
			}
			if f.Kind != model.LogNormal {
				t.Logf("%+v seed %d: rejected, D %.3f of %.3f", tc, seed, f.D, f.Bound)
				continue
			}
			z := distuv.UnitNormal.Quantile(0.99)
			sigma := math.Log(float64(tc.p99)/float64(tc.p50)) / z
			step := float64(tc.resolution) / float64(tc.p50)
			se := math.Sqrt((sigma*sigma + step*step/6) / float64(tc.n))
			if off := math.Abs(math.Log(float64(f.P50) / float64(tc.p50))); off > 4*se+0.05*step {
				t.Errorf("%+v seed %d: p50 %v, %.1f standard errors off", tc, seed, f.P50, off/se)
			}
			se99 := se * math.Sqrt(1+z*z/2)
			if off := math.Abs(math.Log(float64(f.P99) / float64(tc.p99))); off > 4*se99+0.005 {
				t.Errorf("%+v seed %d: p99 %v, %.1f standard errors off", tc, seed, f.P99, off/se99)
			}
		}
	}
}

// Of true lognormals the bound rejects one in twenty, as a test at 5 % must: of
// 1000 samples of 50, with four standard errors, 22 to 78.
func TestBoundRejectsOneInTwenty(t *testing.T) {
	rejected := 0
	for seed := range uint64(1000) {
		f, _ := fit(drawn(seed+100, 50, 20*time.Second, 90*time.Second, time.Millisecond), time.Millisecond)
		if f.Kind != model.LogNormal {
			rejected++
		}
	}
	if rejected < 22 || rejected > 78 {
		t.Errorf("%d of 1000 rejected", rejected)
	}
}

// What is no lognormal is not taken for one; its values keep the mean.
func TestNoLognormal(t *testing.T) {
	var two, even []time.Duration
	for i := range 100 {
		two = append(two, time.Duration(5000+i)*time.Millisecond, time.Duration(60000+10*i)*time.Millisecond)
		even = append(even, time.Duration(i+1)*time.Second)
	}
	slices.Sort(two)
	for name, times := range map[string][]time.Duration{"two humps": two, "uniform": even} {
		f, ok := fit(times, time.Millisecond)
		if !ok || f.Kind != model.Empirical || f.D <= f.Bound || len(f.Values) != mostValues {
			t.Fatalf("%s: %+v", name, f)
		}
		if got, want := mean(f.Values), mean(times); math.Abs(got-want) > want/500 {
			t.Errorf("%s: mean %v of the values, want %v", name, time.Duration(got), time.Duration(want))
		}
	}
}

func mean(times []time.Duration) float64 {
	sum := 0.0
	for _, t := range times {
		sum += float64(t)
	}
	return sum / float64(len(times))
}

func TestFewTimes(t *testing.T) {
	s := time.Second
	for _, tc := range []struct {
		times []time.Duration
		want  model.Dist
		ok    bool
	}{
		{nil, model.Dist{}, false},
		{[]time.Duration{5 * s, 5 * s}, model.Dist{}, false},
		{[]time.Duration{s, s}, model.Dist{}, false},
		{[]time.Duration{19 * s, 19 * s}, model.Dist{}, false}, // known to within a second, which is more than 5 %
		{[]time.Duration{20 * s, 20 * s}, model.Const(20 * s), true},
		{[]time.Duration{40 * s, 42 * s}, model.Const(41 * s), true},
		{[]time.Duration{40 * s, 43 * s}, model.Dist{}, false},
		{[]time.Duration{0, 0}, model.Dist{}, false},
		{[]time.Duration{40 * s}, model.Dist{}, false},
		{[]time.Duration{5 * s, 5 * s, 6 * s}, model.Const(5300 * time.Millisecond), true},
		{[]time.Duration{0, 0, s}, model.Const(300 * time.Millisecond), true},
		{[]time.Duration{0, 0, 0}, model.Const(0), true},
		{[]time.Duration{5 * s, 6 * s, 7 * s, 9 * s}, model.Dist{}, false},
		{[]time.Duration{5 * s, 6 * s, 7 * s, 8 * s, 9 * s}, model.EmpiricalDist(5*s, 6*s, 7*s, 8*s, 9*s), true},
		{[]time.Duration{100 * s, 105 * s, 119 * s}, model.Const(108 * s), true},
		{[]time.Duration{100 * s, 105 * s, 130 * s}, model.Dist{}, false},
	} {
		f, ok := fit(tc.times, s)
		if ok != tc.ok || f.Kind != tc.want.Kind || f.Value != tc.want.Value || !slices.Equal(f.Values, tc.want.Values) {
			t.Errorf("%v: %+v, %v", tc.times, f, ok)
		}
	}
}

// A constant that falls between two whole seconds shows as both, and their mean is right.
func TestConstantBetweenSeconds(t *testing.T) {
	for _, d := range []time.Duration{400 * time.Millisecond, 7300 * time.Millisecond, 12900 * time.Millisecond} {
		f, ok := fit(drawn(7, 400, d, d, time.Second), time.Second)
		// Four standard errors of a share of at most a half: 0.1 s, and the rounding to a tenth.
		if !ok || f.Kind != model.Constant || (f.Value-d).Abs() > 150*time.Millisecond {
			t.Errorf("%v: %+v, %v", d, f, ok)
		}
	}
}

func TestDiffer(t *testing.T) {
	seconds := func(list ...int) []time.Duration {
		var out []time.Duration
		for _, x := range list {
			out = append(out, time.Duration(x)*time.Second)
		}
		return out
	}
	slow, fast := drawn(1, 60, 40*time.Second, 90*time.Second, time.Second), drawn(2, 200, 10*time.Second, 30*time.Second, time.Second)
	for name, tc := range map[string]struct {
		own, rest []time.Duration
		want      bool
	}{
		"other lognormal":       {slow, fast, true},
		"same lognormal":        {drawn(3, 60, 10*time.Second, 30*time.Second, time.Second), fast, false},
		"constant between":      {seconds(20, 20, 21), seconds(5, 5, 5, 40, 40, 40), true},
		"constant among":        {seconds(20, 20, 21), seconds(5, 20, 40), false},
		"within a second":       {seconds(5, 5, 5), seconds(6, 6, 6), false},
		"constant of five":      {seconds(20, 20, 21, 20, 20), seconds(5, 20, 40), true},
		"two beyond":            {seconds(50, 50), seconds(6, 9, 20), true},
		"two below":             {seconds(1, 1), seconds(6, 9, 20), true},
		"two nearly":            {seconds(21, 21), seconds(6, 9, 20), false},
		"two among":             {seconds(9, 9), seconds(6, 9, 20), false},
		"two unlike":            {seconds(50, 90), seconds(6, 9, 20), false},
		"two unlike a constant": {seconds(50, 90), seconds(6, 6, 6), true},
		"two of four":           {seconds(50, 50), seconds(6, 6), false},
		"one beside a constant": {seconds(50), seconds(6, 6, 6), true},
		"one among the varied":  {seconds(50), seconds(6, 9, 20), false},
		"nothing else":          {seconds(50, 50, 50), nil, false},
		"few, varied and mixed": {seconds(5, 30, 60), seconds(6, 29, 40), false},
	} {
		if got := differ(tc.own, tc.rest, time.Second); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Two samples of n each differ from a two-sample Kolmogorov-Smirnov distance of 1.63*sqrt(2/n)
// on, the 1 % point of its limiting distribution (N. Smirnov, Annals of Mathematical Statistics 19, 1948): 0.231 for 100.
func TestDifferAtOnePercent(t *testing.T) {
	rest := make([]time.Duration, 100)
	for i := range rest {
		rest[i] = time.Duration(10+i) * time.Second
	}
	for shift, want := range map[int]bool{22: false, 24: true} {
		own := slices.Clone(rest)
		for i := range shift { // the distance is the share that is moved
			own[i] += 1000 * time.Second
		}
		slices.Sort(own)
		if got := differ(own, rest, time.Second); got != want {
			t.Errorf("a distance of 0.%d: %v", shift, got)
		}
	}
}
