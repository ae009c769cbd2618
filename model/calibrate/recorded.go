package calibrate

import (
	"math"
	"slices"
	"strings"
	"time"

	"upsim/model"
)

// recordingStep is the step of a recording's clock. What a client watches comes 1 to 10 ms late, at both ends of a time.
const recordingStep = time.Millisecond

// record follows the events of one recording.
type record struct {
	c    *Collector
	name string
	pods map[podName]*recordedPod
	// terminating are the pods of each owner's workload that wait for a replacement, the first first.
	terminating map[Subject][]waiting
	deleted     map[podName]float64 // when the last pod of a name was gone
	nodes       map[string]*recordedNode
	// namesakes are the pods that live, by name alone.
	namesakes map[string][]podName
	// What is under way: evictions that are accepted, pods that go, pods that wait for a node.
	evicting, going, binding crowd
	// The simulator adds these by itself; they are taken off.
	kubelet, request time.Duration
}

type podName struct{ namespace, name string }

// object is how messages name the pod; the namespace "default" goes without saying.
func (n podName) object() string {
	if n.namespace == model.DefaultNamespace {
		return "Pod/" + n.name
	}
	return "Pod/" + n.namespace + "/" + n.name
}

// recordings are the times that recordings told already, with the input of each.
type recordings map[recordedTime]int

// recordedTime is a time in a recording, which no two upgrades have in common to the millisecond.
type recordedTime struct {
	Quantity
	of       Subject
	object   string
	from, to float64
}

// recordedPod has the instants of a pod that lives; NaN where something has not happened.
type recordedPod struct {
	// of has no kind, since only the creation tells it.
	of                                   Subject
	kind                                 model.Kind
	node                                 string
	created, bound, evicted, terminating float64
	// createdAlone and evictedAlone tell that no other pod was on the way to a node, or an eviction to its end, at that time.
	createdAlone, evictedAlone bool
	waited                     bool
}

// waiting is a pod that terminates and waits for a replacement.
type waiting struct {
	since float64
	alone bool
}

type recordedNode struct {
	asked, upgrade, cordoned, tainted float64
	removed                           bool
}

func newRecord(c *Collector, name string) *record {
	def := model.DefaultAssumptions()
	return &record{
		c: c, name: name, pods: map[podName]*recordedPod{}, terminating: map[Subject][]waiting{}, deleted: map[podName]float64{},
		nodes: map[string]*recordedNode{}, namesakes: map[string][]podName{}, kubelet: def.KubeletLag.Quantile(0.5), request: def.APILatency.Quantile(0.5),
	}
}

// crowd are the instants of what is under way. A latency is that of a control
// plane at rest, since the simulator makes what is at work at once wait by
// itself: for a controller's requests a second, for a write conflict.
type crowd struct{ since []float64 }

// enter adds an instant, and tells whether there is no other of the last second.
func (c *crowd) enter(t float64) (alone bool) {
	c.since = slices.DeleteFunc(c.since, func(at float64) bool { return t-at > 1000 })
	c.since = append(c.since, t)
	return len(c.since) == 1
}

func (c *crowd) leave(since float64) {
	if i := slices.Index(c.since, since); i >= 0 {
		c.since = slices.Delete(c.since, i, i+1)
	}
}

var never = math.NaN()

// event takes the times that end with the event.
func (r *record) event(e *recorded) {
	if e.Node != "" {
		r.nodeEvent(e, *e.At)
	}
	if e.Pod != "" {
		if name, ok := r.podName(e); ok {
			r.podEvent(e, name, *e.At)
		}
	}
}

// podName tells which pod an event is of: where it does not say the namespace,
// the only pod of that name. Where there are several it may be of any, and nothing of them is known any more.
func (r *record) podName(e *recorded) (podName, bool) {
	if e.Namespace != "" {
		return podName{e.Namespace, e.Pod}, true
	}
	of := r.namesakes[e.Pod]
	switch len(of) {
	case 0:
		return podName{model.DefaultNamespace, e.Pod}, true
	case 1:
		return of[0], true
	}
	for _, name := range of {
		delete(r.pods, name)
	}
	delete(r.namesakes, e.Pod)
	return podName{}, false
}

func (r *record) pod(e *recorded, name podName) *recordedPod {
	p := r.pods[name]
	if p == nil {
		p = &recordedPod{created: never, bound: never, evicted: never, terminating: never}
		r.pods[name] = p
		r.namesakes[name.name] = append(r.namesakes[name.name], name)
	}
	if e.App != "" {
		p.of.Name = e.App
	}
	if kind, owner, ok := strings.Cut(e.Owner, "/"); ok {
		p.kind = model.Kind(kind)
		if p.of.Name == "" {
			p.of.Name = owner
		}
	}
	p.of.Namespace = name.namespace
	if e.Node != "" {
		p.node = e.Node
	}
	r.c.meet(p.workload())
	return p
}

// workload is the pod's workload with its kind, as far as it is told.
func (p *recordedPod) workload() Subject { return workloadOf(p.of.Namespace, p.of.Name, p.kind) }

func (r *record) podEvent(e *recorded, name podName, t float64) {
	p, object := r.pod(e, name), name.object()
	switch e.Type {
	case "pod.created":
		p.created, p.createdAlone = t, r.binding.enter(t)
		r.replaced(p, name, t)
	case "pod.unschedulable":
		p.waited = true
		r.binding.leave(p.created)
	case "pod.scheduled":
		r.binding.leave(p.created)
		if p.bound = t; !p.waited && p.createdAlone {
			r.take(SchedulerLatency, Subject{}, object, "pod.created to pod.scheduled", p.created, t, 0)
		}
	case "pod.ready":
		r.take(Startup, p.workload(), object, "pod.scheduled to pod.ready, less the "+r.kubelet.String()+" of kubeletLag", p.bound, t, r.kubelet)
		p.bound = never
	case "audit.evict":
		if e.Code == 201 {
			p.evicted, p.evictedAlone = t, r.evicting.enter(t)
		}
	case "pod.terminating":
		p.terminating = t
		if alone := r.going.enter(t); p.kind != model.StatefulSet { // which may have the name of a Deployment
			r.terminating[p.of] = append(r.terminating[p.of], waiting{t, alone})
		}
		if r.evicting.leave(p.evicted); p.evictedAlone {
			r.take(DeletionLag, Subject{}, object, "audit.evict to pod.terminating, less the "+r.request.String()+" of apiLatency", p.evicted, t, r.request)
		}
	case "pod.deleted":
		if n := r.nodes[p.node]; n == nil || !n.removed {
			r.take(Shutdown, p.workload(), object, "pod.terminating to pod.deleted, less the "+r.kubelet.String()+" of kubeletLag", p.terminating, t, r.kubelet)
		}
		r.deleted[name] = t
		delete(r.pods, name)
		r.namesakes[name.name] = slices.DeleteFunc(r.namesakes[name.name], func(n podName) bool { return n == name })
	}
}

// replaced takes the time in which a controller answered: a ReplicaSet's to a
// deletion timestamp, a StatefulSet's to a pod that is gone. Of pods that were never
// replaced, or long after, nothing is known.
func (r *record) replaced(p *recordedPod, name podName, t float64) {
	switch p.kind {
	case model.ReplicaSet:
		wait := r.terminating[p.of]
		fresh := slices.IndexFunc(wait, func(w waiting) bool { return t-w.since <= float64(longestOf(ControllerLatency)/recordingStep) })
		if fresh < 0 {
			delete(r.terminating, p.of)
			return
		}
		if r.going.leave(wait[fresh].since); wait[fresh].alone {
			r.take(ControllerLatency, Subject{}, name.object(), "pod.terminating to its replacement's pod.created", wait[fresh].since, t, 0)
		}
		r.terminating[p.of] = wait[fresh+1:]
	case model.StatefulSet:
		if gone, ok := r.deleted[name]; ok && t-gone <= float64(longestOf(ControllerLatency)/recordingStep) {
			r.take(ControllerLatency, Subject{}, name.object(), "pod.terminating to its replacement's pod.created", gone, t, 0)
		}
	}
}

func (r *record) nodeEvent(e *recorded, t float64) {
	n := r.nodes[e.Node]
	if n == nil {
		n = &recordedNode{asked: never, upgrade: never, cordoned: never, tainted: never}
		r.nodes[e.Node] = n
	}
	object := "Node/" + e.Node
	switch e.Type {
	case "provision.start":
		n.asked = t
	case "node.ready":
		if e.Status == "True" {
			r.take(NodeProvision, Subject{}, object, "provision.start to node.ready", n.asked, t, 0)
			n.asked = never
		}
	case "node.removed":
		n.removed = true
	case "upgrade.start":
		n.upgrade = t
	case "upgrade.end":
		r.take(NodeUpgrade, Subject{}, object, "upgrade.start to upgrade.end", n.upgrade, t, 0)
		n.upgrade = never
	case "node.cordoned":
		n.cordoned = t
		r.tainted(n, object)
	case "node.uncordoned":
		n.cordoned, n.tainted = never, never
	case "node.taints":
		if slices.ContainsFunc(e.Taints, func(s string) bool { return strings.HasPrefix(s, model.TaintUnschedulable+":") }) {
			if math.IsNaN(n.tainted) {
				n.tainted = t
				r.tainted(n, object)
			}
		} else {
			n.tainted = never
		}
	}
}

// tainted takes the time from the cordon to its taint; a client may see the two in either order.
func (r *record) tainted(n *recordedNode, object string) {
	if lag := n.tainted - n.cordoned; !math.IsNaN(lag) {
		r.take(TaintLag, Subject{}, object, "node.cordoned to its taint", n.cordoned, max(n.tainted, n.cordoned), 0)
		n.cordoned = never
	}
}

// take takes a time, less what the simulator adds by itself. One whose beginning was not seen is none.
func (r *record) take(q Quantity, of Subject, object, source string, from, to float64, less time.Duration) {
	if math.IsNaN(from) {
		return
	}
	d := time.Duration((to - from) * float64(recordingStep))
	if d > 0 {
		d = max(0, d-less)
	}
	m := sample{q, of, recordingStep, source, object, r.name}
	key, now := recordedTime{q, of, object, from, to}, len(r.c.inputs)-1
	if first, ok := r.c.recordings[key]; ok && first != now {
		r.c.leave(m, "is in another recording already")
		return
	}
	r.c.recordings[key] = now
	r.c.take(m, d)
}
