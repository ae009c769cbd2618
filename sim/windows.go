package sim

import "upsim/model"

// Maintenance windows: what may not begin outside one waits for the next.

// windows is the upgrade's calendar, and what waits for it.
type windows struct {
	model.Calendar
	pending int // openings that something waits for
	// restingSince is when nothing was under way any more; -1 while something is.
	restingSince int64
	rested       int64 // time in which nothing was under way but the wait for a window
	audited      int   // tickets that the audit has seen
}

// What opens with a window (the generation of evWindow).
const (
	opensStage = iota
	opensLane
	opensUpgrade
)

// beginInWindow starts the upgrade, at the first opening.
func (r *run) beginInWindow() {
	r.windows = windows{Calendar: r.w.upgrade.Upgrade.Calendar(), restingSince: -1}
	at := r.windows.NextOpen(0)
	if at == 0 {
		r.push(0, evPhase, 0, 0)
		return
	}
	r.windows.restingSince = 0
	r.awaitWindow(at, opensUpgrade, 0)
}

func (r *run) awaitWindow(opens int64, what uint32, i int32) {
	r.windows.pending++
	r.unsettled = true
	r.push(opens, evWindow, what, i)
}

// closed reports whether nothing may begin now, and when it may. An upgrade that finishes what it has begun may begin any
// part of it, and one that goes back does not wait.
func (r *run) closed() (opens int64, closed bool) {
	if r.w.upgrade.Upgrade.WhenClosed == model.ClosedFinish || r.rollout.back.step != notBack {
		return r.now, false
	}
	opens = r.windows.NextOpen(r.now)
	return opens, opens > r.now
}

// stageWaits has a stage that would take a node in hand, or begin, wait for a window.
func (r *run) stageWaits(i int32) bool {
	s := &r.rollout.stages[i]
	if len(s.queue) == 0 || r.stopped() || s.failed || s.inFlight >= s.free() {
		return false
	}
	opens, closed := r.closed()
	if closed && !s.shut {
		s.shut = true
		r.awaitWindow(opens, opensStage, i)
	}
	return closed
}

// laneWaits has a lane of the control plane that would begin with another instance wait for a window. A restore does not wait.
func (r *run) laneWaits(l int32) bool {
	cp := &r.cp
	if cp.restores || cp.parts[cp.part] == partSoak {
		return false
	}
	opens, closed := r.closed()
	if closed && !cp.lanes[l].shut {
		cp.lanes[l].shut = true
		r.awaitWindow(opens, opensLane, l)
	}
	return closed
}

// windowOpens lets what waits for a window go on (evWindow).
func (r *run) windowOpens(what uint32, i int32) bool {
	r.windows.pending--
	if r.endedAt >= 0 {
		return false
	}
	r.restNoMore()
	switch what {
	case opensUpgrade:
		r.nextPhase()
	case opensLane:
		if int(i) >= len(r.cp.lanes) || !r.cp.lanes[i].shut {
			return false // the procedure is another one by now
		}
		r.cp.lanes[i].shut = false
		r.controlPlaneStep(i)
	case opensStage:
		s := &r.rollout.stages[i]
		s.shut = false
		switch s.step {
		case stagePrepares:
			r.startStage(i)
		case stageWorks:
			r.fill(i)
		default:
			return false // the rollout was stopped meanwhile
		}
	}
	return true
}

// rest notes that nothing is under way but the wait for a window.
func (r *run) rest() {
	w := &r.windows
	if w.restingSince >= 0 || r.endedAt >= 0 || r.rollout.back.step != notBack {
		return
	}
	for i := range r.rollout.stages {
		s := &r.rollout.stages[i]
		if s.step != stageAhead && s.step != stageOver && (!s.shut || s.inFlight > 0 || s.joining > 0) {
			return
		}
	}
	for i := range r.cp.lanes {
		if ln := &r.cp.lanes[i]; ln.busy && !ln.shut {
			return
		}
	}
	w.restingSince = r.now
}

// restNoMore ends the time in which nothing was under way.
func (r *run) restNoMore() {
	w := &r.windows
	if w.restingSince < 0 {
		return
	}
	if r.now > w.restingSince {
		r.span("wait for window", w.restingSince, r.now)
		w.rested += r.now - w.restingSince
	}
	if r.cp.started == w.restingSince {
		r.cp.started = r.now // nothing of the part was done yet
	}
	w.restingSince = -1
}

// wakeLanes lets instances of the control plane that wait for a window see that the rollout is to stop.
func (r *run) wakeLanes() {
	for l := range r.cp.lanes {
		if ln := &r.cp.lanes[l]; ln.shut {
			ln.shut = false
			r.push(r.now, evControlPlane, 0, int32(l))
		}
	}
}

// auditWindows finds a node that was taken in hand outside a window, and a wait that nothing ends.
func (r *run) auditWindows() {
	tickets := r.rollout.tickets
	if _, closed := r.closed(); closed {
		for _, tk := range tickets[r.windows.audited:] {
			if tk.stage != none && !tk.early {
				r.fail("%s is taken in hand outside a window", r.w.nodeName(tk.node))
			}
		}
	}
	r.windows.audited = len(tickets)
	waits := false
	for i := range r.rollout.stages {
		waits = waits || r.rollout.stages[i].shut
	}
	for i := range r.cp.lanes {
		waits = waits || r.cp.lanes[i].shut
	}
	if waits && r.windows.pending == 0 && r.endedAt < 0 { // once the upgrade is over nothing goes on
		r.fail("something waits for a window, and none is awaited")
	}
}
