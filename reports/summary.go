package reports

import (
	"io"
	"math"

	"upsim/model"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// summaryJSON is the published form of a sample: what a result has, over several seeds.
type summaryJSON struct {
	envelope
	Scenario           string            `json:"scenario"`
	Strategy           string            `json:"strategy"`
	From               string            `json:"from"`
	To                 string            `json:"to"`
	Seeds              seedsJSON         `json:"seeds"`
	Verdict            sim.Verdict       `json:"verdict"` // the gravest of all runs
	Verdicts           verdictsJSON      `json:"verdicts"`
	CutOff             int               `json:"cutOff"`
	Incomplete         int               `json:"incomplete"`
	MakespanSeconds    spreadJSON        `json:"makespanSeconds"`
	WorkingSeconds     spreadJSON        `json:"workingSeconds"`
	WaitingSeconds     spreadJSON        `json:"waitingSeconds"`
	DowntimeSeconds    spreadJSON        `json:"downtimeSeconds"`   // of the workload that was down longest
	BelowFloorSeconds  spreadJSON        `json:"belowFloorSeconds"` // of the workload that was so longest
	PendingSeconds     spreadJSON        `json:"pendingSeconds"`    // of the workload that was so longest
	Evictions          spreadJSON        `json:"evictions"`
	Deletions          spreadJSON        `json:"deletions"`
	EvictionsRefused   spreadJSON        `json:"evictionsRefused"`
	EvictionErrors     spreadJSON        `json:"evictionErrors"`
	PodsMovedAgain     spreadJSON        `json:"podsMovedAgain"`
	FinalPending       spreadJSON        `json:"finalPending"`
	Surge              surgeSpread       `json:"surge"`
	BlastRadius        blastSpread       `json:"blastRadius"`
	ControlPlane       controlPlaneTimes `json:"controlPlane"`
	Reasons            []foundJSON       `json:"reasons"`
	Workloads          []workloadSpread  `json:"workloads"`
	Worst              worstJSON         `json:"worst"`
	MakespanP50Seed    *uint64           `json:"makespanP50Seed"`
	MakespanP95Seed    *uint64           `json:"makespanP95Seed"`
	IntervalConfidence float64           `json:"intervalConfidence"`
}

type seedsJSON struct {
	First uint64 `json:"first"`
	Count int    `json:"count"`
	// Until is what --until-ci asked for, Narrow whether it was reached.
	Until  *float64 `json:"until,omitempty"`
	Narrow *bool    `json:"narrow,omitempty"`
}

// spreadJSON is a figure over the runs that started; an interval has null for an end that the runs do not tell, and is null
// where they tell neither.
type spreadJSON struct {
	P5    amount    `json:"p5"`
	P50   amount    `json:"p50"`
	P95   amount    `json:"p95"`
	Mean  amount    `json:"mean"`
	CI95  *interval `json:"ci95"` // of the mean
	N     int       `json:"n"`
	Min   amount    `json:"min"`
	Max   amount    `json:"max"`
	P5CI  *interval `json:"p5ci95"`
	P50CI *interval `json:"p50ci95"`
	P95CI *interval `json:"p95ci95"`
}

type (
	amount   = *sim.Seconds // null where there is none; written with at most six decimals
	interval [2]amount
)

type verdictsJSON struct {
	Aborted  shareJSON `json:"aborted"`
	Stuck    shareJSON `json:"stuck"`
	Violated shareJSON `json:"violated"`
	Safe     shareJSON `json:"safe"`
}

type shareJSON struct {
	Runs  int         `json:"runs"`
	Share sim.Seconds `json:"share"`
	CI95  interval    `json:"ci95"`
}

type surgeSpread struct {
	PeakNodes spreadJSON `json:"peakNodes"`
	NodeHours spreadJSON `json:"nodeHours"`
}

type blastSpread struct {
	Pods      spreadJSON `json:"pods"`
	Workloads spreadJSON `json:"workloads"`
}

type controlPlaneTimes struct {
	APIUnavailableSeconds spreadJSON `json:"apiUnavailableSeconds"`
	QuorumLostSeconds     spreadJSON `json:"quorumLostSeconds"`
}

type foundJSON struct {
	model.Finding
	Runs      int    `json:"runs"`
	FirstSeed uint64 `json:"firstSeed"`
}

type workloadSpread struct {
	Namespace         string     `json:"namespace"`
	Name              string     `json:"name"`
	Kind              string     `json:"kind"`
	Replicas          int        `json:"replicas"`
	MinReady          int        `json:"minReady"`
	DowntimeSeconds   spreadJSON `json:"downtimeSeconds"`
	BelowFloorSeconds spreadJSON `json:"belowFloorSeconds"`
	PendingSeconds    spreadJSON `json:"pendingSeconds"`
}

type worstJSON struct {
	Seed            uint64      `json:"seed"`
	Verdict         sim.Verdict `json:"verdict"`
	MakespanSeconds sim.Seconds `json:"makespanSeconds"`
	DowntimeSeconds sim.Seconds `json:"downtimeSeconds"`
	Digest          string      `json:"digest"`
}

// SummaryJSON writes a sample as one compact object of kind Summary and a newline. Until is the share that its intervals were
// to be narrow to, 0 where the number of seeds was given.
func SummaryJSON(w io.Writer, s *montecarlo.Sample, until float64) error {
	return writeJSON(w, summaryOf(s, until))
}

func summaryOf(s *montecarlo.Sample, until float64) summaryJSON {
	of := func(f montecarlo.Figure) spreadJSON { return spreadOf(s.Summary(f)) }
	verdicts := s.Verdicts()
	share := func(v sim.Verdict) shareJSON { return shareOf(verdicts[v], len(s.Runs)) }
	out := summaryJSON{envelope: envelopeOf("Summary"), Scenario: s.Scenario, Strategy: s.Strategy, From: s.From, To: s.To,
		Seeds: seedsJSON{First: s.Runs[0].Seed, Count: len(s.Runs)}, Verdict: s.Worst.Verdict,
		Verdicts: verdictsJSON{share(sim.Aborted), share(sim.Stuck), share(sim.Violated), share(sim.Safe)},
		CutOff:   s.Count(isCutOff), Incomplete: s.Count(isIncomplete),
		MakespanSeconds: of(montecarlo.Makespan), WorkingSeconds: of(montecarlo.Working), WaitingSeconds: of(montecarlo.Waiting),
		DowntimeSeconds: of(montecarlo.Downtime), BelowFloorSeconds: of(montecarlo.BelowFloor), PendingSeconds: of(montecarlo.Pending),
		Evictions: of(montecarlo.Evictions), Deletions: of(montecarlo.Deletions), EvictionsRefused: of(montecarlo.EvictionsRefused),
		EvictionErrors: of(montecarlo.EvictionErrors), PodsMovedAgain: of(montecarlo.MovedAgain), FinalPending: of(montecarlo.FinalPending),
		Surge:        surgeSpread{of(montecarlo.PeakNodes), of(montecarlo.NodeHours)},
		BlastRadius:  blastSpread{of(montecarlo.BlastPods), of(montecarlo.BlastWorkloads)},
		ControlPlane: controlPlaneTimes{of(montecarlo.APIUnavailable), of(montecarlo.QuorumLost)},
		Reasons:      []foundJSON{}, Workloads: []workloadSpread{},
		Worst: worstJSON{s.Worst.Seed, s.Worst.Verdict, sim.Seconds(s.Worst.Figures[montecarlo.Makespan]),
			sim.Seconds(s.Worst.Figures[montecarlo.Downtime]), s.WorstDigest},
		MakespanP50Seed: seedAt(s, 0.5), MakespanP95Seed: seedAt(s, 0.95), IntervalConfidence: montecarlo.Confidence}
	if until > 0 {
		narrow := s.Narrow(until)
		out.Seeds.Until, out.Seeds.Narrow = &until, &narrow
	}
	for _, f := range s.Findings() {
		out.Reasons = append(out.Reasons, foundJSON{f.Finding, f.Runs, f.FirstSeed})
	}
	for _, w := range s.Workloads() {
		out.Workloads = append(out.Workloads, workloadSpread{w.Namespace, w.Name, w.Kind, w.Replicas, w.MinReady,
			spreadOf(s.SummaryOf(w.Downtime)), spreadOf(s.SummaryOf(w.BelowFloor)), spreadOf(s.SummaryOf(w.Pending))})
	}
	return out
}

func isCutOff(r *montecarlo.Run) bool     { return r.CutOff }
func isIncomplete(r *montecarlo.Run) bool { return r.Incomplete }

// isLimited reports whether workers stay old because the scenario says so.
func isLimited(r *montecarlo.Run) bool { return r.Partial && !r.Incomplete && !r.NotStarted }

func seedAt(s *montecarlo.Sample, p float64) *uint64 {
	if seed, ok := s.SeedAt(p); ok {
		return &seed
	}
	return nil
}

func shareOf(runs, of int) shareJSON {
	low, high := montecarlo.Wilson(runs, of)
	return shareJSON{runs, sim.Seconds(float64(runs) / float64(of)), interval{amountOf(low), amountOf(high)}}
}

func spreadOf(s montecarlo.Summary) spreadJSON {
	if s.N == 0 {
		return spreadJSON{}
	}
	return spreadJSON{P5: amountOf(s.P5), P50: amountOf(s.P50), P95: amountOf(s.P95), Mean: amountOf(s.Mean), CI95: intervalOf(s.MeanInterval()), N: s.N,
		Min: amountOf(s.Min), Max: amountOf(s.Max), P5CI: intervalOf(s.P5Interval), P50CI: intervalOf(s.P50Interval), P95CI: intervalOf(s.P95Interval)}
}

func amountOf(x float64) amount {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	s := sim.Seconds(x)
	return &s
}

func intervalOf(i montecarlo.Interval) *interval {
	out := interval{amountOf(i.Low), amountOf(i.High)}
	if out[0] == nil && out[1] == nil {
		return nil
	}
	return &out
}
