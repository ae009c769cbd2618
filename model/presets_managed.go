package model

import "slices"

const (
	gkeStrategies = "GKE, Node pool upgrade strategies"
	gkeAPI        = "google/container/v1/cluster_service.proto"
	eksBehaviour  = "managed-node-update-behavior.adoc"
	aksRolling    = "upgrade-aks-node-pools-rolling.md"
	aksBlueGreen  = "blue-green-node-pool-upgrade.md"
)

// providerDrain are what a provider's own drain of a node takes away. Its pages
// name no refusal of a whole node, as kubectl drain has it.
func providerDrain() []Setting {
	const why = "the provider asks the Eviction API pod by pod and refuses no node as a whole"
	return []Setting{
		assumed("nodes.drain.ignoreDaemonSets", "true", why),
		assumed("nodes.drain.deleteEmptyDirData", "true", why),
		assumed("nodes.drain.force", "true", why),
		assumed("nodes.drain.retry", "5s", "not documented; as kubectl drain"),
		assumed("nodes.drain.timeoutCheck", "exact", "a controller's deadline, not kubectl's look after its pause"),
		triesAgain,
	}
}

func gkeDrain(grace, where string) []Setting {
	return slices.Concat(providerDrain(), []Setting{
		said("nodes.drain.timeout", "1h", gkeStrategies+": budgets are respected for up to an hour"),
		said("nodes.drain.maxGracePeriod", grace, gkeStrategies+", "+where),
		said("nodes.drain.onFailure", "forceDelete", gkeStrategies+": after the hour the pods that are left are deleted"),
	})
}

// oneClock is of a pod that stops for longer than an hour: its grace period holds here too, and a timeout is told.
const oneClock = "Budgets and grace periods have a limit each there; here a drain is told to have timed out after the hour also where it only waits for a pod to stop, which it is left to do."

var gkeLag = said("nodes.maxLag", "2", "GKE, Cluster upgrades: node pools at most two minors older than the control plane")

// managedPresets are the node pools of cloud providers. The control plane is the provider's. How far EKS and AKS let
// their pools lag (three minors, and two before 1.28) is what the skew policy says as well.
var managedPresets = []Preset{
	{
		Name: "gke-surge", System: true, Managed: true,
		About: "GKE node pools with surge upgrades: new nodes first, and after an hour a drain deletes what is left.",
		Docs: []string{
			"https://docs.cloud.google.com/kubernetes-engine/docs/concepts/node-pool-upgrade-strategies",
			"googleapis/googleapis google/container/v1/cluster_service.proto",
			"hashicorp/terraform-provider-google website/docs/r/container_node_pool.html.markdown",
		},
		Settings: slices.Concat([]Setting{
			said("nodes.replace", "surge", gkeStrategies+", surge upgrades"),
			said("nodes.maxSurge", "1", gkeAPI+", UpgradeSettings: of each pool"),
			said("nodes.maxUnavailable", "0", gkeAPI+", UpgradeSettings: both together are worked on at once"),
			said("nodes.atMost", "20", "container_node_pool.html.markdown, upgrade_settings"),
			said("nodes.slots", "window", gkeStrategies+": a rolling window"),
			said("nodes.pools", "sequential", "v1beta1 cluster_service.proto, NodePoolUpgradeConcurrencyConfig: one pool after another"),
			assumed("nodes.nodeOrder", "zone", "older pages: a pool of several zones goes zone by zone; newer ones promise no order"),
			said("nodes.cordon", "own", gkeStrategies+": each node as its turn comes"),
			assumed("nodes.hops", "final", "a pool may jump two minors; when, is for the operator to say"),
			gkeLag,
		}, gkeDrain("1h", "surge: a pod's grace period is honoured for up to an hour")),
		Differs: []string{
			"maxSurge and maxUnavailable are whole numbers there; a percentage is taken here.",
			"A zone's last nodes and the next zone's first may be under way together where more than one node is worked on at once.",
			oneClock,
		},
	},
	{
		Name: "gke-blue-green", System: true, Managed: true,
		About: "GKE node pools with blue-green upgrades: a second pool, the old one drained node by node, and an hour to go back.",
		Docs: []string{
			"https://docs.cloud.google.com/kubernetes-engine/docs/concepts/node-pool-upgrade-strategies",
			"googleapis/googleapis google/container/v1/cluster_service.proto",
		},
		Settings: slices.Concat([]Setting{
			said("nodes.replace", "blueGreen", gkeStrategies+", blue-green upgrades"),
			said("nodes.batch", "1", "gcloud, --standard-rollout-policy batch-node-count"),
			said("nodes.batchSoak", "0s", gkeAPI+", StandardRolloutPolicy.batch_soak_duration"),
			said("nodes.poolSoak", "1h", gkeAPI+", BlueGreenSettings.node_pool_soak_duration"),
			said("nodes.cordon", "all", gkeAPI+", BlueGreenInfo: CORDONING_BLUE_POOL follows CREATING_GREEN_POOL"),
			said("nodes.pools", "sequential", "v1beta1 cluster_service.proto, NodePoolUpgradeConcurrencyConfig: one pool after another"),
			assumed("nodes.nodeOrder", "name", "not documented"),
			assumed("nodes.hops", "final", "a pool may jump two minors; when, is for the operator to say"),
			gkeLag,
		}, gkeDrain("24h", "blue-green: a pod's grace period is honoured for up to a day")),
		Differs: []string{
			"A batch of 0 nodes there drains nothing in batches; here a batch has at least one.",
			oneClock,
		},
	},
	eks("eks", "EKS managed node groups: two new nodes a zone first, all old nodes cordoned, then one old node after the other is drained and terminated.",
		[]string{
			"How the extra nodes leave is not documented but for one by one; here each is drained as the old ones are.",
			"Whether a node that was terminated is waited for is not documented; here the group never has fewer than its nodes but maxUnavailable.",
		},
		said("nodes.maxSurge", "2", eksBehaviour+", Scale up phase: twice the number of zones, or maxUnavailable where that is more"),
		said("nodes.surgePerZone", "true", eksBehaviour+", Scale up phase"),
		said("nodes.cordon", "all", eksBehaviour+", Scale up phase: every old node once the new ones are Ready"),
		said("nodes.drain.postDrainDelay", "60s", eksBehaviour+", Upgrade phase: 60 s after the cordon, before the node is terminated"),
	),
	eks("eks-minimal", "EKS managed node groups with the strategy MINIMAL: an old node is terminated first, then a new one comes.", nil,
		said("nodes.maxSurge", "0", "API_NodegroupUpdateConfig, updateStrategy MINIMAL: no nodes beyond the group's size"),
		assumed("nodes.cordon", "own", "with all old nodes cordoned and no new one, evicted pods would find none"),
		said("nodes.drain.postDrainDelay", "60s", eksBehaviour+", Upgrade phase, the minimal strategy: 60 s after the cordon, before the node is terminated"),
	),
	{
		Name: "aks", System: true, Managed: true,
		About: "AKS node pools, rolling: one extra node stands beside the pool while each old node is drained and reimaged.",
		Docs: []string{
			"MicrosoftDocs/azure-aks-docs articles/aks/upgrade-aks-node-pools-rolling.md",
			"MicrosoftDocs/azure-aks-docs articles/aks/upgrade-options.md",
		},
		Settings: slices.Concat([]Setting{
			said("nodes.replace", "reimage", aksRolling+": a drained node is reimaged and is the buffer for the next"),
			said("nodes.maxSurge", "1", aksRolling+"; other pages of AKS say 10 % for new pools"),
			said("nodes.maxUnavailable", "0", aksRolling),
			said("nodes.percentOf", "stage", aksRolling+": a percentage is of the pool, rounded up"),
			assumed("nodes.slots", "window", "each reimaged node is the next buffer; whether a batch ends together is not documented"),
			said("nodes.pools", "sequential", "upgrade-options.md: the control plane, then one pool after another"),
			assumed("nodes.nodeOrder", "name", "not documented"),
			said("nodes.cordon", "own", aksRolling+": as many as there are buffer nodes"),
			said("nodes.hops", "each", "upgrade-aks-control-plane.md: a full upgrade takes the pools along, minor by minor"),
		}, providerDrain(), []Setting{
			said("nodes.drain.timeout", "30m", aksRolling+", drainTimeout"),
			said("nodes.drain.postDrainDelay", "0s", aksRolling+", nodeSoakDuration: after the drain, before the reimage"),
			said("nodes.drain.onFailure", "fail", aksRolling+": the operation fails, and a later one resumes it"),
		}),
		Differs: []string{
			"Where the full surge is impossible one extra node is used there from 1.35 on; here the plan is refused (QuotaExceeded).",
			"Nodes whose drain failed can be deleted or set aside there (undrainableNodeBehavior Schedule and Cordon): write `drain: {onFailure: deleteNode}` or `skip`.",
		},
	},
	{
		Name: "aks-blue-green", System: true, Managed: true,
		About: "AKS node pools, blue-green: all old nodes cordoned, a second set, batches of a tenth with a quarter of an hour after each.",
		Docs:  []string{"MicrosoftDocs/azure-aks-docs articles/aks/blue-green-node-pool-upgrade.md"},
		Settings: slices.Concat([]Setting{
			said("nodes.replace", "blueGreen", aksBlueGreen),
			said("nodes.batch", "10%", aksBlueGreen+", drainBatchSize: of the blue nodes, rounded up"),
			said("nodes.batchSoak", "15m", aksBlueGreen+", batchSoakDurationInMinutes"),
			said("nodes.poolSoak", "1h", aksBlueGreen+", finalSoakDurationInMinutes"),
			said("nodes.cordon", "allFirst", aksBlueGreen+": the blue nodes are cordoned, then the green ones come"),
			said("nodes.pools", "sequential", "upgrade-options.md: the control plane, then one pool after another"),
			assumed("nodes.nodeOrder", "name", "not documented"),
			said("nodes.hops", "each", "upgrade-aks-control-plane.md: a full upgrade takes the pools along, minor by minor"),
		}, providerDrain(), []Setting{
			said("nodes.drain.timeout", "30m", aksBlueGreen+", drainTimeoutInMinutes"),
			said("nodes.drain.onFailure", "fail", aksBlueGreen+": the upgrade fails, and the blue nodes stay"),
		}),
	},
}

// eks is a managed node group's update with the keys in which its two strategies differ.
func eks(name, about string, differs []string, own ...Setting) Preset {
	return Preset{
		Name: name, About: about, System: true, Managed: true,
		Docs: []string{
			"awsdocs/amazon-eks-user-guide latest/ug/nodes/managed-node-update-behavior.adoc",
			"https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupUpdateConfig.html",
		},
		Settings: slices.Concat([]Setting{
			said("nodes.replace", "terminateFirst", eksBehaviour+", Upgrade phase: an old node is terminated, and its group launches another"),
			said("nodes.maxUnavailable", "1", "API_NodegroupUpdateConfig, maxUnavailable"),
			said("nodes.percentOf", "stage", "API_NodegroupUpdateConfig, maxUnavailablePercentage: of the group"),
			said("nodes.atMost", "100", "API_NodegroupUpdateConfig: at most 100 nodes at once"),
			assumed("nodes.slots", "window", "up to maxUnavailable again and again; a barrier is not documented"),
			said("nodes.nodeOrder", "random", eksBehaviour+", Upgrade phase: a random node"),
			assumed("nodes.pools", "sequential", "a group is updated by a call of its own; one call after another"),
			said("nodes.hops", "final", "EKS user guide, Update a cluster: groups follow within the skew policy"),
		}, own, providerDrain(), []Setting{
			said("nodes.drain.timeout", "15m", eksBehaviour+", Upgrade phase: pods that do not leave within 15 minutes"),
			said("nodes.drain.onFailure", "fail", eksBehaviour+": PodEvictionFailure; with the force flag the pods are deleted (forceDelete)"),
		}),
		Differs: differs,
	}
}
