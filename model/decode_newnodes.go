package model

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// newNodes checks what the strategies that bring new nodes ask for: surge has
// one place or more for them, blueGreen a batch, and other strategies neither.
func (d *decoder) newNodes(u *NodeUpgrade, n *node) {
	surge, unavailable := n.get("maxSurge"), n.get("maxUnavailable")
	if u.Strategy != StrategyBlueGreen {
		for _, key := range []string{"batch", "batchSoak", "poolSoak"} {
			if v := n.get(key); v != nil {
				d.fault(v, "belongs to the strategy blueGreen; this one is %s", u.Strategy)
			}
		}
	}
	zero := intstr.FromInt32(0)
	switch u.Strategy {
	case StrategySurge:
		d.surges(&u.MaxSurge, &u.MaxUnavailable, n)
	case StrategyBlueGreen:
		if surge != nil && !isZero(u.MaxSurge) {
			d.fault(surge, "does not go with the strategy blueGreen, which brings all new nodes at once")
		}
		if unavailable != nil {
			d.fault(unavailable, "does not go with the strategy blueGreen, whose batch says how many are drained at once")
		}
		if v := n.get("batch"); v != nil && isZero(u.Batch) {
			d.fault(v, "is 0, so that no node could ever be drained")
		}
		if v := n.get("slots"); v != nil && u.Slots != SlotsBarrier {
			d.fault(v, "does not go with the strategy blueGreen, which drains batch by batch")
		}
		if v := n.get("cordon"); v != nil && !u.CordonAll {
			d.fault(v, "does not go with the strategy blueGreen, which cordons every old node before it drains the first")
		}
		if v := n.get("soakPerNode"); v != nil && u.SoakPerNode != 0 {
			d.fault(v, "does not go with the strategy blueGreen; write batchSoak for a wait after each batch")
		}
		u.MaxUnavailable, u.Slots, u.CordonAll = zero, SlotsBarrier, true
	default:
		stages := u.Expand()
		if surge != nil && !isZero(u.MaxSurge) && !slices.ContainsFunc(stages, func(s Stage) bool { return s.Replace == ReplaceSurge }) {
			d.fault(surge, "goes with the strategy surge, or with a stage that has `replace: surge`; this strategy is %s", u.Strategy)
		}
		if unavailable != nil && isZero(u.MaxUnavailable) && slices.ContainsFunc(stages, func(s Stage) bool { return s.Replace != ReplaceSurge && isZero(s.MaxUnavailable) }) {
			d.fault(unavailable, "is 0, so that no node could ever be upgraded")
		}
	}
}

// newNodesOfStage checks a stage's new nodes: at least one with `replace: surge`, none without.
func (d *decoder) newNodesOfStage(s *Stage, n *node) {
	surge, unavailable := n.get("maxSurge"), n.get("maxUnavailable")
	if s.Replace == ReplaceSurge {
		d.surges(&s.MaxSurge, &s.MaxUnavailable, n)
		return
	}
	if surge != nil && !isZero(s.MaxSurge) {
		d.fault(surge, "goes with `replace: surge`")
	}
	if unavailable != nil && isZero(s.MaxUnavailable) {
		d.fault(unavailable, "is 0, so that no node of the stage could ever be upgraded")
	}
	s.MaxSurge = intstr.FromInt32(0)
}

// surges reads how many new nodes come at once, one where nothing is said. No
// node goes before its new one is there.
func (d *decoder) surges(surge, unavailable *intstr.IntOrString, n *node) {
	if v := n.get("maxSurge"); v != nil && isZero(*surge) {
		d.fault(v, "is 0, so that surge could never upgrade a node")
	}
	if v := n.get("maxUnavailable"); v != nil && !isZero(*unavailable) && !d.faulty(v) {
		d.fault(v, "a value other than 0 is not supported yet with surge, where a node goes only after its new one has come")
	}
	if isZero(*surge) {
		*surge = intstr.FromInt32(1)
	}
	*unavailable = intstr.FromInt32(0)
}

// faulty reports whether a fault was found in the value itself.
func (d *decoder) faulty(n *node) bool {
	return slices.ContainsFunc(d.found, func(f Diagnostic) bool { return f.Line == n.line && f.Col == n.col })
}

// checkReturns finds faults of nodes that do not return where none goes away to return: new ones come in their places.
func (d *decoder) checkReturns(faults *node) {
	if faults == nil {
		return
	}
	for _, u := range d.sc.Upgrades() {
		for _, s := range u.Upgrade.Nodes.Expand() {
			if !s.NewNodes() {
				continue
			}
			for _, f := range faults.items {
				if kind := f.get("kind"); kind != nil && kind.value == string(NodeDoesNotReturn) {
					d.fault(kind, "nodeDoesNotReturn is for nodes that are upgraded in place; with new nodes (%s) it is not supported yet", s.Replace)
				}
			}
			return
		}
	}
}

// checkNewNames finds nodes that have the name of one that a strategy brings: OLD-new.
func (d *decoder) checkNewNames(n *node) {
	brings := func(s Stage) bool { return s.Replace != ReplaceInPlace }
	if !slices.ContainsFunc(d.sc.Upgrades(), func(u NamedUpgrade) bool { return slices.ContainsFunc(u.Upgrade.Nodes.Expand(), brings) }) {
		return
	}
	names := d.sc.Cluster.nodeNames()
	for i := range d.sc.Cluster.Nodes {
		name := d.sc.Cluster.Nodes[i].Name
		if old, ok := strings.CutSuffix(name, "-new"); ok && names.has(old) {
			d.fault(d.at("node", name, n), "%s is also the name of the node that takes the place of %s; choose another", quote(name), quote(old))
		}
	}
}
