package kube

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"upsim/model"
)

const (
	// maxNotes bounds the warnings about single objects; a file full of odd objects gives a count instead.
	maxNotes = 50
	// fewest is the number of objects of a kind from which it is an error when most of them are not understood.
	fewest = 3
	// maxName is the length of the longest name that an API server accepts (a DNS subdomain, RFC 1123).
	maxName = 253
	// maxLabelValue is the length of the longest value of a label that an API server accepts.
	maxLabelValue = 63
	// maxLabelKey is that of a prefix, a slash and a name.
	maxLabelKey = maxName + 1 + maxLabelValue
)

// The kinds that tallies have beside Kubernetes' own.
const (
	anyObject   = ""         // objects of which not even the kind is known; read counts objects of every kind
	anyWorkload = "workload" // what controllers and pods were put together to
)

// leftOut is an object that is not understood.
type leftOut struct {
	file, kind, namespace, name string
	why                         string
	workload                    bool // what its parts were put together to, not one object
	pods                        int  // of a workload; of a node once all pods are read
}

// tally counts the objects of a kind.
type tally struct {
	read, odd int
	first     leftOut
}

func (r *Reader) tally(kind string) *tally {
	t := r.tallies[kind]
	if t == nil {
		t = &tally{}
		r.tallies[kind] = t
	}
	return t
}

// leave notes an object that is not understood.
func (r *Reader) leave(o leftOut) {
	o.namespace, o.name, o.why = shorten(o.namespace, 80), shorten(o.name, 80), shorten(o.why, 300)
	if r.fault == "" {
		r.fault = o.why
	}
	r.odd, r.lastWhy = r.odd+1, o.why
	t := r.tally(o.tallied())
	if t.odd++; t.odd == 1 {
		t.first = o
	}
	if o.kind == "Node" {
		r.oddNodes[o.name] = -1
	}
	if len(r.leftOut) >= maxNotes {
		r.unnoted++
		return
	}
	if o.kind == "Node" {
		r.oddNodes[o.name] = len(r.leftOut)
	}
	r.leftOut = append(r.leftOut, o)
}

func (o *leftOut) tallied() string {
	if o.workload {
		return anyWorkload
	}
	return o.kind
}

// subject is what a finding about the object is about.
func (o *leftOut) subject() string {
	switch {
	case o.kind == "" || o.name == "":
		return "File/" + o.file
	case o.namespace == "":
		return o.kind + "/" + o.name
	}
	return o.kind + "/" + o.namespace + "/" + o.name
}

// called is what a message calls the object.
func (o *leftOut) called() string {
	switch {
	case o.kind == "":
		return "an object"
	case o.name == "":
		return "a " + o.kind
	case o.namespace == "":
		return o.kind + " " + o.name
	}
	return o.kind + " " + o.namespace + "/" + o.name
}

// follows says what comes of it that the object is not there.
func (o *leftOut) follows() string {
	switch {
	case o.kind == "Node" && o.name != "":
		return o.name + andPods(o.pods) + " left out"
	case o.workload:
		return "the workload" + andPods(o.pods) + " left out"
	case o.kind == "Pod":
		return "it is left out, takes no room and is not moved"
	case o.kind == "PodDisruptionBudget":
		return "it is left out, and limits no eviction"
	case o.kind == "PersistentVolume" || o.kind == "PersistentVolumeClaim":
		return "the volume is taken to be attachable on every node"
	case groupsOf[o.kind] != nil && o.kind != "Node":
		return "it is left out, and what its pods show counts in its place"
	}
	return "it is left out"
}

func andPods(n int) string {
	switch n {
	case 0:
		return " is"
	case 1:
		return " and its pod are"
	}
	return fmt.Sprintf(" and its %d pods are", n)
}

// mostlyOdd is an error where more than half of at least three objects of a
// kind are not understood, or every node: what is left says nothing of the
// cluster. Of fewer objects, or of a smaller part, each is a warning.
func (r *Reader) mostlyOdd() error {
	kinds := make([]string, 0, len(r.tallies))
	for kind := range r.tallies {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		t := r.tallies[kind]
		all := t.read + t.odd
		if most := all >= fewest && 2*t.odd > all; !most && (kind != "Node" || t.odd < all) {
			continue
		}
		return fmt.Errorf("%s: %s not understood, too many to leave out (more than half of at least %d, or every node, is an error);"+
			" the first is %s: %s; export it again with `%s`", t.first.file, t.share(kind), fewest, t.first.called(), t.first.why, r.command)
	}
	return nil
}

// share tells how many of how many.
func (t *tally) share(kind string) string {
	if kind == anyObject {
		kind = "object"
	}
	if all := t.read + t.odd; all > 1 {
		return fmt.Sprintf("%d of %d %ss are", t.odd, all, kind)
	}
	return "the only " + kind + " is"
}

// notes makes the findings of what was left out or taken from elsewhere, and of
// the pods whose node is not there: nodeless counts them by the node's name.
func (r *Reader) notesOf(nodeless map[string]*nodelessPods) []model.Finding {
	names := make([]string, 0, len(nodeless))
	for name := range nodeless {
		names = append(names, name)
	}
	slices.SortFunc(names, model.NaturalCompare)
	var others []model.Finding
	for _, name := range names {
		pods := nodeless[name]
		if at, ok := r.oddNodes[shorten(name, 80)]; ok {
			if at >= 0 {
				r.leftOut[at].pods = pods.count
			}
			continue
		}
		name = shorten(name, 80)
		which := "the only pod of node " + name + " is"
		if pods.count > 1 {
			which = fmt.Sprintf("the %d pods of node %s are", pods.count, name)
		}
		if len(r.leftOut)+len(others) >= maxNotes {
			r.unnoted++
			continue
		}
		others = append(others, model.NewFinding(model.ObjectNotUnderstood, "Node/"+name,
			fmt.Sprintf("%s: %s left out, because the input does not have that node.", pods.file, which)))
	}
	var out []model.Finding
	for i := range r.leftOut {
		o := &r.leftOut[i]
		follows := o.follows()
		if r.take != nil {
			follows = "it is left out"
		}
		if o.kind == "Node" && r.nodes[o.name] != nil {
			follows = "the input has it a second time, and that counts"
		}
		out = append(out, model.NewFinding(model.ObjectNotUnderstood, o.subject(),
			fmt.Sprintf("%s: %s is not understood: %s; %s.", o.file, o.called(), o.why, follows)))
	}
	out = append(append(out, others...), r.notes...)
	if r.unnoted > 0 {
		out = append(out, model.NewFinding(model.ObjectNotUnderstood, "File/"+r.file,
			fmt.Sprintf("%d more warnings about objects of the input are not listed; the objects are left out.", r.unnoted)))
	}
	return out
}

// nodelessPods are the pods of a node that is not there.
type nodelessPods struct {
	file  string
	count int
}

// missing notes what nodes do not say of themselves: one warning for all nodes that lack the same.
func (r *Reader) missing(nodes []*nodeRecord) {
	type gap struct{ what, instead string }
	lacking := map[gap][]*nodeRecord{}
	var order []gap
	for _, n := range nodes {
		var gaps []gap
		if n.Kubelet.IsZero() {
			gaps = append(gaps, gap{"kubelet version", "the cluster's version is taken"})
		}
		if len(n.unknown) > 0 {
			gaps = append(gaps, gap{"allocatable " + strings.Join(n.unknown, " or "), "what a scenario's node has by default is taken (" + n.defaults + ")"})
		}
		for _, g := range gaps {
			if lacking[g] == nil {
				order = append(order, g)
			}
			lacking[g] = append(lacking[g], n)
		}
	}
	for _, g := range order {
		list := lacking[g]
		names := make([]string, len(list))
		for i, n := range list {
			names[i] = n.Name
		}
		subject, who := "Node/"+names[0], "node "+names[0]+" says"
		if len(list) > 1 {
			subject, who = "Cluster", fmt.Sprintf("%d nodes (%s) say", len(list), someOf(names))
		}
		r.notes = append(r.notes, model.NewFinding(model.ObjectNotUnderstood, subject,
			fmt.Sprintf("%s: %s no %s; %s.", list[0].file, who, g.what, g.instead)))
	}
}

// shorten makes text of the input fit for a message: printable, and with the beginning alone where it is long.
func shorten(s string, most int) string {
	if len(s) > 4*most {
		s = s[:4*most]
	} else if len(s) <= most && !strings.ContainsFunc(s, notPrintable) {
		return s
	}
	var b strings.Builder
	n := 0
	for _, c := range s {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		if notPrintable(c) {
			c = '\ufffd'
		}
		b.WriteRune(c)
	}
	return b.String()
}

func notPrintable(c rune) bool { return !unicode.IsPrint(c) }

// checkText refuses a name or a label that no API server accepts and no terminal should be sent.
func checkText(what, s string, most int) error {
	if len(s) > most {
		return fmt.Errorf("its %s has %d bytes; at most %d are possible", what, len(s), most)
	}
	if strings.ContainsFunc(s, notPrintable) {
		return fmt.Errorf("its %s %q has a character that cannot be printed", what, s)
	}
	return nil
}

// checkMeta refuses an object without a name, and one whose names no API server accepts.
func checkMeta(name, namespace string, owners []ownerRef) error {
	if name == "" {
		return errNoName
	}
	if err := checkText("name", name, maxName); err != nil {
		return err
	}
	if err := checkText("namespace", namespace, maxName); err != nil {
		return err
	}
	for i := range owners {
		for _, text := range []string{owners[i].Name, owners[i].Kind, owners[i].APIVersion} {
			if err := checkText("owner's name", text, maxName); err != nil {
				return err
			}
		}
	}
	return nil
}
