package sim

import (
	"fmt"
	"math/bits"

	"upsim/model"
)

// What gates watch from the moment on at which their stage begins, since waiting cannot mend it: replicas lost to the new
// version, and error budgets. The first that breaks fails the gate at once, whether its stage still works, soaks or waits.

// watch is what the gates of a stage watch.
type watch struct {
	regression bool
	budget     int64  // never without one
	alarm, fix string // what has happened, and what to do about it
	own        bool   // to one of the stage's own nodes
}

// watchMore begins to watch what the stage's gates ask for.
func (r *run) watchMore(s *stageRun) {
	s.watch = watch{budget: never}
	for _, g := range []*model.Gate{s.Gate, s.NodeGate} {
		if g == nil {
			continue
		}
		s.regression = s.regression || g.NoRegression
		if g.ErrorBudget != nil {
			s.budget = min(s.budget, g.ErrorBudget.Microseconds())
		}
	}
	r.watchLess()
	if s.budget == never {
		return
	}
	for w := range r.spent { // what was lost before counts
		if r.spend(int32(w)); r.spent[w].lost > s.budget {
			r.overBudget(int32(w))
		}
		r.budgetMayBreak(int32(w))
	}
}

// watchLess works out what is still watched, after a stage has ended or its gate has held. The
// node gate of a stage whose gate has held looks at no further node.
func (r *run) watchLess() {
	ro := &r.rollout
	ro.watching, ro.leastBudget = false, never
	for i := range ro.stages {
		if s := &ro.stages[i]; s.watches() {
			ro.watching = ro.watching || s.regression
			ro.leastBudget = min(ro.leastBudget, s.budget)
		}
	}
}

func (s *stageRun) watches() bool { return s.step != stageAhead && s.step != stageOver && !s.judged }

// raise has the gates fail at the end of this tick that watch what has happened, to a node of the stage own; none for no stage's.
func (r *run) raise(watches func(*stageRun) bool, own int32, what, fix string) {
	for i := range r.rollout.stages {
		if s := &r.rollout.stages[i]; s.watches() && s.alarm == "" && watches(s) {
			s.alarm, s.fix, s.own = what, fix, int32(i) == own
			r.rollout.alarmed, r.unsettled = true, true
		}
	}
}

// failAlarmed fails the gate of a stage whose watch has found something: of the stage to whose nodes it has happened, else of the first.
func (r *run) failAlarmed() {
	ro := &r.rollout
	if !ro.alarmed || r.noAPI() { // without an API server nobody sees it
		return
	}
	ro.alarmed = false
	first := none
	for i := range ro.stages {
		if s := &ro.stages[i]; s.watches() && s.alarm != "" && (first == none || s.own && !ro.stages[first].own) {
			first = int32(i)
		}
	}
	if first != none {
		s := &ro.stages[first]
		r.failGate(first, "the gate of stage "+s.Name+" fails: "+s.alarm, s.fix)
	}
}

// regressed is a pod that is lost to the new version, if that is what its node has: it turned not Ready without a
// deletion on a node that is Ready and to which nothing is done, or it is seen not to work.
func (r *run) regressed(p int32, how string) {
	pd := &r.pods[p]
	if !r.rollout.watching || r.w.nodes[pd.node].cp || r.nodes[pd.node].kubelet != r.rollout.target || r.nodes[pd.node].flags&nodeReady == 0 {
		return
	}
	r.raise(func(s *stageRun) bool { return s.regression }, r.nodes[pd.node].stage-1, fmt.Sprintf("%s of %s %s on %s, which has %s",
		r.w.podSubject(pd.workload, pd.slot), r.w.workloadSubject(pd.workload), how, r.w.nodeSubject(pd.node), r.w.version(r.rollout.target)), fixForGate)
}

// spending is how much of its replicas' time a workload has lost since the upgrade began.
type spending struct {
	lost  int64  // microseconds of all its replicas
	rest  uint64 // and so many of a single one
	since int64  // up to when that is counted
	due   int64  // when an event looks whether the budget is used up; never without one
}

// keepsBudgets reports whether some gate has an error budget.
func (w *World) keepsBudgets() bool {
	for i := range w.stages {
		for _, g := range []*model.Gate{w.stages[i].Gate, w.stages[i].NodeGate} {
			if g != nil && g.ErrorBudget != nil {
				return true
			}
		}
	}
	return false
}

// missing counts the replicas of a workload that its error budget pays for now.
func (r *run) missing(w int32) int64 {
	spec, wl := &r.w.workloads[w], &r.workloads[w]
	if spec.kind == daemonSet || spec.kind == barePod || spec.kind == staticPod || spec.batch {
		return 0
	}
	return int64(max(0, wl.want-(wl.ready-wl.seen)))
}

// spend counts what the workload has lost up to now. It is called before its number of working replicas changes.
func (r *run) spend(w int32) {
	x := &r.spent[w]
	hi, lo := bits.Mul64(uint64(r.missing(w)), uint64(r.now-x.since))
	lo, carry := bits.Add64(lo, x.rest, 0)
	x.since = r.now
	if hi|lo|carry != 0 {
		lost, rest := bits.Div64(hi+carry, lo, uint64(r.workloads[w].want))
		x.lost, x.rest = x.lost+int64(lost), rest
	}
}

// budgetMayBreak plans the look at the workload when the least error budget that is watched would be used up.
func (r *run) budgetMayBreak(w int32) {
	x := &r.spent[w]
	if r.rollout.leastBudget == never || r.missing(w) == 0 {
		return
	}
	at := r.now
	if left := r.rollout.leastBudget - x.lost; left > 0 {
		missing := uint64(r.missing(w))
		hi, lo := bits.Mul64(uint64(left), uint64(r.workloads[w].want))
		lo, borrow := bits.Sub64(lo, x.rest, 0)
		lo, carry := bits.Add64(lo, missing-1, 0) // rounded up
		if hi = hi - borrow + carry; hi >= missing {
			return // longer than can be simulated
		}
		wait, _ := bits.Div64(hi, lo, missing)
		if wait > uint64(horizon) {
			return
		}
		at += int64(wait)
	}
	if at < x.due {
		x.due = at
		r.push(at, evErrorBudget, 0, w)
	}
}

// budgetLooks is the instant at which a workload's error budget is used up, unless it lost less than it looked like (evErrorBudget).
func (r *run) budgetLooks(w int32) bool {
	x := &r.spent[w]
	if r.now != x.due {
		return false // an earlier one was planned since
	}
	x.due = never
	if r.rollout.leastBudget == never || r.missing(w) == 0 {
		return false
	}
	r.spend(w)
	if x.lost < r.rollout.leastBudget {
		r.budgetMayBreak(w)
		return false
	}
	r.overBudget(w)
	return true
}

// overBudget fails the gates whose error budget the workload has used up.
func (r *run) overBudget(w int32) {
	x := &r.spent[w]
	what := fmt.Sprintf("%s has used up its error budget of %s: it has lost %s of its replicas' time since the upgrade began",
		r.w.workloadSubject(w), formatTime(r.rollout.leastBudget), formatTime(x.lost))
	if m := int(r.missing(w)); m > 0 {
		what += ", and of " + plural(int(r.workloads[w].want), "replica", "replicas") + " " + plural(m, "does not work", "do not work")
	}
	r.raise(func(s *stageRun) bool { return s.budget <= x.lost }, none, what,
		"Lose less: pods that start faster, more replicas, or new nodes first, so that each pod moves once; or allow more.")
}
