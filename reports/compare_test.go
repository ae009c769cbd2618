package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"upsim/model"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// sampleOf has a run for each makespan, safe and of no cost.
func sampleOf(name string, makespans ...float64) *montecarlo.Sample {
	s := &montecarlo.Sample{Scenario: "shop", Strategy: name, From: "v1.33.4", To: "v1.34.2", WorstDigest: "9f86d081884c7d65"}
	for i, m := range makespans {
		r := montecarlo.Run{Seed: uint64(i + 1), Verdict: sim.Safe}
		r.Figures[montecarlo.Makespan], r.Figures[montecarlo.Evictions] = m, 12
		s.Runs = append(s.Runs, r)
		if m > s.Worst.Figures[montecarlo.Makespan] {
			s.Worst = r
		}
	}
	return s
}

func with(s *montecarlo.Sample, f montecarlo.Figure, v float64) *montecarlo.Sample {
	for i := range s.Runs {
		s.Runs[i].Figures[f] = v
	}
	return s
}

// verdict gives the i-th run another one.
func verdict(s *montecarlo.Sample, i int, v sim.Verdict) *montecarlo.Sample {
	s.Runs[i].Verdict, s.Runs[i].Incomplete = v, v == sim.Stuck || v == sim.Aborted
	s.Worst = s.Runs[i]
	return s
}

func row(s *montecarlo.Sample, keys ...model.KeyValue) ComparedRow {
	return ComparedRow{Name: s.Strategy, Sample: s, Settings: keys}
}

// fourRows are in place, with new nodes first, one that gets stuck, and one that is no plan.
func fourRows() []ComparedRow {
	surge := with(with(sampleOf("surge", 1800, 1830, 1810, 1820), montecarlo.NodeHours, 0.6), montecarlo.PeakNodes, 1)
	return []ComparedRow{
		row(sampleOf("rolling", 3600, 3660, 3610, 3625)),
		row(surge, model.KeyValue{Key: "strategy", Value: "surge"}),
		row(verdict(sampleOf("hangs", 600, 700, 800, 900), 2, sim.Stuck)),
		{Name: "none", Refused: "maxUnavailable: is 0, so that no node could ever be upgraded"},
	}
}

func comparing(t *testing.T, c *Comparison, format string, opts TableOptions) string {
	t.Helper()
	return string(bytesOf(t, func(b *bytes.Buffer) error { return Compare(b, c, format, true, opts) }))
}

func TestCompareTable(t *testing.T) {
	golden(t, "compare.txt", []byte(comparing(t, NewComparison(shop(), nil, fourRows(), 0), FormatTable, TableOptions{})))
	golden(t, "compare-80.txt", []byte(comparing(t, NewComparison(shop(), nil, fourRows(), 0), FormatTable, TableOptions{Width: 80})))
}

// A study has a column a key; what changes nothing is shown once.
func TestCompareStudy(t *testing.T) {
	var rows []ComparedRow
	for _, surge := range []string{"0", "1"} {
		for _, timeout := range []string{"0s", "5m"} {
			s := sampleOf("surge="+surge+",drain.timeout="+timeout, 3600, 3660, 3610, 3625)
			if surge == "1" {
				s = sampleOf(s.Strategy, 1800, 1830, 1810, 1820)
			}
			r := row(s, model.KeyValue{Key: "drain.timeout", Value: timeout}, model.KeyValue{Key: "maxSurge", Value: surge})
			r.Values = []string{surge, timeout}
			rows = append(rows, r)
		}
	}
	c := NewComparison(shop(), []string{"surge", "drain.timeout"}, rows, 0)
	golden(t, "compare-study.txt", []byte(comparing(t, c, FormatTable, TableOptions{})))
	if all := comparing(t, c, FormatTable, TableOptions{Verbose: true}); strings.Count(all, " 5m ") < 2 {
		t.Errorf("with -v not every row is shown:\n%s", all)
	}
}

func TestCompareJSONAndCSV(t *testing.T) {
	c := NewComparison(shop(), nil, fourRows(), 0)
	var got struct {
		Kind, Against string
		Rows          []struct {
			Strategy          string
			Refused           *string
			Front, Comparable bool
			Summary           *struct{ MakespanSeconds struct{ P50 float64 } }
			Differences       map[string]struct {
				Mean float64
				N    int
				CI95 *[2]float64
				Told bool
			}
		}
		Advice struct {
			Take     *string
			Safe     []string
			Sentence string
		}
	}
	if err := json.Unmarshal([]byte(comparing(t, c, FormatJSON, TableOptions{})), &got); err != nil {
		t.Fatal(err)
	}
	if got.Kind != "Comparison" || got.Against != "rolling" || len(got.Rows) != 4 || *got.Advice.Take != "rolling" || len(got.Advice.Safe) != 2 {
		t.Errorf("%+v", got)
	}
	surge := got.Rows[1]
	// The differences are -1800, -1830, -1800 and -1805: the mean -1808.75; with Student's t of 3 degrees at 1-0.05/(2 others · 7 figures).
	if d := surge.Differences["makespanSeconds"]; !surge.Front || d.Mean != -1808.75 || !d.Told || d.CI95 == nil {
		t.Errorf("surge: %+v", surge)
	}
	if hangs := got.Rows[2]; !hangs.Comparable || hangs.Differences["makespanSeconds"].N != 3 || hangs.Summary.MakespanSeconds.P50 != 700 {
		t.Errorf("hangs: %+v", hangs)
	}
	if none := got.Rows[3]; none.Refused == nil || none.Summary != nil {
		t.Errorf("none: %+v", none)
	}
	lines, err := csv.NewReader(strings.NewReader(comparing(t, c, FormatCSV, TableOptions{}))).ReadAll()
	if err != nil || len(lines) != 5 || lines[2][1] != "surge" || lines[2][7] != "1810" || lines[4][3] != c.Rows[3].Refused {
		t.Errorf("%v, %v", err, lines)
	}
	if err := Compare(&bytes.Buffer{}, c, "yaml", true, TableOptions{}); err == nil {
		t.Error("it is written as YAML")
	}
}

func TestAdvice(t *testing.T) {
	free := shop()
	free.Objectives.Window = nil
	slow, same, fast := sampleOf("slow", 3600, 3660), sampleOf("same", 3600, 3660), with(sampleOf("fast", 1800, 1830), montecarlo.NodeHours, 0.6)
	down := with(sampleOf("down", 900, 930), montecarlo.DowntimeOfAll, 30)
	bad := verdict(sampleOf("bad", 900, 930), 1, sim.Violated)
	worse := verdict(verdict(sampleOf("worse", 900, 930), 1, sim.Violated), 0, sim.Violated)
	part := sampleOf("part", 100, 110)
	for i := range part.Runs {
		part.Runs[i].Partial = true
	}
	const two = ". (That 2 of 2 runs are safe tells, with 95% confidence, that at least 34.2% of all are.)"
	for _, tc := range []struct {
		sc   *model.Scenario
		list []*montecarlo.Sample
		want string
	}{
		{shop(), []*montecarlo.Sample{slow, bad}, "Take slow: it alone is safe in every run, and its slowest run leaves 2h59m of the window of 4h" + two},
		{shop(), []*montecarlo.Sample{slow, fast}, "Take slow: of the 2 that are safe in every run it is the cheapest (no extra nodes), and its slowest run leaves 2h59m of the window of 4h" + two},
		{free, []*montecarlo.Sample{slow, fast}, "Take fast: of the 2 that are safe in every run it is the fastest (95% of the runs within 30m30s)" + two},
		{free, []*montecarlo.Sample{slow, same}, "Take slow: of the 2 that are safe in every run it is the first, and none can be told from it in time, cost and risk" + two},
		{shop(), []*montecarlo.Sample{fast, slow, same}, "Take slow: of the 3 that are safe in every run it is the cheapest (no extra nodes), no different from same as far as the runs tell, and its slowest run leaves 2h59m of the window of 4h" + two},
		{free, []*montecarlo.Sample{slow, down}, "Take slow: of the 2 that are safe in every run it has the least risk (no workload down or below its budget)" + two},
		{free, []*montecarlo.Sample{slow, sampleOf("short", 1800, 1830)}, "Take short: of the 2 that are safe in every run it alone is on the front: none is better in time, cost or risk" + two},
		{free, []*montecarlo.Sample{down, slow, fast}, "Take fast: of the 3 that are safe in every run 2 have the least risk (no workload down or below its budget), among which it is the fastest (95% of the runs within 30m30s)" + two},
		{free, []*montecarlo.Sample{bad, worse}, "Take none of them: none reaches all nodes and is safe in every run; bad is the nearest, safe in 1 of 2 runs. What keeps it: safe in 1, violated in 1 of 2 runs."},
		{free, []*montecarlo.Sample{worse}, "Take none of them: none is safe in any run. worse comes nearest (no workload down or below its budget, 95% of the runs within 15m30s). What keeps it: violated in all 2 runs. `upsim run` says how to mend it."},
		{free, []*montecarlo.Sample{slow, part}, "Take slow: it alone is safe in every run" + two},
	} {
		var rows []ComparedRow
		for _, s := range tc.list {
			rows = append(rows, row(s))
		}
		c := NewComparison(tc.sc, nil, rows, 0)
		if got := newPage(TableOptions{}).advice(c); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
	none := NewComparison(free, nil, []ComparedRow{{Name: "none", Refused: "no"}}, 0)
	if got := newPage(TableOptions{}).advice(none); got != "Take none of them: each is refused as it is written." {
		t.Errorf("got %s", got)
	}
}

// The share of runs that are safe is told, not of the gravest verdict alone; what ends in most runs is compared by those.
func TestCompareWhatFailsNowAndThen(t *testing.T) {
	rare := sampleOf("rare", slices.Repeat([]float64{3600, 3660, 3610, 3625}, 10)...)
	verdict(verdict(rare, 3, sim.Violated), 39, sim.Stuck)
	often := sampleOf("often", slices.Repeat([]float64{1800}, 40)...)
	for i := range 22 {
		verdict(often, i, sim.Stuck)
	}
	rows := func() []ComparedRow { return []ComparedRow{row(rare), row(often)} }
	out := comparing(t, NewComparison(shop(), nil, rows(), 0), FormatTable, TableOptions{})
	for _, want := range []string{"  rare      *      safe 95%, stuck 2.5% ", "  often     -      safe 45%, stuck 55% ", "figures are of the runs that reach the end with all nodes",
		"rare is the nearest, safe in 38 of 40 runs.", "With `--probability SHARE` what is safe in so many of all runs is taken."} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if out := comparing(t, NewComparison(shop(), nil, rows(), 0.9), FormatTable, TableOptions{}); !strings.Contains(out, "As far as the runs tell, none is safe in at least 90% of all.") {
		t.Errorf("with too high a probability:\n%s", out)
	}
	out = comparing(t, NewComparison(shop(), nil, rows(), 0.8), FormatTable, TableOptions{})
	for _, want := range []string{"Not safe in some runs:\n  rare: ", "Not to be taken:\n  often: ", "Take rare: it alone is safe in at least 80% of all runs",
		"(That 38 of 40 runs are safe tells, with 95% confidence, that at least 83.5% of all are.)"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// What is to do less is not held against what does more.
func TestCompareUnlike(t *testing.T) {
	for key, less := range map[string]func(*model.Upgrade){
		"to":           func(u *model.Upgrade) { u.To, _ = model.ParseVersion("v1.33.5") },
		"limit":        func(u *model.Upgrade) { u.Nodes.Limit = 2 },
		"controlPlane": func(u *model.Upgrade) { u.ControlPlane.Skip = true },
	} {
		rows := []ComparedRow{row(sampleOf("all", 3600, 3660)), row(sampleOf("less", 900, 930))}
		less(&rows[1].Upgrade.Upgrade)
		c := NewComparison(shop(), nil, rows, 0)
		out := comparing(t, c, FormatTable, TableOptions{})
		if want := "\nNone is advised: " + key + " differs, so that they do not do the same, and what does less would look better.\n"; !strings.HasSuffix(out, want) ||
			strings.Contains(out, "*") || strings.Contains(out, "Differences") || strings.Contains(out, "Not to be taken") || c.Taken() != nil {
			t.Errorf("%s: got\n%s", key, out)
		}
	}
}

// The search judges what it found with the intervals that the table has.
func TestFiguresCompared(t *testing.T) {
	if len(compareDifferences) != montecarlo.FiguresCompared || len(differenceKeys) != montecarlo.FiguresCompared {
		t.Errorf("the table has %d figures, JSON %d, the search counts %d", len(compareDifferences), len(differenceKeys), montecarlo.FiguresCompared)
	}
}

func TestDiffers(t *testing.T) {
	for want, d := range map[string]montecarlo.Difference{
		"no difference": {N: 20, Mean: 3, Half: 4},
		"+1h ±2m":       {N: 20, Mean: 3600, Half: 120.2},
		"-24m1s":        {N: 20, Mean: -1441, Half: 0.2},
		"0s":            {N: 20, Mean: 0.0001, Half: 0},
	} {
		if got := differs(d, humanFloat, resolution(d.Mean)); got != want {
			t.Errorf("%+v: %s, want %s", d, got, want)
		}
	}
}

func TestEntry(t *testing.T) {
	r := ComparedRow{Settings: []model.KeyValue{{Key: "maxUnavailable", Value: "10%"}, {Key: "drain.timeout", Value: "5m"}, {Key: "drain.retry", Value: "1s"}, {Key: "start", Value: "Fri 18:00"}}}
	if got := r.entry(); got != `strategies: [{name: taken, maxUnavailable: 10%, start: "Fri 18:00", drain: {timeout: 5m, retry: 1s}}]` {
		t.Errorf("got %s", got)
	}
	r.Settings = []model.KeyValue{{Key: "order", Value: `["n-1","n-2"]`}}
	if got := r.entry(); got != `strategies: [{name: taken, order: ["n-1","n-2"]}]` {
		t.Errorf("a list: %s", got)
	}
}

func TestSummary(t *testing.T) {
	s := with(sampleOf("rolling", 3600, 3660, 3610, 3625, 4000, 3650, 3700, 3615, 3605, 3630), montecarlo.MovedAgain, 2)
	for i := range s.Runs {
		s.Runs[i].Figures[montecarlo.Downtime] = float64(10 * i)
	}
	verdict(s, 4, sim.Stuck)
	golden(t, "summary.txt", bytesOf(t, func(b *bytes.Buffer) error {
		return SummaryTable(b, shop(), s, 0, "upsim run shop.yaml", TableOptions{})
	}))
	golden(t, "summary.json", bytesOf(t, func(b *bytes.Buffer) error { return SummaryJSON(b, s, 0.02) }))
}

func TestOutcomes(t *testing.T) {
	s := sampleOf("rolling", 1, 2, 3)
	for _, want := range []string{"safe in all 3 runs", "safe in 2, stuck in 1 of 3 runs", "safe in 1, violated in 1, stuck in 1 of 3 runs", "violated in 1, stuck in 1, cut off in 1 of 3 runs"} {
		if got := Outcomes(s); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		switch {
		case s.Runs[0].Verdict == sim.Safe:
			s.Runs[0].Verdict = sim.Stuck
		case s.Runs[1].Verdict == sim.Safe:
			s.Runs[1].Verdict = sim.Violated
		default:
			s.Runs[2].CutOff = true
		}
	}
	if got := Outcomes(sampleOf("rolling", 1)); got != "safe in 1 run" {
		t.Errorf("got %s", got)
	}
}

func TestNextAfterSeeds(t *testing.T) {
	free := shop()
	free.Objectives.Window = nil
	s := sampleOf("rolling", 3600, 3660)
	short := 2 * time.Hour
	tight := shop()
	tight.Objectives.Window = &short
	for _, tc := range []struct {
		sc   *model.Scenario
		s    *montecarlo.Sample
		want string
	}{
		{free, s, "go ahead, if you can live with what is said above, and plan a window of more than 1h1m, which 95 of 100 runs do not exceed."},
		{tight, s, "go ahead, if you can live with what is said above: the longest run leaves 59m of the window of 2h to spare."},
		{free, verdict(sampleOf("x", 1, 2), 1, sim.Stuck), "1 of 2 runs is not safe; see how the worst one goes (upsim run --seed 2) and decide whether you can live with that."},
		{free, verdict(sampleOf("x", 1), 0, sim.Stuck), "do not start this plan; remove what is said above, then run it again."},
	} {
		if got := afterSeeds(tc.sc, tc.s, "upsim run"); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

func TestHistogram(t *testing.T) {
	draw := func(times ...float64) string {
		p := newPage(TableOptions{})
		p.histogram(times)
		return p.buf.String()
	}
	if got := draw(42, 42); got != "  every run took 42s\n" {
		t.Errorf("got %q", got)
	}
	if got := draw(3600.2, 3601.4); got != "  every run took from 1h to 1h0m1s\n" {
		t.Errorf("got %q", got)
	}
	const want = `
   FROM  RUNS  EACH BAR 5m WIDE
     1h     3  ########################################
   1h5m     1  ##############
  1h10m     1  ##############
  1h15m     0
  1h20m     0
  1h25m     0
  1h30m     1  ##############
`
	if got := draw(3600, 3610, 3620, 4100, 4300, 5500); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, highest := range []float64{0.05, 3, 80, 4000, 1e5, 1e7, 1e12} {
		if _, _, bars := barsFor(highest/3, highest); bars > mostBars {
			t.Errorf("%d bars up to %v", bars, highest)
		}
	}
}

// A number that not every run has is that of one run, and is not told as if all had it.
func TestOfRuns(t *testing.T) {
	for want, f := range map[string]montecarlo.Found{
		"":                                      {Runs: 20, CodeRuns: 20, FirstSeed: 1},
		" [in 3 of 20 runs, first with seed 4]": {Runs: 3, CodeRuns: 3, FirstSeed: 4},
		" [with seed 4; in 3 of 20 runs the like]": {Runs: 3, CodeRuns: 3, FirstSeed: 4, Varies: true},
		" [with seed 2; in 5 of 20 runs the like]": {Runs: 3, CodeRuns: 5, FirstSeed: 2},
		" [with seed 1; in each run the like]":     {Runs: 20, CodeRuns: 20, FirstSeed: 1, Varies: true},
	} {
		if got := ofRuns(f, f.CodeRuns, 20); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
