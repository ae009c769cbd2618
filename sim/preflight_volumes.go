package sim

import (
	"fmt"

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
	left := w.withinLimit()
	for k := range w.stages {
		s := &w.stages[k]
		var mine []int32
		mine, left = w.pick(left, s, w.scenario.Seed)
		if !s.NewNodes() && s.Replace != model.ReplaceReimage {
			continue
		}
		for _, n := range mine {
			for p := w.nodes0[n].firstPod; p != none; p = w.pods0[p].nextOnNode {
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
