package model

import (
	"slices"
	"strings"
)

// checkNewNames finds nodes that have the name of one that a strategy brings: OLD-new.
func (d *decoder) checkNewNames(n *node) {
	brings := func(s Stage) bool { return s.MayBringNodes() }
	if !slices.ContainsFunc(d.sc.Upgrades(), func(u NamedUpgrade) bool { return slices.ContainsFunc(u.Upgrade.Nodes.Expand(&d.sc.Cluster), brings) }) {
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
