package model

import (
	"fmt"
	"strings"
)

// note keeps what is worth knowing about the scenario and stops nothing.
func (d *decoder) note(c Code, subject, format string, args ...any) {
	d.sc.Notes = append(d.sc.Notes, NewFinding(c, subject, fmt.Sprintf(format, args...)))
}

// noteTargets says which version a target without a patch means, and which target is no known release.
func (d *decoder) noteTargets() {
	told := map[Version]bool{}
	for _, u := range d.sc.Upgrades() {
		to := u.Upgrade.To
		if told[to] || to.IsZero() {
			continue
		}
		told[to] = true
		subject := "Version/" + to.String()
		if newest := newestMinor(); to.Minor > newest {
			d.note(ReleaseUnknown, subject, "no release of %s was known on %s; the newest minor was 1.%d", to.MinorString(), ReleasesDate, newest)
		} else if d.minorOnly[to] {
			d.note(TargetResolved, subject, "%s means %v, the newest known on %s", to.MinorString(), to, ReleasesDate)
		}
	}
}

// mostCompared bounds the comparisons of names, so that a file beside a big cluster is read at once.
const mostCompared = 200_000

// added notes an entry beside `cluster.from` that the files do not have, where
// they have one with nearly the same name, or one of that name in another namespace.
func (d *decoder) added(kind, namespace, name string, n *node) {
	near, other := d.nearInFiles(kind, namespace, name)
	if near == "" {
		return
	}
	id, subject := name, workloadID(namespace, name)
	if other {
		id = subject
	}
	switch kind {
	case "node pool":
		subject = "NodePool/" + name
	case "node":
		subject = "Node/" + name
	case "workload":
		subject = "Workload/" + subject
	case "budget":
		subject = "PodDisruptionBudget/" + subject
	}
	d.note(NameNotInFiles, subject, "line %d: the %s %s is not in %s and was added as a new one; did you mean %s?",
		n.line, kind, id, strings.Join(d.baseFiles, ", "), near)
}

// newBeside says, behind the fault that an entry lacks a key which only a new one needs, that the
// files do not have it, and which of theirs may be meant; "" where there are no files.
func (d *decoder) newBeside(kind, namespace, name string) string {
	if d.base == nil || name == "" {
		return ""
	}
	near, other := d.nearInFiles(kind, namespace, name)
	id, meant := name, ""
	if namespace != "" {
		id = workloadID(namespace, name)
	}
	if near != "" {
		meant = "; did you mean " + near
		if ns, _, _ := strings.Cut(near, "/"); other {
			meant += " (`namespace: " + ns + "`)"
		}
		meant += "?"
	}
	return fmt.Sprintf(" as a new %s: %s is not in %s%s", kind, id, strings.Join(d.baseFiles, ", "), meant)
}

// nearInFiles is the name in the files that is nearly that of an entry which they do not have; other
// says that it is the same in another namespace, which then stands before it. "" means that there is none.
func (d *decoder) nearInFiles(kind, namespace, name string) (near string, other bool) {
	if d.base == nil {
		return "", false
	}
	each := func(ns, s string) {
		switch d.compared++; {
		case d.compared > mostCompared || near != "" && !other:
		case ns != namespace && s == name:
			near, other = ns+"/"+s, true
		case ns == namespace && nearName(name, s):
			near, other = s, false
		}
	}
	switch kind {
	case "node pool":
		for i := range d.base.Pools {
			each("", d.base.Pools[i].Name)
		}
	case "node":
		for i := range d.base.Nodes {
			each("", d.base.Nodes[i].Name)
		}
	case "workload":
		for i := range d.base.Workloads {
			each(d.base.Workloads[i].Namespace, d.base.Workloads[i].Name)
		}
	case "budget":
		for i := range d.base.Budgets {
			each(d.base.Budgets[i].Namespace, d.base.Budgets[i].Name)
		}
	}
	return near, other
}

// nearName reports whether a name looks like a slip of the other: one letter in
// short names, two in long ones. Names that differ in digits alone are counted ones.
func nearName(a, b string) bool {
	most := 1
	if len(a) >= 6 {
		most = 2
	}
	if difference := len(a) - len(b); difference > most || -difference > most || len(a) > 253 || len(b) > 253 {
		return false
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, s)
	}
	return letters(a) != letters(b) && editDistance(a, b) <= most
}
