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

// waitingNode is a new node that was asked for and is not to be had, or that was made and never boots.
type waitingNode struct {
	node  int32
	since int64
	made  bool
}

func (r *run) beginNoCapacity(i int, f *model.Fault) {
	r.capacity = append(r.capacity, capacity{fault: f, number: i})
	if !f.Forever {
		r.push(endOf(f), evCapacity, 0, int32(i))
	}
}

// lacking is the fault by which the new node n is not to be had now; nil
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

// countExtra counts a node that was asked for, or with -1 one that was given back.
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

// capacityFreed asks again for the nodes that were not to be had (evCapacity, or
// a node that was given back), first come, first served.
func (r *run) capacityFreed() bool {
	if len(r.waiting) == 0 {
		return false
	}
	waiting := r.waiting
	r.waiting = nil
	for _, x := range waiting {
		if x.made || r.lacking(x.node) != nil {
			r.waiting = append(r.waiting, x)
			continue
		}
		r.waitedForNode(x.node, r.now-x.since)
		r.order(x.node)
	}
	return true
}

func (r *run) waitedForNode(n int32, wait int64) {
	node := r.w.nodeSubject(n)
	r.softReason(model.NoNewNode, node, fmt.Sprintf("%s was to be had only after %s", node, formatTime(wait)))
}

// proveCapacity says which nodes wait for a new one that is never to be had.
func (r *run) proveCapacity() {
	for _, x := range r.waiting {
		c, node := r.lacking(x.node), r.w.nodeSubject(x.node)
		if x.made || c == nil {
			r.reason(model.NewNodeMissing, node, fmt.Sprintf("the upgrade waits for %s for ever: it does not join", node))
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
		r.reason(model.NoNewNode, node, fmt.Sprintf("the upgrade waits for %s for ever: %s %s", node, where, what))
	}
}
