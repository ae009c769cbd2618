package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"upsim/model"
)

// unit is a workload entry, or one copy of it, as selectors see it: pods with
// the same labels. Copies that share their labels are one unit.
type unit struct {
	entry  int32
	copy   int32
	copies int32
}

// standing says where the pods of a workload entry are before the upgrade.
type standing struct {
	// pods is how many each copy has, at best.
	pods int
	// nodes are those of its pods' nodes that are to be drained, as far as they are known, in natural order.
	nodes []string
	// reached: some pod of it has to leave a node, or may have to since its node is not known yet.
	reached bool
}

// entrySubject names a copy of a workload entry as results do: kind/namespace/name.
func entrySubject(e *model.Workload, copy int) string {
	kind := string(e.Kind)
	if e.Kind == model.Custom && e.OwnerKind != "" {
		kind = e.OwnerKind
	}
	return kind + "/" + cmp.Or(e.Namespace, model.DefaultNamespace) + "/" + e.CopyName(copy)
}

// stays reports whether kubectl drain leaves pods of this kind where they are.
func stays(k model.Kind) bool { return k == model.DaemonSet || k == model.Static }

// stand looks at each workload entry once.
func (p *preflight) stand() []standing {
	explicit := make(map[string]*model.Node, len(p.cluster.Nodes))
	for i := range p.cluster.Nodes {
		explicit[p.cluster.Nodes[i].Name] = &p.cluster.Nodes[i]
	}
	total := len(p.cluster.Nodes)
	for i := range p.cluster.Pools {
		total += p.cluster.Pools[i].Count
	}
	drained := p.idle || p.anyNode()
	list := make([]standing, len(p.cluster.Workloads))
	for i := range list {
		e, s := &p.cluster.Workloads[i], &list[i]
		switch e.Kind {
		case model.DaemonSet:
			// At most one on each node: enough to tell what can never be.
			s.pods = max(len(e.Existing), total)
		case model.BarePod, model.Static:
			s.pods = max(1, e.Replicas, len(e.Existing))
		case model.Custom:
			s.pods = max(e.Replicas, len(e.Existing))
		default:
			s.pods = e.Replicas
		}
		if !drained || s.pods == 0 {
			continue
		}
		where := e.Placement
		if len(e.Existing) > 0 {
			where = make([]string, len(e.Existing))
			for j := range e.Existing {
				where[j] = e.Existing[j].Node
			}
		}
		// A DaemonSet that was read from a cluster has all its pods already.
		s.reached = len(where) < s.pods && (e.Kind != model.DaemonSet || len(where) == 0)
		for _, name := range where {
			if name == "" {
				s.reached = true
			} else if p.toDrain(name, explicit) {
				s.reached = true
				s.nodes = append(s.nodes, name)
			}
		}
		slices.SortFunc(s.nodes, model.NaturalCompare)
		s.nodes = slices.Compact(s.nodes)
	}
	return list
}

// unitList lists the workloads as selectors see them.
func (p *preflight) unitList() []unit {
	var list []unit
	for i := range p.cluster.Workloads {
		e := &p.cluster.Workloads[i]
		n := int32(max(1, e.Count))
		if e.Labels != nil {
			list = append(list, unit{int32(i), 0, n})
			continue
		}
		for c := range n {
			list = append(list, unit{int32(i), c, 1})
		}
	}
	return list
}

// labelPair is one label of pods in a namespace.
type labelPair struct{ namespace, key, value string }

// unitIndex finds the units that a budget selects without looking at all of them.
type unitIndex struct {
	units       []unit
	labels      []map[string]string
	byLabel     map[labelPair][]int32
	byNamespace map[string][]int32
}

func (p *preflight) index(units []unit) *unitIndex {
	x := &unitIndex{units: units, labels: make([]map[string]string, len(units)),
		byLabel: map[labelPair][]int32{}, byNamespace: map[string][]int32{}}
	for i, u := range units {
		e := &p.cluster.Workloads[u.entry]
		namespace := cmp.Or(e.Namespace, model.DefaultNamespace)
		x.labels[i] = e.CopyLabels(int(u.copy))
		x.byNamespace[namespace] = append(x.byNamespace[namespace], int32(i))
		for k, v := range x.labels[i] {
			pair := labelPair{namespace, k, v}
			x.byLabel[pair] = append(x.byLabel[pair], int32(i))
		}
	}
	return x
}

// selected are the units whose pods the budget selects, in their order.
func (x *unitIndex) selected(b *model.Budget) []int32 {
	if b.SelectsNothing {
		return nil
	}
	selector, err := b.Selector.Compile()
	if err != nil {
		return nil // the decoder has refused it
	}
	var list []int32
	for _, i := range x.candidates(b) {
		if selector.Matches(labels.Set(x.labels[i])) {
			list = append(list, i)
		}
	}
	return list
}

// candidates are all units that the budget may select: those with the rarest
// of the labels that it asks for.
func (x *unitIndex) candidates(b *model.Budget) []int32 {
	namespace := cmp.Or(b.Namespace, model.DefaultNamespace)
	from := x.byNamespace[namespace]
	narrow := func(key, value string) {
		if list := x.byLabel[labelPair{namespace, key, value}]; len(list) < len(from) {
			from = list
		}
	}
	for k, v := range b.Selector.MatchLabels {
		narrow(k, v)
	}
	for _, r := range b.Selector.MatchExpressions {
		if r.Operator == "In" && len(r.Values) == 1 {
			narrow(r.Key, r.Values[0])
		}
	}
	return from
}

// maxNamed bounds the names in one sentence.
const maxNamed = 3

// named lists a few names and counts the rest.
func named(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// alsoOf ends a sentence on the first of several copies.
func alsoOf(others int) string {
	switch others {
	case 0:
		return ""
	case 1:
		return "; the same holds for its other copy"
	}
	return fmt.Sprintf("; the same holds for its %d other copies", others)
}
