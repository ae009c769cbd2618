package sim

import (
	"slices"

	"upsim/model"
)

// Refused evictions are not polled: a claim that was refused parks on its budget, and when something changes the
// claimant whose next try comes first is woken for it. The tries in between are refused too, and counted by arithmetic.

// rhythm is when a drain asks again for an eviction that was refused: after a pause (drain.retry) that doubles, up to
// drain.retryMax, with each refusal.
type rhythm struct {
	first, most int64 // the pauses, equal where they do not double
	request     int64 // the time of a request, which comes on top of each pause

	// With drain.onFailure wait and a timeout the drain goes on in passes of this length, one a cycle. No try lies
	// between two passes, and each pass begins with the first pause again. A cycle of 0 means one pass without end.
	start, length, cycle int64
	offset               int64 // from the start of a later pass to the first request of the next claim
}

func (r *run) newRhythm(o *model.Drain) rhythm {
	first := o.Retry.Microseconds()
	return rhythm{first: first, most: max(first, o.RetryMax.Microseconds()), request: r.w.latencies.request.median / 2}
}

// inPasses has the drain go on in passes that begin a while before their first request. A pass ends as a drain with that
// timeout does.
func (h *rhythm) inPasses(start, first int64, o *model.Drain) {
	h.start, h.length = start, o.Timeout.Microseconds()
	h.cycle, h.offset = h.length, min(first, h.length-1)
	if o.TimeoutCheck != model.TimeoutExact {
		_, next := h.inPass(h.offset, h.length-1)
		h.cycle = next + lookTime
	}
	h.cycle += o.AttemptDelay.Microseconds() + cordonGap
}

// passGap is between the requests with which a later pass begins: each is read after the one before has changed its budget.
const passGap = 20_000

// passOffset is where in the next passes the first try of a claim lies that is asked for now.
func (h *rhythm) passOffset() int64 {
	at := min(h.offset, h.length-1)
	h.offset += passGap
	return at
}

// open is the first instant from t on that lies in a pass.
func (h *rhythm) open(t int64) int64 {
	if h.cycle == 0 || (t-h.start)%h.cycle < h.length {
		return t
	}
	return t - (t-h.start)%h.cycle + h.cycle
}

// steady is the period of the tries behind the n-th refusal in a row, 0 where they have none.
func (h *rhythm) steady(n uint8) int64 {
	if h.cycle > 0 || h.pause(n) < h.most {
		return 0
	}
	return h.most + h.request
}

// pause is the one after the n-th refusal in a row.
func (h *rhythm) pause(n uint8) int64 {
	p := h.first
	for ; n > 1 && p < h.most; n-- {
		p = min(2*p, h.most)
	}
	return p
}

// after counts the tries within x of the n-th refusal in a row, and says when the next one comes, both from that refusal on.
func (h *rhythm) after(n uint8, x int64) (made, next int64) {
	x = max(x, 0)
	pause := h.pause(n)
	for pause < h.most {
		next += pause + h.request
		if next > x {
			return made, next
		}
		made++
		pause = min(2*pause, h.most)
	}
	p := h.most + h.request
	k := (x - next) / p
	return made + k, next + (k+1)*p
}

// inPass is after for a whole pass in which a claim is first asked for at the offset.
func (h *rhythm) inPass(offset, x int64) (made, next int64) {
	if x < offset {
		return 0, offset
	}
	made, next = h.after(1, x-offset)
	return made + 1, offset + next
}

// try is a parked claim's next one: when it comes, how many come before it, and how many of these belong to its pass.
type try struct {
	at, before int64
	refusals   uint8 // in a row, those before the claim was parked included
}

// next is the claim's first try after t. A pod whose turn came in a later pass is asked for as each pass begins.
func (h *rhythm) next(cl *claim, t int64) try {
	if h.cycle == 0 {
		made, next := h.after(cl.refusals, t-cl.parked)
		return try{cl.parked + next, made, inARow(int64(cl.refusals) + made)}
	}
	k := (cl.parked - h.start) / h.cycle
	end := h.start + k*h.cycle + h.length
	var before int64
	if cl.parked < end {
		made, next := h.after(cl.refusals, min(t, end-1)-cl.parked)
		if cl.parked+next < end {
			return try{cl.parked + next, made, inARow(int64(cl.refusals) + made)}
		}
		before = made
	}
	whole, _ := h.inPass(cl.offset, h.length-1)
	last := k + 1
	k = max(last, (t-h.start)/h.cycle)
	before += (k - last) * whole
	begin := h.start + k*h.cycle
	made, next := h.inPass(cl.offset, min(t-begin, h.length-1))
	before += made
	if next < h.length {
		return try{begin + next, before, inARow(made)}
	}
	return try{begin + h.cycle + cl.offset, before, 0}
}

// inARow cuts a number of refusals off where no pause doubles any more: no duration of a scenario doubles 60 times.
func inARow(n int64) uint8 { return uint8(min(n, 60)) }

// tryAfter is the claim's first try after t.
func (r *run) tryAfter(cl *claim, t int64) int64 { return r.drains[cl.drain].rhythm.next(cl, t).at }

// parkedClaim is a refused claim in its budget's list, which is sorted by
// phase: the instant of its tries within the list's period.
type parkedClaim struct {
	phase int64
	claim int32
}

func comparePhase(a, b parkedClaim) int {
	if a.phase != b.phase {
		return int(max(-1, min(1, a.phase-b.phase)))
	}
	return int(a.claim - b.claim)
}

// parkClaim puts a refused claim into its budget's list, or, where its tries do not have that list's period, beside it:
// drains of one upgrade mostly have one period, and those beside it are looked at one by one.
func (r *run) parkClaim(c int32) {
	cl := &r.claims[c]
	pd := &r.pods[cl.pod]
	bg := &r.budgets[r.w.workloads[pd.workload].budget]
	cl.state, cl.counted = claimParked, 0
	if bg.waiting++; bg.parking == nil {
		bg.parking = &parking{}
	}
	r.planSync(r.w.workloads[pd.workload].budget)
	period := r.drains[cl.drain].rhythm.steady(cl.refusals)
	if len(bg.parked) == 0 && period > 0 {
		bg.period = period
	}
	if cl.listed = period > 0 && period == bg.period; cl.listed {
		x := parkedClaim{phase: cl.parked % period, claim: c}
		i, _ := slices.BinarySearchFunc(bg.parked, x, comparePhase)
		bg.parked = slices.Insert(bg.parked, i, x)
	} else {
		bg.beside = append(bg.beside, c)
	}
	r.countUnready(bg, cl, pd.flags&podReady == 0)
}

// unparkClaim takes a claim out of its budget's list at the instant at, and
// counts the refused tries that lay between its refusal and that instant.
func (r *run) unparkClaim(c int32, at int64) {
	cl := &r.claims[c]
	pd := &r.pods[cl.pod]
	bg := &r.budgets[r.w.workloads[pd.workload].budget]
	bg.waiting--
	if cl.listed {
		i, _ := slices.BinarySearchFunc(bg.parked, parkedClaim{phase: cl.parked % bg.period, claim: c}, comparePhase)
		bg.parked = slices.Delete(bg.parked, i, i+1)
	} else {
		i := slices.Index(bg.beside, c)
		bg.beside = slices.Delete(bg.beside, i, i+1)
	}
	r.countUnready(bg, cl, false)
	r.countTries(cl, r.drains[cl.drain].rhythm.next(cl, at-1).before)
}

// countTries counts the refused tries of a parked claim, of which there have been so many since it was parked.
func (r *run) countTries(cl *claim, made int64) {
	if made <= cl.counted {
		return
	}
	if w := r.pods[cl.pod].workload; r.w.workloads[w].twoBudget {
		r.countErrors(w, made-cl.counted)
	} else {
		r.countRefused(w, made-cl.counted)
	}
	cl.counted = made
}

func (r *run) countUnready(bg *budget, cl *claim, on bool) {
	if cl.counts == on {
		return
	}
	cl.counts = on
	if on {
		bg.unready++
	} else {
		bg.unready--
	}
}

// wakeBudget lets the parked claimant whose next try comes first make that try,
// if the budget's status could let it pass. While it waits for that try no other is woken.
func (r *run) wakeBudget(b int32) {
	if r.budgets[b].waiting > 0 {
		r.wakeAfter(b, r.now)
	}
}

// nextToAsk wakes the next claimant as one that was woken asks: their tries may come together and meet.
func (r *run) nextToAsk(c int32) {
	b := r.w.workloads[r.pods[r.claims[c].pod].workload].budget
	if b != none && r.budgets[b].awake == c {
		r.budgets[b].awake = none
		r.wakeAfter(b, r.now-1)
	}
}

// wakeAfter is wakeBudget for the first try after t.
func (r *run) wakeAfter(b int32, t int64) {
	bg := &r.budgets[b]
	if bg.awake != none {
		return
	}
	unreadyOnly := false
	if bg.allowed == 0 {
		if bg.unready == 0 || !r.freeOfBudget(b) {
			return
		}
		unreadyOnly = true
	}
	best, at := none, never
	may := func(c int32) bool {
		cl := &r.claims[c]
		if pd := &r.pods[cl.pod]; unreadyOnly && pd.flags&podReady != 0 || r.w.workloads[pd.workload].twoBudget {
			return false
		}
		next := r.tryAfter(cl, t)
		if next >= r.drains[cl.drain].deadline {
			return false
		}
		if next < at {
			best, at = c, next
		}
		return true
	}
	if len(bg.parked) > 0 {
		// In the order of their next tries, so that the first that may is the first of all.
		start, _ := slices.BinarySearchFunc(bg.parked, parkedClaim{phase: t % bg.period, claim: 1<<31 - 1}, comparePhase)
		for i := range bg.parked {
			if may(bg.parked[(start+i)%len(bg.parked)].claim) {
				break
			}
		}
	}
	for _, c := range bg.beside {
		may(c)
	}
	if best != none {
		bg.awake = best
		r.wakeClaim(best, at)
	}
}

// wakeClaim takes a claim out of its park for its try at the given instant.
func (r *run) wakeClaim(c int32, at int64) {
	cl := &r.claims[c]
	next := r.drains[cl.drain].rhythm.next(cl, at-1).refusals
	r.unparkClaim(c, at)
	cl.refusals = next
	cl.gen++ // its timeout, if it has one, is looked at again when it parks
	cl.state = claimAsking
	r.push(at, evAsk, cl.gen, c)
}
