package invariant

import (
	"fmt"
	"strings"

	"upsim/model"
)

// Workload are the facts about a workload. Ready means Ready and not terminating.
type Workload struct {
	// Replicas is how many it should have now, Ready how many are ready,
	// Working how many of these work, Pending how many wait for a node.
	Replicas, Ready, Working, Pending int32
	// Behind is how many of the ready members are not in sync yet, and so do not count for the quorum.
	Behind int32
	// Floor is how many its budget wants; 0 without a budget.
	Floor int32
	// Quorum is the least number of ready members with which it works, Objective
	// the least that the scenario asks for; 0 asks for nothing.
	Quorum, Objective int32
	// FloorBroken: it is below its budget's floor by something other than
	// evictions that the budget allowed.
	FloorBroken bool
	// Batch: a Job, which does work and then ends, and serves nobody meanwhile.
	Batch bool
}

// The rules of a workload, as bits of its mask from 0 on.
const (
	noReadyReplica = iota
	singleReplicaDown
	budgetFloorBroken
	workloadQuorumLost
	noWorkingReplica
	belowReplicas
	podsPending
	objectiveMissed
	workloadNotInSync
)

var workloadRules = [...]Rule{
	noReadyReplica: {Name: "availability", Code: model.NoReadyReplica, say: func(subject string, d Detail) string {
		_, many := Replica(subject)
		return fmt.Sprintf("none of the %d %s of %s is ready", d.Limit, many, subject)
	}},
	singleReplicaDown: {Name: "availability", Code: model.SingleReplicaDown, say: func(subject string, d Detail) string {
		if strings.HasPrefix(subject, "Pod/") {
			return subject + " is not ready"
		}
		one, _ := Replica(subject)
		return fmt.Sprintf("the only %s of %s is not ready", one, subject)
	}},
	budgetFloorBroken: {Name: "budget", Code: model.BudgetFloorBroken, say: func(subject string, d Detail) string {
		return fmt.Sprintf("%s has %s%s, its budget wants %d; something other than an allowed eviction took the rest",
			subject, countReady(subject, d.At), fell(d), d.Limit)
	}},
	workloadQuorumLost: {Name: "quorum", Code: model.WorkloadQuorumLost, say: func(subject string, d Detail) string {
		return fmt.Sprintf("%s has %s%s, its quorum is %d", subject, count(d.At, "ready member", "ready members"), fell(d), d.Limit)
	}},
	noWorkingReplica: {Name: "availability", Code: model.NoWorkingReplica, say: func(subject string, d Detail) string {
		return fmt.Sprintf("%s has %s, and none of them works", subject, countReady(subject, d.Limit))
	}},
	belowReplicas: {Name: "replicas", Code: model.BelowReplicas, say: func(subject string, d Detail) string {
		one, many := Replica(subject)
		return fmt.Sprintf("%s has %d of %s ready%s", subject, d.At, count(d.Limit, one, many), fell(d))
	}},
	podsPending: {Name: "capacity", Code: model.PodsPending, Worse: Higher, say: func(subject string, d Detail) string {
		if d.Limit == 1 && d.Worst <= 1 {
			return fmt.Sprintf("the only pod of %s waits for a node", subject)
		}
		if d.At == 1 && d.Worst <= 1 {
			return fmt.Sprintf("1 of the %s of %s waits for a node", count(d.Limit, "pod", "pods"), subject)
		}
		return fmt.Sprintf("%d%s of the %s of %s wait for a node", d.At, rose(d), count(d.Limit, "pod", "pods"), subject)
	}},
	objectiveMissed: {Name: "objective", Code: model.ObjectiveMissed, say: func(subject string, d Detail) string {
		return fmt.Sprintf("%s has %s%s, the objective minReady is %d", subject, countReady(subject, d.At), fell(d), d.Limit)
	}},
	workloadNotInSync: {Name: "quorum", Code: model.WorkloadNotInSync, say: func(subject string, d Detail) string {
		return fmt.Sprintf("%s has %s in sync%s, its quorum is %d; others are Ready and still catch up", subject, count(d.At, "member", "members"), fell(d), d.Limit)
	}},
}

// Replica is what the pods of a workload are called: a DaemonSet asks for no number of replicas, and has pods.
func Replica(subject string) (one, many string) {
	if strings.HasPrefix(subject, "DaemonSet/") {
		return "pod", "pods"
	}
	return "replica", "replicas"
}

func countReady(subject string, n int32) string {
	one, many := Replica(subject)
	return count(n, "ready "+one, "ready "+many)
}

// Class is Workloads.
func (w Workload) Class() Class { return Workloads }

// Broken has a bit for each rule that the workload breaks.
func (w Workload) Broken() uint16 {
	down := w.Ready == 0 && !w.Batch
	return bit(noReadyReplica, down && w.Replicas > 1) |
		bit(singleReplicaDown, down && w.Replicas == 1) |
		bit(budgetFloorBroken, w.FloorBroken) |
		bit(workloadQuorumLost, w.Ready < w.Quorum) |
		bit(noWorkingReplica, w.Ready > 0 && w.Working == 0) |
		bit(belowReplicas, w.Ready < w.Replicas) |
		bit(podsPending, w.Pending > 0) |
		bit(objectiveMissed, w.Ready < w.Objective) |
		bit(workloadNotInSync, w.Ready >= w.Quorum && w.Ready-w.Behind < w.Quorum)
}

// Figures are the numbers behind a broken rule.
func (w Workload) Figures(rule int) (value, limit int32) {
	switch rule {
	case budgetFloorBroken:
		return w.Ready, w.Floor
	case workloadQuorumLost:
		return w.Ready, w.Quorum
	case workloadNotInSync:
		return w.Ready - w.Behind, w.Quorum
	case noWorkingReplica:
		return w.Working, w.Ready
	case podsPending:
		return w.Pending, w.Replicas
	case objectiveMissed:
		return w.Ready, w.Objective
	}
	return w.Ready, w.Replicas
}
