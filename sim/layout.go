package sim

import (
	"slices"

	"upsim/model"
)

// Plan lays the upgrade out before it begins: its phases, and of each node
// phase the stages with the nodes that they take if every phase before it ends
// well. The seed counts only where the order of nodes is left to chance.
func (w *World) Plan(seed uint64) *model.Plan {
	r := w.newRun(Options{Seed: seed})
	r.beginControlPlane()
	r.limitNodes()
	up := &w.upgrade.Upgrade
	plan := &model.Plan{Scenario: w.scenario.Name, Strategy: w.upgrade.Name, From: w.scenario.Cluster.StartsAt(up), To: up.To}
	for i, p := range r.planPhases() {
		ph := model.PlanPhase{UpgradePhase: model.UpgradePhase{ControlPlane: p.controlPlane, To: p.to}}
		if !p.controlPlane {
			ph.Stages = r.layOut(p, i+1)
		}
		plan.Phases = append(plan.Phases, ph)
	}
	r.release()
	return plan
}

// layOut is a node phase's stages with their nodes, which have the phase's version from then on.
func (r *run) layOut(p phase, number int) (stages []model.Stage) {
	to := r.w.versionIs(p.to)
	for _, t := range r.takes(p, number) {
		s := r.w.stages[t.stage].Resolved(int(r.w.workers), len(t.nodes))
		s.Phase, s.Beside, s.Nodes = 0, t.beside, model.NodeSet{Pool: s.Nodes.Pool}
		for _, n := range t.nodes {
			s.Nodes.Names = append(s.Nodes.Names, r.w.nodeName(r.w.original(n)))
			if s.NewNodes() {
				twin := r.w.nodes[n].twin
				r.nodes[n].flags |= nodeRemoved
				r.nodes[twin].flags &^= nodeRemoved
				r.nodes[twin].kubelet = to
				continue
			}
			r.nodes[n].kubelet = to
		}
		stages = append(stages, s)
	}
	return stages
}

// taking is a stage with the nodes that it takes in a phase.
type taking struct {
	stage  int
	nodes  []int32 // in their order
	beside bool    // it starts together with the one before it
}

// takes says which stages take nodes in a node phase, the number of which counts from 1, and which.
func (r *run) takes(p phase, number int) (list []taking) {
	up := &r.w.upgrade.Upgrade
	nodes := r.w.upgradeOrder(r.nodes, p.to)
	if len(up.Phases) == 0 { // phases that are given name their nodes
		nodes = slices.DeleteFunc(nodes, func(n int32) bool {
			return !p.moves(r.w, n, r.nodes[n].kubelet) || r.meant != nil && !r.meant[r.w.original(n)]
		})
	}
	group, last := 0, 0 // stages that start together, and those of the stage before
	for k := range r.w.stages {
		s := &r.w.stages[k]
		if s.Phase != 0 && s.Phase != number {
			continue
		}
		if !s.Beside {
			group++
		}
		var mine []int32
		mine, nodes = r.w.pick(nodes, s, r.seed)
		if s.NewNodes() {
			mine = slices.DeleteFunc(mine, r.standsBesideTwin)
		}
		if len(mine) == 0 {
			continue
		}
		list = append(list, taking{k, mine, group == last})
		last = group
	}
	return list
}

// limitNodes works out which workers the upgrade is for, where it is not for all.
func (r *run) limitNodes() {
	if r.w.upgrade.Upgrade.Nodes.Limit == 0 {
		return
	}
	r.meant = make(map[int32]bool)
	for _, n := range r.upgradeOrderAll() {
		r.meant[n] = true
	}
}

// leftover are the nodes that no stage has taken yet, by the phase that the stages belong to; 0 is every phase.
type leftover map[int][]int32

func newLeftover(nodes []int32) leftover { return leftover{0: nodes} }

// pickLeft takes a stage's nodes from what is left for its phase.
func (w *World) pickLeft(left leftover, s *model.Stage, seed uint64) (mine []int32) {
	nodes, ok := left[s.Phase]
	if !ok {
		nodes = left[0]
	}
	mine, left[s.Phase] = w.pick(nodes, s, seed)
	return mine
}

// named takes the nodes that have the names, in the order of these. Where a node's drain failed in an earlier phase, so that it
// and the one that came for it both stand, its name is that of both.
func (w *World) named(nodes []int32, names []string) (mine, rest []int32) {
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[name] = i
	}
	at := make([][]int32, len(names))
	for _, n := range nodes {
		if i, ok := place[w.nodeName(w.original(n))]; ok {
			at[i] = append(at[i], n)
		} else {
			rest = append(rest, n)
		}
	}
	return slices.Concat(at...), rest
}
