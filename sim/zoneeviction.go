package sim

// The node lifecycle controller (pkg/controller/nodelifecycle) gives a node that is gone the taint
// unreachable:NoExecute, from which its pods' tolerations run, not at once but as its zone allows:
//
//   - one node in 10 s (node-eviction-rate 0.1);
//   - where at least three nodes and 55 % of the zone are not Ready (unhealthy-zone-threshold), one in 100 s
//     (secondary-node-eviction-rate 0.01), and none at all in a zone of up to 50 nodes (large-cluster-size-threshold);
//   - at the usual rate again where none of a zone's nodes is Ready: then it is taken to be down;
//   - none while no node of the whole cluster is Ready: then it is taken to be the controller's own connection. The
//     taints that are there are taken away.
//
// Nodes without a zone make one together. The taint that keeps new pods off (NoSchedule) does not wait.
const (
	evictionPeriod         = 10_000_000
	reducedPeriod          = 100_000_000
	unhealthyPercent       = 55
	unhealthyAtLeast       = 3
	smallZone        int32 = 50
)

// evictionZone is a zone as the node lifecycle controller sees it.
type evictionZone struct {
	nodes, ready int32
	queue        []int32 // nodes that are to be tainted
	period       int64   // from one to the next; 0 while there is none
	next         int64   // the earliest instant of the next
	gen          uint32  // of the event for it
	changed      bool
}

// countZones fills the zones from the nodes as they are at the start.
func (r *run) countZones() {
	r.evictionZones = make([]evictionZone, r.zones())
	for z := range r.evictionZones {
		r.evictionZones[z].period = evictionPeriod
	}
	for n := range r.nodes {
		if nd := &r.nodes[n]; nd.flags&nodeRemoved == 0 {
			r.countInZone(int32(n), 1, one(nd.flags&nodeReady != 0))
		}
	}
}

// countInZone changes the number of nodes, and of Ready nodes, in the node's zone.
func (r *run) countInZone(n, nodes, ready int32) {
	z := int32(r.w.zoneOf[n])
	e := &r.evictionZones[z]
	if e.nodes > 0 && e.ready == 0 {
		r.zonesDown--
	}
	if e.nodes > 0 {
		r.zonesThere--
	}
	e.nodes += nodes
	e.ready += ready
	if e.nodes > 0 && e.ready == 0 {
		r.zonesDown++
	}
	if e.nodes > 0 {
		r.zonesThere++
	}
	if !e.changed {
		e.changed, r.unsettled = true, true
		r.changedZones = append(r.changedZones, z)
	}
}

// unreachable queues a node that is gone for its taint.
func (r *run) unreachable(n int32) {
	z := int32(r.w.zoneOf[n])
	e := &r.evictionZones[z]
	e.queue = append(e.queue, n)
	if !e.changed {
		e.changed, r.unsettled = true, true
		r.changedZones = append(r.changedZones, z)
	}
}

// watchZones is the controller's look at the zones in which a node turned Ready or not, at the end of the tick.
func (r *run) watchZones() {
	allDown := r.zonesThere > 0 && r.zonesDown == r.zonesThere
	if allDown != r.allDown {
		r.allDown = allDown
		if allDown {
			r.forgive()
		}
		for z := range r.evictionZones {
			r.setPeriod(int32(z))
		}
	}
	for _, z := range r.changedZones {
		r.evictionZones[z].changed = false
		r.setPeriod(z)
		r.taintNext(z)
	}
	r.changedZones = r.changedZones[:0]
}

// periodOf is the zone's time from one tainted node to the next as its nodes stand; 0 for none.
func (r *run) periodOf(e *evictionZone) int64 {
	gone := e.nodes - e.ready
	switch {
	case r.allDown:
		return 0
	case e.ready == 0, gone < unhealthyAtLeast, gone*100 < unhealthyPercent*e.nodes:
		return evictionPeriod
	case e.nodes > smallZone:
		return reducedPeriod
	}
	return 0
}

// setPeriod changes the zone's rate. The new limiter has its one token only if the old one had (SwapLimiter).
func (r *run) setPeriod(z int32) {
	e := &r.evictionZones[z]
	to := r.periodOf(e)
	if to == e.period {
		return
	}
	if e.period == 0 || e.next > r.now {
		e.next = r.now + to
	}
	e.period = to
	r.taintNext(z)
}

// taintNext taints the zone's next node if its rate allows (evZone), and plans the one after that. It reports whether
// that means anything to a pod.
func (r *run) taintNext(z int32) bool {
	e := &r.evictionZones[z]
	e.gen++
	did := false
	for len(e.queue) > 0 && e.period > 0 {
		if until := max(e.next, r.controllersDown()); until > r.now {
			r.push(until, evZone, e.gen, z)
			break
		}
		n := e.queue[0]
		e.queue = e.queue[1:]
		x := r.absent[n]
		if x == nil || !x.unknown || x.tainted {
			continue // it is back
		}
		x.tainted = true
		r.tainted = append(r.tainted, n)
		e.next = r.now + e.period
		if r.evictLater(n) {
			r.sayNode(n, "unreachable")
			did = true
		}
	}
	return did
}

// forgive takes the taints away from all nodes that are gone, and queues them anew.
func (r *run) forgive() {
	for _, n := range r.tainted {
		if x := r.absent[n]; x != nil && x.tainted {
			x.tainted = false
			r.unreachable(n)
		}
	}
	r.tainted = r.tainted[:0]
}
