package sim

import (
	"fmt"

	"upsim/model"
)

// capacity is a fault by which a zone or pool has no new nodes to give: the
// cloud has none left, or someone else has used the quota up.
type capacity struct {
	fault  *model.Fault
	number int
	extra  int // nodes more than at the start there, those that were only asked for included
}

// waitingNode is an old node whose new one is not to be had.
type waitingNode struct {
	node  int32
	since int64
}

func (r *run) beginNoCapacity(i int, f *model.Fault) {
	r.capacity = append(r.capacity, capacity{fault: f, number: i})
	if !f.Forever {
		r.push(endOf(f), evCapacity, 0, int32(i))
	}
}

// lacking is the fault by which no new node is to be had in place of n now; nil
// where there is one. With a number of extra nodes, each that the cluster gives back can be had again.
func (r *run) lacking(n int32) *capacity {
	for i := range r.capacity {
		c := &r.capacity[i]
		if lasts(c.fault, r.now) && r.w.meansNode(c.fault, n) && (c.fault.Extra == nil || c.extra >= *c.fault.Extra) {
			return c
		}
	}
	return nil
}

// countExtra counts a node that was asked for in place of n, or with -1 one that was given back.
func (r *run) countExtra(n, by int32) {
	r.countSurge(by)
	for i := range r.capacity {
		if c := &r.capacity[i]; r.w.meansNode(c.fault, n) {
			c.extra += int(by)
		}
	}
	if by < 0 {
		r.capacityFreed()
	}
}

// askLater is the time until a new node in place of n has joined, where none is to be had now. A node of a second set
// comes at the end of the fault; any other as soon as there is room for it, by an event of its own.
func (r *run) askLater(n int32, c *capacity) int64 {
	r.hit[c.number] = true
	if s := r.nodes[n].stage; s != 0 && r.rollout.stages[s-1].Replace == model.ReplaceBlueGreen {
		if c.fault.Forever {
			r.waiting = append(r.waiting, waitingNode{n, r.now})
			return downForever
		}
		wait := endOf(c.fault) - r.now
		r.waitedForNode(n, wait)
		return wait + r.order(n)
	}
	r.waiting = append(r.waiting, waitingNode{n, r.now})
	return downForever
}

// capacityFreed asks again for the nodes that were not to be had (evCapacity, or
// a node that was given back), first come, first served.
func (r *run) capacityFreed() bool {
	if len(r.waiting) == 0 {
		return false
	}
	left := r.waiting[:0]
	for _, x := range r.waiting {
		t := r.nodes[x.node].ticket
		switch {
		case r.lacking(x.node) != nil:
			left = append(left, x)
		case t != none && r.rollout.tickets[t].step == stepProvision:
			r.waitedForNode(x.node, r.now-x.since)
			r.pushAfter(r.order(x.node), evProvisioned, r.rollout.tickets[t].gen, t)
		}
	}
	r.waiting = left
	return true
}

func (r *run) waitedForNode(n int32, wait int64) {
	node := r.w.nodeSubject(n)
	r.softReason(model.NoNewNode, node, fmt.Sprintf("the new node in place of %s was to be had only after %s", node, formatTime(wait)))
}

// proveCapacity says which nodes wait for a new one that is never to be had.
func (r *run) proveCapacity() {
	for _, x := range r.waiting {
		c := r.lacking(x.node)
		if c == nil {
			continue
		}
		where := "the cluster"
		switch {
		case c.fault.Zone != "":
			where = "the zone " + c.fault.Zone
		case c.fault.Pool != "":
			where = "the pool " + c.fault.Pool
		}
		what := "has no new node to give"
		if c.fault.Extra != nil {
			what = fmt.Sprintf("has no more to give than %s beyond those at the start", plural(*c.fault.Extra, "node", "nodes"))
		}
		node := r.w.nodeSubject(x.node)
		r.reason(model.NoNewNode, node, fmt.Sprintf("%s waits for a new node in its place for ever: %s %s", node, where, what))
	}
}
