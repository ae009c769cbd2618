package reports

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"upsim/model"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// sensitivityJSON is the published form of a sensitivity.
type sensitivityJSON struct {
	envelope
	Scenario    string        `json:"scenario"`
	Strategy    string        `json:"strategy"`
	Seeds       int           `json:"seeds"`
	Change      float64       `json:"change"`
	AsIs        figuresJSON   `json:"asIs"`
	Assumptions []effectsJSON `json:"assumptions"`
}

type effectsJSON struct {
	Name           string          `json:"name"`
	Of             string          `json:"of,omitempty"`
	Default        bool            `json:"default"`
	Less           figuresJSON     `json:"less"`
	More           figuresJSON     `json:"more"`
	LessBy         differencesJSON `json:"lessBy"`
	MoreBy         differencesJSON `json:"moreBy"`
	VerdictsTurned int             `json:"verdictsTurned"`
	Effect         string          `json:"effect"` // moves, still or untold
}

// figuresJSON has means over the runs that ended, which are none where ended is 0.
type figuresJSON struct {
	MakespanSeconds   sim.Seconds         `json:"makespanSeconds"`
	DowntimeSeconds   sim.Seconds         `json:"downtimeSeconds"`
	BelowFloorSeconds sim.Seconds         `json:"belowFloorSeconds"`
	Ended             int                 `json:"ended"`
	CutOff            int                 `json:"cutOff"`
	Verdicts          map[sim.Verdict]int `json:"verdicts"`
}

type differencesJSON struct {
	MakespanSeconds   differenceJSON `json:"makespanSeconds"`
	DowntimeSeconds   differenceJSON `json:"downtimeSeconds"`
	BelowFloorSeconds differenceJSON `json:"belowFloorSeconds"`
}

func figuresOf(f *montecarlo.Figures) figuresJSON {
	return figuresJSON{f.Makespan, f.Downtime, f.BelowFloor, f.Ended, f.CutOff, f.Verdicts}
}

func differencesOf(d *montecarlo.Differences) differencesJSON {
	return differencesJSON{differenceOf(d[0]), differenceOf(d[1]), differenceOf(d[2])}
}

// SensitivityJSON writes a sensitivity as one compact object and a newline.
func SensitivityJSON(w io.Writer, sc *model.Scenario, strategy string, s *montecarlo.Sensitivity) error {
	out := sensitivityJSON{envelope: envelopeOf("Sensitivity"), Scenario: sc.Name, Strategy: strategy, Seeds: s.Seeds, Change: montecarlo.Change,
		AsIs: figuresOf(&s.As), Assumptions: []effectsJSON{}}
	for i := range s.Effects {
		e := &s.Effects[i]
		effect := "untold"
		switch {
		case s.Moves(e):
			effect = "moves"
		case s.Still(e):
			effect = "still"
		}
		out.Assumptions = append(out.Assumptions, effectsJSON{e.Assumption, e.Of, e.Default, figuresOf(&e.Less), figuresOf(&e.More),
			differencesOf(&e.LessBy), differencesOf(&e.MoreBy), e.Turned, effect})
	}
	return writeJSON(w, out)
}

// SensitivityTable says which assumptions move the result most if they are a
// fifth less or more, the weightiest first, of which the runs tell no effect, and which move nothing. It begins with an empty line, to follow a result.
func SensitivityTable(w io.Writer, s *montecarlo.Sensitivity, opts TableOptions) error {
	p := newPage(opts)
	p.buf.WriteByte('\n')
	p.buf.WriteString("Sensitivity:\n")
	p.text(2, "as it is: "+asItIs(s))
	if n, of := s.CutOff(); n > 0 {
		p.text(2, fmt.Sprintf("cut off: %d of %s, which count nowhere here", n, count(of, "run")))
	}
	var moving []*montecarlo.Effect
	var untold, still []string
	for i := range s.Effects {
		switch e := &s.Effects[i]; {
		case s.Moves(e):
			moving = append(moving, e)
		case s.Still(e):
			still = append(still, e.Assumption)
		default:
			untold = append(untold, e.Assumption)
		}
	}
	if len(moving) > 0 {
		p.sensitivityGrid(moving)
	}
	if len(untold) > 0 && s.As.Ended > 0 {
		p.text(2, fmt.Sprintf("no effect can be told from chance by %s: %s", count(s.Seeds, "seed"), strings.Join(untold, ", ")))
	}
	if len(still) > 0 {
		p.text(2, "moves nothing by half a percent: "+strings.Join(still, ", "))
	}
	p.buf.WriteByte('\n')
	p.text(0, sensitivityAdvice(s, moving, len(untold)))
	return p.writeTo(w)
}

// asItIs is what the runs found with the assumptions as they are.
func asItIs(s *montecarlo.Sensitivity) string {
	text, of := verdicts(&s.As), count(s.Seeds, "seed")
	if s.As.Ended == 0 {
		return cmp.Or(text, "no verdict") + " (" + of + ")"
	}
	if s.As.Ended < s.Seeds {
		of = fmt.Sprintf("the %d of %s that ended", s.As.Ended, of)
	}
	return fmt.Sprintf("makespan %s, down %s and below budgets %s over all workloads, %s (means of %s)",
		human(s.As.Makespan), orNone(s.As.Downtime), orNone(s.As.BelowFloor), text, of)
}

// sensitivityGrid has a line for each assumption that moves something, with what the runs tell of each figure.
func (p *page) sensitivityGrid(moving []*montecarlo.Effect) {
	columns := []compared{{column: column{head: "ASSUMPTION", flex: true}}, {column: column{head: "IS", flex: true}}}
	verdict := compared{column: column{head: "VERDICT", flex: true}}
	turned := false
	for _, e := range moving {
		columns[0].cells, columns[1].cells = append(columns[0].cells, e.Assumption), append(columns[1].cells, assumedValue(e))
		text := "-"
		if e.TurnTold {
			turned, text = true, verdicts(&e.Less)+" if less, "+verdicts(&e.More)+" if more"
		}
		verdict.cells = append(verdict.cells, text)
	}
	for k, head := range []string{"MAKESPAN", "DOWN", "BELOW-PDB"} {
		less, more := compared{column: column{head: head + " IF LESS", right: true}}, compared{column: column{head: "IF MORE", right: true}}
		moves := false
		for _, e := range moving {
			l, m := by(e.LessBy[k]), by(e.MoreBy[k])
			less.cells, more.cells = append(less.cells, l), append(more.cells, m)
			moves = moves || l != "-" || m != "-"
		}
		if moves {
			columns = append(columns, less, more)
		}
	}
	if turned {
		columns = append(columns, verdict)
	}
	p.grid(gridOf(columns), tableIndent)
	p.text(tableIndent, "means with 95% intervals that hold together, from pairs of runs with the same seed (paired t, Bonferroni); one without ± is narrower than its last digit; - where no effect can be told")
}

// sensitivityAdvice is what to measure first, or why there is nothing.
func sensitivityAdvice(s *montecarlo.Sensitivity, moving []*montecarlo.Effect, untold int) string {
	switch {
	case s.As.CutOff == s.Seeds:
		return "Every run was cut off, so that nothing can be told: allow more events (--max-events)."
	case s.Hopeless():
		return "No run ends, as things are: " + verdicts(&s.As) + "; and no assumption changes that by a fifth less or more. Mend the plan first: the reasons above say what is wrong."
	case len(moving) > 0:
		return whatToMeasure(s, moving)
	case untold > 0:
		return fmt.Sprintf("No effect can be told from chance by %s: give more with --seeds.", count(s.Seeds, "seed"))
	}
	return "No assumption moves the result by half a percent if it is a fifth less or more."
}

// whatToMeasure names the assumptions that turn most verdicts or move makespan, downtime or time below budgets most, each with its
// measure: what takes long moves the makespan by more than anything can move a downtime, and says nothing of that.
func whatToMeasure(s *montecarlo.Sensitivity, moving []*montecarlo.Effect) string {
	what := map[*montecarlo.Effect][]string{}
	if e := moving[0]; e.TurnTold {
		what[e] = append(what[e], fmt.Sprintf("turns the verdict of %d of %d runs", e.Turned, 2*s.Seeds))
	}
	for k, name := range []string{"makespan", "downtime", "time below budgets"} {
		if e, seconds := s.Lead(k); e != nil {
			what[e] = append(what[e], "moves the "+name+" by up to "+human(sim.Seconds(seconds)))
		}
	}
	var text []string
	for _, e := range moving {
		if what[e] == nil {
			continue
		}
		is := strings.Join(what[e], " and ")
		if len(text) == 0 {
			text = append(text, "Measure "+e.Assumption+" first: a fifth less or more of it "+is+".")
		} else {
			text = append(text, "Then "+e.Assumption+", which "+is+".")
		}
		for _, own := range moving {
			if own.Of == e.Assumption {
				text = append(text, "Of the workloads that have their own it is "+own.Assumption+" that moves it most.")
				break
			}
		}
	}
	return strings.Join(text, " ")
}

// by is by how much a figure has moved, as far as the runs tell.
func by(d montecarlo.Difference) string {
	if !d.Told() || math.Abs(d.Mean) < 0.05 {
		return "-"
	}
	return differs(d, func(x float64) string { return human(sim.Seconds(x)) }, unitOf(d.Mean))
}

// unitOf is the last digit of what human writes of a time.
func unitOf(seconds float64) float64 {
	switch x := math.Abs(seconds); {
	case x < 0.9995:
		return 0.001
	case x < 9.95:
		return 0.1
	}
	return 1
}

func orNone(s sim.Seconds) string {
	if s == 0 {
		return "0s"
	}
	return human(s)
}

// verdicts are those of all seeds: one word where they agree.
func verdicts(f *montecarlo.Figures) string {
	var parts []string
	for _, v := range []sim.Verdict{sim.Safe, sim.Violated, sim.Stuck, sim.Aborted} {
		switch n := f.Verdicts[v]; {
		case n == 0:
		case len(f.Verdicts) == 1:
			return string(v)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

// assumedValue writes what an assumption is.
func assumedValue(e *montecarlo.Effect) string {
	text := "their own"
	switch v := e.Value.(type) {
	case model.Dist:
		text = distribution(v)
	case time.Duration:
		text = human(sim.Seconds(v.Seconds()))
	case float64, int:
		text = fmt.Sprint(v)
	}
	if e.Default {
		text += " (default)"
	}
	return text
}
