package bench

import (
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
	"upsim/sim"
)

// TestNoToyPasses leaves out one thing that a real cluster does, as a simpler
// simulator would, and wants the recordings that show it to tell. A recording that
// no longer does proves less than it is taken to.
//
// What no scenario can leave out TestRulesTell does. The figures that are compared do not see everything: the
// controllers' rate limit is TestReplacementPace's, a taint that lingers TestTaintLingers', the order of a StatefulSet
// TestOrderedReady's; kubectl's rate limit and the controllers' latency on its own show only together with others.
func TestNoToyPasses(t *testing.T) {
	workloads := func(change func(*model.Workload)) func(*model.Scenario) {
		return func(sc *model.Scenario) {
			for i := range sc.Cluster.Workloads {
				change(&sc.Cluster.Workloads[i])
			}
		}
	}
	for _, c := range []struct {
		toy        string
		recordings []string
		leaveOut   func(*model.Scenario)
	}{
		{"two drains at once never meet", []string{"b-parallel2", "f-statefulset", "g2-nospare-deadlock"}, func(sc *model.Scenario) {
			sc.Upgrade.Nodes.MaxUnavailable = intstr.FromInt32(1)
		}},
		{"replacements keep off the nodes that are drained next", []string{"m-grace-long", "q-surge1"}, func(sc *model.Scenario) { sc.Upgrade.Nodes.Taint = model.PreferNoSchedule }},
		{"a drain ends at the instant of its timeout", []string{"c-blocked", "i1-unhealthy-budget", "i3-unhealthy-mixed"}, func(sc *model.Scenario) {
			sc.Upgrade.Nodes.Drain.TimeoutCheck = model.TimeoutExact
		}},
		{"a bare pod holds up no drain", []string{"l-barepod"}, func(sc *model.Scenario) { sc.Upgrade.Nodes.Drain.Force = true }},
		{"a pod has one budget", []string{"h-twopdbs"}, func(sc *model.Scenario) { sc.Cluster.Budgets = sc.Cluster.Budgets[:1] }},
		{"never refuses an eviction", []string{"a-serial", "d-maxunav30", "f-statefulset", "n-50nodes", "q-surge1", "t-bluegreen"}, func(sc *model.Scenario) {
			sc.Cluster.Budgets = nil
			workloads(func(w *model.Workload) { w.Budget = nil })(sc)
		}},
		{"tries refused evictions again at once", []string{"a-serial", "d2-maxunav25", "i1-unhealthy-budget", "q3-surge-full"}, func(sc *model.Scenario) { sc.Upgrade.Nodes.Drain.Retry = time.Second }},
		{"write conflicts cost nothing", []string{"g2-nospare-deadlock"}, func(sc *model.Scenario) { sc.Assumptions.ConflictRetry = time.Millisecond }},
		{"everything in the cluster happens at once", []string{"e-minavail50", "l2-barepod-force"}, func(sc *model.Scenario) {
			a := &sc.Assumptions
			for _, d := range []*model.Dist{&a.ControllerLatency, &a.SchedulerLatency, &a.APILatency, &a.TaintLag, &a.DeletionLag, &a.KubeletLag} {
				*d = model.Const(0)
			}
		}},
		{"kubectl sees at once that a pod is gone", []string{"b-parallel2", "m-grace-short"}, func(sc *model.Scenario) { sc.Assumptions.DeletionPoll = time.Millisecond }},
		{"kubectl starts in no time", []string{"b-parallel2"}, func(sc *model.Scenario) { sc.Assumptions.KubectlStart = model.Const(0) }},
		{"controllers never fail", []string{"u-kcm-outage", "u2-scheduler-outage"}, func(sc *model.Scenario) { sc.Faults = nil }},
		{"room without end", []string{"g-nospare", "g2-nospare-deadlock"}, workloads(func(w *model.Workload) { w.Requests = model.Resources{} })},
		{"no anti-affinity", []string{"j-antiaffinity"}, workloads(func(w *model.Workload) { w.AntiAffinity = model.PodAffinity{} })},
		{"no topology spread", []string{"k-spread"}, workloads(func(w *model.Workload) { w.Spread = nil })},
		{"StatefulSets replaced as Deployments are", []string{"f-statefulset", "f2-sts-parallel", "f3-sts-ordered2"}, workloads(func(w *model.Workload) {
			if w.Kind == model.StatefulSet {
				w.Kind = model.Deployment
			}
		})},
		{"every pod turns Ready", []string{"i2-unhealthy-always", "i3-unhealthy-mixed"}, workloads(func(w *model.Workload) { w.NeverReady = false })},
		{"no grace for slow pods", []string{"m-grace-long"}, workloads(func(w *model.Workload) { w.GracePeriod = 0 })},
	} {
		t.Run(c.toy, func(t *testing.T) {
			t.Parallel()
			for _, name := range c.recordings {
				rec, err := LoadRecording(filepath.Join(tracesDir, name))
				if err != nil {
					t.Fatal(err)
				}
				c.leaveOut(rec.Scenario)
				world, err := sim.Compile(rec.Scenario, rec.Scenario.Upgrades()[0])
				if err != nil {
					t.Fatal(err)
				}
				runs := make([]*sim.Result, seeds)
				for i := range runs {
					runs[i] = world.Run(sim.Options{Seed: uint64(i + 1), MaxEvents: 10_000_000})
				}
				if off := Compare(rec, runs); len(off) == 0 {
					t.Errorf("%s does not tell", name)
				} else {
					t.Logf("%s: %s", name, off[0])
				}
			}
		})
	}
}

// TestNoSecondMoves has each run report only the first move of every pod, as a simulator would that
// never moves a pod twice; the recording of fifty nodes, where one replacement in nine was evicted again, tells.
func TestNoSecondMoves(t *testing.T) {
	rec, err := LoadRecording(filepath.Join(tracesDir, "n-50nodes"))
	if err != nil {
		t.Fatal(err)
	}
	runs := simulate(t, rec.Scenario, seeds)
	for _, r := range runs {
		r.Evictions = 0
		for i := range r.Workloads {
			w := &r.Workloads[i]
			w.Evictions = int64(w.PodsMoved)
			r.Evictions += w.Evictions
		}
	}
	if off := Compare(rec, runs); len(off) == 0 {
		t.Error("n-50nodes does not tell")
	}
}
