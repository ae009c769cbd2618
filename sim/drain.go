package sim

import (
	"slices"

	"upsim/model"
)

// drain is one call of kubectl drain, or what another system has in its place.
type drain struct {
	ticket   int32
	options  *model.Drain
	rhythm   rhythm
	limit    bucket  // the client's, shared by evictions and looks whether a pod is gone
	deadline int64   // never without a timeout
	asking   int32   // claims that may still ask
	waiting  int32   // claims that were accepted and whose pod is not gone
	polls    []look  // accepted evictions, by their next look
	deleted  []int32 // deletions, which are looked at all in turn
	endAt    int64
	outcome  drainOutcome
	left     []leftPod
	turns    []leftPod // pods that are not asked for yet
	lane     int32     // the claim that they wait for
	turnAt   int64     // when the next turn comes, if that is known

	blocked      int32 // claims that are refused
	blockedSince int64
	blockedTime  int64
	over         bool
	cut          bool // no API server answered
}

// drainOutcome is how a drain ended; a graver one replaces a lesser one.
type drainOutcome uint8

const (
	drainNone drainOutcome = iota
	drainDone
	drainTimedOut
	drainFailed
	drainRefused
)

func (o drainOutcome) String() string {
	return [...]string{"none", "drained", "timedOut", "failed", "refused"}[o]
}

// leftPod is a pod that a failed drain left on its node.
type leftPod struct {
	pod int32
	gen uint32
}

// poll is kubectl's wait for one pod to be gone: it looks at once, then at
// each tick of a second; a look waits for the client's rate limit, and of the
// ticks that pass meanwhile one is kept.
type poll struct {
	first  int64 // the first look; ticks count from here
	served int64 // when the last look reached the server; -1 before the first
	gone   int64 // when the pod was gone; never before
}

// look is the next one at a claim's pod.
type look struct {
	asked int64
	claim int32
}

// lookTime is what a look takes. Recorded: a drain ends 3 to 10 ms after the look that found its last pod gone.
const lookTime = 4_000

// startDrain is kubectl drain with its list of pods (evDrainStart): the
// filters, then all evictions at once (kubectl pkg/drain).
func (r *run) startDrain(t int32) {
	tk := &r.rollout.tickets[t]
	if r.noAPI() && r.unanswered(t, evDrainStart) {
		return
	}
	o := r.rollout.drainOptions(tk)
	r.cordon(tk.node, true) // kubectl drain cordons too; it matters where the cordon before it failed
	d := r.newDrain(t, o)
	if o.Timeout > 0 && o.OnFailure != model.DrainWait {
		// kubectl's time runs from when it has listed the pods (pkg/drain, evictPods).
		from := r.now
		if o.TimeoutCheck == model.TimeoutExact {
			from = tk.drainStart
		}
		r.drains[d].deadline = from + o.Timeout.Microseconds()
		r.push(r.drains[d].deadline, evDrainDeadline, 0, t)
	}
	victims, no := r.victims(tk.node, o)
	if no != nil {
		tk.refused = no
		r.drains[d].outcome = drainRefused
		r.drainMayEnd(d)
		return
	}
	if o.DisableEviction {
		r.deletePods(d, victims)
		return
	}
	if o.OnFailure == model.DrainWait && o.Timeout > 0 {
		r.drains[d].rhythm.inPasses(tk.drainStart, r.now-tk.drainStart, o)
	}
	r.startEvictions(d, victims)
	r.drainMayEnd(d)
}

// newDrain makes the ticket's drain: a process of kubectl with its own rate limit. It takes the place of one that has ended well,
// with the room for its looks.
func (r *run) newDrain(t int32, o *model.Drain) int32 {
	var d int32
	if k := len(r.freeDrains) - 1; k >= 0 {
		d, r.freeDrains = r.freeDrains[k], r.freeDrains[:k]
	} else {
		d, r.drains = int32(len(r.drains)), append(r.drains, drain{})
	}
	a := &r.w.scenario.Assumptions
	r.drains[d] = drain{polls: r.drains[d].polls[:0], ticket: t, options: o, rhythm: r.newRhythm(o), limit: newBucket(a.KubectlQPS, a.KubectlBurst), deadline: never, lane: none, turnAt: never, endAt: r.now, outcome: drainDone}
	r.rollout.tickets[t].drain = d
	return d
}

// refusedNode is kubectl's reason to refuse a node before it evicts anything, with what to do about it.
type refusedNode struct{ why, fix string }

const (
	fixDaemonSetPod = "Set `ignoreDaemonSets: true` under `upgrade.nodes.drain`; the pods of DaemonSets then stay on their nodes."
	fixLocalData    = "Set `deleteEmptyDirData: true` under `upgrade.nodes.drain` (the data is lost), or move what must stay to a persistent volume."
	fixBarePod      = "Set `force: true` under `upgrade.nodes.drain` (the pod is lost), or give the pod a controller, or remove it first."
)

// victims are the pods that a drain of the node must evict, or why kubectl
// refuses the node: DaemonSet pods, mirror pods, local data, no controller, in
// the order of kubectl's filters. The list is good until the next call.
func (r *run) victims(n int32, o *model.Drain) (pods []int32, no *refusedNode) {
	pods = r.victimList[:0]
	for p := r.nodes[n].firstPod; p != none; p = r.pods[p].nextOnNode {
		pd := &r.pods[p]
		spec := &r.w.workloads[pd.workload]
		name := func() string { return r.w.podSubject(pd.workload, pd.slot) }
		switch {
		case spec.kind == daemonSet:
			if !o.IgnoreDaemonSets {
				return nil, &refusedNode{name() + " is managed by a DaemonSet, and ignoreDaemonSets is false", fixDaemonSetPod}
			}
			continue
		case spec.kind == staticPod:
			continue
		case spec.emptyDir && !o.DeleteEmptyDirData:
			return nil, &refusedNode{name() + " has local data (emptyDir), and deleteEmptyDirData is false", fixLocalData}
		case spec.kind == barePod && !o.Force:
			return nil, &refusedNode{name() + " has no controller that would replace it, and force is false", fixForBarePods(&r.w.scenario.Cluster, r.w.entry(pd.workload))}
		}
		pods = append(pods, p)
		r.readAhead(pd, spec)
	}
	r.victimList = pods
	return pods, nil
}

// readAhead reads what the eviction of a pod will read of its workload, its budget and its slot. Each lies somewhere else in
// memory, and the processor fetches those of all pods of a node at once, where the evictions would wait for one after the other.
func (r *run) readAhead(pd *pod, spec *workloadSpec) {
	wl := &r.workloads[pd.workload]
	seen := spec.slot0 + wl.ready + int32(wl.evictions) + r.slots[pd.slot].newest + r.liveAt[pd.slot]
	if spec.budget != none {
		bg := &r.budgets[spec.budget]
		seen += bg.allowed
	}
	r.ahead ^= seen
}

// deletePods deletes pods without asking their budgets: disableEviction, or
// forceDelete after a failed drain. kubectl sends one deletion after another, and
// then looks once a second which pods are left (kubectl pkg/drain, deletePods).
func (r *run) deletePods(di int32, pods []int32) {
	d := &r.drains[di]
	at := r.now
	for _, p := range pods {
		pd := &r.pods[p]
		if pd.state != podTerminating && pd.flags&podDeleting == 0 {
			r.deletions++
		}
		c := r.newClaim(di, p)
		at += d.limit.take(at, 1)
		at += r.draw(&r.w.latencies.request, forRequest, uint64(pd.slot), r.attempt(pd))
		r.beginDeletion(c, at)
		d.deleted = append(d.deleted, c)
	}
	d.endAt = at
	r.drainMayEnd(di)
}

// endOfRounds is when kubectl finds the last of the pods that it deleted gone: it
// looks at all that are left in turn, at once and then each second.
func (r *run) endOfRounds(d *drain) int64 {
	at, round := d.endAt, d.endAt
	left := d.deleted
	for len(left) > 0 {
		// Rounds before the first of them is gone find nothing.
		first := never
		for _, c := range left {
			first = min(first, r.claims[c].poll.gone)
		}
		step := r.w.latencies.deletionPoll
		if skip := (first - round) / step; skip > 0 {
			round += skip * step
		}
		at = max(at, round)
		var still []int32
		for _, c := range left {
			at += d.limit.take(at, 1)
			if r.claims[c].poll.gone > at {
				still = append(still, c)
			}
			at += lookTime
		}
		left = still
		round += max(1, (at-round+step-1)/step) * step
	}
	return at
}

// startPolls begins the wait for an evicted pod.
func (r *run) startPolls(c int32, at int64) {
	cl := &r.claims[c]
	cl.poll = poll{first: at, served: -1, gone: never}
	r.drains[cl.drain].plan(c, at)
}

// advancePolls works out the looks that were asked for up to t. They cost no
// events: only their share of the client's rate limit matters to others.
func (r *run) advancePolls(di int32, t int64) {
	d := &r.drains[di]
	r.skipPolls(d, t)
	looked := 0
	for ; looked < len(d.polls) && d.polls[looked].asked <= t; looked++ {
		if looked >= max(16, len(d.polls)/2) { // else the list would grow with every look
			d.polls, looked = append(d.polls[:0], d.polls[looked:]...), 0
		}
		c := d.polls[looked].claim
		pl := &r.claims[c].poll
		if pl.served >= 0 && pl.gone <= pl.served {
			d.endAt = max(d.endAt, pl.served)
			r.freeClaim(c)
			continue
		}
		asked := d.polls[looked].asked
		pl.served = asked + d.limit.take(asked, 1)
		step := r.w.latencies.deletionPoll
		tick := pl.first + ((asked-pl.first)/step+1)*step // the first tick after the look was asked for
		d.plan(c, max(tick, pl.served+lookTime))
	}
	d.polls = append(d.polls[:0], d.polls[looked:]...)
}

// skipPolls passes over whole rounds of looks that can find nothing: until the
// first pod is gone each waiting pod is looked at once a round, which takes a second
// or, with many pods, what the rate limit needs for all.
func (r *run) skipPolls(d *drain, t int64) {
	if len(d.polls) == 0 {
		return
	}
	until := t
	for _, l := range d.polls {
		until = min(until, r.claims[l.claim].poll.gone)
	}
	round := max(r.w.latencies.deletionPoll, int64(len(d.polls))*d.limit.perToken)
	const settle = 4 // rounds at either end that are worked out look by look
	rounds := (until-d.polls[0].asked)/round - 2*settle
	if rounds <= 0 || r.claims[d.polls[0].claim].poll.served < 0 {
		return
	}
	for i := range d.polls {
		d.polls[i].asked += rounds * round
	}
	d.limit.next += rounds * round
}

// waits are the claims on pods whose deletion was sent, and that kubectl has not found gone.
func (d *drain) waits() []int32 {
	claims := slices.Clone(d.deleted)
	for _, l := range d.polls {
		claims = append(claims, l.claim)
	}
	return claims
}

// plan puts a claim's next look in its place. The looks lie in the order in which they are
// asked for, and are mostly planned in it.
func (d *drain) plan(c int32, asked int64) {
	d.polls = append(d.polls, look{})
	i := len(d.polls) - 1
	for ; i > 0 && (asked < d.polls[i-1].asked || asked == d.polls[i-1].asked && c < d.polls[i-1].claim); i-- {
		d.polls[i] = d.polls[i-1]
	}
	d.polls[i] = look{asked, c}
}

// drainMayEnd ends a drain once nothing of it asks or waits any more.
func (r *run) drainMayEnd(di int32) {
	d := &r.drains[di]
	if d.over || d.asking > 0 || d.waiting > 0 || r.groupGone(di) {
		return
	}
	d.over = true
	r.advancePolls(di, never)
	d.endAt = max(d.endAt, r.endOfRounds(d))
	for _, c := range d.deleted {
		r.freeClaim(c)
	}
	d.deleted = nil
	r.push(max(d.endAt+lookTime, r.now), evDrainEnd, 0, d.ticket)
}

// drainDeadline ends the wait for pods that were accepted and are not gone (evDrainDeadline).
func (r *run) drainDeadline(t int32) bool {
	di := r.rollout.tickets[t].drain
	if di == none || r.drains[di].over || r.now < r.drains[di].deadline {
		return false
	}
	d := &r.drains[di]
	r.dropTurns(di, drainTimedOut)
	d.turnAt = never // it waits for no volume any more
	r.advancePolls(di, r.now)
	waiting := d.waits()
	d.polls, d.deleted = d.polls[:0], nil
	for _, c := range waiting {
		cl := &r.claims[c]
		if cl.poll.gone == never {
			d.waiting--
			d.outcome = max(d.outcome, drainTimedOut)
			d.left = append(d.left, leftPod{pod: cl.pod, gen: r.pods[cl.pod].gen})
			r.pods[cl.pod].claim = none
		}
		r.freeClaim(c)
	}
	d.endAt = max(d.endAt, r.now)
	r.drainMayEnd(di)
	return true
}
