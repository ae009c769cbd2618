package sim

import (
	"fmt"

	"upsim/model"
)

// quota reports the pools that would have more nodes at once than their quota
// (maxNodes) while the strategy's new nodes stand beside the old ones: with
// surge as many as come at once, with blueGreen one for each old node of the stage.
func (w *World) quota() []model.Finding {
	limited := false
	for i := range w.scenario.Cluster.Pools {
		limited = limited || w.scenario.Cluster.Pools[i].MaxNodes > 0
	}
	nodes := &w.upgrade.Upgrade.Nodes
	stages := w.stages
	brings := false
	for i := range stages {
		brings = brings || stages[i].NewNodes()
	}
	if !limited || !brings {
		return nil
	}

	r := w.newRun(Options{Seed: w.scenario.Seed})
	has := make(map[string]int) // nodes at the start, by pool
	for n := range r.nodes {
		if r.nodes[n].flags&nodeRemoved == 0 && !w.nodes[n].cp {
			has[w.nodes[n].poolName]++
		}
	}
	order := r.upgradeOrder(r.nodes, w.upgrade.Upgrade.To)
	if nodes.Limit > 0 && len(order) > nodes.Limit {
		order = order[:nodes.Limit]
	}
	extra := make(map[string]int) // the most new nodes at once, by pool
	for i := range stages {
		s := &stages[i]
		var mine []int32
		mine, order = r.pick(order, s.Nodes)
		if !s.NewNodes() {
			continue
		}
		of := make(map[string]int)
		for _, n := range mine {
			of[w.nodes[n].poolName]++
		}
		for pool, n := range of {
			if s.Replace == model.ReplaceSurge {
				n = min(n, atOnce(s, int(w.workers), len(mine)))
			}
			extra[pool] = max(extra[pool], n)
		}
	}

	var out []model.Finding
	for i := range w.scenario.Cluster.Pools {
		p := &w.scenario.Cluster.Pools[i]
		if n := extra[p.Name]; n > 0 && p.MaxNodes > 0 && has[p.Name]+n > p.MaxNodes {
			out = append(out, model.NewFinding(model.QuotaExceeded, "NodePool/"+p.Name,
				fmt.Sprintf("the pool %s has %s, %s beside them at once, and its quota (maxNodes) is %d", p.Name,
					plural(has[p.Name], "node", "nodes"), plural(n, "new one comes", "new ones come"), p.MaxNodes)))
		}
	}
	return out
}
