package sim

import "upsim/sim/invariant"

// The disruption controller: it computes a budget again when something that it
// counts has changed, and writes the status if it differs. Mostly nobody waits for that write, and then it is no event of
// its own: whoever looks at the budget next, or changes what it counts, has what was due until then written first (synced).

// budgetChanged has the controller look at a budget, which is synced, once, however much changes until it does.
func (r *run) budgetChanged(b int32, bg *budget) {
	if bg.shared {
		r.dirtyBudget(b)
	}
	if bg.syncAt != never || bg.written() {
		return // what it would write stands there already
	}
	at := r.now + max(0, r.draw(&r.w.latencies.controller, forBudgetSync, uint64(b), uint64(bg.looks)))
	bg.looks++
	bg.syncAt = at + r.limits[limitDisruption].take(at, 1)
	if r.awaitsSync(bg) {
		r.planSync(b)
	} else if r.opts.watchBudgets {
		r.background++
		r.push(bg.syncAt, evBudgetSync, onlyWatched, b)
	}
}

// onlyWatched is the generation of a write's event for which nobody waits but a test that watches. The run does not go on for its sake.
const onlyWatched = 1

// awaitsSync reports whether the next write of the budget's status must be an event: a refused eviction may pass then, a drain that
// failed may be tried again, controllers may be down, or its number of pods changes without a word to the budget.
func (r *run) awaitsSync(bg *budget) bool {
	return bg.waiting > 0 || r.rollout.held > 0 || r.controllersDown() > r.now || bg.countPods
}

// planSync makes an event of a write that is to come.
func (r *run) planSync(b int32) {
	if bg := r.synced(b); bg.syncAt != never && !bg.planned {
		bg.planned = true
		r.push(bg.syncAt, evBudgetSync, 0, b)
	}
}

// planSyncs is planSync for all budgets, to be called before controllers go down or a failed drain begins to wait for a change.
func (r *run) planSyncs() {
	for b := range int32(len(r.budgets)) {
		r.planSync(b)
	}
}

// synced is the budget with its status as it is now. A write comes before everything else that happens at its instant.
func (r *run) synced(b int32) *budget {
	bg := &r.budgets[b]
	if bg.syncAt <= r.now {
		r.sync(b, bg)
	}
	return bg
}

// sync writes what has changed of the status that is due, or has the controller do so when one acts again.
func (r *run) sync(b int32, bg *budget) {
	at := bg.syncAt
	bg.syncAt, bg.planned = never, false
	if until := r.controllersDown(); until > r.now {
		bg.syncAt = until + r.draw(&r.w.latencies.controller, forBudgetSync, uint64(b), uint64(until))
		r.planSync(b)
		return
	}
	if bg.written() {
		return
	}
	bg.version++
	bg.write(r.upTo(at))
}

// budgetSync is a write that was planned (evBudgetSync).
func (r *run) budgetSync(b int32, gen uint32) bool {
	r.synced(b)
	if gen == onlyWatched {
		r.background--
		return false
	}
	r.wakeBudget(b)
	return true
}

// podsChanged is budgetChanged where the number of pod objects of a workload has changed, which few budgets count.
func (r *run) podsChanged(w int32, by int32) {
	r.countPods(r.w.workloads[w].budget, by)
	for _, b := range r.w.alsoBudgets[w] {
		r.countPods(b, by)
	}
}

func (r *run) countPods(b, by int32) {
	bg := r.synced(b)
	if !bg.countPods {
		return
	}
	if bg.pods += by; !r.placing {
		r.budgetChanged(b, bg)
	}
}

// matched is the number of pod objects that the budget selects. It looks at all of them.
func (r *run) matched(b int32) (pods int) {
	for _, w := range r.w.budgets[b].members {
		for range r.podsOf(w) {
			pods++
		}
	}
	return pods
}

func (r *run) dirtyBudget(b int32) {
	if bg := &r.budgets[b]; !bg.dirty {
		bg.dirty, r.unsettled = true, true
		r.dirtyBudgets = append(r.dirtyBudgets, b)
	}
}

// wouldAllow is the disruptionsAllowed that the controller would write.
func (bg *budget) wouldAllow() int32 {
	expected := bg.expected
	if bg.countPods {
		expected = bg.pods
	}
	return int32(allowance(int(expected), int(bg.desired), int(bg.ready-bg.disrupted)))
}

// written reports whether the budget's status is what the controller would write.
func (bg *budget) written() bool {
	return bg.ready-bg.disrupted == bg.healthy && (!bg.countPods || bg.pods == bg.expected) && bg.allowed == bg.wouldAllow()
}

// write brings the status up to date at an instant, cut off as upTo does.
func (bg *budget) write(at int64) {
	bg.healthy = bg.ready - bg.disrupted
	if bg.countPods {
		bg.expected = bg.pods
	}
	bg.setAllowed(bg.wouldAllow(), at)
}

// setAllowed changes the disruptions that the budget's status allows, at an instant, cut off as upTo does.
func (bg *budget) setAllowed(allowed int32, at int64) {
	if bg.allowed > 0 && allowed == 0 {
		bg.exhausted -= at
	} else if bg.allowed == 0 && allowed > 0 {
		bg.exhausted += at
	}
	bg.allowed = allowed
}

// exhaustedFor is how long the budget has allowed nothing until an instant.
func (bg *budget) exhaustedFor(until int64) int64 {
	if bg.allowed == 0 {
		return bg.exhausted + until
	}
	return bg.exhausted
}

// floorBroken reports whether the budget has fewer healthy pods than it wants,
// by something other than an eviction that it allowed: those stop at the floor,
// so whatever is below it, and below where the budget stood at the start, was taken by something else.
func (r *run) floorBroken(b int32) bool {
	bg := &r.budgets[b]
	return bg.ready < bg.desired && bg.ready < bg.start
}

// checkBudget looks at a budget's invariants at the end of a tick.
func (r *run) checkBudget(b int32) {
	bg := &r.budgets[b]
	if !bg.shared {
		return // a budget of one workload is checked with it
	}
	invariant.Observe(r.log, r.now, b, invariant.Budget{Desired: bg.desired, Healthy: bg.ready, FloorBroken: r.floorBroken(b)})
}
