package reports

import (
	"fmt"
	"io"
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
	Name           string      `json:"name"`
	Default        bool        `json:"default"`
	Less           figuresJSON `json:"less"`
	More           figuresJSON `json:"more"`
	VerdictsTurned int         `json:"verdictsTurned"`
	Told           bool        `json:"told"`
}

type figuresJSON struct {
	MakespanSeconds   sim.Seconds         `json:"makespanSeconds"`
	DowntimeSeconds   sim.Seconds         `json:"downtimeSeconds"`
	BelowFloorSeconds sim.Seconds         `json:"belowFloorSeconds"`
	Verdicts          map[sim.Verdict]int `json:"verdicts"`
}

func figuresOf(f *montecarlo.Figures) figuresJSON {
	return figuresJSON{f.Makespan, f.Downtime, f.BelowFloor, f.Verdicts}
}

// SensitivityJSON writes a sensitivity as one compact object and a newline.
func SensitivityJSON(w io.Writer, sc *model.Scenario, strategy string, s *montecarlo.Sensitivity) error {
	out := sensitivityJSON{envelope: envelopeOf("Sensitivity"), Scenario: sc.Name, Strategy: strategy, Seeds: s.Seeds, Change: montecarlo.Change,
		AsIs: figuresOf(&s.As), Assumptions: []effectsJSON{}}
	for i := range s.Effects {
		e := &s.Effects[i]
		out.Assumptions = append(out.Assumptions, effectsJSON{e.Assumption, e.Default, figuresOf(&e.Less), figuresOf(&e.More), e.Turned, e.Told})
	}
	return writeJSON(w, out)
}

// SensitivityTable says which assumptions move the result most if they are a
// fifth less or more, the weightiest first, and which move nothing. It begins with an empty line, to follow a result.
func SensitivityTable(w io.Writer, s *montecarlo.Sensitivity, opts TableOptions) error {
	p := newPage(opts)
	p.buf.WriteByte('\n')
	p.buf.WriteString("Sensitivity:\n")
	p.text(2, fmt.Sprintf("as it is: makespan %s, down %s and below budgets %s over all workloads, %s (means of %s)",
		human(s.As.Makespan), orNone(s.As.Downtime), orNone(s.As.BelowFloor), verdicts(&s.As), count(s.Seeds, "seed")))
	figures := []struct {
		head string
		of   func(*montecarlo.Figures) sim.Seconds
	}{
		{"MAKESPAN", func(f *montecarlo.Figures) sim.Seconds { return f.Makespan }},
		{"DOWN", func(f *montecarlo.Figures) sim.Seconds { return f.Downtime }},
		{"BELOW-PDB", func(f *montecarlo.Figures) sim.Seconds { return f.BelowFloor }},
	}
	var moving []*montecarlo.Effect
	var still []string
	turned, chance := false, false
	for i := range s.Effects {
		e := &s.Effects[i]
		if s.Moves(e) {
			moving = append(moving, e)
			turned, chance = turned || e.Turned > 0, chance || !e.Told
		} else {
			still = append(still, e.Assumption)
		}
	}
	columns := []compared{{column: column{head: "ASSUMPTION", flex: true}}, {column: column{head: "IS", flex: true}}}
	for _, e := range moving {
		name := e.Assumption
		if !e.Told {
			name += " ?"
		}
		columns[0].cells, columns[1].cells = append(columns[0].cells, name), append(columns[1].cells, assumedValue(e))
	}
	for _, f := range figures {
		less, more := compared{column: column{head: f.head + " IF LESS", right: true}}, compared{column: column{head: "IF MORE", right: true}}
		moves := false
		for _, e := range moving {
			l, m := by(f.of(&e.Less), f.of(&s.As)), by(f.of(&e.More), f.of(&s.As))
			less.cells, more.cells = append(less.cells, l), append(more.cells, m)
			moves = moves || l != "-" || m != "-"
		}
		if moves {
			columns = append(columns, less, more)
		}
	}
	if turned {
		verdict := compared{column: column{head: "VERDICT", flex: true}}
		for _, e := range moving {
			text := "-"
			if e.Turned > 0 {
				text = verdicts(&e.Less) + " if less, " + verdicts(&e.More) + " if more"
			}
			verdict.cells = append(verdict.cells, text)
		}
		columns = append(columns, verdict)
	}
	if len(moving) > 0 {
		p.grid(gridOf(columns), tableIndent)
	}
	if chance {
		p.text(2, fmt.Sprintf("?: %s do not tell this from chance; give more with --seeds", count(s.Seeds, "seed")))
	}
	if len(still) > 0 {
		p.text(2, "moves nothing by half a percent: "+strings.Join(still, ", "))
	}
	p.buf.WriteByte('\n')
	switch {
	case len(moving) > 0 && moving[0].Told:
		p.text(0, "Measure "+moving[0].Assumption+" first: a fifth less or more of it moves the result most.")
	case len(moving) > 0:
		p.text(0, "What a fifth less or more of an assumption does here may be chance: give more seeds with --seeds.")
	default:
		p.text(0, "No assumption moves the result by half a percent if it is a fifth less or more.")
	}
	return p.writeTo(w)
}

// by is how far a figure has moved.
func by(now, was sim.Seconds) string {
	d := now - was
	switch {
	case d > -0.05 && d < 0.05:
		return "-"
	case d < 0:
		return "-" + human(-d)
	}
	return "+" + human(d)
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
