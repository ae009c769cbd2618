package bench

import (
	"fmt"
	"maps"
	"slices"

	"upsim/sim"
)

// figure is one number that is compared.
type figure struct {
	name  string
	kind  kind
	value float64
}

// outcome is one run, or the record, reduced to what is compared.
type outcome struct {
	figures  []figure
	drains   map[string]string // by node: drained, or what else became of it
	versions map[string]int
}

// numbers are the figures of one workload or one record before they are flattened.
type numbers struct {
	makespan                            float64
	evictions, refused, errors, pending float64
	workloads                           []workloadNumbers
	drainSeconds                        []float64
}

type workloadNumbers struct {
	name                             string
	minReady, below, zero, evictions float64
}

// recordedOutcome reduces a record. Its drains say drained, or failed for any other end.
func recordedOutcome(s Summary) outcome {
	n := numbers{
		makespan:  s.MakespanSeconds,
		evictions: float64(s.Evictions),
		refused:   float64(s.EvictionsRefused),
		errors:    float64(s.EvictionErrors),
		pending:   float64(s.FinalPending),
	}
	for _, name := range slices.Sorted(maps.Keys(s.Workloads)) {
		w := s.Workloads[name]
		n.workloads = append(n.workloads, workloadNumbers{name, float64(w.MinReady), w.SecondsBelow, w.SecondsZero, float64(w.Evictions)})
	}
	drains := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s.Drains)) {
		d := s.Drains[name]
		n.drainSeconds = append(n.drainSeconds, d.Seconds)
		drains[name] = "drained"
		if d.Code != 0 {
			drains[name] = "failed"
		}
	}
	return outcome{n.flatten(), drains, s.FinalVersions}
}

// simulatedOutcome reduces a run to what the record has. It fails when the
// run lacks a workload or a node of the record.
func simulatedOutcome(r *sim.Result, want Summary) (outcome, error) {
	n := numbers{
		makespan:  float64(r.MakespanSeconds),
		evictions: float64(r.Evictions),
		refused:   float64(r.EvictionsRefused),
		errors:    float64(r.EvictionErrors),
		pending:   float64(r.FinalPending),
	}
	workloads := map[string]*sim.WorkloadResult{}
	for i := range r.Workloads {
		workloads[r.Workloads[i].Name] = &r.Workloads[i]
	}
	for _, name := range slices.Sorted(maps.Keys(want.Workloads)) {
		w := workloads[name]
		if w == nil {
			return outcome{}, fmt.Errorf("the result has no workload %s", name)
		}
		n.workloads = append(n.workloads, workloadNumbers{name, float64(w.MinReady), float64(w.SecondsBelow), float64(w.SecondsZero), float64(w.Evictions)})
	}
	nodes := map[string]*sim.NodeResult{}
	for i := range r.Nodes {
		nodes[r.Nodes[i].Name] = &r.Nodes[i]
	}
	drains := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(want.Drains)) {
		d := nodes[name]
		if d == nil {
			return outcome{}, fmt.Errorf("the result has no node %s", name)
		}
		n.drainSeconds = append(n.drainSeconds, float64(d.DrainSeconds))
		drains[name] = d.DrainResult
	}
	return outcome{n.flatten(), drains, r.FinalVersions}, nil
}

// flatten names the figures. Up to five workloads stand for themselves, more
// are compared by their means and the least.
func (n numbers) flatten() []figure {
	list := []figure{
		{"makespanSeconds", kindMakespan, n.makespan},
		{"evictions", kindEvictions, n.evictions},
		{"evictionsRefused", kindRefused, n.refused},
		{"evictionErrors", kindErrors, n.errors},
		{"finalPending", kindPending, n.pending},
	}
	if len(n.workloads) <= severalWorkloads {
		for _, w := range n.workloads {
			list = append(list,
				figure{w.name + ".minReady", kindMinReady, w.minReady},
				figure{w.name + ".secondsBelow", kindBelow, w.below},
				figure{w.name + ".secondsZero", kindZero, w.zero},
				figure{w.name + ".evictions", kindWorkloadEvictions, w.evictions})
		}
	} else {
		var ready, belows, zeros []float64
		for _, w := range n.workloads {
			ready = append(ready, w.minReady)
			belows = append(belows, w.below)
			zeros = append(zeros, w.zero)
		}
		list = append(list,
			figure{"mean.minReady", kindMeanMinReady, mean(ready)},
			figure{"mean.secondsBelow", kindMeanBelow, mean(belows)},
			figure{"mean.secondsZero", kindMeanZero, mean(zeros)},
			figure{"least.minReady", kindLeastMinReady, slices.Min(ready)})
	}
	if len(n.drainSeconds) > 0 {
		list = append(list, figure{"meanDrainSeconds", kindMeanDrain, mean(n.drainSeconds)})
	}
	return list
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// quantile is the q-quantile of v, interpolated linearly between its order statistics.
func quantile(v []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(v))
	i := q * float64(len(s)-1)
	lo := int(i)
	hi := min(lo+1, len(s)-1)
	return s[lo] + float64((s[hi]-s[lo])*(i-float64(lo)))
}
