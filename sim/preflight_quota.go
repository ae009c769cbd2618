package sim

import (
	"fmt"

	"upsim/model"
)

// quota reports the pools that would have more nodes at once than their quota
// (maxNodes) while the strategy's new nodes stand beside the old ones: with
// surge as many as come at once, with blueGreen one for each old node of the
// stage, and the extra ones where a stage has them.
func (w *World) quota() []model.Finding {
	limited := false
	for i := range w.scenario.Cluster.Pools {
		limited = limited || w.scenario.Cluster.Pools[i].MaxNodes > 0
	}
	brings := false
	for i := range w.stages {
		brings = brings || w.stages[i].NewNodes() || w.stages[i].Buffers()
	}
	if !limited || !brings {
		return nil
	}

	has := make(map[string]int) // nodes at the start, by pool
	for n := range w.nodes {
		if w.nodes0[n].flags&nodeRemoved == 0 && !w.nodes[n].cp {
			has[w.nodes[n].poolName]++
		}
	}
	extra := make(map[string]int) // the most new nodes at once, by pool
	left := newLeftover(w.withinLimit())
	for k := range w.stages {
		s := &w.stages[k]
		mine := w.pickLeft(left, s, w.scenario.Seed)
		p := resolve(s, int(w.workers), len(mine), len(w.spotsOf(s, mine)))
		of := make(map[string]int)
		for _, n := range mine {
			of[w.nodes[n].poolName]++
		}
		switch s.Replace {
		case model.ReplaceSurge, model.ReplaceDetachSurge:
			for pool := range of {
				of[pool] = min(of[pool], p.surge)
			}
		case model.ReplaceBlueGreen:
		default:
			clear(of)
			for _, n := range w.extras[k] {
				of[w.nodes[n].poolName]++
			}
		}
		for pool, n := range of {
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
