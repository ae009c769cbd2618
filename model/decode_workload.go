package model

import (
	"cmp"
	"math"
	"slices"
)

// workloadID is how a workload is told from others: two of a namespace must not share a name.
func workloadID(namespace, name string) string { return namespace + "/" + name }

func (d *decoder) workload(n *node) {
	c := &d.sc.Cluster
	w := Workload{Namespace: DefaultNamespace, Kind: Deployment, Count: 1, Replicas: 1, GracePeriod: DefaultGracePeriod}
	at := d.baseAt("workload", workloadID(cmp.Or(nameIn(n, "namespace"), DefaultNamespace), nameIn(n, "name")))
	if at >= 0 {
		w = c.Workloads[at]
	}
	policy, preemption := OrderedReady, PreemptLowerPriority
	if w.Parallel {
		policy = Parallel
	}
	if w.NeverPreempts {
		preemption = PreemptNever
	}
	var priority = int(w.Priority)
	own := Budget{}
	// A budget of the files that has the workload's name is what its own key means.
	budgetAt := -1
	if at >= 0 {
		if budgetAt = d.baseAt("budget", workloadID(w.Namespace, w.Name)); budgetAt >= 0 {
			own = c.Budgets[budgetAt]
		}
	}
	if !d.object(n,
		must("name", d.name(&w.Name, dnsSubdomain)),
		may("namespace", d.name(&w.Namespace, dnsLabel)),
		may("kind", oneOf(d, &w.Kind, Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, BarePod, Static, Custom)),
		may("ownerKind", d.name(&w.OwnerKind, ownerKind)),
		may("count", d.integer(&w.Count, 1, MaxReplicasPerCluster)),
		may("replicas", d.integer(&w.Replicas, 0, MaxReplicasPerCluster)),
		may("labels", d.labels(&w.Labels)),
		may("requests", func(v *node) { w.Requests = Resources{}; d.resources(&w.Requests, false)(v) }),
		may("startup", d.optDist(&w.Startup)),
		may("shutdown", d.optDist(&w.Shutdown)),
		may("terminationGracePeriodSeconds", d.seconds(&w.GracePeriod)),
		may("minReadySeconds", d.seconds(&w.MinReady)),
		may("neverReady", d.boolean(&w.NeverReady)),
		may("readinessProbe", d.boolean(&w.ReadinessProbe)),
		may("podManagementPolicy", oneOf(d, &policy, OrderedReady, Parallel)),
		may("backoffLimit", func(v *node) { w.BackoffLimit = new(int); d.integer(w.BackoffLimit, 0, math.MaxInt32)(v) }),
		may("nodeSelector", d.labels(&w.NodeSelector)),
		may("tolerations", d.tolerations(&w.Tolerations)),
		may("affinity", func(v *node) {
			w.NodeAffinity, w.PodAffinity, w.AntiAffinity = NodeAffinity{}, PodAffinity{}, PodAffinity{}
			d.affinity(&w)(v)
		}),
		may("podAntiAffinity", func(v *node) {
			if n.get("affinity") == nil {
				w.AntiAffinity = PodAffinity{}
			}
			d.shortAffinity(&w.AntiAffinity)(v)
		}),
		may("topologySpreadConstraints", d.spread(&w.Spread)),
		may("hostPorts", d.hostPorts(&w.HostPorts)),
		may("priority", d.integer(&priority, math.MinInt32, math.MaxInt32)),
		may("preemptionPolicy", oneOf(d, &preemption, PreemptLowerPriority, PreemptNever)),
		may("emptyDir", d.boolean(&w.EmptyDir)),
		may("volume", func(v *node) { w.Volume = &Volume{}; d.volume(w.Volume)(v) }),
		may("podDisruptionBudget", func(v *node) {
			if d.budgetFields(&own, v, budgetAt < 0); budgetAt < 0 {
				w.Budget = &own
			}
		}),
		may("placement", d.placement(&w.Placement)),
		may("quorum", d.integer(&w.Quorum, 1, MaxReplicasPerCluster)),
		may("catchUp", d.optDist(&w.CatchUp)),
	) || w.Name == "" {
		return
	}
	w.Parallel, w.NeverPreempts, w.Priority = policy == Parallel, preemption == PreemptNever, int32(priority)
	if v := n.get("podDisruptionBudget"); v != nil {
		own.Name, own.Namespace = w.Name, w.Namespace
		if budgetAt >= 0 && d.once("budget", workloadID(w.Namespace, w.Name), v) {
			c.Budgets[budgetAt] = own
		}
	}
	d.checkWorkload(n, &w)
	if !d.once("workload", workloadID(w.Namespace, w.Name), n) {
		return
	}
	if at < 0 {
		d.added("workload", w.Namespace, w.Name, n)
	}
	put(&c.Workloads, at, w)
}

// PodManagement is a StatefulSet's podManagementPolicy.
type PodManagement string

// Pods are made one after another, or all at once.
const (
	OrderedReady PodManagement = "OrderedReady"
	Parallel     PodManagement = "Parallel"
)

// Preemption is a pod's preemptionPolicy.
type Preemption string

// The pod may push pods of lower priority off a node, or it never does.
const (
	PreemptLowerPriority Preemption = "PreemptLowerPriority"
	PreemptNever         Preemption = "Never"
)

// maxHostPorts bounds the host ports of one pod, each of which is looked up on every node.
const maxHostPorts = 1000

func (d *decoder) hostPorts(p *[]int) func(*node) {
	return func(n *node) {
		*p = nil
		if n.kind == sequenceNode && len(n.items) > maxHostPorts {
			d.fault(n, "has %d entries; at most %d are simulated", len(n.items), maxHostPorts)
			return
		}
		d.list(func(item *node) {
			port := 0
			if d.integer(&port, 1, 65535)(item); port == 0 {
				return
			}
			if slices.Contains(*p, port) {
				d.fault(item, "the port %d is listed twice", port)
			}
			*p = append(*p, port)
		})(n)
	}
}

func (d *decoder) volume(v *Volume) func(*node) {
	return func(n *node) {
		if n.kind == mappingNode && len(n.keys) == 0 {
			d.fault(n, "says nothing of the volume; write `zonal: true` or `local: true`, or `zonal: false` for one that can be attached anywhere")
			return
		}
		d.object(n,
			may("zonal", d.boolean(&v.Zonal)),
			may("local", d.boolean(&v.Local)),
			may("attach", d.optDist(&v.Attach)),
			may("detach", d.optDist(&v.Detach)),
		)
	}
}
