package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SearchSpace are the changes among which the best upgrade of a scenario is looked for, where it has no study that says which.
// The changes are in place, with new nodes first, and with a second set; how many nodes at once; cordons and taints that lead
// pods to nodes that are done; a wait after each node; pools together, one after another or all at the same time, and which pool
// goes first; nodes by name or by zone; where there are stages, the sizes of these and how many nodes the last takes at once.
// What a plan has for caution is never made less: soaks get longer and not shorter, stages, gates, drains and windows stay, and
// of a system's procedure only the numbers of nodes at once vary. There are at most MaxCombinations.
func SearchSpace(sc *Scenario) []Change {
	if sc.Study != nil {
		return nil
	}
	var list []Change
	for most := 12; ; most-- {
		sizes := nodesAtOnce(sc.Cluster.workerCount(), most)
		if list = space(sc, sizes); len(list) <= MaxCombinations || most == 2 {
			return list[:min(len(list), MaxCombinations)]
		}
	}
}

// nodesAtOnce are at most so many numbers from 1 to n, close together where they are small.
func nodesAtOnce(n, most int) []string {
	numbers := []int{1}
	for a, b := 1, 2; b < n; a, b = b, a+b {
		numbers = append(numbers, b)
	}
	if n > 1 {
		numbers = append(numbers, n)
	}
	for len(numbers) > most { // the largest but one tells least
		numbers = slices.Delete(numbers, len(numbers)-2, len(numbers)-1)
	}
	out := make([]string, len(numbers))
	for i, k := range numbers {
		out[i] = strconv.Itoa(k)
	}
	return out
}

// workerCount is how many workers the cluster has.
func (c *Cluster) workerCount() int {
	n := 0
	for range c.workers() {
		n++
	}
	return n
}

// space are the ways of replacing nodes, each with the orders of nodes and with the waits after each.
func space(sc *Scenario, sizes []string) (list []Change) {
	own := &sc.Upgrade.Nodes
	var ways []Change
	var orders [][]KeyValue
	switch {
	case len(own.Stages) > 0:
		ways = stageWays(sc, sizes)
	case isSystem(own.Strategy) || own.Strategy == StrategyWaves:
		for _, n := range sizes {
			for _, keys := range atOnce(own.Replace, n) {
				ways = append(ways, Change{}.with(keys...))
			}
		}
	default:
		ways = freeWays(own, sizes)
		orders = ordersOf(own, &sc.Cluster)
	}
	for _, way := range ways {
		list = append(list, way)
		for _, order := range orders {
			list = append(list, way.with(order...))
		}
		if isSystem(own.Strategy) {
			continue
		}
		for _, wait := range waits(own, way.Keys) {
			list = append(list, way.with(wait))
		}
	}
	return list
}

// freeWays are the ways of an upgrade that is neither in stages nor a system's.
func freeWays(own *NodeUpgrade, sizes []string) (ways []Change) {
	for _, n := range sizes {
		inPlace := Change{}.with(KeyValue{"strategy", StrategyRolling}, KeyValue{"maxUnavailable", n})
		ways = append(ways, inPlace, inPlace.with(KeyValue{"taint", "PreferNoSchedule"}), inPlace.with(KeyValue{"cordon", "all"}))
		for _, away := range []string{"0", n} {
			surge := Change{}.with(KeyValue{"strategy", StrategySurge}, KeyValue{"maxSurge", n}, KeyValue{"maxUnavailable", away})
			ways = append(ways, surge, surge.with(KeyValue{"cordon", "all"}))
		}
		second := Change{}.with(KeyValue{"strategy", StrategyBlueGreen}, KeyValue{"batch", n})
		if own.SoakPerNode > own.BatchSoak { // blueGreen has its waits after batches
			second = second.with(KeyValue{"batchSoak", own.SoakPerNode.String()})
		}
		if own.SoakPerNode > 0 {
			second = second.with(KeyValue{"soakPerNode", "0s"})
		}
		ways = append(ways, second)
	}
	return ways
}

// atOnce has a way of replacing nodes take so many of them at once.
func atOnce(way Replace, n string) [][]KeyValue {
	switch way {
	case ReplaceBlueGreen:
		return [][]KeyValue{{{"batch", n}}}
	case ReplaceSurge, ReplaceReimage, ReplaceDetachSurge:
		return [][]KeyValue{{{"maxSurge", n}}}
	case ReplaceTerminateFirst:
		return [][]KeyValue{{{"maxUnavailable", n}, {"maxSurge", n}}, {{"maxUnavailable", n}}}
	}
	return [][]KeyValue{{{"maxUnavailable", n}}}
}

// waits are longer waits after each node than an upgrade has, for what is Ready before it is well; with a second set after each batch.
func waits(own *NodeUpgrade, way []KeyValue) (list []KeyValue) {
	key, least := "soakPerNode", own.SoakPerNode
	if own.Replace == ReplaceBlueGreen || slices.Contains(way, KeyValue{"strategy", StrategyBlueGreen}) {
		key, least = "batchSoak", max(own.BatchSoak, own.SoakPerNode)
	}
	if slices.ContainsFunc(way, func(k KeyValue) bool { return k.Key == key }) {
		return nil
	}
	for _, minutes := range []time.Duration{1, 2, 5, 10} {
		if wait := minutes * time.Minute; wait > least {
			list = append(list, KeyValue{key, fmt.Sprintf("%dm", minutes)})
		}
	}
	return list
}

// ordersOf are other ways in which nodes may follow each other.
func ordersOf(own *NodeUpgrade, c *Cluster) (list [][]KeyValue) {
	if len(own.Order) > 0 {
		return nil // somebody has said it
	}
	if len(c.ZoneNames()) > 1 {
		list = append(list, []KeyValue{{"nodeOrder", string(OrderZone)}})
	}
	pools := c.poolNames()
	if len(pools) < 2 {
		return list
	}
	list = append(list, []KeyValue{{"pools", string(PoolsSequential)}}, []KeyValue{{"pools", string(PoolsParallel)}})
	const mostPools, mostNodes = 4, 500
	for _, pool := range pools[1:min(len(pools), mostPools)] {
		if nodes := c.nodesOf(pool); len(nodes) <= mostNodes {
			text, err := json.Marshal(nodes)
			if err != nil { // names always have a JSON form
				panic(err)
			}
			list = append(list, []KeyValue{{"order", string(text)}})
		}
	}
	return list
}

// ZoneNames are the zones that nodes are in, or that their pools are given.
func (c *Cluster) ZoneNames() (list []string) {
	add := func(zone string) {
		if zone != "" && !slices.Contains(list, zone) {
			list = append(list, zone)
		}
	}
	for _, p := range c.Pools {
		add(p.Labels[LabelZone])
		for _, z := range p.Zones {
			add(z)
		}
	}
	for i := range c.Nodes {
		add(c.Nodes[i].Zone)
		add(c.Nodes[i].Labels[LabelZone])
	}
	return list
}

// nodesOf names the workers of a pool.
func (c *Cluster) nodesOf(pool string) (names []string) {
	for name, w := range c.workers() {
		if w.Pool == pool {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, NaturalCompare)
	return names
}

// with adds keys to a change, and to its name; of long values only so much.
func (c Change) with(keys ...KeyValue) Change {
	var names []string
	if c.Name != "" {
		names = []string{c.Name}
	}
	for _, k := range keys {
		names = append(names, fmt.Sprintf("%s=%s", k.Key, shorten(k.Value)))
	}
	return Change{Name: strings.Join(names, ","), Keys: slices.Concat(c.Keys, keys)}
}
