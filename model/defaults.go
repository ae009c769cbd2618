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

		// A snapshot of a few hundred megabytes and its copy.
		EtcdBackup: Const(30 * time.Second),
		// kubeadm users saw an etcd member away for a little more than 20 s.
		EtcdRestart: Const(20 * time.Second),
		// A static pod swap: the manifest is seen within 20 s and the new server answers.
		APIServerRestart: Const(20 * time.Second),
		ComponentRestart: Const(5 * time.Second),
		// The lease of controller-manager and scheduler lasts 15 s.
		LeaderElection: Const(15 * time.Second),

		// Measured: deletion timestamp to replacement created 10 ms, at most 40; Ready to allowance raised 10 ms, at most 39.
		ControllerLatency: LogNormalDist(10*ms, 40*ms),
		// Measured: created to bound 8 ms, at most 65.
		SchedulerLatency: LogNormalDist(8*ms, 60*ms),
		// Measured: a refused eviction takes 5 ms, an accepted one writes the budget about 4 ms after receipt.
		APILatency: LogNormalDist(3*ms, 12*ms),
		// Measured: cordon to unschedulable taint 10 ms, at most 94.
		TaintLag: LogNormalDist(10*ms, 80*ms),
		// Measured: eviction received to deletion timestamp 19 ms, of which the budget's write takes about 4.
		DeletionLag: LogNormalDist(12*ms, 60*ms),
		// Measured: 50 to 100 ms for each call of kubectl.
		KubectlStart: Dist{Kind: Uniform, Min: 60 * ms, Max: 110 * ms},
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

		UnsupportedKubelet: KubeletLost,
	}
}

// DefaultDrain are the drain options used where a scenario gives none; retry and poll are kubectl's own.
func DefaultDrain() Drain {
	return Drain{IgnoreDaemonSets: true, DeleteEmptyDirData: true, Retry: 5 * time.Second, OnFailure: DrainFail}
}
