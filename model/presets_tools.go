package model

const (
	kubeadmGuide = "kubernetes.io, Upgrading kubeadm clusters"
	kopsRolling  = "kops docs/operations/rolling-update.md"
	kopsGroups   = "kops pkg/instancegroups/instancegroups.go"
	kopsCommand  = "kops cmd/kops/rolling-update_cluster.go"
	kopsSettings = "kops pkg/instancegroups/settings.go"
	sprayDefault = "kubespray roles/upgrade/pre-upgrade/defaults/main.yml"
	sprayTasks   = "kubespray roles/upgrade/pre-upgrade/tasks/main.yml"
	sprayBook    = "kubespray playbooks/upgrade_cluster.yml"
	sucTypes     = "system-upgrade-controller pkg/apis/upgrade.cattle.io/v1/types.go"
	sucJob       = "system-upgrade-controller pkg/upgrade/job/job.go"
)

// clusterToolPresets are tools that upgrade a cluster that is there.
var clusterToolPresets = []Preset{
	{
		Name: "kubeadm", System: true,
		About: "By hand with kubeadm's guide: node by node, drained by kubectl, which waits as long as a budget refuses.",
		Docs: []string{
			"https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/kubeadm-upgrade/",
			"kubernetes/kubectl pkg/drain/drain.go",
		},
		Settings: []Setting{
			said("nodes.replace", "inPlace", kubeadmGuide+", Upgrade worker nodes"),
			said("nodes.maxUnavailable", "1", kubeadmGuide+": one node at a time, or a few"),
			assumed("nodes.nodeOrder", "name", "left to whoever types the commands"),
			said("nodes.cordon", "own", kubectlDrain+": kubectl drain cordons its node"),
			said("nodes.hops", "each", kubeadmGuide+": a minor at a time, workers included"),
			said("nodes.drain.ignoreDaemonSets", "true", kubeadmGuide+": kubectl drain NODE --ignore-daemonsets"),
			said("nodes.drain.deleteEmptyDirData", "false", kubeadmGuide+": the flag is not given"),
			said("nodes.drain.force", "false", kubeadmGuide+": the flag is not given"),
			said("nodes.drain.timeout", "0s", kubectlDrain+", --timeout: none"),
			said("nodes.drain.retry", "5s", kubectlDrain+", after a 429"),
			said("nodes.drain.onFailure", "fail", kubectlDrain+": an error, and the node stays cordoned"),
		},
	},
	{
		Name: "kops", System: true,
		About: "kOps rolling-update: the group's last node is detached so that a new one comes, the cluster is validated after each node.",
		Docs: []string{
			"kubernetes/kops docs/operations/rolling-update.md", "kubernetes/kops pkg/instancegroups/instancegroups.go, settings.go",
			"kubernetes/kops cmd/kops/rolling-update_cluster.go",
		},
		Settings: []Setting{
			said("controlPlane.replace", "machines", kopsGroups+": the control plane's group goes before the nodes'"),
			said("controlPlane.maxSurge", "0", kopsSettings+": a control plane does not surge"),
			said("controlPlane.keepEtcdVolume", "true", "kops docs, etcd: members keep their volumes, which etcd-manager attaches to the new instance"),
			said("nodes.replace", "detachSurge", kopsGroups+": the last maxSurge instances are detached and handled last"),
			said("nodes.maxSurge", "1", kopsSettings+": 1 on AWS; rounded up"),
			said("nodes.maxUnavailable", "0", kopsSettings+": 0 with a surge; rounded down, at least 1"),
			said("nodes.percentOf", "stage", kopsSettings+": of the group"),
			said("nodes.slots", "window", kopsGroups+": the next node as one is done and the cluster is valid"),
			said("nodes.pools", "sequential", kopsCommand+": one group strictly after another"),
			assumed("nodes.nodeOrder", "name", "the order in which the cloud lists the group's instances"),
			said("nodes.firstAlone", "true", kopsGroups+": the first alone where no node has the new spec yet"),
			said("nodes.taint", "PreferNoSchedule", kopsGroups+": all nodes that need the update"),
			said("nodes.soakPerNode", "15s", kopsCommand+", --node-interval"),
			said("nodes.nodeGate.nodesReady", "true", kopsGroups+": the cluster is validated after each node"),
			assumed("nodes.nodeGate.workloadsAvailable", "false", "validation looks at nodes and at system-critical pods, not at workloads"),
			said("nodes.nodeGate.timeout", "15m", kopsCommand+", --validation-timeout"),
			said("nodes.hops", "each", kopsRolling+": adjacent minors, the whole cluster each time"),
			said("nodes.drain.ignoreDaemonSets", "true", kopsGroups+", the drain helper"),
			said("nodes.drain.deleteEmptyDirData", "true", kopsGroups+", the drain helper"),
			said("nodes.drain.force", "true", kopsGroups+", the drain helper"),
			said("nodes.drain.retry", "5s", kubectlDrain+", which kOps uses"),
			said("nodes.drain.timeout", "15m", kopsCommand+", --drain-timeout"),
			said("nodes.drain.postDrainDelay", "5s", kopsCommand+", --post-drain-delay"),
			said("nodes.drain.onFailure", "failStage", kopsCommand+", --fail-on-drain-error: the group stops, the next ones still go, and the command fails"),
		},
		Differs: []string{
			"Groups go in alphabetic order there, in the scenario's order here.",
			"A validation needs two successes in a row there (validate-count), ten seconds apart.",
			"Fifteen seconds pass there after each node of the control plane too (--control-plane-interval).",
		},
	},
	{
		Name: "kubespray", System: true,
		About: "kubespray upgrade_cluster.yml: a fifth of the workers at a time, three tries of a drain, and the play fails.",
		Docs: []string{
			"kubernetes-sigs/kubespray playbooks/upgrade_cluster.yml",
			"kubernetes-sigs/kubespray roles/upgrade/pre-upgrade/defaults/main.yml, tasks/main.yml",
			"kubernetes-sigs/kubespray docs/operations/upgrades.md",
		},
		Settings: []Setting{
			said("controlPlane.kubelets", "with", sprayBook+": one host of the control plane after another, drain, components and kubelet"),
			assumed("controlPlane.kubeletEndpoint", "local", "a host of the control plane is pointed at its own API server, unless a load balancer of the operator's is set"),
			said("nodes.replace", "inPlace", sprayBook),
			said("nodes.maxUnavailable", "20%", sprayBook+", serial"),
			said("nodes.percentOf", "workers", sprayBook+", serial: of the hosts of the play; Ansible rounds down, at least to 1"),
			said("nodes.slots", "barrier", sprayBook+": a batch ends before the next begins"),
			said("nodes.pools", "together", sprayBook+": the play knows no pools"),
			assumed("nodes.nodeOrder", "name", "the order of the inventory"),
			said("nodes.cordon", "own", sprayTasks),
			said("nodes.hops", "each", "kubespray docs/operations/upgrades.md: no minor may be skipped"),
			said("nodes.drain.ignoreDaemonSets", "true", sprayTasks+", the command"),
			said("nodes.drain.deleteEmptyDirData", "true", sprayTasks+", the command"),
			said("nodes.drain.force", "true", sprayTasks+", the command"),
			said("nodes.drain.gracePeriod", "300s", sprayDefault+", drain_grace_period"),
			said("nodes.drain.timeout", "360s", sprayDefault+", drain_timeout"),
			said("nodes.drain.retry", "5s", kubectlDrain+", after a 429"),
			said("nodes.drain.attempts", "3", sprayDefault+", drain_retries"),
			said("nodes.drain.attemptDelay", "10s", sprayDefault+", drain_retry_delay_seconds"),
			said("nodes.drain.onFailure", "uncordonAndFail", sprayDefault+", upgrade_node_uncordon_after_drain_failure, upgrade_node_fail_if_drain_fails"),
		},
		Differs: []string{
			"Plays of the network plugin over all hosts, in batches of a fifth, come before the workers'.",
			"Ansible's task executor counts retries without the first try, by which drain_retries would be four tries in all; kubespray's documents speak of three. Write `drain: {attempts: 4}` to follow Ansible.",
		},
	},
	{
		Name: "system-upgrade-controller", System: true,
		About: "Rancher's system-upgrade-controller with the agents' plan of K3s and RKE2: a Job on each node, two at a time.",
		Docs: []string{
			"rancher/system-upgrade-controller pkg/apis/upgrade.cattle.io/v1/types.go, pkg/upgrade/job/job.go, pkg/upgrade/plan/plan.go",
			"rancher/rke2-docs, Automated upgrades",
		},
		Settings: []Setting{
			said("nodes.replace", "inPlace", sucJob+": a Job on the node"),
			said("nodes.maxUnavailable", "2", "rke2-docs, Automated upgrades: concurrency of the agents' plan; the API has no default"),
			said("nodes.slots", "window", "system-upgrade-controller pkg/upgrade/plan/plan.go, SelectConcurrentNodes"),
			said("nodes.pools", "together", sucTypes+": a plan selects nodes by labels"),
			said("nodes.nodeOrder", "random", "system-upgrade-controller pkg/upgrade/plan/plan.go: by a hash of node, plan and version"),
			said("nodes.cordon", "own", sucTypes+": a drain implies it"),
			said("nodes.hops", "each", "rke2-docs, Automated upgrades: no minor should be skipped"),
			said("nodes.drain.ignoreDaemonSets", "true", sucTypes+", DrainSpec: true unless set"),
			said("nodes.drain.deleteEmptyDirData", "true", sucTypes+", DrainSpec: true unless set"),
			said("nodes.drain.force", "true", "rke2-docs, Automated upgrades: the agents' plan drains with force"),
			said("nodes.drain.retry", "5s", kubectlDrain+", which the Job runs"),
			assumed("nodes.drain.timeout", "600s", "the Job's deadline (job.go), which the drain shares with the upgrade itself"),
			assumed("nodes.drain.timeoutCheck", "exact", "the deadline ends the Job, whatever it does"),
			said("nodes.drain.onFailure", "fail", sucJob+": a Job past its deadline fails, and the plan goes no further"),
		},
		Differs: []string{"A plan without `drain` does not drain there; the published plans have it."},
	},
}
