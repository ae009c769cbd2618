package sim

import "strings"

// Step is one thing that happened, as a person would tell it.
type Step struct {
	// At is the time since the upgrade began, in microseconds.
	At int64
	// What happened: cordoned, evicted, refused, terminating, gone, created, scheduled, pending, ready …
	What string
	// Subject is the pod or node it happened to.
	Subject string
	// Detail says where or why; it may be empty.
	Detail string
}

// String writes the step as one line: seconds, subject, what, detail.
func (s Step) String() string {
	return strings.TrimRight(formatSeconds(s.At)+" "+s.Subject+" "+s.What+" "+s.Detail, " ")
}

// tell tells what happened to a pod, if somebody listens.
func (r *run) tell(k kind, p, n int32) {
	if r.opts.Story != nil {
		r.tellPod(k, p, n)
	}
}

func (r *run) tellPod(k kind, p, n int32) {
	pd := &r.pods[p]
	s := Step{At: r.now, Subject: r.w.podSubject(pd.workload, pd.slot)}
	switch k {
	case evEvict:
		s.What, s.Detail = "refused", r.refusal(pd)
	case evEvictWrite:
		s.What = "evicted"
	case evDelete:
		s.What = "terminating"
	case evGone:
		s.What = "gone"
	case evReplace:
		s.What = "created"
	case evSchedule:
		s.What = "scheduled"
	case evUnpark:
		s.What, s.Detail = "pending", "fits on no node"
	case evReady:
		s.What = "ready"
	case evCaughtUp:
		s.What = "in sync"
	case evForceDetach:
		s.What = "detached"
	}
	if n != none && s.Detail == "" {
		s.Detail = "on " + r.w.nodeName(n)
	}
	r.opts.Story(s)
}

// tellNode tells what happened to a node.
func (r *run) tellNode(k kind, n int32) {
	if r.opts.Story == nil {
		return
	}
	s := Step{At: r.now, Subject: r.w.nodeSubject(n)}
	switch k {
	case evCordon:
		s.What = "cordoned"
	case evDrainEnd:
		s.What = r.rollout.records[n].outcome.String()
	case evNodeDown:
		s.What = "upgrading"
	case evNodeBack:
		s.What, s.Detail = "upgraded", "to "+r.w.version(r.nodes[n].kubelet).String()
		if r.rollout.records[n].backAt == r.now && r.now > 0 {
			s.What = "went back"
		}
	case evProvisioned:
		s.What = "joined"
	case evNodeGone:
		s.What = "removed"
	case evUncordon:
		s.What = "uncordoned"
	case evBreak:
		s.What = "broken"
	}
	r.opts.Story(s)
}

// sayNode tells what became of a node that no step of the upgrade did.
func (r *run) sayNode(n int32, what string) {
	if r.opts.Story != nil {
		r.opts.Story(Step{At: r.now, Subject: r.w.nodeSubject(n), What: what})
	}
}
