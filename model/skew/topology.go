package skew

import (
	"cmp"
	"slices"
	"strconv"

	"upsim/model"
)

// Topology is which version runs where.
type Topology struct {
	APIServers              []Instance
	ControllerManagers      []Instance
	Schedulers              []Instance
	CloudControllerManagers []Instance
	// Etcd are its members as far as their versions are known.
	Etcd []Instance
	// Kubectl is the client in use; zero means none is known.
	Kubectl model.Version
	Nodes   []Node
}

// Instance is one process of a control-plane component; Name says where it runs.
type Instance struct {
	Name    string
	Version model.Version
}

// Node is a node's two components. A zero version means that it has none.
type Node struct {
	Name               string
	Kubelet, KubeProxy model.Version
}

// FromCluster is the topology of a cluster as its scenario describes it.
//
// Instances are named after their control-plane nodes: those that the cluster
// lists with the control-plane label, in their order, if there is one for each
// API server, else cp-1 and on. Where it lists none and the control plane is
// not managed, cp-1 and on are also nodes, at the cluster's version. What has
// no version is left out: the API servers of a pasted list of nodes without a
// server, and the kube-proxy of a listed node that names none.
func FromCluster(c *model.Cluster) Topology {
	var t Topology
	add := func(name string, kubelet, proxy model.Version) {
		if kubelet = cmp.Or(kubelet, c.Version); !kubelet.IsZero() {
			t.Nodes = append(t.Nodes, Node{Name: name, Kubelet: kubelet, KubeProxy: proxy})
		}
	}
	for i := range c.Pools {
		p := &c.Pools[i]
		t.Nodes = slices.Grow(t.Nodes, p.Count)
		for j := range p.Count {
			add(p.NodeName(j), p.Kubelet, cmp.Or(p.KubeProxy, p.Kubelet, c.Version))
		}
	}
	var hosts []string
	for i := range c.Nodes {
		n := &c.Nodes[i]
		add(n.Name, n.Kubelet, n.KubeProxy)
		if _, ok := n.Labels[model.LabelControlPlane]; ok {
			hosts = append(hosts, n.Name)
		}
	}

	replicas := max(1, c.ControlPlane.Replicas, len(c.ControlPlane.APIServer))
	ownNodes := len(hosts) == 0 && !c.ControlPlane.Managed
	if len(hosts) != replicas {
		hosts = make([]string, replicas)
		for i := range hosts {
			hosts[i] = "cp-" + strconv.Itoa(i+1)
		}
	}
	if ownNodes {
		for _, name := range hosts {
			add(name, c.Version, c.Version)
		}
	}
	t.controlPlane(c, hosts)
	t.Kubectl = c.Kubectl
	return t
}

// controlPlane adds the instances of each component, one on each host.
func (t *Topology) controlPlane(c *model.Cluster, hosts []string) {
	instances := func(versions []model.Version) []Instance {
		var list []Instance
		for i, name := range hosts {
			v := c.Version
			if i < len(versions) {
				v = cmp.Or(versions[i], v)
			}
			if !v.IsZero() {
				list = append(list, Instance{Name: name, Version: v})
			}
		}
		return list
	}
	t.APIServers = instances(c.ControlPlane.APIServer)
	t.ControllerManagers = instances(c.ControlPlane.ControllerManager)
	t.Schedulers = instances(c.ControlPlane.Scheduler)
	if len(c.ControlPlane.CloudControllerManager) > 0 {
		t.CloudControllerManagers = instances(c.ControlPlane.CloudControllerManager)
	}
	for i, v := range c.ControlPlane.Etcdv {
		if i < len(hosts) && !v.IsZero() {
			t.Etcd = append(t.Etcd, Instance{Name: hosts[i], Version: v})
		}
	}
}

// ends are the API servers with the lowest and the highest minor; ok is false without any.
func (t *Topology) ends() (oldest, newest Instance, ok bool) {
	for i, s := range t.APIServers {
		if i == 0 || s.Version.Minor < oldest.Version.Minor {
			oldest = s
		}
		if i == 0 || s.Version.Minor > newest.Version.Minor {
			newest = s
		}
	}
	return oldest, newest, len(t.APIServers) > 0
}
