package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"upsim/model"
)

// TestExtraNodes works out the extra nodes of the stories surge and surge-percent-rounds-up by hand: each
// costs from when it is asked for, since clouds bill its start, until its old node is removed.
func TestExtraNodes(t *testing.T) {
	const alone = 30 + 0.020 + 0.200 + 0.110 + 0.006 + 5 // provisioning, joining, cordon, drain of an empty node, removal
	for _, c := range []struct {
		nodes, surge string
		peak         int
		seconds      float64
	}{
		{"1", "1", 1, alone}, {"3", "1", 1, 3 * alone}, {"3", "40%", 2, 3 * alone}, {"3", "3", 3, 3 * alone}, {"5", "2", 2, 5 * alone},
	} {
		r := runOf(t, fmt.Sprintf(`
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: %s, kubelet: v1.33.4}]
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {strategy: surge, maxSurge: %s}}
assumptions:
  nodeProvision: 30s
  nodeDelete: 5s
`, c.nodes, c.surge), Options{Audit: true})
		if r.Surge.PeakNodes != c.peak || math.Abs(float64(r.Surge.NodeHours)*3600-c.seconds) > 0.001 {
			t.Errorf("%s nodes, maxSurge %s: at most %d extra nodes for %.3f s in all; by hand %d for %.3f s", c.nodes, c.surge, r.Surge.PeakNodes, float64(r.Surge.NodeHours)*3600, c.peak, c.seconds)
		}
	}
}

// TestObjectives meets each objective to the millisecond and misses it by one. The figures are those of the stories.
func TestObjectives(t *testing.T) {
	const one = `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes: [{name: n1, kubelet: v1.33.4}, {name: n2}]
  workloads:
  - {name: web, replicas: 1, placement: [n1]}
upgrade: {to: v1.34.2, controlPlane: skip}
`
	two := strings.Replace(one, "replicas: 1, placement: [n1]", "replicas: 2, placement: [n1, n2]", 1)
	ports := strings.Replace(two, "replicas: 2", "hostPorts: [80], replicas: 2", 1)
	const controlPlane = `
cluster:
  version: v1.33.4
  controlPlane: {replicas: 1}
  nodes: [{name: n1}]
upgrade: {to: v1.34.2}
`
	const surge = `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 3, kubelet: v1.33.4}]
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {strategy: surge, maxSurge: 2}}
`
	for _, c := range []struct {
		cluster, met, missed, subject string
	}{
		{one, "maxDowntime: 10030ms", "maxDowntime: 10029ms", "Deployment/default/web"}, // terminating at 0.218, Ready at 10.248
		{one, "window: 62322ms", "window: 62321ms", "Scenario/test"},
		{ports, "maxPendingTime: 62074ms", "maxPendingTime: 62073ms", "Deployment/default/web"}, // pending at 0.248, until the end
		{controlPlane, "maxAPIDowntime: 40s", "maxAPIDowntime: 39999ms", "Scenario/test"},
		{surge, "maxSurgeNodes: 2", "maxSurgeNodes: 1", "Scenario/test"},
		{two, "minReady: {web: 1}", "minReady: {web: 2}", "Deployment/default/web"},
	} {
		for _, objective := range []string{c.met, c.missed} {
			r := runOf(t, c.cluster+"objectives: {"+objective+"}\n", Options{Audit: true})
			var missed []string
			for _, f := range r.Reasons {
				if f.Code == model.ObjectiveMissed {
					missed = append(missed, f.Subject)
				}
			}
			if want := objective == c.missed; want != (r.Verdict == Violated) || want != (len(missed) == 1 && missed[0] == c.subject) || !want && len(missed) > 0 {
				t.Errorf("%s: %s, missed by %q; want a miss by %s: %v", objective, r.Verdict, missed, c.subject, want)
			}
		}
	}
}

// TestQuorumOfFew: two members need both for a quorum, so that each one's 20 s is lost, and the API servers
// with it; three do without one (https://etcd.io/docs/v3.5/faq/, failure tolerance). A single one is out for its own 20 s,
// which is a warning; that several API servers are out at once is an error.
func TestQuorumOfFew(t *testing.T) {
	for members, lost := range map[int][2]float64{1: {20, 40}, 2: {40, 40}, 3: {0, 0}} {
		r := runOf(t, fmt.Sprintf("cluster: {version: v1.33.4, controlPlane: {replicas: %d}, nodes: [{name: n1}]}\nupgrade: {to: v1.34.2}\n", members), Options{Audit: true})
		about(t, fmt.Sprintf("%d members without quorum", members), r.ControlPlane.QuorumLostSeconds, lost[0])
		about(t, fmt.Sprintf("%d members without an API server", members), r.ControlPlane.APIUnavailableSeconds, lost[1])
		severity := map[int]model.Severity{1: model.SeverityWarning, 2: model.SeverityError}[members]
		for _, f := range r.Reasons {
			if f.Code == model.APIServerUnreachable && f.Severity != severity {
				t.Errorf("of %d API servers none answers: %s", members, f.Severity)
			} else if f.Code == model.APIServerUnreachable {
				severity = ""
			}
		}
		if severity != "" {
			t.Errorf("of %d API servers none answers, and nothing says so", members)
		}
	}
}

// TestBlockedUntilStuck: a drain that never ends has been held up until nothing happened any more. Its first
// refusal is at 0.208, the last thing that happens is that the other pod's replacement turns Ready at 10.248.
func TestBlockedUntilStuck(t *testing.T) {
	r := runOf(t, `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes: [{name: n1, kubelet: v1.33.4}, {name: n2}]
  workloads:
  - {name: web, placement: [n1], podDisruptionBudget: {minAvailable: 1}}
  - {name: other, placement: [n1]}
upgrade: {to: v1.34.2, controlPlane: skip}
`, Options{Audit: true})
	if r.Verdict != Stuck {
		t.Fatal(r.Verdict)
	}
	about(t, "makespan", r.MakespanSeconds, 10.248)
	about(t, "held up", r.Nodes[0].BlockedSeconds, 10.248-0.208)
	about(t, "drained for", r.Nodes[0].DrainSeconds, 10.248-0.106)
	about(t, "without allowance", r.Budgets[0].SecondsExhausted, 10.248)
	// Tries at 0.208, 5.216; the next is at 10.220.
	if r.EvictionsRefused != 3 {
		t.Errorf("refused %d times, by hand 3", r.EvictionsRefused)
	}
}

// TestStuckInALaterHop: the drain of n2 ended in the first hop; the one in the second never does, and its result is the last.
func TestStuckInALaterHop(t *testing.T) {
	r := runOf(t, `
cluster:
  version: v1.32.1
  controlPlane: {managed: true}
  nodes: [{name: n1}, {name: n2}]
  workloads:
  - {name: web, replicas: 2, podDisruptionBudget: {maxUnavailable: 1}, placement: [n1, n2]}
upgrade: {to: v1.34.2, nodes: {hops: each, drain: {onFailure: wait}}}
faults:
- {kind: badVersion, version: "1.34", workloads: [web]}
`, Options{Audit: true})
	if r.Verdict != Stuck {
		t.Fatal(r.Verdict)
	}
	for i, want := range []string{"drained", "none"} {
		if got := r.Nodes[i]; got.DrainResult != want {
			t.Errorf("the last drain of %s is %s, not %s", got.Name, got.DrainResult, want)
		}
	}
}

// TestLeastReadyIsOfTheUpgrade: n1 is lost when the API server moves on (at 70 s), but only Unknown 50 s
// later. The upgrade is over by then, so that its figures know nothing of it.
func TestLeastReadyIsOfTheUpgrade(t *testing.T) {
	r := runOf(t, `
cluster:
  version: v1.33.4
  controlPlane: {replicas: 1}
  nodes: [{name: n1, kubelet: v1.30.9}, {name: n2, kubelet: v1.33.4}, {name: n3, kubelet: v1.33.4}]
  workloads:
  - {name: web, replicas: 2, placement: [n1, n3]}
upgrade: {to: v1.34.2, controlPlane: {perNode: 1s}, nodes: {limit: 1, order: [n2]}}
assumptions:
  nodeUpgrade: 5s
`, Options{Audit: true})
	if r.MakespanSeconds > 120 || r.FinalPending != 0 {
		t.Fatalf("the upgrade took %v", r.MakespanSeconds)
	}
	if w := r.Workloads[0]; w.MinReady != 2 || w.SecondsBelow != 0 {
		t.Errorf("least ready %d, below for %v; by hand 2, 0", w.MinReady, w.SecondsBelow)
	}
}

// TestFaultProbability draws for each of many nodes by itself: the number hit lies within five standard
// deviations of the expected one, another seed hits others, and another strategy the same ones.
func TestFaultProbability(t *testing.T) {
	const nodes = 400
	broken := func(probability, strategy string, seed uint64) map[string]bool {
		sc := scenarioOf(t, fmt.Sprintf(`
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: %d, kubelet: v1.33.4}]
  workloads: [{name: agent, kind: DaemonSet}]
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {%s}}
faults: [{kind: badVersion, version: "1.34", effect: brokenWhileReady, probability: %s}]
`, nodes, strategy, probability))
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			t.Fatal(err)
		}
		hit := map[string]bool{}
		w.Run(Options{Seed: seed, Story: func(s Step) {
			if s.What == "broken" {
				hit[s.Subject] = true
			}
		}})
		return hit
	}
	if n := len(broken("0", "strategy: allAtOnce", 1)); n != 0 {
		t.Errorf("probability 0 hits %d nodes", n)
	}
	if n := len(broken("1", "strategy: allAtOnce", 1)); n != nodes {
		t.Errorf("probability 1 hits %d nodes of %d", n, nodes)
	}
	for _, p := range []float64{0.05, 0.25, 0.9} {
		text := fmt.Sprint(p)
		a := broken(text, "strategy: allAtOnce", 1)
		if far := math.Abs(float64(len(a)) - p*nodes); far > 5*math.Sqrt(p*(1-p)*nodes) {
			t.Errorf("probability %v hits %d nodes of %d", p, len(a), nodes)
		}
		if b := broken(text, "maxUnavailable: 7", 1); fmt.Sprint(b) != fmt.Sprint(a) {
			t.Errorf("probability %v: another strategy meets other bad nodes", p)
		}
		if b := broken(text, "strategy: allAtOnce", 2); fmt.Sprint(b) == fmt.Sprint(a) {
			t.Errorf("probability %v: another seed hits the same nodes", p)
		}
	}
}

// TestFaultTargets has a bad version hit only the nodes, versions and workloads that it names.
func TestFaultTargets(t *testing.T) {
	for _, c := range []struct {
		fault string
		nodes string // broken ones
		ready string // of agent and of web, when all is over
	}{
		{`version: "1.34"`, "n1 n2 n3", "0 0"},
		{`version: v1.34.2`, "n1 n2 n3", "0 0"},
		{`version: v1.34.1`, "", "3 3"},
		{`version: "1.33"`, "", "3 3"}, // broken until it is replaced
		{`version: "1.34", nodes: [n2]`, "n2", "2 2"},
		{`version: "1.34", nodes: {matchLabels: {disk: ssd}}`, "n1 n3", "1 1"},
		{`version: "1.34", nodes: {matchLabels: {topology.kubernetes.io/zone: b}}`, "n3", "2 2"},
		{`version: "1.34", workloads: [web]`, "n1 n2 n3", "3 0"},
		{`version: "1.34", workloads: {matchLabels: {app: agent}}`, "n1 n2 n3", "0 3"},
	} {
		sc := scenarioOf(t, `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes: [{name: n1, labels: {disk: ssd}, kubelet: v1.33.4, zone: a}, {name: n2, kubelet: v1.33.4, zone: a}, {name: n3, labels: {disk: ssd}, kubelet: v1.33.4, zone: b}]
  workloads: [{name: agent, kind: DaemonSet}, {name: web, kind: DaemonSet}]
upgrade: {to: v1.34.2, controlPlane: skip}
faults: [{kind: badVersion, onset: 5s, `+c.fault+`}]
`)
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			t.Fatal(err)
		}
		r := w.newRun(Options{Audit: true})
		var broken []string
		r.opts.Story = func(s Step) {
			if s.What == "broken" && s.At > 0 {
				broken = append(broken, strings.TrimPrefix(s.Subject, "Node/"))
			}
		}
		r.begin()
		r.loop()
		if got := strings.Join(broken, " "); got != c.nodes {
			t.Errorf("%s: breaks %q, want %q", c.fault, got, c.nodes)
		}
		if got := fmt.Sprint(r.workloads[0].ready, " ", r.workloads[1].ready); got != c.ready {
			t.Errorf("%s: %s ready at the end, want %s", c.fault, got, c.ready)
		}
	}
}

// TestEnoughFeasible holds the number of feasible nodes that are looked for against kube-scheduler's: all up to
// 100; from 50 % at 100 nodes down to 10 % at 5000, never under 5 % nor 100 nodes (kubernetes.io, scheduler
// performance tuning). 420 and 300 are rows of kube-scheduler's own test (schedule_one_test.go).
func TestEnoughFeasible(t *testing.T) {
	for nodes, want := range map[int]int{1: 1, 10: 10, 99: 99, 100: 100, 150: 100, 200: 100, 1000: 420, 5000: 500, 6000: 300, 15000: 750} {
		if got := enoughFeasible(nodes); got != want {
			t.Errorf("of %d nodes %d, want %d", nodes, got, want)
		}
	}
}

// TestOutageEnds: after its outage a component fills its caches and takes the lead before it acts. Recorded in
// u-kcm-outage and u2-scheduler-outage: 0.41 s for the controller-manager, 0.55 s for the scheduler. The story without an
// outage has the replacement created at 0.228 and bound 20 ms later.
func TestOutageEnds(t *testing.T) {
	for kind, what := range map[string]string{"controllerManagerOutage": "created", "schedulerOutage": "scheduled"} {
		sc := scenarioOf(t, `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes: [{name: n1, kubelet: v1.33.4}, {name: n2}]
  workloads: [{name: web, placement: [n1]}]
upgrade: {to: v1.34.2, controlPlane: skip}
faults: [{kind: `+kind+`, at: 150ms, for: 20s}]
`)
		w, err := Compile(sc, sc.Upgrades()[0])
		if err != nil {
			t.Fatal(err)
		}
		at := int64(-1)
		w.Run(Options{Audit: true, Story: func(s Step) {
			if s.What == what && at < 0 {
				at = s.At
			}
		}})
		if after := at - 20_150_000; after < 400_000 || after > 600_000 {
			t.Errorf("%s: %s %d us after the outage, recorded 0.41 s and 0.55 s", kind, what, after)
		}
	}
}
