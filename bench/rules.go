package bench

// tolerance says how closely one kind of figure must agree.
type tolerance struct {
	// The figure may be off by the greater of absolute and relative times the
	// greater of the record and the simulated median.
	absolute, relative float64
	// median: it must lie within three tolerances of the record, too.
	median bool
	// tie: compared also where a race decides the outcome.
	tie bool
	// count: where the recording is exact, the count must be the same.
	count bool
}

// kind is a kind of figure; a workload's figures are of the same kind for every workload.
type kind int

const (
	kindMakespan kind = iota
	kindEvictions
	kindRefused
	kindErrors
	kindPending
	kindMinReady
	kindBelow
	kindZero
	kindWorkloadEvictions
	kindMeanMinReady
	kindLeastMinReady
	kindMeanBelow
	kindMeanZero
	kindMeanDrain
)

// tolerances is the table of README.md as data.
var tolerances = [...]tolerance{
	kindMakespan:          {absolute: 2, relative: 0.05, median: true, tie: true},
	kindEvictions:         {absolute: 1, relative: 0.05, median: true, tie: true, count: true},
	kindRefused:           {absolute: 1, relative: 0.20, median: true},
	kindErrors:            {tie: true, count: true},
	kindPending:           {tie: true},
	kindMinReady:          {tie: true},
	kindBelow:             {absolute: 2, relative: 0.07, median: true},
	kindZero:              {absolute: 1, relative: 0.05},
	kindWorkloadEvictions: {absolute: 1, relative: 0.05, median: true, count: true},
	kindMeanMinReady:      {absolute: 0.5, median: true, tie: true},
	kindLeastMinReady:     {absolute: 1, tie: true},
	kindMeanBelow:         {absolute: 2, relative: 0.10, median: true},
	kindMeanZero:          {absolute: 1, relative: 0.10},
	kindMeanDrain:         {absolute: 1.5, relative: 0.10, median: true},
}

const (
	// severalWorkloads is the number up to which workloads are compared one by
	// one; more are compared by their means and the least.
	severalWorkloads = 5
	// manyDrains is the number of drains from which one of them may end otherwise.
	manyDrains = 10
	// Shares of the runs that must end with the recorded versions.
	versionsShare      = 0.5
	versionsShareExact = 0.9
)
