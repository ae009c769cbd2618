package sim

import "upsim/model"

// Verdict is the one-word answer of a run.
type Verdict string

// The verdicts; the first that applies, in this order, is the run's.
const (
	Aborted  Verdict = "aborted"
	Stuck    Verdict = "stuck"
	Violated Verdict = "violated"
	Safe     Verdict = "safe"
)

// KindResult is the kind of a Result in JSON.
const KindResult = "Result"

// Result is what one run found. Its JSON form is a published contract: keys
// may be added, none renamed. Times are seconds since the upgrade began.
type Result struct {
	APIVersion      string          `json:"apiVersion"`
	Kind            string          `json:"kind"`
	Scenario        string          `json:"scenario"`
	Strategy        string          `json:"strategy"`
	Seed            uint64          `json:"seed"`
	From            string          `json:"from"`
	To              string          `json:"to"`
	Verdict         Verdict         `json:"verdict"`
	Reasons         []model.Finding `json:"reasons"`
	MakespanSeconds Seconds         `json:"makespanSeconds"`
	// Of the makespan, the time in which the upgrade was at work, and that in which it did nothing but wait for a maintenance window.
	WorkingSeconds   Seconds           `json:"workingSeconds"`
	WaitingSeconds   Seconds           `json:"waitingSeconds"`
	Phases           []Phase           `json:"phases"`
	Violations       []Violation       `json:"violations"`
	Workloads        []WorkloadResult  `json:"workloads"`
	Nodes            []NodeResult      `json:"nodes"`
	Budgets          []BudgetResult    `json:"budgets"`
	Evictions        int64             `json:"evictions"`
	Deletions        int64             `json:"deletions"`
	EvictionsRefused int64             `json:"evictionsRefused"`
	EvictionErrors   int64             `json:"evictionErrors"`
	FinalPending     int               `json:"finalPending"`
	FinalVersions    map[string]int    `json:"finalVersions"`
	Surge            Surge             `json:"surge"`
	BlastRadius      BlastRadius       `json:"blastRadius"`
	ControlPlane     ControlPlaneTimes `json:"controlPlane"`
	Engine           Engine            `json:"engine"`
}

// Started tells an upgrade that began from one that was refused before that, as opposed to stopped by a gate.
func (r *Result) Started() bool {
	return r.Verdict != Aborted || r.Engine.Events > 0 || len(r.Phases) > 0
}

// CutOff tells a run that a limit ended; what it shows is not complete.
func (r *Result) CutOff() bool { return r.Has(model.CutOff) }

// Has reports whether the run found this.
func (r *Result) Has(code model.Code) bool {
	_, found := model.FirstOf(r.Reasons, code)
	return found
}

// Seconds is a time in seconds, written with at most six decimals.
type Seconds float64

// Phase is a named part of the upgrade: a control-plane step, a stage, a soak.
type Phase struct {
	Name         string  `json:"name"`
	StartSeconds Seconds `json:"startSeconds"`
	EndSeconds   Seconds `json:"endSeconds"`
}

// Violation is a maximal interval in which an invariant did not hold. EndSeconds is nil when it never held again.
type Violation struct {
	Invariant    string         `json:"invariant"`
	Code         model.Code     `json:"code"`
	Severity     model.Severity `json:"severity"`
	Subject      string         `json:"subject"`
	StartSeconds Seconds        `json:"startSeconds"`
	EndSeconds   *Seconds       `json:"endSeconds"`
	Message      string         `json:"message"`
}

// WorkloadResult is what happened to one workload. Ready means Ready and not
// terminating; times count from the start of the upgrade to its end, but for
// SecondsZeroBeyond: how much longer it had no ready replica, where it has one in the end. PodsMovedAgain
// are the pods that moved more than once.
type WorkloadResult struct {
	Namespace         string  `json:"namespace"`
	Name              string  `json:"name"`
	Kind              string  `json:"kind"`
	Replicas          int     `json:"replicas"`
	MinReady          int     `json:"minReady"`
	SecondsZero       Seconds `json:"secondsZero"`
	SecondsZeroBeyond Seconds `json:"secondsZeroBeyond"`
	SecondsBelowFloor Seconds `json:"secondsBelowFloor"`
	SecondsBelow      Seconds `json:"secondsBelow"`
	Evictions         int64   `json:"evictions"`
	EvictionsRefused  int64   `json:"evictionsRefused"`
	EvictionErrors    int64   `json:"evictionErrors"`
	PodsMoved         int     `json:"podsMoved"`
	PodsMovedAgain    int     `json:"podsMovedAgain"`
	MaxMoves          int     `json:"maxMoves"`
	SecondsPending    Seconds `json:"secondsPending"`
}

// NodeResult is what happened to one node. DrainResult is how its last drain ended: drained, timedOut, refused (a
// filter said no) or failed; or none, where it had no drain, or one that had not ended when the upgrade did. A drain that
// never ends has none, and its times, like all of a stuck run, count to the instant at which that was certain: BlockedSeconds,
// the part of DrainSeconds in which a budget refused, is 0 where the first refusal was the last thing that could happen. Replaces names the old node whose place a new one took;
// Extra are nodes that stood beside the others while a stage lasted; Removed are
// those that are gone at the end, with the kubelet that they left with.
type NodeResult struct {
	Name              string   `json:"name"`
	Pool              string   `json:"pool"`
	DrainSeconds      Seconds  `json:"drainSeconds"`
	DrainResult       string   `json:"drainResult"`
	BlockedSeconds    Seconds  `json:"blockedSeconds"`
	UpgradedAtSeconds *Seconds `json:"upgradedAtSeconds"`
	Kubelet           string   `json:"kubelet"`
	Replaces          string   `json:"replaces,omitempty"`
	Extra             bool     `json:"extra,omitempty"`
	Removed           bool     `json:"removed,omitempty"`
	RolledBack        bool     `json:"rolledBack,omitempty"` // it went back to the version that it had
}

// BudgetResult is what one budget did. SecondsExhausted is the time in which it allowed nothing.
type BudgetResult struct {
	Namespace        string  `json:"namespace"`
	Name             string  `json:"name"`
	Refused          int64   `json:"refused"`
	SecondsExhausted Seconds `json:"secondsExhausted"`
}

// Surge is what extra nodes the upgrade used.
type Surge struct {
	PeakNodes int     `json:"peakNodes"`
	NodeHours Seconds `json:"nodeHours"`
}

// BlastRadius is what a bad version reached: until a gate failed, or where none did all that it ever reached, also beyond the end of
// the upgrade, so that a quick upgrade, which ends before the version shows itself, does not look harmless. Pods
// count once, however often they were replaced.
type BlastRadius struct {
	Pods      int `json:"pods"`
	Workloads int `json:"workloads"`
}

// ControlPlaneTimes are the times in which the control plane did not serve.
type ControlPlaneTimes struct {
	APIUnavailableSeconds Seconds `json:"apiUnavailableSeconds"`
	QuorumLostSeconds     Seconds `json:"quorumLostSeconds"`
}

// Engine is what the run cost, and its digest: two runs with equal digests are the same run.
type Engine struct {
	Events uint64 `json:"events"`
	Ticks  uint64 `json:"ticks"`
	Digest string `json:"digest"`
}
