package model

// assumptions reads the numbers that a simulator cannot know; what is not
// written keeps its default.
func (d *decoder) assumptions(n *node) {
	a := &d.sc.Assumptions
	fields := []field{
		may("nodeNotReadyWhileUpgrading", d.boolean(&a.NodeNotReadyWhileUpgrade)),
		may("podsDownWhileUpgrading", d.boolean(&a.PodsDownWhileUpgrade)),
		may("unsupportedKubelet", oneOf(d, &a.UnsupportedKubelet, KubeletLost, KubeletReportOnly)),
	}
	for _, x := range a.Numbers() {
		fields = append(fields, may(x.Name, d.assumed(x)))
	}
	d.object(n, fields...)
	if v := n.get("podsDownWhileUpgrading"); v != nil && n.get("nodeNotReadyWhileUpgrading") != nil && a.PodsDownWhileUpgrade && !a.NodeNotReadyWhileUpgrade {
		d.fault(v, "does nothing with `nodeNotReadyWhileUpgrading: false`, where the pods of a node that stays Ready stay up; remove one of the two")
	}
}

// assumed reads one of the assumptions that is a number.
func (d *decoder) assumed(x Number) func(*node) {
	switch {
	case x.Time != nil:
		return d.dist(x.Time)
	case x.Rate != nil:
		return d.number(x.Rate, leastQPS, 1e6, true)
	case x.Count != nil:
		return d.integer(x.Count, 1, 1e6)
	}
	return d.durationFrom(x.Fixed, x.least)
}

// leastQPS bounds a client's rate from below: one request in a thousand seconds.
const leastQPS = 0.001
