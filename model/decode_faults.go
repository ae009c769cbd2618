package model

import "time"

// readFault reads one thing that goes wrong. The keys depend on the kind; those of
// a kind that cannot be simulated yet are checked as the others are.
func (d *decoder) readFault(n *node) {
	f := Fault{Probability: 1, Forever: true, Effect: EffectNotReady}
	if n.kind != mappingNode {
		d.isMapping(n, "a kind and its keys")
		return
	}
	before := len(d.found)
	kind := n.get("kind")
	if kind == nil {
		d.fault(n, `has no "kind", which it needs`)
		return
	}
	oneOf(d, &f.Kind, "fault", NodeDoesNotReturn, BadVersion, ControllerManagerOutage, SchedulerOutage)(kind)
	keys := d.faultFields(&f)
	if keys == nil {
		return // the kind is unknown, and so are its keys
	}
	supported := len(d.found) == before
	d.object(n, append([]field{must("kind", nil)}, keys...)...)
	if v := n.get("detection"); f.Kind == BadVersion && v != nil && f.Detection > 0 && f.Effect == EffectNotReady {
		d.fault(v, "goes with `effect: brokenWhileReady`; a pod that is not Ready is seen at once")
	}
	if supported {
		d.sc.Faults = append(d.sc.Faults, f)
	}
}

func (d *decoder) faultFields(f *Fault) []field {
	var ignored time.Duration
	at, duration := may("at", d.duration(&ignored)), may("for", d.duration(&ignored))
	switch f.Kind {
	case NodeDoesNotReturn:
		return []field{
			may("nodes", d.namesOrSelector(&f.NodeNames, &f.NodeSelector, anyNode)),
			may("probability", d.number(&f.Probability, 0, 1, true)),
			may("for", d.forHowLong(f)),
		}
	case BadVersion:
		component := "kubelet"
		return []field{
			must("version", d.version(&f.Version)),
			may("component", oneOf(d, &component, "", "kubelet")),
			may("workloads", d.namesOrSelector(&f.WorkloadNames, &f.WorkloadSelector, workloadRef)),
			may("nodes", d.namesOrSelector(&f.NodeNames, &f.NodeSelector, anyNode)),
			may("probability", d.number(&f.Probability, 0, 1, true)),
			may("onset", d.duration(&f.Onset)),
			may("effect", oneOf(d, &f.Effect, "", EffectNotReady, EffectBrokenWhileReady)),
			may("detection", d.duration(&f.Detection)),
		}
	case "nodeFailure":
		var rate float64
		var zone string
		return []field{
			may("nodes", d.namesOrSelector(&f.NodeNames, &f.NodeSelector, anyNode)),
			may("zone", d.name(&zone, zoneName)),
			at, duration,
			may("rate", d.number(&rate, 0, 1e6, true)),
		}
	case ControllerManagerOutage, SchedulerOutage:
		return []field{must("at", d.duration(&f.At)), must("for", d.forHowLong(f))}
	case "apiServerOutage":
		return []field{at, duration}
	case "slowImages":
		var factor float64
		return []field{may("factor", d.number(&factor, 0, 1e6, false)), at, duration}
	case "noCapacity":
		var place string
		return []field{may("zone", d.name(&place, zoneName)), may("pool", d.name(&place, dnsSubdomain)), at, duration}
	}
	return nil
}

// forHowLong reads how long a node stays away: a duration, or the word forever.
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
