package sim

import (
	"strings"
	"testing"
)

// Two stores on local disks of the first two of four nodes; the strategy varies.
func TestPreflightLocalVolumes(t *testing.T) {
	const cluster = "cluster: {version: v1.33.4, nodePools: [{name: p, count: 4}], workloads: [" +
		"{name: db, kind: StatefulSet, replicas: 2, volume: {local: true}, placement: [p-1, p-2]}, {name: web, replicas: 4, volume: {zonal: true}}]}\n"
	const both = "error LocalVolumeLost StatefulSet/default/db: the data of 2 pods of StatefulSet/default/db lies on local disks of nodes that are replaced: p-1, p-2"
	const first = "error LocalVolumeLost StatefulSet/default/db: the data of 1 pod of StatefulSet/default/db lies on a local disk of a node that is replaced: p-1"
	for _, c := range []struct{ name, nodes, want string }{
		{"in place the disk stays", "maxUnavailable: 2", ""},
		{"new nodes first", "strategy: surge", both},
		{"a second set", "strategy: blueGreen", both},
		{"old nodes first", "replace: terminateFirst", both},
		{"a reimaged node keeps its name and not its disk", "replace: reimage, maxSurge: 1", both},
		{"only the nodes that the upgrade takes", "strategy: surge, limit: 1", first},
		{"only those of the stage that replaces", "strategy: custom, stages: [{nodes: {count: 1}, replace: surge, maxSurge: 1}, {replace: inPlace}]", first},
		{"nor others", "strategy: surge, order: [p-3, p-4], limit: 2", ""},
	} {
		var got []string
		for _, line := range strings.Split(knownBeforehand(t, cluster+"upgrade: {to: v1.34.2, nodes: {"+c.nodes+"}}\n"), "\n") {
			if strings.Contains(line, "LocalVolume") {
				got = append(got, line)
			}
		}
		if g := strings.Join(got, "\n"); g != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, g, c.want)
		}
	}
}

// The kubelets of b are too old for v1.34, so b's nodes go before the control plane does, and the first of them is replaced by
// the stage that would replace a-1 if all went together.
func TestPreflightLocalVolumesOfAnEarlierPhase(t *testing.T) {
	got := knownBeforehand(t, `cluster:
  version: v1.33.4
  nodePools: [{name: a, count: 2, kubelet: v1.32.4}, {name: b, count: 2, kubelet: v1.30.4}]
  workloads: [{name: db, kind: StatefulSet, replicas: 1, volume: {local: true}, placement: [b-1]}]
upgrade: {to: v1.34.2, nodes: {strategy: custom, stages: [{nodes: {count: 1}, replace: surge, maxSurge: 1}, {replace: inPlace}]}}
`)
	const want = "lies on a local disk of a node that is replaced: b-1"
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant one that %s", got, want)
	}
}
