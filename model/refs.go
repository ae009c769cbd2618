package model

import (
	"strconv"
	"strings"
)

// controlPlaneNodeName is the name of the i-th control-plane node, counted from
// 0, where the scenario does not describe these nodes.
func controlPlaneNodeName(i int) string { return "cp-" + strconv.Itoa(i+1) }

// describedControlPlane are the explicit nodes with the label of a control-plane node.
func (c *Cluster) describedControlPlane() []string {
	var names []string
	for i := range c.Nodes {
		if _, ok := c.Nodes[i].Labels[LabelControlPlane]; ok {
			names = append(names, c.Nodes[i].Name)
		}
	}
	return names
}

// ControlPlaneNodes are the names of the nodes that the control plane runs on:
// the described ones, or else cp-1 … cp-N. A managed control plane has none of ours.
func (c *Cluster) ControlPlaneNodes() []string {
	if c.ControlPlane.Managed {
		return nil
	}
	names := c.describedControlPlane()
	if len(names) == 0 {
		for i := range c.ControlPlane.Replicas {
			names = append(names, controlPlaneNodeName(i))
		}
	}
	return names
}

// nodeNames tells whether a name is that of a node, without a list of the pools' nodes.
type nodeNames struct {
	explicit     map[string]bool
	pools        map[string]int // number of nodes
	controlPlane map[string]bool
}

func (c *Cluster) nodeNames() nodeNames {
	x := nodeNames{map[string]bool{}, map[string]int{}, map[string]bool{}}
	for i := range c.Nodes {
		x.explicit[c.Nodes[i].Name] = true
	}
	for i := range c.Pools {
		x.pools[c.Pools[i].Name] = c.Pools[i].Count
	}
	for _, name := range c.ControlPlaneNodes() {
		x.controlPlane[name] = true
	}
	return x
}

// pool is the pool that a name of the form POOL-N belongs to, and N.
func (x nodeNames) pool(name string) (pool string, number int, ok bool) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return "", 0, false
	}
	number, valid := plainNumber(name[i+1:])
	_, known := x.pools[name[:i]]
	return name[:i], number, valid && known
}

func (x nodeNames) has(name string) bool {
	if x.explicit[name] || x.controlPlane[name] {
		return true
	}
	pool, number, ok := x.pool(name)
	return ok && number >= 1 && number <= x.pools[pool]
}

// plainNumber reads a number as names have it: digits, and no zero before them.
func plainNumber(s string) (int, bool) {
	if s == "" || s[0] == '0' || digits(s) != len(s) {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// Answers reports whether a reference in a scenario (a fault's workloads, an
// objective) means the i-th copy of the workload. It may name the copy or the
// entry, with its namespace before a slash or without.
func (w *Workload) Answers(reference string, i int) bool {
	name, ok := w.unqualified(reference)
	return ok && (name == w.Name || name == w.CopyName(i))
}

// answers reports whether the reference means any copy of the workload.
func (w *Workload) answers(reference string) bool {
	name, ok := w.unqualified(reference)
	return ok && (name == w.Name || w.hasCopy(name))
}

func (w *Workload) unqualified(reference string) (name string, ok bool) {
	namespace, name, qualified := strings.Cut(reference, "/")
	if !qualified {
		return reference, true
	}
	return name, namespace == w.Namespace
}

// hasCopy reports whether the name is that of a copy, without making the names of all.
func (w *Workload) hasCopy(name string) bool {
	if w.Count <= 1 {
		return name == w.Name
	}
	number, found := strings.CutPrefix(name, w.Name)
	if !found || digits(number) != len(number) {
		return false
	}
	i, err := strconv.Atoi(number)
	return err == nil && i >= 1 && i <= w.Count && name == w.CopyName(i-1)
}

// Replicated reports whether the workload has a controller that keeps several
// replicas, so that none ready is a downtime.
func (w *Workload) Replicated() bool {
	switch w.Kind {
	case Deployment, ReplicaSet, StatefulSet, Custom:
		return w.Replicas > 1
	}
	return false
}

// MinReadyOf is the least number of ready replicas that the objectives ask of
// the i-th copy of the workload; 0 means none. A reference to the copy goes
// before one to the entry, one with a namespace before one without.
func (o Objectives) MinReadyOf(w *Workload, i int) int {
	name := w.CopyName(i)
	for _, key := range []string{w.Namespace + "/" + name, name, w.Namespace + "/" + w.Name, w.Name} {
		if least, ok := o.MinReady[key]; ok {
			return least
		}
	}
	return 0
}
