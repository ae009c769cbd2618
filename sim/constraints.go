package sim

import (
	"fmt"
	"slices"

	"upsim/model"
)

// constraints are a workload's own rules of placement. Terms count pods by a
// counter; a term on the hostname counts them by node.
type constraints struct {
	hard    []spreadTerm
	soft    []spreadTerm
	avoid   []podTerm // domains that hold one are out: its own anti-affinity and that of others against it
	attract []podTerm // domains that hold none are out
	prefer  []podTerm
}

type spreadTerm struct {
	counter        int32
	topo           int32
	maxSkew        int32
	minDomains     int32
	honorTaints    bool
	ignoreAffinity bool
	self           bool // the selector selects the pod itself
}

type podTerm struct {
	counter int32
	topo    int32
	weight  int32 // negative for anti-affinity; only of preferred terms
	self    bool
}

// compileConstraints resolves the selectors of spreading and pod affinity to workloads and counters.
func (c *compiler) compileConstraints() error {
	c.counter0 = make(map[string]int32)
	for i := range c.workloads {
		e := c.entry(int32(i))
		if len(e.Spread) == 0 && !hasTerms(e.PodAffinity) && !hasTerms(e.AntiAffinity) {
			continue
		}
		if err := c.constrain(int32(i), e); err != nil {
			return fmt.Errorf("workload %s: %w", c.workloadName(int32(i)), err)
		}
	}
	return nil
}

func hasTerms(a model.PodAffinity) bool { return len(a.Required) > 0 || len(a.Preferred) > 0 }

// con gives workload i constraints to add to.
func (c *compiler) con(i int32) *constraints {
	if c.workloads[i].con == nil {
		c.workloads[i].extra().con = &constraints{}
	}
	return c.workloads[i].con
}

func (c *compiler) constrain(i int32, e *model.Workload) error {
	for _, s := range e.Spread {
		members, err := c.members(i, e.Namespace, nil, s.Selector)
		if err != nil {
			return err
		}
		t := spreadTerm{topo: c.topologyOf(s.TopologyKey), maxSkew: int32(max(1, s.MaxSkew)), minDomains: int32(s.MinDomains),
			honorTaints: s.HonorTaints, ignoreAffinity: s.IgnoreAffinity, self: slices.Contains(members, i)}
		t.counter = c.counterOf(t.topo, members, true)
		if s.DoNotSchedule {
			c.honorsTaints = c.honorsTaints || s.HonorTaints
			c.con(i).hard = append(c.con(i).hard, t)
		} else {
			c.con(i).soft = append(c.con(i).soft, t)
		}
	}
	for _, t := range e.AntiAffinity.Required {
		if err := c.addTerm(i, t, 0, avoidList, avoidList); err != nil {
			return err
		}
	}
	for _, t := range e.PodAffinity.Required {
		if err := c.addTerm(i, t, 0, attractList, nil); err != nil {
			return err
		}
	}
	for _, t := range e.AntiAffinity.Preferred {
		if err := c.addTerm(i, t.Term, -int32(t.Weight), preferList, preferList); err != nil {
			return err
		}
	}
	for _, t := range e.PodAffinity.Preferred {
		if err := c.addTerm(i, t.Term, int32(t.Weight), preferList, preferList); err != nil {
			return err
		}
	}
	return nil
}

func avoidList(k *constraints) *[]podTerm   { return &k.avoid }
func attractList(k *constraints) *[]podTerm { return &k.attract }
func preferList(k *constraints) *[]podTerm  { return &k.prefer }

// addTerm adds a term of workload i to its own list and, where other is given,
// to that of each workload it selects: the rule of a pod that is there already holds
// against the one that comes.
func (c *compiler) addTerm(i int32, term model.PodTerm, weight int32, own, other func(*constraints) *[]podTerm) error {
	members, err := c.members(i, c.entry(i).Namespace, term.Namespaces, term.Selector)
	if err != nil {
		return err
	}
	t := podTerm{topo: c.topologyOf(term.TopologyKey), weight: weight, self: slices.Contains(members, i)}
	t.counter = c.counterOf(t.topo, members, false)
	list := own(c.con(i))
	*list = append(*list, t)
	if other == nil {
		return nil
	}
	there := podTerm{topo: t.topo, weight: weight, counter: c.counterOf(t.topo, []int32{i}, false)}
	for _, m := range members {
		if m != i {
			list := other(c.con(m))
			*list = append(*list, there)
		}
	}
	return nil
}

// members lists the workloads that a constraint of workload i counts; a nil selector means its own pods.
func (c *compiler) members(i int32, namespace string, namespaces []string, sel *model.LabelSelector) ([]int32, error) {
	if sel == nil {
		return []int32{i}, nil
	}
	if len(namespaces) == 0 {
		namespaces = []string{namespace}
	}
	var out []int32
	for _, ns := range namespaces {
		m, err := c.matching(ns, *sel)
		if err != nil {
			return nil, err
		}
		out = append(out, m...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// counterOf gives the counter of the members' pods by domain, a new one if none counts just that.
// A counter by node of few pods is not kept: walking the pods is cheaper.
func (c *compiler) counterOf(topo int32, members []int32, live bool) int32 {
	k := fmt.Sprint(topo, live, members)
	if id, ok := c.counter0[k]; ok {
		return id
	}
	var pods int64
	for _, m := range members {
		pods += int64(c.workloads[m].slots)
	}
	walked := topo == topoHost && pods <= int64(c.fewPods())
	id := c.addCounter(counter{topo: topo, members: members, live: live, walked: walked})
	c.counter0[k] = id
	for _, m := range members {
		c.workloads[m].counted = true
	}
	return id
}
