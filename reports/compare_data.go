package reports

import (
	"encoding/csv"
	"io"
	"strconv"

	"upsim/model"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// FormatCSV is a table for programs: one line a row, with a head.
const FormatCSV = "csv"

// comparisonJSON is the published form of a comparison.
type comparisonJSON struct {
	envelope
	Scenario string `json:"scenario"`
	// Against is the row that the differences are from.
	Against            *string           `json:"against"`
	IntervalConfidence float64           `json:"intervalConfidence"`
	Keys               []string          `json:"keys"`
	Rows               []comparedRowJSON `json:"rows"`
	// Probability is how probable being safe had to be; null where every run had to be safe.
	Probability *float64   `json:"probability"`
	Advice      adviceJSON `json:"advice"`
}

type comparedRowJSON struct {
	Strategy    string                    `json:"strategy"`
	Settings    map[string]string         `json:"settings"`
	Refused     *string                   `json:"refused"`
	Comparable  bool                      `json:"comparable"`
	Front       bool                      `json:"front"`
	Summary     *summaryJSON              `json:"summary"`
	Differences map[string]differenceJSON `json:"differences"`
}

type differenceJSON struct {
	Mean amount    `json:"mean"`
	CI95 *interval `json:"ci95"`
	N    int       `json:"n"`
	Told bool      `json:"told"`
}

type adviceJSON struct {
	Take      *string  `json:"take"`
	Safe      []string `json:"safe"`
	LeastRisk []string `json:"leastRisk"`
	Equals    []string `json:"equals"`
	Sentence  string   `json:"sentence"`
}

// differenceKeys name the differences as the summary names their figures.
var differenceKeys = []struct {
	key    string
	figure montecarlo.Figure
}{
	{"makespanSeconds", montecarlo.Makespan}, {"downtimeOfAllSeconds", montecarlo.DowntimeOfAll}, {"belowFloorOfAllSeconds", montecarlo.BelowFloorOfAll},
	{"evictions", montecarlo.Evictions}, {"podsMovedAgain", montecarlo.MovedAgain}, {"nodeHours", montecarlo.NodeHours}, {"blastPods", montecarlo.BlastPods},
}

func comparisonOf(c *Comparison) comparisonJSON {
	out := comparisonJSON{envelope: envelopeOf("Comparison"), Scenario: c.Scenario.Name, IntervalConfidence: montecarlo.Confidence, Keys: orEmpty(c.Keys)}
	from := c.against()
	if from != nil {
		out.Against = &from.Name
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		row := comparedRowJSON{Strategy: r.Name, Settings: settings(r.Settings), Comparable: r.comparable(), Front: r.front(), Differences: map[string]differenceJSON{}}
		if r.Refused != "" {
			row.Refused = &r.Refused
		}
		if r.Sample != nil {
			s := summaryOf(r.Sample, c.Until)
			row.Summary = &s
		}
		if from != nil && r != from && r.comparable() {
			for _, d := range differenceKeys {
				row.Differences[d.key] = differenceOf(c.choice.Difference(r.at, from.at, d.figure, len(differenceKeys)))
			}
		}
		out.Rows = append(out.Rows, row)
	}
	if c.Probability > 0 {
		out.Probability = &c.Probability
	}
	out.Advice = c.adviceJSON()
	return out
}

func settings(list []model.KeyValue) map[string]string {
	out := map[string]string{}
	for _, k := range list {
		out[k.Key] = k.Value
	}
	return out
}

func differenceOf(d montecarlo.Difference) differenceJSON {
	out := differenceJSON{N: d.N, Told: d.Told()}
	if d.N > 0 {
		out.Mean = amountOf(d.Mean)
		out.CI95 = intervalOf(montecarlo.Interval{Low: d.Mean - d.Half, High: d.Mean + d.Half})
	}
	return out
}

func (c *Comparison) adviceJSON() adviceJSON {
	a := c.Advice()
	names := func(list []int) []string {
		out := []string{}
		for _, i := range list {
			out = append(out, c.rowAt(i).Name)
		}
		return out
	}
	out := adviceJSON{Safe: names(a.Safe), LeastRisk: names(a.LeastRisk), Equals: names(a.Equals), Sentence: newPage(TableOptions{Verbose: true}).advice(c)}
	if take := c.Taken(); take != nil {
		out.Take = &take.Name
	}
	return out
}

// csvFigures are the columns of a row's figures.
var csvFigures = []struct {
	head string
	cell func(*ComparedRow) float64
}{
	{"makespanP50Seconds", func(r *ComparedRow) float64 { s := r.summary(montecarlo.Makespan); return s.P50 }},
	{"makespanP95Seconds", func(r *ComparedRow) float64 { s := r.summary(montecarlo.Makespan); return s.P95 }},
	{"makespanMeanSeconds", meanOf(montecarlo.Makespan)},
	{"downtimeOfAllSeconds", meanOf(montecarlo.DowntimeOfAll)},
	{"belowFloorOfAllSeconds", meanOf(montecarlo.BelowFloorOfAll)},
	{"evictions", meanOf(montecarlo.Evictions)},
	{"podsMovedAgain", meanOf(montecarlo.MovedAgain)},
	{"nodeHours", meanOf(montecarlo.NodeHours)},
	{"peakNodes", func(r *ComparedRow) float64 { return r.summaryMax(montecarlo.PeakNodes) }},
	{"blastPods", meanOf(montecarlo.BlastPods)},
}

func meanOf(f montecarlo.Figure) func(*ComparedRow) float64 {
	return func(r *ComparedRow) float64 { s := r.summary(f); return s.Mean }
}

// compareCSV writes a line a row; cells for which there is no figure are empty.
func compareCSV(w io.Writer, c *Comparison, head bool) error {
	out := csv.NewWriter(w)
	if head {
		line := []string{"scenario", "strategy"}
		for _, key := range c.Keys {
			if key == "strategy" { // the column of that name has what the row is called
				key = "nodes.strategy"
			}
			line = append(line, key)
		}
		line = append(line, "verdict", "refused", "front", "runs", "safeRuns")
		for _, f := range csvFigures {
			line = append(line, f.head)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	for i := range c.Rows {
		line, err := csvLine(c, &c.Rows[i])
		if err != nil {
			return err
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func csvLine(c *Comparison, r *ComparedRow) ([]string, error) {
	line := append([]string{c.Scenario.Name, r.Name}, r.Values...)
	verdict, runs, safe := "", "", ""
	if r.Sample != nil {
		verdict, runs, safe = string(r.Sample.Worst.Verdict), strconv.Itoa(len(r.Sample.Runs)), strconv.Itoa(len(r.Sample.Runs)-r.Sample.Unsafe())
	}
	line = append(line, verdict, clean(r.Refused), strconv.FormatBool(r.front()), runs, safe)
	for _, f := range csvFigures {
		if !r.started() {
			line = append(line, "")
			continue
		}
		digits, err := sim.Seconds(f.cell(r)).MarshalJSON()
		if err != nil {
			return nil, err
		}
		line = append(line, string(digits))
	}
	return line, nil
}
