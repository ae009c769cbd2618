package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// FromFunc reads the files that `cluster.from` lists into one cluster. The
// paths are as the scenario file has them.
type FromFunc func(paths []string) (*Cluster, error)

// Decode reads a scenario file: one scenario for each YAML document, complete
// with defaults. The name stands in the diagnostics. Where anything is wrong
// it returns no scenario but every fault of the file, in the order of their
// places. A nil from refuses `cluster.from`. Each scenario gets its upgrade with each of the changes as one of
// its Variants, and then what is written of it as well.
func Decode(name string, data []byte, from FromFunc, changes ...Changes) ([]*Scenario, Diagnostics) {
	d := &decoder{file: name, data: data, from: from, whole: "a scenario", changes: changes}
	docs, faults := readYAML(data)
	for _, f := range faults {
		d.report(f.line, f.col, f.message)
	}
	if len(docs) == 0 && len(faults) == 0 {
		d.report(1, 1, "there is no scenario in this file; it begins with `apiVersion: "+APIVersion+"` and `kind: "+KindScenario+"`")
	}
	scenarios := make([]*Scenario, 0, len(docs))
	for i, doc := range docs {
		if d.full() {
			break
		}
		sc := &Scenario{File: name, Document: i + 1, Assumptions: DefaultAssumptions(), Seed: 1}
		d.document(doc, sc)
		scenarios = append(scenarios, sc)
	}
	if len(d.found) > 0 {
		return nil, d.found.sortAndCompact()
	}
	return scenarios, nil
}

// maxFound bounds the faults that are kept; a file with more is not a scenario.
const maxFound = 1000

// decoder turns nodes of one file into a scenario and collects the faults.
type decoder struct {
	file  string
	data  []byte
	from  FromFunc
	lines *lines // of the file; made for the first fault
	found Diagnostics
	whole string // what a document of the file is, in words
	// changes are what each scenario has variants for.
	changes []Changes

	// Of the document at hand.
	sc   *Scenario
	base *Cluster // what `cluster.from` gave; nil without
	// baseFiles are the files that `cluster.from` lists.
	baseFiles []string
	// compared counts the names of base that were compared with those beside `from`.
	compared int
	// minorOnly are the targets that were written without a patch.
	minorOnly map[Version]bool
	// baseIndex finds the places of base's pools, nodes, workloads and budgets, by "kind/name".
	baseIndex map[string]int
	// refs are names of nodes and workloads that must exist; looked up at the end of the document.
	refs []reference
	// unclear are the pools whose number of nodes is not known because of a fault.
	unclear map[string]bool
	// workloads reads the entries of `workloads`; nil before the first.
	workloads *workloadReader
	// values are those of the mappings that are being read, by field, the innermost last.
	values []*node
	// written are the values of the file that describe a part of the cluster, by "kind/name".
	written map[string]*node
}

// full reports whether enough faults were found to stop looking.
func (d *decoder) full() bool { return len(d.found) >= maxFound }

func (d *decoder) report(line, col int, message string) {
	if d.full() {
		return
	}
	f := Diagnostic{File: d.file, Line: line, Col: col, Severity: SeverityError, Message: message}
	if len(d.data) <= MaxFileBytes && !strings.Contains(message, "the file is ") {
		if d.lines == nil {
			d.lines = newLines(d.data)
		}
		f.Source = d.lines.line(line)
	}
	d.found = append(d.found, f)
}

// fault reports what is wrong with a value, in words that follow its name.
func (d *decoder) fault(n *node, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if label := n.label(); label != "" {
		message = label + ": " + message
	}
	d.report(n.line, n.col, message)
}

// label names a value by the key that it stands under.
func (n *node) label() string {
	if n.index >= 0 && n.key != "" {
		return fmt.Sprintf("%s[%d]", n.key, n.index)
	}
	return n.key
}

// field is a key of a mapping and what reads its value. A nil read leaves it to someone else.
type field struct {
	name     string
	read     func(*node)
	required bool
	// instead says what to write in place of a key that has no business here.
	instead string
	// why says more of why it is required, behind "which it needs".
	why string
}

func may(name string, read func(*node)) field  { return field{name: name, read: read} }
func must(name string, read func(*node)) field { return field{name: name, read: read, required: true} }

// elsewhere is a key that people write here and that is none: what to write instead.
func elsewhere(name, instead string) field { return field{name: name, instead: instead} }

// object reads a mapping: the fields in the order given here, whatever their
// order in the file. Unknown keys, keys without a value and missing ones are faults.
func (d *decoder) object(n *node, fields ...field) bool {
	if !d.isMapping(n, "keys with values") {
		return false
	}
	where := func() string { return cmp.Or(n.label(), d.whole) } // for faults
	base := len(d.values)
	d.values = append(d.values, make([]*node, len(fields))...)
	values := d.values[base:]
	defer func() { d.values = d.values[:base] }()
	for i, k := range n.keys {
		if d.full() {
			break
		}
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == k.value })
		switch {
		case at < 0:
			d.report(k.line, k.col, fmt.Sprintf("unknown key %s in %s", quote(k.value), where())+suggestKey(k.value, fields))
			continue
		case fields[at].instead != "":
			d.report(k.line, k.col, fmt.Sprintf("unknown key %s in %s; %s", quote(k.value), where(), fields[at].instead))
			continue
		case n.items[i].isNull():
			d.report(k.line, k.col, fmt.Sprintf("%s has no value; give it one, or remove the key", k.value))
		default:
			values[at] = n.items[i]
		}
		if slices.Contains(notYet, k.value) {
			d.report(k.line, k.col, fmt.Sprintf("%s is not supported yet", k.value))
		}
	}
	for i, f := range fields {
		switch {
		case values[i] != nil:
			if f.read != nil {
				f.read(values[i])
			}
		case f.required && n.get(f.name) == nil:
			d.report(n.line, n.col, fmt.Sprintf("%s has no %q, which it needs%s", where(), f.name, f.why))
		}
	}
	return true
}

func suggestKey(word string, fields []field) string {
	known := make([]string, 0, len(fields))
	for _, f := range fields {
		if f.instead == "" {
			known = append(known, f.name)
		}
	}
	if s := anotherWord[word]; slices.Contains(known, s) {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	if s := didYouMean(word, known, notYet...); s != "" {
		return s
	}
	known = slices.DeleteFunc(known, func(k string) bool { return slices.Contains(notYet, k) })
	if len(known) <= 12 {
		return "; known here: " + strings.Join(known, ", ")
	}
	return ""
}

func (d *decoder) isMapping(n *node, want string) bool {
	if n.kind != mappingNode {
		d.fault(n, "must have %s, not %s", want, n.describe())
		return false
	}
	return true
}

// describe says in words what a value is, for "must be …, not …".
func (n *node) describe() string {
	switch {
	case n.kind == mappingNode:
		return "a mapping"
	case n.kind == sequenceNode && len(n.items) == 0:
		return "an empty list"
	case n.kind == sequenceNode:
		return "a list"
	case n.isNull():
		return "nothing"
	}
	return quote(n.value)
}

// list calls read for each item of a list.
func (d *decoder) list(read func(*node)) func(*node) {
	return func(n *node) {
		if n.kind != sequenceNode {
			d.fault(n, "must be a list, not %s", n.describe())
			return
		}
		for _, item := range n.items {
			if d.full() {
				break
			}
			if item.isNull() {
				d.fault(item, "has no value")
				continue
			}
			read(item)
		}
	}
}

// document reads one scenario.
func (d *decoder) document(n *node, sc *Scenario) {
	*d = decoder{file: d.file, data: d.data, from: d.from, whole: d.whole, changes: d.changes, lines: d.lines, found: d.found, sc: sc, written: map[string]*node{}, unclear: map[string]bool{}, minorOnly: map[Version]bool{}}
	if n.kind != mappingNode {
		d.report(n.line, n.col, fmt.Sprintf("a scenario has keys such as `apiVersion`, `cluster` and `upgrade`; this is %s", n.describe()))
		return
	}
	if !d.isOfKind(n, KindScenario) {
		return
	}
	var upgrade *node
	d.object(n,
		must("apiVersion", nil),
		must("kind", nil),
		must("metadata", d.metadata),
		may("seed", d.seed),
		may("assumptions", d.assumptions),
		must("cluster", d.cluster),
		must("upgrade", func(v *node) { upgrade = v; sc.Upgrade = d.upgrade(v) }),
		may("strategies", func(v *node) { d.strategies(upgrade, v) }),
		may("study", func(v *node) { d.study(upgrade, v) }),
		may("faults", d.list(d.readFault)),
		may("objectives", d.objectives),
	)
	d.checkCluster(n.get("cluster"))
	d.checkNewNames(n.get("cluster"))
	d.noteTargets()
	d.checkReferences()
	d.variants(n, upgrade)
}

// isOfKind looks at kind and version first: the keys of another kind mean something else.
func (d *decoder) isOfKind(n *node, kind string) bool {
	ok := true
	for _, want := range [][2]string{{"apiVersion", APIVersion}, {"kind", kind}} {
		v := n.get(want[0])
		if v == nil || v.isNull() || v.kind == scalarNode && v.value == want[1] {
			continue
		}
		ok = false
		hint := ""
		apiVersion := n.get("apiVersion")
		switch {
		case v.kind == scalarNode && kind == KindScenario && v.value == KindPlan:
			hint = "; a plan is simulated with `upsim run SCENARIO --plan PLAN`"
		case v.kind == scalarNode && kind == KindPlan && v.value == KindScenario:
			hint = "; `upsim plan SCENARIO -o yaml` makes a plan of a scenario"
		case kind == KindScenario && apiVersion != nil && !strings.HasPrefix(apiVersion.value, "upsim/"):
			hint = "; kubectl output goes under `cluster.from` of a scenario"
		}
		d.fault(v, "must be %s, not %s%s", want[1], v.describe(), hint)
	}
	return ok
}

func (d *decoder) metadata(n *node) {
	d.object(n,
		must("name", d.name(&d.sc.Name, dnsSubdomain)),
		may("description", d.prose(&d.sc.Description)),
		may("labels", d.labels(&d.sc.Labels)),
	)
}

func (d *decoder) seed(n *node) {
	if v, ok := d.wholeNumber(n, 0, maxSeed); ok {
		d.sc.Seed = uint64(v)
	}
}

// maxSeed is the largest seed that JSON readers keep exactly.
const maxSeed = 1<<53 - 1
