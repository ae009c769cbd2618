package main

import (
	"io"
	"slices"

	"upsim/model"
	"upsim/reports"
	"upsim/sim"
)

// summarise keeps of a result what the comparison at the end shows.
func summarise(r *sim.Result) reports.Line {
	l := reports.Line{Scenario: r.Scenario, Strategy: r.Strategy, Verdict: r.Verdict, Makespan: r.MakespanSeconds,
		Evictions: r.Evictions, SurgeNodes: r.Surge.PeakNodes}
	l.CutOff = slices.ContainsFunc(r.Reasons, func(f model.Finding) bool { return f.Code == model.CutOff })
	for i := range r.Workloads {
		l.WorstDowntime = max(l.WorstDowntime, r.Workloads[i].SecondsZero)
	}
	return l
}

// summary ends several tables with one that holds their results against each other.
func (o *outputs) summary() error {
	if len(o.results) < 2 {
		return nil
	}
	return o.each(func(w io.Writer, format string, opts reports.TableOptions) error {
		if format != reports.FormatTable {
			return nil
		}
		return reports.Several(w, o.results, opts)
	})
}
