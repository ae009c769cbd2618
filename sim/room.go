package sim

import (
	"fmt"
	"slices"

	"upsim/model"
)

// Preflight says what can be known of an upgrade before it is simulated:
// versions that must not meet, budgets that can never allow an eviction, drains
// that kubectl will refuse, nodes that are not in order, and whether the pods of
// the first node to be drained fit elsewhere. The error says what cannot be simulated.
func Preflight(sc *model.Scenario, up model.NamedUpgrade) ([]model.Finding, error) {
	w, err := Compile(sc, up)
	if err != nil {
		return nil, err
	}
	return w.Findings(), nil
}

// Findings are what Preflight says of the upgrade that the world was compiled for.
func (w *World) Findings() []model.Finding {
	return slices.Concat(w.findings, w.unplaced(), w.firstDrain())
}

// unplaced names the workloads whose pods find no node even before the upgrade.
func (w *World) unplaced() []model.Finding {
	var out []model.Finding
	for i := range int32(len(w.workloads)) {
		if n := w.workloads0[i].pending; n > 0 {
			subject := w.workloadSubject(i)
			out = append(out, model.NewFinding(model.PodUnschedulable, subject,
				fmt.Sprintf("%s of %s wait for a node before the upgrade begins: %s", plural(int(n), "pod", "pods"), subject, w.whyParked0[i])))
		}
	}
	return out
}

// firstDrain tries where the pods of the first node to be drained would go: it
// takes them off, one after another, and asks the scheduler for another node.
func (w *World) firstDrain() []model.Finding {
	r := w.newRun(Options{Seed: w.scenario.Seed})
	order := r.upgradeOrder(r.nodes, w.upgrade.Upgrade.To)
	if len(order) == 0 {
		return nil
	}
	n := order[0]
	all := model.Drain{IgnoreDaemonSets: true, DeleteEmptyDirData: true}
	all.Force = w.upgrade.Upgrade.Nodes.Drain.Force
	pods, _ := r.victims(n, &all)
	r.nodes[n].flags |= nodeUnschedulable
	r.nodeChanged(n)
	r.setTaints(n, r.nodes[n].taints|taintUnschedulable)
	homeless := 0
	example := ""
	for _, p := range pods {
		pd := &r.pods[p]
		if w.workloads[pd.workload].kind == barePod {
			continue
		}
		r.leaveLive(pd)
		r.detach(p)
		pd.state = podCreated
		if at := r.choose(p, nil); at != none {
			pd.state = podStarting
			r.attach(p, at)
			continue
		}
		if homeless++; homeless == 1 {
			example = w.podSubject(pd.workload, pd.slot)
		}
	}
	if homeless == 0 {
		return nil
	}
	return []model.Finding{model.NewFinding(model.NoRoomForEvictedPods, w.nodeSubject(n),
		fmt.Sprintf("%s of the %d on %s, the first node to be drained, fit on no other node (for instance %s)", plural(homeless, "pod", "pods"), len(pods), w.nodeSubject(n), example))}
}
