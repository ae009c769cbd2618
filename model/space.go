package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SearchSpace are the changes among which the best upgrade of a scenario is looked for, where it has no study that says which.
// What a plan has for caution stays as it is: soaks, gates and stages, drains, windows, and a system's procedure, of which
// only the numbers of nodes at once vary. The changes are in place, with new nodes first, and with a second set; how many nodes at
// once; cordons and taints that lead pods to nodes that are done; pools together, one after another or all at the same time, and
// which pool goes first; nodes by name or by zone. There are at most MaxCombinations.
func SearchSpace(sc *Scenario) []Change {
	if sc.Study != nil {
		return nil
	}
	own := &sc.Upgrade.Nodes
	var list []Change
	for most := 12; ; most-- {
		sizes := nodesAtOnce(sc.Cluster.workerCount(), most)
		if list = space(own, &sc.Cluster, sizes); len(list) <= MaxCombinations || most == 2 {
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

// space is the product of the ways of replacing nodes with the ways of ordering them.
func space(own *NodeUpgrade, c *Cluster, sizes []string) (list []Change) {
	free := !isSystem(own.Strategy) && !slices.Contains([]string{StrategyCanary, StrategyWaves, StrategyCustom}, own.Strategy)
	var ways [][]KeyValue
	for _, n := range sizes {
		if !free {
			ways = append(ways, sameWay(own, n)...)
			continue
		}
		inPlace := []KeyValue{{"strategy", StrategyRolling}, {"maxUnavailable", n}}
		ways = append(ways, inPlace, with(inPlace, KeyValue{"taint", "PreferNoSchedule"}), with(inPlace, KeyValue{"cordon", "all"}))
		for _, away := range []string{"0", n} {
			surge := []KeyValue{{"strategy", StrategySurge}, {"maxSurge", n}, {"maxUnavailable", away}}
			ways = append(ways, surge, with(surge, KeyValue{"cordon", "all"}))
		}
		ways = append(ways, []KeyValue{{"strategy", StrategyBlueGreen}, {"batch", n}})
	}
	for _, way := range ways {
		for _, order := range orders(own, c, free) {
			list = append(list, changeOf(with(way, order...)))
		}
	}
	return list
}

// sameWay varies only how many nodes the upgrade's own way of replacing them takes at once.
func sameWay(own *NodeUpgrade, n string) [][]KeyValue {
	switch own.Replace {
	case ReplaceBlueGreen:
		return [][]KeyValue{{{"batch", n}}}
	case ReplaceSurge, ReplaceReimage, ReplaceDetachSurge:
		return [][]KeyValue{{{"maxSurge", n}}}
	case ReplaceTerminateFirst:
		return [][]KeyValue{{{"maxUnavailable", n}, {"maxSurge", n}}, {{"maxUnavailable", n}}}
	}
	return [][]KeyValue{{{"maxUnavailable", n}}}
}

// orders are the ways in which nodes may follow each other, an empty one first.
func orders(own *NodeUpgrade, c *Cluster, free bool) [][]KeyValue {
	list := [][]KeyValue{nil}
	if !free || len(own.Order) > 0 {
		return list // somebody has said it
	}
	if len(c.zoneNames()) > 1 {
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

// zoneNames are the zones that nodes are in.
func (c *Cluster) zoneNames() (list []string) {
	add := func(zone string) {
		if zone != "" && !slices.Contains(list, zone) {
			list = append(list, zone)
		}
	}
	for _, p := range c.Pools {
		for _, z := range p.Zones {
			add(z)
		}
	}
	for i := range c.Nodes {
		add(c.Nodes[i].Zone)
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

func with(keys []KeyValue, more ...KeyValue) []KeyValue { return slices.Concat(keys, more) }

// changeOf gives a change a name that says its keys, long values only so much of them.
func changeOf(keys []KeyValue) Change {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%s=%s", k.Key, shorten(k.Value))
	}
	return Change{Name: strings.Join(parts, ","), Keys: keys}
}
