package sim

import (
	"fmt"
	"slices"
	"sort"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// stageRun is a stage with its nodes and how far it has come.
type stageRun struct {
	model.Stage
	nodes   []int32
	max     int     // nodes at once
	drained []int32 // tickets of old nodes that blueGreen removes at the end

	step         stageStep
	queue        []int32
	inFlight     int
	retried      []int32 // nodes to try again after the others
	awaitsChange bool    // all that are left failed, and are tried again when something else has changed
	fruitless    int     // rounds in a row in which no node was upgraded
	progress     bool    // a node was upgraded since the last round of retries began
	gateGen      uint32
	notReady     int32 // its nodes that are not Ready
	started      int64
	soakFrom     int64 // when its soak began, or its wait for its gate
}

// stageStep is how far a stage has come.
type stageStep uint8

const (
	stageAhead stageStep = iota // it has not begun
	stageWorks
	stageSoaks
	stageGated // it waits for its gate
	stageOver
)

// stageOf is the stage that a ticket belongs to; nil for a control-plane node's.
func (r *run) stageOf(tk *ticket) *stageRun {
	if tk.stage == none {
		return nil
	}
	return &r.rollout.stages[tk.stage]
}

// startNodes begins a node phase: which nodes need the version, and which stage takes which of them.
func (r *run) startNodes(p phase) {
	ro := &r.rollout
	up := &r.w.upgrade.Upgrade.Nodes
	nodes := slices.DeleteFunc(r.upgradeOrder(r.nodes, p.to), func(n int32) bool { return !p.moves(r.w.version(r.nodes[n].kubelet)) })
	if up.Limit > 0 {
		nodes = slices.DeleteFunc(nodes, func(n int32) bool { return !r.meant[r.w.original(n)] })
	}
	r.leaveStages()
	for _, s := range r.w.stages {
		var mine []int32
		mine, nodes = r.pick(nodes, s.Nodes)
		if s.NewNodes() {
			mine = slices.DeleteFunc(mine, r.standsBesideTwin)
		}
		if len(mine) == 0 {
			continue
		}
		for _, n := range mine {
			r.nodes[n].stage = int32(len(ro.stages)) + 1
		}
		ro.stages = append(ro.stages, stageRun{Stage: s, nodes: mine, max: min(atOnce(&s, int(r.w.workers), len(mine)), len(mine)), notReady: r.notReady(mine)})
	}
	r.nextStages()
}

// notReady counts the nodes that are not Ready.
func (r *run) notReady(nodes []int32) (count int32) {
	for _, n := range nodes {
		count += one(r.nodes[n].flags&nodeReady == 0)
	}
	return count
}

// countNotReady counts a node among those of its stage that are not Ready, or with -1 no longer.
func (r *run) countNotReady(n, by int32) {
	if s := r.nodes[n].stage; s != 0 {
		r.rollout.stages[s-1].notReady += by
	}
}

// leaveStages takes the nodes out of the stages of the phase before, which stay for what still looks at them.
func (r *run) leaveStages() {
	ro := &r.rollout
	for i := range ro.stages {
		s := &ro.stages[i]
		for _, n := range s.nodes {
			if r.nodes[n].stage == int32(i)+1 {
				r.nodes[n].stage = 0
			}
		}
		s.notReady = 0
	}
	ro.next = len(ro.stages)
}

// standsBesideTwin reports whether a node's drain failed in an earlier phase, so
// that it and the one that came for it both stand. Both stay as they are: the new
// one has that phase's version, and no third takes their place.
func (r *run) standsBesideTwin(n int32) bool {
	twin := r.w.nodes[n].twin
	return twin != none && r.nodes[twin].flags&nodeRemoved == 0
}

// upgradeOrder lists the workers that are older than the version: those that
// the scenario's order names first, then by pool and natural order of names.
func (r *run) upgradeOrder(nodes []node, to model.Version) []int32 {
	first := make(map[string]int, len(r.w.upgrade.Upgrade.Nodes.Order))
	for i, n := range r.w.upgrade.Upgrade.Nodes.Order {
		first[n] = i + 1
	}
	pools := r.poolRanks()
	target := r.w.rank[r.w.versionIs(to)]
	type ranked struct {
		id, rank, pool int32
		name           string
	}
	var list []ranked
	for n := range int32(len(nodes)) {
		if r.w.nodes[n].cp || nodes[n].flags&nodeRemoved != 0 || r.w.rank[nodes[n].kubelet] >= target {
			continue
		}
		x := ranked{id: n, rank: 1 << 30, pool: pools[r.w.nodes[n].poolName]}
		// Nodes of a pool stand in natural order already, so they need no name.
		if r.w.nodes[n].pool == none || len(first) > 0 {
			x.name = r.w.nodeName(r.w.original(n))
		}
		if i := first[x.name]; i > 0 {
			x.rank = int32(i)
		}
		list = append(list, x)
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.rank != b.rank {
			return a.rank < b.rank
		}
		if a.pool != b.pool {
			return a.pool < b.pool
		}
		if a.name != "" && b.name != "" && a.name != b.name {
			return model.NaturalLess(a.name, b.name)
		}
		return a.id < b.id
	})
	out := make([]int32, len(list))
	for i := range list {
		out[i] = list[i].id
	}
	return out
}

// upgradeOrderAll lists the workers that the upgrade was meant to reach: older
// than the target at the start, as far as the limit and the stages go.
func (r *run) upgradeOrderAll() []int32 {
	nodes := r.withinLimit()
	var out []int32
	for _, s := range r.w.stages {
		var mine []int32
		mine, nodes = r.pick(nodes, s.Nodes)
		out = append(out, mine...)
	}
	return out
}

// withinLimit lists the workers that are older than the target at the start, as many as the limit takes.
func (r *run) withinLimit() []int32 {
	up := &r.w.upgrade.Upgrade
	nodes := r.upgradeOrder(r.w.nodes0, up.To)
	if l := up.Nodes.Limit; l > 0 && len(nodes) > l {
		nodes = nodes[:l]
	}
	return nodes
}

// original is the worker that a new node stands for; itself for any other.
func (w *World) original(n int32) int32 {
	if t := w.nodes[n].twin; t != none && t < n {
		return t
	}
	return n
}

// poolRanks numbers the pools in the order in which the scenario has them; nodes without a pool come last.
func (r *run) poolRanks() map[string]int32 {
	ranks := make(map[string]int32)
	for n := range r.w.workers {
		p := r.w.nodes[n].poolName
		if _, ok := ranks[p]; !ok && p != "" {
			ranks[p] = int32(len(ranks))
		}
	}
	ranks[""] = int32(len(ranks))
	return ranks
}

// pick takes a stage's nodes from the list.
func (r *run) pick(nodes []int32, set model.NodeSet) (mine, rest []int32) {
	switch {
	case set.Pool != "":
		return split(nodes, func(n int32) bool { return r.w.nodes[n].poolName == set.Pool })
	case set.Count > 0:
		k := min(set.Count, len(nodes))
		return nodes[:k], nodes[k:]
	case set.Percent > 0:
		k := min((set.Percent*int(r.w.workers)+99)/100, len(nodes))
		return nodes[:k], nodes[k:]
	case set.Selector != nil:
		m, err := set.Selector.Compile()
		if err != nil {
			return nil, nodes // the loader has compiled it once
		}
		return split(nodes, func(n int32) bool { return m.Matches(r.w.nodeLabels(n)) })
	case len(set.Names) > 0:
		return split(nodes, func(n int32) bool { return slices.Contains(set.Names, r.w.nodeName(r.w.original(n))) })
	}
	return nodes, nil
}

func split(nodes []int32, mine func(int32) bool) (yes, no []int32) {
	for _, n := range nodes {
		if mine(n) {
			yes = append(yes, n)
		} else {
			no = append(no, n)
		}
	}
	return yes, no
}

// atOnce resolves how many of the stage's nodes are worked on at once, at
// least 1: maxUnavailable, whose percentage is of all workers and rounds down; with
// surge maxSurge, of all workers and rounded up; with blueGreen the batch, of the
// stage's nodes and rounded up.
func atOnce(s *model.Stage, workers, nodes int) int {
	x, of, up := s.MaxUnavailable, workers, false
	switch s.Replace {
	case model.ReplaceSurge:
		x, up = s.MaxSurge, true
	case model.ReplaceBlueGreen:
		x, of, up = s.Batch, nodes, true
	}
	k, err := intstr.GetScaledValueFromIntOrPercent(&x, of, up)
	if err != nil {
		return 1
	}
	return max(1, k)
}

// nextStages begins the next stage, or ends the phase behind the last one.
func (r *run) nextStages() {
	ro := &r.rollout
	if ro.halted || ro.next == len(ro.stages) {
		r.push(r.now, evPhase, 0, 0)
		return
	}
	ro.next++
	ro.running++
	r.startStage(int32(ro.next - 1))
}

// startStage begins a stage.
func (r *run) startStage(i int32) {
	s := &r.rollout.stages[i]
	s.step, s.queue, s.progress, s.started = stageWorks, s.nodes, true, r.now
	if s.Replace == model.ReplaceBlueGreen {
		r.startBlueGreen(i)
		return
	}
	if s.Cordon == model.CordonAll {
		r.pushAfter(r.kubectl(s.nodes[0], 3), evCordonAll, 0, i)
		return
	}
	r.fill(i)
}

// cordonAll is one kubectl cordon for every old node of the upgrade (evCordonAll).
func (r *run) cordonAll(stage int32) {
	ro := &r.rollout
	for _, s := range ro.stages[stage:] {
		for _, n := range s.nodes {
			r.cordon(n, true)
		}
	}
	r.fill(stage)
}

// fill starts as many nodes as the stage has free places, and ends the stage when all are done.
func (r *run) fill(i int32) {
	ro := &r.rollout
	s := &ro.stages[i]
	if s.Slots == model.SlotsBarrier && s.inFlight > 0 {
		return
	}
	for !ro.halted && s.inFlight < s.max && len(s.queue) > 0 {
		n := s.queue[0]
		s.queue = s.queue[1:]
		s.inFlight++
		r.startTicket(n, i)
	}
	if s.inFlight > 0 {
		return
	}
	if len(s.retried) > 0 && !ro.halted {
		if s.progress {
			s.fruitless = 0
		} else {
			s.fruitless++
		}
		if !s.progress && !r.changed || s.fruitless > maxFruitless {
			// A whole round got no further: the next would end the same until something else changes.
			s.awaitsChange = true
			ro.held++
			return
		}
		s.queue, s.retried, s.progress, r.changed = s.retried, nil, false, false
		r.fill(i)
		return
	}
	r.endStage(i)
}

// endStage ends the work on the stage's nodes.
func (r *run) endStage(i int32) {
	s := &r.rollout.stages[i]
	if len(s.drained) > 0 && !r.rollout.halted {
		if s.PoolSoak > 0 {
			r.span("pool soak", r.now, r.now+s.PoolSoak.Microseconds())
		}
		r.pushAfter(s.PoolSoak.Microseconds()+r.draw(&r.w.latencies.nodeDelete, forNodeUpgrade, uint64(s.nodes[0]), 2), evRetire, 0, i)
		return
	}
	r.closeStage(i)
}

// closeStage records the stage and waits out its soak.
func (r *run) closeStage(i int32) {
	s := &r.rollout.stages[i]
	r.span(r.phaseName(s), s.started, r.now)
	if r.rollout.halted {
		r.stageOver(i)
		return
	}
	if s.Soak > 0 {
		s.step, s.soakFrom = stageSoaks, r.now
		r.pushAfter(s.Soak.Microseconds(), evSoaked, 0, i)
		return
	}
	r.soaked(i)
}

// stageOver goes on behind a stage, once none is under way any more.
func (r *run) stageOver(i int32) {
	ro := &r.rollout
	ro.stages[i].step = stageOver
	ro.running--
	if ro.running == 0 {
		r.nextStages()
	}
}

// halt stops the rollout: what is under way ends, and nothing new begins.
func (r *run) halt() {
	ro := &r.rollout
	if ro.halted {
		return
	}
	ro.halted = true
	for i := range ro.stages {
		switch s := &ro.stages[i]; {
		case s.step == stageSoaks, s.step == stageGated:
			r.spanWait(s)
		case s.step == stageWorks && s.awaitsChange:
			r.span(r.phaseName(s), s.started, r.now)
		default:
			continue
		}
		r.leaveWaits(&ro.stages[i])
		r.stageOver(int32(i))
	}
}

// leaveWaits takes a stage out of the counts of those that wait for something.
func (r *run) leaveWaits(s *stageRun) {
	if s.step == stageGated {
		r.rollout.gated--
		s.gateGen++
	}
	if s.awaitsChange {
		r.rollout.held--
		s.awaitsChange = false
	}
}

func (r *run) phaseName(s *stageRun) string {
	return fmt.Sprintf("%s to %s", s.Name, r.w.version(r.rollout.target))
}

func (r *run) span(name string, start, end int64) {
	r.phases = append(r.phases, phaseSpan{name, start, end})
}

// spanUnfinished records the parts of the upgrade that were under way when it ended early.
func (r *run) spanUnfinished() {
	ro := &r.rollout
	if ro.done || ro.phase == 0 {
		return
	}
	if ro.plan[ro.phase-1].controlPlane {
		r.spanPart()
		return
	}
	for i := range ro.stages {
		switch s := &ro.stages[i]; {
		case s.step == stageWorks && (s.inFlight > 0 || s.awaitsChange || r.stuck):
			r.span(r.phaseName(s), s.started, r.now)
		case s.step == stageSoaks:
			r.spanWait(s)
		}
	}
}

// spanWait records the stage's soak, or its wait for its gate, that ends now.
func (r *run) spanWait(s *stageRun) {
	what := "soak after "
	if s.step == stageGated {
		what = "gate of "
	}
	r.span(what+s.Name, s.soakFrom, r.now)
}

// soaked is the end of a stage's soak (evSoaked): its gate decides.
func (r *run) soaked(i int32) bool {
	s := &r.rollout.stages[i]
	switch s.step {
	case stageSoaks:
		r.spanWait(s)
	case stageOver:
		return false // the rollout was stopped meanwhile
	}
	if s.Gate == nil || r.gateHolds(s) {
		r.stageOver(i)
		return true
	}
	s.step, s.soakFrom = stageGated, r.now
	s.gateGen++
	r.rollout.gated++
	r.pushAfter(s.Gate.Timeout.Microseconds(), evGateTimeout, s.gateGen, i)
	return true
}

// maxFruitless is after how many rounds in a row that upgraded no node, although
// something changed each time, the rollout is taken to go in circles: what a round
// evicts comes back to the node when it is uncordoned.
const maxFruitless = 20

// retryMayPass tries the nodes that are left again (drain.onFailure
// uncordonAndRetry), once something has changed since the last round.
func (r *run) retryMayPass() {
	ro := &r.rollout
	if ro.held == 0 || !r.changed {
		return
	}
	for i := range ro.stages {
		if s := &ro.stages[i]; s.awaitsChange && s.fruitless <= maxFruitless {
			r.leaveWaits(s)
			r.fill(int32(i))
		}
	}
}

// proveRetries says why the nodes that are left fail each time they are tried.
func (r *run) proveRetries() {
	for i := range r.rollout.stages {
		s := &r.rollout.stages[i]
		if !s.awaitsChange {
			continue
		}
		for _, n := range s.retried {
			node := r.w.nodeSubject(n)
			r.reason(model.DrainNeverEnds, node, fmt.Sprintf("the drain of %s fails each time it is tried: %s", node, r.drainWhy[n]))
		}
	}
}
