package sim

import "upsim/model"

// catchUp is from a component's start to its first action: it fills its caches
// and takes the lead. Recorded: 0.41 s for the controller-manager, 0.55 s for the scheduler.
const catchUp = 450_000

// outage takes all instances of a component down (evOutage).
func (r *run) outage(i int32) {
	f := &r.w.scenario.Faults[i]
	r.hit[i] = true
	until := downForever
	if !f.Forever {
		until = r.now + f.For.Microseconds() + catchUp
	}
	down := &r.cp.kcmDownUntil
	if f.Kind == model.SchedulerOutage {
		down = &r.cp.schedulerDownUntil
	}
	*down = max(*down, until)
}
