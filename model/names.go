package model

import (
	"cmp"
	"strconv"
	"strings"
)

// NodeName is the name of the i-th node of the pool, counted from 0.
func (p *NodePool) NodeName(i int) string { return p.Name + "-" + strconv.Itoa(i+1) }

// CopyName is the name of the i-th copy of the workload, counted from 0: NAME
// itself where there is only one, else NAME01 … with at least two digits.
func (w *Workload) CopyName(i int) string {
	if w.Count <= 1 {
		return w.Name
	}
	return string(w.AppendCopyName(make([]byte, 0, len(w.Name)+8), i))
}

// AppendCopyName appends that name to b.
func (w *Workload) AppendCopyName(b []byte, i int) []byte {
	b = append(b, w.Name...)
	if w.Count <= 1 {
		return b
	}
	for least := 10; least <= i+1 || least <= max(10, w.Count); least *= 10 {
		if i+1 < least {
			b = append(b, '0')
		}
	}
	return strconv.AppendInt(b, int64(i+1), 10)
}

// CopyLabels are the labels of the pods of the i-th copy.
func (w *Workload) CopyLabels(i int) map[string]string {
	if w.Labels == nil {
		return map[string]string{"app": w.CopyName(i)}
	}
	return w.Labels
}

// NaturalCompare orders names as people count: node-2 before node-10. It is
// negative where a comes first, and 0 only for equal names.
func NaturalCompare(a, b string) int {
	for a != "" && b != "" {
		da, db := digits(a), digits(b)
		if da > 0 && db > 0 {
			na, nb := strings.TrimLeft(a[:da], "0"), strings.TrimLeft(b[:db], "0")
			if c := cmp.Or(cmp.Compare(len(na), len(nb)), strings.Compare(na, nb), cmp.Compare(da, db)); c != 0 {
				return c
			}
			a, b = a[da:], b[db:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// NaturalLess reports whether NaturalCompare puts a before b.
func NaturalLess(a, b string) bool { return NaturalCompare(a, b) < 0 }

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
