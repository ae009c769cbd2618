package model

import (
	"iter"
	"slices"
)

// IsControlPlane reports whether the node has the label that kubeadm gives control-plane nodes.
func (n *Node) IsControlPlane() bool {
	_, ok := n.Labels[LabelControlPlane]
	return ok
}

// poolNames are the pools that have workers, in the order in which the scenario has them.
func (c *Cluster) poolNames() []string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range c.Pools {
		if c.Pools[i].Count > 0 {
			add(c.Pools[i].Name)
		}
	}
	for i := range c.Nodes {
		if !c.Nodes[i].IsControlPlane() {
			add(c.Nodes[i].Pool)
		}
	}
	return names
}

// labelValues are the values that a label has on the workers, in natural order.
func (c *Cluster) labelValues(key string) []string {
	var values []string
	add := func(labels map[string]string) {
		if v, ok := labels[key]; ok && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	for i := range c.Pools {
		add(c.Pools[i].Labels)
	}
	for i := range c.Nodes {
		if !c.Nodes[i].IsControlPlane() {
			add(c.Nodes[i].Labels)
		}
	}
	slices.SortFunc(values, NaturalCompare)
	return values
}

// worker is what tells workers apart in a rollout.
type worker struct {
	Pool    string
	Kubelet Version
}

// workers are the worker nodes by name, pools first.
func (c *Cluster) workers() iter.Seq2[string, worker] {
	return func(yield func(string, worker) bool) {
		for i := range c.Pools {
			p := &c.Pools[i]
			for k := range p.Count {
				if !yield(p.NodeName(k), worker{p.Name, p.Kubelet}) {
					return
				}
			}
		}
		for i := range c.Nodes {
			n := &c.Nodes[i]
			if !n.IsControlPlane() && !yield(n.Name, worker{n.Pool, n.Kubelet}) {
				return
			}
		}
	}
}

// oldestServer is the version of the oldest API server.
func (c *Cluster) oldestServer() Version {
	servers := c.ControlPlane.APIServer
	if len(servers) == 0 || len(servers) < c.ControlPlane.Replicas {
		servers = append(slices.Clone(servers), c.Version)
	}
	return slices.MinFunc(servers, Version.Compare)
}
