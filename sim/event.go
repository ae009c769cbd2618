package sim

// kind says what an event means and so which actor handles it.
type kind uint8

const ( // under the file of the actor that handles them
	// rollout.go
	evPhase      kind = iota // start the next phase of the upgrade
	evCordon                 // ticket: kubectl cordon reaches the API server
	evNodeBack               // ticket: the node's upgrade is done
	evUncordon               // ticket: kubectl uncordon reaches the API server
	evTicketDone             // ticket: the node's soak is over
	// drain.go
	evDrainStart    // ticket: kubectl drain has listed the node's pods
	evDrainDeadline // ticket: the drain's timeout, for pods that were accepted and are not gone
	// turns.go
	evTurn // drain: the next pods' turn
	// drainend.go
	evDrainEnd // ticket: kubectl drain returns
	evEmptied  // ticket: its empty node has waited for drain.postDrainDelay
	evForced   // ticket: the pods that a failed drain left are deleted
	// stage.go
	evSoaked    // stage: its soak is over
	evCordonAll // stage: kubectl cordon of all old nodes
	// gate.go
	evGateOverdue     // node: its stage's gate has waited long enough for it to come back
	evGateTimeout     // stage: its gate has waited long enough
	evNodeGateTimeout // ticket: the node gate has waited long enough
	evGateHeld        // stage: its gate has held for long enough
	evNodeGateHeld    // ticket: the node gate has held for long enough
	// watch.go
	evErrorBudget // workload: its error budget is used up
	// rollback.go
	evGoBack // what was cordoned is uncordoned, and the nodes go back
	// windows.go
	evWindow // stage, lane or upgrade: a maintenance window opens that it waits for
	// replace.go
	evProvisioned   // node: a new one has joined
	evProvisionLate // node: a new one has not joined in time
	evNodeGone      // ticket: its old node is deleted
	evBatch         // stage: a wait before the next nodes is over
	evAwaited       // node: its DaemonSets' pods should be there by now
	evRetire        // stage: its old nodes are removed
	// eviction.go
	evAsk          // claim: kubectl sends an eviction request
	evEvict        // claim: an eviction request is read
	evEvictWrite   // claim: the budget is written
	evClaimTimeout // claim: the retry at which kubectl sees its timeout
	// disruption.go
	evBudgetSync // budget: the controller computes it again
	// workloads.go
	evReplace // workload: a replacement is created
	evSync    // workload: a StatefulSet is looked at
	// scheduler.go
	evSchedule // pod: the scheduler looks at it
	evUnpark   // parked pods are looked at again
	// kubelet.go
	evStarted     // pod: Running
	evReady       // pod: Ready
	evAvailable   // pod: Ready for minReadySeconds
	evCaughtUp    // pod: its data is in sync
	evDelete      // pod: its deletion timestamp is set
	evGone        // pod: the object is removed
	evForceDetach // pod: its volume is taken from it
	evNodePods    // node: pods that stayed on it are Ready again
	// nodelifecycle.go
	evTaint       // node: the unschedulable taint follows spec.unschedulable
	evNodeClear   // node: the taints of a node that was away are gone
	evNodeEvict   // pod: it no longer tolerates that its node is gone
	evNodeOverdue // node: it should be back from its upgrade and is not
	evNodeDown    // node: its kubelet has been silent for the grace period
	// procedure.go
	evControlPlane // control plane: the next step of its procedure
	// etcd.go
	evComponentUp // component: it acts again
	evPromoted    // instance: its new etcd member has caught up
	// restore.go
	evEmulationGate // lane: the gate of the emulation has waited long enough
	// outage.go
	evOutage // fault: a component goes down
	// apioutage.go
	evAPIBack // fault: the API servers answer again
	// badversion.go
	evBreak // node: pods of a bad version break
	evSeen  // pod: a gate can see that it is broken
	// nodefailure.go
	evFail        // fault: its nodes fail
	evChance      // node: it fails by chance; the generation is the fault
	evFailureOver // node: it answers again
	// zoneeviction.go
	evZone // zone: its next node that is gone gets its taint
	// certificates.go
	evRotate // node: its kubelet asks for its next certificate
	evExpire // node: its kubelet's certificate ends
	// scaledown.go
	evScaleDown // node: an autoscaler has seen it idle for long enough
	// capacity.go
	evCapacity // fault: new nodes are to be had again
	kinds
)

// kindInfo is what the engine knows of a kind.
type kindInfo struct {
	// name is its name in the digest, which so does not change with the kinds' numbers when there is a new one.
	name string
	// of says of what its subject must still be the same when the event comes.
	of subjectKind
	// works: it changes pods, nodes or budgets by itself, so that a drain that failed now may pass later. The rollout's own steps
	// do not, nor the taint that follows its cordons, nor data in sync.
	works bool
}

// subjectKind is what the generation of an event counts.
type subjectKind uint8

const (
	ofOther   subjectKind = iota // its handler knows
	ofClaim                      // a drain's claim on a pod
	ofPod                        // a pod object
	ofTicket                     // a node that is taken in hand: none, but it must not be done
	ofAbsence                    // an absence of a node
)

var kindTable = [kinds]kindInfo{
	evPhase:           {name: "phase"},
	evCordon:          {name: "cordon", of: ofTicket},
	evNodeBack:        {name: "node back", of: ofTicket},
	evUncordon:        {name: "uncordon", of: ofTicket},
	evTicketDone:      {name: "ticket done", of: ofTicket},
	evDrainStart:      {name: "drain start", of: ofTicket},
	evDrainDeadline:   {name: "drain deadline", of: ofTicket},
	evTurn:            {name: "turn"},
	evDrainEnd:        {name: "drain end", of: ofTicket},
	evEmptied:         {name: "emptied", of: ofTicket},
	evForced:          {name: "forced", of: ofTicket},
	evSoaked:          {name: "soaked"},
	evCordonAll:       {name: "cordon all"},
	evGateOverdue:     {name: "gate overdue", of: ofAbsence},
	evGateTimeout:     {name: "gate timeout"},
	evNodeGateTimeout: {name: "node gate timeout", of: ofTicket},
	evGateHeld:        {name: "gate held"},
	evNodeGateHeld:    {name: "node gate held", of: ofTicket},
	evErrorBudget:     {name: "error budget"},
	evGoBack:          {name: "go back"},
	evWindow:          {name: "window"},
	evProvisioned:     {name: "provisioned", of: ofAbsence},
	evProvisionLate:   {name: "provision late", of: ofAbsence},
	evNodeGone:        {name: "node gone", of: ofTicket},
	evBatch:           {name: "batch"},
	evAwaited:         {name: "awaited", of: ofAbsence},
	evRetire:          {name: "retire"},
	evAsk:             {name: "ask", of: ofClaim},
	evEvict:           {name: "evict", of: ofClaim},
	evEvictWrite:      {name: "evict write", of: ofClaim},
	evClaimTimeout:    {name: "claim timeout", of: ofClaim},
	evBudgetSync:      {name: "budget sync", works: true},
	evReplace:         {name: "replace", works: true},
	evSync:            {name: "sync", works: true},
	evSchedule:        {name: "schedule", of: ofPod, works: true},
	evUnpark:          {name: "unpark", works: true},
	evStarted:         {name: "started", of: ofPod},
	evReady:           {name: "ready", of: ofPod, works: true},
	evAvailable:       {name: "available", of: ofPod, works: true},
	evCaughtUp:        {name: "caught up", of: ofPod},
	evDelete:          {name: "delete", of: ofPod, works: true},
	evGone:            {name: "gone", of: ofPod, works: true},
	evForceDetach:     {name: "force detach", of: ofPod, works: true},
	evNodePods:        {name: "node pods", of: ofAbsence, works: true},
	evTaint:           {name: "taint"},
	evNodeClear:       {name: "node clear", of: ofAbsence, works: true},
	evNodeEvict:       {name: "node evict", of: ofPod, works: true},
	evNodeOverdue:     {name: "node overdue", of: ofAbsence, works: true},
	evNodeDown:        {name: "node down", works: true},
	evControlPlane:    {name: "control plane", works: true},
	evComponentUp:     {name: "component up", works: true},
	evPromoted:        {name: "promoted", works: true},
	evEmulationGate:   {name: "emulationGate", works: true},
	evOutage:          {name: "outage", works: true},
	evAPIBack:         {name: "api back", works: true},
	evBreak:           {name: "break", of: ofAbsence, works: true},
	evSeen:            {name: "seen", of: ofPod, works: true},
	evFail:            {name: "fail", works: true},
	evChance:          {name: "chance", works: true},
	evFailureOver:     {name: "failure over", works: true},
	evZone:            {name: "zone", works: true},
	evRotate:          {name: "rotate"},
	evExpire:          {name: "expire", works: true},
	evScaleDown:       {name: "scale down", works: true},
	evCapacity:        {name: "capacity", works: true},
}

// kindFacts are what the loop asks of the kind of every event, out of kindTable and close together. There is one for each byte, so that
// none is out of range.
var kindFacts = func() (facts [1 << 8]struct {
	of    subjectKind
	works bool
	code  uint64 // what the digest takes in place of its number: a hash of its name
}) {
	for k, info := range kindTable {
		f := &facts[k]
		f.of, f.works = info.of, info.works
		for _, c := range []byte(info.name) {
			f.code = mix(f.code+1, uint64(c))
		}
		f.code ^= pack(kind(k), 0, 0) // so that it takes the kind's number out of the event
	}
	return facts
}()

// An event's 64 bits: kind, generation of its subject, subject.
const (
	subjectBits = 32
	genBits     = 24
	genMask     = 1<<genBits - 1
)

func pack(k kind, gen uint32, subject int32) uint64 {
	return uint64(k)<<(subjectBits+genBits) | uint64(gen&genMask)<<subjectBits | uint64(uint32(subject))
}

func unpack(d uint64) (k kind, gen uint32, subject int32) {
	return kind(d >> (subjectBits + genBits)), uint32(d>>subjectBits) & genMask, int32(uint32(d))
}
