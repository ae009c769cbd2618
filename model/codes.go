package model

import "slices"

// Severity says what a code means for the verdict: only an error changes it.
type Severity string

// The severities, gravest first.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Code is the stable word for one kind of finding or violation.
type Code string

// Every code that upsim reports. CodeTable explains each.
const (
	// Version skew.
	APIServerSkew            Code = "APIServerSkew"
	KubeletNewerThanServer   Code = "KubeletNewerThanAPIServer"
	KubeletTooOld            Code = "KubeletTooOld"
	KubeProxyNewerThanServer Code = "KubeProxyNewerThanAPIServer"
	KubeProxyTooOld          Code = "KubeProxyTooOld"
	KubeProxyKubeletSkew     Code = "KubeProxyKubeletSkew"
	ControllerManagerSkew    Code = "ControllerManagerSkew"
	SchedulerSkew            Code = "SchedulerSkew"
	CloudControllerSkew      Code = "CloudControllerManagerSkew"
	KubectlSkew              Code = "KubectlSkew"
	MinorSkipped             Code = "MinorSkipped"
	ControlPlaneDowngrade    Code = "ControlPlaneDowngrade"
	ControlPlaneBehindTarget Code = "ControlPlaneBehindTarget"
	SkewAtLimit              Code = "SkewAtLimit"
	KubeadmNeedsForce        Code = "KubeadmNeedsForce"
	KubeadmRefuses           Code = "KubeadmRefuses"
	ControlPlaneNotManaged   Code = "ControlPlaneNotManaged"
	NodesMovedOnce           Code = "HopsFinal"
	NodePoolLagsTooFar       Code = "NodePoolLagsTooFar"
	EtcdSkew                 Code = "EtcdSkew"

	// Control plane.
	APIServerUnreachable Code = "APIServerUnreachable"
	SingleAPIServer      Code = "SingleAPIServer"
	EtcdQuorumLost       Code = "EtcdQuorumLost"
	// ControlPlaneUnhealthy is of machines that are replaced.
	ControlPlaneUnhealthy Code = "ControlPlaneUnhealthy"
	// ControlPlaneRestored is of a way back.
	ControlPlaneRestored Code = "ControlPlaneRestored"

	// Budgets and drains.
	BudgetNeverAllows         Code = "BudgetNeverAllowsEviction"
	BudgetNotComputable       Code = "BudgetNotComputable"
	BudgetMatchesNothing      Code = "BudgetMatchesNothing"
	TwoBudgetsOnPod           Code = "TwoBudgetsOnPod"
	BudgetFloorBroken         Code = "BudgetFloorBroken"
	BudgetRefusedLong         Code = "BudgetRefusedLong"
	DrainNeverEnds            Code = "DrainNeverEnds"
	DrainTimedOut             Code = "DrainTimedOut"
	DrainRefused              Code = "DrainRefused"
	DrainFailed               Code = "DrainFailed"
	PodStuckTerminating       Code = "PodStuckTerminating"
	UpgradeIncomplete         Code = "UpgradeIncomplete"
	NodeLeftCordoned          Code = "NodeLeftCordoned"
	QuotaExceeded             Code = "QuotaExceeded"
	NodeCordonedBefore        Code = "NodeCordonedBefore"
	NodeNotReady              Code = "NodeNotReady"
	NodeLost                  Code = "NodeLost"
	PodsNotReadyBefore        Code = "PodsNotReadyBefore"
	NodeNeverReturned         Code = "NodeNeverReturned"
	KubeletCertificateExpired Code = "KubeletCertificateExpired"
	NewNodeMissing            Code = "NewNodeMissing"
	NodeScaledDown            Code = "NodeScaledDown"
	NodeReadyPodsNotWell      Code = "NodeReadyPodsNotWell"
	NoRoomForEvictedPods      Code = "NoRoomForEvictedPods"
	NoNewNode                 Code = "NoNewNode"
	PodUnschedulable          Code = "PodUnschedulable"
	PodsPending               Code = "PodsPending"
	PodMovedMoreThanOnce      Code = "PodMovedMoreThanOnce"
	StaticPodsGone            Code = "StaticPodsGone"
	BarePodLost               Code = "BarePodLost"
	GraceTooShort             Code = "GracePeriodTooShort"
	LocalDataLost             Code = "LocalDataLost"
	JobFailed                 Code = "JobFailed"
	LocalVolumeLost           Code = "LocalVolumeLost"
	NeverBack                 Code = "WorkloadNeverBack"
	ReplicasMissing           Code = "ReplicasMissing"
	PodPreempted              Code = "PodPreempted"

	// Workloads.
	NoReadyReplica     Code = "NoReadyReplica"
	SingleReplicaDown  Code = "SingleReplicaDown"
	NoWorkingReplica   Code = "NoWorkingReplica"
	WorkloadQuorumLost Code = "WorkloadQuorumLost"
	WorkloadNotInSync  Code = "WorkloadNotInSync"
	QuorumAtRisk       Code = "WorkloadQuorumAtRisk"
	BelowReplicas      Code = "BelowReplicas"
	GateSawNoPod       Code = "GateSawNoPod"
	GateFailed         Code = "GateFailed"
	ObjectiveMissed    Code = "ObjectiveMissed"
	NothingToUpgrade   Code = "NothingToUpgrade"
	FaultWithoutEffect Code = "FaultWithoutEffect"
	StageWithoutNodes  Code = "StageWithoutNodes"
	StageGetsNoNode    Code = "StageGetsNoNode"
	TargetOlder        Code = "TargetOlderThanControlPlane"
	CutOff             Code = "CutOff"

	// Real input.
	ObjectNotUnderstood Code = "ObjectNotUnderstood"
	VersionInferred     Code = "VersionInferred"
	VolumesUnknown      Code = "VolumesUnknown"
	InputIncomplete     Code = "InputIncomplete"
	// InputPerhapsIncomplete is of what a small cluster may really be without.
	InputPerhapsIncomplete Code = "InputPerhapsIncomplete"

	// What is written in a scenario.
	NameNotInFiles  Code = "NameNotInFiles"
	TargetResolved  Code = "TargetResolved"
	PlanLeavesNodes Code = "PlanLeavesNodes"
	ReleaseUnknown  Code = "ReleaseUnknown"
	StudyNotRun     Code = "StudyNotRun"
)

// CodeInfo explains a code.
type CodeInfo struct {
	Code     Code
	Severity Severity
	// Meaning says what is wrong, in one sentence.
	Meaning string
	// Fix says what a planner can do about it.
	Fix string
}

// CodeTable is the one list of codes, their severities and their explanations.
var CodeTable = []CodeInfo{
	{APIServerSkew, SeverityError, "Two API servers are more than one minor apart.", "Bring the older API server to the newer one's minor before anything else."},
	{KubeletNewerThanServer, SeverityError, "A kubelet is newer than the oldest API server it may talk to.", "Upgrade every API server first, or put the node back to a minor that the oldest API server has."},
	{KubeletTooOld, SeverityError, "A kubelet is older than the newest API server supports (three minors; two for kubelets before 1.25).", "Upgrade the node before the control plane takes this step."},
	{KubeProxyNewerThanServer, SeverityError, "A kube-proxy is newer than the oldest API server it may talk to.", "Upgrade every API server first."},
	{KubeProxyTooOld, SeverityError, "A kube-proxy is older than the newest API server supports (three minors; two before 1.25).", "Upgrade kube-proxy on this node first."},
	{KubeProxyKubeletSkew, SeverityError, "A kube-proxy and the kubelet beside it are more than three minors apart (two before 1.25).", "Bring both to the same minor."},
	{ControllerManagerSkew, SeverityError, "A controller-manager is newer than the oldest API server, or more than one minor older than the newest.", "Upgrade it after the API servers and before their next minor."},
	{SchedulerSkew, SeverityError, "A scheduler is newer than the oldest API server, or more than one minor older than the newest.", "Upgrade it after the API servers and before their next minor."},
	{CloudControllerSkew, SeverityError, "A cloud-controller-manager is newer than the oldest API server, or more than one minor older than the newest.", "Upgrade it after the API servers and before their next minor."},
	{KubectlSkew, SeverityWarning, "kubectl is more than one minor away from an API server.", "Use a kubectl within one minor of every API server."},
	{MinorSkipped, SeverityError, "The control plane would skip a minor version.", "Go minor by minor; leave `path` out and upsim fills it in."},
	{ControlPlaneDowngrade, SeverityError, "The control plane would move to an older minor, which Kubernetes does not support.", "Going back means restoring the etcd snapshot that was taken before the upgrade."},
	{ControlPlaneBehindTarget, SeverityError, "Nodes are to move to a version that is newer than the control plane, which is to be left alone.", "Upgrade the control plane first: remove `controlPlane: skip`."},
	{SkewAtLimit, SeverityInfo, "A component is at the edge of the policy: the next minor of the control plane would be too far.", "Plan its upgrade before the next minor."},
	{KubeadmNeedsForce, SeverityWarning, "kubeadm upgrade apply refuses a step of the control plane unless a flag overrides it.", "Upgrade old kubelets before this step (`hops: each` under `upgrade.nodes` does so after every minor), or run kubeadm with a flag that the message names."},
	{KubeadmRefuses, SeverityError, "kubeadm upgrade apply refuses a step of the control plane, and no flag overrides it.", "Go minor by minor, each step with the kubeadm of the version that it leads to; leave `kubeadm` under `upgrade.controlPlane` out and upsim takes that one."},
	{ControlPlaneNotManaged, SeverityWarning, "The strategy is a provider's, and the scenario's control plane is not the provider's: its upgrade is simulated as your own, and takes its time.", "Write `controlPlane: {managed: true}` under `cluster`, unless the control plane really is your own."},
	{NodePoolLagsTooFar, SeverityWarning, "A pool is further behind the control plane than the system of its strategy allows.", "Upgrade the pool to the control plane's minor first."},
	{NodesMovedOnce, SeverityInfo, "A control plane of your own passes several minors, and workers do not move at each of them.", "Nothing, where you mean it. kubeadm's documents move them at each minor, which takes longer: `strategy: kubeadm`, or `hops: each` under `upgrade.nodes`."},
	{EtcdSkew, SeverityError, "Two members of etcd are more than one minor apart.", "Bring the older member to the newer one's minor, one minor at a time, before anything else."},
	{APIServerUnreachable, SeverityWarning, "No API server answers.", "Run three control-plane nodes, or accept that nothing can be changed meanwhile."},
	{SingleAPIServer, SeverityInfo, "There is one API server, which is away while it is upgraded.", "Run three control-plane nodes, or accept that nothing can be changed meanwhile."},
	{EtcdQuorumLost, SeverityError, "Fewer than half plus one of the etcd members are up.", "Take members down one at a time and wait until each is healthy again."},
	{ControlPlaneUnhealthy, SeverityError, "The next machine of the control plane waits for a health that does not come.", "Mend what it names: bring the machine, its API server or its etcd member back, or remove it by hand."},
	{ControlPlaneRestored, SeverityWarning, "The control plane was taken back by restoring an etcd snapshot, and what was written since it was taken is lost.", "See what the cluster was told since the snapshot (deployments, scaling, secrets, volumes) and apply it again. An upgrade with `emulation` can be taken back without a restore while it soaks."},
	{BudgetNeverAllows, SeverityError, "A PodDisruptionBudget can never allow an eviction, so a drain waits for ever.", "Allow at least one disruption (for instance maxUnavailable: 1), or run more replicas."},
	{BudgetNotComputable, SeverityError, "A PodDisruptionBudget cannot be computed because the owner of its pods has no scale, so it allows nothing.", "Use an integer minAvailable for pods of this owner."},
	{BudgetMatchesNothing, SeverityInfo, "A PodDisruptionBudget selects no pod.", "Correct its selector, or delete it."},
	{TwoBudgetsOnPod, SeverityError, "Two PodDisruptionBudgets select the same pod, so its eviction fails with an error.", "Leave one budget per pod."},
	{BudgetFloorBroken, SeverityError, "A workload has fewer healthy pods than its budget wants, by something other than an eviction that the budget allowed.", "Find what took the pods down: a node that failed, a bad version, or a deletion that bypassed the budget (`disableEviction`, or `forceDelete` or `deleteNode` after a drain that failed)."},
	{BudgetRefusedLong, SeverityWarning, "A budget refused an eviction for a long time.", "Speed up the start of its pods, or allow one more disruption."},
	{DrainNeverEnds, SeverityError, "A drain cannot end.", "See the pod and the budget that it names; `timeout` under `upgrade.nodes.drain` bounds a drain, and `onFailure` says what follows."},
	{DrainTimedOut, SeverityError, "A drain reached its timeout.", "Allow more time (`timeout`, `attempts` under `upgrade.nodes.drain`), or make the budget allow an eviction sooner."},
	{DrainRefused, SeverityError, "kubectl drain refuses the node before it evicts anything.", "Set what it asks for under `upgrade.nodes.drain`: `ignoreDaemonSets: true`, `deleteEmptyDirData: true` (local data is lost), or `force: true` (a pod without a controller is lost); or remove the pod first."},
	{DrainFailed, SeverityError, "An eviction failed with an error that kubectl does not retry.", "Remove the cause that it names."},
	{PodStuckTerminating, SeverityError, "A pod stays Terminating because its node is gone.", "Delete the node object, or taint the node out-of-service."},
	{UpgradeIncomplete, SeverityError, "The upgrade ended before every node had the target version.", "See the other findings for what stopped it."},
	{NodeLeftCordoned, SeverityWarning, "A node is still cordoned at the end.", "Uncordon it: kubectl uncordon NODE."},
	{QuotaExceeded, SeverityError, "The strategy brings more new nodes than a pool's quota has room for.", "Raise the pool's quota and its `maxNodes`; or bring fewer new nodes at once, or none: `maxSurge` or `strategy` under `upgrade.nodes`."},
	{NodeCordonedBefore, SeverityWarning, "A node was cordoned before the upgrade began; it is upgraded and stays cordoned.", "Uncordon it if nobody means it to be."},
	{NodeNotReady, SeverityWarning, "A node is not Ready while nothing is being done to it.", "Find out why before you upgrade the next node."},
	{PodsNotReadyBefore, SeverityWarning, "Pods of a workload are not Ready before the upgrade begins, and are taken to stay so where they are.", "Bring them back, or find out what keeps them from it, before you upgrade: kubectl describe pod."},
	{NodeLost, SeverityError, "The API server does not support a node's kubelet, and the node is lost.", "Bring its kubelet to a supported minor by hand."},
	{NodeNeverReturned, SeverityError, "A node did not come back after its upgrade, and the upgrade waits for it.", "Mend or replace the node, then go on with the others."},
	{NewNodeMissing, SeverityError, "A new node that the upgrade waits for did not join, or joined late.", "Find out why: capacity, quota, or a machine that does not boot; or bring fewer new nodes at once."},
	{NodeScaledDown, SeverityWarning, "An autoscaler removed a node that had nothing to do, such as a new one that nothing had moved to yet.", "Pause the autoscaler's scale-down for the upgrade, or annotate the nodes `cluster-autoscaler.kubernetes.io/scale-down-disabled: \"true\"`."},
	{KubeletCertificateExpired, SeverityError, "A kubelet's client certificate expired before a new one was signed, so that its node is lost.", "Keep an API server and a controller-manager up while certificates are due, and no node away for long; a node that is lost needs a new bootstrap token (`kubeadm token create`), a restart of its kubelet, and `kubectl certificate approve` where nothing approves its request."},
	{NodeReadyPodsNotWell, SeverityWarning, "A node is Ready while pods on it do not work.", "Find out what the new version breaks, and gate stages on workloads, not only on nodes."},
	{NoRoomForEvictedPods, SeverityWarning, "Pods of a node that is to be drained fit nowhere else.", "Add a node, or lower the requests."},
	{PodUnschedulable, SeverityWarning, "A pod fits on no node.", "Free what it asks for, or add a node that has it."},
	{NoNewNode, SeverityError, "A new node is not to be had when one is asked for: the zone has no machines left, or the quota is used up.", "Reserve capacity or raise the quota before the upgrade; or upgrade in place (`strategy: rolling`), which needs no new node."},
	{PodsPending, SeverityWarning, "Pods of a workload wait for a node.", "Remove what the reason in brackets names: make room, uncordon a node, loosen a rule of placement, or take fewer nodes at once."},
	{PodMovedMoreThanOnce, SeverityWarning, "A pod was moved more than once.", "Bring new nodes first (`strategy: surge` under `upgrade.nodes`), or keep evicted pods off the nodes that are still to be drained (`cordon: all`)."},
	{StaticPodsGone, SeverityInfo, "Static pods went with the nodes that new ones took the place of.", "See that the image or the bootstrap of the new nodes brings the same manifests."},
	{BarePodLost, SeverityWarning, "A pod without a controller was deleted and nothing replaces it.", "Give it a controller, or copy it first."},
	{GraceTooShort, SeverityWarning, "A workload's pods take longer to stop than they are given, and are killed at the end of that time.", "Give them as long as they take (`terminationGracePeriodSeconds`, or `gracePeriod` and `maxGracePeriod` under `upgrade.nodes.drain`), or have them stop faster."},
	{JobFailed, SeverityWarning, "A Job failed, since more of its pods were deleted than its backoffLimit allows: its other pods are deleted, and nothing replaces them.", "Upgrade while the Job is not running, or guard its pods with a budget that refuses evictions; or have it not count them (`podFailurePolicy` with `DisruptionTarget`), which `backoffLimit` in the scenario stands for."},
	{LocalDataLost, SeverityWarning, "A pod's local data (emptyDir) was deleted with it.", "Move data that must stay to a persistent volume."},
	{LocalVolumeLost, SeverityError, "A workload's data lies on the disks of nodes that the strategy replaces.", "Upgrade these nodes in place (`strategy: rolling`); or have the workload copy its data to other nodes before each one goes, and leave `volume.local` out for it."},
	{NeverBack, SeverityError, "A workload that was ready before the upgrade has no ready replica when nothing can happen any more.", "See what keeps its pods away: a node that is gone, a version that breaks them, or no room."},
	{ReplicasMissing, SeverityWarning, "A workload has fewer ready replicas than before the upgrade when nothing can happen any more.", "See what keeps them away: a node that is gone, a version that breaks them, or no room."},
	{PodPreempted, SeverityWarning, "A pod was deleted to make room for one of higher priority.", "Add room, or lower the priority."},
	{NoReadyReplica, SeverityError, "A workload with several replicas has none that is ready.", "Spread its replicas, give it a budget, and take fewer nodes at once."},
	{SingleReplicaDown, SeverityWarning, "A workload's only replica is down while it moves.", "Run two replicas with a budget of `maxUnavailable: 1`; or, where it can run only once, accept the downtime and tell those who use it."},
	{NoWorkingReplica, SeverityError, "A workload's pods are Ready and none of them works.", "Test the new version on one node first, with a gate on workloads."},
	{WorkloadQuorumLost, SeverityError, "A workload has fewer ready members than its quorum.", "Give it a `podDisruptionBudget` that keeps the quorum, for instance `maxUnavailable: 1`."},
	{WorkloadNotInSync, SeverityError, "A workload has its quorum of ready members, but too few of them are in sync.", "Wait at least the time of its `catchUp` after each node (`soakPerNode` under `upgrade.nodes`), or let a member turn Ready only when it is in sync, so that the budget holds the next drain."},
	{QuorumAtRisk, SeverityWarning, "So many members of a workload may be evicted at once that it would lose its quorum.", "Give it a `podDisruptionBudget` that keeps the quorum, for instance `maxUnavailable: 1`."},
	{BelowReplicas, SeverityInfo, "A workload has fewer ready replicas than it asks for.", "Nothing, while its budget holds."},
	{GateFailed, SeverityError, "A stage's gate did not hold in time, or what it watches broke.", "Find out what the new version broke before you go on."},
	{GateSawNoPod, SeverityWarning, "A gate held although no pod of a workload that the new version breaks ran where it looked.", "Have a pod of it run on the stage's nodes: `nodes: {names: […]}` of nodes that have one, or `taint: PreferNoSchedule` on the old ones."},
	{ObjectiveMissed, SeverityError, "An objective of the scenario is missed.", "Change the strategy, or the objective."},
	{NothingToUpgrade, SeverityInfo, "Every component already has the target version.", "Nothing."},
	{FaultWithoutEffect, SeverityWarning, "A fault of the scenario hit nothing.", "Correct what it names: nodes, workloads, version or time."},
	{StageWithoutNodes, SeverityError, "A stage selects no node, so that it would be passed over in silence.", "Correct its selector."},
	{StageGetsNoNode, SeverityWarning, "Nothing is left for a stage: earlier ones take all its nodes, or the limit leaves them out. It is passed over.", "Correct the nodes of the stages before it, or the limit; or remove the stage."},
	{TargetOlder, SeverityWarning, "The API servers are newer than the target, by a patch; upsim leaves the control plane as it is.", "Choose the API servers' own version, or a newer one."},
	{CutOff, SeverityError, "The simulation was cut off by a limit before it ended.", "Raise the limit, or look for a cycle in the plan."},
	{ObjectNotUnderstood, SeverityWarning, "An object of an input file could not be used and was left out.", "Export it again with kubectl, or remove it from the file."},
	{VersionInferred, SeverityInfo, "The input does not say a component's version, so it was taken from another component.", "Say it with --server-version, or write `version` beside `cluster.from` in a scenario."},
	{VolumesUnknown, SeverityInfo, "Workloads mount persistent volumes, and the input does not say where these can be attached.", "Add them: `kubectl get pv,pvc -A -o json > volumes.json`, and `--cluster volumes.json` as well. Or write into a scenario with `cluster.from`, under `cluster`: `workloads: [{name: NAME, namespace: NAMESPACE, volume: {zonal: true}}]`, or `{local: true}` for disks of a node."},
	{InputIncomplete, SeverityWarning, "A real cluster's output lacks what every cluster has, such as pods, so that nothing is said of it.", "Write all of it with the command that `upsim run --help` gives."},
	{InputPerhapsIncomplete, SeverityInfo, "A real cluster's output has no PodDisruptionBudgets, or no pods of kube-system.", "Nothing, where the cluster has none; else write all of it with the command that `upsim run --help` gives."},
	{NameNotInFiles, SeverityWarning, "What is written beside `cluster.from` has a name that the files do not have and nearly have, and was added.", "Correct its name, or its namespace, if it is meant to override what the files have."},
	{TargetResolved, SeverityInfo, "The target names a minor without a patch, and was taken to mean the newest known patch.", "Write the patch that you mean."},
	{PlanLeavesNodes, SeverityInfo, "A plan does not name some of the workers that are older than its target; they are left alone.", "Nothing, where that is meant; else make the plan anew with `upsim plan`."},
	{StudyNotRun, SeverityInfo, "The scenario has a study, and the command simulates its upgrade as it stands.", "Run the study with `upsim compare`."},
	{ReleaseUnknown, SeverityWarning, "The target is newer than every release of Kubernetes that this upsim knows.", "Correct the target, or take a newer upsim."},
}

// Info looks a code up in CodeTable; ok is false for a word that is no code.
func (c Code) Info() (info CodeInfo, ok bool) {
	at, ok := codeAt[c]
	if !ok {
		return CodeInfo{}, false
	}
	return CodeTable[at], true
}

// codeAt is the place of each code in CodeTable.
var codeAt = func() map[Code]int {
	at := make(map[Code]int, len(CodeTable))
	for i, info := range CodeTable {
		at[info.Code] = i
	}
	return at
}()

// Finding is something that is wrong, or worth knowing, with its subject
// (kind/namespace/name, or kind/name where there is no namespace).
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Subject  string   `json:"subject"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
}

// FirstOf is the first finding of that code; false where there is none.
func FirstOf(list []Finding, c Code) (Finding, bool) {
	i := slices.IndexFunc(list, func(f Finding) bool { return f.Code == c })
	if i < 0 {
		return Finding{}, false
	}
	return list[i], true
}

// NewFinding fills severity and fix from CodeTable.
func NewFinding(c Code, subject, message string) Finding {
	info, _ := c.Info()
	return Finding{Code: c, Severity: info.Severity, Subject: subject, Message: message, Fix: info.Fix}
}
