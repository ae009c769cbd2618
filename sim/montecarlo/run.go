package montecarlo

import (
	"upsim/model"
	"upsim/sim"
)

// Figure is a number that every run has.
type Figure int

// The figures. Times are in seconds and count as those of sim.Result do.
const (
	Makespan Figure = iota
	Working
	Waiting
	// Downtime is the longest that a workload had no ready replica, all its outages together, also beyond the end;
	// DowntimeOfAll sums that over all workloads.
	Downtime
	DowntimeOfAll
	// BelowFloor is the longest that a workload had fewer ready replicas than its budget wants; BelowFloorOfAll sums that over all.
	BelowFloor
	BelowFloorOfAll
	// Pending is the longest that a workload had a pod that waited for a node.
	Pending
	Evictions
	Deletions
	EvictionsRefused
	EvictionErrors
	// MovedAgain counts the pods that moved more than once.
	MovedAgain
	FinalPending
	// PeakNodes is the greatest number of extra nodes, NodeHours the time that they cost, in hours.
	PeakNodes
	NodeHours
	// BlastPods and BlastWorkloads are what a bad version reached, until a gate failed.
	BlastPods
	BlastWorkloads
	APIUnavailable
	QuorumLost
	// Missing is the largest share of its replicas that a workload with several had not ready.
	Missing
	Warnings
	figureCount
)

// Run is what is kept of one run: numbers and its verdict, nothing that grows with the cluster.
type Run struct {
	Seed    uint64
	Verdict sim.Verdict
	// NotStarted: the upgrade was refused before it began, so that there are no figures of it.
	NotStarted bool
	// CutOff: a limit ended the run, which then has no verdict.
	CutOff bool
	// Partial: workers are left that are older than the target, as with `limit`.
	Partial bool
	// Incomplete: the upgrade did not reach all that it was to reach.
	Incomplete bool
	// Events is how many the engine handled.
	Events  uint64
	Figures [figureCount]float64
}

// Ended reports whether the upgrade began and reached all that it was to reach.
func (r *Run) Ended() bool { return !r.NotStarted && !r.Incomplete && !r.CutOff }

// RunOf keeps of a result what statistics need.
func RunOf(r *sim.Result) Run {
	x := Run{Seed: r.Seed, Verdict: r.Verdict, Events: r.Engine.Events, NotStarted: !r.Started(), CutOff: r.CutOff(), Partial: partial(r)}
	x.Incomplete = x.CutOff || r.Verdict == sim.Aborted || r.Verdict == sim.Stuck || r.Has(model.UpgradeIncomplete)
	f := &x.Figures
	f[Makespan], f[Working], f[Waiting] = float64(r.MakespanSeconds), float64(r.WorkingSeconds), float64(r.WaitingSeconds)
	f[Evictions], f[Deletions] = float64(r.Evictions), float64(r.Deletions)
	f[EvictionsRefused], f[EvictionErrors] = float64(r.EvictionsRefused), float64(r.EvictionErrors)
	f[FinalPending] = float64(r.FinalPending)
	f[PeakNodes], f[NodeHours] = float64(r.Surge.PeakNodes), float64(r.Surge.NodeHours)
	f[BlastPods], f[BlastWorkloads] = float64(r.BlastRadius.Pods), float64(r.BlastRadius.Workloads)
	f[APIUnavailable], f[QuorumLost] = float64(r.ControlPlane.APIUnavailableSeconds), float64(r.ControlPlane.QuorumLostSeconds)
	for i := range r.Workloads {
		addWorkload(f, &r.Workloads[i])
	}
	for _, reason := range r.Reasons {
		if reason.Severity == model.SeverityWarning {
			f[Warnings]++
		}
	}
	return x
}

// addWorkload adds what happened to one workload.
func addWorkload(f *[figureCount]float64, w *sim.WorkloadResult) {
	down, below := float64(w.SecondsZero+w.SecondsZeroBeyond), float64(w.SecondsBelowFloor)
	f[Downtime], f[BelowFloor] = max(f[Downtime], down), max(f[BelowFloor], below)
	f[DowntimeOfAll] += down
	f[BelowFloorOfAll] += below
	f[Pending] = max(f[Pending], float64(w.SecondsPending))
	f[MovedAgain] += float64(w.PodsMovedAgain)
	if w.Replicas > 1 && w.Kind != "DaemonSet" && w.Kind != "Job" {
		f[Missing] = max(f[Missing], float64(w.Replicas-w.MinReady)/float64(w.Replicas))
	}
}

// partial reports whether workers are left that are older than the target.
func partial(r *sim.Result) bool {
	to, err := model.ParseVersion(r.To)
	if err != nil {
		return false
	}
	for v := range r.FinalVersions {
		if have, err := model.ParseVersion(v); err == nil && have.Compare(to) < 0 {
			return true
		}
	}
	return false
}
