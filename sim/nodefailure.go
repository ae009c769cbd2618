package sim

import (
	"math"
	"slices"

	"upsim/model"
)

// failure is a node's failure: its kubelet is silent until then.
type failure struct {
	until int64 // when it answers again; downForever for never
}

// chance are the failures of one node by one fault with a rate.
type chance struct {
	k   uint64 // how many there were
	due int64  // the next one
}

// chanceOf names a fault and a node.
type chanceOf struct{ fault, node int32 }

// beginNodeFailure plans a fault of nodes: at a time, or by chance from a time on.
func (r *run) beginNodeFailure(i int, f *model.Fault) {
	if f.LastsNoTime() {
		return
	}
	if f.Rate == 0 {
		r.push(f.At.Microseconds(), evFail, 0, int32(i))
		return
	}
	for n := range int32(len(r.nodes)) {
		if r.nodes[n].flags&nodeRemoved == 0 {
			r.failByChance(int32(i), n, f.At.Microseconds())
		}
	}
}

// failNodes is the beginning of a fault of nodes (evFail). It looks at all nodes, once.
func (r *run) failNodes(i int32) bool {
	if r.endedAt >= 0 {
		return false
	}
	f := &r.w.scenario.Faults[i]
	for n := range int32(len(r.nodes)) {
		if r.fails(f, n) && r.hitsNode(int(i), f, n) {
			r.hit[i] = true
			r.failNode(n, f)
		}
	}
	return r.hit[i]
}

// fails reports whether a node is there to fail, and is not meant only in the place of one that is there too. Nodes of
// the control plane are not among those that this fault can name.
func (r *run) fails(f *model.Fault, n int32) bool {
	if r.w.nodes[n].cp || r.nodes[n].flags&nodeRemoved != 0 {
		return false
	}
	old := r.w.original(n)
	return len(f.NodeNames) == 0 || old == n || slices.Contains(f.NodeNames, r.w.nodeName(n)) || r.nodes[old].flags&nodeRemoved != 0
}

// failNode makes a node fail, for as long as the fault lasts; one that has failed already, for as long as the longer lasts.
func (r *run) failNode(n int32, f *model.Fault) {
	until := downForever
	if !f.Forever {
		until = r.now + f.For.Microseconds() + r.draw(&r.w.latencies.kubelet, forNodeReport, uint64(n), uint64(r.nodes[n].away)<<2|1)
	}
	if r.nodes[n].flags&nodeFailed == 0 {
		r.failures[n] = &failure{}
		r.sayNode(n, "failed")
		r.fallSilent(n, nodeFailed)
	}
	if x := r.failures[n]; until > x.until {
		x.until = until
		r.push(until, evFailureOver, 0, n)
	}
}

// failureOver is a node that has failed and answers again (evFailureOver).
func (r *run) failureOver(n int32) bool {
	nd := &r.nodes[n]
	x := r.failures[n]
	if nd.flags&nodeFailed == 0 || x.until != r.now {
		return false // it is gone, or has failed again meanwhile
	}
	if r.noAPI() {
		x.until = r.cp.apiDownUntil
		r.push(x.until, evFailureOver, 0, n)
		return false
	}
	delete(r.failures, n)
	nd.flags &^= nodeFailed
	r.sayNode(n, "answers")
	switch {
	case nd.flags&nodeMute != 0:
		// Something else still keeps it away.
	case nd.flags&nodeReady != 0, nd.flags&nodeBusy != 0 && r.w.scenario.Assumptions.NodeNotReadyWhileUpgrade:
		// Nobody noticed, or its upgrade goes on. Its kubelet goes on with its pods.
		delete(r.absent, n)
		r.asksAgain(n)
		r.pushAfter(r.draw(&r.w.latencies.podsReadyAfterNode, forNodeReport, uint64(n), uint64(nd.away)<<2|2), evNodePods, uint32(nd.away), n)
	default:
		nd.flags |= nodeSilent // until here
		r.nodeUp(n)
		r.badVersionOn(n)
		r.pushAfter(awaitedFor, evAwaited, uint32(nd.away), n)
	}
	return true
}

// failedUntil is when a node that has failed answers again; 0 if it has not failed.
func (r *run) failedUntil(n int32) int64 {
	if r.nodes[n].flags&nodeFailed == 0 {
		return 0
	}
	return r.failures[n].until
}

// keptAway reports whether a node whose upgrade is done cannot come back yet: it
// comes when what keeps it away is over as well.
func (r *run) keptAway(t int32) bool {
	tk := &r.rollout.tickets[t]
	if r.nodes[tk.node].flags&nodeExpired != 0 {
		r.neverBack(tk.node)
		return true
	}
	if i := r.w.instanceOf(tk.node); r.noAPI() && (i < 0 || !r.cp.instances[i].off) {
		// Its kubelet cannot say that it is Ready. (A machine of the control plane brings its own API server back.)
		r.push(r.cp.apiDownUntil+r.draw(&r.w.latencies.kubelet, forNodeReport, uint64(tk.node), uint64(r.nodes[tk.node].away)<<2|3), evNodeBack, 0, t)
		return true
	}
	until := r.failedUntil(tk.node)
	if until <= r.now {
		return false
	}
	if r.nodes[tk.node].flags&nodeBusy != 0 {
		r.nodeOverdue(tk.node)
	}
	r.push(until, evNodeBack, 0, t)
	return true
}

// failByChance plans a node's next failure by a fault with a rate: failures come
// independently of each other, so that the time to the next is exponential.
func (r *run) failByChance(i, n int32, from int64) {
	if f := &r.w.scenario.Faults[i]; r.w.nodes[n].cp || f.LastsNoTime() || !r.w.meansNode(f, n) {
		return
	}
	key := chanceOf{i, n}
	c := r.chances[key]
	if c == nil {
		c = &chance{}
		r.chances[key] = c
	}
	mean := 24 * 3600 * 1e6 / r.w.scenario.Faults[i].Rate
	wait := -mean * math.Log(uniform(hash(r.seed, forNodeFailure, uint64(n)<<32|uint64(i), c.k)))
	c.k++
	c.due = from + int64(min(wait, float64(horizon)))
	if c.due < horizon {
		r.background++
		r.push(c.due, evChance, uint32(i), n)
	}
}

// failsByChance is a failure of a node by a fault with a rate (evChance).
func (r *run) failsByChance(i, n int32) bool {
	r.background--
	c := r.chances[chanceOf{i, n}]
	if c.due != r.now || r.endedAt >= 0 || r.nodes[n].flags&nodeRemoved != 0 || r.inVain() {
		return false
	}
	r.hit[i] = true
	r.failByChance(i, n, r.now)
	r.failNode(n, &r.w.scenario.Faults[i])
	return true
}

// inVain reports whether nodes have failed and come back again and again while the rollout did not begin a step: from
// then on none fails, so that the run shows whether the upgrade waits for something that comes, or for ever.
func (r *run) inVain() bool {
	if step := len(r.rollout.tickets) + len(r.rollout.stages) + r.rollout.phase + r.cp.part - len(r.cp.queue); step != r.failedAtStep {
		r.failedAtStep, r.failedSince = step, 0
	}
	r.failedSince++
	return r.failedSince > 100*(len(r.nodes)+10)
}
