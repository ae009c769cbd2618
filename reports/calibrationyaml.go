package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"upsim/model"
	"upsim/model/calibrate"
)

// calibrationYAML writes what was measured as keys of a scenario, each with a
// comment on what it rests on; what was not measured, and what was left out, is in comments alone.
func calibrationYAML(w io.Writer, c *calibrate.Calibration) error {
	y := &commented{}
	y.comment(0, "Measured from "+inputsText(c.Inputs)+".")
	if coarse(c.Estimates) {
		y.comment(0, "Kubernetes writes times in whole seconds: each difference is known to within 1s, their mean far better.")
	}
	for _, l := range c.LeftOut {
		y.comment(0, fmt.Sprintf("Left out of %s: %d (%s), for instance %s.", l.Quantity, l.Count, l.Why, l.Example))
	}
	y.line(0, "assumptions:"+y.empty(c.Estimates))
	for _, e := range c.Estimates {
		if e.Of == (calibrate.Subject{}) && e.Quantity != calibrate.ControlPlaneNode {
			y.assumption(e, c.Estimates)
		}
	}
	for _, m := range together(c.Missing) {
		y.comment(2, fmt.Sprintf("Not measured, and left at the default: %s: %s; %s.", m.names, m.Why, m.Fix))
		if m.Command != "" {
			y.line(2, "#   "+m.Command)
		}
	}
	y.workloads(c.Estimates)
	y.controlPlane(c.Estimates)
	_, err := w.Write(y.buf.Bytes())
	return err
}

func coarse(list []calibrate.Estimate) bool {
	for _, e := range list {
		if e.Resolution.Seconds() >= 1 {
			return true
		}
	}
	return false
}

// commented collects YAML with comments.
type commented struct{ buf bytes.Buffer }

// mostComment is the longest line of a comment.
const mostComment = 110

func (y *commented) comment(indent int, text string) {
	lead := strings.Repeat(" ", indent) + "# "
	for _, line := range wrap(clean(text), mostComment-len(lead)) {
		y.buf.WriteString(lead + line + "\n")
	}
}

func (y *commented) line(indent int, text string) {
	y.buf.WriteString(strings.Repeat(" ", indent) + text + "\n")
}

// empty is what an assumptions block without any key has for a value.
func (y *commented) empty(list []calibrate.Estimate) string {
	for _, e := range list {
		if e.Use && e.Of == (calibrate.Subject{}) && e.Quantity != calibrate.ControlPlaneNode {
			return ""
		}
	}
	return " {}"
}

// assumption writes the estimate of all together, and in comments those of the pools.
func (y *commented) assumption(e calibrate.Estimate, list []calibrate.Estimate) {
	if e.Use {
		y.comment(2, basis(e))
	}
	if e.Quantity == calibrate.NodeBoot {
		y.comment(2, fmt.Sprintf("nodeBoot, %s: %s", e.Why, basis(e)))
	}
	for _, of := range list {
		if of.Quantity == e.Quantity && of.Of.Pool != "" {
			y.comment(2, fmt.Sprintf("  of %s: %s, %s, median %s", of.Of, count(of.N, "time"), rangeText(of), duration(of.Median)))
		}
	}
	if text := mixture(e, list); text != "" {
		y.comment(2, "Warning: "+text+".")
	}
	if e.Use {
		y.value(2, string(e.Quantity), e.Fit.Dist)
	}
}

// basis says what an estimate rests on.
func basis(e calibrate.Estimate) string {
	text := fmt.Sprintf("%s of %s, %s", count(e.N, "time"), whose(e), rangeText(e))
	if e.Of == (calibrate.Subject{}) {
		text += " (" + strings.Join(e.Sources, "; ") + ")"
	}
	if e.Fit != nil {
		text += "; " + fitText(e.Fit)
	}
	if e.OnlyPair() {
		text += ". Warning: " + onlyPair
	}
	return text
}

func (y *commented) value(indent int, key string, d model.Dist) {
	switch d.Kind {
	case model.Constant:
		y.line(indent, key+": "+duration(d.Value))
	case model.LogNormal:
		y.line(indent, fmt.Sprintf("%s: {p50: %s, p99: %s}", key, duration(d.P50), duration(d.P99)))
	default:
		y.line(indent, key+":")
		y.line(indent+2, "dist: "+string(d.Kind))
		y.line(indent+2, "values: ["+strings.Join(durations(d.Values), ", ")+"]")
	}
}

// workloads writes those whose times are not the others'.
func (y *commented) workloads(list []calibrate.Estimate) {
	var order []calibrate.Subject
	of := map[calibrate.Subject][]calibrate.Estimate{}
	for _, e := range list {
		if e.Use && e.Of.Name != "" {
			if of[e.Of] == nil {
				order = append(order, e.Of)
			}
			of[e.Of] = append(of[e.Of], e)
		}
	}
	if len(order) == 0 {
		return
	}
	y.comment(0, "Workloads with times of their own. Put these under the scenario's own `cluster`: beside `from` as they are, else into its entries of these names.")
	y.line(0, "cluster:")
	y.line(2, "workloads:")
	for _, s := range order {
		y.line(2, "- name: "+yamlWord(s.Name))
		if s.Namespace != model.DefaultNamespace {
			y.line(4, "namespace: "+yamlWord(s.Namespace))
		}
		for _, e := range of[s] {
			y.comment(4, basis(e))
			y.value(4, string(e.Quantity), e.Fit.Dist)
		}
	}
}

// controlPlane writes the time of a control-plane node.
func (y *commented) controlPlane(list []calibrate.Estimate) {
	for _, e := range list {
		if e.Use && e.Quantity == calibrate.ControlPlaneNode && e.Of == (calibrate.Subject{}) {
			y.comment(0, "Put this under the scenario's own `upgrade`.")
			y.line(0, "upgrade:")
			y.line(2, "controlPlane:")
			y.comment(4, basis(e))
			y.value(4, "perNode", e.Fit.Dist)
		}
	}
}
