package reports

import (
	"math"
	"strconv"
	"strings"

	"upsim/sim"
)

// longest bounds the seconds that are written: the simulator's clock ends long before.
const longest = 1e15

// human writes a time as people do: 350ms, 4.2s, 42s, 12m30s, 1h12m5s, 1d2h.
// From a day on it is rounded to minutes.
func human(s sim.Seconds) string {
	x := float64(s)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "unknown"
	case x < 0:
		return "-" + human(-s)
	case x < 0.9995:
		if ms := math.Round(x * 1000); ms > 0 {
			return strconv.FormatFloat(ms, 'f', 0, 64) + "ms"
		}
		return "0s"
	case x < 9.95:
		return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0") + "s"
	}
	return compose(int64(math.Round(math.Min(x, longest))))
}

// brief is human with whole minutes from an hour on, for the headline.
func brief(s sim.Seconds) string {
	if s < 3600 {
		return human(s)
	}
	return human(sim.Seconds(math.Round(float64(s)/60) * 60))
}

func compose(sec int64) string {
	if sec >= 86400 {
		sec = (sec + 30) / 60 * 60
	}
	units := []struct {
		size int64
		name string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}}
	var b strings.Builder
	for _, u := range units {
		n := sec / u.size
		sec %= u.size
		if n > 0 || b.Len() > 0 && sec > 0 || b.Len() == 0 && u.size == 1 {
			b.WriteString(strconv.FormatInt(n, 10) + u.name)
		}
	}
	return b.String()
}

// orDash is human, and a dash for no time at all.
func orDash(s sim.Seconds) string {
	if s == 0 {
		return "-"
	}
	return human(s)
}

// count writes a number with its noun: "1 error", "2 errors".
func count[T int | int64 | uint64](n T, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun
}

// more writes a number of things beyond those shown: "1 more node", "2 more nodes".
func more(n int, noun string) string { return count(n, "more "+noun) }

func itoa[T int | int64](n T) string { return strconv.FormatInt(int64(n), 10) }
