package model

import "time"

const ms = time.Millisecond

// DefaultAssumptions are the numbers used where a scenario gives none. "Measured" means on a real Kubernetes
// 1.34.4 control plane with default settings (recordings under bench/testdata/traces); medians and 99th percentiles.
func DefaultAssumptions() Assumptions {
	return Assumptions{
		// Pods of public clusters, created to Ready without restarts: median 10 s (193 pods of public dumps).
		Startup: Const(10 * time.Second),
		// Most containers stop on SIGTERM well within the 30 s grace period that 95 % of pods have.
		Shutdown: Const(2 * time.Second),
		// Reports of kubeadm, Talos and EKS users agree on about 5 minutes a node.
		NodeUpgrade:              Const(5 * time.Minute),
		NodeNotReadyWhileUpgrade: true,
		PodsDownWhileUpgrade:     true,
		// Measured: pods Ready 0.95 s after the kubelet started, the node 0.06 s after.
		PodsReadyAfterNode: Const(900 * ms),

		// The FAQ of cluster-autoscaler expects 3 to 4 minutes from asking a cloud for a node until pods can be
		// scheduled on it (https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md).
		NodeProvision: Const(3 * time.Minute),
		// A drained node is out of the cluster as soon as its object is deleted.
		NodeDelete: Const(0),

		// A snapshot of a few hundred megabytes and its copy.
		EtcdBackup: Const(30 * time.Second),
		// kubeadm users saw an etcd member away for a little more than 20 s.
		EtcdRestart: Const(20 * time.Second),
		// A learner gets a snapshot of the leader's data, of which etcd holds 2 GB by default and 8 GB at most, then the
		// log; kubeadm asks for its promotion every few seconds. Some hundred megabytes take about half a minute.
		EtcdCatchUp: Const(30 * time.Second),
		// By hand, after a runbook: the API servers are stopped, the snapshot is copied to every member and restored there (a
		// minute or two each), etcd is started, then the older components; some ten minutes for three instances.
		EtcdRestore: Const(10 * time.Minute),
		// An instance is out while its etcd member and then its own static pod are swapped, about 20 s each.
		APIServerRestart: Const(40 * time.Second),
		ComponentRestart: Const(5 * time.Second),
		// The lease of controller-manager and scheduler lasts 15 s.
		LeaderElection: Const(15 * time.Second),

		// Measured: deletion timestamp to replacement created 8 ms, at most 40; Ready to allowance raised 8 ms, at most 39.
		ControllerLatency: LogNormalDist(8*ms, 38*ms),
		// Measured: created to bound 7 ms, at most 65.
		SchedulerLatency: LogNormalDist(7*ms, 40*ms),
		// Measured: an accepted eviction's budget is written about 9 ms after receipt; two that are received within
		// 10 ms of each other meet in that gap nine times of ten.
		APILatency: LogNormalDist(9*ms, 30*ms),
		// Measured: cordon to unschedulable taint 10 ms, nine of ten within 26.
		TaintLag: LogNormalDist(10*ms, 50*ms),
		// Measured: budget written to deletion timestamp seen 9 ms, nine of ten within 22.
		DeletionLag: LogNormalDist(9*ms, 45*ms),
		// Measured: bound to Ready 23 ms, deleted to gone 11 ms longer than the pod itself takes.
		KubeletLag: LogNormalDist(15*ms, 60*ms),
		// Measured on 153 calls of kubectl: 53 ms at least, 95 in the median, nine of ten within 184.
		KubectlStart: LogNormalDist(95*ms, 300*ms),
		// client-go's defaults, which kubectl drain leaves as they are: evictions and the looks whether a pod is gone
		// share them. With them 41 of 50 recorded drains of eight pods end within 60 ms of the replay, without 17.
		KubectlQPS:   5,
		KubectlBurst: 10,
		// kubectl looks once a second whether a pod is gone.
		DeletionPoll: time.Second,
		// The API server tries again every 500 ms after a write conflict, at most 20 times.
		ConflictRetry: 500 * ms,
		// The default client limits of each controller in kube-controller-manager.
		ControllerQPS:   20,
		ControllerBurst: 30,

		// node-monitor-grace-period since Kubernetes 1.32.
		NodeMonitorGrace: 50 * time.Second,
		// The toleration that admission gives every pod for not-ready and unreachable nodes.
		UnreachableToleration: 300 * time.Second,
		// "In any situation where a pod deletion has not succeeded for 6 minutes, Kubernetes will force detach volumes":
		// https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#storage-force-detach-on-timeout
		ForceDetach: 6 * time.Minute,

		UnsupportedKubelet: KubeletLost,
	}
}

// DefaultDrain are the drain options used where a scenario gives none; retry and poll are kubectl's own.
func DefaultDrain() Drain {
	return Drain{IgnoreDaemonSets: true, DeleteEmptyDirData: true, Evict: EvictParallel, TimeoutCheck: TimeoutAfterRetry,
		Retry: 5 * time.Second, Attempts: 1, OnFailure: DrainFail, OnAPIOutage: APIOutageFail}
}

// DefaultGate is the gate of a canary's stages where a scenario gives none.
func DefaultGate() Gate {
	return Gate{NodesReady: true, WorkloadsAvailable: true, Timeout: 10 * time.Minute}
}

// DefaultCanarySoak is how long the first stage of a canary is watched where a scenario does not say.
const DefaultCanarySoak = 10 * time.Minute

// DefaultControlPlaneReplicas is the number of API server instances where nothing says it.
const DefaultControlPlaneReplicas = 3

// DefaultAllocatable is what a node has where a scenario does not say: room
// that no workload fills, for the kubelet's default number of pods.
func DefaultAllocatable() Resources {
	return Resources{CPU: maxCores * 1000, Memory: maxMemory, Pods: DefaultPodsPerNode}
}
