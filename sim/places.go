package sim

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// places is how many nodes of a stage are worked on at once.
type places struct {
	atOnce      int // in all
	unavailable int // of these, nodes that go before their new one is there, or are upgraded in place
	surge       int // and nodes whose new one comes first
	extra       int // nodes that stand beside the stage's own while it lasts
}

// resolve works a stage's numbers out for its nodes, which lie in so many
// zones. A share for maxUnavailable rounds down and one for maxSurge up, as in a
// Deployment; where that leaves nothing at all, one node may be unavailable. A batch of blueGreen
// is a share of the stage's nodes and rounds up.
func resolve(s *model.Stage, workers, nodes, zones int) places {
	of := workers
	if s.PercentOf == model.PercentOfStage {
		of = nodes
	}
	unavailable, surge := share(s.MaxUnavailable, of, false), share(s.MaxSurge, of, true)
	if s.SurgePerZone {
		surge *= zones
	}
	most := nodes
	if s.AtMost > 0 {
		most = min(most, s.AtMost)
	}
	p := places{}
	switch s.Replace {
	case model.ReplaceBlueGreen:
		p.unavailable = share(s.Batch, nodes, true)
		p.extra = nodes
	case model.ReplaceSurge:
		p.unavailable, p.surge = unavailable, min(surge, nodes)
	case model.ReplaceDetachSurge:
		if !isNone(s.MaxUnavailable) {
			unavailable = max(1, unavailable) // as kOps rounds
		}
		p.unavailable, p.surge = unavailable, min(surge, nodes)
	case model.ReplaceReimage:
		p.extra = min(surge, nodes)
		p.unavailable = p.extra + unavailable // a node that is reimaged is one of the extra ones for the next
	default:
		p.unavailable = max(1, unavailable)
		if s.Buffers() {
			p.extra = max(surge, min(p.unavailable, most))
		}
	}
	if p.unavailable+p.surge == 0 {
		p.unavailable = 1
	}
	p.atOnce = min(p.unavailable+p.surge, most)
	p.surge = min(p.surge, p.atOnce)
	p.unavailable = min(p.unavailable, p.atOnce)
	return p
}

// share resolves a number of nodes, or a percentage of them.
func share(x intstr.IntOrString, of int, up bool) int {
	n, err := intstr.GetScaledValueFromIntOrPercent(&x, of, up)
	if err != nil {
		return 0 // the loader has read it once
	}
	return max(0, n)
}

// spot is a zone that extra nodes come to, with the node that they are like.
type spot struct {
	like int32
	zone string
}

// spotsOf are the zones of a stage's nodes, each with the first of them there; nodes without one lie in one. For extra
// nodes these are also the zones that a pool is given and has no node in, since a cloud's group is balanced over all of its
// own. (EKS user guide, Managed node group update behavior: twice the number of Availability Zones in which the group is deployed.)
func (w *World) spotsOf(s *model.Stage, nodes []int32) (spots []spot) {
	seen := make(map[string]bool)
	add := func(like int32, zone string) {
		if !seen[zone] {
			seen[zone] = true
			spots = append(spots, spot{like, zone})
		}
	}
	for _, n := range nodes {
		zone := ""
		if z := w.nodes[n].zone; z != none {
			zone = w.topo[topoZone].domains[z]
		}
		add(n, zone)
	}
	if !s.Buffers() {
		return spots
	}
	last := int32(none)
	for _, n := range nodes {
		if p := w.nodes[n].pool; p != none && p != last {
			last = p
			for _, zone := range w.scenario.Cluster.Pools[p].Zones {
				add(n, zone)
			}
		}
	}
	return spots
}
