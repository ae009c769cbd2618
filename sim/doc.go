// Package sim simulates one upgrade: Compile turns a scenario into a World, and
// World.Run plays the upgrade event by event and returns a Result.
//
// The files are named after the Kubernetes component that they stand for:
//
//	rollout.go, stage.go, gate.go, watch.go, rollback.go   the person or tool that upgrades, stage by stage
//	windows.go                      its maintenance windows
//	drain.go                        kubectl cordon, drain, uncordon
//	eviction.go                     the API server's eviction decision
//	disruption.go, budget.go        the disruption controller and its arithmetic
//	workloads.go                    ReplicaSet, StatefulSet, DaemonSet, Job controllers
//	scheduler.go, filter.go, score.go  kube-scheduler
//	kubelet.go                      pods that start and stop, nodes that go away and return
//	nodelifecycle.go, zoneeviction.go  taints, and pods on nodes that are gone
//	controlplane.go, etcd.go        API servers, leaders; members of etcd and their quorum
//	procedure.go, procedurestep.go, machines.go, restore.go  how the control plane is upgraded, replaced, taken back
//	faults.go                       what goes wrong; each kind has a file of its own: nodefailure.go …
//
// A pod's way through them: a drain claims it (drain.go), the API server
// accepts its eviction (eviction.go), the kubelet stops it (kubelet.go), its
// controller makes another (workloads.go), the scheduler binds that one
// (scheduler.go), the kubelet starts it and it turns Ready (kubelet.go), and
// the disruption controller gives the budget its allowance back (disruption.go).
//
// A run is a pure function of scenario, strategy and seed: no clock, no
// goroutine, no map order. Time is in microseconds. Nothing here prints or
// touches files. No event may look at all nodes or all pods.
package sim
