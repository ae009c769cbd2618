package model

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
)

func decodeOne(t *testing.T, file string, from FromFunc) *Scenario {
	t.Helper()
	found, faults := Decode("f.yaml", []byte(file), from)
	if len(faults) > 0 {
		t.Fatalf("%s\n%s", file, faults.Error())
	}
	if len(found) != 1 {
		t.Fatalf("%d scenarios", len(found))
	}
	return found[0]
}

func versionOf(t *testing.T, s string) Version {
	t.Helper()
	v, err := ParseVersion(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// same compares what was decoded with what was meant.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

func TestDecodeDefaults(t *testing.T) {
	sc := decodeOne(t, inScenario("cluster:\n  version: v1.33.4\n  nodePools: [{name: general, count: 3}]\n  nodes: [{name: a}]\n  workloads: [{name: web}]\n"), nil)
	same(t, "seed", sc.Seed, uint64(1))
	same(t, "assumptions", sc.Assumptions, DefaultAssumptions())
	v := versionOf(t, "v1.33.4")
	cp := sc.Cluster.ControlPlane
	three := []Version{v, v, v}
	same(t, "control plane", cp, ControlPlane{Replicas: 3, Etcd: EtcdStacked, APIServer: three, ControllerManager: three, Scheduler: three})
	same(t, "pool", sc.Cluster.Pools[0], NodePool{Name: "general", Count: 3, Allocatable: DefaultAllocatable(), Kubelet: v, KubeProxy: v})
	same(t, "node", sc.Cluster.Nodes[0], Node{Name: "a", Allocatable: DefaultAllocatable(), Kubelet: v, KubeProxy: v, Ready: true})
	same(t, "workload", sc.Cluster.Workloads[0], Workload{Name: "web", Namespace: "default", Kind: Deployment, Count: 1, Replicas: 1, GracePeriod: 30 * time.Second})
	to := versionOf(t, "v1.34.2")
	how := Procedure{Replace: ReplaceInPlace, MaxUnavailable: intstr.FromInt32(1), MaxSurge: intstr.FromInt32(0), PercentOf: PercentOfWorkers, Slots: SlotsWindow,
		NodeOrder: OrderName, Cordon: CordonOwn, Drain: DefaultDrain(), Batch: intstr.FromInt32(1)}
	nodes := NodeUpgrade{Strategy: "rolling", Procedure: how, Pools: PoolsTogether, Hops: HopsFinal}
	same(t, "upgrade", sc.Upgrade, Upgrade{To: to, Path: []Version{to}, ControlPlane: DefaultControlPlaneUpgrade(false), Nodes: nodes})
	same(t, "strategies", len(sc.Strategies), 0)
}

// TestDecodeEverything has every key of the format once, and says what it means.
func TestDecodeEverything(t *testing.T) {
	data, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sc := decodeOne(t, string(data), nil)
	c := sc.Cluster
	v := func(s string) Version { return versionOf(t, s) }
	dist := func(d Dist) *Dist { return &d }
	duration := func(d time.Duration) *time.Duration { return &d }
	same(t, "name", []string{sc.Name, sc.Description, sc.Labels["team"]}, []string{"everything", "one of each", "platform"})
	same(t, "versions", []Version{c.Version, c.Kubectl}, []Version{v("1.30"), v("v1.30.1")})
	same(t, "control plane", c.ControlPlane, ControlPlane{
		Replicas: 3, Etcd: EtcdExternal,
		APIServer:              []Version{v("1.31.2"), v("1.30.4"), v("1.30.4")},
		ControllerManager:      []Version{v("1.30.4"), v("1.30.4"), v("1.30.4")},
		Scheduler:              []Version{v("1.30"), v("1.30"), v("1.30")},
		CloudControllerManager: []Version{v("1.29.1"), v("1.29.1"), v("1.29.1")},
		Etcdv:                  []Version{{Major: 3, Minor: 5, Patch: 15}, {Major: 3, Minor: 5, Patch: 15}, {Major: 3, Minor: 5, Patch: 15}},
	})
	same(t, "pool", c.Pools, []NodePool{{
		Name: "general", Count: 4, Zones: []string{"a", "b"}, MaxNodes: 6,
		Allocatable: Resources{CPU: 7500, Memory: 32 << 30, Pods: 50, Other: map[string]int64{"nvidia.com/gpu": 2}},
		Labels:      map[string]string{"disk": "ssd"}, Taints: []Taint{{"dedicated", "web", NoSchedule}},
		Kubelet: v("1.29.3"), KubeProxy: v("1.28.9"),
	}})
	same(t, "node", c.Nodes, []Node{{
		Name: "mini-1", Pool: "mini", Zone: "c", Labels: map[string]string{"arch": "arm64"}, Taints: []Taint{{"slow", "", PreferNoSchedule}},
		Allocatable: Resources{CPU: 4000, Memory: DefaultAllocatable().Memory, Pods: DefaultPodsPerNode},
		Kubelet:     v("1.30.2+k3s1"), KubeProxy: v("1.30.2+k3s1"), Unschedulable: true,
	}})

	one, five := int64(300), intstr.FromString("25%")
	zone, own := PodTerm{TopologyKey: "topology.kubernetes.io/zone"}, PodTerm{TopologyKey: "kubernetes.io/hostname"}
	cache := &LabelSelector{MatchLabels: map[string]string{"app": "cache"}}
	same(t, "workload", c.Workloads[0], Workload{
		Name: "web", Namespace: "shop", Kind: StatefulSet, Count: 1, Replicas: 3, Labels: map[string]string{"app": "web", "tier": "front"},
		Requests: Resources{CPU: 500, Memory: 1 << 30, Other: map[string]int64{"ephemeral-storage": 1 << 30}},
		Startup:  dist(LogNormalDist(20*time.Second, 90*time.Second)), Shutdown: dist(Dist{Kind: Uniform, Min: 5 * time.Second, Max: 15 * time.Second}),
		GracePeriod: time.Minute, MinReady: 10 * time.Second, NeverReady: true, Parallel: true,
		NodeSelector: map[string]string{"disk": "ssd"},
		Tolerations:  []Toleration{{"dedicated", "Equal", "web", NoSchedule, nil}, {"", "Exists", "", NoExecute, &one}},
		NodeAffinity: NodeAffinity{
			Required:  []NodeTerm{{[]Requirement{{"disk", "In", []string{"ssd", "nvme"}}, {"cores", "Gt", []string{"3"}}}}},
			Preferred: []WeightedNodeTerm{{10, NodeTerm{[]Requirement{{"arch", "DoesNotExist", nil}}}}},
		},
		PodAffinity: PodAffinity{
			Required:  []PodTerm{{zone.TopologyKey, cache, []string{"infra"}}},
			Preferred: []WeightedPodTerm{{50, PodTerm{own.TopologyKey, cache, nil}}},
		},
		AntiAffinity: PodAffinity{Required: []PodTerm{own}, Preferred: []WeightedPodTerm{{100, zone}, {7, own}}},
		Spread: []SpreadConstraint{
			{TopologyKey: zone.TopologyKey, MaxSkew: 2, DoNotSchedule: true, HonorTaints: true, IgnoreAffinity: true, MinDomains: 2, Selector: &LabelSelector{
				MatchExpressions: []Requirement{{"app", "NotIn", []string{"x"}}}}},
			{TopologyKey: own.TopologyKey, MaxSkew: 1},
		},
		HostPorts: []int{80, 443}, Priority: -5, NeverPreempts: true, EmptyDir: true,
		Volume:    &Volume{Zonal: true, Attach: dist(Const(10 * time.Second)), Detach: dist(EmpiricalDist(8*time.Second, 9*time.Second, 31*time.Second))},
		Budget:    &Budget{Name: "web", Namespace: "shop", MaxUnavailable: &five, AlwaysAllow: true},
		Placement: []string{"general-1", "mini-1"}, Quorum: 2, CatchUp: dist(LogNormalDist(time.Minute, 10*time.Minute)),
	})
	var kinds []Kind
	for _, w := range c.Workloads[1:] {
		kinds = append(kinds, w.Kind)
	}
	same(t, "kinds", kinds, []Kind{Deployment, ReplicaSet, DaemonSet, Job, BarePod, Static, Custom})
	same(t, "owner", c.Workloads[7].OwnerKind, "StrimziPodSet")
	same(t, "copies", []string{c.Workloads[1].CopyName(0), c.Workloads[1].CopyName(119)}, []string{"app001", "app120"})
	least := intstr.FromInt32(1)
	same(t, "budgets", c.Budgets, []Budget{{Name: "all", Namespace: "shop", Selector: LabelSelector{}, MinAvailable: &least}})

	names := &LabelSelector{MatchLabels: map[string]string{"disk": "ssd"}}
	drain := Drain{DisableEviction: true, Force: true, Evict: EvictParallel, Timeout: 10 * time.Minute, TimeoutCheck: TimeoutAfterRetry, Retry: 6 * time.Second, RetryMax: 48 * time.Second,
		GracePeriod: duration(5 * time.Second), MaxGracePeriod: duration(10 * time.Minute), Attempts: 3, AttemptDelay: 10 * time.Second, PostDrainDelay: time.Minute, OnFailure: DrainForceDelete, OnAPIOutage: APIOutageWait}
	later, quarter := drain, intstr.FromString("25%")
	later.Timeout, later.DisableEviction, later.Evict, later.TimeoutCheck = time.Hour, false, EvictGroups, TimeoutExact
	later.OnFailure, later.MaxSkipped = DrainSkip, &quarter
	how := Procedure{Replace: ReplaceInPlace, MaxUnavailable: intstr.FromString("10%"), MaxSurge: intstr.FromInt32(0), PercentOf: PercentOfStage, AtMost: 9, Slots: SlotsBarrier, NodeOrder: OrderZone,
		Cordon: CordonAll, Taint: PreferNoSchedule, FirstAlone: true, Drain: drain, SoakPerNode: time.Second, Soak: time.Minute,
		NodeGate: &Gate{NodesReady: true, WorkloadsAvailable: true, Timeout: 15 * time.Minute}, Batch: intstr.FromInt32(1)}
	stage := Stage{Procedure: how, OnFailure: GateAbort}
	with := func(change func(*Stage)) Stage {
		s, gate := stage, *stage.NodeGate
		s.NodeGate = &gate
		change(&s)
		return s
	}
	same(t, "upgrade", sc.Upgrade, Upgrade{
		To: v("1.32.1"), Path: []Version{v("1.31.9"), v("1.32.1")},
		Windows: []MaintenanceWindow{{Days: []Weekday{5, 6}, Open: 22 * 60, Close: 4 * 60}, {Days: []Weekday{0, 1, 2, 3, 4, 5, 6}, Open: 90, Close: 24 * 60}},
		Start:   4*24*60 + 18*60, WhenClosed: ClosedFinish,
		ControlPlane: ControlPlaneUpgrade{Order: []string{"cp-3"}, Kubeadm: v("1.32.3"), APIServerDowntime: dist(Const(30 * time.Second)), PerNode: dist(LogNormalDist(4*time.Minute, 9*time.Minute)),
			Replace: ReplaceInPlace, AtOnce: 2, Kubelets: KubeletsAfter, Workers: WorkersBeside, KubeletEndpoint: KubeletLocal, MaxSurge: 1, WaitForCatchUp: true},
		Nodes: NodeUpgrade{
			Strategy: "custom", Procedure: how, Order: []string{"mini-1", "general-4"}, Limit: 4, Pools: PoolsTogether, Lag: []string{"mini"}, MaxLag: 2, Hops: HopsEach,
			Stages: []Stage{
				with(func(s *Stage) {
					s.Name, s.Nodes.Count, s.Soak = "first", 1, 10*time.Minute
					s.Gate, s.OnFailure = &Gate{NodesReady: true, Timeout: time.Minute, AvailableFor: 20 * time.Second, NoRegression: true, ErrorBudget: duration(30 * time.Second)}, GatePause
				}),
				with(func(s *Stage) { s.Name, s.Nodes.Percent, s.Drain, s.OnFailure = "stage-2", 25, later, GateRollback }),
				with(func(s *Stage) {
					s.Name, s.Nodes.Selector, s.Slots, s.Cordon, s.MaxUnavailable = "ssd", names, SlotsWindow, CordonOwn, intstr.FromInt32(2)
					s.PercentOf, s.AtMost, s.NodeOrder, s.Taint, s.FirstAlone, s.NodeGate.Timeout = PercentOfWorkers, 2, OrderName, "", false, time.Minute
				}),
				with(func(s *Stage) {
					s.Name, s.Nodes.Names, s.SoakPerNode = "named", []string{"mini-1"}, 2*time.Second
					s.Replace, s.MaxSurge, s.MaxUnavailable = ReplaceSurge, intstr.FromString("50%"), intstr.FromInt32(0)
					s.SurgePerZone, s.ProvisionTimeout = true, 20*time.Minute
				}),
				with(func(s *Stage) {
					s.Name, s.Nodes.Pool, s.Beside = "pool", "general", true
					s.Replace, s.MaxUnavailable, s.Batch, s.BatchSoak, s.PoolSoak = ReplaceBlueGreen, intstr.FromInt32(0), intstr.FromString("10%"), time.Minute, time.Hour
					s.Cordon, s.SoakPerNode, s.NodeGate = CordonAllFirst, 0, nil
				}),
			},
		},
	})

	a := DefaultAssumptions()
	a.Startup, a.Shutdown = Const(9*time.Second), Dist{Kind: Exponential, Mean: 3 * time.Second}
	a.NodeUpgrade = Dist{Kind: Normal, Mean: 5 * time.Minute, StdDev: 30 * time.Second}
	a.NodeNotReadyWhileUpgrade, a.PodsDownWhileUpgrade = false, false
	a.PodsReadyAfterNode, a.NodeProvision, a.NodeDelete = Const(time.Second), Dist{Kind: Triangular, Min: time.Minute, Mode: 2 * time.Minute, Max: 5 * time.Minute}, Const(3*time.Second)
	a.EtcdCatchUp, a.EtcdRestore = Const(9*time.Second), Const(10*time.Second)
	a.EtcdBackup, a.EtcdRestart, a.APIServerRestart, a.ComponentRestart, a.LeaderElection =
		Const(4*time.Second), Const(5*time.Second), Const(6*time.Second), Const(7*time.Second), Const(8*time.Second)
	a.ControllerLatency, a.SchedulerLatency, a.APILatency, a.TaintLag, a.DeletionLag, a.KubectlStart =
		Const(1*ms), Const(2*ms), Const(3*ms), Const(4*ms), Const(5*ms), Const(6*ms)
	a.DeletionPoll, a.ConflictRetry, a.ControllerQPS, a.ControllerBurst = 2*time.Second, 250*ms, 12.5, 25
	a.KubeletLag, a.KubectlQPS, a.KubectlBurst = Const(7*ms), 0.5, 3
	a.NodeMonitorGrace, a.UnreachableToleration, a.UnsupportedKubelet = 40*time.Second, 30*time.Second, KubeletReportOnly
	a.ForceDetach = 7 * time.Minute
	same(t, "assumptions", sc.Assumptions, a)

	extra := 3
	same(t, "faults", sc.Faults, []Fault{
		{Kind: BadVersion, Version: v("1.32"), WorkloadNames: []string{"shop/web", "app017"}, Probability: 0.5, Forever: true,
			Onset: 20 * time.Second, Effect: EffectBrokenWhileReady, Detection: time.Minute},
		{Kind: BadVersion, Version: v("1.32.1"), WorkloadSelector: &LabelSelector{}, Probability: 1, Forever: true, Effect: EffectNotReady},
		{Kind: ForgottenUncordon, NodeNames: []string{"mini-1"}, Probability: 0.3, Forever: true, Effect: EffectNotReady},
		{Kind: ControllerManagerOutage, At: 90 * time.Second, For: 5 * time.Minute, Probability: 1, Effect: EffectNotReady},
		{Kind: SchedulerOutage, Probability: 1, Forever: true, Effect: EffectNotReady},
		{Kind: APIServerOutage, At: 3 * time.Minute, For: 30 * time.Second, Probability: 1, Effect: EffectNotReady},
		{Kind: NodeFailure, NodeNames: []string{"mini-1"}, At: 10 * time.Minute, For: 20 * time.Minute, Probability: 0.75, Effect: EffectNotReady},
		{Kind: NodeFailure, Zone: "c", Rate: 0.5, Probability: 1, Forever: true, Effect: EffectNotReady},
		{Kind: KubeletCertificates, NodeNames: []string{"general-1"}, Validity: 24 * time.Hour, Age: Dist{Kind: Uniform, Min: time.Hour, Max: 17 * time.Hour}, Probability: 1, Forever: true, Effect: EffectNotReady},
		{Kind: KubeletCertificates, Validity: 8760 * time.Hour, Probability: 1, Forever: true, Effect: EffectNotReady},
		{Kind: ScaleDown, Unneeded: 10 * time.Minute, Probability: 1, Forever: true, Effect: EffectNotReady},
		{Kind: ScaleDown, Pool: "mini", Unneeded: 5 * time.Minute, At: time.Hour, For: 2 * time.Hour, Probability: 1, Effect: EffectNotReady},
		{Kind: SlowImages, Factor: 2.5, At: time.Minute, For: time.Hour, NodeSelector: names, Probability: 1, Effect: EffectNotReady},
		{Kind: SlowImages, Factor: 10, Pool: "mini", Probability: 1, Forever: true, Effect: EffectNotReady},
		{Kind: NoCapacity, At: time.Minute, For: 2 * time.Hour, Zone: "b", Extra: &extra, Probability: 1, Effect: EffectNotReady},
		{Kind: NoCapacity, Pool: "general", Probability: 1, Forever: true, Effect: EffectNotReady},
	})
	surge := 0
	same(t, "objectives", sc.Objectives, Objectives{MaxDowntime: duration(0), MaxAPIDowntime: duration(time.Minute), Window: duration(4 * time.Hour),
		MaxPendingTime: duration(2 * time.Minute), MaxSurgeNodes: &surge, MinReady: map[string]int{"web": 2, "default/app": 1}})
	same(t, "seed", sc.Seed, uint64(77))
}

// Nodes that do not return go with nodes that go away to be upgraded, so not with the surge of everything.yaml.
func TestDecodeNodesThatDoNotReturn(t *testing.T) {
	sc := decodeOne(t, inScenario("faults:\n- {kind: nodeDoesNotReturn, nodes: [general-2]}\n- {kind: nodeDoesNotReturn, nodes: {matchLabels: {disk: ssd}}, probability: 0.25, for: 1h}\n"), nil)
	same(t, "faults", sc.Faults, []Fault{
		{Kind: NodeDoesNotReturn, NodeNames: []string{"general-2"}, Probability: 1, Forever: true, Effect: EffectNotReady},
		{Kind: NodeDoesNotReturn, NodeSelector: &LabelSelector{MatchLabels: map[string]string{"disk": "ssd"}}, Probability: 0.25, For: time.Hour, Effect: EffectNotReady},
	})
}

// A version keeps its text: 1.30 is not the number 1.3.
func TestDecodeFaultsOfNewNodes(t *testing.T) {
	for _, upgrade := range []string{
		"{controlPlane: {replace: machines}, to: 1.34.2}\nfaults: [{kind: nodeDoesNotReturn, nodes: [cp-2-new]}]\n",
		"{to: 1.34.2, nodes: {strategy: blueGreen}}\nfaults: [{kind: nodeFailure, at: 1m, nodes: [general-3-new]}]\n",
		"{to: 1.34.2}\nstrategies: [{name: a}, {name: b, strategy: custom, stages: [{name: s, replace: reimage, maxSurge: 2}]}]\nfaults: [{kind: slowImages, factor: 2, at: 0s, for: 1m, nodes: [general-surge-2]}]\n",
	} {
		decodeOne(t, inScenario("upgrade: "+upgrade), nil)
	}
}

func TestDecodeVersionText(t *testing.T) {
	for text, want := range map[string]Version{
		"1.30": {Major: 1, Minor: 30, Patch: -1}, "'1.30'": {Major: 1, Minor: 30, Patch: -1}, "v1.30.0": {Major: 1, Minor: 30},
		"1.3": {Major: 1, Minor: 3, Patch: -1}, "1.100": {Major: 1, Minor: 100, Patch: -1},
	} {
		sc := decodeOne(t, inScenario("cluster: {version: "+text+"}\n"), nil)
		same(t, text, sc.Cluster.Version, want)
	}
}

func TestDecodePath(t *testing.T) {
	patch := func(minor int) Version {
		v, ok := NewestPatch(minor)
		if !ok {
			t.Fatalf("no patch of 1.%d is known", minor)
		}
		return v
	}
	for _, c := range []struct {
		name, upgrade string
		want          []Version
	}{
		{"filled in", "{to: 1.34.2}", []Version{patch(32), patch(33), versionOf(t, "1.34.2")}},
		{"skipped control plane", "{to: 1.34.2, controlPlane: skip}", nil},
		{"a minor skipped is a finding later", "{to: 1.34.2, path: [1.34.2]}", []Version{versionOf(t, "1.34.2")}},
		{"minors", "{to: 1.33.1, path: [1.32, 1.33]}", []Version{patch(32), versionOf(t, "1.33.1")}},
		{"a downgrade is a finding later", "{to: 1.30.1}", []Version{versionOf(t, "1.30.1")}},
		{"where it stands", "{to: 1.31.4}", []Version{versionOf(t, "1.31.4")}},
	} {
		sc := decodeOne(t, inScenario("cluster: {version: 1.31.4}\nupgrade: "+c.upgrade+"\n"), nil)
		same(t, c.name, sc.Upgrade.Path, c.want)
	}
	// From the oldest API server, whatever the cluster's version.
	sc := decodeOne(t, inScenario("cluster: {version: 1.33.4, controlPlane: {versions: {apiserver: [1.33.4, 1.32.1, 1.33.4]}}}\n"), nil)
	same(t, "mixed", sc.Upgrade.Path, []Version{patch(33), versionOf(t, "1.34.2")})
}

func TestDecodeDocuments(t *testing.T) {
	found, faults := Decode("f.yaml", []byte("---\n# first\n---\n"+inScenario("seed: 7\n")+"---\n"+inScenario("")+"---\n"), nil)
	if len(faults) > 0 || len(found) != 2 {
		t.Fatalf("%d scenarios, %s", len(found), faults.Error())
	}
	same(t, "documents", []int{found[0].Document, found[1].Document}, []int{1, 2})
	same(t, "seeds", []uint64{found[0].Seed, found[1].Seed}, []uint64{7, 1})
}

// The keys of upgrade.controlPlane that exclude each other, each as a strategy of its own.
func TestDecodeControlPlaneUpgrade(t *testing.T) {
	sc := decodeOne(t, inScenario(`upgrade: {to: 1.34.2, controlPlane: {replace: machines, order: [cp-2]}}
strategies:
- {name: surge}
- {name: delete-first, controlPlane: {replace: machines, maxSurge: 0, kubeletEndpoint: loadBalancer}}
- {name: blind, controlPlane: {replace: machines, maxSurge: 0, waitForCatchUp: false, keepEtcdVolume: true, atOnce: 3}}
- {name: emulation, controlPlane: {replace: inPlace, emulation: {soak: 6h, gate: {workloadsAvailable: true, timeout: 3m}}}}
- {name: emulation-gate, controlPlane: {replace: inPlace, emulation: {soak: 0s, gate: {}}}}
- {name: kubespray, controlPlane: {kubelets: with, kubeletEndpoint: local}}
- {name: skip, to: 1.33.4, controlPlane: skip}
`), nil)
	var got []ControlPlaneUpgrade
	for _, s := range sc.Strategies {
		got = append(got, s.Upgrade.ControlPlane)
	}
	same(t, "procedures", got, []ControlPlaneUpgrade{
		{Backup: true, Replace: ReplaceMachines, Order: []string{"cp-2"}, AtOnce: 1, Kubelets: KubeletsAfter, Workers: WorkersAfter, MaxSurge: 1, WaitForCatchUp: true},
		{Backup: true, Replace: ReplaceMachines, AtOnce: 1, Kubelets: KubeletsAfter, Workers: WorkersAfter, WaitForCatchUp: true, KubeletEndpoint: KubeletLoadBalancer},
		{Backup: true, Replace: ReplaceMachines, AtOnce: 3, Kubelets: KubeletsAfter, Workers: WorkersAfter, KeepEtcdVolume: true},
		{Backup: true, Replace: ReplaceInPlace, AtOnce: 1, Kubelets: KubeletsAfter, Workers: WorkersAfter, MaxSurge: 1, WaitForCatchUp: true, Emulation: &Emulation{Soak: 6 * time.Hour, Gate: &EmulationGate{Timeout: 3 * time.Minute}}},
		{Backup: true, Replace: ReplaceInPlace, AtOnce: 1, Kubelets: KubeletsAfter, Workers: WorkersAfter, MaxSurge: 1, WaitForCatchUp: true, Emulation: &Emulation{Gate: &EmulationGate{Timeout: 10 * time.Minute}}},
		{Backup: true, Replace: ReplaceInPlace, AtOnce: 1, Kubelets: KubeletsWith, Workers: WorkersAfter, KubeletEndpoint: KubeletLocal, MaxSurge: 1, WaitForCatchUp: true},
		{Skip: true},
	})
}

func TestDecodeControlPlaneNodes(t *testing.T) {
	two := "cluster: {version: 1.33.4, nodes: [{name: m1, labels: {node-role.kubernetes.io/control-plane: ''}}, {name: w1}]}\n"
	sc := decodeOne(t, inScenario(two), nil)
	same(t, "described", sc.Cluster.ControlPlaneNodes(), []string{"m1"})
	same(t, "replicas", sc.Cluster.ControlPlane.Replicas, 1)
	same(t, "made", decodeOne(t, inScenario("cluster: {version: 1.33.4, controlPlane: {replicas: 2}}\n"), nil).Cluster.ControlPlaneNodes(), []string{"cp-1", "cp-2"})
	sc = decodeOne(t, inScenario("cluster: {version: 1.33.4, controlPlane: {managed: true}}\n"), nil)
	same(t, "managed", len(sc.Cluster.ControlPlaneNodes()), 0)
	same(t, "managed backup", sc.Upgrade.ControlPlane.Backup, false)
}

func TestDecodeAliasesAndMerges(t *testing.T) {
	sc := decodeOne(t, inScenario(`cluster:
  version: 1.33.4
  nodePools:
  - &pool {name: a, count: 1, labels: &l {disk: ssd}}
  - {<<: *pool, name: b, labels: {<<: *l, disk: hdd, arch: arm64}}
  - {<<: [{count: 2}, *pool], name: c}
`), nil)
	p := sc.Cluster.Pools
	same(t, "labels", p[1].Labels, map[string]string{"disk": "hdd", "arch": "arm64"})
	same(t, "counts", []int{p[0].Count, p[1].Count, p[2].Count}, []int{1, 1, 2})
}

func TestDecodeStrategies(t *testing.T) {
	sc := decodeOne(t, inScenario(`upgrade:
  to: 1.34.2
  controlPlane: {apiserverDowntime: 9s}
  nodes:
    strategy: canary
    maxUnavailable: 2
    drain: {timeout: 5m, force: true}
    stages: [{name: one, nodes: {count: 1}}]
strategies:
- name: as-it-is
- {name: faster, maxUnavailable: 50%, drain: {timeout: 1m}, controlPlane: skip}
- {name: rolling, strategy: rolling, slots: barrier}
- {name: at-once, strategy: allAtOnce}
- {name: further, to: 1.35.1, nodes: {soak: 1m}}
- {name: other-canary, stages: [{name: two, nodes: {count: 2}}]}
`), nil)
	by := map[string]Upgrade{}
	for _, s := range sc.Strategies {
		by[s.Name] = s.Upgrade
	}
	same(t, "as it is", by["as-it-is"], sc.Upgrade)
	faster := by["faster"]
	same(t, "faster", faster.Nodes.MaxUnavailable, intstr.FromString("50%"))
	same(t, "faster's stage", faster.Nodes.Stages[0].MaxUnavailable, intstr.FromString("50%"))
	same(t, "faster's drain", []any{faster.Nodes.Drain.Timeout, faster.Nodes.Drain.Force}, []any{time.Minute, true})
	same(t, "faster's control plane", []any{faster.ControlPlane.Skip, len(faster.Path)}, []any{true, 0})
	same(t, "the upgrade's own drain", sc.Upgrade.Nodes.Drain.Timeout, 5*time.Minute)
	rolling := by["rolling"].Nodes
	same(t, "rolling", []any{rolling.Strategy, len(rolling.Stages), rolling.MaxUnavailable, rolling.Slots}, []any{"rolling", 0, intstr.FromInt32(2), SlotsBarrier})
	same(t, "at once", by["at-once"].Nodes.MaxUnavailable, intstr.FromString("100%"))
	same(t, "further", []any{by["further"].To, len(by["further"].Path), by["further"].Nodes.Soak, by["further"].Nodes.Stages[0].Name},
		[]any{versionOf(t, "1.35.1"), 2, time.Minute, "one"})
	same(t, "other canary", by["other-canary"].Nodes.Stages[0].Nodes.Count, 2)
}

// The keys of a strategies entry are those of an upgrade and of its nodes; none may mean two things.
func TestStrategyKeysAreDistinct(t *testing.T) {
	d := &decoder{}
	var u Upgrade
	seen := map[string]bool{"name": true}
	for _, name := range append(fieldNames(d.upgradeFields(&u)), fieldNames(d.nodeUpgradeFields(&u.Nodes))...) {
		if seen[name] {
			t.Errorf("%s stands for two things", name)
		}
		seen[name] = true
	}
}

func TestDecodeFrom(t *testing.T) {
	v, old := versionOf(t, "v1.33.4"), versionOf(t, "v1.32.9")
	base := &Cluster{
		Version:      v,
		ControlPlane: ControlPlane{Replicas: 3, APIServer: []Version{v, old, v}},
		Nodes:        []Node{{Name: "n1", Zone: "a", Kubelet: old, Ready: true}, {Name: "n2", Kubelet: old, Ready: true}},
		Workloads: []Workload{{Name: "web", Namespace: "default", Kind: Deployment, Count: 1, Replicas: 2, GracePeriod: 7 * time.Second,
			Existing: []ExistingPod{{Name: "web-a", Node: "n1", Ready: true}, {Name: "web-b", Node: "n2", Ready: true}}}},
		Budgets: []Budget{{Name: "web", Namespace: "default", Selector: LabelSelector{MatchLabels: map[string]string{"app": "web"}}, MinAvailable: &intstr.IntOrString{IntVal: 1}}},
		Notes:   []Finding{{Code: VersionInferred}},
	}
	var asked []string
	from := func(paths []string) (*Cluster, error) { asked = paths; return base, nil }
	sc := decodeOne(t, inScenario(`cluster:
  version: v1.33.8
  from: [nodes.yaml, pods.json]
  nodes: [{name: n2, unschedulable: true}, {name: n3}]
  workloads: [{name: web, startup: 20s}, {name: extra}]
  podDisruptionBudgets: [{name: web, maxUnavailable: 1}]
`), from)
	c := sc.Cluster
	same(t, "paths", asked, []string{"nodes.yaml", "pods.json"})
	written := versionOf(t, "v1.33.8")
	same(t, "API servers", c.ControlPlane.APIServer, []Version{written, old, written})
	same(t, "overridden node", c.Nodes[1], Node{Name: "n2", Kubelet: old, KubeProxy: old, Ready: true, Unschedulable: true})
	same(t, "added node", c.Nodes[2].Kubelet, written)
	same(t, "workload", []any{c.Workloads[0].GracePeriod, c.Workloads[0].Startup.Value, len(c.Workloads[0].Existing), c.Workloads[1].Name}, []any{7 * time.Second, 20 * time.Second, 2, "extra"})
	same(t, "budget", []any{c.Budgets[0].MinAvailable == nil, c.Budgets[0].MaxUnavailable.IntVal, c.Budgets[0].Selector.MatchLabels["app"]}, []any{true, int32(1), "web"})
	same(t, "notes", len(c.Notes), 1)
	same(t, "what was given", []any{base.Nodes[1].Unschedulable, base.Workloads[0].Startup == nil, base.ControlPlane.APIServer[0]}, []any{false, true, v})

	same(t, "version of the files", decodeOne(t, inScenario("cluster: {from: [a]}\n"), from).Cluster.Version, v)
	_, faults := Decode("f.yaml", []byte(inScenario("cluster: {from: [a]}\n")), func([]string) (*Cluster, error) { return nil, errors.New("a: no such file") })
	if len(faults) != 1 || !strings.Contains(faults[0].Message, "from: a: no such file") || faults[0].Line != 5 {
		t.Errorf("%s", faults.Error())
	}
	_, faults = Decode("f.yaml", []byte(inScenario("cluster: {from: [a]}\n")), func([]string) (*Cluster, error) { return &Cluster{}, nil })
	if len(faults) != 1 || !strings.Contains(faults[0].Message, "do not say the cluster's version") {
		t.Errorf("%s", faults.Error())
	}
}

func TestMinReadyForAll(t *testing.T) {
	sc := decodeOne(t, inScenario("cluster: {version: 1.33.4, workloads: [{name: a, replicas: 3}, {name: b}, {name: c, kind: DaemonSet}, {name: d, count: 2, replicas: 2}]}\nobjectives: {minReady: 2}\n"), nil)
	same(t, "minReady", sc.Objectives.MinReady, map[string]int{"default/a": 2, "default/d": 2})
	w := sc.Cluster.Workloads
	same(t, "by copy", []int{sc.Objectives.MinReadyOf(&w[0], 0), sc.Objectives.MinReadyOf(&w[1], 0), sc.Objectives.MinReadyOf(&w[3], 1)}, []int{2, 0, 2})
}

func TestAnswers(t *testing.T) {
	w := Workload{Name: "app", Namespace: "shop", Count: 12}
	for reference, want := range map[string]bool{"app": true, "shop/app": true, "app02": true, "shop/app02": true, "app01": false, "app2": false, "other/app": false, "app13": false} {
		if got := w.Answers(reference, 1); got != want {
			t.Errorf("%s: %v", reference, got)
		}
	}
	for name, want := range map[string]bool{"app12": true, "app01": true, "app13": false, "app00": false, "app1": false, "app": false, "app001": false} {
		if got := w.hasCopy(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Three hundred thousand workloads are one entry; nothing is made of them here.
func TestDecodeDoesNotExpand(t *testing.T) {
	file := []byte(inScenario("cluster: {version: 1.33.4, nodePools: [{name: general, count: 100000}], workloads: [{name: app, count: 300000, replicas: 10}]}\n"))
	allocated := testing.AllocsPerRun(5, func() { Decode("f.yaml", file, nil) })
	if allocated > 400 {
		t.Errorf("%v allocations", allocated)
	}
}

// An entry's drain leaves behind what its own keys have no use for.
func TestDecodeDrainOverAnother(t *testing.T) {
	sc := decodeOne(t, inScenario(`upgrade:
  to: 1.34.2
  nodes: {drain: {evict: groups, timeout: 5m, timeoutCheck: exact, attempts: 3, attemptDelay: 10s, force: true, onFailure: skip, maxSkipped: 2}}
strategies:
- {name: waits, drain: {onFailure: wait}}
- {name: fails, drain: {onFailure: fail}}
- {name: once, drain: {attempts: 1}}
- {name: endless, drain: {timeout: 0s}}
- {name: deletes, drain: {disableEviction: true}}
- {name: same}
`), nil)
	two := intstr.FromInt32(2)
	base := DefaultDrain()
	base.Evict, base.Timeout, base.TimeoutCheck, base.Attempts, base.AttemptDelay = EvictGroups, 5*time.Minute, TimeoutExact, 3, 10*time.Second
	base.Force, base.OnFailure, base.MaxSkipped = true, DrainSkip, &two
	with := func(change func(*Drain)) Drain { d := base; change(&d); return d }
	var got []Drain
	for _, u := range sc.Strategies {
		got = append(got, u.Upgrade.Nodes.Drain)
	}
	same(t, "drains", got, []Drain{
		with(func(d *Drain) { d.OnFailure, d.MaxSkipped, d.Attempts = DrainWait, nil, 1 }),
		with(func(d *Drain) { d.OnFailure, d.MaxSkipped = DrainFail, nil }),
		with(func(d *Drain) { d.Attempts, d.AttemptDelay = 1, 0 }),
		with(func(d *Drain) { d.Timeout, d.TimeoutCheck = 0, TimeoutAfterRetry }),
		with(func(d *Drain) { d.DisableEviction, d.Evict = true, EvictParallel }),
		base,
	})
}

// Seconds may stand as Kubernetes and kubectl write them, without a unit.
func TestDecodeGracePeriodInSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{"5": 5 * time.Second, "0": 0, "90s": 90 * time.Second} {
		sc := decodeOne(t, inNodes("drain: {gracePeriod: "+text+"}"), nil)
		if got := sc.Upgrade.Nodes.Drain.GracePeriod; got == nil || *got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// A file that is too big is refused before anything is parsed or copied.
func TestDecodeRefusesBigFilesAtOnce(t *testing.T) {
	big := make([]byte, 200<<20)
	for i := range big {
		big[i] = '#'
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, faults := Decode("big.yaml", big, nil)
	runtime.ReadMemStats(&after)
	if len(faults) != 1 || !strings.Contains(faults[0].Message, "has 200 MiB; at most 64 MiB are read") {
		t.Errorf("%s", faults.Error())
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes allocated", used)
	}
}

func TestDecodeRefusesBombs(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("l0: &l0 [a, a, a, a, a, a, a, a, a, a]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&laughs, "l%d: &l%d [%s*l%d]\n", i, i, strings.Repeat(fmt.Sprintf("*l%d, ", i-1), 9), i-1)
	}
	text := "a: &a \"" + strings.Repeat("x", 1<<20) + "\"\nb: [" + strings.Repeat("*a, ", 100) + "*a]\n"
	for _, c := range []struct{ name, file, want string }{
		{"aliases of aliases", laughs.String(), "aliases expand to more than"},
		{"aliases of a long text", text, "aliases expand to more than"},
		{"deep flow", strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "nested more than 100 deep"},
		{"deeper than the parser goes", strings.Repeat("[", 200000), "exceeded max depth"},
		{"many values", "[" + strings.Repeat("1,", 2_100_000) + "1]", "holds more than 2000000 values"},
		{"UTF-16", "\xff\xfea\x00", "UTF-16"},
		{"gzip", "\x1f\x8b\x08", "compressed"},
		{"binary", "kind: Scenario\n\x7fELF\x00\x01", "it holds a NUL byte"},
		{"NUL", "kind: Scenario\nab\x00", "it holds a NUL byte"},
		{"Latin-1", "kind: Scenario\n# caf\xe9\n", "not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, faults := Decode("f.yaml", []byte(c.file), nil)
			if found != nil || len(faults) != 1 || !strings.Contains(faults[0].Message, c.want) {
				t.Errorf("%s", faults.Error())
			}
			if _, err := YAMLToJSON([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("YAMLToJSON: %v", err)
			}
		})
	}
}

// BenchmarkDecode reads the file with every key of the format.
func BenchmarkDecode(b *testing.B) {
	data, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, faults := Decode("f.yaml", data, nil); len(faults) > 0 {
			b.Fatal(faults)
		}
	}
}
