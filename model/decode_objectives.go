package model

// objectives reads what the plan must meet. The workloads are known by then.
func (d *decoder) objectives(n *node) {
	o := &d.sc.Objectives
	d.object(n,
		may("maxDowntime", d.optDuration(&o.MaxDowntime)),
		may("maxAPIDowntime", d.optDuration(&o.MaxAPIDowntime)),
		may("window", d.optDuration(&o.Window)),
		may("maxPendingTime", d.optDuration(&o.MaxPendingTime)),
		may("maxSurgeNodes", func(v *node) {
			most := 0
			if before := len(d.found); true {
				d.integer(&most, 0, MaxNodesPerCluster)(v)
				if len(d.found) == before {
					o.MaxSurgeNodes = &most
				}
			}
		}),
		may("minReady", d.minReady),
	)
}

// minReady reads the least number of ready replicas: by workload, or one for
// all, which then is every workload that has several replicas.
func (d *decoder) minReady(n *node) {
	c := &d.sc.Cluster
	o := &d.sc.Objectives
	o.MinReady = map[string]int{}
	if n.kind != mappingNode {
		least := 0
		if d.integer(&least, 0, MaxReplicasPerCluster)(n); least == 0 {
			return
		}
		for _, w := range c.Workloads {
			if !w.Replicated() {
				continue
			}
			if w.Replicas < least {
				d.fault(n, "is %d, but %s has only %d replicas; give numbers by workload", least, workloadID(w.Namespace, w.Name), w.Replicas)
				return
			}
			o.MinReady[workloadID(w.Namespace, w.Name)] = least
		}
		return
	}
	for i, k := range n.keys {
		least := 0
		if d.integer(&least, 0, MaxReplicasPerCluster)(n.items[i]); least == 0 {
			continue
		}
		d.refs = append(d.refs, reference{k, k.value, workloadRef})
		for j := range c.Workloads {
			w := &c.Workloads[j]
			if w.Kind != DaemonSet && w.Replicas < least && w.answers(k.value) {
				d.fault(n.items[i], "is %d, but the workload has only %d replicas", least, w.Replicas)
				break
			}
		}
		o.MinReady[k.value] = least
	}
}
