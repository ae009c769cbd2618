package calibrate

import (
	"cmp"
	"slices"
	"time"

	"upsim/model"
	"upsim/model/kube"
)

// longestBoot bounds the time from a node's registration to Ready: a node that
// is Ready since later was Ready before.
const longestBoot = 15 * time.Minute

// change is something that happened to a node, in the order in which it does within a second.
type change uint8

const (
	cordoned change = iota
	notReady
	restarted // its kubelet
	nowReady
	uncordoned
)

type mark struct {
	at   instant
	what change
}

// machine is what is kept of a node name over all snapshots. A node that is
// deleted and registers anew under its name is another one; events only tell the name.
type machine struct {
	input int32
	seen  map[mark]bool
	// nodes are those of the name by creation, once sorted the oldest first.
	nodes []*registered
}

// registered is one node of a name.
type registered struct {
	created instant
	pool    string
	// boot is when it was Ready for the first time; 0 where nothing tells.
	boot instant
}

func (c *Collector) machine(name string) *machine {
	m := c.nodes[name]
	if m == nil {
		m = &machine{input: int32(len(c.inputs) - 1), seen: map[mark]bool{}}
		c.nodes[name] = m
	}
	return m
}

// note keeps that something happened to the node.
func (m *machine) note(at instant, what change) {
	if at != 0 {
		m.seen[mark{at, what}] = true
	}
}

func (c *Collector) node(n kube.NodeTimes) {
	c.now().Nodes++
	m := c.machine(n.Name)
	m.register(instantOf(n.Created), n.Pool)
	m.note(instantOf(n.Cordoned), cordoned)
	if n.Ready {
		m.note(instantOf(n.ReadySince), nowReady)
	} else {
		m.note(instantOf(n.ReadySince), notReady)
	}
}

// nodeReasons are the words of the kubelet and the node controller:
// https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/events/event.go
var nodeReasons = map[string]change{
	"NodeNotSchedulable": cordoned,
	"NodeSchedulable":    uncordoned,
	"NodeNotReady":       notReady,
	"NodeReady":          nowReady,
	"Starting":           restarted,
	"Rebooted":           restarted,
}

func (c *Collector) nodeEvent(e kube.EventTimes, first, last instant) {
	what, ok := nodeReasons[e.Reason]
	if !ok || what == restarted && e.Component != "kubelet" {
		return // kube-proxy says Starting too
	}
	m := c.machine(e.Name)
	m.note(first, what)
	m.note(last, what)
}

// register keeps a node of the name; of several pools the first in the alphabet, whatever the order of the inputs.
func (m *machine) register(created instant, pool string) {
	for _, n := range m.nodes {
		if n.created == created {
			n.pool = min(n.pool, pool)
			return
		}
	}
	m.nodes = append(m.nodes, &registered{created: created, pool: pool})
}

// boot is when the node that had the name at that time was Ready for the first time, where that is known.
func (c *Collector) boot(name string, then instant) (at instant, known bool) {
	if m := c.nodes[name]; m != nil {
		for _, n := range m.nodes { // the oldest first
			if n.created <= then {
				at = n.boot
			}
		}
	}
	return at, at != 0
}

// history is what happened to the node, in order.
func (m *machine) history() []mark {
	out := make([]mark, 0, len(m.seen))
	for k := range m.seen {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b mark) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what)) })
	return out
}

// nodeTimes takes the boot of every node and each of its upgrades in place.
func (c *Collector) nodeTimes() {
	kills := c.killsByNode()
	names := make([]string, 0, len(c.nodes))
	for name := range c.nodes {
		names = append(names, name)
	}
	slices.SortFunc(names, model.NaturalCompare)
	for _, name := range names {
		m := c.nodes[name]
		slices.SortFunc(m.nodes, func(a, b *registered) int { return cmp.Compare(a.created, b.created) })
		if len(m.nodes) == 0 {
			m.nodes = []*registered{{}} // only events tell of it
		}
		history := m.history()
		for i, n := range m.nodes {
			own, replaced := history, i+1 < len(m.nodes)
			if replaced {
				at := slices.IndexFunc(history, func(k mark) bool { return k.at >= m.nodes[i+1].created })
				if at < 0 {
					at = len(history)
				}
				own, history = history[:at], history[at:]
			}
			node := seenNode{n, c, name, m.input}
			node.bootTime(own)
			node.upgradeTimes(own, kills[name], replaced)
		}
	}
}

// seenNode is one node whose times are taken.
type seenNode struct {
	*registered
	c     *Collector
	name  string
	input int32
}

func (n *seenNode) sample(q Quantity, source string) sample {
	return sample{q, Subject{Pool: n.pool}, kubernetesStep, source, "Node/" + n.name, n.c.inputs[n.input].Name}
}

// bootTime takes the time from the node's registration until it was Ready, where that is its first time.
func (n *seenNode) bootTime(history []mark) {
	if n.created == 0 {
		return
	}
	s := n.sample(NodeBoot, "creationTimestamp to Ready")
	for _, k := range history {
		switch {
		case k.at < n.created:
			if k.what == nowReady {
				n.c.leave(s, "ends before it begins")
				return
			}
		case k.what == cordoned:
			return // an upgrade, or a node that was never let in
		case k.what == nowReady:
			if n.created.until(k.at) > longestBoot {
				n.c.leave(s, "turned Ready more than 15m after it registered, so not for the first time")
				return
			}
			n.boot = k.at
			n.c.takeOn(n.name, s, n.created.until(k.at))
			return
		}
	}
}
