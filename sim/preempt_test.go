package sim

import (
	"testing"

	"upsim/model"
)

// Two pods of one Job make room for a critical pod. The first one's deletion is one failure more than the Job's backoffLimit, so
// that the Job fails and its other pods are deleted: the second victim too, and no pod twice.
func TestPreemptionThatFailsItsVictimsJob(t *testing.T) {
	sc := storyScenario(t, "preempted-job.txt", `cluster:
  version: v1.34.2
  controlPlane: {managed: true}
  nodePools: [{name: n, count: 2, kubelet: v1.33.4, allocatable: {cpu: "2", memory: 8Gi, pods: 20}}]
  workloads:
  - {name: batch, kind: Job, replicas: 2, backoffLimit: 0, requests: {cpu: "1"}, placement: [n-2, n-2]}
  - {name: vital, priority: 1000, requests: {cpu: "2"}, placement: [n-1]}
upgrade: {to: v1.34.2, controlPlane: skip, nodes: {order: [n-1]}}
`)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	r := w.Run(Options{Audit: true})
	job := r.Workloads[0]
	if job.Name != "batch" || job.MinReady != 0 || job.PodsMoved != 0 || r.FinalPending != 0 || !r.Has(model.JobFailed) {
		t.Errorf("%s: %+v, %+v", r.Verdict, job, r.Reasons)
	}
}
