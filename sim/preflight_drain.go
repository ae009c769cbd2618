package sim

import (
	"cmp"
	"slices"

	"upsim/model"
)

// drainFilters reports the nodes that kubectl drain refuses before it evicts
// anything. Its filters look at each pod in this order: DaemonSet and mirror
// pods are left out, local data needs one option, a missing controller another
// (kubectl, pkg/drain/filters.go). One pod that fails is enough.
func (p *preflight) drainFilters() {
	lacks := func(has func(model.Drain) bool) bool {
		return slices.ContainsFunc(p.drains, func(d model.Drain) bool { return !has(d) })
	}
	daemonSets := lacks(func(d model.Drain) bool { return d.IgnoreDaemonSets })
	localData := lacks(func(d model.Drain) bool { return d.DeleteEmptyDirData })
	bare := lacks(func(d model.Drain) bool { return d.Force })
	if !daemonSets && !localData && !bare {
		return
	}

	bareOn := map[string][]*model.Workload{}
	for i := range p.cluster.Workloads {
		e, s := &p.cluster.Workloads[i], &p.standings[i]
		if !s.reached || e.Kind == model.Static {
			continue
		}
		subject, others := entrySubject(e, 0), alsoOf(max(1, e.Count)-1)
		where := "the nodes that its pods are on"
		if len(s.nodes) > 0 {
			where = named(s.nodes)
		}
		if e.Kind == model.DaemonSet {
			if daemonSets {
				p.addWithFix(fixDaemonSetPod, model.DrainRefused, subject, "kubectl drain will refuse %s: its pods belong to a DaemonSet, and drain.ignoreDaemonSets is false%s", where, others)
			}
			continue
		}
		if localData && e.EmptyDir {
			p.addWithFix(fixLocalData, model.DrainRefused, subject, "kubectl drain will refuse %s: its pods have local data in an emptyDir, and drain.deleteEmptyDirData is false%s", where, others)
		}
		if !bare || e.Kind != model.BarePod {
			continue
		}
		if len(s.nodes) == 0 {
			p.addWithFix(fixForBarePods(p.cluster, e), model.DrainRefused, subject, "kubectl drain will refuse the node that it is on: it has no controller, and drain.force is false%s", others)
			continue
		}
		for _, node := range s.nodes {
			bareOn[node] = append(bareOn[node], e)
		}
	}

	nodes := make([]string, 0, len(bareOn))
	for node := range bareOn {
		nodes = append(nodes, node)
	}
	slices.SortFunc(nodes, model.NaturalCompare)
	for _, node := range nodes {
		pods, has := make([]string, len(bareOn[node])), "have"
		for i, e := range bareOn[node] {
			pods[i] = cmp.Or(e.Namespace, model.DefaultNamespace) + "/" + e.CopyName(0)
		}
		if len(pods) == 1 {
			has = "has"
		}
		p.addWithFix(fixForBarePods(p.cluster, bareOn[node]...), model.DrainRefused, "Node/"+node, "kubectl drain will refuse node %s: %s %s no controller, and drain.force is false", node, named(pods), has)
	}
}
