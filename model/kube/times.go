package kube

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"reflect"
	"strings"
	"time"

	"upsim/model"
)

// TimesCommand is what prints the input that a TimesReader wants; messages quote it.
const TimesCommand = "kubectl get pods,nodes,events -A -o json"

// TimesReader goes through kubectl output for when things happened, and hands
// on each object as it comes; nothing of it is kept. A nil function passes
// over its kind. Kubernetes writes most of these times in whole seconds, cut
// off; a time that an object does not have is zero.
type TimesReader struct {
	Pod   func(PodTimes)
	Node  func(NodeTimes)
	Event func(EventTimes)

	reader *Reader
}

// PodTimes is what a Pod tells of its life.
type PodTimes struct {
	// UID tells pods of one name apart; where the input has none it is put together from name and creation.
	UID, Namespace, Name, Node string
	// The workload that the pod belongs to, as far as the pod tells: a Deployment by the name and hash of its ReplicaSet.
	Kind     model.Kind
	Workload string

	Created time.Time
	// Scheduled and Ready are when the conditions PodScheduled and Ready turned True the last time; zero where they are not True.
	Scheduled, Ready time.Time
	// Started is when the last of its containers started, Stopped when the last one ended; Stopped is zero while one runs.
	Started, Stopped time.Time
	// Asked is when its deletion was asked for.
	Asked time.Time
	// Restarts of its containers, those that initialize it included.
	Restarts int
}

// NodeTimes is what a Node tells of its life.
type NodeTimes struct {
	Name, Pool string
	Created    time.Time
	// Ready tells the condition of that name, and ReadySince when it turned so.
	Ready      bool
	ReadySince time.Time
	// Cordoned is when the taint of an unschedulable node was put on it.
	Cordoned time.Time
}

// EventTimes is an Event: what happened to which object. One that was seen
// several times has its first and its last time.
type EventTimes struct {
	// Kind, Namespace, Name and UID are of the object that the event is about.
	Kind, Namespace, Name, UID string
	Reason                     string
	// Component and Host are who noticed: kubelet, on a node.
	Component, Host string
	First, Last     time.Time
}

// Read goes through one input to its end, as Reader.Add does and with its
// errors; also the stream of kubectl get --watch. With --output-watch-events that may end
// anywhere, since it does when it is stopped. An object that is not understood is left out, and told by Close.
func (t *TimesReader) Read(name string, in io.Reader) error {
	if t.reader == nil {
		t.reader = NewReader()
		about := *lifetimes
		about.take = t.take
		t.reader.interest = &about
	}
	return t.reader.Add(name, in)
}

// Close returns what was left out. Input of which most is not understood is an error.
func (t *TimesReader) Close() ([]model.Finding, error) {
	if t.reader == nil {
		return nil, nil
	}
	if err := t.reader.mostlyOdd(); err != nil {
		return nil, err
	}
	return t.reader.notesOf(nil), nil
}

// lifetimes is the interest in when things happened.
var lifetimes = &interest{
	command: TimesCommand,
	kinds:   map[string][]string{"Pod": {""}, "Node": {""}, "Event": {"", "events.k8s.io"}},
	held:    timesFields,
	yaml:    timesFields.merge(headFields),
	keys:    timesKeys(),
}

// timesKeys adds the keys of an Event, which has no spec.
func timesKeys() map[string]bool {
	keys := maps.Clone(objectKeys)
	for _, key := range timedEventFields.names {
		keys[strings.ToLower(key)] = true
	}
	return keys
}

// timedMeta is metadata with what tells when a pod was asked to go.
type timedMeta struct {
	podMeta
	UID                        string `json:"uid"`
	DeletionGracePeriodSeconds int64  `json:"deletionGracePeriodSeconds"`
}

type timedPod struct {
	Metadata timedMeta `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Conditions            []timedCondition  `json:"conditions"`
		ContainerStatuses     []containerStatus `json:"containerStatuses"`
		InitContainerStatuses []containerStatus `json:"initContainerStatuses"`
	} `json:"status"`
}

type timedCondition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	LastTransitionTime string `json:"lastTransitionTime"`
}

type containerStatus struct {
	RestartCount int `json:"restartCount"`
	State        struct {
		Running *struct {
			StartedAt string `json:"startedAt"`
		} `json:"running"`
		Terminated *struct {
			FinishedAt string `json:"finishedAt"`
		} `json:"terminated"`
	} `json:"state"`
}

type timedNode struct {
	Metadata struct {
		Name              string            `json:"name"`
		CreationTimestamp string            `json:"creationTimestamp"`
		Labels            map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Taints []struct {
			Key       string `json:"key"`
			TimeAdded string `json:"timeAdded"`
		} `json:"taints"`
	} `json:"spec"`
	Status struct {
		Conditions []timedCondition `json:"conditions"`
	} `json:"status"`
}

// timedEvent is an Event of the group "" or, with the names in other words, of events.k8s.io.
type timedEvent struct {
	InvolvedObject           eventObject `json:"involvedObject"`
	Regarding                eventObject `json:"regarding"`
	Reason                   string      `json:"reason"`
	Source                   eventSource `json:"source"`
	DeprecatedSource         eventSource `json:"deprecatedSource"`
	ReportingComponent       string      `json:"reportingComponent"`
	ReportingController      string      `json:"reportingController"`
	ReportingInstance        string      `json:"reportingInstance"`
	FirstTimestamp           string      `json:"firstTimestamp"`
	LastTimestamp            string      `json:"lastTimestamp"`
	DeprecatedFirstTimestamp string      `json:"deprecatedFirstTimestamp"`
	DeprecatedLastTimestamp  string      `json:"deprecatedLastTimestamp"`
	EventTime                string      `json:"eventTime"`
	Series                   struct {
		LastObservedTime string `json:"lastObservedTime"`
	} `json:"series"`
}

type eventObject struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

type eventSource struct {
	Component string `json:"component"`
	Host      string `json:"host"`
}

var (
	timedPodFields   = fieldsOf(reflect.TypeFor[timedPod]())
	timedNodeFields  = fieldsOf(reflect.TypeFor[timedNode]())
	timedEventFields = fieldsOf(reflect.TypeFor[timedEvent]())
	timesFields      = timedPodFields.merge(timedNodeFields).merge(timedEventFields)
)

func (t *TimesReader) take(r *Reader, kind string, raw []byte) error {
	switch {
	case kind == "Pod" && t.Pod != nil:
		p, err := r.podTimes(raw)
		if err == nil {
			t.Pod(p)
		}
		return err
	case kind == "Node" && t.Node != nil:
		n, err := r.nodeTimes(raw)
		if err == nil {
			t.Node(n)
		}
		return err
	case kind == "Event" && t.Event != nil:
		e, err := r.eventTimes(raw)
		if err == nil {
			t.Event(e)
		}
		return err
	}
	return nil
}

func (r *Reader) podTimes(raw []byte) (p PodTimes, err error) {
	var o timedPod
	if err := r.decode(raw, timedPodFields, &o); err != nil {
		return p, err
	}
	m := &o.Metadata
	if err := checkMeta(m.Name, m.Namespace, m.OwnerReferences); err != nil {
		return p, err
	}
	for _, text := range []string{m.UID, o.Spec.NodeName} {
		if err := checkText("uid or node's name", text, maxName); err != nil {
			return p, err
		}
	}
	namespace := namespaceOf(m.Namespace)
	key, custom, ownerKind := owner(&m.podMeta, namespace, o.Spec.NodeName)
	of := r.ownerOf(&podGroup{groupKey: key, custom: custom, ownerKind: ownerKind, templateHash: m.Labels.PodTemplateHash})
	p = PodTimes{
		UID: cmp.Or(m.UID, namespace+"/"+m.Name+"/"+m.CreationTimestamp), Namespace: r.text(namespace), Name: m.Name,
		Node: r.text(o.Spec.NodeName), Kind: of.kind, Workload: r.text(of.name),
	}
	var ts stamps
	p.Created = ts.read("creationTimestamp", m.CreationTimestamp)
	if gone := ts.read("deletionTimestamp", m.DeletionTimestamp); !gone.IsZero() {
		p.Asked = gone.Add(-seconds(m.DeletionGracePeriodSeconds))
	}
	for _, c := range o.Status.Conditions {
		at := ts.read("lastTransitionTime", c.LastTransitionTime)
		switch {
		case c.Status != "True":
		case c.Type == "PodScheduled":
			p.Scheduled = at
		case c.Type == "Ready":
			p.Ready = at
		}
	}
	running := false
	for i, c := range append(o.Status.InitContainerStatuses, o.Status.ContainerStatuses...) {
		p.Restarts += c.RestartCount
		if c.State.Running != nil {
			running = true
			p.Started = later(p.Started, ts.read("startedAt", c.State.Running.StartedAt))
		}
		if c.State.Terminated != nil && i >= len(o.Status.InitContainerStatuses) {
			p.Stopped = later(p.Stopped, ts.read("finishedAt", c.State.Terminated.FinishedAt))
		}
	}
	if running {
		p.Stopped = time.Time{}
	}
	return p, ts.err
}

func (r *Reader) nodeTimes(raw []byte) (n NodeTimes, err error) {
	var o timedNode
	if err := r.decode(raw, timedNodeFields, &o); err != nil {
		return n, err
	}
	m := &o.Metadata
	if err := checkMeta(m.Name, "", nil); err != nil {
		return n, err
	}
	if err := checkLabels(m.Labels); err != nil {
		return n, err
	}
	rec := nodeRecord{Node: model.Node{Name: m.Name, Labels: maps.Clone(m.Labels)}}
	if rec.Labels == nil {
		rec.Labels = map[string]string{}
	}
	if rec.complete(); rec.controlPlane {
		rec.markControlPlane()
	}
	var ts stamps
	n = NodeTimes{Name: r.text(m.Name), Pool: r.text(rec.Pool), Created: ts.read("creationTimestamp", m.CreationTimestamp)}
	for _, c := range o.Status.Conditions {
		if c.Type == "Ready" {
			n.Ready, n.ReadySince = c.Status == "True", ts.read("lastTransitionTime", c.LastTransitionTime)
		}
	}
	for _, taint := range o.Spec.Taints {
		if taint.Key == model.TaintUnschedulable {
			n.Cordoned = ts.read("timeAdded", taint.TimeAdded)
		}
	}
	return n, ts.err
}

func (r *Reader) eventTimes(raw []byte) (e EventTimes, err error) {
	var o timedEvent
	if err := r.decode(raw, timedEventFields, &o); err != nil {
		return e, err
	}
	about := o.InvolvedObject
	if about.Kind == "" {
		about = o.Regarding
	}
	source := o.Source
	if source.Component == "" {
		source = o.DeprecatedSource
	}
	e = EventTimes{
		Kind: about.Kind, Namespace: about.Namespace, Name: about.Name, UID: about.UID, Reason: o.Reason,
		Component: cmp.Or(source.Component, o.ReportingComponent, o.ReportingController),
		Host:      cmp.Or(source.Host, o.ReportingInstance),
	}
	for _, text := range []string{e.Kind, e.Namespace, e.Name, e.UID, e.Reason, e.Component, e.Host} {
		if err := checkText("object, reason or source", text, maxName); err != nil {
			return e, err
		}
	}
	var ts stamps
	e.First = ts.read("firstTimestamp", cmp.Or(o.FirstTimestamp, o.DeprecatedFirstTimestamp, o.EventTime))
	e.Last = ts.read("lastTimestamp", cmp.Or(o.LastTimestamp, o.DeprecatedLastTimestamp))
	e.Last = later(e.Last, ts.read("lastObservedTime", o.Series.LastObservedTime))
	if e.Last.Before(e.First) {
		e.Last = e.First
	}
	return e, ts.err
}

// stamps reads the times of one object, and keeps the first fault.
type stamps struct{ err error }

func (s *stamps) read(key, text string) time.Time {
	if text == "" || s.err != nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		s.err = fmt.Errorf("its %s %q is no time; one looks like 2026-11-30T12:00:00Z", key, shorten(text, 40))
	}
	return at
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
