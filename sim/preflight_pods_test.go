package sim

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// realPods are pods of a real cluster, one a letter: r Ready, n not Ready, t on its way out.
func realPods(letters string) []model.ExistingPod {
	var list []model.ExistingPod
	for i, l := range letters {
		list = append(list, model.ExistingPod{Node: "p-" + string(rune('1'+i%3)), Ready: l != 'n', Terminating: l == 't', Ordinal: -1})
	}
	return list
}

func TestPodsNotReadyBefore(t *testing.T) {
	least := func(n int) *intstr.IntOrString { v := intstr.FromInt(n); return &v }
	web := func(c *model.Cluster, kind model.Kind, replicas int, pods string) {
		c.Workloads = append(c.Workloads, model.Workload{Name: "web", Namespace: "shop", Kind: kind, Count: 1, Replicas: replicas, Labels: map[string]string{"app": "web"}, Existing: realPods(pods)})
	}
	budget := func(c *model.Cluster, least *intstr.IntOrString) {
		c.Budgets = []model.Budget{{Name: "web-pdb", Namespace: "shop", Selector: model.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, MinAvailable: least}}
	}
	for _, tc := range []struct {
		name   string
		change func(*model.Cluster, *model.Upgrade)
		want   string
	}{
		{"the budget allows nothing now", func(c *model.Cluster, _ *model.Upgrade) {
			web(c, model.Deployment, 9, "rrrrrrnnn")
			budget(c, least(7))
		},
			"PodsNotReadyBefore Deployment/shop/web: Deployment/shop/web has 6 of 9 pods Ready before the upgrade begins; PodDisruptionBudget/shop/web-pdb (minAvailable 7) allows no eviction until 8 are"},
		{"met, and allows nothing", func(c *model.Cluster, _ *model.Upgrade) {
			web(c, model.Deployment, 9, "rrrrrrrnn")
			budget(c, least(7))
		},
			"PodsNotReadyBefore Deployment/shop/web: Deployment/shop/web has 7 of 9 pods Ready before the upgrade begins; PodDisruptionBudget/shop/web-pdb (minAvailable 7) allows no eviction until 8 are"},
		{"the budget allows one", func(c *model.Cluster, _ *model.Upgrade) {
			web(c, model.Deployment, 9, "rrrrrrrrn")
			budget(c, least(7))
		},
			"PodsNotReadyBefore Deployment/shop/web: Deployment/shop/web has 8 of 9 pods Ready before the upgrade begins"},
		{"a drain that asks no budget", func(c *model.Cluster, up *model.Upgrade) {
			web(c, model.Deployment, 9, "rrrrrrnnn")
			budget(c, least(7))
			up.Nodes.Drain.DisableEviction = true
		}, "PodsNotReadyBefore Deployment/shop/web: Deployment/shop/web has 6 of 9 pods Ready before the upgrade begins"},
		{"one on its way out", func(c *model.Cluster, _ *model.Upgrade) { web(c, model.StatefulSet, 3, "rrt") },
			"PodsNotReadyBefore StatefulSet/shop/web: StatefulSet/shop/web has 2 of 3 pods Ready before the upgrade begins"},
		{"of a DaemonSet", func(c *model.Cluster, _ *model.Upgrade) { web(c, model.DaemonSet, 0, "rrn") },
			"PodsNotReadyBefore DaemonSet/shop/web: DaemonSet/shop/web has 2 of 3 pods Ready before the upgrade begins"},
		{"one more than it wants", func(c *model.Cluster, _ *model.Upgrade) { web(c, model.Deployment, 3, "rrrn"); budget(c, least(2)) }, ""},
		{"all are", func(c *model.Cluster, _ *model.Upgrade) { web(c, model.Deployment, 3, "rrr"); budget(c, least(2)) }, ""},
		{"more are asked for than it has", func(c *model.Cluster, _ *model.Upgrade) { web(c, model.Deployment, 2, "r"); budget(c, least(1)) }, ""},
		{"of a Job", func(c *model.Cluster, _ *model.Upgrade) { web(c, model.Job, 3, "rnn") }, ""},
	} {
		if got := findingLines(preflightCase(t, tc.change)); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.name, got, tc.want)
		}
	}
}

// What a scenario beside real files has to say is told as the line to write.
func TestFixesOfWhatFilesHave(t *testing.T) {
	limit := func(s string) *intstr.IntOrString { v := intstr.Parse(s); return &v }
	cluster := func(kind model.Kind, b model.Budget) func(*model.Cluster, *model.Upgrade) {
		return func(c *model.Cluster, _ *model.Upgrade) {
			c.FromFiles = true
			c.Workloads = []model.Workload{{Name: "web", Namespace: "shop", Kind: kind, Count: 1, Replicas: 3, Labels: map[string]string{"app": "web"}, Existing: realPods("rrr")}}
			b.Name, b.Namespace, b.Selector.MatchLabels = "web-pdb", "shop", map[string]string{"app": "web"}
			c.Budgets = []model.Budget{b}
		}
	}
	for _, tc := range []struct {
		name   string
		code   model.Code
		change func(*model.Cluster, *model.Upgrade)
		want   string
	}{
		{"a budget", model.BudgetNeverAllows, cluster(model.Deployment, model.Budget{MinAvailable: limit("3")}),
			"Allow at least one disruption: `podDisruptionBudgets: [{name: web-pdb, namespace: shop, maxUnavailable: 1}]` under `cluster`, beside `from`; or run more replicas."},
		{"of pods without a scale", model.BudgetNeverAllows, cluster(model.Custom, model.Budget{MinAvailable: limit("3")}),
			"Allow at least one disruption: `podDisruptionBudgets: [{name: web-pdb, namespace: shop, minAvailable: 2}]` under `cluster`, beside `from`; or run more replicas."},
		{"that cannot be computed", model.BudgetNotComputable, cluster(model.Custom, model.Budget{MaxUnavailable: limit("1")}),
			"Use an integer minAvailable for pods of this owner: `podDisruptionBudgets: [{name: web-pdb, namespace: shop, minAvailable: 2}]` under `cluster`, beside `from`."},
		{"two budgets", model.TwoBudgetsOnPod, func(c *model.Cluster, up *model.Upgrade) {
			cluster(model.Deployment, model.Budget{MinAvailable: limit("2")})(c, up)
			c.Workloads[0].Budget = &model.Budget{MaxUnavailable: limit("50%")}
		}, "Leave one budget per pod: remove the `podDisruptionBudget` of the workload web, and change the one of the files: `podDisruptionBudgets: [{name: web-pdb, namespace: shop, maxUnavailable: 50%}]` under `cluster`, beside `from`."},
		{"a pod without a controller", model.DrainRefused, func(c *model.Cluster, _ *model.Upgrade) {
			c.FromFiles = true
			c.Workloads = []model.Workload{{Name: "alone", Kind: model.BarePod, Count: 1, Replicas: 1, Existing: realPods("r")}}
		}, "Set `force: true` under `upgrade.nodes.drain` (the pod is lost), or give the pod a controller, or remove it first: `workloads: [{name: alone, replicas: 0}]` under `cluster`, beside `from`."},
		{"a written budget", model.BudgetNeverAllows, func(c *model.Cluster, up *model.Upgrade) {
			cluster(model.Deployment, model.Budget{MinAvailable: limit("3")})(c, up)
			c.FromFiles = false
		}, "Allow at least one disruption in the entry of web-pdb under `podDisruptionBudgets` (for instance `maxUnavailable: 1`), or run more replicas."},
	} {
		list := preflightCase(t, tc.change)
		i := slices.IndexFunc(list, func(f model.Finding) bool { return f.Code == tc.code })
		if i < 0 {
			t.Errorf("%s: no %s in %s", tc.name, tc.code, findingLines(list))
		} else if list[i].Fix != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.name, list[i].Fix, tc.want)
		}
	}
	sc := storyScenario(t, "case.txt", `cluster:
  version: v1.33.4
  nodePools: [{name: p, count: 3, allocatable: {cpu: "4", memory: 8Gi}}]
  workloads: [{name: web, namespace: shop, replicas: 3, labels: {app: web}}]
  podDisruptionBudgets: [{name: web-pdb, namespace: shop, selector: {matchLabels: {app: web}}, minAvailable: 2}]
upgrade: {to: v1.34.2}
`)
	sc.Cluster.FromFiles = true
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	want := "PodDisruptionBudget/shop/web-pdb (`podDisruptionBudgets: [{name: web-pdb, namespace: shop, unhealthyPodEvictionPolicy: AlwaysAllow}]` under `cluster`, beside `from`)"
	if got := w.placeOfBudget(0); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if s := fixForBarePods(&model.Cluster{FromFiles: true}, make([]*model.Workload, 4)...); strings.Contains(s, "workloads:") {
		t.Errorf("four pods are listed: %s", s)
	}
}
