package model

// assumptions reads the numbers that a simulator cannot know; what is not
// written keeps its default.
func (d *decoder) assumptions(n *node) {
	a := &d.sc.Assumptions
	d.object(n,
		may("startup", d.dist(&a.Startup)),
		may("shutdown", d.dist(&a.Shutdown)),

		may("nodeUpgrade", d.dist(&a.NodeUpgrade)),
		may("nodeNotReadyWhileUpgrading", d.boolean(&a.NodeNotReadyWhileUpgrade)),
		may("podsDownWhileUpgrading", d.boolean(&a.PodsDownWhileUpgrade)),
		may("podsReadyAfterNode", d.dist(&a.PodsReadyAfterNode)),
		may("nodeProvision", d.dist(&a.NodeProvision)),
		may("nodeDelete", d.dist(&a.NodeDelete)),

		may("etcdBackup", d.dist(&a.EtcdBackup)),
		may("etcdRestart", d.dist(&a.EtcdRestart)),
		may("etcdCatchUp", d.dist(&a.EtcdCatchUp)),
		may("etcdRestore", d.dist(&a.EtcdRestore)),
		may("apiserverRestart", d.dist(&a.APIServerRestart)),
		may("componentRestart", d.dist(&a.ComponentRestart)),
		may("leaderElection", d.dist(&a.LeaderElection)),

		may("controllerLatency", d.dist(&a.ControllerLatency)),
		may("schedulerLatency", d.dist(&a.SchedulerLatency)),
		may("apiLatency", d.dist(&a.APILatency)),
		may("taintLag", d.dist(&a.TaintLag)),
		may("deletionLag", d.dist(&a.DeletionLag)),
		may("kubeletLag", d.dist(&a.KubeletLag)),
		may("kubectlStart", d.dist(&a.KubectlStart)),
		may("kubectlQPS", d.number(&a.KubectlQPS, leastQPS, 1e6, true)),
		may("kubectlBurst", d.integer(&a.KubectlBurst, 1, 1e6)),
		may("deletionPoll", d.durationFrom(&a.DeletionPoll, ms)),
		may("conflictRetry", d.durationFrom(&a.ConflictRetry, ms)),
		may("controllerQPS", d.number(&a.ControllerQPS, leastQPS, 1e6, true)),
		may("controllerBurst", d.integer(&a.ControllerBurst, 1, 1e6)),

		may("nodeMonitorGrace", d.duration(&a.NodeMonitorGrace)),
		may("unreachableToleration", d.duration(&a.UnreachableToleration)),
		may("forceDetach", d.duration(&a.ForceDetach)),

		may("unsupportedKubelet", oneOf(d, &a.UnsupportedKubelet, "", KubeletLost, KubeletReportOnly)),
	)
	if v := n.get("podsDownWhileUpgrading"); v != nil && n.get("nodeNotReadyWhileUpgrading") != nil && a.PodsDownWhileUpgrade && !a.NodeNotReadyWhileUpgrade {
		d.fault(v, "does nothing with `nodeNotReadyWhileUpgrading: false`, where the pods of a node that stays Ready stay up; remove one of the two")
	}
}

// leastQPS bounds a client's rate from below: one request in a thousand seconds.
const leastQPS = 0.001
