package sim

import (
	"cmp"
	"slices"

	"upsim/model"
)

// Which nodes a stage takes, and in which order.

// upgradeOrder lists the workers that are older than the version: those that
// the scenario's order names first, then by pool and natural order of names.
func (w *World) upgradeOrder(nodes []node, to model.Version) []int32 {
	first := make(map[string]int, len(w.upgrade.Upgrade.Nodes.Order))
	for i, n := range w.upgrade.Upgrade.Nodes.Order {
		first[n] = i + 1
	}
	pools := w.poolRanks()
	target := w.rank[w.versionIs(to)]
	type ranked struct {
		id, rank, pool int32
		name           string
	}
	list := make([]ranked, 0, w.workers)
	for n := range int32(len(nodes)) {
		if w.nodes[n].cp || w.nodes[n].extra || nodes[n].flags&nodeRemoved != 0 || w.rank[nodes[n].kubelet] >= target {
			continue
		}
		x := ranked{id: n, rank: 1 << 30, pool: pools[w.nodes[n].poolName]}
		// Nodes of a pool stand in natural order already, so they need no name.
		if w.nodes[n].pool == none || len(first) > 0 {
			x.name = w.nodeName(w.original(n))
		}
		if i := first[x.name]; i > 0 {
			x.rank = int32(i)
		}
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		if c := cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.pool, b.pool)); c != 0 {
			return c
		}
		if a.name != "" && b.name != "" && a.name != b.name {
			return model.NaturalCompare(a.name, b.name)
		}
		return cmp.Compare(w.original(a.id), w.original(b.id)) // a new node goes where its old one did
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
	left := newLeftover(r.w.withinLimit())
	var out []int32
	for i := range r.w.stages {
		out = append(out, r.w.pickLeft(left, &r.w.stages[i], r.seed)...)
	}
	return out
}

// withinLimit lists the workers that are older than the target at the start, as many as the limit takes.
func (w *World) withinLimit() []int32 {
	if w.within != nil {
		return slices.Clone(w.within)
	}
	up := &w.upgrade.Upgrade
	nodes := slices.DeleteFunc(w.upgradeOrder(w.nodes0, up.To), w.lags)
	if l := up.Nodes.Limit; l > 0 && len(nodes) > l {
		nodes = nodes[:l]
	}
	return nodes
}

// lags reports whether the node is of a pool that stays behind as long as the skew policy lets it.
func (w *World) lags(n int32) bool {
	return slices.Contains(w.upgrade.Upgrade.Nodes.Lag, w.nodes[n].poolName)
}

// original is the worker that a new node stands for; itself for any other.
func (w *World) original(n int32) int32 {
	if t := w.nodes[n].twin; t != none && t < n {
		return t
	}
	return n
}

// poolRanks numbers the pools in the order in which the scenario has them; nodes without a pool come last.
func (w *World) poolRanks() map[string]int32 {
	ranks := make(map[string]int32)
	for n := range w.workers {
		p := w.nodes[n].poolName
		if _, ok := ranks[p]; !ok && p != "" {
			ranks[p] = int32(len(ranks))
		}
	}
	ranks[""] = int32(len(ranks))
	return ranks
}

// pick takes a stage's nodes from the list, in the order in which the stage goes.
func (w *World) pick(nodes []int32, s *model.Stage, seed uint64) (mine, rest []int32) {
	if s.NodeOrder != model.OrderZone && s.NodeOrder != model.OrderRandom {
		return w.pickSet(nodes, s.Nodes)
	}
	mine, _ = w.pickSet(w.reordered(nodes, s.NodeOrder, seed), s.Nodes)
	taken := make(map[int32]bool, len(mine))
	for _, n := range mine {
		taken[n] = true
	}
	_, rest = split(nodes, func(n int32) bool { return taken[n] })
	return mine, rest
}

// reordered is the list by zone, nodes without one last, or by a hash; nodes that the scenario's order names stay in front.
func (w *World) reordered(nodes []int32, by model.NodeOrder, seed uint64) []int32 {
	out := slices.Clone(nodes)
	from := 0
	if named := w.upgrade.Upgrade.Nodes.Order; len(named) > 0 {
		for from < len(out) && slices.Contains(named, w.nodeName(w.original(out[from]))) {
			from++
		}
	}
	zone := func(n int32) string {
		if z := w.nodes[n].zone; z != none {
			return w.topo[topoZone].domains[z]
		}
		return "\xff"
	}
	slices.SortStableFunc(out[from:], func(a, b int32) int {
		if by == model.OrderZone {
			return model.NaturalCompare(zone(a), zone(b))
		}
		return cmp.Compare(hash(seed, forNodeOrder, uint64(w.original(a)), 0), hash(seed, forNodeOrder, uint64(w.original(b)), 0))
	})
	return out
}

func (w *World) pickSet(nodes []int32, set model.NodeSet) (mine, rest []int32) {
	switch {
	case set.InOrder:
		return w.named(nodes, set.Names)
	case set.Pool != "":
		return split(nodes, func(n int32) bool { return w.nodes[n].poolName == set.Pool })
	case set.Count > 0:
		k := min(set.Count, len(nodes))
		return nodes[:k], nodes[k:]
	case set.Percent > 0:
		k := min((set.Percent*int(w.workers)+99)/100, len(nodes))
		return nodes[:k], nodes[k:]
	case set.Selector != nil:
		m, err := set.Selector.Compile()
		if err != nil {
			return nil, nodes // the loader has compiled it once
		}
		return split(nodes, func(n int32) bool { return m.Matches(w.nodeLabels(n)) })
	case len(set.Names) > 0:
		return split(nodes, func(n int32) bool { return slices.Contains(set.Names, w.nodeName(w.original(n))) })
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
