package reports

import (
	"time"

	"upsim/model"
	"upsim/model/calibrate"
)

// calibrationJSON is the published form of a calibration.
type calibrationJSON struct {
	envelope
	Inputs    []inputJSON    `json:"inputs"`
	Estimates []estimateJSON `json:"estimates"`
	LeftOut   []leftOutJSON  `json:"leftOut"`
	Missing   []missingJSON  `json:"missing"`
}

type inputJSON struct {
	File      string `json:"file"`
	Recording bool   `json:"recording"`
	Pods      int    `json:"pods"`
	Nodes     int    `json:"nodes"`
	Events    int    `json:"events"`
}

type estimateJSON struct {
	Quantity          calibrate.Quantity `json:"quantity"`
	Namespace         string             `json:"namespace,omitempty"`
	Workload          string             `json:"workload,omitempty"`
	Kind              model.Kind         `json:"kind,omitempty"`
	Pool              string             `json:"pool,omitempty"`
	Others            bool               `json:"others"`
	Apart             bool               `json:"apart"`
	N                 int                `json:"n"`
	OnlyPair          bool               `json:"onlyPair"`
	MinSeconds        float64            `json:"minSeconds"`
	MedianSeconds     float64            `json:"medianSeconds"`
	MaxSeconds        float64            `json:"maxSeconds"`
	ResolutionSeconds float64            `json:"resolutionSeconds"`
	Sources           []string           `json:"sources"`
	// Fit is null where there are too few times.
	Fit  *fitJSON `json:"fit"`
	Used bool     `json:"used"`
	Why  string   `json:"why,omitempty"`
}

// fitJSON is a distribution; value has the form of a scenario, the distances are null where no lognormal was tried.
type fitJSON struct {
	Dist    model.DistKind `json:"dist"`
	Value   any            `json:"value"`
	KS      *float64       `json:"ks"`
	KSBound *float64       `json:"ksBound"`
}

type leftOutJSON struct {
	Quantity calibrate.Quantity `json:"quantity"`
	Count    int                `json:"count"`
	Why      string             `json:"why"`
	Example  string             `json:"example"`
}

type missingJSON struct {
	Quantity calibrate.Quantity `json:"quantity"`
	Why      string             `json:"why"`
	Fix      string             `json:"fix"`
	Command  string             `json:"command,omitempty"`
}

func calibrationJSONOf(c *calibrate.Calibration) calibrationJSON {
	out := calibrationJSON{envelopeOf("Calibration"), []inputJSON{}, []estimateJSON{}, []leftOutJSON{}, []missingJSON{}}
	for _, in := range c.Inputs {
		out.Inputs = append(out.Inputs, inputJSON{in.Name, in.Recording, in.Pods, in.Nodes, in.Events})
	}
	for _, e := range c.Estimates {
		row := estimateJSON{
			Quantity: e.Quantity, Namespace: e.Of.Namespace, Workload: e.Of.Name, Kind: e.Of.Kind, Pool: e.Of.Pool, Others: e.Others,
			Apart: e.Apart, N: e.N, OnlyPair: e.OnlyPair(),
			MinSeconds: e.Min.Seconds(), MedianSeconds: e.Median.Seconds(), MaxSeconds: e.Max.Seconds(),
			ResolutionSeconds: e.Resolution.Seconds(), Sources: orEmpty(e.Sources), Used: e.Use, Why: e.Why,
		}
		if f := e.Fit; f != nil {
			row.Fit = &fitJSON{Dist: f.Kind, Value: valueJSON(f.Dist)}
			if f.D > 0 {
				row.Fit.KS, row.Fit.KSBound = &f.D, &f.Bound
			}
		}
		out.Estimates = append(out.Estimates, row)
	}
	for _, l := range c.LeftOut {
		out.LeftOut = append(out.LeftOut, leftOutJSON{l.Quantity, l.Count, l.Why, l.Example})
	}
	for _, m := range c.Missing {
		out.Missing = append(out.Missing, missingJSON(m))
	}
	return out
}

// valueJSON is a distribution as a scenario has it.
func valueJSON(d model.Dist) any {
	switch d.Kind {
	case model.Constant:
		return duration(d.Value)
	case model.LogNormal:
		return struct {
			P50 string `json:"p50"`
			P99 string `json:"p99"`
		}{duration(d.P50), duration(d.P99)}
	}
	return struct {
		Dist   model.DistKind `json:"dist"`
		Values []string       `json:"values"`
	}{d.Kind, durations(d.Values)}
}

func durations(list []time.Duration) []string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = duration(d)
	}
	return out
}
