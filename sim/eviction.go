package sim

import (
	"slices"

	"upsim/model"
)

// claim is one pod that one drain wants gone: a goroutine of kubectl drain. It is one line of the processor's cache.
type claim struct {
	drain   int32
	pod     int32
	gen     uint32
	version uint32 // of the budget, as read
	state   claimState
	counts  bool  // among its budget's unready claims
	blocked bool  // refused, and not accepted or ended since: its drain is held up
	listed  bool  // parked with the others of its budget's period
	tries   uint8 // of the API server to write the budget
	// Of its refusals: in a row, with those that were only counted; since it was parked, those that were counted already.
	refusals uint8
	counted  int64
	request  uint64 // the pod's move, the drain's attempt and how many requests came before: what chance is drawn for
	parked   int64  // when the last refused attempt was answered
	offset   int64  // from the start of its drain's pass to its first try
	gone     int64  // when its pod was gone; never before
}

type claimState uint8

const (
	claimFree     claimState = iota
	claimAsking              // an attempt is under way
	claimParked              // refused; sleeps between tries
	claimAccepted            // waits for the pod to be gone
	claimDone
)

// maxConflicts is how often the API server tries to write a budget before it
// gives up with an error (EvictionsRetry in pkg/registry/core/pod/storage/eviction.go).
const maxConflicts = 20

// claimsOf lists a drain's claims on pods that are still there, in the order in which they were made.
func (r *run) claimsOf(di int32) []int32 {
	var claims []int32
	for _, p := range slices.Backward(r.on[r.rollout.tickets[r.drains[di].ticket].node]) {
		if c := r.pods[p].claim; c != none && r.claims[c].drain == di {
			claims = append(claims, c)
		}
	}
	slices.Sort(claims)
	return claims
}

// newClaim makes a drain's claim on a pod.
func (r *run) newClaim(d, p int32) int32 {
	var c int32
	if k := len(r.freeClaims); k > 0 {
		c = r.freeClaims[k-1]
		r.freeClaims = r.freeClaims[:k-1]
	} else {
		c = int32(len(r.claims))
		r.claims = append(r.claims, claim{})
	}
	cl, pd := &r.claims[c], &r.pods[p]
	// One by one, and not those that are set before they are read, since the room for a claim is used again for every pod.
	cl.drain, cl.pod, cl.state = d, p, claimAsking
	cl.request = uint64(pd.attempt)<<32 | r.drains[d].request
	cl.counts, cl.blocked, cl.listed, cl.tries, cl.refusals, cl.offset = false, false, false, 0, 0, 0
	pd.claim = c
	return c
}

// ask sends an eviction request (evAsk): kubectl's own rate limit, then the network.
func (r *run) ask(c int32) {
	cl := &r.claims[c]
	d := &r.drains[cl.drain]
	if r.noAPI() {
		r.askAgain(c)
		return
	}
	if d.lanes && !r.enterLane(c) {
		return
	}
	if len(d.polls) > 0 {
		r.advancePolls(cl.drain, r.now)
	}
	if cl.blocked {
		r.nextToAsk(c)
	}
	r.send(c, cl, d)
}

// send has an eviction request take its way to the API server.
func (r *run) send(c int32, cl *claim, d *drain) {
	cl.state = claimAsking
	cl.request++
	at := r.now + d.limit.take(r.now, 1)
	if d.rhythm.cycle > 0 && cl.offset == 0 {
		cl.offset = d.rhythm.passOffset()
	}
	r.push(at+r.onTheWay(cl), evEvict, cl.gen, c)
}

// onTheWay is from kubectl's sending an eviction request to the server's receiving it. One in thirty first requests is
// held up, as by a connection of its own, so that its write mostly does not meet the one before. Recorded: of 60 that
// followed another of their drain, 54 came within 4 ms of it and 6, most of them on a busy machine, 17 to 56 ms later;
// two drains without spare room block each other all the same in nine runs of ten (g2-nospare-deadlock).
func (r *run) onTheWay(cl *claim) int64 {
	request, slot := &r.w.latencies.request, uint64(r.pods[cl.pod].slot)
	takes := r.draw(request, forRequest, slot, cl.request)
	if cl.refusals == 0 && request.varies() && hash(r.seed, forConnection, slot, cl.request)%30 == 0 {
		return takes * 5 / 2
	}
	return takes / 4
}

// evict is the API server's decision on an eviction request (evEvict), in the
// order of pkg/registry/core/pod/storage/eviction.go:
//
//  1. a pod whose phase is Pending, or that is terminating already, is deleted without asking a budget;
//  2. without a budget it is deleted; with two the answer is an error, which kubectl does not retry and a controller does;
//  3. a pod that is not Ready goes free of budget if the policy is AlwaysAllow, or if the budget has the healthy
//     pods it wants and wants some;
//  4. with no disruption allowed the answer is 429, and kubectl sleeps;
//  5. else the budget is written, and then the pod deleted.
func (r *run) evict(c int32) {
	cl := &r.claims[c]
	if r.noAPI() {
		r.askAgain(c)
		return
	}
	pd := &r.pods[cl.pod]
	spec := &r.w.workloads[pd.workload]
	b := spec.budget
	switch {
	case pd.state != podRunning && pd.state != podStarting || pd.flags&podNotStarted != 0:
		r.accept(c, cl, pd)
	case spec.twoBudget:
		r.tell(evEvict, cl.pod, pd.node)
		r.answerError(c, r.now+r.answerTime(cl))
	case b == none:
		r.accept(c, cl, pd)
	case pd.flags&podReady == 0 && r.freeOfBudget(b):
		r.accept(c, cl, pd)
	default:
		bg := r.synced(b)
		if bg.allowed == 0 {
			r.refuse(c)
		} else {
			cl.version = bg.version
			// Recorded: receipt to write seen 10 ms in the median, in 109 none under 5 ms.
			request := &r.w.latencies.request
			takes := max(r.draw(request, forWrite, uint64(pd.slot), cl.request), request.median/2)
			r.push(r.now+takes, evEvictWrite, cl.gen, c)
		}
		if bg.waiting > 0 {
			r.wakeBudget(b) // also where it passes: the next claimant's try may meet this one
		}
	}
}

// answerTime is how long the API server takes to answer a request that writes nothing.
func (r *run) answerTime(cl *claim) int64 {
	return r.draw(&r.w.latencies.request, forWrite, uint64(r.pods[cl.pod].slot), cl.request) / 2
}

// freeOfBudget reports whether the budget lets pods go that are not Ready (rule 3 of evict).
func (r *run) freeOfBudget(b int32) bool {
	bg := r.synced(b)
	return r.w.budgets[b].spec.AlwaysAllow || bg.healthy >= bg.desired && bg.desired > 0
}

// evictWrite is the API server's write of the budget (evEvictWrite). If someone
// wrote it since it was read, the server starts over 500 ms later, plus up to a tenth.
func (r *run) evictWrite(c int32) {
	cl := &r.claims[c]
	pd := &r.pods[cl.pod]
	b := r.w.workloads[pd.workload].budget
	bg := r.synced(b)
	if r.noAPI() {
		r.askAgain(c)
		return
	}
	if bg.version != cl.version {
		r.conflict(c, b)
		return
	}
	bg.version++
	if bg.setAllowed(bg.allowed-1, r.upTo(r.now)); pd.flags&podReady != 0 && pd.flags&podDisrupted == 0 {
		pd.flags |= podDisrupted
		bg.disrupted++
	}
	r.budgetChanged(b, bg)
	r.accept(c, cl, pd)
}

// conflict has the API server start over with an eviction, or give it up with an error.
func (r *run) conflict(c, b int32) {
	cl := &r.claims[c]
	cl.tries++
	if cl.tries == maxConflicts {
		r.answerError(c, r.now)
		r.wakeBudget(b)
		return
	}
	wait := r.w.latencies.conflictRetry
	wait += int64(float64(wait) * 0.1 * uniform(hash(r.seed, forConflict, uint64(r.pods[cl.pod].slot), cl.request<<8|uint64(cl.tries))))
	r.pushAfter(wait, evEvict, cl.gen, c)
}

// accept answers 201: the pod's deletion follows, and kubectl begins to look whether it is gone, at the deletion or,
// where the answer comes late, after it. Recorded: so 3 of 24 pods that stop in exactly 2 s are found gone after 2 s,
// the others after 3 s.
func (r *run) accept(c int32, cl *claim, pd *pod) {
	d := &r.drains[cl.drain]
	r.unblock(c)
	r.workloads[pd.workload].evictions++
	r.evictions++
	r.tell(evEvictWrite, cl.pod, pd.node)
	d.asking--
	if d.lane == c {
		r.acceptedInLane(c)
	}
	request := &r.w.latencies.request
	late := r.draw(request, forAnswer, uint64(pd.slot), cl.request) - request.median
	d.waiting++
	d.startPolls(c, r.beginDeletion(cl, pd, r.now)+max(0, late))
}

// beginDeletion has a claimed pod's deletion timestamp set a little after the
// instant at, and returns when. Its drain waits for it.
func (r *run) beginDeletion(cl *claim, pd *pod, at int64) int64 {
	cl.state = claimAccepted
	cl.gone = never
	at += r.draw(&r.w.latencies.deletion, forDeletionLag, uint64(pd.slot), uint64(pd.attempt))
	if pd.state == podTerminating || pd.flags&podDeleting != 0 {
		return at
	}
	r.countMove(pd)
	pd.flags |= podDeleting
	r.push(at, evDelete, pd.gen, cl.pod)
	return at
}

// answerError answers with an error that is no refusal, at that instant.
func (r *run) answerError(c int32, at int64) {
	r.countErrors(r.pods[r.claims[c].pod].workload, 1)
	if controllerRetriesError(r.drains[r.claims[c].drain].options) {
		r.sleep(c, at)
		return
	}
	r.claimFailed(c, drainFailed, at)
}

func (r *run) countErrors(w int32, n int64) {
	r.workloads[w].troubled().errors += n
	r.evictionErrors += n
}

// refuse answers 429.
func (r *run) refuse(c int32) {
	cl := &r.claims[c]
	pd := &r.pods[cl.pod]
	r.countRefused(pd.workload, 1)
	r.tell(evEvict, cl.pod, pd.node)
	r.sleep(c, r.now+r.answerTime(cl))
}

// sleep has a claim that was answered at that instant try again, every period, until something changes.
func (r *run) sleep(c int32, answered int64) {
	cl := &r.claims[c]
	cl.tries = 0
	cl.parked = answered
	cl.refusals = inARow(int64(cl.refusals) + 1)
	d := &r.drains[cl.drain]
	if !cl.blocked {
		cl.blocked = true
		if d.blocked == 0 {
			d.blockedSince = r.now
		}
		d.blocked++
	}
	r.parkClaim(c)
	if d.deadline != never {
		end := max(d.deadline, cl.parked)
		if d.options.TimeoutCheck != model.TimeoutExact {
			end = r.tryAfter(cl, max(d.deadline-1, cl.parked))
		}
		r.push(end, evClaimTimeout, cl.gen, c)
	}
	r.leaveLane(c, cl.parked)
}

// countRefused counts refused eviction requests.
func (r *run) countRefused(w int32, n int64) {
	r.workloads[w].refused += n
	r.refused += n
	if b := r.w.workloads[w].budget; b != none {
		r.budgets[b].refused += n
	}
}

// unblock ends a claim's time of being refused, if it was.
func (r *run) unblock(c int32) {
	cl := &r.claims[c]
	if !cl.blocked {
		return
	}
	cl.blocked = false
	d := &r.drains[cl.drain]
	d.blocked--
	if d.blocked == 0 {
		d.blockedTime += r.now - d.blockedSince
	}
}

// claimReadiness is told when a claimed pod turned Ready or not: that can let a parked claim pass.
func (r *run) claimReadiness(c int32) {
	if r.claims[c].state == claimParked {
		r.parkedReadiness(c)
	}
}

func (r *run) parkedReadiness(c int32) {
	cl := &r.claims[c]
	pd := &r.pods[cl.pod]
	b := r.w.workloads[pd.workload].budget
	r.countUnready(&r.budgets[b], cl, pd.flags&podReady == 0)
	r.wakeBudget(b)
}

// claimTimeout is the try at which kubectl sees that its time is up (evClaimTimeout).
func (r *run) claimTimeout(c int32) {
	cl := &r.claims[c]
	if cl.state == claimParked {
		r.unparkClaim(c, r.now)
		r.claimFailed(c, drainTimedOut, r.now)
	}
}

// claimGone is told when a claimed pod's object is gone.
func (r *run) claimGone(c int32) {
	cl := &r.claims[c]
	pd := &r.pods[cl.pod]
	pd.claim = none
	if cl.state != claimAccepted {
		r.goneUnasked(c, pd)
		return
	}
	cl.gone = r.now
	d := &r.drains[cl.drain]
	d.waiting--
	if d.lane == c {
		r.leaveLane(c, max(r.now, r.slotFree[pd.slot]))
	}
	if d.waiting == 0 {
		r.drainMayEnd(cl.drain)
	}
}

// goneUnasked ends a claim whose pod has gone though its eviction was not accepted.
func (r *run) goneUnasked(c int32, pd *pod) {
	cl := &r.claims[c]
	switch cl.state {
	case claimParked:
		// Its next try finds no pod.
		at := r.tryAfter(cl, r.now)
		r.unparkClaim(c, at)
		r.unblock(c)
		r.claimEnded(c, at)
	case claimAsking:
		b := r.w.workloads[pd.workload].budget
		woken := b != none && r.budgets[b].awake == c
		if woken {
			r.budgets[b].awake = none
		}
		r.unblock(c)
		r.claimEnded(c, r.now+r.w.latencies.deletionPoll)
		if woken {
			r.wakeBudget(b)
		}
	}
}

// claimFailed ends a claim with an error.
func (r *run) claimFailed(c int32, why drainOutcome, at int64) {
	cl := &r.claims[c]
	d := &r.drains[cl.drain]
	r.unblock(c)
	r.pods[cl.pod].claim = none
	d.outcome = max(d.outcome, why)
	d.left = append(d.left, leftPod{pod: cl.pod, gen: r.pods[cl.pod].gen})
	r.claimEnded(c, at)
}

// claimEnded counts a claim that will ask for nothing more.
func (r *run) claimEnded(c int32, at int64) {
	cl := &r.claims[c]
	d := &r.drains[cl.drain]
	d.endAt = max(d.endAt, at)
	d.asking--
	r.leaveLane(c, at)
	r.freeClaim(c)
	r.drainMayEnd(cl.drain)
}

func (r *run) freeClaim(c int32) {
	cl := &r.claims[c]
	cl.state = claimFree
	cl.gen++
	r.freeClaims = append(r.freeClaims, c)
}
