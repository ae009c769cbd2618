package sim

import (
	"iter"
	"maps"
	"slices"
	"sync"

	"upsim/sim/eventq"
	"upsim/sim/invariant"
)

// Options are the choices that are not part of the scenario.
type Options struct {
	// Seed of all chance; 0 means the scenario's own.
	Seed uint64
	// Audit recomputes everything that is kept up to date step by step at the
	// end of every tick, and panics where the two differ.
	Audit bool
	// MaxEvents ends the run, with the finding CutOff, after so many events; 0 means DefaultMaxEvents.
	MaxEvents uint64
	// Stop is asked now and then whether to give up.
	Stop func() bool
	// Story is told every step that a person would recognise, in order; nil means nobody listens.
	Story func(Step)
	// watchBudgets makes each write of a budget's status an event, in tests.
	watchBudgets bool
	// plainQueue uses the plain event list in place of the fast one, in tests.
	plainQueue bool
	// forceIndex places by index in small clusters too, plainSearch never does, in tests.
	forceIndex, plainSearch bool
}

// DefaultMaxEvents is far more than the largest plan needs: a hundred thousand nodes take some twenty million.
const DefaultMaxEvents = 2_000_000_000

// queue is what the engine asks of an event list that stands in place of the fast one.
type queue interface {
	Push(at int64, data uint64)
	Pop() (eventq.Item, bool)
	Due() bool
	Len() int
}

// run is one simulation of a World: all that changes.
type run struct {
	w       *World
	opts    Options
	seed    uint64
	now     int64
	last    int64 // the last tick in which something happened
	q       *eventq.Queue
	instead queue // in tests, a list that is asked in place of q; nil otherwise
	log     *invariant.Log

	nodes     []node
	pods      []pod
	freePods  []int32
	workloads []workload
	budgets   []budget
	slots     []slot
	on        [][]int32 // by node: its pods, in the order in which they came
	counts    [][]int32 // by counter, then by domain
	liveAt    []int32   // by slot: the node of its bound pod that is not terminating
	slotZone  map[int32]int32
	slotNode  map[int32]int32
	slotFree  map[int32]int64  // when the slot's volume is detached from its last node
	notBefore map[int32]int64  // by pod: when it can be Ready at the earliest, of pods that started over
	inSyncAt  map[int32]int64  // by pod: when its data is in sync, of Ready members that still catch up
	awaited   map[int32]bool   // slots of DaemonSets on nodes that have joined, until their first pod is Ready
	lost      map[int32]uint32 // by slot: its pods that were deleted and did not move, of few slots
	ports     map[portOnNode]int32
	usedOther map[otherOnNode]int64
	// classNodes and domainNodes tally nodes for the spread filter: by class, and by topology, then domain and class.
	classNodes  []nodeTally
	domainNodes map[int32][]nodeTally

	// scheduler
	nextNode     int
	queues       []shapeQueue
	parkedShapes []int32
	whyParked    map[int32]string // by workload: why a pod of it found no node the first time
	placing      bool             // before the upgrade begins
	candidates   []int32
	scores       []int64
	raw          []int64
	weights      []float64
	sums         []float64
	marks        []markSet
	totals       []int32
	minimum      []int32
	defaultTerms []spreadTerm
	defaultMarks [2]markSet
	seenDomain   []uint64
	seenRound    uint64
	retry        []parkedPod
	parkSeq      int64
	unparking    bool            // an evUnpark is under way
	nominee      map[int32]int32 // by parked pod: the node that preemption makes room on for it
	indexes      []shapeIndex
	changes      []int32 // nodes that have changed, for the indexes to follow
	changesBase  int     // position of changes[0], counted from the start of the run
	special      []specialNode
	markedNodes  []int32
	window       window
	ownSpread    ownSpread
	logs         [8]logarithm

	farApart   bool  // its pods lie far apart in memory, see farApartFrom
	ahead      int32 // see readAhead
	claims     []claim
	freeClaims []int32
	drains     []drain
	freeDrains []int32
	victimList []int32 // see victims
	rollout    rollout
	windows    windows
	meant      map[int32]bool // with a limit: the workers that the upgrade is for
	cp         controlPlane
	limits     [controllers]bucket

	unsettled      bool // endTick has something to do, or may have
	dirtyWorkloads []int32
	dirtyNodes     []int32
	dirtyBudgets   []int32
	cpDirty        bool
	present        int32 // nodes that are there
	extra          int32 // nodes more than at the start, those that were only asked for included
	surgePeak      int32
	surgeTime      int64 // node-microseconds of extra nodes
	surgeSince     int64
	readyAtStart   []int32    // by workload
	spent          []spending // by workload; nil without error budgets
	hit            []bool     // by fault: it had an effect
	slow           []slowImages
	capacity       []capacity
	waiting        []waitingNode
	absent         map[int32]*absence // by node
	failures       map[int32]*failure // by node
	chances        map[chanceOf]*chance
	certificates   map[int32]*certificate // by node
	expired        []int32                // nodes that lost theirs
	scaleDowns     []scaleDown
	idle           []idleNode // by node; nil without an autoscaler
	scaledDown     []removal
	background     int // events that would go on without the upgrade
	failedAtStep   int // a measure of the rollout's steps, and how many nodes have failed by chance since
	failedSince    int
	evictionZones  []evictionZone
	changedZones   []int32
	zonesThere     int // zones with nodes, and those in which none is Ready
	zonesDown      int
	allDown        bool
	tainted        []int32        // nodes with the taint unreachable:NoExecute, and some that had it
	unavailable    int32          // workloads with fewer available replicas than when the upgrade began
	counting       bool           // between the start and the end of the upgrade
	badSeen        bool           // a gate has failed: what a bad version reaches from here on is no surprise
	reachedBad     map[int32]bool // slots whose pod a bad version has reached
	saw            []bool         // by workload: a gate that has held had a pod of it to look at, on a node with the new version
	held           []string       // stages whose gate has held
	endedAt        int64

	changed        bool // since the rollout's last round of retries began, something changed pods, nodes or budgets
	events, ticks  uint64
	digest         uint64
	evictions      int64
	deletions      int64
	refused        int64
	evictionErrors int64
	apiDown        int64
	quorumLost     int64
	apiDownSince   int64
	quorumSince    int64
	phases         []phaseSpan
	reasons        []reason
	drainWhy       map[int32]string // by node
	drainFix       map[int32]string // by node: what to do about that, where the code does not say it
	cutOff         bool
	beyond         bool // an event lay beyond the horizon
	stuck          bool
	aborted        bool
}

// controllers with a client, and so a rate limit, of their own.
const (
	limitReplicaSet = iota
	limitStatefulSet
	limitDaemonSet
	limitDisruption
	limitJob
	controllers
)

// newRun begins from a copy of the World's state.
func (w *World) newRun(o Options) *run {
	w.notUsedUp()
	counts := make([][]int32, len(w.counts0))
	for i := range counts {
		counts[i] = slices.Clone(w.counts0[i])
	}
	return w.runFrom(o, cloneHuge(w.nodes0), w.podsWithSpares(), cloneLists(w.on0), cloneHuge(w.workloads0), cloneHuge(w.budgets0), counts, cloneHuge(w.liveAt0))
}

// lastRun begins from the World's own state, which the World has no more afterwards.
func (w *World) lastRun(o Options) *run {
	r := w.scratchRun(o)
	w.usedUp = true
	return r
}

// scratchRun begins from the World's own state, which keep gives back to it.
func (w *World) scratchRun(o Options) *run {
	w.notUsedUp()
	r := w.runFrom(o, w.nodes0, w.pods0, w.on0, w.workloads0, w.budgets0, w.counts0, w.liveAt0)
	w.nodes0, w.pods0, w.on0, w.workloads0, w.budgets0, w.counts0, w.liveAt0 = nil, nil, nil, nil, nil, nil, nil
	return r
}

func (w *World) notUsedUp() {
	if w.usedUp {
		panic("sim: the World's last run has taken its state")
	}
}

// runFrom begins a run with the state of what is most: nodes, pods, workloads and budgets. Of the rest it takes a copy.
func (w *World) runFrom(o Options, nodes []node, pods []pod, on [][]int32, workloads []workload, budgets []budget, counts [][]int32, liveAt []int32) *run {
	r := &run{w: w, opts: o, seed: o.Seed,
		nodes: nodes, pods: pods, on: on, workloads: workloads, budgets: budgets, counts: counts, liveAt: liveAt,
		slots:    makeHuge[slot](int(w.slots), int(w.slots)),
		slotZone: maps.Clone(w.slotZone0), slotNode: maps.Clone(w.slotNode0), slotFree: make(map[int32]int64),
		absent: make(map[int32]*absence), failures: make(map[int32]*failure), certificates: make(map[int32]*certificate), chances: make(map[chanceOf]*chance),
		ports: maps.Clone(w.ports0), usedOther: maps.Clone(w.usedOther0), queues: make([]shapeQueue, len(w.shapes)), whyParked: make(map[int32]string),
		nextNode: w.nextNode0, endedAt: -1,
	}
	if r.seed == 0 {
		r.seed = w.scenario.Seed
	}
	if r.opts.MaxEvents == 0 {
		r.opts.MaxEvents = DefaultMaxEvents
	}
	if len(w.nodes) > allNodesUpTo || o.forceIndex {
		r.indexes = make([]shapeIndex, len(w.shapes))
	}
	r.fillSlots()
	r.farApart = len(pods) >= farApartFrom
	if o.plainQueue {
		r.instead, r.farApart = new(eventq.Sorted), false
	}
	r.q = queues.Get().(*eventq.Queue)
	a := &w.scenario.Assumptions
	for i := range r.limits {
		r.limits[i] = newBucket(a.ControllerQPS, a.ControllerBurst)
	}
	r.tallyNodes()
	r.countZones()
	r.log = invariant.NewLog(invariant.Sizes{invariant.Workloads: len(w.workloads), invariant.Nodes: len(w.nodes), invariant.Budgets: len(w.budgets)})
	r.log.Quiet = ofCourse
	return r
}

var ofCourse = invariant.OfCourse()

// queues are the event lists of runs that have ended. In a batch of small clusters new ones would be two fifths of all memory that is asked for.
var queues = sync.Pool{New: func() any { return eventq.New(1024) }}

// release leaves the run's event list to a later run; this one has ended. After a panic the list is not to be trusted.
func (r *run) release() {
	r.q.Reset()
	queues.Put(r.q)
	r.q, r.instead = nil, nil
}

// podsWithSpares are the pods at the start, with room for some of those that come while others still stop.
func (w *World) podsWithSpares() []pod {
	return append(makeHuge[pod](0, withSpares(len(w.pods0))), w.pods0...)
}

func withSpares(pods int) int { return pods + pods/32 + 64 }

// cloneLists copies the lists of nodes' pods into one piece of memory, with room for some pods that come while others still stop.
func cloneLists(lists [][]int32) [][]int32 {
	room := func(l []int32) int { return len(l) + len(l)/4 + 4 }
	total := 0
	for _, l := range lists {
		total += room(l)
	}
	all, copies := makeHuge[int32](0, total), make([][]int32, len(lists))
	for i, l := range lists {
		from := len(all)
		all = append(all, l...)
		copies[i] = all[from : len(all) : from+room(l)]
		all = all[:from+room(l)]
	}
	return copies
}

// fillSlots gives the slots their pods at the start, one at most.
func (r *run) fillSlots() {
	for i := range r.slots {
		r.slots[i] = slot{newest: none, vacant: none}
	}
	for p := range r.pods {
		r.slots[r.pods[p].slot].newest = int32(p)
	}
}

// podsOf are the pods of a workload, slot by slot, those that were made last first.
func (r *run) podsOf(w int32) iter.Seq[int32] {
	spec := &r.w.workloads[w]
	return func(yield func(int32) bool) {
		for _, s := range r.slots[spec.slot0 : spec.slot0+spec.slots] {
			for p := s.newest; p != none; p = r.pods[p].before {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// tallyNodes counts nodes by class and by domain for the spread filter.
func (r *run) tallyNodes() {
	classes := r.w.classes
	r.classNodes = make([]nodeTally, classes)
	r.domainNodes = make(map[int32][]nodeTally)
	for i := range r.w.workloads {
		if con := r.w.workloads[i].con; con != nil {
			for _, t := range con.hard {
				if t.topo != topoHost && r.domainNodes[t.topo] == nil {
					r.domainNodes[t.topo] = make([]nodeTally, len(r.w.topo[t.topo].domains)*classes)
				}
			}
		}
	}
	for i := range r.nodes {
		r.tally(int32(i), +1)
		if r.nodes[i].flags&nodeRemoved == 0 {
			r.present++
		}
	}
}

// tally adds a node to, or with -1 takes it from, the counts by class and domain, as its taints stand.
func (r *run) tally(n int32, by int32) {
	nd := &r.nodes[n]
	if nd.flags&nodeRemoved != 0 {
		return
	}
	r.classNodes[nd.class][nd.taints] += by
	for topo, ts := range r.domainNodes {
		if d := r.w.topo[topo].of[n]; d != none {
			ts[int(d)*len(r.classNodes)+int(nd.class)][nd.taints] += by
		}
	}
}

// horizon is the last instant that can be simulated, some 36,000 years on;
// downForever is when a component is up again that never comes back.
const (
	horizon     = int64(1) << 60
	downForever = int64(1) << 62
)

func (r *run) push(at int64, k kind, gen uint32, subject int32) {
	if uint64(at) > uint64(horizon) { // or before 0
		r.beyond = r.beyond || at < downForever // else it waits for a component that never comes back
		return
	}
	at = max(at, r.now)
	if r.instead != nil {
		r.instead.Push(at, pack(k, gen, subject))
		return
	}
	r.q.Push(at, pack(k, gen, subject))
}

func (r *run) pushAfter(d int64, k kind, gen uint32, subject int32) {
	r.push(r.now+max(0, d), k, gen, subject)
}

// ownedPod is a pod with what belongs to it: its id, and its workload as it was compiled and as it stands.
type ownedPod struct {
	*pod
	id   int32
	spec *workloadSpec
	wl   *workload
}

func (r *run) owned(p int32) ownedPod {
	return r.ownedAt(&r.pods[p], p)
}

// ownedAt is owned for a pod that has been looked up.
func (r *run) ownedAt(pd *pod, p int32) ownedPod {
	return ownedPod{pd, p, &r.w.workloads[pd.workload], &r.workloads[pd.workload]}
}

// remember puts something into a map that few runs need, and that is nil until then: to ask whether it is empty then takes no look into it.
func remember[V any](m *map[int32]V, key int32, value V) {
	if *m == nil {
		*m = make(map[int32]V)
	}
	(*m)[key] = value
}

func (r *run) dirtyWorkload(w int32) {
	if wl := &r.workloads[w]; !wl.dirty {
		wl.dirty, r.unsettled = true, true
		r.dirtyWorkloads = append(r.dirtyWorkloads, w)
	}
}

func (r *run) dirtyNode(n int32) {
	if nd := &r.nodes[n]; !nd.dirty {
		nd.dirty, r.unsettled = true, true
		r.dirtyNodes = append(r.dirtyNodes, n)
	}
}

// upTo is t, cut off at the end of the upgrade: accumulators count until then.
func (r *run) upTo(t int64) int64 {
	if r.endedAt >= 0 && t > r.endedAt {
		return r.endedAt
	}
	return max(t, 0)
}
