package sim

import (
	"slices"

	"upsim/model"
)

// drain is one call of kubectl drain, or what another system has in its place. Its first line of the processor's cache is what every
// pod touches whose eviction is accepted, or that is gone.
type drain struct {
	options *model.Drain
	polls   []look // accepted evictions, by their next look
	request uint64 // what its claims' requests have in common
	ticket  int32
	asking  int32 // claims that may still ask
	waiting int32 // claims that were accepted and whose pod is not gone
	lane    int32 // the claim that the pods wait for which are not asked for yet
	blocked int32 // claims that are refused
	lanes   bool  // some pods go one after the other
	over    bool
	cut     bool // no API server answered
	outcome drainOutcome

	limit        bucket  // the client's, shared by evictions and looks whether a pod is gone
	deadline     int64   // never without a timeout
	deleted      []int32 // deletions, which are looked at all in turn
	endAt        int64
	turns        []leftPod // pods that are not asked for yet
	turnAt       int64     // when the next turn comes, if that is known
	left         []leftPod
	rhythm       rhythm
	blockedSince int64
	blockedTime  int64
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

// look is kubectl's next one whether the pod of a claim is gone: it looks at once, then at each tick of a second. A look waits
// for the client's rate limit, and of the ticks that pass meanwhile one is kept.
type look struct {
	asked  int64 // when it is asked for
	first  int64 // when the first look was asked for; ticks count from here
	served int64 // when the last look reached the server; -1 before the first
	claim  int32
}

// before says in which order looks are asked for.
func (l *look) before(o *look) bool {
	return l.asked < o.asked || l.asked == o.asked && l.claim < o.claim
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
	r.drains[d] = drain{
		ticket: t, options: o, polls: r.drains[d].polls[:0],
		request: uint64(r.rollout.tickets[t].attempts&0xffff) << 16,
		lanes:   o.Evict == model.EvictSequential || o.Evict == model.EvictVolumesOneByOne,
		rhythm:  r.newRhythm(o), limit: newBucket(a.KubectlQPS, a.KubectlBurst),
		deadline: never, lane: none, turnAt: never, endAt: r.now, outcome: drainDone,
	}
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
	for _, p := range slices.Backward(r.on[n]) {
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
// Measured: a tenth of a run of 30,000 pods, more of larger ones.
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
		at += r.draw(&r.w.latencies.request, forRequest, uint64(pd.slot), uint64(pd.attempt))
		d.waiting++
		r.beginDeletion(&r.claims[c], pd, at)
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
			first = min(first, r.claims[c].gone)
		}
		step := r.w.latencies.deletionPoll
		if skip := (first - round) / step; skip > 0 {
			round += skip * step
		}
		at = max(at, round)
		var still []int32
		for _, c := range left {
			at += d.limit.take(at, 1)
			if r.claims[c].gone > at {
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
func (d *drain) startPolls(c int32, at int64) {
	d.plan(look{asked: at, first: at, served: -1, claim: c})
}

// plan puts a look in its place. They lie in the order in which they are asked for, and are mostly planned in it.
func (d *drain) plan(l look) {
	d.polls = append(d.polls, l)
	polls := d.polls
	for i := len(polls) - 1; i > 0 && polls[i].before(&polls[i-1]); i-- {
		polls[i-1], polls[i] = polls[i], polls[i-1]
	}
}

// advancePolls works out the looks that were asked for up to t. They cost no events: only their share of the client's rate limit
// matters to others. A pod that was found gone is let go of when the next look at it would be asked for.
func (r *run) advancePolls(di int32, t int64) {
	d := &r.drains[di]
	if t == never {
		r.foundAtOnce(d)
	}
	if len(d.polls) == 0 {
		return
	}
	r.skipPolls(d, t)
	looked := 0
	for ; looked < len(d.polls) && d.polls[looked].asked <= t; looked++ {
		if looked >= max(16, len(d.polls)/2) { // else the list would grow with every look
			d.polls, looked = append(d.polls[:0], d.polls[looked:]...), 0
		}
		l := d.polls[looked]
		if l.served >= 0 && r.claims[l.claim].gone <= l.served {
			d.endAt = max(d.endAt, l.served)
			r.freeClaim(l.claim)
			continue
		}
		l.served = l.asked + d.limit.take(l.asked, 1)
		step := r.w.latencies.deletionPoll
		tick := l.first + ((l.asked-l.first)/step+1)*step // the first tick after the look was asked for
		l.asked = max(tick, l.served+lookTime)
		d.plan(l)
	}
	d.polls = append(d.polls[:0], d.polls[looked:]...)
}

// foundAtOnce is what advancePolls comes to for the first of the pods, where none was looked at yet and all looks are wanted: those that
// the first look finds gone are let go of in the order of these looks, since the next ones would come in it too.
func (r *run) foundAtOnce(d *drain) {
	for i := range d.polls {
		if d.polls[i].served >= 0 {
			return
		}
	}
	looked := 0
	for ; looked < len(d.polls); looked++ {
		l, limit := &d.polls[looked], d.limit.next
		served := l.asked + d.limit.take(l.asked, 1)
		if r.claims[l.claim].gone > served {
			d.limit.next = limit
			break
		}
		d.endAt = max(d.endAt, served)
		r.freeClaim(l.claim)
	}
	d.polls = append(d.polls[:0], d.polls[looked:]...)
}

// skipPolls passes over whole rounds of looks that can find nothing: until the
// first pod is gone each waiting pod is looked at once a round, which takes a second
// or, with many pods, what the rate limit needs for all.
func (r *run) skipPolls(d *drain, t int64) {
	if d.polls[0].served < 0 {
		return
	}
	until := t
	for i := range d.polls {
		until = min(until, r.claims[d.polls[i].claim].gone)
	}
	round := max(r.w.latencies.deletionPoll, int64(len(d.polls))*d.limit.perToken)
	const settle = 4 // rounds at either end that are worked out look by look
	rounds := (until-d.polls[0].asked)/round - 2*settle
	if rounds <= 0 {
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
		if cl.gone == never {
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
