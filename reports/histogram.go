package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"upsim/sim"
)

// The most bars of a histogram, and the columns of the longest.
const (
	mostBars   = 12
	longestBar = 40
)

// barWidths are the times in seconds that a bar may stand for; beyond them it is a number of days.
var barWidths = []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30,
	60, 2 * 60, 5 * 60, 10 * 60, 15 * 60, 30 * 60, 3600, 2 * 3600, 3 * 3600, 6 * 3600, 12 * 3600}

// histogram draws how many runs took how long, in bars of a round width that is not finer than times are written. Where there
// would be one or two it says so in words.
func (p *page) histogram(times []float64) {
	low, high := slices.Min(times), slices.Max(times)
	width, first, bars := barsFor(low, high)
	if bars < 3 {
		if from, to := human(sim.Seconds(low)), human(sim.Seconds(high)); from == to {
			p.text(tableIndent, "every run took "+from)
		} else {
			p.text(tableIndent, fmt.Sprintf("every run took from %s to %s", from, to))
		}
		return
	}
	counts := make([]int, bars)
	for _, t := range times {
		counts[min(max(int(t/width-first), 0), bars-1)]++
	}
	p.buf.WriteByte('\n')
	g := &grid{columns: []column{{head: "FROM", right: true}, {head: "RUNS", right: true}, {head: fmt.Sprintf("EACH BAR %s WIDE", human(sim.Seconds(width)))}}}
	most := slices.Max(counts)
	for i, n := range counts {
		bar := strings.Repeat("#", (n*longestBar+most-1)/most)
		g.rows = append(g.rows, []string{human(sim.Seconds((first + float64(i)) * width)), itoa(n), bar})
	}
	p.grid(g, tableIndent)
}

// barsFor are the width of a bar, the number of widths before the first, and the number of bars.
func barsFor(low, high float64) (width, first float64, bars int) {
	for i := 0; ; i++ {
		width = math.Ceil((high-low)/(mostBars-1)/86400) * 86400
		if i < len(barWidths) {
			width = barWidths[i]
		}
		first = math.Floor(low / width)
		bars = int(math.Floor(high/width)-first) + 1
		if i >= len(barWidths) || bars <= mostBars && width >= resolution(high) {
			return width, first, bars
		}
	}
}

// resolution is the difference in seconds below which human writes two times alike.
func resolution(s float64) float64 {
	switch s = math.Abs(s); {
	case s < 0.9995:
		return 0.001
	case s < 9.95:
		return 0.1
	case s < 86400:
		return 1
	}
	return 60
}
