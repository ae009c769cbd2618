package sim

import "upsim/model"

// leaderLag is from a component's start to its first action: it fills its caches
// and takes the lead. Recorded: 0.41 s for the controller-manager, 0.55 s for the scheduler.
const leaderLag = 450_000

// outage takes all instances of a component down (evOutage).
func (r *run) outage(i int32) bool {
	if r.endedAt >= 0 {
		return false
	}
	f := &r.w.scenario.Faults[i]
	r.hit[i] = true
	until := endOf(f)
	back := min(until+leaderLag, downForever)
	r.planSyncs()
	switch f.Kind {
	case model.SchedulerOutage:
		r.cp.schedulerDownUntil = max(r.cp.schedulerDownUntil, back)
	case model.ControllerManagerOutage:
		r.cp.kcmDownUntil = max(r.cp.kcmDownUntil, back)
	default:
		// Controllers and schedulers cannot renew their leases, and start anew when an API server is back.
		r.cp.schedulerDownUntil = max(r.cp.schedulerDownUntil, back)
		r.cp.kcmDownUntil = max(r.cp.kcmDownUntil, back)
		r.cp.outUntil = max(r.cp.outUntil, until)
		r.push(until, evAPIBack, 0, i)
		r.apiChanged()
	}
	return true
}
