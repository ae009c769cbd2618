package model

import "time"

// UnsupportedKubelet says what becomes of a node whose kubelet is too old or too new for the API server.
type UnsupportedKubelet string

// The node is lost, or only a violation is reported.
const (
	KubeletLost       UnsupportedKubelet = "lost"
	KubeletReportOnly UnsupportedKubelet = "reportOnly"
)

// Assumptions are the numbers that a simulator cannot know. DefaultAssumptions
// gives each its default and the source of it.
type Assumptions struct {
	Startup  Dist // pod bound to Ready
	Shutdown Dist // pod deleted to gone

	NodeUpgrade              Dist // drained to Ready again, in place
	NodeNotReadyWhileUpgrade bool
	PodsDownWhileUpgrade     bool
	PodsReadyAfterNode       Dist // node Ready again to the pods that stayed on it Ready

	NodeProvision Dist // new node asked for to Ready
	NodeDelete    Dist // drained node asked away to gone

	EtcdBackup       Dist
	EtcdRestart      Dist
	EtcdRestore      Dist // all API servers stopped to everything up from a snapshot
	EtcdCatchUp      Dist // new member added as a learner to promoted
	APIServerRestart Dist
	ComponentRestart Dist // controller-manager, scheduler
	LeaderElection   Dist // leader gone to a new one acting

	ControllerLatency Dist // change seen to the controller's answer written
	SchedulerLatency  Dist // pod created, or room freed, to bound
	APILatency        Dist // request sent to received and read; and read to written
	TaintLag          Dist // spec.unschedulable changed to the taint changed
	DeletionLag       Dist // eviction written to the deletion timestamp seen
	KubeletLag        Dist // what the kubelet adds to a pod's start and stop
	KubectlStart      Dist // each kubectl call
	KubectlQPS        float64
	KubectlBurst      int // client-side limit of one kubectl process
	DeletionPoll      time.Duration
	ConflictRetry     time.Duration // pause of the API server after a write conflict on a budget
	ControllerQPS     float64
	ControllerBurst   int

	NodeMonitorGrace      time.Duration // kubelet silent to node Unknown
	UnreachableToleration time.Duration // node Unknown to its pods deleted
	ForceDetach           time.Duration // pod deleted on a node that is gone to its volume free for another

	UnsupportedKubelet UnsupportedKubelet
}
