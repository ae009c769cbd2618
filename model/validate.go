package model

import (
	"fmt"
	"slices"
)

// checkCluster looks at what several entries of the cluster make together.
func (d *decoder) checkCluster(n *node) {
	if n == nil || n.kind != mappingNode {
		return
	}
	d.checkNodeNames(n)
	d.checkWorkloadNames()
	d.checkBudgetNames()
	d.checkTotals(n)
}

// at is the value of the file that describes a part of the cluster, or what stands for it.
func (d *decoder) at(kind, name string, otherwise *node) *node {
	if n := d.written[kind+"/"+name]; n != nil {
		if v := n.get("name"); v != nil {
			return v
		}
		return n
	}
	return otherwise
}

// checkNodeNames finds nodes that would have the same name, and control-plane nodes that are none.
func (d *decoder) checkNodeNames(n *node) {
	c := &d.sc.Cluster
	names := c.nodeNames()
	described := c.describedControlPlane()
	if c.ControlPlane.Managed && len(described) > 0 && d.base == nil {
		d.fault(d.at("node", described[0], n), "has the label %s, but a managed control plane has no nodes of ours", LabelControlPlane)
	}
	for i := range c.Nodes {
		x := &c.Nodes[i]
		at := d.at("node", x.Name, n)
		if pool, number, ok := names.pool(x.Name); ok && number <= names.pools[pool] {
			d.fault(at, "%s is also the name of node %d of the pool %s", quote(x.Name), number, pool)
		}
		if names.controlPlane[x.Name] && len(described) == 0 {
			d.fault(at, "%s is also the name of a control-plane node; choose another, or give this node the label %s", quote(x.Name), LabelControlPlane)
		}
		if zone := x.Labels[LabelZone]; zone != "" && x.Zone != "" && zone != x.Zone {
			d.fault(at, "the zone is %s, but the label %s says %s", quote(x.Zone), LabelZone, quote(zone))
		}
	}
	for i := range c.Pools {
		p := &c.Pools[i]
		at := d.at("node pool", p.Name, n)
		for name := range names.controlPlane {
			if pool, number, ok := names.pool(name); ok && pool == p.Name && number <= p.Count {
				d.fault(at, "nodes of the pool %s would have the names of control-plane nodes; choose another name", quote(p.Name))
				break
			}
		}
		if _, ok := p.Labels[LabelControlPlane]; ok {
			d.fault(at, "a pool has workers; control-plane nodes come from controlPlane.replicas, or stand under nodes with the label %s", LabelControlPlane)
		}
		if zone := p.Labels[LabelZone]; zone != "" && len(p.Zones) > 0 {
			d.fault(at, "the label %s and zones both say the zone; remove one", LabelZone)
		}
	}
}

// checkWorkloadNames finds names that copies of an entry share with another workload.
func (d *decoder) checkWorkloadNames() {
	c := &d.sc.Cluster
	counted := map[string]*Workload{}
	for i := range c.Workloads {
		if w := &c.Workloads[i]; w.Count > 1 {
			counted[workloadID(w.Namespace, w.Name)] = w
		}
	}
	if len(counted) == 0 {
		return
	}
	told := map[string]bool{}
	// The copies of two entries overlap only if the first copy of the one is a copy of the other.
	for i := range c.Workloads {
		w := &c.Workloads[i]
		name := w.CopyName(0)
		for end := len(name) - 1; end > 0 && digits(name[end:]) > 0; end-- {
			o := counted[workloadID(w.Namespace, name[:end])]
			id := workloadID(w.Namespace, name)
			if o != nil && o != w && o.hasCopy(name) && !told[id] {
				told[id] = true
				d.fault(d.at("workload", workloadID(w.Namespace, w.Name), nil), "%s is also the name of a copy of %s, which has count %d", quote(name), quote(o.Name), o.Count)
			}
		}
	}
}

// checkBudgetNames finds a budget that has the name of a workload's own budget.
func (d *decoder) checkBudgetNames() {
	c := &d.sc.Cluster
	named := map[string]bool{}
	for i := range c.Budgets {
		named[workloadID(c.Budgets[i].Namespace, c.Budgets[i].Name)] = true
	}
	for i := range c.Workloads {
		w := &c.Workloads[i]
		id := workloadID(w.Namespace, w.CopyName(0))
		if w.Budget == nil || !named[id] {
			continue
		}
		if at := d.at("budget", id, d.at("workload", workloadID(w.Namespace, w.Name), nil)); at != nil {
			d.fault(at, "the workload %s has a podDisruptionBudget of its own, which has this name; choose another", quote(w.Name))
		}
	}
}

// checkTotals bounds the cluster before anything is made of it.
func (d *decoder) checkTotals(n *node) {
	c := &d.sc.Cluster
	nodes := int64(len(c.Nodes) + len(c.ControlPlaneNodes()))
	for i := range c.Pools {
		nodes += int64(c.Pools[i].Count)
		if nodes > MaxNodesPerCluster {
			d.fault(d.at("node pool", c.Pools[i].Name, n), "makes %d nodes in the cluster; at most %d can be simulated", nodes, MaxNodesPerCluster)
			return
		}
	}
	if nodes > MaxNodesPerCluster {
		d.fault(n, "has %d nodes; at most %d can be simulated", nodes, MaxNodesPerCluster)
		return
	}
	pods := int64(0)
	for i := range c.Workloads {
		w := &c.Workloads[i]
		each := int64(max(1, w.Replicas, len(w.Existing)))
		if w.Kind == DaemonSet {
			each = max(1, nodes)
		}
		pods += int64(w.Count) * each
		if pods > MaxReplicasPerCluster {
			d.fault(d.at("workload", workloadID(w.Namespace, w.Name), n), "makes %d pods in the cluster (count times replicas, and a DaemonSet's on each node); at most %d can be simulated", pods, MaxReplicasPerCluster)
			return
		}
	}
}

// checkReferences looks up every name of a node or workload in the scenario.
func (d *decoder) checkReferences() {
	if len(d.refs) == 0 {
		return
	}
	c := &d.sc.Cluster
	names := c.nodeNames()
	workloads := map[string]bool{}
	for i := range c.Workloads {
		w := &c.Workloads[i]
		workloads[w.Name], workloads[workloadID(w.Namespace, w.Name)] = true, true
	}
	for _, r := range d.refs {
		switch r.kind {
		case faultyNode, failingNode:
			if is, why := d.newNode(r.name, names); is && !names.has(r.name) {
				if why != "" {
					d.fault(r.at, "no node has the name %s: %s", quote(r.name), why)
				}
				continue
			}
		case workloadRef:
			if !workloads[r.name] && !slices.ContainsFunc(c.Workloads, func(w Workload) bool { return w.Count > 1 && w.answers(r.name) }) {
				d.report(r.at.line, r.at.col, fmt.Sprintf("%s: no workload has the name %s", r.label(), quote(r.name))+didYouMean(r.name, sortedKeys(workloads)))
			}
			continue
		case zoneRef, poolRef:
			d.checkPlace(r)
			continue
		case controlPlaneNode:
			if !names.controlPlane[r.name] {
				d.fault(r.at, "no control-plane node has the name %s; there are %s", quote(r.name), someOf(c.ControlPlaneNodes()))
			}
			continue
		}
		pool, _, _ := names.pool(r.name)
		switch {
		case d.unclear[pool]:
		case !names.has(r.name):
			d.fault(r.at, "no node has the name %s%s", quote(r.name), names.hint(r.name))
		case r.kind == failingNode && names.controlPlane[r.name]:
			d.fault(r.at, "%s is a control-plane node, whose failure is not supported yet; apiServerOutage, controllerManagerOutage and schedulerOutage take components down", quote(r.name))
		case r.kind == workerNode && names.controlPlane[r.name]:
			d.fault(r.at, "%s is a control-plane node; these have their own phase, see upgrade.controlPlane.order", quote(r.name))
		}
	}
}

// label names the value that refers: a key refers by itself.
func (r reference) label() string {
	if l := r.at.label(); l != "" {
		return l
	}
	return "minReady"
}

// hint says which nodes there are: of the pool that a name points to, or the nearest name.
func (x nodeNames) hint(name string) string {
	if pool, _, ok := x.pool(name); ok {
		if x.pools[pool] == 0 {
			return fmt.Sprintf("; the pool %s has no nodes", pool)
		}
		return fmt.Sprintf("; the nodes of the pool %s are %s-1 … %s-%d", pool, pool, pool, x.pools[pool])
	}
	const most = 2000 // names to compare with
	known := sortedKeys(x.explicit)
	known = append(known, sortedKeys(x.controlPlane)...)
	for pool, count := range x.pools {
		if count > 0 {
			known = append(known, pool+"-1")
		}
	}
	slices.Sort(known)
	return didYouMean(name, known[:min(len(known), most)])
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// someOf lists the first few names.
func someOf(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return alternatives(names[:min(len(names), maxControlPlane)])
}
