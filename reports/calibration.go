package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"upsim/model"
	"upsim/model/calibrate"
)

// Calibration writes what a calibration measured: as a table for people, as
// JSON, or as YAML to paste into a scenario.
func Calibration(w io.Writer, c *calibrate.Calibration, format string, opts TableOptions) error {
	switch format {
	case FormatJSON:
		return writeJSON(w, calibrationJSONOf(c))
	case FormatYAML:
		return calibrationYAML(w, c)
	case FormatTable:
		p := newPage(opts)
		p.calibration(c)
		return p.writeTo(w)
	}
	return fmt.Errorf("unknown format %q; the formats are %s, %s and %s", format, FormatTable, FormatJSON, FormatYAML)
}

func (p *page) calibration(c *calibrate.Calibration) {
	lead := "calibration: "
	p.para(lead, cells(lead), inputsText(c.Inputs), len(lead))
	used, unused := split(c.Estimates)
	if len(used) > 0 {
		p.measured(used, c.Estimates)
	}
	if len(unused) > 0 {
		p.section("Seen, and not used")
		g := grid{columns: []column{{"WHAT", false, false}, {"OF", false, true}, {"TIMES", true, false}, {"FROM-TO", false, false},
			{"MEDIAN", true, false}, {"WHY", false, true}}}
		rows := p.limit(len(unused), mostRows)
		for _, e := range unused[:rows] {
			g.add(string(e.Quantity), whose(e), itoa(e.N), rangeText(e), duration(e.Median), e.Why)
		}
		p.grid(&g, tableIndent)
		if rows < len(unused) {
			p.text(tableIndent, more(len(unused)-rows, "row")+" (-v shows all)")
		}
	}
	if len(c.LeftOut) > 0 {
		p.section("Left out")
		g := grid{columns: []column{{"WHAT", false, false}, {"TIMES", true, false}, {"WHY", false, true}, {"FOR-INSTANCE", false, true}}}
		for _, l := range c.LeftOut {
			g.add(string(l.Quantity), itoa(l.Count), l.Why, l.Example)
		}
		p.grid(&g, tableIndent)
	}
	if len(c.Missing) > 0 {
		p.section("Not measured, and left at the default")
		for _, m := range together(c.Missing) {
			p.para("  - ", 4, m.names+": "+m.Why, 4)
			p.para("    -> ", 7, m.Fix, 7)
			if m.Command != "" {
				p.buf.WriteString("       " + m.Command + "\n")
			}
		}
	}
	p.buf.WriteByte('\n')
	if len(used) == 0 {
		p.text(0, "Next: nothing was measured; nothing to paste.")
		return
	}
	p.text(0, "Next: -o yaml writes what was measured as keys of a scenario, to be pasted.")
}

// measured lists what goes into a scenario, with warnings about it.
func (p *page) measured(used, all []calibrate.Estimate) {
	p.section("Measured")
	g := grid{columns: []column{{"WHAT", false, false}, {"OF", false, true}, {"VALUE", false, true}, {"DEFAULT", false, true},
		{"TIMES", true, false}, {"FROM-TO", false, false}, {"FIT", false, false}, {"KS", false, true}}}
	for _, e := range used {
		g.add(string(e.Quantity), whose(e), valueText(e.Fit.Dist), defaultText(e.Quantity), itoa(e.N), rangeText(e), kindText(e), ksText(e.Fit))
	}
	p.grid(&g, tableIndent)
	p.text(tableIndent, "FIT: constant where the times agree; lognormal, written p50/p99, where it passes; else empirical, the times themselves")
	p.text(tableIndent, "KS: Kolmogorov-Smirnov distance to the nearest lognormal, and the most that passes; - where none was tried")
	if slices.ContainsFunc(used, func(e calibrate.Estimate) bool { return e.OnlyPair() }) {
		p.text(tableIndent, "of 2: "+onlyPair)
	}
	for _, e := range used {
		if text := mixture(e, all); text != "" {
			p.text(tableIndent, string(e.Quantity)+": "+text)
		}
	}
}

// lack is what several assumptions miss for the same reason.
type lack struct {
	calibrate.Missing
	names string
}

// together puts the assumptions in one that miss the same, each with its default.
func together(list []calibrate.Missing) []lack {
	var out []lack
	for _, m := range list {
		name := fmt.Sprintf("%s (%s)", m.Quantity, defaultText(m.Quantity))
		if n := len(out); n > 0 && out[n-1].Why == m.Why && out[n-1].Fix == m.Fix {
			out[n-1].names += ", " + name
			continue
		}
		out = append(out, lack{m, name})
	}
	return out
}

// split tells the estimates that go into a scenario from the others.
func split(list []calibrate.Estimate) (used, unused []calibrate.Estimate) {
	for _, e := range list {
		if e.Use {
			used = append(used, e)
		} else {
			unused = append(unused, e)
		}
	}
	return used, unused
}

func inputsText(list []calibrate.Input) string {
	var parts []string
	for _, in := range list {
		if in.Recording {
			parts = append(parts, fmt.Sprintf("%s (a recording of %s)", in.Name, count(in.Events, "event")))
		} else {
			parts = append(parts, fmt.Sprintf("%s (%s, %s, %s)", in.Name, count(in.Pods, "pod"), count(in.Nodes, "node"), count(in.Events, "event")))
		}
	}
	return strings.Join(parts, ", ")
}

// whose says of what subject an estimate is.
func whose(e calibrate.Estimate) string {
	switch {
	case e.Of != (calibrate.Subject{}):
		return e.Of.String()
	case e.Others:
		return "the others"
	case len(e.From) == 1 && e.From[0] != (calibrate.Subject{}):
		return "all, from " + e.From[0].String()
	}
	return "all"
}

func rangeText(e calibrate.Estimate) string {
	if e.Min == e.Max {
		return duration(e.Min)
	}
	return duration(e.Min) + "-" + duration(e.Max)
}

// valueText is a distribution in the words of a scenario, as short as a table needs.
func valueText(d model.Dist) string {
	switch d.Kind {
	case model.Constant:
		return duration(d.Value)
	case model.LogNormal:
		return duration(d.P50) + "/" + duration(d.P99)
	}
	return fmt.Sprintf("%d values, median %s", len(d.Values), duration(d.Quantile(0.5)))
}

// defaultText is what a scenario assumes by itself; nothing where it has no such key.
func defaultText(q calibrate.Quantity) string {
	a := model.DefaultAssumptions()
	if q == calibrate.ControlPlaneNode {
		q = calibrate.NodeUpgrade
	}
	for _, n := range a.Numbers() {
		if n.Name == string(q) && n.Time != nil {
			return valueText(*n.Time)
		}
	}
	return ""
}

// onlyPair warns of a value that rests on two times.
const onlyPair = "no third time tells whether the two are right; check the value, or measure more"

// kindText names the distribution, and marks one of two times.
func kindText(e calibrate.Estimate) string {
	if e.OnlyPair() {
		return string(e.Fit.Kind) + " of 2"
	}
	return string(e.Fit.Kind)
}

// mixture warns of one value for pools whose times differ; nothing where they do not.
func mixture(e calibrate.Estimate, list []calibrate.Estimate) string {
	if !e.Use || e.Of != (calibrate.Subject{}) || !slices.ContainsFunc(list, func(of calibrate.Estimate) bool {
		return of.Quantity == e.Quantity && of.Of.Pool != "" && of.Apart
	}) {
		return ""
	}
	return "the pools differ and a scenario has one value for all, so this is a mixture that is right of none; simulate each pool in a scenario of its own"
}

// fitText says how well the distribution fits.
func fitText(f *calibrate.Fit) string {
	switch {
	case f.Kind == model.Constant:
		return "constant, since they agree"
	case f.Kind == model.LogNormal:
		return fmt.Sprintf("lognormal, Kolmogorov-Smirnov D %.3f where at most %.3f passes", f.D, f.Bound)
	case f.D > 0:
		return fmt.Sprintf("the times themselves, since a lognormal fits poorly: Kolmogorov-Smirnov D %.3f where at most %.3f passes", f.D, f.Bound)
	}
	return "the times themselves, since they are too few for a lognormal"
}

// ksText is the same as a figure; nothing where no lognormal was tried.
func ksText(f *calibrate.Fit) string {
	if f.D == 0 {
		return ""
	}
	text := fmt.Sprintf("%.3f/%.3f", f.D, f.Bound)
	if f.D > f.Bound {
		text += " poor"
	}
	return text
}
