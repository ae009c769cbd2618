package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Preset is a strategy's name with the keys that it stands for: a real system's
// procedure, or one of the strategies that have no system.
type Preset struct {
	Name string
	// About is a sentence on what it does, or whom it imitates.
	About string
	// System: it imitates a real one, and is written out as `strategy: rolling` with its keys.
	System bool
	// Managed: the control plane of its clusters is a provider's.
	Managed bool
	// Settings are its keys, in the order in which they are shown. What they do not name has the loader's default.
	Settings []Setting
	// OnTimeout is drain.onFailure where a scenario gives a drain.timeout to a system that has none of its own.
	OnTimeout *Setting
	// Docs are where the system is described: pages, and files of its repositories. A setting's source is one of them.
	Docs []string
	// Differs names what the system does and the keys do not.
	Differs []string
}

// Setting is a key of an upgrade with its value and where that is written.
type Setting struct {
	// Key is the path from upgrade on: nodes.drain.timeout.
	Key string
	// Value is as in a scenario file.
	Value string
	// Source is the document or file, and the section of it.
	Source string
	// Assumed: no document says it, and Source is why it is so.
	Assumed bool
}

// FindPreset finds a strategy by its name.
func FindPreset(name string) (*Preset, bool) {
	for i := range presets {
		if presets[i].Name == name {
			return &presets[i], true
		}
	}
	return nil, false
}

// Presets are all strategies: upsim's own, then those that imitate a system.
func Presets() []*Preset {
	list := make([]*Preset, len(presets))
	for i := range presets {
		list[i] = &presets[i]
	}
	return list
}

// strategy reads the name of one. The message lists upsim's own and leaves the systems to a command, since they are many.
func (d *decoder) strategy(p *string) func(*node) {
	return func(n *node) {
		if n.kind == scalarNode {
			if _, ok := FindPreset(n.value); ok {
				*p = n.value
				return
			}
		}
		var own, all []string
		for i := range presets {
			if all = append(all, presets[i].Name); !presets[i].System {
				own = append(own, presets[i].Name)
			}
		}
		hint := ""
		if n.kind == scalarNode {
			hint = didYouMean(n.value, all)
		}
		d.fault(n, "must be %s, or the name of a system that `upsim strategies list` has; not %s%s", alternatives(own), n.describe(), hint)
	}
}

// isSystem reports whether the strategy imitates a system.
func isSystem(name string) bool {
	p, ok := FindPreset(name)
	return ok && p.System
}

// Nodes is the strategy as a scenario without keys of its own has it, but for stages.
func (p *Preset) Nodes() NodeUpgrade {
	u := DefaultNodeUpgrade()
	d := &decoder{sc: &Scenario{}}
	d.nodeUpgrade(&u, p.block("nodes", &node{}))
	if len(d.found) > 0 {
		panic(fmt.Sprintf("the strategy %s: %v", p.Name, d.found))
	}
	return u
}

// block is the mapping of the settings under nodes or controlPlane, as if it
// stood where the scenario names the strategy; nil where there are none.
func (p *Preset) block(part string, at *node) *node {
	out := emptyMapping(part, at)
	for _, s := range p.Settings {
		if path := strings.Split(s.Key, "."); path[0] == part {
			out.put(path[1:], valueOf(s, path[len(path)-1], at), at)
		}
	}
	if len(out.keys) == 0 && part != "nodes" {
		return nil
	}
	if part == "nodes" {
		out.put([]string{"strategy"}, &node{value: p.Name, plain: true, key: "strategy", index: -1, line: at.line, col: at.col}, at)
	}
	return out
}

// valueOf reads a setting's value.
func valueOf(s Setting, key string, at *node) *node {
	docs, faults := readYAML([]byte(s.Value))
	if len(faults) > 0 || len(docs) != 1 {
		panic(fmt.Sprintf("the setting %s: %q is not a value: %v", s.Key, s.Value, faults))
	}
	docs[0].move(key, at)
	return docs[0]
}

// move gives the value, and what is in it, a place and a name.
func (n *node) move(key string, at *node) {
	n.key, n.line, n.col = key, at.line, at.col
	for _, k := range n.keys {
		k.line, k.col = at.line, at.col
	}
	for i, item := range n.items {
		if n.kind == mappingNode {
			key = n.keys[i].value
		}
		item.move(key, at)
	}
}

func emptyMapping(key string, at *node) *node {
	return &node{kind: mappingNode, key: key, index: -1, line: at.line, col: at.col}
}

// put sets the value at a path of keys, with the mappings on the way.
func (n *node) put(path []string, value, at *node) {
	key := &node{value: path[0], plain: true, index: -1, line: at.line, col: at.col}
	if len(path) > 1 {
		inner := n.get(path[0])
		if inner == nil {
			inner = emptyMapping(path[0], at)
			n.keys, n.items = append(n.keys, key), append(n.items, inner)
		}
		inner.put(path[1:], value, at)
		return
	}
	n.keys, n.items = append(n.keys, key), append(n.items, value)
}

// withPreset lays the keys of an upgrade over those of the system that its strategy names, if it names one.
func (d *decoder) withPreset(upgrade *node) *node {
	nodes := upgrade.get("nodes")
	name := nodes.get("strategy")
	if name == nil || name.kind != scalarNode || !isSystem(name.value) {
		return upgrade
	}
	p, _ := FindPreset(name.value)
	out := upgrade.with(keyOf(upgrade, "nodes"), p.under(nodes, name))
	if block := p.block("controlPlane", name); block != nil && !d.sc.Cluster.ControlPlane.Managed {
		own := upgrade.get("controlPlane")
		if d.sc.Cluster.ControlPlane.Etcd == EtcdExternal {
			block = block.without("keepEtcdVolume")
		}
		if own.get("kubelets").is(string(KubeletsWith)) {
			block = block.without("workers")
		}
		switch {
		case own == nil:
			out = out.with(&node{value: "controlPlane", index: -1, line: name.line, col: name.col}, block)
		case own.get("replace") != nil && !own.get("replace").is(cmp.Or(valueIn(block, "replace"), string(ReplaceInPlace))):
			// another procedure altogether
		case own.kind == mappingNode:
			out = out.with(keyOf(upgrade, "controlPlane"), block.over(own))
		}
	}
	return out
}

// valueIn is the scalar under the mapping's key; nothing where there is none.
func valueIn(n *node, key string) string {
	if v := n.get(key); v != nil {
		return v.value
	}
	return ""
}

// keyOf is the node of a key that the mapping has.
func keyOf(n *node, key string) *node {
	return n.keys[slices.IndexFunc(n.keys, func(k *node) bool { return k.value == key })]
}

// withReplace are the keys that go with one way of replacing nodes and not with another.
var withReplace = []string{
	"maxUnavailable", "maxSurge", "surgePerZone", "atMost", "slots", "cordon", "provisionTimeout", "batch", "batchSoak", "poolSoak", "soakPerNode",
}

// under is upgrade.nodes with the system's keys under the file's own. What would contradict
// those, or do nothing beside them, is left out.
func (p *Preset) under(own, at *node) *node {
	block := p.block("nodes", at)
	if r := own.get("replace"); r != nil && !r.is(valueIn(block, "replace")) {
		block = block.lacking(withReplace...)
	}
	if own.get("maxSurge").is("0") {
		block = block.without("surgePerZone")
		if valueIn(block, "cordon") == string(CordonOwnFirst) {
			block = block.without("cordon")
		}
	}
	if own.get("replace").is(string(ReplaceBlueGreen)) {
		block = block.without("nodeGate")
	}
	if drain := own.get("drain"); p.OnTimeout != nil && drain.get("timeout") != nil && drain.get("onFailure") == nil {
		timedOut := emptyMapping("drain", at)
		timedOut.put([]string{"onFailure"}, valueOf(*p.OnTimeout, "onFailure", at), at)
		block = block.over(&node{kind: mappingNode, keys: []*node{keyOf(block, "drain")}, items: []*node{timedOut}})
	}
	out := block.over(own)
	out.line, out.col, out.key, out.index = own.line, own.col, own.key, own.index
	return out
}

// lacking is a copy of the mapping without those keys.
func (n *node) lacking(keys ...string) *node {
	out := n
	for _, key := range keys {
		out = out.without(key)
	}
	return out
}
