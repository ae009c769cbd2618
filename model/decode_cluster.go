package model

import (
	"fmt"
	"slices"
)

// cluster reads the topology. With `cluster.from` it lays what is written over
// what the files gave: an entry of the same name starts as the real one, others are added.
func (d *decoder) cluster(n *node) {
	c := &d.sc.Cluster
	c.ControlPlane.Etcd = EtcdStacked
	fromVersion := Version{}
	version := must("version", d.version(&c.Version))
	if n.get("from") != nil {
		version.required = false
	}
	d.object(n,
		may("from", func(v *node) { d.clusterFrom(v); fromVersion = c.Version }),
		version,
		may("kubectl", d.version(&c.Kubectl)),
		may("nodePools", d.list(d.nodePool)),
		may("nodes", d.list(d.explicitNode)),
		may("controlPlane", d.controlPlane),
		may("workloads", func(v *node) {
			c.Workloads = slices.Grow(c.Workloads, min(len(v.items), 16)) // which are large
			d.list(d.workload)(v)
		}),
		may("podDisruptionBudgets", d.list(d.budget)),
	)
	if d.base != nil && c.Version.IsZero() && n.get("version") == nil {
		d.report(n.line, n.col, "the files under from do not say the cluster's version; write `version`")
	}
	if d.base != nil && n.get("version") != nil {
		c.ControlPlane.replaceVersion(fromVersion, c.Version)
	}
	c.fillVersions()
	d.removeGone()
	if n.get("version") != nil || n.get("controlPlane").get("versions").get("apiserver") != nil {
		c.ControlPlane.Inferred = nil
		d.sc.Notes = slices.DeleteFunc(d.sc.Notes, func(f Finding) bool { return f.Code == VersionInferred })
	}
	if d.base != nil && len(d.base.Workloads) == 0 && n.get("workloads") != nil {
		// Only the nodes are real, and the scenario says itself what runs on them.
		d.sc.Notes = slices.DeleteFunc(d.sc.Notes, func(f Finding) bool { return f.Code == InputIncomplete })
	}
}

func (d *decoder) clusterFrom(n *node) {
	var paths []string
	before := len(d.found)
	d.names(&paths, referenceName)(n)
	switch {
	case len(d.found) > before:
		return
	case len(paths) == 0:
		d.fault(n, "must list at least one file")
		return
	case d.from == nil:
		d.fault(n, "no files can be read here; write the topology out")
		return
	}
	base, err := d.from(paths)
	if err != nil {
		d.fault(n, "%v", err)
		return
	}
	d.base, d.baseFiles = base, paths
	d.sc.Notes = slices.Clone(base.Notes)
	c := &d.sc.Cluster
	*c = *base
	if c.ControlPlane.Etcd == "" {
		c.ControlPlane.Etcd = EtcdStacked
	}
	// Entries may be overwritten; the caller's cluster stays as it is.
	c.Pools, c.Nodes = slices.Clone(base.Pools), slices.Clone(base.Nodes)
	c.Workloads, c.Budgets = slices.Clone(base.Workloads), slices.Clone(base.Budgets)
	d.baseIndex = map[string]int{}
	for i, x := range c.Pools {
		d.baseIndex["node pool/"+x.Name] = i
	}
	for i, x := range c.Nodes {
		d.baseIndex["node/"+x.Name] = i
	}
	for i, x := range c.Workloads {
		d.baseIndex["workload/"+workloadID(x.Namespace, x.Name)] = i
	}
	for i, x := range c.Budgets {
		d.baseIndex["budget/"+workloadID(x.Namespace, x.Name)] = i
	}
}

// removeGone takes the bare pods of the files away to which the scenario gives no replicas.
func (d *decoder) removeGone() {
	if d.base == nil {
		return
	}
	d.sc.Cluster.Workloads = slices.DeleteFunc(d.sc.Cluster.Workloads, func(w Workload) bool { return w.Kind == BarePod && w.Replicas == 0 })
}

// baseAt is the place of what `cluster.from` gave under that kind and name; -1 where it gave nothing.
func (d *decoder) baseAt(kind, name string) int {
	if i, ok := d.baseIndex[kind+"/"+name]; ok {
		return i
	}
	return -1
}

// once reports a second entry of that kind and name in the file.
func (d *decoder) once(kind, name string, n *node) bool {
	id := kind + "/" + name
	if first := d.written[id]; first != nil {
		at := n
		if v := n.get("name"); v != nil {
			at = v
		}
		d.report(at.line, at.col, fmt.Sprintf("there are two of %s %s; the other one is on line %d", kind, quote(name), first.line))
		return false
	}
	d.written[id] = n
	return true
}

// nameIn is the name that an entry has, before the entry is read; "" where it has none.
func nameIn(n *node, key string) string {
	if v := n.get(key); v != nil && v.kind == scalarNode && v.typ == textScalar {
		return v.value
	}
	return ""
}

// replaceVersion makes the instances that had the one version have the other,
// and so those whose version was taken from elsewhere.
func (cp *ControlPlane) replaceVersion(old, replacement Version) {
	servers := cp.APIServer
	for _, list := range []*[]Version{&cp.APIServer, &cp.ControllerManager, &cp.Scheduler, &cp.CloudControllerManager} {
		*list = slices.Clone(*list)
		for i, v := range *list {
			inferred := i < len(cp.Inferred) && cp.Inferred[i] && i < len(servers) && v == servers[i]
			if v == old || inferred {
				(*list)[i] = replacement
			}
		}
	}
}

// fillVersions gives every component without a version of its own the
// cluster's, and a kube-proxy its kubelet's.
func (c *Cluster) fillVersions() {
	kubelet := func(k, p *Version) {
		if k.IsZero() {
			*k = c.Version
		}
		if p.IsZero() {
			*p = *k
		}
	}
	for i := range c.Pools {
		kubelet(&c.Pools[i].Kubelet, &c.Pools[i].KubeProxy)
	}
	for i := range c.Nodes {
		kubelet(&c.Nodes[i].Kubelet, &c.Nodes[i].KubeProxy)
	}
	cp := &c.ControlPlane
	if cp.Replicas == 0 {
		cp.Replicas = c.defaultReplicas()
	}
	fit := func(list []Version, must bool) []Version {
		if len(list) == 0 && !must {
			return nil
		}
		out := make([]Version, cp.Replicas)
		for i := range out {
			out[i] = c.Version
			if i < len(list) {
				out[i] = list[i]
			}
		}
		return out
	}
	cp.APIServer = fit(cp.APIServer, true)
	cp.ControllerManager = fit(cp.ControllerManager, true)
	cp.Scheduler = fit(cp.Scheduler, true)
	cp.CloudControllerManager = fit(cp.CloudControllerManager, false)
}

// defaultReplicas is the number of API server instances where none is written:
// one on each control-plane node that is described, or else three.
func (c *Cluster) defaultReplicas() int {
	if n := len(c.describedControlPlane()); n > 0 && !c.ControlPlane.Managed {
		return n
	}
	return DefaultControlPlaneReplicas
}
