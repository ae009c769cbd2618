package model

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// procedureFields are the keys that upgrade.nodes and each of its stages have.
func (d *decoder) procedureFields(p *Procedure) []field {
	return []field{
		may("replace", oneOf(d, &p.Replace, ReplaceInPlace, ReplaceSurge, ReplaceTerminateFirst, ReplaceReimage, ReplaceDetachSurge, ReplaceBlueGreen)),
		may("maxUnavailable", d.intOrPercent(&p.MaxUnavailable, MaxNodesPerCluster)),
		may("maxSurge", d.intOrPercent(&p.MaxSurge, MaxNodesPerCluster)),
		may("surgePerZone", d.boolean(&p.SurgePerZone)),
		may("percentOf", oneOf(d, &p.PercentOf, PercentOfWorkers, PercentOfStage)),
		may("atMost", d.integer(&p.AtMost, 1, MaxNodesPerCluster)),
		may("slots", oneOf(d, &p.Slots, SlotsWindow, SlotsBarrier)),
		may("nodeOrder", oneOf(d, &p.NodeOrder, OrderName, OrderZone, OrderRandom)),
		may("cordon", oneOf(d, &p.Cordon, CordonOwn, CordonOwnFirst, CordonAll, CordonAllFirst)),
		may("taint", d.oldTaint(&p.Taint)),
		may("firstAlone", d.boolean(&p.FirstAlone)),
		may("provisionTimeout", d.duration(&p.ProvisionTimeout)),
		may("soakPerNode", d.duration(&p.SoakPerNode)),
		may("soak", d.duration(&p.Soak)),
		may("nodeGate", d.gate(&p.NodeGate)),
		may("drain", func(v *node) { d.drain(&p.Drain, v) }),
		may("batch", d.intOrPercent(&p.Batch, MaxNodesPerCluster)),
		may("batchSoak", d.duration(&p.BatchSoak)),
		may("poolSoak", d.duration(&p.PoolSoak)),
	}
}

// oldTaint reads the effect of the taint on old nodes, or the word none.
func (d *decoder) oldTaint(p *TaintEffect) func(*node) {
	return func(n *node) {
		effect := TaintEffect("none")
		oneOf(d, &effect, "none", PreferNoSchedule, NoSchedule)(n)
		*p = ""
		if effect != "none" {
			*p = effect
		}
	}
}

// gate reads what must hold; what is not said has the default.
func (d *decoder) gate(p **Gate) func(*node) {
	return func(n *node) {
		g := DefaultGate()
		d.object(n,
			may("nodesReady", d.boolean(&g.NodesReady)),
			may("workloadsAvailable", d.boolean(&g.WorkloadsAvailable)),
			may("availableFor", d.duration(&g.AvailableFor)),
			may("timeout", d.duration(&g.Timeout)),
			may("noRegression", d.boolean(&g.NoRegression)),
			may("errorBudget", d.optDuration(&g.ErrorBudget)),
		)
		if v := n.get("availableFor"); v != nil && g.AvailableFor > 0 && !d.faulty(v) {
			switch {
			case !g.NodesReady && !g.WorkloadsAvailable:
				d.fault(v, "goes with nodesReady or workloadsAvailable, which are to hold for so long")
			case g.AvailableFor >= g.Timeout: // as a Deployment's progressDeadlineSeconds must be greater than its minReadySeconds
				d.fault(v, "must be less than the timeout of %v, or the gate could never hold", g.Timeout)
			}
		}
		if !g.NodesReady && !g.WorkloadsAvailable && !g.NoRegression && g.ErrorBudget == nil && g.AvailableFor == 0 {
			d.fault(n, "asks for nothing, so that it always holds; remove it")
		}
		*p = &g
	}
}

// procedure completes what was read of upgrade.nodes or of a stage, and finds
// keys that contradict each other or would do nothing.
func (d *decoder) procedure(p *Procedure, n *node) {
	d.numbersAtOnce(p, n)
	d.blueGreenKeys(p, n)
	beside := p.MayBringNodes() || p.Buffers()
	if v := n.get("provisionTimeout"); v != nil && !beside && p.ProvisionTimeout > 0 {
		d.fault(v, "goes with new nodes, and `replace: %s` brings none", p.Replace)
	}
	if v := n.get("surgePerZone"); v != nil && p.SurgePerZone && isZero(p.MaxSurge) {
		d.fault(v, "does nothing without maxSurge")
	}
	if v := n.get("cordon"); v != nil && !d.faulty(v) {
		switch {
		case p.Cordon == CordonOwnFirst && (p.Replace != ReplaceSurge || isZero(p.MaxSurge)):
			d.fault(v, "ownFirst goes with `replace: surge` and new nodes that come first, where a node can be cordoned before its new one is asked for; write own")
		case p.Cordon == CordonAllFirst && p.Replace != ReplaceBlueGreen && !p.Buffers():
			d.fault(v, "allFirst goes with new nodes that come before the first old one goes (blueGreen, or maxSurge with terminateFirst or reimage); write all")
		}
	}
}

// numbersAtOnce completes maxSurge and maxUnavailable as the way of replacing asks.
func (d *decoder) numbersAtOnce(p *Procedure, n *node) {
	surge, unavailable := n.get("maxSurge"), n.get("maxUnavailable")
	zero, one := intstr.FromInt32(0), intstr.FromInt32(1)
	switch p.Replace {
	case ReplaceBlueGreen:
		if surge != nil && !isZero(p.MaxSurge) {
			d.fault(surge, "does not go with blueGreen, which brings all new nodes at once")
		}
		if unavailable != nil {
			d.fault(unavailable, "does not go with blueGreen, whose batch says how many are drained at once")
		}
		p.MaxSurge, p.MaxUnavailable = zero, zero
	case ReplaceSurge, ReplaceDetachSurge, ReplaceReimage:
		if unavailable == nil {
			p.MaxUnavailable = zero
		}
		if surge == nil && isZero(p.MaxSurge) && isZero(p.MaxUnavailable) {
			p.MaxSurge = one
		}
		if isZero(p.MaxSurge) && isZero(p.MaxUnavailable) && !d.faulty(surge) {
			d.fault(surge, "is 0, and maxUnavailable as well, so that no node could ever be upgraded")
		}
	case ReplaceInPlace, ReplaceTerminateFirst:
		if p.Replace == ReplaceInPlace {
			if surge != nil && !isZero(p.MaxSurge) {
				d.fault(surge, "goes with a `replace` that brings new nodes: surge, terminateFirst, reimage or detachSurge")
			}
			p.MaxSurge = zero
		}
		if unavailable != nil && isZero(p.MaxUnavailable) && !d.faulty(unavailable) {
			d.fault(unavailable, "is 0, so that no node could ever be upgraded")
		}
	}
}

// blueGreenKeys checks the keys that only blueGreen has, and those that it fixes.
func (d *decoder) blueGreenKeys(p *Procedure, n *node) {
	if p.Replace != ReplaceBlueGreen {
		for _, key := range []string{"batch", "batchSoak", "poolSoak"} {
			if v := n.get(key); v != nil {
				d.fault(v, "belongs to blueGreen; here nodes are replaced %s", p.Replace)
			}
		}
		return
	}
	if v := n.get("batch"); v != nil && isZero(p.Batch) {
		d.fault(v, "is 0, so that no node could ever be drained")
	}
	if v := n.get("slots"); v != nil && p.Slots != SlotsBarrier {
		d.fault(v, "does not go with blueGreen, which drains batch by batch")
	}
	if v := n.get("cordon"); v != nil && p.Cordon != CordonAll && p.Cordon != CordonAllFirst && !d.faulty(v) {
		d.fault(v, "does not go with blueGreen, which cordons every old node before it drains the first")
	}
	if v := n.get("soakPerNode"); v != nil && p.SoakPerNode != 0 {
		d.fault(v, "does not go with blueGreen; write batchSoak for a wait after each batch")
	}
	if v := n.get("nodeGate"); v != nil {
		d.fault(v, "does not go with blueGreen, whose old nodes stand until the end; a stage's gate is judged before they are removed")
	}
	p.NodeGate = nil
	p.Slots, p.SoakPerNode = SlotsBarrier, 0
	if p.Cordon != CordonAllFirst {
		p.Cordon = CordonAll
	}
}

// faulty reports whether a fault was found in the value itself.
func (d *decoder) faulty(n *node) bool {
	return slices.ContainsFunc(d.found, func(f Diagnostic) bool { return f.Line == n.line && f.Col == n.col })
}
