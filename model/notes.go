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
	if d.base == nil {
		return
	}
	near, other := "", false
	each := func(ns, s string) {
		switch d.compared++; {
		case d.compared > mostCompared || near != "" && !other:
		case ns != namespace && s == name:
			near, other = ns+"/"+s, true
		case ns == namespace && nearName(name, s):
			near, other = s, false
		}
	}
	subject := ""
	switch kind {
	case "node pool":
		subject = "NodePool/" + name
		for i := range d.base.Pools {
			each("", d.base.Pools[i].Name)
		}
	case "node":
		subject = "Node/" + name
		for i := range d.base.Nodes {
			each("", d.base.Nodes[i].Name)
		}
	case "workload":
		subject = "Workload/" + workloadID(namespace, name)
		for i := range d.base.Workloads {
			each(d.base.Workloads[i].Namespace, d.base.Workloads[i].Name)
		}
	case "budget":
		subject = "PodDisruptionBudget/" + workloadID(namespace, name)
		for i := range d.base.Budgets {
			each(d.base.Budgets[i].Namespace, d.base.Budgets[i].Name)
		}
	}
	if near == "" {
		return
	}
	id := name
	if other {
		id = workloadID(namespace, name)
	}
	d.note(NameNotInFiles, subject, "line %d: the %s %s is not in %s and was added as a new one; did you mean %s?",
		n.line, kind, id, strings.Join(d.baseFiles, ", "), near)
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
