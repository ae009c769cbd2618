package sim

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"upsim/model"
)

// shape is what placement needs to know of a pod apart from its own
// constraints; equal pods share one. Requests are in millicores and bytes.
type shape struct {
	cpu, memory     int64
	nzCPU, nzMemory int64
	other           []amount
	ports           []int32
	tolerates       taintBits
	bestEffort      bool // asks for neither cpu nor memory
	prefers         bool // some class of nodes is better than another
	fit             []classFit

	// Only while compiling.
	entry *model.Workload
}

type amount struct {
	name string
	n    int64
}

// classFit is how a shape of pod and a class of node get on.
type classFit struct {
	ok       bool  // selector, affinity and the taints that the scenario gives the nodes
	selected bool  // selector and affinity alone
	tainted  bool  // a NoSchedule or NoExecute taint of the nodes that the pod does not tolerate
	taints   int32 // PreferNoSchedule taints that the pod does not tolerate
	affinity int32 // sum of the weights of the preferred terms that match
}

// Stand-ins of kube-scheduler for a pod that asks for no cpu or no memory,
// used in scoring only (pkg/scheduler/util/pod_resources.go).
const (
	defaultCPU    = 100
	defaultMemory = 200 << 20
)

// shape gives the id of the entry's shape, a new one if no entry before was equal.
func (c *compiler) shape(e *model.Workload) int32 {
	k := shapeKey(e)
	if id, ok := c.shapeOf[k]; ok {
		return id
	}
	s := shape{cpu: e.Requests.CPU, memory: e.Requests.Memory, entry: e}
	s.nzCPU, s.nzMemory = s.cpu, s.memory
	if s.cpu == 0 {
		s.nzCPU = defaultCPU
	}
	if s.memory == 0 {
		s.nzMemory = defaultMemory
	}
	s.bestEffort = s.cpu == 0 && s.memory == 0
	for _, name := range sortedKeys(e.Requests.Other) {
		if n := e.Requests.Other[name]; n > 0 {
			s.other = append(s.other, amount{name, n})
		}
	}
	for _, p := range e.HostPorts {
		s.ports = append(s.ports, int32(p))
	}
	if tolerates(e.Tolerations, model.Taint{Key: model.TaintUnschedulable, Effect: model.NoSchedule}) || e.Kind == model.DaemonSet || e.Kind == model.Static {
		s.tolerates |= taintUnschedulable
	}
	if (tolerates(e.Tolerations, model.Taint{Key: model.TaintNotReady, Effect: model.NoSchedule}) &&
		tolerates(e.Tolerations, model.Taint{Key: model.TaintUnreachable, Effect: model.NoSchedule})) || e.Kind == model.DaemonSet || e.Kind == model.Static {
		s.tolerates |= taintNotReady
	}
	id := int32(len(c.shapes))
	c.shapes = append(c.shapes, s)
	c.shapeOf[k] = id
	return id
}

// shapeKey is what the shape of an entry is made of, as a text.
func shapeKey(e *model.Workload) string {
	k := make([]byte, 0, 64)
	k = strconv.AppendInt(k, e.Requests.CPU, 10)
	k = append(k, ' ')
	k = strconv.AppendInt(k, e.Requests.Memory, 10)
	for _, name := range sortedKeys(e.Requests.Other) {
		k = fmt.Appendf(k, ",%q=%d", name, e.Requests.Other[name])
	}
	k = append(k, '|', '0'+byte(one(e.Kind == model.DaemonSet)), '0'+byte(one(e.Kind == model.Static)))
	if len(e.HostPorts)+len(e.Tolerations)+len(e.NodeAffinity.Required)+len(e.NodeAffinity.Preferred)+len(e.NodeSelector) > 0 { // which few have
		k = fmt.Appendf(k, "|%v|%v|%v|%s", e.HostPorts, e.Tolerations, e.NodeAffinity, key(e.NodeSelector))
	}
	return string(k)
}

func sortedKeys(m map[string]int64) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}

// tolerates reports whether one of the tolerations matches the taint, as
// k8s.io/api's Toleration.ToleratesTaint does.
func tolerates(ts []model.Toleration, t model.Taint) bool {
	for _, x := range ts {
		if x.Effect != "" && x.Effect != t.Effect {
			continue
		}
		if x.Key != "" && x.Key != t.Key {
			continue
		}
		switch x.Operator {
		case "Exists":
			return true
		case "", "Equal":
			if x.Key != "" && x.Value == t.Value {
				return true
			}
		}
	}
	return false
}

// classify sorts the nodes into classes by the labels that some shape asks
// for and by their own taints, and works out how each shape gets on with each.
func (c *compiler) classify() error {
	asked := c.askedLabels()
	ids := make(map[string]int32)
	var like []classLike
	effects := c.oldTaints()
	var b strings.Builder
	for i := range c.nodes {
		b.Reset()
		for _, k := range asked {
			v, ok := c.nodeLabel(int32(i), k)
			fmt.Fprintf(&b, "%t%q,", ok, v)
		}
		for _, t := range c.taints[i] {
			fmt.Fprintf(&b, "|%q=%q:%s", t.Key, t.Value, t.Effect)
		}
		id, ok := ids[b.String()]
		if !ok {
			id = int32(len(like))
			ids[b.String()] = id
			like = append(like, classLike{node: int32(i)})
			for _, e := range effects {
				like = append(like, classLike{int32(i), []model.Taint{{Key: model.TaintOutdated, Effect: e}}})
			}
		}
		c.nodes[i].class = id
		c.nodes0[i].class = id
	}
	c.classes = len(like)
	for si := range c.shapes {
		if err := c.fitClasses(&c.shapes[si], asked, like); err != nil {
			return err
		}
	}
	return nil
}

// classLike is what a class of nodes is like: one of them, and taints beside its own.
type classLike struct {
	node   int32
	taints []model.Taint
}

// oldTaints are the effects of the taints that stages put on old nodes. A class
// of nodes is followed by those of the same nodes with each of these.
func (w *World) oldTaints() []model.TaintEffect {
	var effects []model.TaintEffect
	for i := range w.stages {
		if e := w.stages[i].Taint; e != "" && !slices.Contains(effects, e) {
			effects = append(effects, e)
		}
	}
	return effects
}

// setOutdated puts the taint of its stage on an old node, or takes it away.
func (r *run) setOutdated(n int32, on bool) {
	nd := &r.nodes[n]
	class := r.w.nodes[n].class
	if on {
		effect := r.rollout.stages[nd.stage-1].Taint
		class += 1 + int32(slices.Index(r.w.oldTaints(), effect))
	}
	if nd.class == class {
		return
	}
	r.tally(n, -1)
	nd.class = class
	r.nodeChanged(n)
	r.tally(n, +1)
	if !on {
		r.roomOn(n)
	}
}

// askedLabels are the node labels that selectors of the scenario look at.
func (c *compiler) askedLabels() []string {
	set := make(map[string]bool)
	for i := range c.shapes {
		e := c.shapes[i].entry
		for k := range e.NodeSelector {
			set[k] = true
		}
		for _, t := range e.NodeAffinity.Required {
			for _, r := range t.Labels {
				set[r.Key] = true
			}
		}
		for _, p := range e.NodeAffinity.Preferred {
			for _, r := range p.Term.Labels {
				set[r.Key] = true
			}
		}
	}
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func (c *compiler) fitClasses(s *shape, asked []string, like []classLike) error {
	e := s.entry
	selector, err := model.LabelSelector{MatchLabels: e.NodeSelector}.Compile()
	if err != nil {
		return fmt.Errorf("workload %s: nodeSelector: %w", e.Name, err)
	}
	var required []labels.Selector
	for _, t := range e.NodeAffinity.Required {
		m, err := t.Compile()
		if err != nil {
			return fmt.Errorf("workload %s: node affinity: %w", e.Name, err)
		}
		required = append(required, m)
	}
	var preferred []labels.Selector
	for _, p := range e.NodeAffinity.Preferred {
		m, err := p.Term.Compile()
		if err != nil {
			return fmt.Errorf("workload %s: node affinity: %w", e.Name, err)
		}
		preferred = append(preferred, m)
	}
	s.fit = make([]classFit, len(like))
	for ci, l := range like {
		n := l.node
		set := make(labels.Set, len(asked))
		for _, k := range asked {
			if v, ok := c.nodeLabel(n, k); ok {
				set[k] = v
			}
		}
		f := classFit{selected: selector.Matches(set) && (len(required) == 0 || anyMatches(required, set))}
		for i, m := range preferred {
			if m.Matches(set) {
				f.affinity += int32(e.NodeAffinity.Preferred[i].Weight)
			}
		}
		for _, t := range slices.Concat(c.taints[n], l.taints) {
			switch {
			case e.Kind == model.Static || tolerates(e.Tolerations, t):
			case t.Effect == model.PreferNoSchedule:
				f.taints++
			default:
				f.tainted = true
			}
		}
		f.ok = f.selected && !f.tainted
		s.prefers = s.prefers || f.affinity != 0 || f.taints != 0
		s.fit[ci] = f
	}
	return nil
}

func anyMatches(ms []labels.Selector, set labels.Set) bool {
	for _, m := range ms {
		if m.Matches(set) {
			return true
		}
	}
	return false
}
