package model

import "cmp"

// checkWorkload looks at what the keys of one workload mean together.
func (d *decoder) checkWorkload(n *node, w *Workload) {
	only := func(key, whose string, fine bool) {
		if v := n.get(key); v != nil && !fine {
			d.fault(v, "only %s has it, and this is a %s", whose, w.Kind)
		}
	}
	only("podManagementPolicy", "a StatefulSet", w.Kind == StatefulSet)
	only("backoffLimit", "a Job", w.Kind == Job)
	only("minReadySeconds", "a Deployment, ReplicaSet, StatefulSet or DaemonSet",
		w.Kind == Deployment || w.Kind == ReplicaSet || w.Kind == StatefulSet || w.Kind == DaemonSet || w.Kind == Custom)
	only("ownerKind", "a workload of the kind Custom", w.Kind == Custom)
	if v := n.get("volume"); v != nil {
		switch w.Kind {
		case DaemonSet, Static, BarePod:
			d.fault(v, "nothing moves a pod of the kind %s to another node, so that a volume has no effect; remove this key", w.Kind)
		}
	}
	replicas, placement := n.get("replicas"), n.get("placement")
	switch w.Kind {
	case DaemonSet:
		if replicas != nil {
			d.fault(replicas, "a DaemonSet has a pod on each of its nodes; remove this key")
		}
		if placement != nil {
			d.fault(placement, "a DaemonSet has a pod on each of its nodes; remove this key")
		}
		if len(w.Existing) == 0 {
			w.Replicas = 0
		}
	case BarePod:
		gone := w.Replicas == 0 && d.baseAt("workload", workloadID(w.Namespace, w.Name)) >= 0
		if replicas != nil && w.Replicas != 1 && !gone {
			d.fault(replicas, "a Pod is one pod; for several alike use count")
		}
	case Static:
		// The kubelet of a node runs it; no scheduler would find it one.
		if have := len(w.Placement) + len(w.Existing); have < w.Replicas {
			d.fault(cmp.Or(placement, n.get("kind"), n), "a Static pod runs on the node that has its manifest; name a node for each replica under placement")
		}
	}
	d.checkPods(n, w)
	if v := n.get("catchUp"); v != nil && w.Quorum == 0 {
		d.fault(v, "is how long a Ready member does not count for the quorum, and there is no quorum; add `quorum`, the members that must be in sync")
	}
	if w.Quorum > 0 && w.Kind != DaemonSet && w.Quorum > w.Replicas && n.get("quorum") != nil {
		d.fault(n.get("quorum"), "is %d, more than the %d replicas", w.Quorum, w.Replicas)
	}
}

// checkPods looks at what the workload says of its pods one by one, beside how many there are.
func (d *decoder) checkPods(n *node, w *Workload) {
	replicas, count, placement := n.get("replicas"), n.get("count"), n.get("placement")
	if placement != nil {
		switch {
		case count != nil && w.Count > 1:
			d.fault(placement, "does not go together with count")
		case w.Kind != DaemonSet && len(w.Placement) > w.Replicas:
			d.fault(placement, "names %d nodes for %d replicas", len(w.Placement), w.Replicas)
		}
		w.Existing = nil
	}
	if w.Count > 1 && len(w.Existing) > 0 {
		d.fault(count, "the files under from have the pods of this workload; a copy would have none")
	}
	if replicas != nil && len(w.Existing) > w.Replicas {
		w.Existing = w.Existing[:w.Replicas]
	}
}
