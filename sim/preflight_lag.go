package sim

import (
	"cmp"
	"slices"

	"upsim/model"
	"upsim/model/skew"
)

// poolLags finds pools that the plan leaves further behind the control plane
// than the system lets them, which is less than the skew policy does.
func (p *preflight) poolLags() {
	system, ok := model.FindPreset(p.up.Nodes.Strategy)
	if !ok || system.Lag == nil || p.up.ControlPlane.Skip || p.target.IsZero() {
		return
	}
	for _, pool := range p.oldestKubelets() {
		kubelet, current := pool.kubelet.Minor, p.cluster.Version.Minor
		for i, v := range p.versions {
			if skew.Kubelet(kubelet, v.Minor, v.Minor) == model.KubeletTooOld {
				kubelet = max(kubelet, current) // it is moved before
			}
			if behind, most := v.Minor-kubelet, system.Lag.Minors; behind > most {
				p.add(model.NodePoolLagsTooFar, "NodePool/"+pool.name, "%s at v1.%d would be %d minors older than the control plane at %s, and %s allows %d (%s)",
					pool.name, kubelet, behind, v.MinorString(), system.Name, most, system.Lag.Source)
				break
			}
			if current = v.Minor; p.up.Nodes.Hops == model.HopsEach && i < len(p.versions)-1 && !slices.Contains(p.up.Nodes.Lag, pool.name) {
				kubelet = max(kubelet, current)
			}
		}
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
