package sim

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"upsim/model"
)

// result writes down what the run found.
func (r *run) result() *Result {
	if r.endedAt < 0 {
		r.finish()
	}
	for i := range r.workloads {
		r.addUp(&r.workloads[i], +1) // what lasts until the end
	}
	up := &r.w.upgrade
	res := &Result{APIVersion: model.APIVersion, Kind: KindResult, Scenario: r.w.scenario.Name, Strategy: up.Name, Seed: r.seed,
		From: r.w.scenario.Cluster.StartsAt(&up.Upgrade).String(), To: up.Upgrade.To.String(), MakespanSeconds: seconds(r.endedAt),
		WorkingSeconds: seconds(r.endedAt - r.windows.rested), WaitingSeconds: seconds(r.windows.rested),
		Evictions: r.evictions, Deletions: r.deletions, EvictionsRefused: r.refused, EvictionErrors: r.evictionErrors,
		FinalVersions: make(map[string]int), ControlPlane: ControlPlaneTimes{seconds(r.apiDown), seconds(r.quorumLost)},
		Engine: Engine{Events: r.events, Ticks: r.ticks, Digest: fmt.Sprintf("%016x", r.digest)}}
	for _, p := range r.phases {
		if p.start <= r.endedAt { // a soak is written down as it begins, and may be cut off
			res.Phases = append(res.Phases, Phase{p.name, seconds(p.start), seconds(min(p.end, r.endedAt))})
		}
	}
	r.violations(res)
	r.countPending(res)
	res.BlastRadius = r.blastRadius()
	res.Reasons = r.gatherReasons()
	r.forgetPods()
	r.nodeResults(res)
	r.workloadResults(res)
	r.budgetResults(res)
	res.Verdict = r.verdict(res)
	return res
}

// verdict is the first that applies: aborted, stuck, violated, safe.
func (r *run) verdict(res *Result) Verdict {
	switch {
	case r.aborted:
		return Aborted
	case r.stuck:
		return Stuck
	}
	for _, f := range res.Reasons {
		if f.Severity == model.SeverityError {
			return Violated
		}
	}
	return Safe
}

// violations lists the intervals in which something was wrong. Being below the
// number of replicas is what every move does; the workloads' sums have it.
func (r *run) violations(res *Result) {
	for _, v := range r.log.Intervals() {
		severity := r.severityOf(v.Code())
		if severity == model.SeverityInfo {
			continue
		}
		subject := r.subject(v.Class, v.ID)
		x := Violation{Invariant: v.Rule().Name, Code: v.Code(), Severity: severity, Subject: subject,
			StartSeconds: seconds(v.Start), Message: v.Message(subject)}
		if !v.IsOpen() {
			end := seconds(v.End)
			x.EndSeconds = &end
		}
		res.Violations = append(res.Violations, x)
	}
}

func (r *run) countPending(res *Result) {
	for i := range r.pods {
		if pd := &r.pods[i]; pd.state != podFree && pd.node == none {
			res.FinalPending++
		}
	}
}

// forgetPods gives back what no list of the result needs, so that a large run and its result do not both stand in memory.
func (r *run) forgetPods() {
	many := len(r.pods) > manyPods
	r.pods, r.on, r.slots, r.liveAt, r.indexes, r.claims, r.drains = nil, nil, nil, nil, nil, nil, nil
	if many {
		runtime.GC() // else the result would be added before the collector sees that there is room
	}
}

// manyPods take so much memory that a collection, a hundredth of what their run took, is worth it.
const manyPods = 500_000

func (r *run) workloadResults(res *Result) {
	for i := range int32(len(r.workloads)) {
		spec, wl, e := &r.w.workloads[i], &r.workloads[i], r.w.entry(i)
		if spec.kind == staticPod {
			continue
		}
		had := wl.had()
		x := WorkloadResult{Namespace: e.Namespace, Name: r.w.workloadName(i), Kind: r.w.workloadKind(i),
			Replicas: int(wl.want), MinReady: int(wl.minReady), SecondsZero: seconds(had.zero), SecondsBelow: seconds(wl.below),
			Evictions: wl.evictions, EvictionsRefused: wl.refused, EvictionErrors: had.errors, PodsMoved: int(wl.moved), PodsMovedAgain: int(wl.twice), MaxMoves: int(wl.maxMoves),
			SecondsPending: seconds(had.pendingTime)}
		if wl.ready > 0 { // else it lasts on
			x.SecondsZeroBeyond = seconds(had.zeroAfter)
		}
		if spec.budget != none {
			x.SecondsBelowFloor = seconds(r.budgets[spec.budget].belowFloor)
		}
		if res.Workloads == nil {
			res.Workloads = make([]WorkloadResult, 0, len(r.workloads))
		}
		res.Workloads = append(res.Workloads, x)
	}
}

func (r *run) nodeResults(res *Result) {
	target := r.w.rank[r.w.versionIs(r.w.upgrade.Upgrade.To)]
	names := make([]string, len(r.w.versions))
	for i := range names {
		names[i] = r.w.versions[i].String()
	}
	for n := range int32(len(r.nodes)) {
		rec := &r.rollout.records[n]
		if (n > r.w.original(n) || r.w.nodes[n].extra) && !rec.joined {
			continue // it was never needed
		}
		x := NodeResult{Name: r.w.nodeName(n), Pool: r.w.nodes[n].poolName, DrainSeconds: seconds(rec.drain), DrainResult: rec.outcome.String(),
			BlockedSeconds: seconds(rec.blocked), Kubelet: names[r.nodes[n].kubelet], Extra: r.w.nodes[n].extra, Removed: r.nodes[n].flags&nodeRemoved != 0}
		if old := r.w.original(n); old != n {
			x.Replaces = r.w.nodeName(old)
		}
		if rec.upgradedAt >= 0 && r.w.rank[r.nodes[n].kubelet] >= target {
			at := seconds(rec.upgradedAt)
			x.UpgradedAtSeconds = &at
		}
		x.RolledBack = rec.backAt > 0 && r.isBack(n)
		if res.Nodes == nil {
			res.Nodes = make([]NodeResult, 0, r.present)
		}
		res.Nodes = append(res.Nodes, x)
		if !r.w.nodes[n].cp && r.nodes[n].flags&nodeRemoved == 0 {
			res.FinalVersions[x.Kubelet]++
		}
	}
	r.countSurge(0)
	res.Surge = Surge{PeakNodes: int(r.surgePeak), NodeHours: Seconds(float64(r.surgeTime) / 3.6e9)}
}

func (r *run) budgetResults(res *Result) {
	res.Budgets = slices.Grow(res.Budgets, len(r.budgets))
	for b := range r.budgets {
		namespace, name := r.w.budgetName(int32(b))
		res.Budgets = append(res.Budgets, BudgetResult{Namespace: namespace, Name: name, Refused: r.budgets[b].refused, SecondsExhausted: seconds(r.budgets[b].exhaustedFor(r.endedAt))})
	}
}

func seconds(us int64) Seconds { return Seconds(float64(us) / 1e6) }

// formatSeconds writes microseconds as seconds with three decimals.
func formatSeconds(us int64) string { return fmt.Sprintf("%.3f", float64(us)/1e6) }

// longestDuration is as many microseconds as a time.Duration of nanoseconds holds, some 292 years.
const longestDuration = math.MaxInt64 / int64(time.Microsecond)

// formatTime writes microseconds for people: from a minute on to the nearest
// second (1h2m3s, 10m), below that to a tenth (30s, 4.3s), below that in milliseconds.
func formatTime(us int64) string {
	if us > longestDuration {
		return fmt.Sprintf("%dh", us/int64(time.Hour/time.Microsecond))
	}
	d := time.Duration(us) * time.Microsecond
	switch {
	case d > 0 && d < 50*time.Millisecond:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + "s"
	}
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
