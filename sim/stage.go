package sim

import (
	"fmt"
	"slices"
	"sort"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// stageRun is a stage with its nodes.
type stageRun struct {
	model.Stage
	nodes   []int32
	max     int     // nodes at once
	drained []int32 // tickets of old nodes that blueGreen removes at the end
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
	for _, s := range up.Expand() {
		var mine []int32
		mine, nodes = r.pick(nodes, s.Nodes)
		if s.NewNodes() {
			mine = slices.DeleteFunc(mine, r.standsBesideTwin)
		}
		if len(mine) == 0 {
			continue
		}
		ro.stages = append(ro.stages, stageRun{Stage: s, nodes: mine, max: min(atOnce(&s, int(r.w.workers), len(mine)), len(mine))})
	}
	r.startStage()
}

// leaveStages forgets the stages of the phase before. They are not reused, since
// its drains still look at their options.
func (r *run) leaveStages() {
	ro := &r.rollout
	for _, s := range ro.stages {
		for _, n := range s.nodes {
			r.nodes[n].stage = 0
		}
	}
	ro.stages, ro.stage = nil, 0
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
	for _, s := range r.w.upgrade.Upgrade.Nodes.Expand() {
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
		of, up = nodes, true
	}
	k, err := intstr.GetScaledValueFromIntOrPercent(&x, of, up)
	if err != nil {
		return 1
	}
	return max(1, k)
}

// startStage begins the stage, or ends the phase behind the last one.
func (r *run) startStage() {
	ro := &r.rollout
	if ro.stage == len(ro.stages) {
		r.push(r.now, evPhase, 0, 0)
		return
	}
	s := &ro.stages[ro.stage]
	ro.queue, ro.inFlight, ro.retried = s.nodes, 0, nil
	ro.progress, ro.soaking, ro.waiting, ro.started = true, false, false, r.now
	r.setRetry(&s.Drain)
	ro.notReady = 0
	for _, n := range s.nodes {
		if r.nodes[n].flags&nodeReady == 0 {
			ro.notReady++
		}
		r.nodes[n].stage = int32(ro.stage) + 1
	}
	if s.Replace == model.ReplaceBlueGreen {
		r.startBlueGreen(s)
		return
	}
	if s.CordonAll {
		r.pushAfter(r.kubectl(s.nodes[0], 3), evCordonAll, 0, int32(ro.stage))
		return
	}
	r.fill()
}

// cordonAll is one kubectl cordon for every old node of the upgrade (evCordonAll).
func (r *run) cordonAll(stage int32) {
	ro := &r.rollout
	for _, s := range ro.stages[stage:] {
		for _, n := range s.nodes {
			r.cordon(n, true)
		}
	}
	r.fill()
}

// fill starts as many nodes as the stage has free places, and ends the stage when all are done.
func (r *run) fill() {
	ro := &r.rollout
	s := &ro.stages[ro.stage]
	if s.Slots == model.SlotsBarrier && ro.inFlight > 0 {
		return
	}
	for !ro.halted && ro.inFlight < s.max && len(ro.queue) > 0 {
		n := ro.queue[0]
		ro.queue = ro.queue[1:]
		ro.inFlight++
		r.startTicket(n)
	}
	if ro.inFlight > 0 {
		return
	}
	if len(ro.retried) > 0 && !ro.halted {
		if ro.progress {
			ro.fruitless = 0
		} else {
			ro.fruitless++
		}
		if !ro.progress && !r.changed || ro.fruitless > maxFruitless {
			// A whole round got no further: the next would end the same until something else changes.
			ro.awaitsChange = true
			return
		}
		ro.queue, ro.retried, ro.progress, r.changed = ro.retried, nil, false, false
		r.fill()
		return
	}
	r.endStage(s)
}

// endStage ends the work on the stage's nodes.
func (r *run) endStage(s *stageRun) {
	if len(s.drained) > 0 && !r.rollout.halted {
		if s.PoolSoak > 0 {
			r.span("pool soak", r.now, r.now+s.PoolSoak.Microseconds())
		}
		r.pushAfter(s.PoolSoak.Microseconds()+r.draw(&r.w.latencies.nodeDelete, forNodeUpgrade, uint64(s.nodes[0]), 2), evRetire, 0, int32(r.rollout.stage))
		return
	}
	r.closeStage(s)
}

// closeStage records the stage and waits out its soak.
func (r *run) closeStage(s *stageRun) {
	ro := &r.rollout
	r.span(r.phaseName(s), ro.started, r.now)
	if ro.halted {
		r.push(r.now, evPhase, 0, 0)
		return
	}
	if s.Soak > 0 {
		ro.soaking, ro.soakFrom = true, r.now
		r.pushAfter(s.Soak.Microseconds(), evSoaked, 0, int32(ro.stage))
		return
	}
	r.soaked(int32(ro.stage))
}

func (r *run) phaseName(s *stageRun) string {
	return fmt.Sprintf("%s to %s", s.Name, r.w.version(r.rollout.target))
}

func (r *run) span(name string, start, end int64) {
	r.phases = append(r.phases, phaseSpan{name, start, end})
}

// spanUnfinished records the part of the upgrade that was under way when it ended early.
func (r *run) spanUnfinished() {
	ro := &r.rollout
	if ro.done || ro.phase == 0 {
		return
	}
	switch p := ro.plan[ro.phase-1]; {
	case p.controlPlane:
		r.spanControlPlane()
	case ro.stage < len(ro.stages) && (ro.inFlight > 0 || ro.awaitsChange):
		r.span(r.phaseName(&ro.stages[ro.stage]), ro.started, r.now)
	case ro.soaking:
		r.span("soak after "+ro.stages[ro.stage].Name, ro.soakFrom, r.now)
	}
}

// soaked is the end of a stage's soak (evSoaked): its gate decides.
func (r *run) soaked(stage int32) {
	ro := &r.rollout
	s := &ro.stages[stage]
	if ro.soaking {
		ro.soaking = false
		r.span("soak after "+s.Name, ro.soakFrom, r.now)
	}
	if s.Gate == nil || r.gateHolds(s.Gate) {
		r.nextStage()
		return
	}
	ro.waiting = true
	ro.gateGen++
	ro.soakFrom = r.now
	r.pushAfter(s.Gate.Timeout.Microseconds(), evGateTimeout, ro.gateGen, stage)
}

func (r *run) nextStage() {
	r.rollout.stage++
	r.startStage()
}

// maxFruitless is after how many rounds in a row that upgraded no node, although
// something changed each time, the rollout is taken to go in circles: what a round
// evicts comes back to the node when it is uncordoned.
const maxFruitless = 20

// retryMayPass tries the nodes that are left again (drain.onFailure
// uncordonAndRetry), once something has changed since the last round.
func (r *run) retryMayPass() {
	ro := &r.rollout
	if !ro.awaitsChange || !r.changed || ro.fruitless > maxFruitless {
		return
	}
	ro.awaitsChange = false
	r.fill()
}

// proveRetries says why the nodes that are left fail each time they are tried.
func (r *run) proveRetries() {
	if !r.rollout.awaitsChange {
		return
	}
	for _, n := range r.rollout.retried {
		node := r.w.nodeSubject(n)
		r.reason(model.DrainNeverEnds, node, fmt.Sprintf("the drain of %s fails each time it is tried: %s", node, r.drainWhy[n]))
	}
}
