package sim

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// preflightCase is a cluster at 1.33.4 with one pool of three nodes (p-1 … p-3)
// and a managed control plane, on its way to 1.34.2 with kubectl drain's usual
// options; change adds what the case is about.
func preflightCase(t *testing.T, change func(c *model.Cluster, up *model.Upgrade)) []model.Finding {
	t.Helper()
	from, to := preflightVersion(t, "v1.33.4"), preflightVersion(t, "v1.34.2")
	sc := &model.Scenario{Name: "case", Cluster: model.Cluster{
		Version:      from,
		ControlPlane: model.ControlPlane{Replicas: 1, Managed: true},
		Pools:        []model.NodePool{{Name: "p", Count: 3, Kubelet: from, KubeProxy: from}},
	}}
	up := model.Upgrade{To: to, Path: []model.Version{to}, Nodes: model.DefaultNodeUpgrade()}
	change(&sc.Cluster, &up)
	return staticFindings(sc, model.NamedUpgrade{Name: "rolling", Upgrade: up})
}

// knownBeforehand are the findings of a scenario in a file, without those of the skew policy that are only notes.
func knownBeforehand(t *testing.T, text string) string {
	t.Helper()
	sc := storyScenario(t, "case.txt", text)
	list, err := Preflight(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range list {
		if f.Code != model.SkewAtLimit {
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", f.Severity, f.Code, f.Subject, f.Message))
		}
	}
	return strings.Join(lines, "\n")
}

func preflightVersion(t *testing.T, s string) model.Version {
	t.Helper()
	v, err := model.ParseVersion(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// findingLines are the findings, one a line, without the notes that every case would have.
func findingLines(list []model.Finding) string {
	var lines []string
	for _, f := range list {
		if f.Code != model.SkewAtLimit && f.Code != model.SingleAPIServer {
			lines = append(lines, fmt.Sprintf("%s %s: %s", f.Code, f.Subject, f.Message))
		}
	}
	return strings.Join(lines, "\n")
}

func limit(field, value string) *model.Budget {
	v := intstr.Parse(value)
	if field == "minAvailable" {
		return &model.Budget{MinAvailable: &v}
	}
	return &model.Budget{MaxUnavailable: &v}
}

func selecting(b *model.Budget, name string, matchLabels map[string]string) model.Budget {
	b.Name, b.Namespace, b.Selector.MatchLabels = name, "default", matchLabels
	return *b
}

func app(name string) map[string]string { return map[string]string{"app": name} }

func aWorkload(kind model.Kind, name string, replicas int, b *model.Budget) model.Workload {
	return model.Workload{Kind: kind, Name: name, Namespace: "default", Count: 1, Replicas: replicas, Budget: b}
}

// The limits of real cases kubernetes/kubernetes#66811, projectcalico/calico#4211, istio/istio#12602 and strimzi/strimzi-kafka-operator#8369, and each form of a limit on
// both sides of what can be satisfied (arithmetic: testdata/pdb-status.csv).
func TestPreflightInlineBudgets(t *testing.T) {
	for _, c := range []struct {
		name     string
		kind     model.Kind
		replicas int
		budget   *model.Budget
		want     string
	}{
		{"kubernetes/kubernetes#66811", model.Deployment, 1, limit("minAvailable", "1"),
			"BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 1 wants 1 healthy pod and there are never more than 1: no pod of Deployment/default/web can ever be evicted"},
		{"projectcalico/calico#4211", model.Deployment, 1, limit("maxUnavailable", "1"), ""},
		{"projectcalico/calico#4211, a percentage rounds up", model.Deployment, 1, limit("maxUnavailable", "1%"), ""},
		{"istio/istio#12602, at the least replicas", model.Deployment, 1, limit("minAvailable", "2"),
			"BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 2 wants 2 healthy pods and there are never more than 1: no pod of Deployment/default/web can ever be evicted"},
		{"istio/istio#12602, at more", model.Deployment, 2, limit("minAvailable", "1"), ""},
		{"all of them", model.StatefulSet, 3, limit("minAvailable", "3"),
			"BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 3 wants 3 healthy pods and there are never more than 3: no pod of StatefulSet/default/web can ever be evicted"},
		{"all but one", model.StatefulSet, 3, limit("minAvailable", "2"), ""},
		{"100%", model.Deployment, 3, limit("minAvailable", "100%"),
			"BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 100% wants 3 healthy pods and there are never more than 3: no pod of Deployment/default/web can ever be evicted"},
		{"67% of 3 is 3", model.Deployment, 3, limit("minAvailable", "67%"),
			"BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 67% wants 3 healthy pods and there are never more than 3: no pod of Deployment/default/web can ever be evicted"},
		{"66% of 3 is 2", model.Deployment, 3, limit("minAvailable", "66%"), ""},
		{"none may go", model.Deployment, 3, limit("maxUnavailable", "0"),
			"BudgetNeverAllowsEviction PodDisruptionBudget/default/web: maxUnavailable 0 wants 3 healthy pods and there are never more than 3: no pod of Deployment/default/web can ever be evicted"},
		{"0% may go", model.ReplicaSet, 3, limit("maxUnavailable", "0%"),
			"BudgetNeverAllowsEviction PodDisruptionBudget/default/web: maxUnavailable 0% wants 3 healthy pods and there are never more than 3: no pod of ReplicaSet/default/web can ever be evicted"},
		{"no pods", model.Deployment, 0, limit("maxUnavailable", "0"), ""},
		{"strimzi/strimzi-kafka-operator#8369, an integer", model.Custom, 3, limit("minAvailable", "2"), ""},
		{"strimzi/strimzi-kafka-operator#8369", model.Custom, 3, limit("maxUnavailable", "1"),
			"BudgetNotComputable PodDisruptionBudget/default/web: maxUnavailable 1 needs a scale, and StrimziPodSet/default/web has none: no pod of StrimziPodSet/default/web can be evicted"},
		{"a percentage of a custom owner", model.Custom, 3, limit("minAvailable", "10%"),
			"BudgetNotComputable PodDisruptionBudget/default/web: minAvailable 10% needs a scale, and StrimziPodSet/default/web has none: no pod of StrimziPodSet/default/web can be evicted"},
		{"a Job has no scale", model.Job, 3, limit("maxUnavailable", "1"),
			"BudgetNotComputable PodDisruptionBudget/default/web: maxUnavailable 1 needs a scale, and Job/default/web has none: no pod of Job/default/web can be evicted"},
		{"a DaemonSet is not evicted", model.DaemonSet, 0, limit("maxUnavailable", "0"), ""},
		{"nor is a static pod", model.Static, 1, limit("minAvailable", "1"), ""},
	} {
		got := findingLines(preflightCase(t, func(cl *model.Cluster, _ *model.Upgrade) {
			w := aWorkload(c.kind, "web", c.replicas, c.budget)
			if c.kind == model.Custom {
				w.OwnerKind = "StrimziPodSet"
			}
			cl.Workloads = []model.Workload{w}
		}))
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestPreflightBudgets(t *testing.T) {
	deploy := func(name string, replicas int) model.Workload {
		return aWorkload(model.Deployment, name, replicas, nil)
	}
	bare := aWorkload(model.BarePod, "bare", 1, nil)
	for _, c := range []struct {
		name   string
		change func(c *model.Cluster, up *model.Upgrade)
		want   string
	}{
		{"replicas are summed over the workloads selected", func(c *model.Cluster, _ *model.Upgrade) {
			a, b := deploy("a", 1), deploy("b", 1)
			a.Labels, b.Labels = app("web"), app("web")
			c.Workloads = []model.Workload{a, b, deploy("other", 1)}
			c.Budgets = []model.Budget{selecting(limit("minAvailable", "1"), "one", app("web"))}
		}, ""},
		{"and the limit is held against the sum", func(c *model.Cluster, _ *model.Upgrade) {
			a, b := deploy("a", 1), deploy("b", 1)
			a.Labels, b.Labels = app("web"), app("web")
			c.Workloads = []model.Workload{a, b, deploy("other", 1)}
			c.Budgets = []model.Budget{selecting(limit("minAvailable", "2"), "both", app("web"))}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/both: minAvailable 2 wants 2 healthy pods and there are never more than 2: no pod of Deployment/default/a, Deployment/default/b can ever be evicted"},
		{"copies that share labels count each", func(c *model.Cluster, _ *model.Upgrade) {
			w := deploy("web", 1)
			w.Labels, w.Count = app("web"), 5
			c.Workloads = []model.Workload{w}
			c.Budgets = []model.Budget{selecting(limit("minAvailable", "4"), "four", app("web"))}
		}, ""},
		{"a bare pod beside a Deployment is left out of the sum", func(c *model.Cluster, up *model.Upgrade) {
			up.Nodes.Drain.Force = true
			b := bare
			b.Labels = app("web")
			c.Workloads = []model.Workload{deploy("web", 3), b}
			c.Budgets = []model.Budget{selecting(limit("maxUnavailable", "1"), "web", app("web"))}
		}, ""},
		{"bare pods alone have nothing to count by", func(c *model.Cluster, up *model.Upgrade) {
			up.Nodes.Drain.Force = true
			b := bare
			b.Placement = []string{"p-2"}
			c.Workloads = []model.Workload{b}
			c.Budgets = []model.Budget{selecting(limit("maxUnavailable", "1"), "bare", app("bare"))}
		}, "BudgetNotComputable PodDisruptionBudget/default/bare: maxUnavailable 1 needs a scale, and its pods have no controller: no pod of Pod/default/bare on p-2 can be evicted"},
		{"a DaemonSet spoils a percentage", func(c *model.Cluster, _ *model.Upgrade) {
			ds := aWorkload(model.DaemonSet, "agent", 0, nil)
			ds.Labels = app("web")
			c.Workloads = []model.Workload{deploy("web", 3), ds}
			c.Budgets = []model.Budget{selecting(limit("minAvailable", "50%"), "web", app("web"))}
		}, "BudgetNotComputable PodDisruptionBudget/default/web: minAvailable 50% needs a scale, and DaemonSet/default/agent has none: no pod of Deployment/default/web can be evicted"},
		{"pods that never turn Ready", func(c *model.Cluster, _ *model.Upgrade) {
			w := aWorkload(model.Deployment, "web", 3, limit("minAvailable", "2"))
			w.NeverReady = true
			c.Workloads = []model.Workload{w}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 2 wants 2 healthy pods and never more than 0 of the 3 turn Ready: no pod of Deployment/default/web can ever be evicted"},
		{"may go under AlwaysAllow", func(c *model.Cluster, _ *model.Upgrade) {
			w := aWorkload(model.Deployment, "web", 3, limit("minAvailable", "2"))
			w.NeverReady, w.Budget.AlwaysAllow = true, true
			c.Workloads = []model.Workload{w}
		}, ""},
		{"pods that never turn Ready go free while the others are enough", func(c *model.Cluster, _ *model.Upgrade) {
			good, bad := deploy("good", 3), deploy("bad", 1)
			good.Labels, bad.Labels, bad.NeverReady = app("web"), app("web"), true
			c.Workloads = []model.Workload{good, bad}
			c.Budgets = []model.Budget{selecting(limit("minAvailable", "3"), "web", app("web"))}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 3 wants 3 healthy pods and never more than 3 of the 4 turn Ready: no pod of Deployment/default/good can ever be evicted"},
		{"and wait while they are not", func(c *model.Cluster, _ *model.Upgrade) {
			good, bad := deploy("good", 2), deploy("bad", 1)
			good.Labels, bad.Labels, bad.NeverReady = app("web"), app("web"), true
			c.Workloads = []model.Workload{good, bad}
			c.Budgets = []model.Budget{selecting(limit("minAvailable", "3"), "web", app("web"))}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 3 wants 3 healthy pods and never more than 2 of the 3 turn Ready: no pod of Deployment/default/good, Deployment/default/bad can ever be evicted"},
		{"AlwaysAllow does not help pods that are Ready", func(c *model.Cluster, _ *model.Upgrade) {
			w := aWorkload(model.Deployment, "web", 1, limit("minAvailable", "1"))
			w.Budget.AlwaysAllow = true
			c.Workloads = []model.Workload{w}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 1 wants 1 healthy pod and there are never more than 1: no pod of Deployment/default/web can ever be evicted"},
		{"copies with labels of their own are selected one by one", func(c *model.Cluster, _ *model.Upgrade) {
			w := deploy("web", 1)
			w.Count = 3
			c.Workloads = []model.Workload{w}
			c.Budgets = []model.Budget{selecting(limit("minAvailable", "1"), "second", app("web02"))}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/second: minAvailable 1 wants 1 healthy pod and there are never more than 1: no pod of Deployment/default/web02 can ever be evicted"},
		{"one finding for all copies", func(c *model.Cluster, _ *model.Upgrade) {
			w := aWorkload(model.Deployment, "web", 1, limit("minAvailable", "1"))
			w.Count = 12
			c.Workloads = []model.Workload{w}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/web01: minAvailable 1 wants 1 healthy pod and there are never more than 1: no pod of Deployment/default/web01 can ever be evicted; the same holds for its 11 other copies"},
		{"where its pods are", func(c *model.Cluster, _ *model.Upgrade) {
			w := aWorkload(model.Deployment, "web", 5, limit("maxUnavailable", "0"))
			w.Existing = []model.ExistingPod{{Node: "p-3", Ready: true}, {Node: "p-1", Ready: true}, {Node: "p-1", Ready: true}, {Node: "p-2", Ready: true}, {Node: "gone", Ready: true}}
			c.Workloads = []model.Workload{w}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/web: maxUnavailable 0 wants 5 healthy pods and there are never more than 5: no pod of Deployment/default/web on gone, p-1, p-2 and 1 more can ever be evicted"},
		{"pods on nodes that are not drained do not matter", func(c *model.Cluster, _ *model.Upgrade) {
			w := aWorkload(model.Deployment, "web", 2, limit("maxUnavailable", "0"))
			w.Placement = []string{"done", "done-1"}
			c.Workloads = []model.Workload{w}
			c.Nodes = []model.Node{{Name: "done", Ready: true, Kubelet: preflightVersion(t, "v1.34.2")}}
			c.Pools = append(c.Pools, model.NodePool{Name: "done", Count: 1, Kubelet: preflightVersion(t, "v1.34.2")})
			c.ControlPlane.APIServer = []model.Version{preflightVersion(t, "v1.34.2")}
		}, ""},
		{"one pod that has no node yet may come to a node that is", func(c *model.Cluster, _ *model.Upgrade) {
			w := aWorkload(model.Deployment, "web", 2, limit("maxUnavailable", "0"))
			w.Placement = []string{"done"}
			c.Workloads = []model.Workload{w}
			c.Nodes = []model.Node{{Name: "done", Ready: true, Kubelet: preflightVersion(t, "v1.34.2")}}
			c.ControlPlane.APIServer = []model.Version{preflightVersion(t, "v1.34.2")}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/web: maxUnavailable 0 wants 2 healthy pods and there are never more than 2: no pod of Deployment/default/web can ever be evicted"},
		{"only the control plane moves", func(c *model.Cluster, _ *model.Upgrade) {
			c.Workloads = []model.Workload{aWorkload(model.Deployment, "web", 1, limit("minAvailable", "1"))}
			c.ControlPlane.APIServer = []model.Version{preflightVersion(t, "v1.34.1")}
			c.Pools[0].Kubelet = preflightVersion(t, "v1.34.2")
		}, ""},
		{"deleting asks no budget", func(c *model.Cluster, up *model.Upgrade) {
			up.Nodes.Drain.DisableEviction = true
			c.Workloads = []model.Workload{aWorkload(model.Deployment, "web", 1, limit("minAvailable", "1"))}
			c.Budgets = []model.Budget{selecting(limit("maxUnavailable", "0"), "again", app("web"))}
		}, ""},
		{"a pool that lags is not drained", func(c *model.Cluster, up *model.Upgrade) {
			up.Nodes.Lag = []string{"p"}
			c.Workloads = []model.Workload{aWorkload(model.Deployment, "web", 1, limit("minAvailable", "1"))}
		}, ""},
		{"but for one that would be too old", func(c *model.Cluster, up *model.Upgrade) {
			up.Nodes.Lag = []string{"p"}
			c.Pools[0].Kubelet.Minor = 30
			c.Workloads = []model.Workload{aWorkload(model.Deployment, "web", 1, limit("minAvailable", "1"))}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 1 wants 1 healthy pod and there are never more than 1: no pod of Deployment/default/web can ever be evicted"},
		{"unless a stage evicts", func(c *model.Cluster, up *model.Upgrade) {
			up.Nodes.Strategy, up.Nodes.Stages = model.StrategyCustom, []model.Stage{{Procedure: up.Nodes.Procedure}, {Procedure: up.Nodes.Procedure}}
			up.Nodes.Stages[0].Drain.DisableEviction = true
			c.Workloads = []model.Workload{aWorkload(model.Deployment, "web", 1, limit("minAvailable", "1"))}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 1 wants 1 healthy pod and there are never more than 1: no pod of Deployment/default/web can ever be evicted"},
		{"nothing selected", func(c *model.Cluster, _ *model.Upgrade) {
			off := deploy("off", 0)
			far := deploy("far", 2)
			far.Namespace = "far"
			c.Workloads = []model.Workload{off, far}
			null := selecting(limit("maxUnavailable", "0"), "null", nil)
			null.SelectsNothing = true
			c.Budgets = []model.Budget{
				selecting(limit("maxUnavailable", "0"), "typo", app("wbe")),
				selecting(limit("maxUnavailable", "0"), "namespace", app("far")),
				selecting(limit("maxUnavailable", "0"), "off", app("off")), null,
			}
		}, `BudgetMatchesNothing PodDisruptionBudget/default/typo: its selector matches no pod of namespace default
BudgetMatchesNothing PodDisruptionBudget/default/namespace: its selector matches no pod of namespace default
BudgetMatchesNothing PodDisruptionBudget/default/off: it selects only Deployment/default/off, which has no pods
BudgetMatchesNothing PodDisruptionBudget/default/null: its selector is null, which selects no pod`},
		{"an empty selector selects the namespace", func(c *model.Cluster, _ *model.Upgrade) {
			far := deploy("far", 2)
			far.Namespace = "far"
			c.Workloads = []model.Workload{deploy("a", 1), deploy("b", 1), far}
			c.Budgets = []model.Budget{selecting(limit("minAvailable", "2"), "all", nil)}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/all: minAvailable 2 wants 2 healthy pods and there are never more than 2: no pod of Deployment/default/a, Deployment/default/b can ever be evicted"},
		{"expressions", func(c *model.Cluster, _ *model.Upgrade) {
			c.Workloads = []model.Workload{deploy("a", 1), deploy("b", 1), deploy("c", 1)}
			but := selecting(limit("minAvailable", "2"), "but", nil)
			but.Selector.MatchExpressions = []model.Requirement{{Key: "app", Operator: "NotIn", Values: []string{"c"}}}
			in := selecting(limit("maxUnavailable", "1"), "in", nil)
			in.Selector.MatchExpressions = []model.Requirement{{Key: "app", Operator: "In", Values: []string{"c"}}}
			c.Budgets = []model.Budget{but, in}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/but: minAvailable 2 wants 2 healthy pods and there are never more than 2: no pod of Deployment/default/a, Deployment/default/b can ever be evicted"},
		{"two budgets", func(c *model.Cluster, _ *model.Upgrade) {
			ds, off, one := aWorkload(model.DaemonSet, "agent", 0, nil), deploy("off", 0), deploy("one", 2)
			ds.Labels, off.Labels, one.Labels = app("web"), app("web"), app("one")
			c.Workloads = []model.Workload{deploy("web", 3), ds, off, one}
			c.Budgets = []model.Budget{
				selecting(limit("minAvailable", "1"), "x", app("web")), selecting(limit("minAvailable", "1"), "y", app("web")),
				selecting(limit("minAvailable", "1"), "z", app("one")),
			}
		}, "TwoBudgetsOnPod Deployment/default/web: the budgets x, y select its pods: the eviction of a pod with more than one fails"},
		{"an inline budget and one of the cluster", func(c *model.Cluster, _ *model.Upgrade) {
			w := aWorkload(model.Deployment, "web", 3, limit("minAvailable", "1"))
			w.Count = 3
			c.Workloads = []model.Workload{w}
			c.Budgets = []model.Budget{selecting(limit("minAvailable", "1"), "all", nil)}
		}, "TwoBudgetsOnPod Deployment/default/web01: the budgets web01 (its own `podDisruptionBudget`), all select its pods: the eviction of a pod with more than one fails; the same holds for its 2 other copies"},
	} {
		if got := findingLines(preflightCase(t, c.change)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// kubectl's filters, real case kontena/pharos-host-upgrades#26.
func TestPreflightDrainRefused(t *testing.T) {
	all := func(c *model.Cluster) {
		ds := aWorkload(model.DaemonSet, "agent", 0, nil)
		data := aWorkload(model.Deployment, "cache", 2, nil)
		static := aWorkload(model.Static, "etcd", 1, nil)
		custom := aWorkload(model.Custom, "kafka", 3, nil)
		ds.EmptyDir, data.EmptyDir, static.EmptyDir = true, true, true
		data.Placement = []string{"p-3", "p-2"}
		bare := aWorkload(model.BarePod, "tool", 1, nil)
		bare.Placement = []string{"p-2"}
		c.Workloads = []model.Workload{ds, data, static, custom, bare}
	}
	for _, c := range []struct {
		name   string
		change func(c *model.Cluster, up *model.Upgrade)
		want   string
	}{
		{"the defaults", func(c *model.Cluster, _ *model.Upgrade) { all(c) },
			"DrainRefused Node/p-2: kubectl drain will refuse node p-2: default/tool has no controller, and drain.force is false"},
		{"force", func(c *model.Cluster, up *model.Upgrade) { all(c); up.Nodes.Drain.Force = true }, ""},
		{"no option", func(c *model.Cluster, up *model.Upgrade) {
			all(c)
			up.Nodes.Drain.IgnoreDaemonSets, up.Nodes.Drain.DeleteEmptyDirData = false, false
		}, `DrainRefused DaemonSet/default/agent: kubectl drain will refuse the nodes that its pods are on: its pods belong to a DaemonSet, and drain.ignoreDaemonSets is false
DrainRefused Deployment/default/cache: kubectl drain will refuse p-2, p-3: its pods have local data in an emptyDir, and drain.deleteEmptyDirData is false
DrainRefused Node/p-2: kubectl drain will refuse node p-2: default/tool has no controller, and drain.force is false`},
		{"a stage without the option", func(c *model.Cluster, up *model.Upgrade) {
			all(c)
			up.Nodes.Drain.Force = true
			up.Nodes.Strategy, up.Nodes.Stages = model.StrategyCustom, []model.Stage{{Procedure: up.Nodes.Procedure}, {Procedure: model.Procedure{Drain: model.DefaultDrain()}}}
		}, "DrainRefused Node/p-2: kubectl drain will refuse node p-2: default/tool has no controller, and drain.force is false"},
		{"several bare pods", func(c *model.Cluster, _ *model.Upgrade) {
			for i, node := range []string{"p-2", "p-1", "p-2", "p-2", "p-2"} {
				b := aWorkload(model.BarePod, fmt.Sprintf("tool-%d", i), 1, nil)
				b.Existing = []model.ExistingPod{{Name: b.Name, Node: node, Ready: true}}
				c.Workloads = append(c.Workloads, b)
			}
			c.Workloads = append(c.Workloads, aWorkload(model.BarePod, "somewhere", 1, nil))
		}, `DrainRefused Pod/default/somewhere: kubectl drain will refuse the node that it is on: it has no controller, and drain.force is false
DrainRefused Node/p-1: kubectl drain will refuse node p-1: default/tool-1 has no controller, and drain.force is false
DrainRefused Node/p-2: kubectl drain will refuse node p-2: default/tool-0, default/tool-2, default/tool-3 and 1 more have no controller, and drain.force is false`},
		{"a DaemonSet's pods that are all known", func(c *model.Cluster, up *model.Upgrade) {
			up.Nodes.Drain.IgnoreDaemonSets = false
			on := func(name string, nodes ...string) {
				ds := aWorkload(model.DaemonSet, name, 0, nil)
				for _, n := range nodes {
					ds.Existing = append(ds.Existing, model.ExistingPod{Node: n, Ready: true})
				}
				c.Workloads = append(c.Workloads, ds)
			}
			on("old", "p-3", "p-1")
			on("new", "done")
			c.Nodes = []model.Node{{Name: "done", Ready: true, Kubelet: preflightVersion(t, "v1.34.2")}}
			c.ControlPlane.APIServer = []model.Version{preflightVersion(t, "v1.34.2")}
		}, "DrainRefused DaemonSet/default/old: kubectl drain will refuse p-1, p-3: its pods belong to a DaemonSet, and drain.ignoreDaemonSets is false"},
		{"on a node that is not drained", func(c *model.Cluster, _ *model.Upgrade) {
			b := aWorkload(model.BarePod, "tool", 1, nil)
			b.Placement = []string{"done"}
			c.Workloads = []model.Workload{b}
			c.Nodes = []model.Node{{Name: "done", Ready: true, Kubelet: preflightVersion(t, "v1.34.2")}}
			c.ControlPlane.APIServer = []model.Version{preflightVersion(t, "v1.34.2")}
		}, ""},
	} {
		if got := findingLines(preflightCase(t, c.change)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestPreflightVersionsAndNodes(t *testing.T) {
	v := func(s string) model.Version { return preflightVersion(t, s) }
	for _, c := range []struct {
		name   string
		change func(c *model.Cluster, up *model.Upgrade)
		want   string
	}{
		{"nothing to say", func(*model.Cluster, *model.Upgrade) {}, ""},
		{"a minor skipped, said once for three API servers", func(c *model.Cluster, up *model.Upgrade) {
			c.ControlPlane.Replicas = 3
			up.To, up.Path = v("v1.35.1"), []model.Version{v("v1.35.1")}
		}, "MinorSkipped control-plane/v1.35.1: v1.33.4 to v1.35.1 skips 1.34; an API server takes every minor in turn, the next is v1.34.13"},
		{"no path: filled in", func(c *model.Cluster, up *model.Upgrade) { up.To, up.Path = v("v1.35"), nil }, ""},
		{"back", func(c *model.Cluster, up *model.Upgrade) {
			up.To, up.Path = v("v1.32.1"), []model.Version{v("v1.32.1")}
		},
			"ControlPlaneDowngrade control-plane/v1.32.1: v1.33.4 to v1.32.1 goes back to an older minor; etcd's data may already be in a form that v1.32.1 cannot read"},
		{"back for one of two API servers", func(c *model.Cluster, up *model.Upgrade) {
			c.ControlPlane.APIServer = []model.Version{v("v1.34.1"), v("v1.33.4")}
			c.ControlPlane.ControllerManager = []model.Version{v("v1.33.4"), v("v1.33.4")}
			c.ControlPlane.Scheduler = c.ControlPlane.ControllerManager
			up.To, up.Path = v("v1.33.9"), []model.Version{v("v1.33.9")}
		}, "ControlPlaneDowngrade control-plane/v1.33.9: v1.34.1 to v1.33.9 goes back to an older minor; etcd's data may already be in a form that v1.33.9 cannot read"},
		{"nodes past a control plane that stays", func(c *model.Cluster, up *model.Upgrade) { up.ControlPlane.Skip = true },
			"ControlPlaneBehindTarget control-plane/v1.34.2: nodes are to move to v1.34.2, and the API server on cp-1 stays at v1.33.4: a kubelet must not be newer than any API server that it may talk to"},
		{"nodes up to a control plane that stays", func(c *model.Cluster, up *model.Upgrade) {
			up.ControlPlane.Skip = true
			c.ControlPlane.APIServer = []model.Version{v("v1.34.0")}
		}, ""},
		{"skew at the start", func(c *model.Cluster, up *model.Upgrade) { c.Pools[0].Count, c.Pools[0].Kubelet = 1, v("v1.29.1") },
			"KubeletTooOld Node/p-1: kubelet v1.29.1 is 4 minors older than the API server, v1.33.4; at most 3 minors older is allowed\n" +
				"KubeProxyKubeletSkew Node/p-1: kube-proxy v1.33.4 is 4 minors newer than the kubelet beside it, v1.29.1; at most 3 minors apart is allowed"},
		{"nodes that are not in order", func(c *model.Cluster, up *model.Upgrade) {
			c.Nodes = []model.Node{
				{Name: "n10", Kubelet: v("v1.33.4"), Ready: true, Unschedulable: true},
				{Name: "n9", Kubelet: v("v1.33.4")}, {Name: "n8", Kubelet: v("v1.33.4"), Ready: true},
			}
		}, "NodeNotReady Node/n9: node n9 is not Ready before the upgrade begins\nNodeCordonedBefore Node/n10: node n10 is cordoned already; it will stay so"},
		{"all done", func(c *model.Cluster, up *model.Upgrade) { up.To, up.Path = c.Version, []model.Version{c.Version} },
			"NothingToUpgrade cluster/v1.33.4: everything that this upgrade would change is at v1.33.4 or newer already, and nothing is moved back"},
		{"vendors' suffixes do not count", func(c *model.Cluster, up *model.Upgrade) {
			up.To, up.Path = v("v1.33.4"), []model.Version{v("v1.33.4")}
			c.Pools[0].Kubelet = v("v1.33.4+rke2r1")
		}, "NothingToUpgrade cluster/v1.33.4: everything that this upgrade would change is at v1.33.4 or newer already, and nothing is moved back"},
		{"a scheduler is left", func(c *model.Cluster, up *model.Upgrade) {
			up.To, up.Path = c.Version, []model.Version{c.Version}
			c.ControlPlane.Scheduler = []model.Version{v("v1.32.1")}
		}, ""},
		{"which a skipped control plane leaves", func(c *model.Cluster, up *model.Upgrade) {
			up.To, up.Path, up.ControlPlane.Skip = c.Version, []model.Version{c.Version}, true
			c.ControlPlane.Scheduler = []model.Version{v("v1.32.1")}
		}, "NothingToUpgrade cluster/v1.33.4: everything that this upgrade would change is at v1.33.4 or newer already, and nothing is moved back"},
		{"all done, and what would stand in the way", func(c *model.Cluster, up *model.Upgrade) {
			up.To, up.Path = c.Version, []model.Version{c.Version}
			c.Workloads = []model.Workload{aWorkload(model.Deployment, "web", 1, limit("minAvailable", "1"))}
		}, "BudgetNeverAllowsEviction PodDisruptionBudget/default/web: minAvailable 1 wants 1 healthy pod and there are never more than 1: no pod of Deployment/default/web can ever be evicted\n" +
			"NothingToUpgrade cluster/v1.33.4: everything that this upgrade would change is at v1.33.4 or newer already, and nothing is moved back"},
		{"no target at all", func(c *model.Cluster, up *model.Upgrade) { *up = model.Upgrade{Nodes: up.Nodes} }, ""},
	} {
		if got := findingLines(preflightCase(t, c.change)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// With thousands of workloads and budgets nobody may look at every pair: one
// candidate each, even though all share a label.
func TestPreflightManyBudgets(t *testing.T) {
	const n = 2_000
	var cluster *model.Cluster
	list := preflightCase(t, func(c *model.Cluster, _ *model.Upgrade) {
		cluster = c
		c.ControlPlane.Replicas = 3
		for i := range n {
			w := aWorkload(model.Deployment, fmt.Sprintf("w%d", i), 2, nil)
			w.Labels = map[string]string{"app": w.Name, "part-of": "shop"}
			c.Workloads = append(c.Workloads, w)
			b := selecting(limit("maxUnavailable", "1"), w.Name, map[string]string{"app": w.Name, "part-of": "shop"})
			if i%2 == 0 {
				b.Selector.MatchLabels = map[string]string{"part-of": "shop"}
				b.Selector.MatchExpressions = []model.Requirement{{Key: "app", Operator: "In", Values: []string{w.Name}}}
			}
			c.Budgets = append(c.Budgets, b)
		}
		c.Budgets[n/2].MaxUnavailable = limit("maxUnavailable", "0").MaxUnavailable
	})
	if len(list) != 1 || list[0].Subject != "PodDisruptionBudget/default/w1000" {
		t.Errorf("%d findings, want the one of w1000: %.3v", len(list), list)
	}
	p := &preflight{cluster: cluster}
	x := p.index(p.unitList())
	for i := range cluster.Budgets {
		if got := x.candidates(&cluster.Budgets[i]); len(got) != 1 || got[0] != int32(i) {
			t.Fatalf("budget %d has %d candidates, want workload %d alone", i, len(got), i)
		}
	}
}

// A single API server is away while it is upgraded in place or its machine goes first, not where a new one comes first.
func TestPreflightSingleAPIServer(t *testing.T) {
	for _, c := range []struct {
		how  model.ControlPlaneUpgrade
		away bool
	}{
		{model.ControlPlaneUpgrade{}, true},
		{model.ControlPlaneUpgrade{Replace: model.ReplaceMachines, KeepEtcdVolume: true}, true},
		{model.ControlPlaneUpgrade{Replace: model.ReplaceMachines, MaxSurge: 1}, false},
		{model.ControlPlaneUpgrade{Skip: true}, false},
	} {
		away := false
		for _, f := range preflightCase(t, func(cl *model.Cluster, up *model.Upgrade) { cl.ControlPlane.Managed, up.ControlPlane = false, c.how }) {
			away = away || f.Code == model.SingleAPIServer
		}
		if away != c.away {
			t.Errorf("%+v: away is said: %v", c.how, away)
		}
	}
}
