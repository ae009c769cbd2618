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
				fmt.Sprintf("%s for a node before the upgrade begins: %s", plural(int(n), "pod of "+subject+" waits", "pods of "+subject+" wait"), w.whyParked0[i])))
		}
	}
	for b := range w.budgets {
		bg := &w.budgets0[b]
		missing := int32(0)
		for _, m := range w.budgets[b].members {
			missing += w.workloads0[m].pending
		}
		if missing > 0 && bg.ready <= w.budgets[b].desired {
			subject := w.budgetSubject(int32(b))
			out = append(out, model.NewFinding(model.BudgetNeverAllows, subject, fmt.Sprintf("%s wants %d healthy pods and has %d, since %s for a node that there is not",
				subject, w.budgets[b].desired, bg.ready, plural(int(missing), "pod waits", "pods wait"))))
		}
	}
	return out
}

// standBy has a new node stand in place already, as it does before the old one is drained.
func (r *run) standBy(n int32) {
	r.nodes[n].flags = nodeReady
	r.tally(n, +1)
	r.nodeChanged(n)
	r.present++
}

// firstNode is the first node that the upgrade drains, and the new nodes that stand by then; none if there is none.
func (w *World) firstNode() (first int32, beside []int32) {
	left := w.withinLimit()
	for k := range w.stages {
		s := stageRun{Stage: w.stages[k]}
		s.nodes, left = w.pick(left, &s.Stage, w.scenario.Seed)
		if len(s.nodes) == 0 {
			continue
		}
		s.places = resolve(&s.Stage, int(w.workers), len(s.nodes), len(w.spotsOf(&s.Stage, s.nodes)))
		switch {
		case s.Replace == model.ReplaceSurge && s.unavailable == 0:
			beside = []int32{w.nodes[s.nodes[0]].twin}
		case s.Replace == model.ReplaceDetachSurge:
			for _, n := range s.nodes[len(s.nodes)-s.surge:] {
				beside = append(beside, w.nodes[n].twin)
			}
		case s.Replace == model.ReplaceBlueGreen:
			for _, n := range s.nodes {
				beside = append(beside, w.nodes[n].twin)
			}
		case s.Buffers():
			beside = w.extras[k]
		}
		return s.nodes[0], beside
	}
	return none, nil
}

// firstDrain tries where the pods of the first node to be drained would go: it
// takes them off, one after another, and asks the scheduler for another node.
func (w *World) firstDrain() []model.Finding {
	n, beside := w.firstNode()
	if n == none {
		return nil
	}
	r := w.newRun(Options{Seed: w.scenario.Seed})
	for _, x := range beside {
		r.standBy(x)
	}
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
		r.leaveLive(pd, &r.w.workloads[pd.workload])
		r.detach(r.owned(p))
		pd.state = podCreated
		if at := r.choose(r.owned(p), nil); at != none {
			pd.state = podStarting
			r.attach(r.owned(p), at)
			continue
		}
		if homeless++; homeless == 1 {
			example = w.podSubject(pd.workload, pd.slot)
		}
	}
	r.release()
	if homeless == 0 {
		return nil
	}
	fit := "fit on no other node"
	if homeless == 1 {
		fit = "fits on no other node"
	}
	return []model.Finding{model.NewFinding(model.NoRoomForEvictedPods, w.nodeSubject(n),
		fmt.Sprintf("%d of the %s on %s, the first node to be drained, %s (for instance %s)", homeless, plural(len(pods), "pod", "pods"), w.nodeSubject(n), fit, example))}
}
