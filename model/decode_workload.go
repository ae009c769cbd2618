package model

import (
	"cmp"
	"math"
	"slices"
)

// workloadID is how a workload is told from others: two of a namespace must not share a name.
func workloadID(namespace, name string) string { return namespace + "/" + name }

// workloadReader reads one workload after another. Its fields are made once: they take more memory than a workload.
type workloadReader struct {
	Workload
	policy     PodManagement
	preemption Preemption
	priority   int
	own        *Budget // of the key podDisruptionBudget
	budgetAt   int     // of the budget of the files that has the workload's name, which is what the key means then; -1 without
	entry      *node
	fields     []field
}

func (d *decoder) newWorkloadReader() *workloadReader {
	w := &workloadReader{}
	w.fields = []field{
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
		may("podManagementPolicy", oneOf(d, &w.policy, OrderedReady, Parallel)),
		may("backoffLimit", func(v *node) { w.BackoffLimit = new(int); d.integer(w.BackoffLimit, 0, math.MaxInt32)(v) }),
		may("nodeSelector", d.labels(&w.NodeSelector)),
		may("tolerations", d.tolerations(&w.Tolerations)),
		may("affinity", func(v *node) {
			w.NodeAffinity, w.PodAffinity, w.AntiAffinity = NodeAffinity{}, PodAffinity{}, PodAffinity{}
			d.affinity(&w.Workload)(v)
		}),
		may("podAntiAffinity", func(v *node) {
			if w.entry.get("affinity") == nil {
				w.AntiAffinity = PodAffinity{}
			}
			d.shortAffinity(&w.AntiAffinity)(v)
		}),
		may("topologySpreadConstraints", d.spread(&w.Spread)),
		may("hostPorts", d.hostPorts(&w.HostPorts)),
		may("priority", d.integer(&w.priority, math.MinInt32, math.MaxInt32)),
		may("preemptionPolicy", oneOf(d, &w.preemption, PreemptLowerPriority, PreemptNever)),
		may("emptyDir", d.boolean(&w.EmptyDir)),
		may("volume", func(v *node) { w.Volume = &Volume{}; d.volume(w.Volume)(v) }),
		may("podDisruptionBudget", func(v *node) {
			if d.budgetFields(w.own, v, w.budgetAt < 0); w.budgetAt < 0 {
				w.Budget = w.own
			}
		}),
		may("placement", d.placement(&w.Placement)),
		may("quorum", d.integer(&w.Quorum, 1, MaxReplicasPerCluster)),
		may("catchUp", d.optDist(&w.CatchUp)),
	}
	return w
}

// begin makes the reader ready for an entry that changes a workload of the files, or begins a new one.
func (w *workloadReader) begin(d *decoder, n *node) (at int) {
	c := &d.sc.Cluster
	w.Workload = Workload{Namespace: DefaultNamespace, Kind: Deployment, Count: 1, Replicas: 1, GracePeriod: DefaultGracePeriod}
	if at = d.baseAt("workload", workloadID(cmp.Or(nameIn(n, "namespace"), DefaultNamespace), nameIn(n, "name"))); at >= 0 {
		w.Workload = c.Workloads[at]
	}
	w.policy, w.preemption, w.priority = OrderedReady, PreemptLowerPriority, int(w.Priority)
	if w.Parallel {
		w.policy = Parallel
	}
	if w.NeverPreempts {
		w.preemption = PreemptNever
	}
	w.entry, w.own, w.budgetAt = n, &Budget{}, -1
	if at >= 0 {
		if w.budgetAt = d.baseAt("budget", workloadID(w.Namespace, w.Name)); w.budgetAt >= 0 {
			*w.own = c.Budgets[w.budgetAt]
		}
	}
	return at
}

func (d *decoder) workload(n *node) {
	c := &d.sc.Cluster
	if d.workloads == nil {
		d.workloads = d.newWorkloadReader()
	}
	w := d.workloads
	at := w.begin(d, n)
	if !d.object(n, w.fields...) || w.Name == "" {
		return
	}
	w.Parallel, w.NeverPreempts, w.Priority = w.policy == Parallel, w.preemption == PreemptNever, int32(w.priority)
	if v := n.get("podDisruptionBudget"); v != nil {
		w.own.Name, w.own.Namespace = w.Name, w.Namespace
		if w.budgetAt >= 0 && d.once("budget", workloadID(w.Namespace, w.Name), v) {
			c.Budgets[w.budgetAt] = *w.own
		}
	}
	d.checkWorkload(n, &w.Workload)
	if !d.once("workload", workloadID(w.Namespace, w.Name), n) {
		return
	}
	if at < 0 {
		d.added("workload", w.Namespace, w.Name, n)
	}
	put(&c.Workloads, at, w.Workload)
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
