package sim

import "upsim/sim/invariant"

// The disruption controller: it computes a budget again when something that it
// counts has changed, and writes the status if it differs.

// budgetChanged has the controller look at a budget, once, however much changes until it does.
func (r *run) budgetChanged(b int32) {
	bg := &r.budgets[b]
	if bg.shared {
		r.dirtyBudget(b)
	}
	if bg.syncing || r.written(b) {
		return // what it would write stands there already
	}
	bg.syncing = true
	r.pushAfter(r.draw(&r.w.latencies.controller, forBudgetSync, uint64(b), uint64(bg.looks)), evBudgetSync, 0, b)
	bg.looks++
}

// podsChanged is budgetChanged where nothing but the number of a budget's pod objects has changed, which few budgets count.
func (r *run) podsChanged(b int32) {
	if r.budgets[b].countPods {
		r.budgetChanged(b)
	}
}

func (r *run) dirtyBudget(b int32) {
	if bg := &r.budgets[b]; !bg.dirty {
		bg.dirty = true
		r.dirtyBudgets = append(r.dirtyBudgets, b)
	}
}

// status is what the controller would write for the budget now.
func (r *run) status(b int32) (expected, desired, healthy, allowed int32) {
	bg := &r.budgets[b]
	expected, desired, healthy = bg.expects(), bg.toWant, bg.ready-bg.disrupted
	return expected, desired, healthy, int32(allowance(int(expected), int(desired), int(healthy)))
}

// expects is the expectedPods that the controller would write.
func (bg *budget) expects() int32 {
	if bg.countPods {
		return bg.pods
	}
	return bg.toExpect
}

// written reports whether the budget's status is what the controller would write.
func (r *run) written(b int32) bool {
	bg := &r.budgets[b]
	expected, healthy := bg.expects(), bg.ready-bg.disrupted
	return healthy == bg.healthy && expected == bg.expected && bg.toWant == bg.desired &&
		bg.allowed == int32(allowance(int(expected), int(bg.toWant), int(healthy)))
}

// budgetSync is the controller's look at a budget (evBudgetSync).
func (r *run) budgetSync(b int32) {
	bg := &r.budgets[b]
	if until := r.controllersDown(); until > r.now {
		r.push(until+r.draw(&r.w.latencies.controller, forBudgetSync, uint64(b), uint64(until)), evBudgetSync, 0, b)
		return
	}
	if r.written(b) {
		bg.syncing = false
		return
	}
	if !bg.paid {
		if wait := r.limits[limitDisruption].take(r.now, 1); wait > 0 {
			bg.paid = true // the token is its own when it is looked at again
			r.pushAfter(wait, evBudgetSync, 0, b)
			return
		}
	}
	bg.syncing, bg.paid = false, false
	bg.version++
	expected, desired, healthy, allowed := r.status(b)
	bg.expected, bg.desired, bg.healthy = expected, desired, healthy
	r.setAllowed(b, allowed)
	r.wakeBudget(b)
}

// setAllowed changes the disruptions that the budget's status allows.
func (r *run) setAllowed(b, allowed int32) {
	bg := &r.budgets[b]
	if bg.allowed > 0 && allowed == 0 {
		bg.exhaustedSince = r.now
	} else if bg.allowed == 0 && allowed > 0 {
		bg.exhausted += r.upTo(r.now) - r.upTo(bg.exhaustedSince)
	}
	bg.allowed = allowed
}

// floorBroken reports whether the budget has fewer healthy pods than it wants,
// by something other than an eviction that it allowed: those stop at the floor,
// so whatever is below it, and below where the budget stood at the start, was taken by something else.
func (r *run) floorBroken(b int32) bool {
	bg := &r.budgets[b]
	return bg.ready < bg.floor && bg.ready < bg.start
}

// checkBudget looks at a budget's invariants at the end of a tick.
func (r *run) checkBudget(b int32) {
	bg := &r.budgets[b]
	if !bg.shared {
		return // a budget of one workload is checked with it
	}
	invariant.Observe(r.log, r.now, b, invariant.Budget{Desired: bg.floor, Healthy: bg.ready, FloorBroken: r.floorBroken(b)})
}
