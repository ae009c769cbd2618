package sim

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// budgetStatus is the arithmetic of the disruption controller: what the status
// of a PodDisruptionBudget says for the pods that its selector matches.
//
// controllerReplicas and scaleKnown are ownerScale's, over the distinct owners
// of the matched pods. matchedPods counts the matched pods that exist,
// terminating ones included; healthyPods those that are Ready and not on their
// way out.
//
// An integer minAvailable counts pods, the other forms count replicas;
// percentages round up, both of them. What cannot be computed allows nothing.
// Recorded from Kubernetes 1.34: every row of testdata/pdb-status.csv.
func budgetStatus(spec *model.Budget, scaleKnown bool, controllerReplicas, matchedPods, healthyPods int) (expected, desired, allowed int) {
	switch {
	case spec.MinAvailable != nil && spec.MinAvailable.Type == intstr.Int:
		expected, desired = matchedPods, spec.MinAvailable.IntValue()
	case !scaleKnown:
		return 0, 0, 0
	case spec.MinAvailable != nil:
		n, err := intstr.GetScaledValueFromIntOrPercent(spec.MinAvailable, controllerReplicas, true)
		if err != nil {
			return 0, 0, 0
		}
		expected, desired = controllerReplicas, n
	case spec.MaxUnavailable != nil:
		n, err := intstr.GetScaledValueFromIntOrPercent(spec.MaxUnavailable, controllerReplicas, true)
		if err != nil {
			return 0, 0, 0
		}
		expected, desired = controllerReplicas, max(0, controllerReplicas-n)
	}
	return expected, desired, allowance(expected, desired, healthyPods)
}

// allowance is the number of disruptions that a budget allows: the healthy pods
// over those that it wants, and none while it expects no pod.
func allowance(expected, desired, healthy int) int {
	if expected <= 0 {
		return 0
	}
	return max(0, healthy-desired)
}

// ownerScale is what one owner adds to the replicas that a budget counts by.
// A bare pod adds nothing and does no harm: the disruption controller leaves
// unmanaged pods out of the sum. A controller without a scale subresource makes
// the whole sum unknown.
func ownerScale(kind model.Kind, replicas int) (n int, known bool) {
	switch kind {
	case model.Deployment, model.ReplicaSet, model.StatefulSet:
		return replicas, true
	case model.BarePod:
		return 0, true
	}
	return 0, false
}
