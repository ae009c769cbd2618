package sim

import (
	"math"
	"slices"
)

// canPreempt reports whether pods of the workload may have others deleted to make room.
func (r *run) canPreempt(spec *workloadSpec) bool {
	return spec.preempts && spec.priority > r.w.lowestPriority && spec.kind != daemonSet && spec.kind != staticPod
}

// preempt looks for a node where deleting pods of lower priority makes room
// for the pod, deletes them, and parks the pod until they are gone
// (kube-scheduler's DefaultPreemption). It reports whether it found one.
//
// Of a node's pods of lower priority first all are taken away and then, from
// the highest priority down, each that still fits is spared; those whose budget
// would be broken are spared first. Nodes are ranked by budgets broken, then the
// highest priority, then the sum of priorities, then the number of victims.
func (r *run) preempt(p int32) bool {
	pd := &r.pods[p]
	spec := &r.w.workloads[pd.workload]
	if !r.canPreempt(spec) {
		return false
	}
	s := &r.w.shapes[spec.shape]
	best, bestRank := none, [4]int64{math.MaxInt64}
	var victims []int32
	for n := range int32(len(r.nodes)) {
		nd := &r.nodes[n]
		if nd.flags&(nodeRemoved|nodeUnschedulable) != 0 && s.tolerates&taintUnschedulable == 0 || nd.taints&^s.tolerates != 0 || !s.fit[nd.class].ok {
			continue
		}
		v, rank, ok := r.victimsFor(p, n, s, spec)
		if ok && slices.Compare(rank[:], bestRank[:]) < 0 {
			best, bestRank, victims = n, rank, v
		}
	}
	if best == none {
		return false
	}
	r.park(p)
	remember(&r.nominee, p, best)
	for _, v := range victims {
		if r.pods[v].state == podTerminating {
			continue // its Job failed with the victim before it
		}
		r.workloads[r.pods[v].workload].troubled().preempted++
		r.lose(v)
	}
	return true
}

// fitsBesideNominated reports whether the node has room for the pod beside those
// of the same or a higher priority that preemption makes room for there.
func (r *run) fitsBesideNominated(n int32, nd *node, s *shape, spec *workloadSpec, pd *pod) bool {
	cpu, memory, pods := int64(0), int64(0), int32(0)
	for p, at := range r.nominee {
		other := &r.w.workloads[r.pods[p].workload]
		if at != n || other.priority < spec.priority || r.pods[p].slot == pd.slot {
			continue
		}
		cpu += r.w.shapes[other.shape].cpu
		memory += r.w.shapes[other.shape].memory
		pods++
	}
	return pods == 0 || nd.pods+pods < nd.maxPods && (s.cpu == 0 || s.cpu+cpu <= nd.cpu-nd.usedCPU) && (s.memory == 0 || s.memory+memory <= nd.memory-nd.usedMemory)
}

// dropNomination forgets the node that was to be made room on, once the pod is bound or gone.
func (r *run) dropNomination(p int32) { delete(r.nominee, p) }

// victimsFor picks the pods to delete on one node so that the pod fits there.
// The workload's own constraints must hold with the victims in place: preemption
// to satisfy affinity is not tried.
func (r *run) victimsFor(p, n int32, s *shape, spec *workloadSpec) (victims []int32, rank [4]int64, ok bool) {
	nd := &r.nodes[n]
	pd := &r.pods[p]
	if spec.volume != 0 && !r.volumeAllows(n, spec, pd.slot) || spec.con != nil && !r.constraintsAllow(n, spec.con) {
		return nil, rank, false
	}
	var lower, leaving []int32 // leaving: those that are terminating already cost nothing
	for _, q := range slices.Backward(r.on[n]) {
		switch {
		case r.w.workloads[r.pods[q].workload].priority >= spec.priority:
		case r.pods[q].state == podTerminating:
			leaving = append(leaving, q)
		default:
			lower = append(lower, q)
		}
	}
	if len(lower) == 0 {
		return nil, rank, false
	}
	take := func(q int32, sign int64) { r.account(n, nd, &r.w.workloads[r.pods[q].workload], sign) }
	for _, q := range slices.Concat(lower, leaving) {
		take(q, -1)
	}
	fits := func() bool { return r.fits(n, nd, s) && r.fitsBesideNominated(n, nd, s, spec, pd) }
	ok = fits()
	guarded := func(q int32) bool {
		b := r.w.workloads[r.pods[q].workload].budget
		return b != none && r.synced(b).allowed == 0
	}
	slices.SortStableFunc(lower, func(a, b int32) int {
		if ga, gb := guarded(a), guarded(b); ga != gb {
			return int(one(gb) - one(ga))
		}
		return int(r.w.workloads[r.pods[b].workload].priority) - int(r.w.workloads[r.pods[a].workload].priority)
	})
	for _, q := range lower {
		take(q, +1)
		if !ok || fits() {
			continue
		}
		take(q, -1)
		victims = append(victims, q)
		pr := int64(r.w.workloads[r.pods[q].workload].priority)
		rank[0] += int64(one(guarded(q)))
		if len(victims) == 1 || pr > rank[1] {
			rank[1] = pr
		}
		rank[2] += pr
		rank[3]++
	}
	for _, q := range slices.Concat(victims, leaving) {
		take(q, +1)
	}
	return victims, rank, ok && len(victims) > 0
}
