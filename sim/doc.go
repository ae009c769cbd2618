// Package sim simulates one upgrade: Compile turns a scenario into a World, and
// World.Run plays the upgrade event by event and returns a Result.
//
// A scenario becomes a World, ids in place of names:
//
//	compile.go, template.go, classes.go, constraints.go, layout.go, placement.go  nodes, workloads, stages; where pods stand before
//	world.go, places.go, nodeorder.go  its types; how many nodes at once, and in which order
//	preflight.go, preflight_….go, room.go  what is known before anything is simulated
//
// The person or tool that upgrades:
//
//	rollout.go, stage.go, replace.go  phases, stages, and a node's way: in place, or by a new one
//	drain.go, turns.go, retry.go, drainend.go  kubectl drain: which pods, in which order, how often, and what follows
//	gate.go, watch.go, rollback.go, blastradius.go  what must hold to go on, the way back, and what was hit meanwhile
//	windows.go  maintenance windows
//	procedure.go, procedurestep.go, machines.go, restore.go  the control plane: in place, by new machines, from its snapshot
//
// Kubernetes, each file named after the component that it stands for:
//
//	eviction.go, disruption.go, budget.go  the API server's decision on evictions; budgets and their arithmetic
//	workloads.go, jobs.go  the ReplicaSet, StatefulSet and DaemonSet controllers; what the Job controller does otherwise
//	scheduler.go, filter.go, score.go, smallsearch.go, index.go, indexwindow.go, indexsearch.go, preempt.go, whynot.go  kube-scheduler
//	kubelet.go, nodelifecycle.go, zoneeviction.go  pods that start and stop; nodes that are away, and pods on nodes that are gone
//	controlplane.go, etcd.go, apioutage.go  API servers and leaders, members and their quorum, and when nothing answers
//	bucket.go  a client's rate limit
//
// What goes wrong: faults.go, and a file for each kind: badversion.go, capacity.go, certificates.go, nodefailure.go,
// outage.go, scaledown.go, slowimages.go.
//
// The machine, and what it tells:
//
//	run.go, engine.go, event.go, random.go, seconds.go  the state of a run, its loop, its events and its chance
//	hugepages.go, hugepages_linux.go, hugepages_other.go  its memory, as the system lays it out
//	recorder.go, outcome.go, result.go, story.go, audit.go  sums and invariants, the result, the steps; a recount
//	reasons.go, violations.go, proof.go, fixes.go  why: what was found, what did not hold, what can never come; what to do
//
// A pod's way through them: a drain claims it (drain.go), the API server
// accepts its eviction (eviction.go), the kubelet stops it (kubelet.go), its
// controller makes another (workloads.go), the scheduler binds that one
// (scheduler.go), the kubelet starts it and it turns Ready (kubelet.go), and
// the disruption controller gives the budget its allowance back (disruption.go).
//
// A run is a pure function of scenario, strategy and seed: no clock, no
// goroutine, no map order. Time is in microseconds. Nothing here prints or
// touches files. No event that comes once for a node or a pod may look at all nodes or all pods.
package sim
