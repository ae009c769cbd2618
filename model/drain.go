package model

import "time"

// OnDrainFailure says what follows a drain that ended without emptying its node.
type OnDrainFailure string

// The reactions to a failed drain that this build simulates.
const (
	// DrainFail stops the upgrade; the node stays cordoned.
	DrainFail OnDrainFailure = "fail"
	// DrainSkip leaves the node cordoned and goes on with the next.
	DrainSkip OnDrainFailure = "skip"
	// DrainUncordonAndContinue uncordons the node and goes on with the next.
	DrainUncordonAndContinue OnDrainFailure = "uncordonAndContinue"
	// DrainUncordonAndRetry uncordons the node and tries it again after the others.
	DrainUncordonAndRetry OnDrainFailure = "uncordonAndRetry"
	// DrainForceDelete deletes the pods that are left, budgets or not.
	DrainForceDelete OnDrainFailure = "forceDelete"
	// DrainWait drains again until it succeeds.
	DrainWait OnDrainFailure = "wait"
)

// Drain are kubectl drain's options and what follows a failure.
type Drain struct {
	IgnoreDaemonSets   bool
	DeleteEmptyDirData bool
	Force              bool
	DisableEviction    bool
	// Timeout ends a drain, looked at after each retry's sleep; 0 means never.
	Timeout time.Duration
	// Retry is the pause after a refused eviction.
	Retry time.Duration
	// RetryMax is up to where that pause doubles, refusal by refusal; 0 means that it stays the same.
	RetryMax time.Duration
	// GracePeriod overrides the pods' own; nil means theirs.
	GracePeriod *time.Duration
	OnFailure   OnDrainFailure
}
