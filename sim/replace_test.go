package sim

import (
	"testing"

	"upsim/model"
)

// A node whose cordon no API server answered may be removed by an autoscaler while its drain is under way, and by the
// upgrade at the end of that: it is gone once.
func TestNodeIsRemovedOnce(t *testing.T) {
	scs, faults := model.Decode("two.yaml", []byte(`apiVersion: upsim/v1
kind: Scenario
metadata: {name: two}
cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodes: [{name: n1, kubelet: v1.33.4}, {name: n2, kubelet: v1.33.4}]
  workloads: [{name: web, replicas: 2, placement: [n1, n2]}]
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {strategy: surge}}
`), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	w, err := Compile(scs[0], scs[0].Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	r := w.newRun(Options{})
	r.begin()
	r.removeNode(0)
	r.removeNode(0)
	if r.audit(); r.present != 1 {
		t.Errorf("%d nodes are there, not one", r.present)
	}
}
