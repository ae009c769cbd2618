package sim

import (
	"cmp"
	"slices"

	"upsim/model"
)

// poolLags finds pools that are further behind the control plane than the
// strategy's system lets them (maxLag), before anything begins. The plan itself takes none so far behind.
func (p *preflight) poolLags() {
	most := p.up.Nodes.MaxLag
	if most == 0 {
		return
	}
	for _, pool := range p.oldestKubelets() {
		if behind := p.cluster.Version.Minor - pool.kubelet.Minor; behind > most {
			p.add(model.NodePoolLagsTooFar, "NodePool/"+pool.name, "%s at v1.%d is %s older than the control plane at %s, and %s allows %d (maxLag)",
				pool.name, pool.kubelet.Minor, plural(behind, "minor", "minors"), p.cluster.Version.MinorString(), p.up.Nodes.Strategy, most)
		}
	}
}

// providers warns of a provider's strategy where the control plane is the operator's own.
func (p *preflight) providers() {
	system, ok := model.FindPreset(p.up.Nodes.Strategy)
	if ok && system.Managed && !p.cluster.ControlPlane.Managed && !p.up.ControlPlane.Skip && !p.target.IsZero() {
		p.add(model.ControlPlaneNotManaged, "Strategy/"+system.Name, "%s upgrades the nodes of a provider's clusters, and the control plane of this one is not the provider's (controlPlane.managed)", system.Name)
	}
}

// poolKubelet is a pool of workers and the oldest kubelet in it.
type poolKubelet struct {
	name    string
	kubelet model.Version
}

// oldestKubelets are the pools in the order in which the scenario has them; nodes without a pool are in none.
func (p *preflight) oldestKubelets() []poolKubelet {
	var list []poolKubelet
	add := func(name string, kubelet model.Version) {
		kubelet = cmp.Or(kubelet, p.cluster.Version)
		i := slices.IndexFunc(list, func(x poolKubelet) bool { return x.name == name })
		switch {
		case name == "" || kubelet.IsZero():
		case i < 0:
			list = append(list, poolKubelet{name, kubelet})
		case kubelet.Compare(list[i].kubelet) < 0:
			list[i].kubelet = kubelet
		}
	}
	for i := range p.cluster.Pools {
		if x := &p.cluster.Pools[i]; x.Count > 0 {
			add(x.Name, x.Kubelet)
		}
	}
	for i := range p.cluster.Nodes {
		if n := &p.cluster.Nodes[i]; !n.IsControlPlane() {
			add(n.Pool, n.Kubelet)
		}
	}
	return list
}
