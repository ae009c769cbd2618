package scenarios_test

import (
	"math"
	"slices"
	"testing"

	"upsim/model"
	"upsim/sim"
)

// The figures that the stories of the scenarios work out by hand. kubectl's
// start and the API's latencies are drawn, so times may be off by two seconds
// and a tenth of a second for each node.
var figures = []struct {
	scenario, what string
	want           float64
	get            func(*sim.Result) float64
}{
	{"default", "makespan", 79*60 + 5, makespan},
	{"default", "refused", 0, refused},
	{"default", "downtime of the database", 0, zero("db")},
	{"node-fails", "makespan", 25*60 + 8, makespan},
	{"zone-fails", "refused", 200, refused},
	{"api-server-out-waits", "makespan", 27*60 + 33, makespan},
	{"no-capacity-for-hours", "makespan", 199*60 + 1, makespan},
	{"no-capacity-beyond-one", "makespan", 20*60 + 32, makespan},
	{"scale-down-paused", "makespan", 65*60 + 43, makespan},
	{"slow-registry", "makespan", 27*60 + 42, makespan},
	{"certificates-expire", "makespan", 622*60 + 40, makespan},
	{"skew-supported", "makespan", 15*60 + 20, makespan},
	{"skew-kubelet-newer", "makespan", 5*60 + 13, makespan},
	{"skew-kubelet-newer", "refused", 2, refused},
	{"skew-kubelet-too-old", "makespan", 15*60 + 7, makespan},
	{"skew-kubelet-too-old", "refused", 0, refused},
	{"skew-kubelet-too-old", "evictions", 2, evictions},
	{"skew-kubelet-too-old", "nodes upgraded", 3, upgraded},
	{"skew-kubelet-too-old", "time without the node", 15*60 + 7, broken(model.NodeLost, "Node/worker-4")},
	{"skew-kubelet-too-old-pod-left", "makespan", 10*60 + 17, makespan},
	{"skew-kubelet-too-old-pod-left", "refused", 2, refused},
	{"skew-kubelet-too-old-pod-left", "evictions", 3, evictions},
	{"skew-kubelet-too-old-pod-left", "nodes upgraded", 2, upgraded},
	{"mini-pcs", "makespan", 37*60 + 57, makespan},
	{"mini-pcs", "API outage", 80, apiOutage},
	{"mini-pcs", "downtime of photos", 30, zero("photos")},
	{"mini-pcs", "downtime of home-automation", 66, zero("home-automation")},
	{"node-does-not-return", "makespan", 22*60 + 43, makespan},
	{"node-does-not-return", "nodes upgraded", 3, upgraded},
	{"minor-by-minor", "makespan", 66*60 + 54, makespan},
	{"budget-one-of-one", "makespan", 150, makespan},
	{"budget-one-of-one", "evictions", 0, evictions},
	{"budget-two-of-three", "makespan", 17*60 + 50, makespan},
	{"budget-two-of-three", "evictions", 4, evictions},
	{"budget-two-of-three", "refused", 2, refused},
	{"budget-two-of-three", "time without allowance", 32, exhausted("mail")},
	{"all-at-once", "makespan", 7*60 + 33, makespan},
	{"all-at-once", "downtime of web", 303, zero("web")},
	{"all-at-once", "outage of web", 303, broken(model.NoReadyReplica, "Deployment/default/web")},
	{"all-at-once", "outage of api", 303, broken(model.NoReadyReplica, "Deployment/default/api")},
	{"canary-stops-bad-version", "makespan", 27*60 + 33, makespan},
	{"canary-stops-bad-version", "nodes upgraded", 1, upgraded},
	{"canary-rolls-back", "makespan", 22*60 + 40, makespan},
	{"canary-rolls-back", "nodes upgraded", 0, upgraded},
	{"canary-rolls-back", "pods that the bad version reached", 1, reached},
	{"blue-green-rolls-back-in-soak", "makespan", 38*60 + 4, makespan},
	{"blue-green-rolls-back-in-soak", "evictions", 8, evictions},
	{"blue-green-rolls-back-in-soak", "pods that the bad version reached", 4, reached},
	{"gate-error-budget", "makespan", 1780, makespan},
	{"gate-error-budget", "evictions", 4, evictions},
	{"ready-but-broken", "makespan", 22*60 + 54, makespan},
	{"ready-but-broken", "time without a working replica", 4*60 + 52, broken(model.NoWorkingReplica, "Deployment/default/api")},
	{"forgotten-cordon", "makespan", 17*60 + 48, makespan},
	{"forgotten-cordon", "pending", 10*60 + 6, pending("web")},
	{"forgotten-cordon", "refused", 2, refused},
	{"single-control-plane", "makespan", 16*60 + 37, makespan},
	{"single-control-plane", "API outage", 40, apiOutage},
	{"single-control-plane", "etcd outage", 20, etcdOutage},
	{"timeout-continues", "makespan", 22*60 + 58, makespan},
	{"timeout-continues", "refused", 120 + 4, refused},
	{"no-room", "makespan", 18 * 60, makespan},
	{"no-room", "pending", 15*60 + 9, pending("router")},
	{"no-room", "refused", 4, refused},
	{"quorum-workload", "time without quorum", 346, broken(model.WorkloadQuorumLost, "StatefulSet/default/store")},
	{"bare-pod-refused", "makespan", 7*60 + 34, makespan},
	{"bare-pod-refused", "evictions", 1, evictions},
	{"bare-pod-forced", "makespan", 17*60 + 50, makespan},
	{"bare-pod-forced", "downtime of the pod", 10*60 + 17, zero("debug")},
	{"spread-cordoned-zone-ignore", "makespan", 21*60 + 30, makespan},
	{"spread-cordoned-zone-ignore", "evictions", 3, evictions},
	{"spread-cordoned-zone-ignore", "least ready", 1, func(r *sim.Result) float64 { return float64(r.Workloads[0].MinReady) }},
	{"spread-cordoned-zone-ignore", "pods without a node", 4, finalPending},
	{"spread-cordoned-zone-honor", "makespan", 21*60 + 30, makespan},
	{"spread-cordoned-zone-honor", "pods without a node", 0, finalPending},
	{"spread-cordoned-zone-honor", "pending", 0, pending("web")},
	{"surge-full-cluster-in-place", "makespan", 152, makespan},
	{"surge-full-cluster-in-place", "evictions", 1, evictions},
	{"surge-full-cluster-surge", "makespan", 15*60 + 25, makespan},
	{"surge-full-cluster-surge", "evictions", 8, evictions},
	{"surge-full-cluster-surge", "refused", 8, refused},
	{"surge-full-cluster-surge", "extra nodes", 1, extraNodes},
	{"surge-full-cluster-surge", "extra node seconds", 4*180 + 55, extraSeconds},
	{"blue-green", "makespan", 50*60 + 40, makespan},
	{"blue-green", "evictions", 6, evictions},
	{"blue-green", "refused", 0, refused},
	{"blue-green", "extra nodes", 6, extraNodes},
	{"blue-green", "time of the second set", 180 + 2710, func(r *sim.Result) float64 { return extraSeconds(r) / 6 }},
	{"maintenance-windows, pause", "makespan", 26*3600 + 13, makespan},
	{"maintenance-windows, pause", "time of waiting", 20*3600 - 2*60 - 30 - 8*3.3, func(r *sim.Result) float64 { return float64(r.WaitingSeconds) }},
	{"maintenance-windows, finish", "makespan", 6*3600 + 2*60 + 30 + 12*3.3, makespan},
	{"maintenance-windows, finish", "time of waiting", 0, func(r *sim.Result) float64 { return float64(r.WaitingSeconds) }},
	{"preset-aks", "makespan", 25*60 + 50, makespan},
	{"preset-aks", "evictions", 10, evictions},
	{"preset-aks", "extra nodes", 1, extraNodes},
	{"preset-aks-blue-green", "makespan", 3*3600 + 36*60 + 2, makespan},
	{"preset-aks-blue-green", "extra nodes", 10, extraNodes},
	{"preset-cluster-api", "makespan", 17*60 + 14, makespan},
	{"preset-eks", "makespan", 29*60 + 12, makespan},
	{"preset-eks", "extra nodes", 6, extraNodes},
	{"preset-eks-minimal", "makespan", 15 * 60, makespan},
	{"preset-eks-minimal", "extra nodes", 0, extraNodes},
	{"preset-eks-minimal", "time of pods that wait", 3 * 243, pending("inference")},
	{"preset-gardener", "makespan", 11*60 + 40, makespan},
	{"preset-gardener", "downtime of a database", 92, zero("mysql-a")},
	{"preset-gke-blue-green", "makespan", 2*3600 + 25*60 + 48, makespan},
	{"preset-gke-blue-green", "extra nodes", 4, extraNodes},
	{"preset-gke-surge", "makespan", 3600 + 14*60 + 42, makespan},
	{"preset-gke-surge", "extra nodes", 1, extraNodes},
	{"preset-karpenter", "makespan", 3600 + 35, makespan},
	{"preset-karpenter", "extra nodes", 2, extraNodes},
	{"preset-kops", "makespan", 38*60 + 27, makespan},
	{"preset-kops", "nodes upgraded", 4, upgraded},
	{"preset-kubespray", "makespan", 36*60 + 20, makespan},
	{"preset-kubespray", "nodes upgraded", 1, upgraded},
	{"preset-openshift", "makespan", 3600 + 30*60 + 51, makespan},
	{"preset-system-upgrade-controller", "makespan", 28*60 + 1, makespan},
	{"preset-kubeadm", "makespan", 23*60 + 3, makespan},
	{"preset-kubeadm", "evictions", 2, evictions},
	{"control-plane-machines", "makespan", 21*60 + 18, makespan},
	{"control-plane-machines", "API outage", 0, apiOutage},
	{"control-plane-machines", "extra nodes", 1, extraNodes},
	{"control-plane-machines", "extra node seconds", 3 * 210.2, extraSeconds},
	{"etcd-learner-not-awaited", "makespan", 6*60 + 30, makespan},
	{"etcd-learner-not-awaited", "time without a quorum", 3 * 60, etcdOutage},
	{"etcd-learner-awaited", "makespan", 16*60 + 1, makespan},
	{"etcd-learner-awaited", "time without a quorum", 0, etcdOutage},
	{"masters-at-once", "makespan", 9*60 + 1, makespan},
	{"masters-at-once", "API outage", 180, apiOutage},
	{"masters-at-once", "time without a quorum", 180, etcdOutage},
	{"masters-one-by-one", "makespan", 16*60 + 1, makespan},
	{"masters-one-by-one", "API outage", 0, apiOutage},
	{"emulated-version", "makespan", 6*3600 + 25*60 + 31, makespan},
	{"emulated-version", "API outage", 0, apiOutage},
	{"control-plane-kubelet-load-balancer", "makespan", 23*60 + 1, makespan},
	{"control-plane-kubelet-load-balancer", "skew", 5*60 + 50.3, broken(model.KubeletNewerThanServer, "Node/cp-1")},
	{"control-plane-kubelet-local", "makespan", 23*60 + 1, makespan},
	{"managed-single-control-plane", "makespan", 15*60 + 20, makespan},
	{"managed-single-control-plane", "API outage", 600, apiOutage},
	{"controller-manager-outage-with-budget", "makespan", 35*60 + 16, makespan},
	{"controller-manager-outage-with-budget", "refused", 151, refused},
	{"controller-manager-outage-with-budget", "evictions", 3, evictions},
	{"controller-manager-outage-without-budget", "makespan", 22*60 + 40, makespan},
	{"controller-manager-outage-without-budget", "downtime of web", 303, zero("web")},
	{"preemption-in-drain", "makespan", 17*60 + 40, makespan},
	{"preemption-in-drain", "evictions", 3, evictions},
	{"preemption-in-drain", "refused", 0, refused},
	{"preemption-in-drain", "downtime of report", 15*60 + 10, zero("report")},
	{"preemption-in-drain", "time below its budget", 15*60 + 10, broken(model.BudgetFloorBroken, "Deployment/default/report")},
	{"retry-after-others", "makespan", 20*60 + 8, makespan},
	{"retry-after-others", "refused", 120, refused},
	{"retry-after-others", "nodes upgraded", 2, upgraded},
	{"retry-after-others", "time without allowance", 1023, exhausted("search")},
	{"slow-starters-20m", "makespan", 26*60 + 7, makespan},
	{"slow-starters-20m", "refused", 2 * 240, refused},
	{"slow-starters-20m", "nodes of the new version", 2, upgraded},
	{"slow-starters-30m", "makespan", 28*60 + 9, makespan},
	{"slow-starters-30m", "refused", 2 * 263, refused},
	{"slow-starters-30m", "nodes of the new version", 2, upgraded},
	{"drain-ignored-delete", "makespan", 23*60 + 8, makespan},
	{"drain-ignored-delete", "refused", 120, refused},
	{"drain-ignored-delete", "deletions", 1, func(r *sim.Result) float64 { return float64(r.Deletions) }},
	{"drain-ignored-delete", "downtime of the database", 13*60 + 7, zero("db")},
	{"drain-ignored-delete", "nodes of the new version", 3, upgraded},
	{"drain-ignored-stop", "makespan", 10*60 + 1, makespan},
	{"drain-ignored-stop", "downtime of the database", 0, zero("db")},
	{"quarantine-one", "makespan", 72*60 + 7, makespan},
	{"quarantine-one", "nodes of the new version", 4, upgraded},
	{"quarantine-two", "makespan", 75*60 + 10, makespan},
	{"quarantine-two", "nodes of the new version", 5, upgraded},
	{"quarantine-two", "refused", 2 * 360, refused},
}

func makespan(r *sim.Result) float64     { return float64(r.MakespanSeconds) }
func refused(r *sim.Result) float64      { return float64(r.EvictionsRefused) }
func evictions(r *sim.Result) float64    { return float64(r.Evictions) }
func apiOutage(r *sim.Result) float64    { return float64(r.ControlPlane.APIUnavailableSeconds) }
func etcdOutage(r *sim.Result) float64   { return float64(r.ControlPlane.QuorumLostSeconds) }
func finalPending(r *sim.Result) float64 { return float64(r.FinalPending) }

func extraNodes(r *sim.Result) float64   { return float64(r.Surge.PeakNodes) }
func reached(r *sim.Result) float64      { return float64(r.BlastRadius.Pods) }
func extraSeconds(r *sim.Result) float64 { return float64(r.Surge.NodeHours) * 3600 }

// exhausted is the time in which the budget allowed nothing.
func exhausted(name string) func(*sim.Result) float64 {
	return func(r *sim.Result) float64 {
		for _, b := range r.Budgets {
			if b.Name == name {
				return float64(b.SecondsExhausted)
			}
		}
		return math.NaN()
	}
}

// upgraded counts the workers that were; control-plane nodes are of the pool control-plane.
func upgraded(r *sim.Result) float64 {
	n := 0.0
	for _, x := range r.Nodes {
		if x.Pool != "control-plane" && x.UpgradedAtSeconds != nil {
			n++
		}
	}
	return n
}

func workload(name string, of func(sim.WorkloadResult) sim.Seconds) func(*sim.Result) float64 {
	return func(r *sim.Result) float64 {
		for _, w := range r.Workloads {
			if w.Name == name {
				return float64(of(w))
			}
		}
		return math.NaN()
	}
}

func zero(name string) func(*sim.Result) float64 {
	return workload(name, func(w sim.WorkloadResult) sim.Seconds { return w.SecondsZero })
}

func below(name string) func(*sim.Result) float64 {
	return workload(name, func(w sim.WorkloadResult) sim.Seconds { return w.SecondsBelow })
}

func pending(name string) func(*sim.Result) float64 {
	return workload(name, func(w sim.WorkloadResult) sim.Seconds { return w.SecondsPending })
}

// broken sums the violations of a code and subject, to the end of the upgrade.
func broken(code model.Code, subject string) func(*sim.Result) float64 {
	return func(r *sim.Result) float64 {
		sum := 0.0
		for _, v := range r.Violations {
			if v.Code != code || v.Subject != subject || v.StartSeconds > r.MakespanSeconds {
				continue
			}
			end := r.MakespanSeconds
			if v.EndSeconds != nil {
				end = min(end, *v.EndSeconds)
			}
			sum += float64(end - v.StartSeconds)
		}
		return sum
	}
}

// The makespans, outages and refusals of the library are those of the stories, in the median of five seeds: a try that
// comes as a pod turns Ready may just be in time, or 5 s early.
func TestFiguresByHand(t *testing.T) {
	results := map[string][]*sim.Result{}
	each(t, func(t *testing.T, sc *model.Scenario, up model.NamedUpgrade) {
		var seeds []*sim.Result
		for seed := range uint64(5) {
			seeds = append(seeds, run(t, sc, up, sim.Options{Seed: sc.Seed + seed}))
		}
		results[sc.Name], results[sc.Name+", "+up.Name] = seeds, seeds
	})
	for _, f := range figures {
		seeds := results[f.scenario]
		if seeds == nil {
			t.Errorf("there is no scenario %s", f.scenario)
			continue
		}
		slack := 0.0
		if f.want >= 30 && f.what != "refused" {
			slack = 2 + 0.1*float64(len(seeds[0].Nodes))
		}
		var values []float64
		for _, r := range seeds {
			values = append(values, f.get(r))
		}
		slices.Sort(values)
		if got := values[len(values)/2]; !(math.Abs(got-f.want) <= slack) {
			t.Errorf("%s: %s is %g, by hand it is %g", f.scenario, f.what, got, f.want)
		}
	}
}
