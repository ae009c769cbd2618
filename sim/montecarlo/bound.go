package montecarlo

import (
	"cmp"

	"upsim/model"
	"upsim/sim"
)

// bound is what no complete run of an upgrade can stay below: a makespan in seconds, and hours of extra nodes.
type bound struct{ makespan, nodeHours float64 }

// compare orders bounds by what is looked for.
func (b bound) compare(c bound, costFirst bool) int {
	time, cost := cmp.Compare(b.makespan, c.makespan), cmp.Compare(b.nodeHours, c.nodeHours)
	if costFirst {
		return cmp.Or(cost, time)
	}
	return cmp.Or(time, cost)
}

// boundOf works the bound out from the stages alone, without simulating. A complete run takes every node of a stage; where at most k
// of its n nodes are worked on at once, some one of the k places serves ⌈n/k⌉ of them one after the other (pigeonhole), each for at
// least the shortest time that its upgrade, or a new node, can take, and the soak that holds its place. Stages follow each other, so
// their times add up; what stages that start together do is bounded by the longest of them. What it does not know of (the control
// plane, drains, ways of replacing nodes that are not named here) it takes to need no time. A new node that comes first is an extra
// one from when it is asked for, so for as long as it takes to come.
func boundOf(sc *model.Scenario, w *sim.World) bound {
	var total bound
	var wait float64 // of the stages that start together
	first := true    // of the phases that upgrade nodes; in a later one the extra nodes may still be there
	for _, ph := range w.Plan(sc.Seed).Phases {
		for i := range ph.Stages {
			s := &ph.Stages[i]
			if !s.Beside {
				total.makespan += wait
				wait = 0
			}
			took := leastTime(sc, s)
			if first && s.Buffers() {
				took += sc.Assumptions.NodeProvision.Least().Seconds() // the extra nodes come before an old one goes
			}
			wait = max(wait, took)
			if s.Replace == model.ReplaceSurge && s.MaxSurge.IntVal > 0 && s.MaxUnavailable.IntVal == 0 || s.Replace == model.ReplaceBlueGreen {
				total.nodeHours += float64(len(s.Nodes.Names)) * sc.Assumptions.NodeProvision.Least().Hours()
			}
		}
		total.makespan += wait
		wait = 0
		first = first && len(ph.Stages) == 0
	}
	return total
}

// leastTime is the shortest time in seconds that a stage can take.
func leastTime(sc *model.Scenario, s *model.Stage) float64 {
	nodes := len(s.Nodes.Names)
	if nodes == 0 {
		return 0
	}
	each, atOnce := 0.0, nodes
	switch s.Replace {
	case model.ReplaceInPlace:
		each, atOnce = sc.Assumptions.NodeUpgrade.Least().Seconds()+s.SoakPerNode.Seconds(), int(s.MaxUnavailable.IntVal)
	case model.ReplaceSurge:
		each, atOnce = sc.Assumptions.NodeProvision.Least().Seconds(), int(s.MaxSurge.IntVal)+int(s.MaxUnavailable.IntVal)
		if s.SurgePerZone {
			atOnce = nodes
		}
		if s.MaxUnavailable.IntVal == 0 { // else a place may be free while its new node is on the way
			each += s.SoakPerNode.Seconds()
		}
	case model.ReplaceTerminateFirst:
		each, atOnce = sc.Assumptions.NodeProvision.Least().Seconds(), int(s.MaxUnavailable.IntVal)
	case model.ReplaceBlueGreen:
		each = sc.Assumptions.NodeProvision.Least().Seconds()
	}
	if s.Replace == model.ReplaceTerminateFirst && s.Buffers() {
		atOnce = mostAway(sc, s)
	} else if s.AtMost > 0 && s.Replace != model.ReplaceBlueGreen { // whose new nodes all come at once
		atOnce = min(atOnce, s.AtMost)
	}
	atOnce = max(1, atOnce)
	return float64((nodes+atOnce-1)/atOnce)*each + s.Soak.Seconds()
}

// mostAway is how many nodes of a stage can be under way at the most where extra nodes stand in for those that are gone, so that
// nobody waits for the new ones: as many as may be unavailable, and as are extra. These are counted for all zones of the cluster,
// and one for nodes in none; AtMost bounds only those that are drained.
func mostAway(sc *model.Scenario, s *model.Stage) int {
	unavailable, surge := int(s.MaxUnavailable.IntVal), int(s.MaxSurge.IntVal)
	if s.SurgePerZone {
		surge *= len(sc.Cluster.ZoneNames()) + 1
	}
	return unavailable + max(surge, unavailable)
}
