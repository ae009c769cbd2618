package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"upsim/model"
	"upsim/sim/invariant"
)

// reason is a finding of this run.
type reason = model.Finding

func (r *run) reason(c model.Code, subject, message string) {
	r.reasons = append(r.reasons, model.NewFinding(c, subject, message))
}

// reasonWithFix is a reason whose fix depends on the run.
func (r *run) reasonWithFix(c model.Code, fix, subject, message string) {
	f := model.NewFinding(c, subject, message)
	f.Fix = fix
	r.reasons = append(r.reasons, f)
}

// softReason is a reason whose harm was mended: a warning, whatever the code says.
func (r *run) softReason(c model.Code, subject, message string) {
	f := model.NewFinding(c, subject, message)
	if f.Severity == model.SeverityError {
		f.Severity = model.SeverityWarning
	}
	r.reasons = append(r.reasons, f)
}

// refusal says why a budget refuses a pod's eviction, with its numbers.
func (r *run) refusal(pd *pod) string {
	spec := &r.w.workloads[pd.workload]
	if spec.twoBudget {
		return "two budgets select it"
	}
	if spec.budget == none {
		return ""
	}
	if bs := &r.w.budgets[spec.budget]; !bs.countPods && !bs.scale {
		return r.w.budgetSubject(spec.budget) + " cannot be computed, because the owner of its pods has no scale, and so allows nothing"
	}
	b := r.synced(spec.budget)
	return fmt.Sprintf("%s wants %d healthy and has %d", r.w.budgetSubject(spec.budget), b.desired, b.healthy)
}

// drainReason remembers why a drain failed; result says what it meant once it is known how the node ended.
func (r *run) drainReason(tk *ticket, d *drain) {
	if r.drainWhy == nil {
		r.drainWhy, r.drainFix = make(map[int32]string), make(map[int32]string)
	}
	delete(r.drainFix, tk.node)
	if d.cut {
		r.drainWhy[tk.node] = "kubectl ended with an error: no API server answered"
		return
	}
	switch d.outcome {
	case drainRefused:
		r.drainWhy[tk.node] = "kubectl drain refuses: " + tk.refused.why
		r.drainFix[tk.node] = tk.refused.fix
	case drainFailed:
		r.drainWhy[tk.node] = fmt.Sprintf("an eviction failed for good: %s", r.leftNames(d))
		if slices.ContainsFunc(d.left, func(l leftPod) bool { return r.w.workloads[r.pods[l.pod].workload].twoBudget }) {
			two, _ := model.TwoBudgetsOnPod.Info()
			r.drainFix[tk.node] = two.Fix
		}
	case drainTimedOut:
		r.drainWhy[tk.node] = fmt.Sprintf("the drain's timeout of %s passed with %s", formatTime(d.options.Timeout.Microseconds()), r.leftNames(d))
		if pd := r.leftForGood(d); pd != nil {
			r.drainFix[tk.node] = r.fixForRefused(pd)
		}
	}
}

// leftForGood is a pod that its budget kept from leaving, however long the drain took: the budget can never allow it, or a bad
// version breaks pods that it counts; nil if there is none.
func (r *run) leftForGood(d *drain) *pod {
	for _, l := range d.left {
		pd := &r.pods[l.pod]
		b := r.w.workloads[pd.workload].budget
		if pd.gen == l.gen && pd.state == podRunning && b != none && (r.synced(b).expected <= r.budgets[b].desired || r.breaks(b)) {
			return pd
		}
	}
	return nil
}

// leftNames names the pods that a drain left, each with the reason.
func (r *run) leftNames(d *drain) string {
	const most = 3
	var names []string
	for _, l := range d.left {
		if len(names) == most {
			names = append(names, fmt.Sprintf("and %d more", len(d.left)-most))
			break
		}
		pd := &r.pods[l.pod]
		if pd.gen != l.gen || pd.state == podFree {
			continue
		}
		s := r.w.podSubject(pd.workload, pd.slot)
		switch why := r.refusal(pd); {
		case pd.state == podTerminating:
			s += " still terminating"
		case why != "":
			s += " (" + why + ")"
		}
		names = append(names, s)
	}
	if len(names) == 0 {
		return "pods that have gone since"
	}
	return joinNames(names)
}

func joinNames(names []string) string {
	out := names[0]
	for _, n := range names[1:] {
		out += ", " + n
	}
	return out
}

// gatherReasons adds to the run's reasons what its end shows, and sorts them: errors first.
func (r *run) gatherReasons() []reason {
	r.tellWentBack()
	if r.stuck {
		r.proveStuck()
	}
	if r.aborted && r.events == 0 {
		for _, f := range r.w.findings {
			if f.Severity == model.SeverityError {
				r.reasons = append(r.reasons, f)
			}
		}
	} else {
		r.violationReasons()
		r.nodeReasons()
		r.workloadReasons()
		r.objectiveReasons()
	}
	for _, f := range r.w.scenario.Notes {
		if f.Severity == model.SeverityWarning {
			r.reasons = append(r.reasons, f) // what of the input could not be read
		}
	}
	for _, f := range r.w.findings {
		switch f.Code {
		case model.NodeCordonedBefore, model.PodsNotReadyBefore, model.NothingToUpgrade, model.KubeadmNeedsForce, model.StageGetsNoNode, model.NodePoolLagsTooFar, model.ControlPlaneNotManaged,
			model.NodesMovedOnce:
			r.reasons = append(r.reasons, f)
		}
	}
	if r.cutOff {
		why := ""
		if r.beyond {
			why = "; what was to follow lies more than 36,000 years on, further than can be simulated"
		}
		r.reason(model.CutOff, "Scenario/"+r.w.scenario.Name, fmt.Sprintf("cut off after %d events, at %s%s", r.events, formatTime(r.now), why))
	}
	return sorted(r.reasons)
}

// sorted are the reasons by their rank, those of one rank as they were found.
func sorted(reasons []reason) []reason {
	list := slices.Grow([]reason(nil), len(reasons))
	for rank := range ranks {
		for i := range reasons {
			if rankOf(&reasons[i]) == rank {
				list = append(list, reasons[i])
			}
		}
	}
	return list
}

// faultReasons names the faults that hit nothing, but for those that left it to chance.
func (r *run) faultReasons() {
	if r.aborted {
		return // they may have been meant for later
	}
	for i := range r.w.scenario.Faults {
		switch f := &r.w.scenario.Faults[i]; {
		case r.hit[i]:
		case f.LastsNoTime() && takesTime(f.Kind):
			r.reason(model.FaultWithoutEffect, "Fault/"+strconv.Itoa(i+1), fmt.Sprintf("fault %d of the scenario, %s, lasts 0s and had no effect on anything", i+1, f.Kind))
		case f.Probability >= 1 && f.Rate == 0:
			r.reason(model.FaultWithoutEffect, "Fault/"+strconv.Itoa(i+1), fmt.Sprintf("fault %d of the scenario, %s, had no effect on anything", i+1, f.Kind))
		}
	}
}

// takesTime reports whether a fault of the kind is nothing if it lasts no time.
func takesTime(k model.FaultKind) bool {
	switch k {
	case model.NodeDoesNotReturn, model.NodeFailure, model.SlowImages, model.NoCapacity, model.ScaleDown:
		return true
	}
	return false
}

const ranks = 4

// rankOf orders reasons: errors, what they led to, warnings, the rest.
func rankOf(f *reason) int {
	switch {
	case f.Code == model.UpgradeIncomplete:
		return 1
	case f.Severity == model.SeverityError:
		return 0
	case f.Severity == model.SeverityWarning:
		return 2
	}
	return 3
}

// nodeReasons are what became of the nodes: drains that failed, versions not reached, cordons left.
func (r *run) nodeReasons() {
	for n := range int32(len(r.nodes)) {
		r.drainReasons(n)
	}
	r.incomplete()
	for n := range int32(len(r.nodes)) {
		nd := &r.nodes[n]
		if nd.flags&nodeUnschedulable != 0 && !r.w.nodes[n].cordoned && nd.flags&nodeRemoved == 0 {
			r.reason(model.NodeLeftCordoned, r.w.nodeSubject(n), r.w.nodeSubject(n)+" is still cordoned at the end")
		}
	}
}

// drainReasons are what its drains failed on, if they did, and what became of the node.
func (r *run) drainReasons(n int32) {
	codes := map[drainOutcome]model.Code{drainTimedOut: model.DrainTimedOut, drainFailed: model.DrainFailed, drainRefused: model.DrainRefused}
	rec := &r.rollout.records[n]
	switch code, bad := codes[rec.failed]; {
	case bad && rec.outcome == drainDone:
		r.softReason(code, r.w.nodeSubject(n), r.drainWhy[n]+"; a later try succeeded")
	case bad && rec.outcome == drainNone:
		r.drainFinding(code, n, r.drainWhy[n]+"; a later try had not ended", model.SeverityWarning)
	}
	code, bad := codes[rec.outcome]
	if !bad {
		return
	}
	and := ""
	switch {
	case rec.deleted:
		and = "; the node was deleted with what was left on it"
	case rec.drainedAt <= r.backAt(n):
		and = "; the node went back all the same"
	case rec.upgradedAt >= rec.drainedAt || r.nodes[n].flags&nodeRemoved != 0:
		and = "; the node was upgraded all the same"
	default:
		r.drainFinding(code, n, r.drainWhy[n], model.SeverityError)
		return
	}
	r.drainFinding(code, n, r.drainWhy[n]+and, model.SeverityWarning)
}

// drainFinding is a reason about a node's drain, with the fix for what it failed on.
func (r *run) drainFinding(c model.Code, n int32, message string, severity model.Severity) {
	f := model.NewFinding(c, r.w.nodeSubject(n), message)
	f.Severity, f.Fix = severity, cmp.Or(r.drainFix[n], f.Fix)
	r.reasons = append(r.reasons, f)
}

// incomplete says how many nodes are not at the target, and what of that is known: old
// nodes that stand beside their new ones, and nodes that no stage takes.
func (r *run) incomplete() {
	behind, total := r.behind()
	if behind == 0 {
		return
	}
	m := fmt.Sprintf("%d of %s did not reach %s", behind, plural(total, "node", "nodes"), r.w.upgrade.Upgrade.To)
	beside := 0
	for n := range r.w.workers {
		if r.standsBesideTwin(n) && r.nodes[n].flags&nodeRemoved == 0 {
			beside++
		}
	}
	if beside > 0 {
		m += "; " + plural(beside, "old node still stands beside its new one", "old nodes still stand beside their new ones")
	}
	for i := range r.rollout.stages {
		if s := &r.rollout.stages[i]; s.failed {
			m += fmt.Sprintf("; stage %s ended with the drain that failed", s.Name)
		}
	}
	f := model.NewFinding(model.UpgradeIncomplete, "Scenario/"+r.w.scenario.Name, m)
	if out := total - len(r.upgradeOrderAll()); out > 0 {
		f.Message += fmt.Sprintf("; %d of them in no stage", out)
		f.Fix = "End with a stage without `nodes`, which takes the rest, or say `limit` where only a part is meant."
		if len(r.w.upgrade.Upgrade.Phases) > 0 {
			f.Fix = "Name them in a stage of the plan, or say `limit` in the scenario where only a part is meant."
		}
	}
	r.reasons = append(r.reasons, f)
}

// behind counts the nodes that the upgrade was meant to reach, and those of them that it did not.
func (r *run) behind() (behind, total int) {
	if r.aborted || r.cutOff {
		return 0, 0
	}
	meant := r.w.withinLimit()
	target := r.w.rank[r.w.versionIs(r.w.upgrade.Upgrade.To)]
	old := func(n int32) bool {
		return n != none && r.nodes[n].flags&nodeRemoved == 0 && r.w.rank[r.nodes[n].kubelet] < target
	}
	for _, n := range meant {
		if old(n) || old(r.w.nodes[n].twin) {
			behind++
		}
	}
	return behind, len(meant)
}

// workloadReasons are what pods went through that no invariant names.
func (r *run) workloadReasons() {
	for i := range int32(len(r.workloads)) {
		wl, spec := &r.workloads[i], &r.w.workloads[i]
		before := r.readyAtStart[i]
		fewer := wl.ready < before && wl.ready < wl.want && spec.kind != barePod && spec.kind != staticPod && !spec.batch
		had := wl.had()
		if wl.twice == 0 && had.dataLost == 0 && wl.live >= spec.replicas && !fewer && had.preempted == 0 && !r.jobOver(i) {
			continue
		}
		subject := r.w.workloadSubject(i)
		if wl.twice > 0 {
			r.reasonWithFix(model.PodMovedMoreThanOnce, r.fixForMoves(), subject, plural(int(wl.twice), "pod", "pods")+" of "+subject+" moved more than once, up to "+strconv.Itoa(int(wl.maxMoves))+" times")
		}
		if had.dataLost > 0 && spec.emptyDir {
			r.reason(model.LocalDataLost, subject, fmt.Sprintf("%s of %s lost local data (emptyDir)", plural(int(had.dataLost), "pod", "pods"), subject))
		}
		if spec.kind == barePod && wl.live < spec.replicas {
			r.reason(model.BarePodLost, subject, fmt.Sprintf("%s was deleted, and nothing replaces it", subject))
		}
		if spec.kind == staticPod && wl.live < spec.replicas && !r.comesWithMachine(i) {
			r.reason(model.StaticPodsGone, subject, plural(int(spec.replicas-wl.live), "pod of "+subject+" went with its node", "pods of "+subject+" went with their nodes")+"; whether new nodes bring the manifests is not known")
		}
		if fewer {
			code, why := model.ReplicasMissing, ""
			if wl.ready == 0 {
				code = model.NeverBack
			}
			if wl.pending > 0 {
				why = fmt.Sprintf("; %s for a node (%s)", plural(int(wl.pending), "pod waits", "pods wait"), r.whyStillParked(i))
			}
			one, many := invariant.Replica(subject)
			r.reason(code, subject, fmt.Sprintf("%s had %s before the upgrade and has %d when nothing can happen any more%s", subject, plural(int(before), "ready "+one, "ready "+many), wl.ready, why))
		}
		if r.jobOver(i) {
			r.reason(model.JobFailed, subject, fmt.Sprintf("%s failed: %s deleted, and its backoffLimit is %d", subject, plural(int(had.failures), "of its pods was", "of its pods were"), spec.backoff))
		}
		if had.preempted > 0 {
			r.reason(model.PodPreempted, subject, fmt.Sprintf("%s of %s deleted to make room for pods of higher priority", plural(int(had.preempted), "pod", "pods"), subject))
		}
	}
	r.unseenReasons()
	r.leftTerminating()
	r.certificateReasons()
	r.scaleDownReasons()
	r.faultReasons()
	for n := range int32(len(r.nodes)) {
		if rec := &r.rollout.records[n]; rec.blocked >= refusedLong && !r.stuck {
			r.reason(model.BudgetRefusedLong, r.w.nodeSubject(n), fmt.Sprintf("the drain of %s was held up by budgets for %s", r.w.nodeSubject(n), formatTime(rec.blocked)))
		}
	}
}

// refusedLong is how long a drain may be held up by budgets before that is worth a word: five minutes.
const refusedLong = int64(5 * time.Minute / time.Microsecond)

// whyStillParked is why the workload's pods find no node as things stand now.
func (r *run) whyStillParked(w int32) string {
	for p := range r.podsOf(w) {
		if r.pods[p].state == podParked {
			return r.whyNot(p)
		}
	}
	return r.whyParked[w]
}

// objectiveReasons compares the run with what the scenario asks for.
func (r *run) objectiveReasons() {
	o := &r.w.scenario.Objectives
	if m := o.MaxSurgeNodes; m != nil && int(r.surgePeak) > *m {
		r.reason(model.ObjectiveMissed, "Scenario/"+r.w.scenario.Name, fmt.Sprintf("%s at once, the objective is at most %d", plural(int(r.surgePeak), "extra node", "extra nodes"), *m))
	}
	scenario := "Scenario/" + r.w.scenario.Name
	missed, _ := model.ObjectiveMissed.Info()
	alone, _ := model.SingleReplicaDown.Info()
	fix := missed.Fix
	miss := func(subject, what string, got int64, most *time.Duration) {
		is, want := formatTime(got), formatTime(most.Microseconds())
		if is == want {
			is = formatSeconds(got) + "s"
		}
		r.reasonWithFix(model.ObjectiveMissed, fix, subject, fmt.Sprintf("%s is %s, the objective is at most %s", what, is, want))
	}
	over := func(got int64, most *time.Duration) bool { return most != nil && got > most.Microseconds() }
	if over(r.endedAt, o.Window) {
		miss(scenario, "the makespan", r.endedAt, o.Window)
	}
	if over(r.apiDown, o.MaxAPIDowntime) {
		miss(scenario, "the time without an API server", r.apiDown, o.MaxAPIDowntime)
	}
	for i := range int32(len(r.workloads)) {
		had := r.workloads[i].had()
		down, waited := had.zero+had.zeroAfter, had.pendingMax
		if r.w.workloads[i].kind == staticPod || !over(down, o.MaxDowntime) && !over(waited, o.MaxPendingTime) {
			continue
		}
		if fix = missed.Fix; r.workloads[i].want == 1 {
			fix = r.fixForSingle(i, alone.Fix) // no strategy spares a single replica its move
		}
		subject := r.w.workloadSubject(i)
		if over(down, o.MaxDowntime) {
			miss(subject, "the downtime of "+subject, down, o.MaxDowntime)
		}
		if over(waited, o.MaxPendingTime) {
			miss(subject, "the longest time in which a pod of "+subject+" waited for a node", waited, o.MaxPendingTime)
		}
	}
}
