package invariant

import (
	"testing"

	"upsim/model"
)

func TestWorkload(t *testing.T) {
	limits(t, []struct {
		facts Workload
		want  []model.Code
		say   string
	}{
		{facts: Workload{}},
		{facts: Workload{Replicas: 3, Ready: 3, Working: 3, Floor: 2, Quorum: 2, Objective: 3}},

		{facts: Workload{Replicas: 2, Ready: 1, Working: 1}, want: []model.Code{model.BelowReplicas},
			say: "SUBJECT has 1 of 2 replicas ready"},
		{facts: Workload{Replicas: 2, Ready: 0}, want: []model.Code{model.NoReadyReplica, model.BelowReplicas}},
		{facts: Workload{Replicas: 2, Ready: 0, Batch: true}, want: []model.Code{model.BelowReplicas}},
		{facts: Workload{Replicas: 0, Ready: 0}},

		{facts: Workload{Replicas: 1, Ready: 1, Working: 1}},
		{facts: Workload{Replicas: 1, Ready: 0}, want: []model.Code{model.SingleReplicaDown, model.BelowReplicas}},
		{facts: Workload{Replicas: 1, Ready: 0, Batch: true}, want: []model.Code{model.BelowReplicas}},

		// Below the floor by allowed evictions is the budget's own affair.
		{facts: Workload{Replicas: 3, Ready: 3, Working: 3, Floor: 4}},
		{facts: Workload{Replicas: 3, Ready: 3, Working: 3, Floor: 4, FloorBroken: true}, want: []model.Code{model.BudgetFloorBroken},
			say: "SUBJECT has 3 ready replicas, its budget wants 4; something other than an allowed eviction took the rest"},

		{facts: Workload{Replicas: 2, Ready: 2, Working: 2, Quorum: 2}},
		{facts: Workload{Replicas: 1, Ready: 1, Working: 1, Quorum: 2}, want: []model.Code{model.WorkloadQuorumLost},
			say: "SUBJECT has 1 ready member, its quorum is 2"},

		{facts: Workload{Replicas: 3, Ready: 3, Working: 3, Behind: 1, Quorum: 2}},
		{facts: Workload{Replicas: 3, Ready: 3, Working: 3, Behind: 2, Quorum: 2}, want: []model.Code{model.WorkloadNotInSync},
			say: "SUBJECT has 1 member in sync, its quorum is 2; others are Ready and still catch up"},
		{facts: Workload{Replicas: 3, Ready: 3, Working: 3, Behind: 3}},
		// Too few are Ready at all: that is the graver word for it.
		{facts: Workload{Replicas: 3, Ready: 1, Working: 1, Behind: 1, Quorum: 2}, want: []model.Code{model.WorkloadQuorumLost, model.BelowReplicas}},

		{facts: Workload{Replicas: 2, Ready: 2, Working: 1}},
		{facts: Workload{Replicas: 2, Ready: 2, Working: 0}, want: []model.Code{model.NoWorkingReplica},
			say: "SUBJECT has 2 ready replicas, and none of them works"},

		{facts: Workload{Replicas: 2, Ready: 2, Working: 2, Pending: 1}, want: []model.Code{model.PodsPending},
			say: "1 of the 2 pods of SUBJECT waits for a node"},

		{facts: Workload{Replicas: 2, Ready: 2, Working: 2, Objective: 2}},
		{facts: Workload{Replicas: 2, Ready: 2, Working: 2, Objective: 3}, want: []model.Code{model.ObjectiveMissed},
			say: "SUBJECT has 2 ready replicas, the objective minReady is 3"},
	})
}

// A DaemonSet has pods, not replicas, and a bare pod has neither.
func TestWorkloadIsCalledWhatItIs(t *testing.T) {
	for _, c := range [][2]string{
		{"Deployment/x/y", "the only replica of Deployment/x/y is not ready"},
		{"DaemonSet/x/y", "the only pod of DaemonSet/x/y is not ready"},
		{"Pod/x/y", "Pod/x/y is not ready"},
	} {
		if got := workloadRules[singleReplicaDown].say(c[0], Detail{Limit: 1}); got != c[1] {
			t.Errorf("got %s, want %s", got, c[1])
		}
	}
}
