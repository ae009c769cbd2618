package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// What documents say of real systems in numbers, against their presets.

// Times and counts of these tests do not hang on latencies, which are constant and small.
const calm = `
assumptions:
  nodeProvision: 3m
  nodeDelete: 30s
  nodeUpgrade: 5m
  shutdown: 1s
  startup: 2s
`

// pools are node pools of so many nodes each, in so many zones, and a managed control plane that is at the target already.
func pools(zones int, counts ...int) string {
	names := "abcdefgh"
	text := "cluster:\n  version: v1.34.2\n  controlPlane: {managed: true}\n  nodePools:\n"
	for i, n := range counts {
		list := ""
		for z := range zones {
			list += fmt.Sprintf("z%d, ", z)
		}
		text += fmt.Sprintf("  - {name: %c, count: %d, zones: [%s], kubelet: v1.33.4}\n", names[i], n, list)
	}
	return text
}

// nodesBy is the upgrade of the nodes alone, with these keys.
func nodesBy(keys string) string {
	return "upgrade: {to: v1.34.2, controlPlane: skip, nodes: {" + keys + "}}\n" + calm
}

// busy plays a scenario and keeps the greatest numbers that it sees between two events: nodes worked on at once,
// and nodes that take pods (Ready and not cordoned), of which it keeps the least.
type busy struct {
	*Result
	atOnce, leastOpen int
}

func watchBusy(t *testing.T, text string) busy {
	t.Helper()
	sc := scenarioOf(t, text)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	b := busy{leastOpen: math.MaxInt}
	r := w.newRun(Options{Audit: true})
	watchQueue(r, func() {
		now := 0
		for i := range r.rollout.stages {
			if s := &r.rollout.stages[i]; !s.retiring {
				now += s.inFlight
			}
		}
		b.atOnce = max(b.atOnce, now)
		open := 0
		for n := range r.nodes {
			if r.nodes[n].flags&(nodeReady|nodeUnschedulable|nodeRemoved) == nodeReady && !w.nodes[n].cp {
				open++
			}
		}
		b.leastOpen = min(b.leastOpen, open)
	})
	r.begin()
	r.loop()
	b.Result = r.result()
	return b
}

// Percentages and caps of real systems, with the examples of their documents. Two rules of documents cannot be said
// with the keys: upgrade-manager rounds its percentage up (here it is one that rounds to the same), and OpenShift and
// upgrade-manager take 0 for 1 (the loader refuses 0, since no node could ever be upgraded). Where GKE's 20 cut the sum of
// both, no document says which of the two: here the six that go first are kept, and fourteen are new.
func TestPresetRounding(t *testing.T) {
	for _, c := range []struct {
		what          string
		zones, nodes  int
		keys          string
		atOnce, extra int
	}{
		{"AKS, a third of ten", 1, 10, "strategy: aks, maxSurge: 33%", 4, 4},
		{"AKS, a third of two", 1, 2, "strategy: aks, maxSurge: 33%", 1, 1},
		{"AKS, half of one", 1, 1, "strategy: aks, maxSurge: 50%", 1, 1},
		{"AKS, without extra nodes", 1, 5, "strategy: aks, maxSurge: 0, maxUnavailable: 2", 2, 0},
		{"Cluster API, surge", 1, 6, "strategy: cluster-api, maxSurge: 34%", 3, 3},
		{"Cluster API, unavailable", 1, 6, "strategy: cluster-api, maxSurge: 0, maxUnavailable: 34%", 2, 0},
		{"kOps, surge", 1, 7, "strategy: kops, maxSurge: 30%", 3, 3},
		{"kOps, unavailable", 1, 7, "strategy: kops, maxSurge: 0, maxUnavailable: 30%", 2, 0},
		{"kOps, at least one", 1, 2, "strategy: kops, maxSurge: 0, maxUnavailable: 30%", 1, 0},
		{"OpenShift, at least one", 1, 5, "strategy: openshift, maxUnavailable: 10%", 1, 0},
		{"OpenShift, down", 1, 10, "strategy: openshift, maxUnavailable: 25%", 2, 0},
		{"Karpenter, a budget of two less those under way", 1, 19, "strategy: karpenter", 2, 2},
		{"upgrade-manager, at least one", 1, 3, "replace: terminateFirst, maxUnavailable: 10%", 1, 0},
		{"upgrade-manager, no more than the group", 1, 5, "replace: terminateFirst, maxUnavailable: 8", 5, 0},
		{"machine-controller-manager, both would be none", 1, 2, "strategy: gardener, maxSurge: 0, maxUnavailable: 1%", 1, 0},
		{"EKS, five zones", 5, 7, "strategy: eks", 1, 10},
		{"EKS, more at once than two a zone", 3, 24, "strategy: eks, maxUnavailable: 20", 20, 20},
		{"EKS, one node in a group of five zones", 5, 1, "strategy: eks", 1, 10},
		{"EKS, at most 100", 1, 120, "strategy: eks-minimal, maxUnavailable: 100%", 100, 0},
		{"GKE, at most 20", 3, 48, "strategy: gke-surge, maxSurge: 18, maxUnavailable: 6", 20, 14},
		{"GKE, the example of the API", 1, 5, "strategy: gke-surge, maxSurge: 2, maxUnavailable: 1", 3, 2},
		{"kubespray, a fifth, down", 1, 14, "strategy: kubespray", 2, 0},
		{"kubespray, at least one", 1, 3, "strategy: kubespray", 1, 0},
		{"AKS blue-green, a tenth, up", 1, 12, "strategy: aks-blue-green", 2, 12},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := watchBusy(t, pools(c.zones, c.nodes)+nodesBy(c.keys))
			if b.atOnce != c.atOnce || b.Surge.PeakNodes != c.extra || b.Verdict != Safe || b.FinalVersions["v1.34.2"] != c.nodes {
				t.Errorf("%d at once and %d extra nodes, want %d and %d; %s, %v at the end", b.atOnce, b.Surge.PeakNodes, c.atOnce, c.extra, b.Verdict, b.FinalVersions)
			}
		})
	}
}

// The example of GKE's API: five nodes, two new and one away at once, at least four there. And the recorded rollouts
// of Cluster API's own tests: three replicas with a surge of one have at most four machines, six with three new and one away never
// fewer than five available. (There every machine comes and goes at once, so that its peak of 8 is of the ends of
// reconciles; here three come while the first goes, 9, which replicas + maxSurge allow.)
func TestPresetAvailability(t *testing.T) {
	for _, c := range []struct {
		nodes        int
		keys         string
		least, extra int
	}{
		{5, "strategy: gke-surge, maxSurge: 2, maxUnavailable: 1", 4, 2},
		{3, "strategy: cluster-api", 3, 1},
		{3, "strategy: cluster-api, maxSurge: 0, maxUnavailable: 1", 2, 0},
		{6, "strategy: cluster-api, maxSurge: 3, maxUnavailable: 1", 5, 3},
		{6, "strategy: cluster-api, maxSurge: 10", 6, 6},
		{6, "strategy: cluster-api, maxSurge: 1, maxUnavailable: 3", 3, 1},
		{6, "strategy: cluster-api, maxSurge: 0, maxUnavailable: 10", 0, 0},
	} {
		b := watchBusy(t, pools(1, c.nodes)+nodesBy(c.keys))
		if b.leastOpen != c.least || b.Surge.PeakNodes != c.extra {
			t.Errorf("%d nodes, %s: at least %d take pods, with %d extra nodes; want %d, %d", c.nodes, c.keys, b.leastOpen, b.Surge.PeakNodes, c.least, c.extra)
		}
	}
}

// within checks a time in minutes, with a second for each node's calls of kubectl and a little over.
func within(t *testing.T, what string, got Seconds, minutes float64, nodes int) {
	t.Helper()
	if over := float64(got) - minutes*60; over < 0 || over > 10+2*float64(nodes) {
		t.Errorf("%s: %.1f min, by the formula %.1f", what, float64(got)/60, minutes)
	}
}

// OpenShift's own estimate: an hour for the cluster's operators, then as many rounds as the largest pool takes:
// six workers of five minutes are 90 min one by one, and 75 in twos.
func TestOpenShiftEstimate(t *testing.T) {
	for _, c := range []struct {
		pools     []int
		atOnce    int
		estimated float64
	}{
		{[]int{6}, 1, 90}, {[]int{6}, 2, 75}, {[]int{6, 3}, 1, 90}, {[]int{6, 5}, 2, 75}, {[]int{2, 3, 9}, 4, 75}, {[]int{1, 1}, 1, 65}, {[]int{7, 7, 7}, 3, 75},
	} {
		text := pools(3, c.pools...) + fmt.Sprintf("upgrade: {to: v1.34.2, nodes: {strategy: openshift, maxUnavailable: %d}}\n", c.atOnce) +
			calm + "  apiserverRestart: 19m50s\n  componentRestart: 5s\n" // three instances, an hour in all
		r := runOf(t, strings.Replace(text, "version: v1.34.2", "version: v1.33.4", 1), Options{Audit: true})
		nodes := 0
		for _, n := range c.pools {
			nodes += n
		}
		within(t, fmt.Sprintf("pools of %v, %d at once", c.pools, c.atOnce), r.MakespanSeconds, c.estimated, nodes)
	}
}

// jammed is a pool with a pod on each node that its budget never lets go.
func jammed(nodes int) string {
	list := ""
	for i := range nodes {
		list += fmt.Sprintf("a-%d, ", i+1)
	}
	return pools(3, nodes) + fmt.Sprintf("  workloads: [{name: web, replicas: %d, placement: [%s], podDisruptionBudget: {minAvailable: 100%%}}]\n", nodes, list)
}

// With a budget that never allows an eviction each batch of GKE's surge lasts an hour beside its nodes' coming and going,
// after which what is left is deleted: N / parallel hours in all.
func TestGKEWorstCase(t *testing.T) {
	for _, c := range []struct{ nodes, surge int }{{4, 1}, {4, 2}, {6, 3}, {3, 3}, {5, 2}} {
		r := runOf(t, jammed(c.nodes)+nodesBy(fmt.Sprintf("strategy: gke-surge, maxSurge: %d", c.surge)), Options{Audit: true})
		batches := float64((c.nodes + c.surge - 1) / c.surge)
		within(t, fmt.Sprintf("%d nodes, %d at once", c.nodes, c.surge), r.MakespanSeconds, batches*(3+60+0.5), 10*c.nodes)
		if r.FinalVersions["v1.34.2"] != c.nodes || r.Deletions != int64(c.nodes) || r.Verdict != Violated {
			t.Errorf("%d nodes, %d at once: %s, %d deletions, %v", c.nodes, c.surge, r.Verdict, r.Deletions, r.FinalVersions)
		}
	}
}

// The soaks of a blue-green upgrade with drains that take no time: one hour with GKE's defaults, ten times a quarter of an hour and an
// hour more with AKS's, whatever the number of nodes (the soak of the last batch counts: the documents do not say).
func TestBlueGreenSoaks(t *testing.T) {
	for _, c := range []struct {
		name           string
		nodes, batches int
		soaks          float64
	}{
		{"gke-blue-green", 10, 10, 60}, {"gke-blue-green", 3, 3, 60},
		{"aks-blue-green", 10, 10, 210}, {"aks-blue-green", 30, 10, 210}, {"aks-blue-green", 7, 7, 7*15 + 60}, {"aks-blue-green", 25, 9, 9*15 + 60},
	} {
		r := runOf(t, pools(3, c.nodes)+nodesBy("strategy: "+c.name), Options{Audit: true})
		within(t, fmt.Sprintf("%s, %d nodes", c.name, c.nodes), r.MakespanSeconds, 3+c.soaks+0.5, c.nodes)
		if r.Surge.PeakNodes != c.nodes {
			t.Errorf("%s, %d nodes: %d extra nodes", c.name, c.nodes, r.Surge.PeakNodes)
		}
	}
}

// A node of an EKS group takes at least its drain, the 60 s after it and its termination; the new nodes come once before, at the same time.
// As extra nodes stand by, nobody waits for the new one of each but at the end, when the extra ones go, which takes the same for each.
func TestEKSNodeTime(t *testing.T) {
	for _, c := range []struct {
		zones, nodes, atOnce int
		waits                float64 // minutes: with four extra nodes and three that may be away, two of the last three wait until new ones have come
	}{{1, 4, 1, 0}, {3, 6, 1, 0}, {3, 6, 2, 0}, {2, 9, 3, 1.5}} {
		r := runOf(t, pools(c.zones, c.nodes)+nodesBy(fmt.Sprintf("strategy: eks, maxUnavailable: %d", c.atOnce)), Options{Audit: true})
		extra := max(2*c.zones, c.atOnce)
		rounds := func(n int) float64 { return float64((n + c.atOnce - 1) / c.atOnce) }
		least := 3 + rounds(c.nodes)*(1+0.5)
		if got := float64(r.MakespanSeconds) / 60; got < least || r.Surge.PeakNodes != extra || r.Verdict != Safe {
			t.Errorf("%d nodes in %d zones: %.1f min, at least %.1f; %d extra nodes, want %d; %s", c.nodes, c.zones, got, least, r.Surge.PeakNodes, extra, r.Verdict)
		}
		within(t, fmt.Sprintf("%d nodes in %d zones, %d at once", c.nodes, c.zones, c.atOnce), r.MakespanSeconds, least+3+rounds(extra)*(1+0.5)+c.waits, c.nodes+extra)
	}
}

// What each system does when a budget never lets a pod go: how long it tries on the first node, what follows, and how many nodes get there.
func TestPresetsWhenStuck(t *testing.T) {
	const never = time.Duration(-1)
	for _, c := range []struct {
		name    string
		verdict Verdict
		limit   time.Duration // of the first drain
		after   int           // nodes at the target at the end, of four
		deleted int64
	}{
		{"kubeadm", Stuck, never, 0, 0},
		{"gke-surge", Violated, time.Hour, 4, 4},
		{"gke-blue-green", Violated, time.Hour, 4, 4},
		{"eks", Violated, 15 * time.Minute, 0, 0},
		{"eks-minimal", Violated, 15 * time.Minute, 0, 0},
		{"aks", Violated, 30 * time.Minute, 0, 0},
		{"aks-blue-green", Violated, 30 * time.Minute, 0, 0},
		{"cluster-api", Stuck, never, 0, 0},
		{"karpenter", Stuck, never, 0, 0},
		{"kops", Violated, 15 * time.Minute, 0, 0},
		{"openshift", Stuck, never, 0, 0},
		{"system-upgrade-controller", Violated, 10 * time.Minute, 0, 0},
		{"kubespray", Violated, 3 * 6 * time.Minute, 0, 0},
		{"gardener", Violated, 2 * time.Hour, 4, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runOf(t, jammed(4)+nodesBy("strategy: "+c.name), Options{Audit: true})
			if r.Verdict != c.verdict || r.Deletions != c.deleted {
				t.Errorf("%s with %d deletions, want %s with %d; %+v", r.Verdict, r.Deletions, c.verdict, c.deleted, r.Reasons)
			}
			upgraded, longest := 0, 0.0
			for _, n := range r.Nodes {
				longest = max(longest, float64(n.DrainSeconds))
				if !strings.HasSuffix(n.Name, "-new") && n.DrainResult == "drained" {
					upgraded++
				}
			}
			if upgraded != c.after && c.deleted == 0 {
				t.Errorf("%d nodes were drained, want %d", upgraded, c.after)
			}
			if c.name == "kubespray" {
				within(t, "three tries with ten seconds between", r.MakespanSeconds, 3*6+2./6, 5)
			}
			if over := longest - c.limit.Seconds(); c.limit != never && (over < 0 || over > 30) {
				t.Errorf("the longest drain took %.0f s, want %.0f", longest, c.limit.Seconds())
			}
		})
	}
}

// When the API servers are away for ten minutes in the middle of a drain, kubectl gives up and so does whoever runs it; a
// controller goes on once they answer.
func TestPresetsInAnOutage(t *testing.T) {
	for name, gives := range map[string]bool{
		"kubeadm": true, "kubespray": true, "kops": true, "system-upgrade-controller": true,
		"gke-surge": false, "gke-blue-green": false, "eks": false, "aks": false, "cluster-api": false, "karpenter": false, "openshift": false, "gardener": false,
	} {
		text := pools(1, 2) + "  workloads: [{name: web, replicas: 2, placement: [a-1, a-2], shutdown: 8m, terminationGracePeriodSeconds: 600}]\n" +
			nodesBy("strategy: "+name) + "faults: [{kind: apiServerOutage, at: 4m, for: 10m}]\n"
		r := runOf(t, text, Options{Audit: true})
		if all := r.FinalVersions["v1.34.2"] == 2; all == gives {
			t.Errorf("%s: %s, %v at the end; %+v", name, r.Verdict, r.FinalVersions, r.Reasons)
		}
	}
}
