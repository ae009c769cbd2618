package model

import (
	"fmt"
	"slices"
	"time"
)

// distFields are the keys of each distribution, in the order of the format's page.
var distFields = map[DistKind][]string{
	Constant:    {"value"},
	Uniform:     {"min", "max"},
	Exponential: {"mean"},
	Normal:      {"mean", "stddev"},
	LogNormal:   {"p50", "p99"},
	Triangular:  {"min", "mode", "max"},
	Empirical:   {"values"},
}

// dist reads a time: a duration, or a distribution.
func (d *decoder) dist(p *Dist) func(*node) {
	return func(n *node) {
		before := len(d.found)
		var v Dist
		if n.kind == mappingNode {
			v = d.distribution(n)
		} else if t, ok := d.durationOf(n); ok {
			v = Const(t)
		}
		if len(d.found) == before {
			*p = v
		}
	}
}

func (d *decoder) optDist(p **Dist) func(*node) {
	return func(n *node) {
		before := len(d.found)
		var v Dist
		if d.dist(&v)(n); len(d.found) == before {
			*p = &v
		}
	}
}

func (d *decoder) distribution(n *node) Dist {
	v := Dist{Kind: LogNormal}
	words := []DistKind{Constant, Uniform, Exponential, Normal, LogNormal, Triangular, Empirical}
	kind := n.get("dist")
	if kind != nil {
		before := len(d.found)
		if oneOf(d, &v.Kind, words...)(kind); len(d.found) > before {
			return v
		}
	} else if n.get("p50") == nil && n.get("p99") == nil {
		d.fault(n, "say which distribution it is (dist: uniform, …), or give p50 and p99")
		return v
	}
	wanted := distFields[v.Kind]
	all := []field{may("dist", nil)}
	places := []struct {
		name string
		read func(*node)
	}{
		{"value", d.duration(&v.Value)},
		{"min", d.duration(&v.Min)}, {"mode", d.duration(&v.Mode)}, {"max", d.duration(&v.Max)},
		{"mean", d.duration(&v.Mean)}, {"stddev", d.duration(&v.StdDev)},
		{"p50", d.duration(&v.P50)}, {"p99", d.duration(&v.P99)},
		{"values", d.list(func(item *node) {
			if t, ok := d.durationOf(item); ok {
				v.Values = append(v.Values, t)
			}
		})},
	}
	for _, p := range places {
		if slices.Contains(wanted, p.name) {
			all = append(all, must(p.name, p.read))
			continue
		}
		all = append(all, may(p.name, func(x *node) {
			d.fault(x, "does not belong to the distribution %s, which has %s", v.Kind, alternatives(wanted))
		}))
	}
	before := len(d.found)
	if d.object(n, all...); len(d.found) > before {
		return v
	}
	if wrong := v.problem(); wrong != "" {
		d.fault(n, "%s", wrong)
	}
	slices.Sort(v.Values)
	return v
}

// problem says what keeps the figures from being a distribution; "" means nothing does.
func (d Dist) problem() string {
	order := func(a string, x time.Duration, b string, y time.Duration) string {
		if x > y {
			return fmt.Sprintf("%s (%v) is greater than %s (%v)", a, x, b, y)
		}
		return ""
	}
	switch d.Kind {
	case Uniform:
		return order("min", d.Min, "max", d.Max)
	case Triangular:
		if wrong := order("min", d.Min, "mode", d.Mode); wrong != "" {
			return wrong
		}
		return order("mode", d.Mode, "max", d.Max)
	case Exponential:
		if d.Mean == 0 {
			return "mean must be above 0s"
		}
	case LogNormal:
		if d.P50 == 0 {
			return "p50 must be above 0s"
		}
		return order("p50", d.P50, "p99", d.P99)
	case Empirical:
		if len(d.Values) == 0 {
			return "values must not be empty"
		}
	}
	return ""
}
