package sim

import "slices"

// etcd: which instances have a member, which of these vote, and when a quorum of them is up.

// memberState is what an instance's etcd is to the cluster of members.
type memberState uint8

const (
	memberNone    memberState = iota
	memberLearner             // it gets the log and does not vote: kubeadm adds a member so, and has it promoted once it is in sync
	memberVotes
)

// votes reports whether the instance's member votes and is up.
func (in *instance) votes() bool { return in.member == memberVotes && in.memberUp && !in.off }

// quorum is how many of so many voting members must be up for a write, or a change of the members, to be accepted.
func quorum(members int32) int32 { return members/2 + 1 }

// quorumAt is when a quorum of the voting members is up: in the past where it is, or where etcd is not ours.
func (r *run) quorumAt() int64 {
	if !r.cp.etcd {
		return 0
	}
	var back []int64
	for i := range r.cp.instances {
		in := &r.cp.instances[i]
		if in.member != memberVotes {
			continue
		}
		at := int64(0)
		if !in.memberUp {
			at = in.memberAt
		}
		if in.off {
			at = max(at, in.offUntil)
		}
		back = append(back, at)
	}
	slices.Sort(back)
	return back[quorum(int32(len(back)))-1]
}

// memberDown takes an instance's member out for so long.
func (r *run) memberDown(i int, out int64) {
	in := &r.cp.instances[i]
	in.memberUp, in.memberAt = false, r.now+out
	r.pushAfter(out, evComponentUp, 0, int32(i))
}

// componentUp is an etcd member that is back (evComponentUp).
func (r *run) componentUp(i int32) {
	r.cp.instances[i].memberUp = true
	r.membersChanged()
}

// addMember has the member on a new machine join as a learner; it is promoted when it has caught up.
func (r *run) addMember(i int) {
	in := &r.cp.instances[i]
	in.member, in.memberUp = memberLearner, true
	wait := r.drawExact(&r.w.latencies.etcdCatchUp, forControlPlane, uint64(i)<<8|0x20, uint64(r.cp.to))
	in.servesAt = r.now + wait
	r.pushAfter(wait, evPromoted, 0, int32(i))
}

// promoted is a learner that is in sync (evPromoted): it votes from now on, and the API server beside it,
// which reads from it, answers. A promotion is a change of the members and needs their quorum.
func (r *run) promoted(i int32) bool {
	in := &r.cp.instances[i]
	if in.member != memberLearner {
		return false
	}
	if at := r.quorumAt(); at > r.now {
		r.push(at, evPromoted, 0, i)
		return true
	}
	in.member, in.serves = memberVotes, true
	r.apiChanged()
	r.dropUnsupported()
	return true
}
