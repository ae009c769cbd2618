package model

const (
	capiPlanner = "cluster-api machinedeployment_rollout_planner.go"
	capiDrain   = "cluster-api machine/drain/drain.go"
	capiMachine = "cluster-api machine/machine_controller.go"
	capiKCP     = "cluster-api controlplane/kubeadm reconcilers"
	karpDrift   = "karpenter pkg/controllers/disruption/drift.go"
	karpQueue   = "karpenter pkg/controllers/disruption/queue.go"
	karpTerm    = "karpenter pkg/controllers/node/termination"
	karpPool    = "karpenter pkg/apis/v1/nodepool.go"
	mcoNode     = "machine-config-operator pkg/controller/node/node_controller.go"
	mcoDrain    = "machine-config-operator pkg/controller/drain/drain_controller.go"
	mcmDrain    = "machine-controller-manager pkg/util/provider/drain/drain.go"
	mcmOptions  = "machine-controller-manager pkg/util/provider/app/options/options.go"
	mcmRolling  = "machine-controller-manager pkg/controller/deployment_rolling.go"
	gardenShoot = "gardener docs/usage/shoot-operations/shoot_updates.md"
)

// operatorPresets are controllers that bring nodes to the version that an object names.
var operatorPresets = []Preset{
	{
		Name: "cluster-api", System: true,
		About: "Cluster API MachineDeployments and KubeadmControlPlane: a new machine first, and a drain that waits for ever.",
		Docs: []string{
			"kubernetes-sigs/cluster-api core/reconcilers/machinedeployment/machinedeployment_rollout_planner.go, machinedeployment_rollout_rollingupdate.go",
			"kubernetes-sigs/cluster-api core/reconcilers/machine/machine_controller.go, drain/drain.go",
			"kubernetes-sigs/cluster-api controlplane/kubeadm/reconcilers/kubeadmcontrolplane/update.go, scale.go, preflight.go",
		},
		Settings: []Setting{
			said("controlPlane.replace", "machines", capiKCP+": a new machine, then one old one goes"),
			said("controlPlane.maxSurge", "1", capiKCP+", rolloutStrategy.rollingUpdate.maxSurge"),
			said("nodes.replace", "surge", capiPlanner),
			said("nodes.maxSurge", "1", capiPlanner+": a percentage rounds up"),
			said("nodes.maxUnavailable", "0", capiPlanner+": a percentage rounds down"),
			said("nodes.percentOf", "stage", capiPlanner+": of the MachineDeployment"),
			said("nodes.slots", "window", capiPlanner+": at each reconcile, as far as both numbers allow"),
			said("nodes.pools", "sequential", "cluster-api topology: one MachineDeployment at a time unless its annotation says more"),
			said("nodes.nodeOrder", "random", "cluster-api, deletion.order: Random"),
			said("nodes.cordon", "own", capiDrain),
			said("nodes.taint", "PreferNoSchedule", capiMachine+": machines of old MachineSets"),
			said("nodes.hops", "final", "cluster-api docs/proposals, chained upgrades: workers move when the next step would break the skew"),
			said("nodes.drain.ignoreDaemonSets", "true", capiDrain+": pods of DaemonSets are skipped"),
			said("nodes.drain.deleteEmptyDirData", "true", capiDrain+": a warning, no more"),
			said("nodes.drain.force", "true", capiDrain+": a warning, no more"),
			said("nodes.drain.evict", "sequential", capiDrain+": one after another, ten seconds a pass"),
			said("nodes.drain.retry", "20s", capiMachine+", drain retry"),
			said("nodes.drain.onFailure", "wait", capiMachine+": nodeDrainTimeoutSeconds 0 waits for ever"),
			triesAgain,
		},
		OnTimeout: &Setting{Key: "nodes.drain.onFailure", Value: "deleteNode", Source: capiMachine + ": past nodeDrainTimeoutSeconds the machine is deleted with what is on it"},
	},
	{
		Name: "karpenter", System: true,
		About: "Karpenter drift: a tenth of a NodePool at a time, each node tainted, replaced, then drained for as long as it takes.",
		Docs: []string{
			"kubernetes-sigs/karpenter pkg/controllers/disruption/drift.go, helpers.go, queue.go", "kubernetes-sigs/karpenter pkg/controllers/node/termination",
			"kubernetes-sigs/karpenter pkg/apis/v1/nodepool.go", "aws/karpenter-provider-aws website/content/en/preview/concepts/disruption.md",
		},
		Settings: []Setting{
			said("nodes.replace", "surge", karpQueue+": replacements are initialised before the node is deleted"),
			said("nodes.maxSurge", "10%", karpPool+", disruption.budgets: rounded up"),
			said("nodes.maxUnavailable", "0", karpQueue),
			said("nodes.percentOf", "stage", karpPool+": of the NodePool's nodes"),
			said("nodes.slots", "window", "karpenter pkg/controllers/disruption/helpers.go: the budget less the nodes under way"),
			assumed("nodes.pools", "parallel", "a budget is of each NodePool; no order among NodePools is documented"),
			assumed("nodes.nodeOrder", "name", karpDrift+": empty nodes first, then the oldest drift, and all drift at once here"),
			said("nodes.cordon", "ownFirst", karpQueue+": the taint karpenter.sh/disrupted comes before the replacement is asked for"),
			assumed("nodes.hops", "final", "drift follows the image that the NodeClass names; when, is for the operator to say"),
			said("nodes.drain.ignoreDaemonSets", "true", karpTerm),
			said("nodes.drain.deleteEmptyDirData", "true", karpTerm),
			said("nodes.drain.force", "true", karpTerm),
			said("nodes.drain.evict", "groups", karpTerm+": pods of daemons after the others, critical ones last"),
			said("nodes.drain.retry", "100ms", karpTerm+"/terminator/eviction.go: 100 ms, doubled"),
			said("nodes.drain.retryMax", "10s", karpTerm+"/terminator/eviction.go: up to 10 s"),
			said("nodes.drain.onFailure", "wait", karpPool+", terminationGracePeriod: unset, it waits for ever"),
			triesAgain,
		},
		OnTimeout: &Setting{Key: "nodes.drain.onFailure", Value: "forceDelete", Source: karpTerm + ": at terminationGracePeriod pods are deleted, budgets or not"},
		Differs: []string{
			"A node with a pod that no budget lets go now, or with karpenter.sh/do-not-disrupt, is passed over and looked at again there; here its drain begins and waits.",
			"With a terminationGracePeriod a pod is deleted there so long before the deadline as it may take to stop, and the node goes at the deadline; here what is left is deleted at the deadline.",
			"How many new nodes come, and how large, is computed from the pods there; here one of the same size comes for each.",
		},
	},
	{
		Name: "openshift", System: true,
		About: "OpenShift's machine config pools: one node of each pool at a time, the control plane's beside the workers'; it tries for ever.",
		Docs: []string{
			"openshift/machine-config-operator pkg/controller/node/node_controller.go", "openshift/machine-config-operator pkg/controller/drain/drain_controller.go",
			"openshift/openshift-docs modules/update-duration-estimate-cluster-update-time.adoc",
		},
		Settings: []Setting{
			said("controlPlane.workers", "beside", "update-duration-estimate-cluster-update-time.adoc: the pools roll at the same time"),
			said("nodes.replace", "inPlace", mcoNode+": the node reboots into the new system"),
			said("nodes.maxUnavailable", "1", mcoNode+", MachineConfigPool.maxUnavailable: rounded down, 0 becomes 1"),
			said("nodes.percentOf", "stage", mcoNode+": of the pool"),
			said("nodes.slots", "window", mcoNode+": as many as are not unavailable"),
			said("nodes.pools", "parallel", mcoNode+": each pool for itself"),
			said("nodes.nodeOrder", "zone", mcoNode+": by zone label, then by age"),
			said("nodes.cordon", "own", mcoDrain),
			said("nodes.taint", "PreferNoSchedule", mcoNode+": all nodes that are still to be updated"),
			said("nodes.hops", "each", "openshift/enhancements, EUS upgrades: workers follow each minor unless their pool is paused"),
			said("nodes.drain.ignoreDaemonSets", "true", mcoDrain+", the drain helper"),
			said("nodes.drain.deleteEmptyDirData", "true", mcoDrain+", the drain helper"),
			said("nodes.drain.force", "true", mcoDrain+", the drain helper"),
			said("nodes.drain.retry", "5s", kubectlDrain+", which the helper uses"),
			said("nodes.drain.timeout", "90s", mcoDrain+", the drain helper: of each pass"),
			said("nodes.drain.attemptDelay", "1m", mcoDrain+": the next pass"),
			said("nodes.drain.onFailure", "wait", mcoDrain+": after an hour the pool is degraded, and it keeps trying"),
			triesAgain,
		},
		Differs: []string{
			"Nodes of a zone go oldest first there, by name here.",
			"A maxUnavailable of 0 means 1 there, and is refused here.",
			"Once a drain has failed for ten minutes the pause between its passes is five minutes there, and stays a minute here.",
			"A node that is cordoned or not Ready for another reason takes a place there.",
		},
	},
	{
		Name: "gardener", System: true,
		About: "Gardener worker pools, by machine-controller-manager: a new machine first, volumes one by one, two hours to drain.",
		Docs: []string{
			"gardener/machine-controller-manager pkg/controller/deployment_rolling.go, pkg/util/provider/drain/drain.go, pkg/util/provider/app/options/options.go",
			"gardener/gardener docs/usage/shoot-operations/shoot_updates.md",
		},
		Settings: []Setting{
			said("nodes.replace", "surge", mcmRolling),
			said("nodes.maxSurge", "1", gardenShoot+": a percentage rounds up"),
			said("nodes.maxUnavailable", "0", gardenShoot+": a percentage rounds down"),
			said("nodes.percentOf", "stage", mcmRolling+": of the machine deployment"),
			said("nodes.slots", "window", mcmRolling),
			assumed("nodes.pools", "parallel", "each worker pool is a machine deployment of its own; no order is documented"),
			assumed("nodes.nodeOrder", "name", "not documented"),
			said("nodes.cordon", "own", mcmDrain),
			said("nodes.taint", "PreferNoSchedule", mcmRolling+": all old nodes"),
			said("nodes.provisionTimeout", "10m", "gardener docs/usage/shoot: machineCreationTimeout; 20m in machine-controller-manager's own flags"),
			said("nodes.hops", "each", "gardener docs/usage/shoot/shoot_versions.md: no minor is jumped"),
			said("nodes.maxLag", "2", "gardener docs/usage/shoot/shoot_versions.md: worker pools at most two minors older"),
			said("nodes.drain.ignoreDaemonSets", "true", mcmDrain),
			said("nodes.drain.deleteEmptyDirData", "true", mcmDrain),
			said("nodes.drain.force", "true", mcmDrain),
			said("nodes.drain.evict", "volumesOneByOne", mcmDrain+": pods with volumes one after another, the others at once"),
			said("nodes.drain.retry", "20s", mcmDrain+", PodEvictionRetryInterval"),
			said("nodes.drain.timeout", "2h", mcmOptions+", machine-drain-timeout"),
			said("nodes.drain.onFailure", "forceDelete", mcmDrain+": past the timeout pods and machine are deleted by force"),
			triesAgain,
		},
		Differs: []string{
			"maxSurge is spread over the zones of a pool there, one machine deployment each; here it is of the whole pool.",
			"A machine that does not come in time is replaced by another there; here the upgrade fails.",
		},
	},
}
