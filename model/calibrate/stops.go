package calibrate

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"upsim/model"
)

// Where the end of a pod is read.
const (
	fromStates    = "deletion to the last container's end"
	fromSuccessor = "event Killing to the next pod of that name"
)

// endedBefore is why a pod has no time of its stop that was over when it was deleted.
const endedBefore = "had ended before it was deleted"

// stopTimes takes the time from a pod's deletion to its end. A pod that is gone
// is in no snapshot, so there are two ways: a pod that was caught, or watched, with all
// its containers ended; and a StatefulSet's, since the next pod of its name is created when it is gone.
func (c *Collector) stopTimes() {
	caught := map[string]bool{}
	for uid, at := range c.podIndex {
		caught[uid] = c.pods[at].asked != 0 && c.pods[at].stopped != 0
	}
	for i := range c.pods {
		if l := &c.pods[i]; l.asked != 0 && l.stopped != 0 && l.kind != model.Static {
			m := c.measured(Shutdown, l, fromStates)
			switch {
			case l.stopped >= l.asked:
				c.takeOn(l.node, m, l.asked.until(l.stopped))
			case l.kind == model.Job || l.kind == model.BarePod || l.kind == model.Custom:
				c.leave(m, endedBefore)
			default: // it runs until it is deleted, unless it crashed
				c.spoiled(m, endedBefore)
			}
		}
	}
	members := c.members()
	for _, uid := range slices.Sorted(maps.Keys(c.stops)) {
		if s := c.stops[uid]; !caught[uid] && !c.onlyRestarted(uid) {
			c.succeeded(uid, s, members[memberKey{s.namespace, s.name}], members)
		}
	}
}

type memberKey struct{ namespace, name string }

// members are the pods of StatefulSets by name, the oldest first.
func (c *Collector) members() map[memberKey][]*life {
	out := map[memberKey][]*life{}
	for i := range c.pods {
		if l := &c.pods[i]; l.kind == model.StatefulSet {
			key := memberKey{l.of.Namespace, l.name}
			out[key] = append(out[key], l)
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b *life) int { return cmp.Compare(a.created, b.created) })
	}
	return out
}

// succeeded takes the time of a stop whose pod has a successor of the same name.
func (c *Collector) succeeded(uid string, s *stop, incarnations []*life, members map[memberKey][]*life) {
	for _, next := range incarnations {
		if at, ok := c.podIndex[uid]; ok && &c.pods[at] == next || next.created < s.at() {
			continue
		}
		m := c.measured(Shutdown, next, fromSuccessor)
		if !wasReady(next, s.at(), members) {
			c.leave(m, "may have waited for pods of lower ordinals")
			return
		}
		c.takeOn(s.host, m, s.at().until(next.created))
		return
	}
}

// wasReady reports whether all pods of lower ordinals were Ready then: a
// StatefulSet creates a pod only after these, unless its podManagementPolicy is Parallel.
func wasReady(l *life, then instant, members map[memberKey][]*life) bool {
	ordinal, err := strconv.Atoi(strings.TrimPrefix(l.name, l.of.Name+"-"))
	if err != nil {
		return false
	}
	for lower := range ordinal {
		list := members[memberKey{l.of.Namespace, l.of.Name + "-" + strconv.Itoa(lower)}]
		if !slices.ContainsFunc(list, func(x *life) bool { return x.ready != 0 && x.ready <= then }) {
			return false
		}
	}
	return true
}

// onlyRestarted reports whether a stop was that of a container of a pod that lives on.
func (c *Collector) onlyRestarted(uid string) bool {
	at, ok := c.podIndex[uid]
	return ok && c.pods[at].asked == 0 && c.pods[at].restarted
}

// unseen counts the pods that stopped and whose end nothing tells.
func (c *Collector) unseen() int {
	n := 0
	for uid := range c.stops {
		if at, ok := c.podIndex[uid]; !c.onlyRestarted(uid) && (!ok || c.pods[at].stopped == 0) {
			n++
		}
	}
	if s := c.series[Shutdown]; s != nil {
		n -= s.sources[fromSuccessor]
	}
	return n
}
