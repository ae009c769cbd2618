package calibrate

import (
	"time"

	"upsim/model"
	"upsim/model/kube"
)

// kubernetesStep is the step of Kubernetes' own times, which are cut off: the
// difference of two is known to within a second either way, and right on average.
const kubernetesStep = time.Second

// instant is a time in microseconds since 1970; 0 is none.
type instant int64

func instantOf(t time.Time) instant {
	if t.IsZero() {
		return 0
	}
	return instant(t.UnixMicro())
}

// until is the time from one instant to another, which may be far away.
func (a instant) until(b instant) time.Duration {
	const most = instant(100 * 365 * 24 * time.Hour / time.Microsecond)
	return time.Duration(max(-most, min(most, b-a))) * time.Microsecond
}

// life is what is kept of a pod over all snapshots.
type life struct {
	of         Subject
	kind       model.Kind
	name, node string
	input      int32
	// created, bound and ready are of the first look at it that had it Ready without a restart; clean tells that there was one.
	created, bound, ready, started instant
	clean, restarted               bool
	asked, stopped                 instant
	begun                          instant // the first start of a container that was seen
}

// stop is when the kubelet began to stop a pod's containers, by its events Killing.
type stop struct {
	namespace, name, host string
	first, last           instant
}

// snapshot is what the objects of all snapshots say of their lives.
type snapshot struct {
	pods     []life
	podIndex map[string]int32
	nodes    map[string]*machine
	stops    map[string]*stop
	troubled map[string]bool // pods, by uid, whose images or containers failed to come up
	behind   map[string]bool // nodes whose clock is behind
}

func newSnapshot() snapshot {
	return snapshot{podIndex: map[string]int32{}, nodes: map[string]*machine{}, stops: map[string]*stop{}, troubled: map[string]bool{}, behind: map[string]bool{}}
}

// pod keeps a pod. The same one seen again, in another snapshot, counts once:
// the earliest readiness without a restart is that of its start.
func (c *Collector) pod(p kube.PodTimes) {
	c.now().Pods++
	at, known := c.podIndex[p.UID]
	if !known {
		at = int32(len(c.pods))
		c.podIndex[p.UID] = at
		c.pods = append(c.pods, life{
			of: workloadOf(p.Namespace, p.Workload, p.Kind), kind: p.Kind, name: p.Name,
			input: int32(len(c.inputs) - 1), created: instantOf(p.Created),
		})
		c.meet(c.pods[at].of)
	}
	l := &c.pods[at]
	if p.Node != "" {
		l.node = p.Node
	}
	if p.Restarts > 0 {
		l.restarted = true
	}
	if at := instantOf(p.Scheduled); at != 0 && (l.bound == 0 || at < l.bound) {
		l.bound = at
	}
	ready := instantOf(p.Ready)
	if clean := p.Restarts == 0; ready != 0 && (l.ready == 0 || clean && !l.clean || clean == l.clean && ready < l.ready) {
		l.ready, l.started, l.clean = ready, instantOf(p.Started), clean
	}
	if at := instantOf(p.Started); at != 0 && (l.begun == 0 || at < l.begun) {
		l.begun = at
	}
	// A second deletion, with less grace, asks for what was asked for already; a container that restarts ends more than once.
	if at := instantOf(p.Asked); at != 0 && (l.asked == 0 || at < l.asked) {
		l.asked = at
	}
	l.stopped = max(l.stopped, instantOf(p.Stopped))
}

// event keeps what an event says of a node, or of a pod that stops or has trouble to start.
func (c *Collector) event(e kube.EventTimes) {
	c.now().Events++
	if e.First.IsZero() {
		return
	}
	first, last := instantOf(e.First), instantOf(e.Last)
	switch {
	case e.Kind == "Node" && e.Name != "":
		c.nodeEvent(e, first, last)
	case e.Kind != "Pod" || e.UID == "":
	case e.Reason == "BackOff" || e.Reason == "Failed":
		// The kubelet's words for an image that cannot be pulled and a container that does not stay up:
		// https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/events/event.go
		c.troubled[e.UID] = true
	case e.Reason == "Killing":
		s := c.stops[e.UID]
		if s == nil {
			s = &stop{namespace: e.Namespace, name: e.Name, host: e.Host, first: first, last: last}
			c.stops[e.UID] = s
		}
		s.first, s.last = min(s.first, first), max(s.last, last)
	}
}

// at is when the containers were asked to stop. Containers stop together; an
// event long before the last one is of a container that only restarted.
func (s *stop) at() instant {
	if s.first.until(s.last) <= longestStop {
		return s.first
	}
	return s.last
}

// longestStop is how far apart the events of one stop can be.
const longestStop = time.Minute

// object is how messages name a pod.
func (l *life) object() string { return "Pod/" + l.of.Namespace + "/" + l.name }

// measured is a time of the pod.
func (c *Collector) measured(q Quantity, l *life, source string) sample {
	return sample{q, l.of, kubernetesStep, source, l.object(), c.inputs[l.input].Name}
}

// takeOn keeps a time that the clock of the node measured, and the control plane's too.
func (c *Collector) takeOn(node string, m sample, d time.Duration) {
	if d >= 0 && c.behind[node] {
		c.spoiled(m, behindClock)
		return
	}
	c.take(m, d)
}
