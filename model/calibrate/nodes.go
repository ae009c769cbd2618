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

// machine is what is kept of a node over all snapshots.
type machine struct {
	pool    string
	input   int32
	created instant
	seen    map[mark]bool
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
	m.pool, m.created = n.Pool, instantOf(n.Created)
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
		history := m.history()
		c.bootTime(name, m, history)
		c.upgradeTimes(name, m, history, kills[name])
	}
}

// killsByNode are the instants at which pods were stopped for good, in order.
func (c *Collector) killsByNode() map[string][]instant {
	out := map[string][]instant{}
	for uid, s := range c.stops {
		if c.onlyRestarted(uid) {
			continue
		}
		out[s.host] = append(out[s.host], s.at())
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

func (c *Collector) nodeSample(q Quantity, name string, m *machine, source string) sample {
	return sample{q, Subject{Pool: m.pool}, kubernetesStep, source, "Node/" + name, c.inputs[m.input].Name}
}

// bootTime takes the time from the node's registration until it was Ready, where that is its first time.
func (c *Collector) bootTime(name string, m *machine, history []mark) {
	if m.created == 0 {
		return
	}
	s := c.nodeSample(NodeBoot, name, m, "creationTimestamp to Ready")
	for _, k := range history {
		switch {
		case k.at < m.created:
			if k.what == nowReady {
				c.leave(s, "ends before it begins")
				return
			}
		case k.what == cordoned:
			return // an upgrade, or a node that was never let in
		case k.what == nowReady:
			if m.created.until(k.at) > longestBoot {
				c.leave(s, "turned Ready more than 15m after it registered, so not for the first time")
				return
			}
			m.boot = k.at
			c.take(s, m.created.until(k.at))
			return
		}
	}
}

// upgradeTimes takes the time of each upgrade in place: a cordon, a kubelet
// that starts anew, and Ready or an uncordon. It counts from the end of the drain, for which the
// last event Killing on the node stands, or from the cordon where there is none.
func (c *Collector) upgradeTimes(name string, m *machine, history []mark, kills []instant) {
	q := NodeUpgrade
	if m.pool == model.PoolControlPlane {
		q = ControlPlaneNode
	}
	var begin, away, ready instant
	end := func(free instant) {
		switch {
		case begin == 0:
		case away == 0:
			c.leave(c.nodeSample(q, name, m, ""), "was cordoned and no restart of its kubelet is told")
		case ready == 0 && free == 0:
			c.leave(c.nodeSample(q, name, m, ""), "is not Ready yet")
		default:
			from, text := drained(begin, away, kills)
			to := " to Ready"
			if ready == 0 {
				ready, to = free, " to uncordoned"
			}
			c.take(c.nodeSample(q, name, m, text+to), from.until(ready))
		}
		begin, away, ready = 0, 0, 0
	}
	for _, k := range history {
		switch {
		case k.what == cordoned && begin == 0:
			begin = k.at
		case k.what == uncordoned:
			end(k.at)
		case begin == 0:
		case (k.what == notReady || k.what == restarted) && away == 0:
			away = k.at
		case k.what == nowReady && k.at > begin:
			ready = k.at
			if away == 0 {
				away = k.at // that it was not Ready before was not seen
			}
		}
	}
	end(0)
}

// drained is when the drain between a cordon and the restart had ended, and what tells it.
func drained(begin, away instant, kills []instant) (instant, string) {
	last := instant(0)
	for _, k := range kills {
		if k >= begin && k <= away {
			last = k
		}
	}
	if last == 0 {
		return begin, "cordoned"
	}
	return last, "the last event Killing on the cordoned node"
}
