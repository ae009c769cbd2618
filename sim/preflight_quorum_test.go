package sim

import (
	"testing"

	"upsim/model"
)

func TestPreflightQuorums(t *testing.T) {
	for _, c := range []struct {
		name   string
		quorum int
		change func(w *model.Workload, c *model.Cluster, up *model.Upgrade)
		want   string
	}{
		{"one of three may go", 2, func(w *model.Workload, _ *model.Cluster, _ *model.Upgrade) {
			w.Budget = limit("maxUnavailable", "1")
		}, ""},
		{"two of three may go", 2, func(w *model.Workload, _ *model.Cluster, _ *model.Upgrade) {
			w.Budget = limit("maxUnavailable", "2")
		}, "WorkloadQuorumAtRisk StatefulSet/default/db: PodDisruptionBudget/default/db lets 2 of its 3 members go at once, and it works only with 2"},
		{"a percentage rounds up", 2, func(w *model.Workload, _ *model.Cluster, _ *model.Upgrade) {
			w.Budget = limit("maxUnavailable", "34%")
		}, "WorkloadQuorumAtRisk StatefulSet/default/db: PodDisruptionBudget/default/db lets 2 of its 3 members go at once, and it works only with 2"},
		{"a budget of the cluster over copies", 2, func(w *model.Workload, c *model.Cluster, _ *model.Upgrade) {
			w.Labels, w.Count = app("db"), 2
			c.Budgets = []model.Budget{selecting(limit("minAvailable", "4"), "all", app("db"))}
		}, "WorkloadQuorumAtRisk StatefulSet/default/db01: PodDisruptionBudget/default/all lets 2 of its 3 members go at once, and it works only with 2; the same holds for its other copy"},
		{"no budget", 2, func(*model.Workload, *model.Cluster, *model.Upgrade) {},
			"WorkloadQuorumAtRisk StatefulSet/default/db: no budget limits how many of its 3 members go at once, and it works only with 2"},
		{"deleting asks no budget", 2, func(w *model.Workload, _ *model.Cluster, up *model.Upgrade) {
			w.Budget, up.Nodes.Drain.DisableEviction = limit("maxUnavailable", "1"), true
		}, "WorkloadQuorumAtRisk StatefulSet/default/db: no budget limits how many of its 3 members go at once, and it works only with 2"},
		{"no quorum", 0, func(*model.Workload, *model.Cluster, *model.Upgrade) {}, ""},
		{"on nodes that are not drained", 2, func(w *model.Workload, c *model.Cluster, _ *model.Upgrade) {
			w.Placement = []string{"done", "done", "done"}
			c.Nodes = []model.Node{{Name: "done", Ready: true, Kubelet: preflightVersion(t, "v1.34.2")}}
			c.ControlPlane.APIServer = []model.Version{preflightVersion(t, "v1.34.2")}
		}, ""},
	} {
		got := findingLines(preflightCase(t, func(cl *model.Cluster, up *model.Upgrade) {
			w := aWorkload(model.StatefulSet, "db", 3, nil)
			w.Quorum = c.quorum
			c.change(&w, cl, up)
			cl.Workloads = []model.Workload{w}
		}))
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
