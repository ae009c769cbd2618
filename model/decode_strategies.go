package model

import (
	"cmp"
	"slices"
)

// strategies reads the variants of an upgrade. Each entry is laid over the
// upgrade's own keys and read as one, so that its values, inheritance and
// checks are those of an upgrade that is written out.
func (d *decoder) strategies(upgrade, n *node) {
	if n.kind == sequenceNode && len(n.items) == 0 {
		d.fault(n, "must have at least one entry; remove the key for none")
	}
	d.list(func(entry *node) {
		var named NamedUpgrade
		fields := []field{must("name", d.name(&named.Name, strategyName))}
		var known Upgrade
		for _, f := range slices.Concat(d.upgradeFields(&known), d.nodeUpgradeFields(&known.Nodes)) {
			fields = append(fields, may(f.name, nil))
		}
		fields = append(fields, elsewhere("upgrade", "an entry has the keys of upgrade and of upgrade.nodes directly: {name: a, strategy: surge, maxSurge: 2}"))
		for _, key := range []string{"assumptions", "cluster", "faults", "objectives", "seed"} {
			fields = append(fields, elsewhere(key, "it belongs beside strategies and holds for all of them; another scenario goes after a line ---"))
		}
		if !d.object(entry, fields...) || upgrade == nil || upgrade.kind != mappingNode {
			return
		}
		named.Upgrade = d.upgrade(d.overlay(upgrade, entry))
		if named.Name != "" && d.once("strategy", named.Name, entry) {
			d.sc.Strategies = append(d.sc.Strategies, named)
		}
	})(n)
}

// overlay is the upgrade with the entry's keys over it: an upgrade's own keys,
// and directly those of upgrade.nodes.
func (d *decoder) overlay(upgrade, entry *node) *node {
	var u Upgrade
	ofUpgrade, ofNodes := fieldNames(d.upgradeFields(&u)), fieldNames(d.nodeUpgradeFields(&u.Nodes))
	nodes := &node{kind: mappingNode, key: "nodes", index: -1, line: entry.line, col: entry.col}
	if v := upgrade.get("nodes"); v != nil {
		nodes = v
	}
	// The strategy goes first: it says which of the upgrade's keys are left, whatever the order of the entry's own.
	for _, v := range []*node{entry.get("nodes").get("strategy"), entry.get("strategy")} {
		if v != nil && nodes.kind == mappingNode {
			nodes = nodes.layered(&node{kind: mappingNode, keys: []*node{{value: "strategy", line: v.line, col: v.col}}, items: []*node{v}})
		}
	}
	out := upgrade
	for i, k := range entry.keys {
		v := entry.items[i]
		switch {
		case k.value == "name" || v.isNull():
		case k.value == "nodes" && v.kind == mappingNode && nodes.kind == mappingNode:
			nodes = nodes.layered(v)
		case k.value == "nodes":
			nodes = v
		case slices.Contains(ofUpgrade, k.value):
			out = out.with(k, v)
		case entry.get("nodes").get(k.value) != nil:
			d.fault(v, "stands under nodes as well; write it once")
		case slices.Contains(ofNodes, k.value) && nodes.kind == mappingNode:
			nodes = nodes.layered(&node{kind: mappingNode, keys: []*node{k}, items: []*node{v}})
		}
	}
	out = out.with(&node{value: "nodes", line: nodes.line, col: nodes.col}, nodes)
	// A written path is the way to one target; another target, or none, has its own.
	if entry.get("path") == nil && (entry.get("to") != nil || entry.get("controlPlane") != nil) {
		out = out.without("path")
	}
	return out
}

// layered is the mapping of upgrade.nodes with the other's keys over it. Where
// the strategy changes, what belongs to the old one or contradicts the new one goes;
// from or to a system's, that is the whole procedure.
func (n *node) layered(over *node) *node {
	out := n
	old := StrategyRolling
	if v := n.get("strategy"); v != nil {
		old = v.value
	}
	if s := over.get("strategy"); s != nil && s.value != old && (isSystem(s.value) || isSystem(old)) {
		out = out.only("strategy", "order", "limit", "lag", "hops")
	} else if s != nil && s.value != old {
		for _, key := range []string{"stages", "maxSurge", "batch", "batchSoak", "poolSoak"} {
			out = out.without(key)
		}
		// These have a number of nodes at once of their own.
		own := []string{StrategyAllAtOnce, StrategySurge, StrategyBlueGreen}
		if slices.Contains(own, s.value) || slices.Contains(own, old) {
			out = out.without("maxUnavailable")
		}
		if s.value == StrategyBlueGreen || old == StrategyBlueGreen {
			out = out.without("slots").without("cordon")
		}
	}
	return out.over(over)
}

// over is the mapping with the other's keys over it; those of drain and nodeGate are laid over one by one.
func (n *node) over(over *node) *node {
	out := n
	for i, k := range over.keys {
		v := over.items[i]
		if old := out.get(k.value); (k.value == "drain" || k.value == "nodeGate") && old != nil && old.kind == mappingNode && v.kind == mappingNode {
			merged := old
			if k.value == "drain" {
				merged = old.withoutIdle(v)
			}
			for j, key := range v.keys {
				merged = merged.with(key, v.items[j])
			}
			v = merged
		}
		out = out.with(k, v)
	}
	return out
}

// withoutIdle is an upgrade's drain without the keys that do nothing once the entry's own are laid over it.
func (n *node) withoutIdle(over *node) *node {
	out := n
	if f := over.get("onFailure"); f != nil {
		if f.is(string(DrainWait)) {
			out = out.without("attempts")
			if over.get("onAPIOutage") == nil {
				out = out.without("onAPIOutage")
			}
		} else if n.get("attempts") == nil && over.get("attempts") == nil {
			out = out.without("attemptDelay")
		}
		if !f.is(string(DrainSkip)) {
			out = out.without("maxSkipped")
		}
	}
	if over.get("attempts").is("1") {
		out = out.without("attemptDelay")
	}
	if over.get("timeout").is("0s") {
		if out = out.without("timeoutCheck"); cmp.Or(over.get("onFailure"), n.get("onFailure")).is(string(DrainWait)) {
			out = out.without("attemptDelay")
		}
	}
	if over.get("disableEviction").is("true") {
		out = out.without("evict")
		if cmp.Or(over.get("onFailure"), n.get("onFailure")).is(string(DrainWait)) {
			out = out.without("timeout").without("timeoutCheck").without("attemptDelay")
		}
	}
	return out
}

// is reports whether a value is that word.
func (n *node) is(word string) bool { return n != nil && n.kind == scalarNode && n.value == word }

// with is the mapping with the key set to the value.
func (n *node) with(key, value *node) *node {
	out := n.without(key.value)
	out.keys, out.items = append(out.keys, key), append(out.items, value)
	return out
}

// only is a copy of the mapping that has none but those keys.
func (n *node) only(keys ...string) *node {
	out := n
	for _, k := range n.keys {
		if !slices.Contains(keys, k.value) {
			out = out.without(k.value)
		}
	}
	return out
}

// without is a copy of the mapping that lacks the key.
func (n *node) without(key string) *node {
	out := *n
	out.keys, out.items = make([]*node, 0, len(n.keys)+1), make([]*node, 0, len(n.items)+1)
	for i, k := range n.keys {
		if k.value != key {
			out.keys, out.items = append(out.keys, k), append(out.items, n.items[i])
		}
	}
	return &out
}

func fieldNames(fields []field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}
