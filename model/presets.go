package model

import (
	"slices"
	"strings"
)

// presets are upsim's own strategies, then the systems.
var presets = inKeyOrder(slices.Concat(ownStrategies, managedPresets, clusterToolPresets, operatorPresets))

// keyOrder is the order in which a preset's keys are shown: how nodes are replaced, how many at once, which first, what
// comes between them, and how each is drained.
var keyOrder = []string{
	"replace", "maxSurge", "surgePerZone", "maxUnavailable", "percentOf", "atMost", "batch", "batchSoak", "poolSoak", "keepEtcdVolume", "kubelets", "kubeletEndpoint", "workers",
	"slots", "firstAlone", "pools", "nodeOrder", "cordon", "taint", "provisionTimeout", "soakPerNode", "nodeGate", "hops", "maxLag", "drain", "stages",
	"ignoreDaemonSets", "deleteEmptyDirData", "force", "evict", "retry", "retryMax", "gracePeriod", "maxGracePeriod", "timeout", "timeoutCheck",
	"attempts", "attemptDelay", "postDrainDelay", "onAPIOutage", "onFailure",
	"nodesReady", "workloadsAvailable",
}

// inKeyOrder sorts each preset's settings: those of the control plane, then those of the nodes.
func inKeyOrder(list []Preset) []Preset {
	rank := func(s Setting) []int {
		var ranks []int
		for i, key := range strings.Split(s.Key, ".") {
			if i > 0 {
				ranks = append(ranks, slices.Index(keyOrder, key))
			} else if key == "nodes" {
				ranks = append(ranks, 1)
			} else {
				ranks = append(ranks, 0)
			}
		}
		return ranks
	}
	for i := range list {
		slices.SortStableFunc(list[i].Settings, func(a, b Setting) int { return slices.Compare(rank(a), rank(b)) })
	}
	return list
}

// said is a setting that a document has.
func said(key, value, source string) Setting { return Setting{Key: key, Value: value, Source: source} }

// assumed is a setting that no document has, and why it is so.
func assumed(key, value, why string) Setting {
	return Setting{Key: key, Value: value, Source: why, Assumed: true}
}

// triesAgain is what every controller does at an API server that does not answer.
var triesAgain = assumed("nodes.drain.onAPIOutage", "wait", "a controller, which tries again until an API server answers")

const (
	kubectlDrain  = "kubectl pkg/drain/drain.go"
	upsimsDefault = "the loader's default"
)

// drainDefaults are the drains of upsim's own strategies.
var drainDefaults = []Setting{
	said("nodes.drain.ignoreDaemonSets", "true", upsimsDefault+": kubectl refuses nearly every node without it"),
	said("nodes.drain.deleteEmptyDirData", "true", upsimsDefault),
	said("nodes.drain.force", "false", kubectlDrain+", --force"),
	said("nodes.drain.timeout", "0s", kubectlDrain+", --timeout: none"),
	said("nodes.drain.retry", "5s", kubectlDrain+", after a 429"),
	said("nodes.drain.onFailure", "fail", "kubectl drain ends with an error, and the node stays cordoned"),
}

var inPlaceOneByOne = []Setting{
	said("nodes.replace", "inPlace", upsimsDefault),
	said("nodes.maxUnavailable", "1", upsimsDefault),
}

// ownStrategies imitate no system. Each is written out with its own name.
var ownStrategies = []Preset{
	{
		Name: StrategyRolling, About: "Each node is upgraded where it is, one after the other.",
		Settings: slices.Concat(inPlaceOneByOne, []Setting{
			said("nodes.slots", "window", upsimsDefault),
			said("nodes.pools", "together", upsimsDefault),
		}, drainDefaults),
	},
	{
		Name: StrategyCanary, About: "One node first, which is watched for a while; then a gate, then the others.",
		Settings: slices.Concat(inPlaceOneByOne, drainDefaults, []Setting{
			said("nodes.stages", "[{name: canary, nodes: {count: 1}, soak: 10m, gate: {nodesReady: true, workloadsAvailable: true, timeout: 10m}}, {name: rest}]", upsimsDefault),
		}),
	},
	{
		Name: StrategySurge, About: "A new node comes first, then its old one goes.",
		Settings: slices.Concat([]Setting{
			said("nodes.replace", "surge", "the strategy's name"),
			said("nodes.maxSurge", "1", upsimsDefault),
			said("nodes.maxUnavailable", "0", upsimsDefault),
		}, drainDefaults),
	},
	{
		Name: StrategyBlueGreen, About: "All new nodes come first; then the old ones are drained in batches, and removed at the end.",
		Settings: slices.Concat([]Setting{
			said("nodes.replace", "blueGreen", "the strategy's name"),
			said("nodes.cordon", "all", "every old node once the second set stands"),
			said("nodes.batch", "1", upsimsDefault),
			said("nodes.batchSoak", "0s", upsimsDefault),
			said("nodes.poolSoak", "0s", upsimsDefault),
		}, drainDefaults),
	},
	{
		Name: StrategyWaves, About: "One pool after the other, or one value of waveLabel after the other.",
		Settings: slices.Concat(inPlaceOneByOne, drainDefaults),
	},
	{
		Name: StrategyAllAtOnce, About: "All nodes at the same time.",
		Settings: slices.Concat([]Setting{
			said("nodes.replace", "inPlace", upsimsDefault),
			said("nodes.maxUnavailable", "100%", "the strategy's name"),
		}, drainDefaults),
	},
	{
		Name: StrategyCustom, About: "The stages that the scenario gives, and no more.",
		Settings: slices.Concat(inPlaceOneByOne, drainDefaults, []Setting{
			said("nodes.stages", "[{name: stage-1}]", "an example: one stage with all nodes"),
		}),
	},
}
