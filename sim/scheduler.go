package sim

import (
	"cmp"
	"slices"
)

// shapeQueue holds the pods of a shape that found no node.
type shapeQueue struct {
	pods []parkedPod
	// nodes that changed since the last look, or all where a constraint may have changed.
	nodes   []int32
	all     bool
	waiting bool // its pods are to be looked at again
	looks   int  // that were asked for
	// The same, of the look that is under way.
	lookAt           []int32
	lookAll, looking bool
}

// parkedPod is a pod that found no node, and its place in the order in which pods failed.
type parkedPod struct {
	pod int32
	seq int64
}

// schedule is kube-scheduler's attempt at a new pod (evSchedule).
func (r *run) schedule(pd ownedPod) {
	if pd.state != podCreated {
		return
	}
	if until := r.schedulerDown(); until > r.now {
		r.waitForScheduler(pd, until)
		return
	}
	if pd.flags&podWaits != 0 {
		r.waitNoMore(pd.pod)
	}
	if pd.spec.kind == daemonSet && r.nodes[r.ownNode(pd)].flags&nodeRemoved != 0 {
		slot := pd.slot
		r.lose(pd.id)
		r.missed(pd.workload, slot, -1)
		return
	}
	if r.sameWaits(pd) {
		r.park(pd.id)
		return
	}
	if n := r.choose(pd, nil); n != none {
		r.bind(pd, n)
		return
	}
	if !r.preempt(pd.id) {
		r.park(pd.id)
	}
}

// waitForScheduler has the scheduler look at a pod once one acts again.
func (r *run) waitForScheduler(pd ownedPod, until int64) {
	if pd.flags&podWaits == 0 {
		pd.flags |= podWaits
		pd.wl.waiting++
		r.setPending(pd.workload, +1)
		r.whyParked[pd.workload] = "no scheduler acts"
	}
	r.push(until+r.draw(&r.w.latencies.scheduler, forScheduler, uint64(pd.slot), uint64(pd.attempt)), evSchedule, pd.gen, pd.id)
}

// waitNoMore takes a pod that waited for a scheduler out of the pending ones.
func (r *run) waitNoMore(pd *pod) {
	pd.flags &^= podWaits
	r.workloads[pd.workload].waiting--
	r.setPending(pd.workload, -1)
}

// sameWaits reports whether an equal pod is parked and nothing has changed
// since it failed: then this one fails too, and need not be tried.
func (r *run) sameWaits(pd ownedPod) bool {
	return pd.wl.unwell > 0 && pd.wl.pending > pd.wl.waiting && !r.queues[pd.spec.shape].waiting && pd.spec.volume == 0 && !r.canPreempt(pd.spec)
}

// choose picks the pod's node: kube-scheduler's filters, then its scores over
// as many feasible nodes as it looks for, then chance among the best. only
// restricts the search; nil searches the cluster from where the last search ended.
func (r *run) choose(owned ownedPod, only []int32) int32 {
	p, pd, spec := owned.id, owned.pod, owned.spec
	s := &r.w.shapes[spec.shape]
	if spec.kind == daemonSet || spec.kind == staticPod {
		n := r.ownNode(owned)
		if n != none && r.feasibleOnOwn(n, s) {
			return n
		}
		return none
	}
	if len(r.nominee) > 0 {
		// The node that preemption made room on is tried first, and first by itself.
		if n, ok := r.nominee[p]; ok {
			if spec.con != nil {
				r.mark(spec.con, s)
			}
			if r.feasible(n, s, spec, pd) {
				return n
			}
		}
	}
	if only == nil && r.indexable(spec) {
		return r.searchIndex(s, spec, pd)
	}
	if spec.con != nil {
		r.mark(spec.con, s)
	}
	r.candidates = r.candidates[:0]
	if only != nil {
		for _, n := range only {
			if r.feasible(n, s, spec, pd) {
				r.candidates = append(r.candidates, n)
			}
		}
	} else {
		r.search(s, spec, pd)
	}
	switch len(r.candidates) {
	case 0:
		return none
	case 1:
		return r.candidates[0]
	}
	r.score(s, spec)
	return r.best(pd)
}

// search collects feasible nodes round robin until there are enough.
func (r *run) search(s *shape, spec *workloadSpec, pd *pod) {
	n := len(r.nodes)
	enough := enoughFeasible(int(r.present))
	if r.placing {
		enough = min(enough, allNodesUpTo)
	}
	if spec.con != nil && r.narrow(spec.con, s, pd, spec) {
		return
	}
	i := r.nextNode
	for range n {
		if i >= n {
			i = 0
		}
		if r.feasible(int32(i), s, spec, pd) {
			r.candidates = append(r.candidates, int32(i))
			if len(r.candidates) == enough {
				i++
				break
			}
		}
		i++
	}
	r.nextNode = i % n
}

// narrow collects feasible nodes from a required affinity on the hostname, whose
// domains are the few nodes that hold a matching pod.
func (r *run) narrow(con *constraints, s *shape, pd *pod, spec *workloadSpec) bool {
	m := r.marks[len(con.avoid):]
	for i := range con.attract {
		t := &con.attract[i]
		if t.topo != topoHost || !r.w.counters[t.counter].walked || r.totals[i] == 0 {
			continue
		}
		nodes := slices.Clone(m[i].touched)
		slices.Sort(nodes)
		for _, n := range nodes {
			if r.feasible(n, s, spec, pd) {
				r.candidates = append(r.candidates, n)
			}
		}
		return true
	}
	return false
}

// best picks among the candidates with the highest score, by chance.
func (r *run) best(pd *pod) int32 {
	top, ties := int64(-1), uint64(0)
	for _, x := range r.scores {
		if x > top {
			top, ties = x, 1
		} else if x == top {
			ties++
		}
	}
	pick := uint64(0)
	if ties > 1 {
		pick = hash(r.seed, forTie, uint64(pd.slot), uint64(pd.attempt)) % ties
	}
	for i, x := range r.scores {
		if x != top {
			continue
		}
		if pick == 0 {
			return r.candidates[i]
		}
		pick--
	}
	return none
}

// ownNode is the node that a DaemonSet's or static pod is meant for.
func (r *run) ownNode(pd ownedPod) int32 {
	if pd.spec.kind == daemonSet {
		return pd.slot - pd.spec.slot0
	}
	return r.slotNode[pd.slot]
}

func (r *run) feasibleOnOwn(n int32, s *shape) bool {
	nd := &r.nodes[n]
	return nd.flags&nodeRemoved == 0 && nd.taints&^s.tolerates == 0 && s.fit[nd.class].ok && r.fits(n, nd, s)
}

// bind gives the pod its node and hands it to the kubelet.
func (r *run) bind(pd ownedPod, n int32) {
	if pd.state == podParked {
		r.setPending(pd.workload, -1)
		r.dropNomination(pd.id)
	}
	pd.state = podStarting
	r.attach(pd, n)
	r.tell(evSchedule, pd.id, n)
	if len(r.parkedShapes) > 0 {
		r.constraintsChanged(pd.spec) // pods that are drawn to this one may follow
	}
	r.start(pd)
}

// attach puts the pod on the node's books: requests, ports, volume, and the counters of constraints.
func (r *run) attach(pd ownedPod, n int32) {
	spec, nd := pd.spec, &r.nodes[n]
	pd.node = n
	r.on[n] = append(r.on[n], pd.id)
	r.account(n, nd, spec, +1)
	if spec.volume != 0 {
		r.keepVolume(pd, n)
	}
	r.liveAt[pd.slot] = n
	if spec.feeds != none {
		r.feed(spec, n, true, +1) // joins the live ones
		r.feed(spec, n, false, +1)
	}
}

// keepVolume binds the volume of a pod's slot to where the first pod of it stands.
func (r *run) keepVolume(pd ownedPod, n int32) {
	if _, ok := r.slotNode[pd.slot]; !ok && pd.spec.volume&volumeLocal != 0 {
		r.slotNode[pd.slot] = n
	}
	if _, ok := r.slotZone[pd.slot]; !ok && pd.spec.volume&volumeZonal != 0 {
		r.slotZone[pd.slot] = r.nodes[n].zone
	}
}

// detach takes a pod that has left the live ones, and whose object is gone, off its node's books.
func (r *run) detach(pd ownedPod) {
	n := pd.node
	on := r.on[n]
	i := len(on) - 1 // those that came last are mostly evicted first
	for on[i] != pd.id {
		i--
	}
	copy(on[i:], on[i+1:])
	r.on[n] = on[:len(on)-1]
	r.account(n, &r.nodes[n], pd.spec, -1)
	if pd.spec.feeds != none {
		r.feed(pd.spec, n, false, -1)
	}
	r.slots[pd.slot].ending--
	pd.node = none
}

func (r *run) account(n int32, nd *node, spec *workloadSpec, sign int64) {
	s := &r.w.shapes[spec.shape]
	r.nodeChanged(n)
	r.countOn(n, spec, int32(sign))
	nd.pods += int32(sign)
	nd.usedCPU += sign * s.cpu
	nd.usedMemory += sign * s.memory
	nd.nzCPU += sign * s.nzCPU
	nd.nzMemory += sign * s.nzMemory
	for i := range s.other {
		r.usedOther[otherOnNode{n, s.other[i].name}] += sign * s.other[i].n
	}
	for _, p := range s.ports {
		r.ports[portOnNode{n, p}] += int32(sign)
	}
}

// leaveLive takes a bound pod out of those that spreading looks at: it is terminating.
func (r *run) leaveLive(pd *pod, spec *workloadSpec) {
	r.liveAt[pd.slot] = none
	r.slots[pd.slot].ending++
	if spec.feeds != none {
		r.feed(spec, pd.node, true, -1)
	}
	if len(r.parkedShapes) > 0 {
		r.constraintsChanged(spec)
	}
}

// fedBy are the counters of constraints that the workload's pods count in.
func (w *World) fedBy(workload int32) []int32 {
	if i := w.workloads[workload].feeds; i != none {
		return w.feeds[i]
	}
	return nil
}

// feed changes the counters that the workload's pods count in; live ones leave terminating pods out.
func (r *run) feed(spec *workloadSpec, n int32, live bool, by int32) {
	for _, k := range r.w.feeds[spec.feeds] {
		c := &r.w.counters[k]
		if c.live != live {
			continue
		}
		d := n
		if c.topo != topoHost {
			if d = r.w.topo[c.topo].of[n]; d == none {
				continue
			}
		}
		r.counts[k][d] += by
	}
}

// park sets a pod that found no node aside until something that it waits for changes.
func (r *run) park(p int32) {
	pd := &r.pods[p]
	if pd.state != podParked {
		pd.state = podParked
		if _, told := r.whyParked[pd.workload]; !told {
			r.whyParked[pd.workload] = r.whyNot(p)
		}
		r.setPending(pd.workload, +1)
		q := r.w.workloads[pd.workload].shape
		r.parkSeq++
		r.queues[q].pods = append(r.queues[q].pods, parkedPod{p, r.parkSeq})
		if len(r.queues[q].pods) == 1 {
			r.parkedShapes = append(r.parkedShapes, q)
		}
		r.tell(evUnpark, p, none)
	}
}

// unparkPod takes a parked pod, whose deletion begins, out of its queue.
func (r *run) unparkPod(p int32) {
	pd := &r.pods[p]
	if pd.state != podParked {
		return
	}
	r.setPending(pd.workload, -1)
	si := r.w.workloads[pd.workload].shape
	q := &r.queues[si]
	q.pods = slices.DeleteFunc(q.pods, func(x parkedPod) bool { return x.pod == p })
	r.dropNomination(p)
	if len(q.pods) == 0 {
		r.parkedShapes = slices.DeleteFunc(r.parkedShapes, func(x int32) bool { return x == si })
	}
}

// roomOn says that the node may take pods that it could not take before: a pod
// left it, it was uncordoned, or a taint is gone. O(shapes with parked pods).
func (r *run) roomOn(n int32) {
	nd := &r.nodes[n]
	for _, si := range r.parkedShapes {
		s := &r.w.shapes[si]
		if nd.flags&nodeRemoved == 0 && nd.taints&^s.tolerates == 0 && s.fit[nd.class].ok {
			q := &r.queues[si]
			if len(q.nodes) < 16 && !slices.Contains(q.nodes, n) {
				q.nodes = append(q.nodes, n)
			} else if len(q.nodes) >= 16 {
				q.all = true
			}
			r.wake(si)
		}
	}
}

// constraintsChanged says that pods of the workload came to domains or left them,
// so that parked pods with constraints may fit now.
func (r *run) constraintsChanged(spec *workloadSpec) {
	if !spec.counted {
		return
	}
	for _, si := range r.parkedShapes {
		r.queues[si].all = true
		r.wake(si)
	}
}

// wake has the scheduler look at the parked pods of a shape again.
func (r *run) wake(si int32) {
	r.queues[si].waiting = true
	if r.queues[si].looks++; !r.unparking {
		r.unparking = true
		r.pushAfter(r.draw(&r.w.latencies.scheduler, forScheduler, uint64(si), 1<<32|uint64(r.queues[si].looks)), evUnpark, 0, 0)
	}
}

// unpark looks at the parked pods of all shapes that something has changed for
// (evUnpark), higher priority and longer waiting first, as kube-scheduler's
// queue does. When one of a workload fails, its others are not tried.
func (r *run) unpark() {
	if until := r.schedulerDown(); until > r.now {
		r.push(until+r.draw(&r.w.latencies.scheduler, forScheduler, 0, uint64(until)), evUnpark, 0, 0)
		return
	}
	r.unparking = false
	r.retry = r.retry[:0]
	for _, si := range r.parkedShapes {
		// What changes from here on, also by what this look binds, is for the next look.
		q := &r.queues[si]
		q.looking, q.lookAll, q.lookAt = q.waiting, q.all, append(q.lookAt[:0], q.nodes...)
		q.waiting, q.all, q.nodes = false, false, q.nodes[:0]
		if q.looking {
			r.retry = append(r.retry, q.pods...)
		}
	}
	slices.SortFunc(r.retry, func(a, b parkedPod) int {
		pa, pb := r.w.workloads[r.pods[a.pod].workload].priority, r.w.workloads[r.pods[b.pod].workload].priority
		return cmp.Or(cmp.Compare(pb, pa), cmp.Compare(a.seq, b.seq))
	})
	failed := make(map[int32]bool)
	for _, x := range r.retry {
		pd := &r.pods[x.pod]
		spec := &r.w.workloads[pd.workload]
		if pd.state != podParked || failed[pd.workload] && spec.volume == 0 && !r.canPreempt(spec) {
			continue
		}
		q := &r.queues[spec.shape]
		only := q.lookAt
		if q.lookAll {
			only = nil
		}
		if n := r.choose(r.owned(x.pod), only); n != none {
			r.bind(r.owned(x.pod), n)
			continue
		}
		failed[pd.workload] = true
		if _, has := r.nominee[x.pod]; !has {
			r.preempt(x.pod)
		}
	}
	r.parkedShapes = slices.DeleteFunc(r.parkedShapes, func(si int32) bool {
		q := &r.queues[si]
		if q.looking {
			q.pods = slices.DeleteFunc(q.pods, func(x parkedPod) bool { return r.pods[x.pod].state != podParked })
		}
		return len(q.pods) == 0
	})
}

// setPending changes the number of a workload's pods that wait for a node.
func (r *run) setPending(w int32, by int32) {
	wl := &r.workloads[w]
	if wl.pending == 0 {
		wl.troubled().parkedAt = r.now
	}
	wl.pending += by
	wl.unwell += by
	if wl.pending == 0 {
		r.addPending(wl)
	}
	r.dirtyWorkload(w)
}

// addPending adds the time in which pods of the workload have waited for a node to its sums.
func (r *run) addPending(wl *workload) {
	t := wl.troubled()
	d := r.upTo(r.now) - r.upTo(t.parkedAt)
	t.pendingTime += d
	t.pendingMax = max(t.pendingMax, d)
}
