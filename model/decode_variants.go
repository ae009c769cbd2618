package model

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// variants lays the changes over the upgrade, which was read before, and keeps what is written of the scenario.
func (d *decoder) variants(n, upgrade *node) {
	if len(d.changes) == 0 || len(d.found) > 0 {
		return
	}
	written, err := appendJSON(nil, n)
	if err != nil {
		d.fault(n, "%v", err) // a number that is none of ours
		return
	}
	d.sc.Written = written
	var list []Change
	for _, changes := range d.changes {
		list = append(list, changes(d.sc)...)
	}
	for _, c := range list {
		entry := emptyMapping("", upgrade)
		for _, k := range c.Keys {
			path := strings.Split(k.Key, ".")
			entry.put(path, valueOf(Setting{Key: k.Key, Value: k.Value}, path[len(path)-1], upgrade), upgrade)
		}
		v := Variant{Change: c}
		v.Upgrade, v.Refused = d.variant(upgrade, entry)
		d.sc.Variants = append(d.sc.Variants, v)
	}
}

// variant reads the upgrade with the entry's keys laid over it. What is wrong with the two together is returned, and no fault of the file.
func (d *decoder) variant(upgrade, entry *node) (u Upgrade, refused string) {
	found, refs := d.found, d.refs
	d.found = nil
	u = d.upgrade(d.overlay(upgrade, entry))
	if len(d.found) > 0 {
		refused = d.found.sortAndCompact()[0].Message
	}
	d.found, d.refs = found, refs
	return u, refused
}

// axis is a key of a study and the values that it is to have.
type axis struct {
	path   []string
	values []*node
}

func (a *axis) key() string { return strings.Join(a.path, ".") }

// surgeKey varies maxSurge and, where nodes are upgraded in place, has new ones come instead.
const surgeKey = "surge"

// study reads which keys are to have which values, and makes an upgrade of every combination.
func (d *decoder) study(upgrade, n *node) {
	s := &Study{Seeds: DefaultStudySeeds}
	found := map[string]axis{}
	fields := []field{may("seeds", d.integer(&s.Seeds, 1, MaxStudySeeds)), may(surgeKey, d.axis(found, surgeKey))}
	var known Upgrade
	for _, f := range slices.Concat(d.upgradeFields(&known), d.nodeUpgradeFields(&known.Nodes)) {
		switch f.name {
		case "nodes":
			fields = append(fields, elsewhere(f.name, "a study has the keys of upgrade.nodes directly"))
		case "drain":
			fields = append(fields, may(f.name, d.drainAxes(found)))
		default:
			fields = append(fields, may(f.name, d.axis(found, f.name)))
		}
	}
	before := len(d.found)
	if !d.object(n, fields...) || len(d.found) > before {
		return
	}
	axes := inFileOrder(n, found)
	if n.get(surgeKey) != nil && n.get("maxSurge") != nil {
		d.fault(n.get(surgeKey), "is maxSurge with a word for in place; write one of the two")
	}
	if len(axes) == 0 {
		d.fault(n, "varies nothing; give a key of upgrade.nodes a list of values, such as maxUnavailable: [1, 10%%]")
		return
	}
	if len(d.sc.Strategies) > 0 {
		d.fault(n, "does not go with strategies, which say what is compared; vary `strategy` in the study, or write a scenario of its own after a line ---")
	}
	product := 1
	for _, a := range axes {
		s.Keys = append(s.Keys, a.key())
		if product *= len(a.values); product > MaxCombinations {
			d.fault(n, "has more than %d combinations; leave values out", MaxCombinations)
			return
		}
	}
	if upgrade == nil || upgrade.kind != mappingNode || len(d.found) > 0 {
		return // they would all be refused for the same reason
	}
	for i := range product {
		s.Variants = append(s.Variants, d.combination(upgrade, n, axes, i))
	}
	d.sc.Study = s
	d.note(StudyNotRun, "Scenario/"+d.sc.Name, "%s has a study of %d combinations, which this command does not run; `upsim compare` does", d.sc.Name, product)
}

// axis reads the values of one key, and whether each is one that the key can have.
func (d *decoder) axis(found map[string]axis, path ...string) func(*node) {
	return func(n *node) {
		if n.kind != sequenceNode || len(n.items) == 0 {
			d.fault(n, "must be a list of values to try, such as [1, 5%%, 10%%], not %s; one value for all belongs under upgrade", n.describe())
			return
		}
		taken := map[string]bool{}
		d.list(func(item *node) {
			if text := item.value; item.kind == scalarNode {
				if taken[text] {
					d.fault(item, "%s stands in the list already", quote(text))
				}
				taken[text] = true
			}
			d.tryValue(path, item)
		})(n)
		a := axis{path: path, values: n.items}
		found[a.key()] = a
	}
}

// drainAxes reads the values of drain's keys, or of drain as a whole.
func (d *decoder) drainAxes(found map[string]axis) func(*node) {
	return func(n *node) {
		if n.kind != mappingNode {
			d.axis(found, "drain")(n)
			return
		}
		for i, k := range n.keys {
			if n.items[i].isNull() {
				d.report(k.line, k.col, fmt.Sprintf("%s has no value; give it one, or remove the key", k.value))
				continue
			}
			d.axis(found, "drain", k.value)(n.items[i])
		}
	}
}

// tryValue reads a value into an upgrade that nobody needs, for the faults that it has alone.
func (d *decoder) tryValue(path []string, value *node) {
	if path[0] == surgeKey {
		var nodes intstr.IntOrString
		d.intOrPercent(&nodes, MaxNodesPerCluster)(value)
		return
	}
	u := Upgrade{ControlPlane: DefaultControlPlaneUpgrade(d.sc.Cluster.ControlPlane.Managed), Nodes: DefaultNodeUpgrade()}
	for _, f := range slices.Concat(d.upgradeFields(&u), d.nodeUpgradeFields(&u.Nodes)) {
		if f.name != path[0] {
			continue
		}
		if len(path) == 2 {
			key := &node{value: path[1], index: -1, line: value.line, col: value.col}
			value = &node{kind: mappingNode, key: path[0], index: -1, line: value.line, col: value.col, keys: []*node{key}, items: []*node{value}}
		}
		f.read(value)
	}
}

// inFileOrder are the axes in the order of the study's keys.
func inFileOrder(n *node, found map[string]axis) (list []axis) {
	for i, k := range n.keys {
		if a, ok := found[k.value]; ok {
			list = append(list, a)
			continue
		}
		for _, inner := range n.items[i].keys {
			if a, ok := found[k.value+"."+inner.value]; ok {
				list = append(list, a)
			}
		}
	}
	return list
}

// combination is the i-th of the product, in which the last key changes fastest.
func (d *decoder) combination(upgrade, n *node, axes []axis, i int) StudyVariant {
	picked := make([]int, len(axes))
	for k := len(axes) - 1; k >= 0; k-- {
		picked[k] = i % len(axes[k].values)
		i /= len(axes[k].values)
	}
	var v StudyVariant
	entry := emptyMapping("", n)
	var surge *node
	for k, a := range axes {
		value := axes[k].values[picked[k]]
		text, written := value.value, value.value
		if value.kind != scalarNode {
			text = fmt.Sprintf("#%d", picked[k]+1)
			if flow, err := appendJSON(nil, value); err == nil { // else it has a number that JSON has not, which no key takes
				written = string(flow)
			}
		}
		v.Values = append(v.Values, text)
		if a.path[0] == surgeKey {
			surge = value
			continue
		}
		entry.put(a.path, value, value)
		v.Keys = append(v.Keys, KeyValue{a.key(), written})
	}
	if surge != nil {
		v.Keys = append(v.Keys, d.withSurge(upgrade, entry, surge)...)
	}
	for k, a := range axes {
		v.Name += fmt.Sprintf(",%s=%s", a.key(), v.Values[k])
	}
	v.Name = v.Name[1:]
	v.Upgrade, v.Refused = d.variant(upgrade, entry)
	return v
}

// withSurge puts the keys into the entry that the value of surge stands for.
func (d *decoder) withSurge(upgrade, entry, value *node) []KeyValue {
	keys := []KeyValue{{"maxSurge", value.value}}
	zero := value.is("0") || value.is("0%")
	if u, _ := d.variant(upgrade, entry); u.Nodes.Replace == ReplaceInPlace {
		if zero {
			return nil // in place there is none
		}
		replace := &node{value: string(ReplaceSurge), plain: true, key: "replace", index: -1, line: value.line, col: value.col}
		entry.put([]string{"replace"}, replace, value)
		keys = append(keys, KeyValue{"replace", string(ReplaceSurge)})
	}
	entry.put([]string{"maxSurge"}, value, value)
	return keys
}
