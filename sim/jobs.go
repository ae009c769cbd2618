package sim

import (
	"math"
	"slices"

	"upsim/model"
)

// The Job controller. A pod that is deleted counts as failed as soon as its deletion begins: isPodFailed in
// pkg/controller/job/job_controller.go, under podReplacementPolicy TerminatingOrFailed, the default. Its replacement comes
// after a pause that doubles with each failure (backoff_utils.go; no pod of a running Job succeeds here), and a Job with more
// failures than its backoffLimit fails: its pods are deleted.

const (
	jobPause        = 10_000_000 // DefaultJobPodFailureBackOff
	jobPauseMost    = 600_000_000
	defaultBackoffs = 6 // backoffLimit in pkg/apis/batch/v1/defaults.go
)

func jobBackoffLimit(e *model.Workload) int32 {
	if e.BackoffLimit == nil {
		return defaultBackoffs
	}
	return int32(min(*e.BackoffLimit, math.MaxInt32-1))
}

// jobOver reports whether the workload is a Job that has failed.
func (r *run) jobOver(w int32) bool {
	spec := &r.w.workloads[w]
	return spec.batch && r.workloads[w].had().failures > spec.backoff
}

// jobPodFailed counts a failed pod of a Job, and reports whether another one is to be made. The time of the failure is the
// deletion timestamp's, which is in whole seconds.
func (r *run) jobPodFailed(w int32) bool {
	if r.jobOver(w) {
		return false
	}
	wl := r.workloads[w].troubled()
	if wl.failures++; r.jobOver(w) {
		r.failJob(w)
		return false
	}
	pause := int64(jobPause)
	for range wl.failures - 1 {
		pause = min(2*pause, jobPauseMost)
	}
	if r.w.latencies.controller.varies() {
		pause -= int64(1e6 * uniform(hash(r.seed, forJob, uint64(w), uint64(wl.failures))))
	}
	wl.notBefore = r.now + pause
	return true
}

// failJob deletes the pods of a Job that has failed.
func (r *run) failJob(w int32) {
	wl := &r.workloads[w]
	r.addUp(wl, +1)
	wl.want = 0
	r.dirtyWorkload(w)
	wl.vacant, wl.vacantEnd = none, none
	for _, p := range slices.Collect(r.podsOf(w)) {
		if r.pods[p].state != podTerminating {
			r.lose(p)
		}
	}
}
