package model

func (d *decoder) nodePool(n *node) {
	c := &d.sc.Cluster
	at := d.baseAt("node pool", nameIn(n, "name"))
	p := NodePool{Allocatable: DefaultAllocatable()}
	count := must("count", func(v *node) {
		before := len(d.found)
		d.integer(&p.Count, 0, MaxNodesPerCluster)(v)
		d.unclear[nameIn(n, "name")] = len(d.found) > before
	})
	if at >= 0 {
		p, count.required = c.Pools[at], false
	} else if n.get("count") == nil {
		count.why = d.newBeside("node pool", "", nameIn(n, "name"))
	}
	if !d.object(n,
		must("name", d.name(&p.Name, dnsSubdomain)),
		count,
		may("zones", func(v *node) {
			d.names(&p.Zones, zoneName)(v)
			if v.kind == sequenceNode && len(v.items) == 0 {
				d.fault(v, "must have at least one zone; remove the key for none")
			}
		}),
		may("allocatable", d.allocatable(&p.Allocatable)),
		may("labels", d.labels(&p.Labels)),
		may("taints", d.taints(&p.Taints)),
		may("kubelet", d.version(&p.Kubelet)),
		may("kubeProxy", d.version(&p.KubeProxy)),
		may("maxNodes", d.integer(&p.MaxNodes, 1, MaxNodesPerCluster)),
	) || p.Name == "" || !d.once("node pool", p.Name, n) {
		return
	}
	if p.MaxNodes > 0 && p.MaxNodes < p.Count {
		d.fault(n.get("maxNodes"), "is %d, less than count, which is %d", p.MaxNodes, p.Count)
	}
	if at < 0 {
		d.added("node pool", "", p.Name, n)
	}
	put(&c.Pools, at, p)
}

func (d *decoder) explicitNode(n *node) {
	c := &d.sc.Cluster
	at := d.baseAt("node", nameIn(n, "name"))
	x := Node{Allocatable: DefaultAllocatable(), Ready: true}
	if at >= 0 {
		x = c.Nodes[at]
	}
	taintsGiven := at >= 0
	if !d.object(n,
		must("name", d.name(&x.Name, dnsSubdomain)),
		may("pool", d.name(&x.Pool, dnsSubdomain)),
		may("zone", d.name(&x.Zone, zoneName)),
		may("allocatable", d.allocatable(&x.Allocatable)),
		may("labels", d.labels(&x.Labels)),
		may("taints", func(v *node) { taintsGiven = true; d.taints(&x.Taints)(v) }),
		may("kubelet", d.version(&x.Kubelet)),
		may("kubeProxy", d.version(&x.KubeProxy)),
		may("unschedulable", d.boolean(&x.Unschedulable)),
		may("ready", d.boolean(&x.Ready)),
	) || x.Name == "" || !d.once("node", x.Name, n) {
		return
	}
	if _, cp := x.Labels[LabelControlPlane]; cp && !taintsGiven {
		// As kubeadm does; `taints: []` says that it is not so.
		x.Taints = []Taint{{Key: LabelControlPlane, Effect: NoSchedule}}
	}
	if at < 0 {
		d.added("node", "", x.Name, n)
	}
	put(&c.Nodes, at, x)
}

// put replaces the entry at that place, or appends where the place is -1.
func put[T any](list *[]T, at int, x T) {
	if at >= 0 {
		(*list)[at] = x
		return
	}
	*list = append(*list, x)
}

// allocatable reads what a node has; what is not named has the default.
func (d *decoder) allocatable(p *Resources) func(*node) {
	return func(n *node) {
		*p = DefaultAllocatable()
		d.resources(p, true)(n)
	}
}

// namesOrSelector reads names, or a selector of labels.
func (d *decoder) namesOrSelector(names *[]string, selector **LabelSelector, what refKind) func(*node) {
	return func(n *node) {
		switch n.kind {
		case mappingNode:
			*selector = &LabelSelector{}
			d.selector(*selector)(n)
		case sequenceNode:
			d.references(names, what)(n)
			if len(n.items) == 0 {
				d.fault(n, "is empty; remove the key to mean all")
			}
		default:
			d.fault(n, "must be a list of names or a label selector, not %s", n.describe())
		}
	}
}

// refKind is what a name refers to.
type refKind uint8

const (
	anyNode refKind = iota
	workerNode
	controlPlaneNode
	workloadRef
	faultyNode  // any, also one that the upgrade brings
	failingNode // and it can fail
	zoneRef
	poolRef
)

// reference is a name that must be that of something in the scenario.
type reference struct {
	at   *node
	name string
	kind refKind
}

// references reads names, each once, and has them looked up at the end of the document.
func (d *decoder) references(p *[]string, kind refKind) func(*node) {
	return func(n *node) {
		*p = nil
		first := map[string]int{}
		d.list(func(item *node) {
			var s string
			if d.name(&s, referenceName)(item); s == "" {
				return
			}
			if line, dup := first[s]; dup {
				d.fault(item, "%s is listed twice, first on line %d", quote(s), line)
				return
			}
			first[s] = item.line
			d.refs = append(d.refs, reference{item, s, kind})
			*p = append(*p, s)
		})(n)
	}
}

// placement reads names of nodes, of which one may stand several times.
func (d *decoder) placement(p *[]string) func(*node) {
	return func(n *node) {
		*p = nil
		d.list(func(item *node) {
			var s string
			if d.name(&s, referenceName)(item); s != "" {
				d.refs = append(d.refs, reference{item, s, anyNode})
				*p = append(*p, s)
			}
		})(n)
	}
}
