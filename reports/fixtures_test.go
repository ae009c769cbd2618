package reports

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
	"upsim/sim"
)

func at(s sim.Seconds) *sim.Seconds { return &s }

func result(verdict sim.Verdict) *sim.Result {
	return &sim.Result{
		APIVersion: model.APIVersion, Kind: "Result", Scenario: "shop-1.33-to-1.34", Strategy: "rolling", Seed: 1,
		From: "v1.33.4", To: "v1.34.2", Verdict: verdict,
		Engine: sim.Engine{Events: 2345, Ticks: 1200, Digest: "9f86d081884c7d65"},
	}
}

func phase(name string, start, end sim.Seconds) sim.Phase {
	return sim.Phase{Name: name, StartSeconds: start, EndSeconds: end}
}

func node(name string, drain, upgraded sim.Seconds) sim.NodeResult {
	return sim.NodeResult{Name: name, Pool: "general", DrainSeconds: drain, DrainResult: "drained", UpgradedAtSeconds: at(upgraded), Kubelet: "v1.34.2"}
}

func controlPlane() []sim.NodeResult {
	var list []sim.NodeResult
	for i := range 3 {
		list = append(list, sim.NodeResult{Name: fmt.Sprintf("cp-%d", i+1), Pool: model.PoolControlPlane, DrainSeconds: 3.2,
			DrainResult: "drained", UpgradedAtSeconds: at(sim.Seconds(430 * (i + 1))), Kubelet: "v1.34.2"})
	}
	return list
}

// shop is the scenario beside the results: it holds what the budgets ask for.
func shop() *model.Scenario {
	two, half := intstr.FromInt32(2), intstr.FromString("50%")
	window := 4 * time.Hour
	return &model.Scenario{
		Name: "shop-1.33-to-1.34",
		Cluster: model.Cluster{
			Workloads: []model.Workload{
				{Name: "web", Namespace: "shop", Kind: model.Deployment, Count: 1, Replicas: 6, Budget: &model.Budget{MinAvailable: &two}},
				{Name: "db", Namespace: "shop", Kind: model.StatefulSet, Count: 2, Replicas: 3, Budget: &model.Budget{MinAvailable: &two}},
			},
			Budgets: []model.Budget{{Name: "cache", Namespace: "shop", MaxUnavailable: &half}},
		},
		Upgrade:     model.Upgrade{Nodes: model.DefaultNodeUpgrade()},
		Assumptions: model.DefaultAssumptions(),
		Objectives:  model.Objectives{Window: &window},
	}
}

func safe() *sim.Result {
	r := result(sim.Safe)
	r.MakespanSeconds, r.WorkingSeconds = 4334.5, 4334.5
	r.Phases = []sim.Phase{phase("control plane v1.34.2", 0, 1290.25), phase("nodes", 1290.25, 4334.5)}
	r.Workloads = []sim.WorkloadResult{
		{Namespace: "shop", Name: "web", Kind: "Deployment", Replicas: 6, MinReady: 5, SecondsBelow: 70, Evictions: 6, PodsMoved: 6, MaxMoves: 1, SecondsPending: 0.05},
		{Namespace: "shop", Name: "db01", Kind: "StatefulSet", Replicas: 3, MinReady: 2, SecondsBelow: 40, Evictions: 3, PodsMoved: 3, MaxMoves: 1},
	}
	r.Nodes = append(controlPlane(), node("general-1", 12.3, 1650), node("general-2", 40.1, 2030), node("general-10", 13, 2400))
	r.Budgets = []sim.BudgetResult{{Namespace: "shop", Name: "web"}, {Namespace: "shop", Name: "db01"}}
	r.Evictions = 9
	r.FinalVersions = map[string]int{"v1.34.2": 3}
	return r
}

func warned() *sim.Result {
	r := safe()
	r.Reasons = []model.Finding{
		model.NewFinding(model.SkewAtLimit, "kubelet/old-1", "The kubelet of old-1 is at 1.31, three minors behind the API servers."),
		model.NewFinding(model.SingleReplicaDown, "Deployment/shop/admin", "Its only replica is not ready for 13s while it moves from general-2 to general-10."),
	}
	r.Workloads = append(r.Workloads, sim.WorkloadResult{Namespace: "shop", Name: "admin", Kind: "Deployment", Replicas: 1, SecondsZero: 13, SecondsBelow: 13, Evictions: 1, PodsMoved: 1, MaxMoves: 1})
	r.Violations = []sim.Violation{
		{Invariant: "availability", Code: model.SingleReplicaDown, Severity: model.SeverityWarning, Subject: "Deployment/shop/admin", StartSeconds: 1700, EndSeconds: at(1713), Message: r.Reasons[1].Message},
		{Invariant: "replicas", Code: model.BelowReplicas, Severity: model.SeverityInfo, Subject: "Deployment/shop/web", StartSeconds: 1400, EndSeconds: at(1412.5), Message: "5 of 6 replicas are ready."},
		{Invariant: "replicas", Code: model.BelowReplicas, Severity: model.SeverityInfo, Subject: "Deployment/shop/web", StartSeconds: 1800, EndSeconds: at(1812), Message: "5 of 6 replicas are ready."},
	}
	r.Budgets[0].Refused, r.Budgets[0].SecondsExhausted = 3, 14.5
	return r
}

func violated() *sim.Result {
	r := warned()
	r.Verdict = sim.Violated
	r.Reasons = append(r.Reasons,
		model.NewFinding(model.NoReadyReplica, "Deployment/shop/api", "None of its 3 replicas is ready for 42s from 30m on: all three ran on general-1 and general-2, which were drained at the same time."),
		model.NewFinding(model.NoReadyReplica, "Deployment/shop/pay", "None of its 2 replicas is ready for 12s from 31m on."),
		model.NewFinding(model.NoReadyReplica, "Deployment/shop/mail", "None of its 2 replicas is ready for 11s from 31m on."),
		model.NewFinding(model.NoReadyReplica, "Deployment/shop/search", "None of its 2 replicas is ready for 10s from 31m on."),
		model.NewFinding(model.ObjectiveMissed, "objective/maxDowntime", "Deployment/shop/api was down for 42s; at most 0s was asked for."),
	)
	r.Violations = append(r.Violations, sim.Violation{Invariant: "availability", Code: model.NoReadyReplica, Severity: model.SeverityError,
		Subject: "Deployment/shop/api", StartSeconds: 1800, EndSeconds: at(1842), Message: "No replica of 3 is ready."},
		sim.Violation{Invariant: "control plane", Code: model.APIServerUnreachable, Severity: model.SeverityWarning,
			Subject: "apiserver", StartSeconds: 30, EndSeconds: at(50.5), Message: "The only API server restarts."})
	r.Workloads = append(r.Workloads,
		sim.WorkloadResult{Namespace: "shop", Name: "api", Kind: "Deployment", Replicas: 3, SecondsZero: 42, SecondsBelowFloor: 55.25, SecondsBelow: 90, PodsMoved: 5, PodsMovedAgain: 1, MaxMoves: 2, SecondsPending: 61},
		sim.WorkloadResult{Namespace: "shop", Name: "pay", Kind: "Deployment", Replicas: 2, SecondsZero: 12, SecondsBelow: 20, PodsMoved: 2, MaxMoves: 1})
	r.Nodes[3].DrainResult, r.Nodes[3].UpgradedAtSeconds, r.Nodes[3].Kubelet, r.Nodes[3].BlockedSeconds = "timedOut", nil, "v1.33.4", 300
	r.ControlPlane = sim.ControlPlaneTimes{APIUnavailableSeconds: 20.5}
	r.FinalVersions = map[string]int{"v1.33.4": 1, "v1.34.2": 2}
	r.FinalPending, r.Deletions, r.EvictionsRefused = 1, 2, 60
	r.Surge = sim.Surge{PeakNodes: 2, NodeHours: 1.25}
	return r
}

// unfinished is a run that a limit ended.
func unfinished() *sim.Result {
	r := safe()
	r.Verdict, r.MakespanSeconds, r.Engine.Events = sim.Violated, 42, 300
	r.Reasons = []model.Finding{model.NewFinding(model.CutOff, "Scenario/shop", "cut off after 300 events, at 42s")}
	return r
}

// neverEnds is a drain that cannot end, with the fix of its cause.
func neverEnds(node, message string, cause model.Code) model.Finding {
	f := model.NewFinding(model.DrainNeverEnds, node, message)
	info, _ := cause.Info()
	f.Fix = info.Fix
	return f
}

func stuck() *sim.Result {
	r := result(sim.Stuck)
	r.MakespanSeconds, r.WorkingSeconds = 1312, 1312
	r.Phases = []sim.Phase{phase("control plane v1.34.2", 0, 1290.25), phase("nodes", 1290.25, 1312)}
	r.Reasons = []model.Finding{
		model.NewFinding(model.UpgradeIncomplete, "upgrade", "1 of 3 workers has v1.34.2."),
		model.NewFinding(model.BudgetNeverAllows, "PodDisruptionBudget/shop/db02", "It wants 2 of 2 pods available and so allows none to be evicted."),
		neverEnds("Node/general-2", "the drain of Node/general-2 waits for Pod/shop/db02-1 for ever: PodDisruptionBudget/shop/db02 wants 2 healthy and has 2", model.BudgetNeverAllows),
	}
	r.Violations = []sim.Violation{{Invariant: "drain", Code: model.DrainNeverEnds, Severity: model.SeverityError, Subject: "Node/general-2", StartSeconds: 1302, Message: "The drain of general-2 cannot end."}}
	r.Workloads = []sim.WorkloadResult{{Namespace: "shop", Name: "db02", Kind: "StatefulSet", Replicas: 2, MinReady: 2, EvictionsRefused: 3}}
	r.Nodes = append(controlPlane(), node("general-1", 12.3, 1300),
		sim.NodeResult{Name: "general-2", Pool: "general", DrainSeconds: 11, DrainResult: "none", BlockedSeconds: 10, Kubelet: "v1.33.4"},
		sim.NodeResult{Name: "general-10", Pool: "general", DrainResult: "none", Kubelet: "v1.33.4"})
	r.Budgets = []sim.BudgetResult{{Namespace: "shop", Name: "db", Refused: 4, SecondsExhausted: 900}, {Namespace: "shop", Name: "db02", Refused: 3, SecondsExhausted: 1312}}
	r.EvictionsRefused = 3
	r.FinalVersions = map[string]int{"v1.33.4": 2, "v1.34.2": 1}
	return r
}

func abortedAtStart() *sim.Result {
	r := result(sim.Aborted)
	r.From, r.Engine = "v1.32.9", sim.Engine{}
	r.Reasons = []model.Finding{model.NewFinding(model.MinorSkipped, "upgrade", "The path goes from 1.32 to 1.34 and leaves out 1.33.")}
	r.Nodes = []sim.NodeResult{{Name: "general-1", Pool: "general", DrainResult: "none", Kubelet: "v1.32.9"}}
	return r
}

func abortedByGate() *sim.Result {
	r := result(sim.Aborted)
	r.Strategy, r.MakespanSeconds, r.WorkingSeconds = "canary", 2000, 2000
	r.Phases = []sim.Phase{phase("control plane v1.34.2", 0, 1290), phase("stage canary", 1290, 1650), phase("soak canary", 1650, 2000)}
	r.Reasons = []model.Finding{model.NewFinding(model.GateFailed, "stage/canary", "3 of 4 replicas of Deployment/shop/web are available, 4 were when the upgrade began.")}
	r.Nodes = []sim.NodeResult{node("general-1", 12, 1650), {Name: "general-2", Pool: "general", DrainResult: "none", Kubelet: "v1.33.4"}}
	r.Workloads = []sim.WorkloadResult{{Namespace: "shop", Name: "web", Kind: "Deployment", Replicas: 4, MinReady: 3, SecondsBelowFloor: 350, SecondsBelow: 360, PodsMoved: 1, MaxMoves: 1}}
	r.FinalVersions = map[string]int{"v1.33.4": 1, "v1.34.2": 1}
	return r
}

// empty is a cluster whose control plane is managed and that has no node yet.
func empty() *sim.Result {
	r := result(sim.Safe)
	r.Engine = sim.Engine{Events: 1, Ticks: 1, Digest: "00"}
	return r
}

// thousand has 1000 workloads, of which 30 are hurt, and 230 workers, of which 60 were not drained and 30 not reached.
func thousand() *sim.Result {
	r := result(sim.Violated)
	r.MakespanSeconds, r.WorkingSeconds, r.WaitingSeconds = 93784, 7384, 86400
	for i := range 1000 {
		w := sim.WorkloadResult{Namespace: fmt.Sprintf("team-%d", i%7), Name: fmt.Sprintf("service-%d", i), Kind: "Deployment", Replicas: 3, MinReady: 2, PodsMoved: 3, MaxMoves: 1}
		if i%34 == 0 {
			w.MinReady, w.SecondsZero = 0, sim.Seconds(i)/100
			r.Reasons = append(r.Reasons, model.NewFinding(model.NoReadyReplica, "Deployment/"+w.Namespace+"/"+w.Name, "No replica is ready for a while."))
		}
		r.Workloads = append(r.Workloads, w)
		r.Budgets = append(r.Budgets, sim.BudgetResult{Namespace: w.Namespace, Name: w.Name, Refused: int64(max(0, i-950))})
	}
	r.Nodes = controlPlane()
	for i := range 30 {
		r.Nodes = append(r.Nodes, sim.NodeResult{Name: fmt.Sprintf("spot-%d", i+1), Pool: "spot", DrainResult: "none", Kubelet: "v1.33.4"})
	}
	for i := range 200 {
		n := node(fmt.Sprintf("general-%d", i+1), sim.Seconds(10+i%50), sim.Seconds(600+i*400))
		if i%10 > 6 {
			n.DrainResult, n.UpgradedAtSeconds, n.Kubelet = "refused", nil, "v1.33.4"
		}
		r.Nodes = append(r.Nodes, n)
	}
	r.FinalVersions = map[string]int{"v1.33.4": 90, "v1.34.2": 140}
	return r
}

const (
	evil = "a\x1b[31mred\x1b[0m\nb\tc\rd\x00e\u202ef\u0085g\x7fh\xffi\u2028j\U000e0001k"
	long = "a-name-that-is-as-long-as-kubernetes-allows-it-to-be-which-is-two-hundred-and-fifty-three-characters.and-goes-on.and-on.and-on.and-on-without-any-blank-in-it"
)

// odd has names with control characters, wide characters and great length, everywhere.
func odd() *sim.Result {
	r := result(sim.Verdict("stuck\x1b[2J"))
	r.Scenario, r.Strategy, r.From, r.To = evil, evil, evil, evil
	r.Reasons = []model.Finding{
		{Code: evil, Severity: evil, Subject: evil, Message: evil, Fix: evil},
		{Code: "X", Severity: model.SeverityError, Subject: "Deployment/" + long, Message: "地域の名前 " + long + " is too long, and so on.", Fix: long},
	}
	r.Phases = []sim.Phase{phase(evil, 1, 2), phase(long, -1, 0.25)}
	r.Violations = []sim.Violation{{Invariant: evil, Code: evil, Severity: evil, Subject: evil, Message: evil}}
	r.Workloads = []sim.WorkloadResult{{Namespace: evil, Name: evil, Kind: evil, SecondsZero: 1}, {Namespace: "地域é±", Name: long, Kind: "Deployment", SecondsZero: 2}}
	r.Nodes = []sim.NodeResult{{Name: evil, Pool: evil, DrainResult: evil, Kubelet: evil}, {Name: long, Pool: long, DrainResult: "failed", Kubelet: "v1"}}
	r.Budgets = []sim.BudgetResult{{Namespace: evil, Name: evil, Refused: 1}, {Namespace: "n", Name: long, Refused: 2}}
	r.FinalVersions = map[string]int{evil: 1}
	return r
}
