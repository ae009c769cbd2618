package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// pencil is a cluster whose upgrade can be worked out on paper: three nodes,
// one replica on each that may stand on no other's node, one budget. By the
// round assumptions of the stories a node takes:
//
//	0.100  kubectl cordon (n1; for the others counted from the uncordon before)
//	0.106  the drain begins, 0.206 it has listed its pods, 0.208 the eviction is read
//	0.216  the budget is written; 0.226 the pod terminates; 1.726 it is gone
//	2.226  the second look after the acceptance finds that, 2.230 the drain ends
//	62.230 the node is upgraded, 62.330 uncordoned
//	62.360 the pod that waited for it is bound, 72.360 Ready, 72.370 the budget allows one again
//
// The next node asks 0.208 after that uncordon, is refused, sleeps from 0.212 on,
// and tries after 5.216, 10.220, 15.224 …; the first try not before 10.040 is accepted: that makes
// it 10.014 slower than the first node, with two refusals.
func pencil(t *testing.T, old, new string) *Result {
	text := `
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 3, kubelet: v1.33.4}]
  workloads:
  - name: web
    replicas: 3
    podAntiAffinity: {required: [{topologyKey: kubernetes.io/hostname}]}
    podDisruptionBudget: {maxUnavailable: 1}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {maxUnavailable: 1}}
assumptions:
  startup: 10s
  shutdown: 1500ms
  nodeUpgrade: 60s
  kubectlStart: 100ms
  podsReadyAfterNode: 0s
`
	if old != "" && strings.Count(text, old) != 1 {
		t.Fatalf("%q stands %d times in the scenario", old, strings.Count(text, old))
	}
	return runOf(t, strings.Replace(text, old, new, 1), Options{Audit: true})
}

func about(t *testing.T, what string, got Seconds, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 0.0005 {
		t.Errorf("%s: %.3f s, by hand %.3f s", what, float64(got), want)
	}
}

func TestPencilAndPaper(t *testing.T) {
	const first, refusedTwice = 62.330, 72.344
	r := pencil(t, "", "")
	about(t, "makespan", r.MakespanSeconds, first+2*refusedTwice)
	if r.Evictions != 3 || r.EvictionsRefused != 4 || r.Verdict != Safe {
		t.Errorf("%s, evictions %d, refused %d; by hand safe, 3, 4", r.Verdict, r.Evictions, r.EvictionsRefused)
	}
	w := r.Workloads[0]
	// From each deletion to the replacement: 0.226 to 72.360, the same of the second; the third's comes after the end.
	about(t, "time below three replicas", w.SecondsBelow, 72.134+72.134+(first+2*refusedTwice-144.914))
	about(t, "time without a replica", w.SecondsZero, 0)
	about(t, "time below the floor", w.SecondsBelowFloor, 0)
	// From the event at which the replacement finds no node (0.256) to its binding.
	about(t, "time pending", w.SecondsPending, 62.104+62.104+(first+2*refusedTwice-144.944))
	if w.MinReady != 2 || w.PodsMoved != 3 || w.MaxMoves != 1 {
		t.Errorf("least ready %d, moved %d, at most %d times; by hand 2, 3, 1", w.MinReady, w.PodsMoved, w.MaxMoves)
	}
	about(t, "time without allowance", r.Budgets[0].SecondsExhausted, 72.154+72.154+(first+2*refusedTwice-144.904))
	for i, want := range []struct{ drain, blocked, at float64 }{
		{2.124, 0, 62.230}, {12.138, 10.022, 62.330 + 72.244}, {12.138, 10.022, 62.330 + 72.344 + 72.244},
	} {
		n := r.Nodes[i]
		about(t, n.Name+" drained", n.DrainSeconds, want.drain)
		about(t, n.Name+" held up", n.BlockedSeconds, want.blocked)
		about(t, n.Name+" upgraded", *n.UpgradedAtSeconds, want.at)
	}
}

// TestOneNumberChanged changes one number of the pencil-and-paper cluster and predicts what follows.
func TestOneNumberChanged(t *testing.T) {
	const first, refusedTwice, retry = 62.330, 72.344, 5.004
	for _, c := range []struct {
		old, new  string
		makespan  float64
		refused   int64
		minReady  int
		because   string
		evictions int64
	}{
		{"startup: 10s", "startup: 4s", first + 2*(refusedTwice-retry), 2, 2, "Ready at 4.040, before the second try", 3},
		{"startup: 10s", "startup: 14s", first + 2*(refusedTwice+retry), 6, 2, "Ready at 14.040, before the fourth try", 3},
		{"startup: 10s", "startup: 9s", first + 2*refusedTwice, 4, 2, "Ready at 9.040, still after the second try", 3},
		{"nodeUpgrade: 60s", "nodeUpgrade: 100s", first + 2*refusedTwice + 120, 4, 2, "40 s more for each node", 3},
		{"kubectlStart: 100ms", "kubectlStart: 200ms", first + 2*refusedTwice + 0.9, 4, 2, "three calls of kubectl for each node", 3},
		{"shutdown: 1500ms", "shutdown: 2500ms", first + 2*refusedTwice + 3, 4, 2, "one look more for each node", 3},
		{"shutdown: 1500ms", "shutdown: 1900ms", first + 2*refusedTwice, 4, 2, "the same look finds it", 3},
		{"{maxUnavailable: 1}\nupgrade", "{maxUnavailable: 3}\nupgrade", 3 * first, 0, 1, "nobody is refused, and two pods are away at once", 3},
		{"{maxUnavailable: 1}\nupgrade", "{minAvailable: 50%}\nupgrade", first + 2*refusedTwice, 4, 2, "two of three, rounded up", 3},
		{"{maxUnavailable: 1}\nupgrade", "{maxUnavailable: 1%}\nupgrade", first + 2*refusedTwice, 4, 2, "one of three, rounded up", 3},
		{"controlPlane: skip, nodes: {maxUnavailable: 1}", "controlPlane: skip, nodes: {maxUnavailable: 1, limit: 2}", first + refusedTwice, 2, 2, "one node less", 2},
		{"controlPlane: skip, nodes: {maxUnavailable: 1}", "controlPlane: skip, nodes: {maxUnavailable: 1, soakPerNode: 20s}", 3 * (first + 20), 0, 2, "the pod is Ready within the soak, and nobody is refused", 3},
		{"controlPlane: skip, nodes: {maxUnavailable: 1}", "controlPlane: skip, nodes: {maxUnavailable: 1, drain: {retry: 2s}}", first + 2*(first+0.006+5*2.004), 10, 2, "tries every 2.004 s: the one after 10.232 is accepted", 3},
	} {
		t.Run(fmt.Sprint(c.new, ": ", c.because), func(t *testing.T) {
			r := pencil(t, c.old, c.new)
			about(t, "makespan", r.MakespanSeconds, c.makespan)
			if r.Evictions != c.evictions || r.EvictionsRefused != c.refused || r.Workloads[0].MinReady != c.minReady {
				t.Errorf("evictions %d, refused %d, least ready %d; by hand %d, %d, %d", r.Evictions, r.EvictionsRefused, r.Workloads[0].MinReady, c.evictions, c.refused, c.minReady)
			}
		})
	}
}
