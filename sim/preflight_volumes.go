package sim

import (
	"fmt"
	"slices"

	"upsim/model"
)

// localVolumes names the workloads whose data lies on disks of nodes that the
// strategy replaces or reimages: a local volume has the affinity of its node
// (kubernetes.io, concepts/storage/volumes#local), so that its pod can start
// nowhere else, and the disk goes with the node.
func (w *World) localVolumes() []model.Finding {
	any := false
	for i := range w.workloads {
		any = any || w.workloads[i].volume&volumeLocal != 0
	}
	if !any {
		return nil
	}
	pods := make([]int, len(w.workloads))
	nodes := make([][]string, len(w.workloads))
	for _, n := range w.replaced() {
		for _, p := range slices.Backward(w.on0[n]) {
			i := w.pods0[p].workload
			if w.workloads[i].volume&volumeLocal == 0 {
				continue
			}
			name := w.nodeName(n)
			if pods[i]++; len(nodes[i]) == 0 || nodes[i][len(nodes[i])-1] != name {
				nodes[i] = append(nodes[i], name)
			}
		}
	}
	var out []model.Finding
	for i := range int32(len(w.workloads)) {
		if pods[i] == 0 {
			continue
		}
		subject := w.workloadSubject(i)
		what := "a local disk of a node that is replaced: "
		if len(nodes[i]) > 1 {
			what = "local disks of nodes that are replaced: "
		}
		out = append(out, model.NewFinding(model.LocalVolumeLost, subject, fmt.Sprintf("the data of %s of %s lies on %s%s",
			plural(pods[i], "pod", "pods"), subject, what, named(nodes[i]))))
	}
	return out
}

// replaced are the workers that the strategy replaces or reimages in some phase, each once, in its order.
func (w *World) replaced() (nodes []int32) {
	number := make(map[string]int32, len(w.nodes))
	for n := range int32(len(w.nodes)) {
		number[w.nodeName(n)] = n
	}
	seen := make(map[string]bool)
	for _, ph := range w.Plan(w.scenario.Seed).Phases {
		for i := range ph.Stages {
			s := &ph.Stages[i]
			if !s.NewNodes() && s.Replace != model.ReplaceReimage {
				continue
			}
			for _, name := range s.Nodes.Names {
				if !seen[name] {
					seen[name] = true
					nodes = append(nodes, number[name])
				}
			}
		}
	}
	return nodes
}
