package sim

import (
	"fmt"
	"slices"

	"upsim/model"
	"upsim/sim/invariant"
)

// What a run that is stuck waits for, and why that cannot come.

// proveStuck says, for each node whose upgrade cannot end, what it waits for and why that cannot come.
func (r *run) proveStuck() {
	if r.cp.outUntil > r.now {
		f := model.NewFinding(model.APIServerUnreachable, r.subject(invariant.ControlPlanes, 0), "the upgrade waits for ever for an API server that answers")
		f.Severity = model.SeverityError
		r.reasons = append(r.reasons, f)
		return // all else waits for that
	}
	r.proveRetries()
	r.proveCapacity()
	r.proveProcedure()
	for i := range r.rollout.tickets {
		tk := &r.rollout.tickets[i]
		node := r.w.nodeSubject(tk.node)
		switch tk.step {
		case stepHeld:
			r.drainFinding(model.DrainNeverEnds, tk.node, fmt.Sprintf("the drain of %s fails again and again: %s", node, r.drainWhy[tk.node]), model.SeverityError)
		case stepUpgrade:
			m := node + " did not come back after its upgrade, and "
			if s := r.stageOf(tk); s == nil || len(s.queue) == 0 {
				r.reasonWithFix(model.NodeNeverReturned, "Mend or replace the node.", node, m+"the upgrade waits for it")
			} else {
				r.reason(model.NodeNeverReturned, node, m+"the place that it takes is never free again")
			}
		case stepDrain:
			if r.noAPI() {
				r.reason(model.DrainNeverEnds, node, fmt.Sprintf("the drain of %s waits for ever for an API server that answers", node))
				continue
			}
			r.proveDrain(tk, node)
		}
	}
}

// proveDrain names the pods that a drain waits for for ever.
func (r *run) proveDrain(tk *ticket, node string) {
	for _, c := range r.claimsOf(tk.drain) {
		cl := &r.claims[c]
		pd := &r.pods[cl.pod]
		subject := r.w.podSubject(pd.workload, pd.slot)
		switch {
		case cl.state == claimParked:
			r.proveRefused(pd, node, subject)
		case cl.state == claimAccepted && cl.gone == never:
			r.reason(model.PodStuckTerminating, subject, fmt.Sprintf("%s stays terminating because %s does not answer, so its drain never ends", subject, node))
		}
	}
}

// proveRefused says why a budget refuses an eviction for ever, with what to do about that.
func (r *run) proveRefused(pd *pod, node, subject string) {
	m := fmt.Sprintf("the drain of %s waits for %s for ever: %s", node, subject, r.refusal(pd))
	b := r.synced(r.w.workloads[pd.workload].budget)
	switch w := r.workloads[pd.workload].pending; {
	case w > 0:
		subject := r.w.workloadSubject(pd.workload)
		m += "; " + plural(int(w), "pod of "+subject+" waits for a node and finds none", "pods of "+subject+" wait for a node and find none")
		m += " (" + r.whyParked[pd.workload] + ")"
	case b.expected > b.desired && !r.w.workloads[pd.workload].twoBudget:
		m += fmt.Sprintf(" of %d", b.expected)
	}
	if r.controllersDown() >= downForever {
		m += "; no controller-manager acts, so the budget's status is not brought up to date and nothing is replaced"
	}
	r.reasonWithFix(model.DrainNeverEnds, r.fixForRefused(pd), node, m)
}

// leftTerminating names the pods that stay terminating because their node is
// gone, unless a stuck drain has named them.
func (r *run) leftTerminating() {
	left := 0
	for n := range int32(len(r.nodes)) {
		if r.nodes[n].flags&nodeMute == 0 {
			continue
		}
		for _, p := range slices.Backward(r.on[n]) {
			pd := &r.pods[p]
			if pd.state != podTerminating || pd.claim != none {
				continue
			}
			if left++; left > mostAlike {
				continue
			}
			subject := r.w.podSubject(pd.workload, pd.slot)
			r.softReason(model.PodStuckTerminating, subject, fmt.Sprintf("%s stays terminating because %s does not answer", subject, r.w.nodeSubject(n)))
		}
	}
	if more := left - mostAlike; more > 0 {
		r.softReason(model.PodStuckTerminating, "Scenario/"+r.w.scenario.Name, plural(more, "more pod stays", "more pods stay")+" terminating because their nodes do not answer")
	}
}
