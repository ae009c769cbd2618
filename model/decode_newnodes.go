package model

import (
	"slices"
	"strings"
)

// checkNewNames finds nodes that have the name of one that a strategy brings: OLD-new.
func (d *decoder) checkNewNames(n *node) {
	if !d.sc.anyStage(func(s *Stage) bool { return s.MayBringNodes() }) {
		return
	}
	names := d.sc.Cluster.nodeNames()
	for i := range d.sc.Cluster.Nodes {
		name := d.sc.Cluster.Nodes[i].Name
		if old, ok := strings.CutSuffix(name, NewNodeSuffix); ok && names.has(old) {
			d.fault(d.at("node", name, n), "%s is also the name of the node that takes the place of %s; choose another", quote(name), quote(old))
		}
	}
}

// anyStage reports whether some stage of some strategy is like that.
func (sc *Scenario) anyStage(like func(*Stage) bool) bool {
	for _, u := range sc.Upgrades() {
		for _, s := range u.Upgrade.Nodes.Expand(&sc.Cluster) {
			if like(&s) {
				return true
			}
		}
	}
	return false
}

// newNode reports whether a name is that of a node which only an upgrade brings, OLD-new or an extra one, and if no
// strategy here brings it why not.
func (d *decoder) newNode(name string, names nodeNames) (is bool, why string) {
	old, cut := strings.CutSuffix(name, NewNodeSuffix)
	switch {
	case cut && names.controlPlane[old]:
		if slices.ContainsFunc(d.sc.Upgrades(), func(u NamedUpgrade) bool { return u.Upgrade.ControlPlane.Replace == ReplaceMachines }) {
			return true, ""
		}
		return true, "a new machine has the place of " + old + " only with `upgrade.controlPlane: {replace: machines}`"
	case cut && names.has(old):
		if d.sc.anyStage(func(s *Stage) bool { return s.MayBringNodes() }) {
			return true, ""
		}
		return true, "a new node has the place of " + old + " only with a strategy that brings new nodes, such as surge or blueGreen"
	}
	base, number, found := strings.Cut("-"+name, "-surge-")
	if _, ok := plainNumber(number); !found || !ok || base != "" && names.pools[base[1:]] == 0 {
		return false, ""
	}
	if d.sc.anyStage(func(s *Stage) bool { return s.Buffers() }) {
		return true, ""
	}
	return true, "extra nodes have such names, and come only with `replace: reimage` or `terminateFirst` and a maxSurge"
}
