package sim

import (
	"strings"
	"testing"
)

// A pool of 5 nodes at 1.33.4; the quota and the strategy vary.
func TestPreflightQuota(t *testing.T) {
	const pool = "cluster: {version: v1.33.4, nodePools: [{name: p, count: 5, maxNodes: MAX}, {name: q, count: 5, kubelet: v1.33.1}]}\n"
	const two = "error QuotaExceeded NodePool/p: the pool p has 5 nodes, 2 new ones come beside them at once, and its quota (maxNodes) is 6"
	for _, c := range []struct{ name, cluster, max, nodes, want string }{
		{"surge of two within a quota", pool, "7", "strategy: surge, maxSurge: 2", ""},
		{"surge of two beyond it", pool, "6", "strategy: surge, maxSurge: 2", two},
		{"a percentage is of all workers, rounded up", pool, "6", "strategy: surge, maxSurge: 11%", two},
		{"and what it makes is enough", pool, "6", "strategy: surge, maxSurge: 10%", ""},
		{"no more than the pool has", pool, "10", "strategy: surge, maxSurge: 9", ""},
		{"no more than the limit", pool, "6", "strategy: surge, maxSurge: 9, limit: 1", ""},
		{"in place nothing comes", pool, "5", "maxUnavailable: 3", ""},
		{"a whole second set", pool, "9", "strategy: blueGreen",
			"error QuotaExceeded NodePool/p: the pool p has 5 nodes, 5 new ones come beside them at once, and its quota (maxNodes) is 9"},
		{"with room for it", pool, "10", "strategy: blueGreen", ""},
		{"a stage in place before one that surges", pool, "5", "strategy: custom, stages: [{nodes: {count: 4}}, {replace: surge, maxSurge: 3}]",
			"error QuotaExceeded NodePool/p: the pool p has 5 nodes, 1 new one comes beside them at once, and its quota (maxNodes) is 5"},
		{"a stage that surges elsewhere", pool, "5", "strategy: custom, stages: [{nodes: {count: 5}}, {replace: surge, maxSurge: 3}]", ""},
		{"nodes that have the version already", "cluster: {version: v1.33.4, nodePools: [{name: p, count: 5, maxNodes: MAX, kubelet: v1.34.2}], controlPlane: {versions: {apiserver: v1.34.2}}}\n", "5", "strategy: surge", ""},
		{"explicit nodes of the pool count", "cluster: {version: v1.33.4, nodePools: [{name: p, count: 3, maxNodes: MAX}], nodes: [{name: x, pool: p}]}\n", "4", "strategy: surge",
			"error QuotaExceeded NodePool/p: the pool p has 4 nodes, 1 new one comes beside them at once, and its quota (maxNodes) is 4"},
	} {
		text := strings.Replace(c.cluster, "MAX", c.max, 1) + "upgrade: {to: v1.34.2, nodes: {" + c.nodes + "}}\n"
		if got := knownBeforehand(t, text); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
