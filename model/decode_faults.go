package model

import (
	"slices"
	"time"
)

// readFault reads one thing that goes wrong. The keys depend on the kind.
func (d *decoder) readFault(n *node) {
	f := Fault{Probability: 1, Forever: true, Effect: EffectNotReady}
	if n.kind != mappingNode {
		d.isMapping(n, "a kind and its keys")
		return
	}
	kind := n.get("kind")
	if kind == nil {
		d.fault(n, `has no "kind", which it needs`)
		return
	}
	oneOf(d, &f.Kind, NodeDoesNotReturn, ForgottenUncordon, BadVersion, ControllerManagerOutage, SchedulerOutage, APIServerOutage, NodeFailure, KubeletCertificates, ScaleDown, SlowImages, NoCapacity)(kind)
	keys := d.faultFields(&f)
	if keys == nil {
		return // the kind is unknown, and so are its keys
	}
	d.object(n, append([]field{must("kind", nil)}, keys...)...)
	if v := n.get("detection"); f.Kind == BadVersion && v != nil && f.Detection > 0 && f.Effect == EffectNotReady {
		d.fault(v, "goes with `effect: brokenWhileReady`; a pod that is not Ready is seen at once")
	}
	d.oneOfTwo(n, "nodes", "pool")
	d.oneOfTwo(n, "nodes", "zone")
	d.oneOfTwo(n, "zone", "pool")
	if f.Kind == NodeFailure {
		d.nodeFailure(n)
	}
	if v := n.get("age"); v != nil && f.Kind == KubeletCertificates && f.Validity > 0 && f.Age.Kind == Constant && f.Age.Value >= f.Validity {
		d.fault(v, "is %v, so that a certificate that is valid for %v would have expired before the upgrade begins", f.Age.Value, f.Validity)
	}
	d.sc.Faults = append(d.sc.Faults, f)
}

// faultFields are the keys that a fault of its kind has beside the kind; nil where that is unknown.
func (d *decoder) faultFields(f *Fault) []field {
	nodes := may("nodes", d.namesOrSelector(&f.NodeNames, &f.NodeSelector, faultyNode))
	pool, zone := may("pool", d.place(&f.Pool, poolRef)), may("zone", d.place(&f.Zone, zoneRef))
	probability := may("probability", d.number(&f.Probability, 0, 1, true))
	switch f.Kind {
	case NodeDoesNotReturn:
		return []field{nodes, probability, may("for", d.forHowLong(f))}
	case ForgottenUncordon:
		return []field{nodes, probability}
	case BadVersion:
		component := "kubelet"
		return []field{
			must("version", d.version(&f.Version)),
			may("component", oneOf(d, &component, "kubelet")),
			may("workloads", d.namesOrSelector(&f.WorkloadNames, &f.WorkloadSelector, workloadRef)),
			nodes, probability,
			may("onset", d.duration(&f.Onset)),
			may("effect", oneOf(d, &f.Effect, EffectNotReady, EffectBrokenWhileReady)),
			may("detection", d.duration(&f.Detection)),
		}
	case NodeFailure:
		return []field{
			may("nodes", d.namesOrSelector(&f.NodeNames, &f.NodeSelector, failingNode)),
			zone,
			may("at", d.duration(&f.At)),
			may("for", d.forHowLong(f)),
			may("rate", d.number(&f.Rate, 0, maxRate, false)),
			probability,
		}
	case ControllerManagerOutage, SchedulerOutage, APIServerOutage:
		return []field{must("at", d.duration(&f.At)), must("for", d.forHowLong(f))}
	case KubeletCertificates:
		return []field{
			nodes,
			must("validity", d.durationFrom(&f.Validity, leastValidity)),
			may("age", d.dist(&f.Age)),
		}
	case ScaleDown:
		f.Unneeded = unneededTime
		return []field{
			pool,
			may("unneededTime", d.duration(&f.Unneeded)),
			may("at", d.duration(&f.At)), may("for", d.forHowLong(f)),
		}
	case SlowImages:
		return []field{
			must("factor", d.number(&f.Factor, 1, maxSlowness, true)),
			must("at", d.duration(&f.At)), must("for", d.forHowLong(f)),
			nodes, pool,
		}
	case NoCapacity:
		return []field{
			must("at", d.duration(&f.At)), must("for", d.forHowLong(f)),
			zone, pool,
			may("nodes", d.extraNodes(f)),
		}
	}
	return nil
}

// forHowLong reads how long a fault lasts: a duration, or the word forever.
func (d *decoder) forHowLong(f *Fault) func(*node) {
	return func(n *node) {
		if n.kind == scalarNode && n.value == "forever" {
			f.Forever = true
			return
		}
		f.Forever = false
		d.duration(&f.For)(n)
	}
}

// unneededTime is cluster-autoscaler's default of --scale-down-unneeded-time.
const unneededTime = 10 * time.Minute

// leastValidity is the shortest that a CertificateSigningRequest may ask for (spec.expirationSeconds).
const leastValidity = 10 * time.Minute

// maxRate bounds how often a node fails: once a minute.
const maxRate = 24 * 60

// nodeFailure checks that a failure of nodes says when, and which ones or how likely.
func (d *decoder) nodeFailure(n *node) {
	at, rate, probability := n.get("at"), n.get("rate"), n.get("probability")
	switch {
	case at == nil && rate == nil:
		d.fault(n, "needs `at`, when the nodes fail, or `rate`, how often a node fails in a day")
	case rate != nil && probability != nil:
		d.fault(probability, "does not go with rate, which is left to chance already")
	case rate == nil && probability == nil && n.get("nodes") == nil && n.get("zone") == nil:
		d.fault(n, "names no nodes and no zone, so that every node would fail; say which, how likely (`probability`) or how often (`rate`)")
	}
}

// maxSlowness bounds how much more slowly pods start.
const maxSlowness = 1000

// extraNodes reads how many nodes more than at the start are still to be had.
func (d *decoder) extraNodes(f *Fault) func(*node) {
	return func(n *node) {
		if n.kind != scalarNode {
			d.fault(n, "is how many extra nodes are still to be had, a number; say where with zone or pool")
			return
		}
		most := 0
		before := len(d.found)
		if d.integer(&most, 0, MaxNodesPerCluster)(n); len(d.found) == before {
			f.Extra = &most
		}
	}
}

// oneOfTwo refuses two keys that both say which nodes are meant.
func (d *decoder) oneOfTwo(n *node, a, b string) {
	first, second := n.get(a), n.get(b)
	if first == nil || second == nil || a == "nodes" && first.kind == scalarNode {
		return
	}
	if second.line < first.line || second.line == first.line && second.col < first.col {
		first, second = second, first
	}
	d.fault(second, "%s says already which nodes are meant; remove one of the two", first.key)
}

// place reads the name of a zone or a pool, and has it looked up at the end of the document.
func (d *decoder) place(p *string, kind refKind) func(*node) {
	return func(n *node) {
		if d.name(p, referenceName)(n); *p != "" {
			d.refs = append(d.refs, reference{n, *p, kind})
		}
	}
}

// checkPlace finds a zone or pool that no worker is in.
func (d *decoder) checkPlace(r reference) {
	what, known := "zone", d.sc.Cluster.zones()
	if r.kind == poolRef {
		what, known = "pool", d.sc.Cluster.poolNames()
	}
	switch {
	case slices.Contains(known, r.name) || r.kind == poolRef && d.unclear[r.name]:
	case len(known) == 0:
		d.fault(r.at, "no worker has a %s", what)
	default:
		d.fault(r.at, "no worker is in the %s %s; there are %s%s", what, quote(r.name), someOf(known), didYouMean(r.name, known))
	}
}

// zones are the zones in which the cluster has workers.
func (c *Cluster) zones() []string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range c.Pools {
		if p := &c.Pools[i]; p.Count > 0 {
			add(p.Labels[LabelZone])
			for _, z := range p.Zones[:min(len(p.Zones), p.Count)] {
				add(z)
			}
		}
	}
	for i := range c.Nodes {
		if n := &c.Nodes[i]; !n.IsControlPlane() {
			add(n.Zone)
			add(n.Labels[LabelZone])
		}
	}
	return names
}
