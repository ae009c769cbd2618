package model

import (
	"slices"
	"strings"
)

// checkReturns finds faults of nodes that do not return where none goes away to return: new ones come in their places.
func (d *decoder) checkReturns(faults *node) {
	if faults == nil {
		return
	}
	for _, u := range d.sc.Upgrades() {
		for _, s := range u.Upgrade.Nodes.Expand(&d.sc.Cluster) {
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
	brings := func(s Stage) bool { return s.MayBringNodes() }
	if !slices.ContainsFunc(d.sc.Upgrades(), func(u NamedUpgrade) bool { return slices.ContainsFunc(u.Upgrade.Nodes.Expand(&d.sc.Cluster), brings) }) {
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
