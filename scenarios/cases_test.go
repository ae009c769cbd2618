package scenarios_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"upsim/model"
	"upsim/scenarios"
	"upsim/sim"
)

// figure is a number that a case tells, and how far a run may be from it.
type figure struct {
	what         string
	want, within float64
	get          func(*sim.Result) float64
}

// realCase is what one real incident must look like in a run of a scenario of
// the library, or the reason why no scenario can tell it.
type realCase struct {
	id string
	// scenario is the document's name, strategy that of an upgrade in it; empty where there is one.
	scenario, strategy string
	verdict            sim.Verdict
	// reasons are codes that must be among those of the run, beforehand among what is known without simulating.
	reasons, beforehand []model.Code
	figures             []figure
	// not says why the case, or what is missing of it, cannot be expressed.
	not string
}

func codes(list ...model.Code) []model.Code { return list }

// An incident is named after the report that tells it first; more links stand in the scenarios.
var realCases = []realCase{
	{id: "kubernetes/kubernetes#66811", scenario: "budget-one-of-one", verdict: sim.Stuck, reasons: codes(model.DrainNeverEnds), beforehand: codes(model.BudgetNeverAllows),
		figures: []figure{{"evictions", 0, 0, evictions}, {"nodes upgraded", 0, 0, upgraded}}},

	// Two false alarms: the drain goes through, the pod is down for its move.
	{id: "projectcalico/calico#4211", scenario: "budget-one-may-go", verdict: sim.Safe, reasons: codes(model.SingleReplicaDown),
		figures: []figure{{"refused", 0, 0, refused}, {"down for a start of 10 s", 10, 0.5, zero("cni-controller")}}},

	{id: "istio/istio#12602", scenario: "autoscaler-floor-of-one", verdict: sim.Violated, reasons: codes(model.DrainTimedOut, model.UpgradeIncomplete, model.NodeLeftCordoned),
		beforehand: codes(model.BudgetNeverAllows), figures: []figure{{"drain", 600, 5, drainOf("worker-1")}, {"nodes upgraded", 0, 0, upgraded}}},
	{id: "istio/istio#12602", scenario: "autoscaler-floor-busy-hour", verdict: sim.Safe, figures: []figure{{"downtime", 0, 0, zero("mesh-gateway")}}},
	{id: "istio/istio#12602", scenario: "autoscaler-floor-below-budget", verdict: sim.Violated, reasons: codes(model.DrainTimedOut), beforehand: codes(model.BudgetNeverAllows),
		not: "an autoscaler that changes the replicas during the run: each number of replicas is a scenario of its own"},

	{id: "strimzi/strimzi-kafka-operator#8369", scenario: "custom-owner-max-unavailable", verdict: sim.Stuck, reasons: codes(model.DrainNeverEnds), beforehand: codes(model.BudgetNotComputable)},
	{id: "strimzi/strimzi-kafka-operator#8369", scenario: "custom-owner-min-available", verdict: sim.Safe, figures: []figure{{"least ready", 2, 0, minReady("kafka")}}},
	{id: "strimzi/strimzi-kafka-operator#8369", scenario: "custom-owner-blocked-by-design", verdict: sim.Stuck, reasons: codes(model.DrainNeverEnds), beforehand: codes(model.BudgetNeverAllows)},

	{id: "Azure/AKS#2508", scenario: "slow-starters-20m", verdict: sim.Violated, reasons: codes(model.DrainTimedOut, model.UpgradeIncomplete), figures: []figure{{"old nodes left", 1, 0, func(r *sim.Result) float64 { return float64(r.FinalVersions["v1.33.4"]) }}}},
	{id: "Azure/AKS#2508", scenario: "slow-starters-30m", verdict: sim.Safe},

	{id: "kontena/pharos-host-upgrades#26", scenario: "drain-flags-no-delete", verdict: sim.Violated, reasons: codes(model.DrainRefused, model.NodeLeftCordoned), beforehand: codes(model.DrainRefused),
		figures: []figure{{"evictions", 0, 0, evictions}, {"drain", 0, 0.2, drainOf("worker-1")}}},
	{id: "kontena/pharos-host-upgrades#26", scenario: "drain-flags-no-force", verdict: sim.Violated, reasons: codes(model.DrainRefused, model.NodeLeftCordoned), beforehand: codes(model.DrainRefused),
		figures: []figure{{"evictions", 0, 0, evictions}}},
	{id: "kontena/pharos-host-upgrades#26", scenario: "drain-flags-no-ignore", verdict: sim.Violated, reasons: codes(model.DrainRefused, model.NodeLeftCordoned), beforehand: codes(model.DrainRefused),
		figures: []figure{{"evictions", 0, 0, evictions}}},
	{id: "kontena/pharos-host-upgrades#26", scenario: "drain-flags-all", verdict: sim.Safe, reasons: codes(model.LocalDataLost, model.BarePodLost),
		figures: []figure{{"drain", 61, 0.5, drainOf("worker-1")}}},

	{id: "kubereboot/kured#955", scenario: "forgotten-cordon", verdict: sim.Safe, reasons: codes(model.NodeCordonedBefore, model.PodsPending), beforehand: codes(model.NodeCordonedBefore)},

	{id: "kubereboot/kured#955", scenario: "forgotten-uncordon-three", verdict: sim.Safe, reasons: codes(model.NodeLeftCordoned, model.PodsPending, model.ReplicasMissing),
		figures: []figure{{"the next drain no longer fits", 27*60 + 47, 2, firstBroken(model.PodsPending)}, {"pods without a node", 3, 0, finalPending}, {"pending", 5 * 303, 5, pending("web")}}},
	{id: "kubereboot/kured#955", scenario: "forgotten-uncordon-by-chance", verdict: sim.Safe, reasons: codes(model.NodeLeftCordoned)},

	{id: "kubernetes-sigs/kubespray#7137", scenario: "drain-ignored-delete", verdict: sim.Violated, reasons: codes(model.NeverBack)},
	{id: "kubernetes-sigs/kubespray#7137", scenario: "drain-ignored-stop", verdict: sim.Violated, reasons: codes(model.DrainTimedOut)},

	// The node fails at 30 s and is missed at 80 s, up to 10 s earlier or 5 s later; its pods are deleted 300 s after that.
	{id: "kubernetes/kubernetes#54368", scenario: "node-fails", verdict: sim.Violated, reasons: codes(model.NeverBack, model.PodStuckTerminating, model.SingleReplicaDown),
		figures: []figure{{"the Deployment short of a pod: for 300 s and a start, and a start at each of two drains", 300 + 3*10, 1, below("web")},
			{"the StatefulSet's pod away, to the end", 25*60 + 8 - 80, 12, zero("db")}}},
	{id: "kubernetes/kubernetes#54368", scenario: "node-does-not-return", verdict: sim.Stuck, reasons: codes(model.NodeNeverReturned)},
	{id: "kubernetes/kubernetes#54368", scenario: "node-fails", verdict: sim.Violated, reasons: codes(model.NeverBack, model.PodStuckTerminating), figures: []figure{
		{"one replica of two for 300 s and a start, and for two moves", 300 + 10 + 2*10, 1, below("web")},
		{"an outage from 80 s on to the end", 25*60 + 8 - 80, 12, zero("db")}}},

	{id: "kubernetes/kubernetes#90669", scenario: "host-port-two-of-three", verdict: sim.Safe, reasons: codes(model.PodsPending), figures: []figure{{"least ready", 2, 0, minReady("ingress")}}},
	{id: "kubernetes/kubernetes#90669", scenario: "host-port-three-of-three", verdict: sim.Stuck, reasons: codes(model.DrainNeverEnds), beforehand: codes(model.BudgetNeverAllows)},

	// Lost for good, and so nothing can happen any more: stuck goes before violated.
	{id: "k0sproject/k0smotron#1481", scenario: "etcd-learner-not-awaited", verdict: sim.Stuck, reasons: codes(model.EtcdQuorumLost)},
	{id: "k0sproject/k0smotron#1481", scenario: "etcd-learner-awaited", verdict: sim.Safe, figures: []figure{{"time without a quorum", 0, 0, etcdOutage}}},

	{id: "kubernetes/kops#284", scenario: "masters-at-once", verdict: sim.Violated, reasons: codes(model.EtcdQuorumLost)},
	{id: "kubernetes/kops#284", scenario: "masters-one-by-one", verdict: sim.Safe},
	{id: "kubernetes/kops#284", scenario: "all-at-once", verdict: sim.Violated, reasons: codes(model.NoReadyReplica),
		figures: []figure{{"outage of every workload", 300, 5, zero("web")}, {"outage of every workload", 300, 5, zero("api")}}},

	// How long the pause must be: TestPauseUntilInSync.
	{id: "strimzi/strimzi-kafka-operator#3749", scenario: "ready-before-in-sync-no-pause", verdict: sim.Violated, reasons: codes(model.WorkloadNotInSync),
		figures: []figure{{"below the budget", 0, 0, belowFloor("kafka")},
			{"partitions that take no writes", 5 * 88.6, 5, broken(model.WorkloadNotInSync, "StatefulSet/default/kafka")}}},
	{id: "strimzi/strimzi-kafka-operator#3749", scenario: "ready-before-in-sync-pause", verdict: sim.Safe},

	{id: "cloudnative-pg/cloudnative-pg#10103", not: "an operator that promotes a replica on cordon, so that a budget selects no pod for a minute: labels of pods do not change during a run"},

	{id: "kubernetes/kubernetes#106127", scenario: "spread-cordoned-zone-ignore", verdict: sim.Safe, reasons: codes(model.PodsPending), figures: []figure{{"pods without a node", 4, 0, finalPending}}},
	{id: "kubernetes/kubernetes#106127", scenario: "spread-cordoned-zone-honor", verdict: sim.Safe, figures: []figure{{"pods without a node", 0, 0, finalPending}}},

	{id: "redpanda-data/redpanda#10409", scenario: "local-disks-in-place", verdict: sim.Safe, reasons: codes(model.PodsPending),
		figures: []figure{{"least ready", 2, 0, minReady("broker")}, {"waiting for its node, for each of three", 3 * 300, 10, pending("broker")}}},
	{id: "redpanda-data/redpanda#10409", scenario: "local-disks-replaced", strategy: "surge", verdict: sim.Aborted, reasons: codes(model.LocalVolumeLost), beforehand: codes(model.LocalVolumeLost)},
	{id: "redpanda-data/redpanda#10409", scenario: "local-disks-replaced", strategy: "blue-green", verdict: sim.Aborted, reasons: codes(model.LocalVolumeLost), beforehand: codes(model.LocalVolumeLost)},

	{id: "kubernetes/kubernetes#65013", not: "which nodes are members of a load balancer's pool is not modelled: a pod that is Ready on a cordoned node counts as reachable"},

	// The moves themselves: TestMovesPerPod.
	{id: "kubernetes-sigs/descheduler#650", scenario: "moved-more-than-once-by-lot", strategy: "in-place", verdict: sim.Safe, reasons: codes(model.PodMovedMoreThanOnce)},
	{id: "kubernetes-sigs/descheduler#650", scenario: "moved-more-than-once-by-lot", strategy: "surge-soft-taint", verdict: sim.Safe, figures: []figure{{"evictions", 100, 0, evictions}}},
	{id: "kubernetes-sigs/descheduler#650", scenario: "moved-more-than-once-by-lot", strategy: "blue-green", verdict: sim.Safe, figures: []figure{{"evictions", 100, 0, evictions}}},
	{id: "kubernetes-sigs/descheduler#650", scenario: "moved-more-than-once-least-loaded", strategy: "aks", verdict: sim.Safe, reasons: codes(model.PodMovedMoreThanOnce)},

	{id: "hitachienergy/epiphany#1778", scenario: "small-workers-three", verdict: sim.Safe, reasons: codes(model.PodsPending), beforehand: codes(model.NoRoomForEvictedPods),
		figures: []figure{{"pending", 3 * 303, 3, pending("app")}}},
	{id: "hitachienergy/epiphany#1778", scenario: "small-workers-four", verdict: sim.Safe, figures: []figure{{"pending", 0, 0.1, pending("app")}}},
	// With a budget the pods that wait hold the drain up for ever; a node more, for a time, helps as well.
	{id: "hitachienergy/epiphany#1778", scenario: "surge-full-cluster-in-place", verdict: sim.Stuck, reasons: codes(model.DrainNeverEnds, model.PodsPending), beforehand: codes(model.NoRoomForEvictedPods)},
	{id: "hitachienergy/epiphany#1778", scenario: "surge-full-cluster-surge", verdict: sim.Safe},

	{id: "aws/containers-roadmap#1560", scenario: "eks-node-groups", verdict: sim.Safe, figures: []figure{{"nodes at the most", 12, 0, func(r *sim.Result) float64 { return 2 + extraNodes(r) }},
		{"makespan of 28 to 30 min, a fifth more or less", 29 * 60, 29*60*0.2 + 60, makespan}}},

	{id: "kubernetes/kubernetes#127316", scenario: "control-plane-kubelet-load-balancer", verdict: sim.Violated, reasons: codes(model.KubeletNewerThanServer)},
	{id: "kubernetes/kubernetes#127316", scenario: "control-plane-kubelet-local", verdict: sim.Safe},

	{id: "kubernetes/kubeadm#2389", scenario: "kubeadm-kubelet-lag-policy", verdict: sim.Safe},
	{id: "kubernetes/kubeadm#2389", scenario: "kubeadm-kubelet-lag-force", verdict: sim.Safe, reasons: codes(model.KubeadmNeedsForce), beforehand: codes(model.KubeadmNeedsForce)},
	{id: "kubernetes/kubeadm#2389", scenario: "kubeadm-kubelet-lag-three", verdict: sim.Safe},
	{id: "kubernetes/kubeadm#2389", scenario: "kubeadm-kubelet-lag-newer", verdict: sim.Safe},
	{id: "kubernetes/kubeadm#2389", scenario: "kubeadm-kubelet-lag-lost", verdict: sim.Violated, reasons: codes(model.KubeletTooOld), beforehand: codes(model.KubeletTooOld)},
	{id: "kubernetes/kubeadm#2389", scenario: "minor-skipped", verdict: sim.Aborted, reasons: codes(model.MinorSkipped), beforehand: codes(model.MinorSkipped)},
	{id: "kubernetes/kubeadm#2389", scenario: "control-plane-downgrade", verdict: sim.Aborted, reasons: codes(model.ControlPlaneDowngrade), beforehand: codes(model.ControlPlaneDowngrade)},

	{id: "awsdocs/amazon-eks-user-guide#922", scenario: "kube-proxy-left-behind-four-minors", verdict: sim.Violated, reasons: codes(model.KubeProxyTooOld), beforehand: codes(model.KubeProxyTooOld)},
	{id: "awsdocs/amazon-eks-user-guide#922", scenario: "kube-proxy-left-behind-three-minors", verdict: sim.Safe, beforehand: codes(model.SkewAtLimit)},
	{id: "awsdocs/amazon-eks-user-guide#922", scenario: "kube-proxy-left-behind-next-minor", verdict: sim.Violated, reasons: codes(model.KubeProxyTooOld), beforehand: codes(model.SkewAtLimit)},
	{id: "awsdocs/amazon-eks-user-guide#922", scenario: "kube-proxy-left-behind-newer-than-kubelet", verdict: sim.Safe},

	{id: "kubernetes/kops#16458", scenario: "single-control-plane", verdict: sim.Safe, reasons: codes(model.APIServerUnreachable), figures: []figure{{"etcd away", 20, 1, etcdOutage}}},
	{id: "kubernetes/kops#16458", scenario: "api-server-out-stops", verdict: sim.Violated, reasons: codes(model.APIServerUnreachable, model.DrainFailed, model.NodeLeftCordoned), figures: []figure{{"nodes upgraded", 1, 0, upgraded}}},
	{id: "kubernetes/kops#16458", scenario: "api-server-out-skips", verdict: sim.Violated, reasons: codes(model.APIServerUnreachable, model.DrainFailed), figures: []figure{{"nodes upgraded", 1, 0, upgraded},
		{"a call for each node that is left, under a second", 5*60 + 30.2, 0.2, makespan}}},
	{id: "kubernetes/kops#16458", scenario: "api-server-out-waits", verdict: sim.Safe, reasons: codes(model.APIServerUnreachable), figures: []figure{{"nodes upgraded", 4, 0, upgraded}, {"API server away", 300, 0.1, apiOutage}}},
	{id: "kubernetes/kops#16458", scenario: "api-server-out-stops", verdict: sim.Violated, reasons: codes(model.APIServerUnreachable)},
	{id: "kubernetes/kops#16458", scenario: "api-server-out-waits", verdict: sim.Safe, reasons: codes(model.APIServerUnreachable), figures: []figure{{"API away", 300, 1, apiOutage}}},
	{id: "kubernetes/kops#16458", not: "admission and eviction webhooks and aggregated APIs: what they refuse or break is the cluster's own code"},
}

// drainOf is how long the drain of a node took, or had taken when it failed.
func drainOf(node string) func(*sim.Result) float64 {
	return func(r *sim.Result) float64 {
		for _, n := range r.Nodes {
			if n.Name == node {
				return float64(n.DrainSeconds)
			}
		}
		return math.NaN()
	}
}

// belowFloor is the time with fewer ready replicas than the budget wants.
func belowFloor(name string) func(*sim.Result) float64 {
	return workload(name, func(w sim.WorkloadResult) sim.Seconds { return w.SecondsBelowFloor })
}

func minReady(name string) func(*sim.Result) float64 {
	return func(r *sim.Result) float64 {
		for _, w := range r.Workloads {
			if w.Name == name {
				return float64(w.MinReady)
			}
		}
		return math.NaN()
	}
}

// firstBroken is when a rule was first broken.
func firstBroken(code model.Code) func(*sim.Result) float64 {
	return func(r *sim.Result) float64 {
		first := math.NaN()
		for _, v := range r.Violations {
			if at := float64(v.StartSeconds); v.Code == code && !(first <= at) {
				first = at
			}
		}
		return first
	}
}

// scenarioNamed finds a document of the library by its name.
func scenarioNamed(t *testing.T, name string) *model.Scenario {
	t.Helper()
	for _, e := range scenarios.Library() {
		for _, sc := range load(t, e) {
			if sc.Name == name {
				return sc
			}
		}
	}
	t.Fatalf("there is no scenario %s", name)
	return nil
}

func upgradeNamed(t *testing.T, sc *model.Scenario, name string) model.NamedUpgrade {
	t.Helper()
	ups := sc.Upgrades()
	if name == "" && len(ups) == 1 {
		return ups[0]
	}
	for _, up := range ups {
		if up.Name == name {
			return up
		}
	}
	t.Fatalf("%s has no strategy %q", sc.Name, name)
	return model.NamedUpgrade{}
}

// Every real case has the verdict, the reasons and the figures that were told of it, or a reason why not.
func TestRealCases(t *testing.T) {
	told := map[string]bool{}
	for _, c := range realCases {
		told[c.id] = true
		if c.scenario == "" {
			if c.not == "" {
				t.Errorf("%s has neither a scenario nor a reason", c.id)
			}
			continue
		}
		t.Run(c.id+"/"+c.scenario+"/"+c.strategy, func(t *testing.T) {
			sc := scenarioNamed(t, c.scenario)
			up := upgradeNamed(t, sc, c.strategy)
			known, err := sim.Preflight(sc, up)
			if err != nil {
				t.Fatal(err)
			}
			r := run(t, sc, up, sim.Options{})
			if r.Verdict != c.verdict {
				t.Errorf("the verdict is %s, want %s; reasons:\n%s", r.Verdict, c.verdict, reasons(r))
			}
			has := func(list []model.Finding, code model.Code) bool {
				return slices.ContainsFunc(list, func(f model.Finding) bool { return f.Code == code })
			}
			for _, code := range c.reasons {
				if !has(r.Reasons, code) {
					t.Errorf("%s is not among the reasons:\n%s", code, reasons(r))
				}
			}
			for _, code := range c.beforehand {
				if !has(known, code) {
					t.Errorf("%s is not known beforehand: %v", code, known)
				}
			}
			for _, f := range c.figures {
				if got := f.get(r); !(math.Abs(got-f.want) <= f.within) {
					t.Errorf("%s: %g, told %g within %g", f.what, got, f.want, f.within)
				}
			}
		})
	}
	for _, id := range strings.Fields(reported) {
		if !told[id] {
			t.Errorf("%s is not accounted for", id)
		}
	}
}

// reported are the incidents that were collected: each must have a row, if only with the reason why it cannot be told.
const reported = `
kubernetes/kubernetes#66811 projectcalico/calico#4211 istio/istio#12602 strimzi/strimzi-kafka-operator#8369 Azure/AKS#2508
kontena/pharos-host-upgrades#26 kubereboot/kured#955 kubernetes-sigs/kubespray#7137 kubernetes/kubernetes#54368 kubernetes/kubernetes#90669
k0sproject/k0smotron#1481 kubernetes/kops#284 strimzi/strimzi-kafka-operator#3749 cloudnative-pg/cloudnative-pg#10103
kubernetes/kubernetes#106127 redpanda-data/redpanda#10409 kubernetes/kubernetes#65013 kubernetes-sigs/descheduler#650
hitachienergy/epiphany#1778 aws/containers-roadmap#1560 kubernetes/kubernetes#127316 kubernetes/kubeadm#2389
awsdocs/amazon-eks-user-guide#922 kubernetes/kops#16458`

// Three workers beside a tainted control plane and seven replicas that must not
// differ by more than one: counted as empty, the control plane's zone leaves one
// pod for each worker; not counted, the workers have two, two and three. How
// many a worker has, the drain of that worker alone tells.
func TestSpreadCounts(t *testing.T) {
	for name, want := range map[string][]int64{"spread-cordoned-zone-ignore": {1, 1, 1}, "spread-cordoned-zone-honor": {2, 2, 3}} {
		var got []int64
		for i := 1; i <= 3; i++ {
			sc := scenarioNamed(t, name)
			sc.Upgrade.Nodes.Order, sc.Upgrade.Nodes.Limit = []string{fmt.Sprintf("worker-%d", i)}, 1
			got = append(got, run(t, sc, sc.Upgrades()[0], sim.Options{}).Evictions)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the workers have %v pods, want %v", name, got, want)
		}
	}
}

// Two or three of ten nodes kept their cordon. With 30 % for each, 200 runs have
// 3 nodes in the mean, with a standard error of 0.1.
func TestShareOfForgottenNodes(t *testing.T) {
	sc := scenarioNamed(t, "forgotten-uncordon-by-chance")
	w, err := sim.Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for seed := uint64(1); seed <= 200; seed++ {
		for _, f := range w.Run(sim.Options{Seed: seed}).Reasons {
			if f.Code == model.NodeLeftCordoned {
				sum++
			}
		}
	}
	if mean := float64(sum) / 200; math.Abs(mean-3) > 0.3 {
		t.Errorf("%.2f of ten nodes stay cordoned, want 3", mean)
	} else {
		t.Logf("%.2f of ten nodes stay cordoned", mean)
	}
}

// The least pause between nodes is what a member needs to be in sync, 392 s from
// its eviction, without the 303.4 s that its node takes: 88.6 s.
func TestPauseUntilInSync(t *testing.T) {
	for pause, want := range map[time.Duration]sim.Verdict{0: sim.Violated, 85 * time.Second: sim.Violated, 92 * time.Second: sim.Safe, 6 * time.Minute: sim.Safe} {
		sc := scenarioNamed(t, "ready-before-in-sync-no-pause")
		sc.Upgrade.Nodes.SoakPerNode = pause
		if got := run(t, sc, sc.Upgrades()[0], sim.Options{}).Verdict; got != want {
			t.Errorf("with a pause of %s after each node the verdict is %s, want %s", pause, got, want)
		}
	}
}

// How often a pod moves when n nodes are upgraded one after another has closed
// forms. By lot, each drained pod falls on any other node: (n-1)/n ((n/(n-1))^n - 1)
// in place, (1+1/n)^n - 1 with a new node first. Where the least loaded node is
// taken, or old ones are avoided, only the first node's pods move twice: 1 + 1/n.
// With new nodes for all, each pod moves once. The mean of 60 runs of 100 pods has
// a standard error of less than 0.015.
func TestMovesPerPod(t *testing.T) {
	once := func(float64) float64 { return 1 }
	firstTwice := func(n float64) float64 { return 1 + 1/n }
	inPlace := func(n float64) float64 { return (n - 1) / n * (math.Pow(n/(n-1), n) - 1) }
	newFirst := func(n float64) float64 { return math.Pow(1+1/n, n) - 1 }
	const lot, least = "moved-more-than-once-by-lot", "moved-more-than-once-least-loaded"
	for _, c := range []struct {
		scenario, strategy string
		nodes              int
		moves              func(n float64) float64
	}{
		{lot, "in-place", 2, inPlace},  // 1.50
		{lot, "in-place", 3, inPlace},  // 1.58
		{lot, "in-place", 10, inPlace}, // 1.68
		{lot, "in-place-soft-taint", 3, firstTwice},
		{lot, "in-place-soft-taint", 10, firstTwice},
		{lot, "surge", 3, newFirst},
		{lot, "surge", 10, newFirst}, // 1.59
		{lot, "surge-soft-taint", 10, once},
		{lot, "blue-green", 10, once},
		{least, "in-place", 10, firstTwice},
		{least, "surge", 10, once},
		{least, "aks", 10, firstTwice}, // the extra node is drained at the end
	} {
		t.Run(fmt.Sprintf("%s/%s/%d", c.scenario, c.strategy, c.nodes), func(t *testing.T) {
			sc := scenarioNamed(t, c.scenario)
			sc.Cluster.Pools[0].Count = c.nodes
			up := upgradeNamed(t, sc, c.strategy)
			runs, pods := 60, 100
			if testing.Short() {
				runs = 10
			}
			sum := int64(0)
			for seed := 1; seed <= runs; seed++ {
				sc.Seed = uint64(seed) // of where the pods are at the start as well
				sum += run(t, sc, up, sim.Options{}).Evictions
			}
			got, want := float64(sum)/float64(runs*pods), c.moves(float64(c.nodes))
			if within := 0.03 * math.Sqrt(60/float64(runs)); math.Abs(got-want) > within {
				t.Errorf("%.3f moves per pod in the mean of %d runs, by hand %.3f", got, runs, want)
			} else {
				t.Logf("%.3f moves per pod, by hand %.3f", got, want)
			}
		})
	}
}
