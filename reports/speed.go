package reports

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"upsim/sim"
)

// Cost is what something took: Seconds of the processor, and of the wall.
type Cost struct {
	Seconds     float64 `json:"seconds"`
	WallSeconds float64 `json:"wallSeconds"`
}

// Speed is what the simulation of one cluster cost: of one run, or of all Seeds together.
type Speed struct {
	Scenario string `json:"scenario"`
	Strategy string `json:"strategy"`
	Variant  string `json:"variant"`
	Mix      string `json:"mix"`
	Nodes    int    `json:"nodes"`
	Pods     int    `json:"pods"`
	Seeds    int    `json:"seeds"`
	Repeat   int    `json:"repeat"`
	// Verdict and Engine are those of the scenario's own seed.
	Verdict sim.Verdict `json:"verdict"`
	// Cost is the least of the repeats.
	Cost
	// CompileSeconds are the processor's, from the loaded scenario to the state before the upgrade. With
	// several Seeds it is 0, and Cost has that of each of them.
	CompileSeconds float64 `json:"compileSeconds"`
	Events         uint64  `json:"events"`
	// PodsMoved counts evictions and deletions.
	PodsMoved              uint64  `json:"podsMoved"`
	NanosecondsPerEvent    float64 `json:"nanosecondsPerEvent"`
	NanosecondsPerPodMoved float64 `json:"nanosecondsPerPodMoved"`
	PeakMemoryBytes        uint64  `json:"peakMemoryBytes"`
	// Growth is the cost of an event, divided by that of the first, smallest cluster of its kind in the list; of that one 1.
	Growth float64    `json:"growth"`
	Engine sim.Engine `json:"engine"`
}

// Least takes what a repeat, from 0 on, took to compile and to run, where it is less than in those before it.
func (s *Speed) Least(repeat int, compiled float64, c Cost) {
	if repeat == 0 || c.Seconds < s.Seconds {
		s.Cost = c
	}
	if repeat == 0 || compiled < s.CompileSeconds {
		s.CompileSeconds = compiled
	}
}

// Speeds writes what simulations cost, as a table or as one JSON object each.
func Speeds(w io.Writer, list []*Speed, format string, opts TableOptions) error {
	perEach(list)
	if format == FormatJSON {
		for _, s := range list {
			if err := writeJSON(w, struct {
				envelope
				*Speed
			}{envelopeOf("Speed"), s}); err != nil {
				return err
			}
		}
		return nil
	}
	p := newPage(opts)
	several := false
	for _, s := range list {
		several = several || s.Seeds > 1
	}
	g := grid{columns: []column{{"STRATEGY", false, false}, {"VARIANT", false, true}, {"MIX", false, false}, {"NODES", true, false}, {"PODS", true, false}}}
	if several {
		g.columns = append(g.columns, column{"SEEDS", true, false})
	}
	for _, head := range []string{"VERDICT", "CPU-TIME", "EVENTS", "NS/EVENT", "NS/POD-MOVED", "PEAK-MB", "GROWTH"} {
		g.columns = append(g.columns, column{head, head != "VERDICT", false})
	}
	for _, s := range list {
		cells := []string{s.Strategy, s.Variant, s.Mix, strconv.Itoa(s.Nodes), strconv.Itoa(s.Pods)}
		if several {
			cells = append(cells, strconv.Itoa(s.Seeds))
		}
		g.add(append(cells, string(s.Verdict), fmt.Sprintf("%.3fs", s.Seconds), strconv.FormatUint(s.Events, 10),
			fmt.Sprintf("%.0f", s.NanosecondsPerEvent), fmt.Sprintf("%.0f", s.NanosecondsPerPodMoved),
			fmt.Sprintf("%.0f", float64(s.PeakMemoryBytes)/1e6), fmt.Sprintf("%.2f", s.Growth))...)
	}
	p.grid(&g, 0)
	return p.writeTo(w)
}

// perEach divides the costs.
func perEach(list []*Speed) {
	type kind struct{ strategy, variant, mix string }
	first := map[kind]float64{}
	for _, s := range list {
		s.NanosecondsPerEvent = s.Seconds * 1e9 / float64(max(s.Events, 1))
		s.NanosecondsPerPodMoved = s.Seconds * 1e9 / float64(max(s.PodsMoved, 1))
		k := kind{s.Strategy, s.Variant, s.Mix}
		if first[k] == 0 {
			first[k] = s.NanosecondsPerEvent
		}
		s.Growth = s.NanosecondsPerEvent / cmp.Or(first[k], 1)
	}
}
