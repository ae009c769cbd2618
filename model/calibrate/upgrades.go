package calibrate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"upsim/model"
)

// outage is a node's time from its cordon until it is back, as far as it is told.
type outage struct {
	begin, away, ready instant
	// back tells that it is Ready, and over that it stayed so long enough.
	back, over bool
	// from is when the drain had ended, by what text tells; it may have been as early as earliest.
	from, earliest instant
	text           string
}

// upgradeTimes takes the time of each upgrade in place: a cordon, a kubelet
// that starts anew, and Ready or an uncordon. It counts from the end of the drain, for which the
// last event Killing on the node stands, or from the cordon where there is none.
func (n *seenNode) upgradeTimes(history []mark, kills []kill, replaced bool) {
	q := NodeUpgrade
	if n.pool == model.PoolControlPlane {
		q = ControlPlaneNode
	}
	var o outage
	for _, k := range history {
		switch {
		case k.what == cordoned && o.begin == 0:
			o.begin = k.at
		case k.what == uncordoned:
			n.upgradeTime(q, &o, k.at)
			o = outage{}
		case o.begin != 0:
			o.next(k, kills)
		}
	}
	if replaced && o.begin != 0 && o.ready == 0 {
		n.c.leave(n.sample(q, ""), "was cordoned, and another node has its name since")
		return
	}
	n.upgradeTime(q, &o, 0)
}

// next takes in what happened to a cordoned node. Some upgrades reboot a node
// twice; but one that stayed Ready for longer than its upgrade took was back, and
// what happens then is another matter, as long as it may stay cordoned.
func (o *outage) next(k mark, kills []kill) {
	if o.back && o.ready.until(k.at) > o.from.until(o.ready) {
		o.over = true
	}
	switch {
	case o.over:
	case k.what == notReady || k.what == restarted:
		if o.back = false; o.away == 0 {
			o.leaves(k.at, kills)
		}
	case k.what == nowReady && k.at > o.begin:
		if o.away == 0 {
			o.leaves(k.at, kills) // that it was not Ready before was not seen
		}
		o.ready, o.back = k.at, true
	}
}

func (n *seenNode) upgradeTime(q Quantity, o *outage, free instant) {
	s := n.sample(q, o.text+" to Ready")
	back := o.ready
	if back == 0 {
		back, s.source = free, o.text+" to uncordoned"
	}
	switch {
	case o.begin == 0:
	case o.away == 0:
		n.c.leave(s, "was cordoned and no restart of its kubelet is told")
	case back == 0:
		n.c.leave(s, "is not Ready yet")
	case float64(o.earliest.until(back)) > (1+alike)*float64(o.from.until(back)):
		n.c.leave(s, "stopped pods of unknown workloads just before it was away, for the drain or for a reboot; a snapshot with their DaemonSets' pods tells")
	default:
		n.c.takeOn(n.name, s, o.from.until(back))
	}
}

// kill is when a pod of a node was stopped for good.
type kill struct {
	at instant
	// known tells that it is of a workload that a drain evicts.
	known bool
}

// longestShutdown is how long before a node is away its reboot can stop pods: the
// kubelet's shutdownGracePeriod has no bound of its own; this is far beyond what is in use.
const longestShutdown = 5 * time.Minute

// leaves keeps that the kubelet is away, and finds when the drain before had
// ended: with the last stop of a pod that a drain evicts. A reboot stops those too that it leaves,
// https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/; of a pod whose workload nothing tells it may be either.
func (o *outage) leaves(at instant, kills []kill) {
	o.away, o.from, o.earliest, o.text = at, o.begin, o.begin, "cordoned"
	for i := len(kills) - 1; i >= 0; i-- {
		k := kills[i]
		if k.at < o.begin {
			break
		}
		if k.at > at {
			continue
		}
		if o.from == o.begin && o.text == "cordoned" {
			o.from, o.text = k.at, "the last event Killing on the cordoned node"
		}
		if k.known || k.at.until(at) > longestShutdown {
			o.earliest = k.at
			break
		}
	}
}

// killsByNode are the stops of pods for good, in order, without those of pods that a drain leaves on the node.
func (c *Collector) killsByNode() map[string][]kill {
	families := c.families()
	out := map[string][]kill{}
	for uid, s := range c.stops {
		if c.onlyRestarted(uid) {
			continue
		}
		kind, known := families[familyOf(s.namespace, s.name)]
		if at, ok := c.podIndex[uid]; ok {
			kind, known = c.pods[at].kind, true
		}
		if kind == model.DaemonSet || kind == model.Static {
			continue
		}
		out[s.host] = append(out[s.host], kill{s.at(), known && kind != ""})
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b kill) int { return cmp.Compare(a.at, b.at) })
	}
	return out
}

// family is what the names of a workload's pods begin with.
type family struct{ namespace, prefix string }

// familyOf cuts off a pod's own part of its name: the random one, the ordinal, or a static pod's node.
func familyOf(namespace, name string) family {
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		name = name[:at]
	}
	return family{namespace, name}
}

// families are the kinds of the workloads whose pods are seen, since the pod
// that replaces a stopped one has a name of its own; empty where several have it.
func (c *Collector) families() map[family]model.Kind {
	out := map[family]model.Kind{}
	for i := range c.pods {
		l := &c.pods[i]
		of := familyOf(l.of.Namespace, l.name)
		if kind, ok := out[of]; ok && kind != l.kind {
			out[of] = ""
			continue
		}
		out[of] = l.kind
	}
	return out
}
