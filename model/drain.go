package model

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// OnDrainFailure says what follows a drain that ended without emptying its node.
type OnDrainFailure string

// The reactions to a failed drain.
const (
	// DrainFail stops the upgrade; the node stays cordoned.
	DrainFail OnDrainFailure = "fail"
	// DrainUncordonAndFail stops the upgrade and uncordons the node (kubespray).
	DrainUncordonAndFail OnDrainFailure = "uncordonAndFail"
	// DrainFailStage ends the stage once its other nodes are done; the later stages still run, and then the upgrade ends (kOps).
	DrainFailStage OnDrainFailure = "failStage"
	// DrainSkip leaves the node cordoned and goes on with the next (AKS: quarantined).
	DrainSkip OnDrainFailure = "skip"
	// DrainUncordonAndContinue uncordons the node and goes on with the next.
	DrainUncordonAndContinue OnDrainFailure = "uncordonAndContinue"
	// DrainUncordonAndRetry uncordons the node and tries it again after the others.
	DrainUncordonAndRetry OnDrainFailure = "uncordonAndRetry"
	// DrainForceDelete deletes the pods that are left, budgets or not.
	DrainForceDelete OnDrainFailure = "forceDelete"
	// DrainDeleteNode deletes the node with what is left on it, budgets or not; a new one comes in its place.
	DrainDeleteNode OnDrainFailure = "deleteNode"
	// DrainWait drains again until it succeeds.
	DrainWait OnDrainFailure = "wait"
)

// EvictOrder says which of a node's pods are evicted together.
type EvictOrder string

// The orders of the systems that upsim knows.
const (
	// EvictParallel asks for all evictions at once (kubectl).
	EvictParallel EvictOrder = "parallel"
	// EvictSequential asks for one after the other, each once the one before was answered (Cluster API).
	EvictSequential EvictOrder = "sequential"
	// EvictGroups asks for those of critical pods, of priority CriticalPriority or more, once the others are gone (Karpenter).
	EvictGroups EvictOrder = "groups"
	// EvictVolumesOneByOne asks for those of pods with a volume one after the other, each once the volume of the one
	// before is detached, and for the others at once (Gardener).
	EvictVolumesOneByOne EvictOrder = "volumesOneByOne"
)

// CriticalPriority is the priority of the class system-cluster-critical, the lower of the two critical ones.
const CriticalPriority = 2_000_000_000

// TimeoutCheck says when a drain sees that its timeout has passed.
type TimeoutCheck string

// The two ways: kubectl looks after the pause behind a refusal; a controller has a deadline.
const (
	TimeoutAfterRetry TimeoutCheck = "afterRetry"
	TimeoutExact      TimeoutCheck = "exact"
)

// OnAPIOutage says what becomes of what whoever upgrades has asked of an API server that does not answer.
type OnAPIOutage string

// The two ways: kubectl ends with an error, so that a drain has failed; a controller tries again until an API server is back.
const (
	APIOutageFail OnAPIOutage = "fail"
	APIOutageWait OnAPIOutage = "wait"
)

// Drain says how a node is emptied, in the words of kubectl drain where it has them, and what follows a failure.
type Drain struct {
	IgnoreDaemonSets   bool
	DeleteEmptyDirData bool
	Force              bool
	DisableEviction    bool
	Evict              EvictOrder
	// Timeout ends a drain; 0 means never.
	Timeout      time.Duration
	TimeoutCheck TimeoutCheck
	// Retry is the pause after a refused eviction.
	Retry time.Duration
	// RetryMax is up to where that pause doubles, refusal by refusal; 0 means that it stays the same.
	RetryMax time.Duration
	// GracePeriod overrides the pods' own; nil means theirs.
	GracePeriod *time.Duration
	// MaxGracePeriod cuts the grace period off; nil means that it does not.
	MaxGracePeriod *time.Duration
	// Attempts are the drains after which a node's drain has failed, at least 1; with DrainWait they have no end.
	Attempts int
	// AttemptDelay is the pause between two of them.
	AttemptDelay time.Duration
	// PostDrainDelay is the wait after the node is empty, before anything is done to it.
	PostDrainDelay time.Duration
	OnFailure      OnDrainFailure
	// OnAPIOutage says what a call does that no API server answers.
	OnAPIOutage OnAPIOutage
	// MaxSkipped is how many nodes of a stage DrainSkip may skip before the upgrade fails, a percentage being rounded
	// up; nil means any number.
	MaxSkipped *intstr.IntOrString
}
