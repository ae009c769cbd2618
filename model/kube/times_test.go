package kube

import (
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
)

type allTimes struct {
	Pods   []PodTimes
	Nodes  []NodeTimes
	Events []EventTimes
}

func readTimes(t *testing.T, text string) (got allTimes, notes []model.Finding) {
	t.Helper()
	r := TimesReader{
		Pod:   func(p PodTimes) { got.Pods = append(got.Pods, p) },
		Node:  func(n NodeTimes) { got.Nodes = append(got.Nodes, n) },
		Event: func(e EventTimes) { got.Events = append(got.Events, e) },
	}
	if err := r.Read("f", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	notes, err := r.Close()
	if err != nil {
		t.Fatal(err)
	}
	return got, notes
}

// What kubectl printed as JSON and as YAML tells the same times, of every pod and every node.
func TestTimesOfRealOutput(t *testing.T) {
	fromJSON, _ := readTimes(t, file(t, "small/all.json"))
	fromYAML, _ := readTimes(t, file(t, "small/all.yaml"))
	if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
		t.Errorf("(-json +yaml):\n%s", diff)
	}
	if len(fromJSON.Pods) != 23 || len(fromJSON.Nodes) != 6 {
		t.Errorf("%d pods, %d nodes", len(fromJSON.Pods), len(fromJSON.Nodes))
	}
	at := func(text string) time.Time {
		v, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	want := PodTimes{
		UID: "92d0e6b2-13c3-4729-98c8-ee0b98e3f43c", Namespace: "default", Name: "agent-5mm5r", Kind: model.DaemonSet, Workload: "agent",
		Created: at("2026-11-30T12:41:31Z"), Scheduled: at("2026-11-30T12:41:31Z"), Ready: at("2026-11-30T12:41:32Z"), Started: at("2026-11-30T12:41:31Z"),
	}
	for _, p := range fromJSON.Pods {
		if p.Name == want.Name {
			want.Node = p.Node
			if diff := cmp.Diff(want, p); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
}

// An Event is read of both API groups, from a list and by itself. That of a series lasts until it was last observed.
func TestTimesOfEvents(t *testing.T) {
	core := `{"kind":"Event","apiVersion":"v1","metadata":{"name":"e"},"involvedObject":{"kind":"Pod","namespace":"x","name":"p","uid":"u"},"reason":"Killing",` +
		`"source":{"component":"kubelet","host":"n1"},"firstTimestamp":"2026-11-30T12:00:00Z","lastTimestamp":"2026-11-30T12:00:05Z"}`
	newer := `{"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"e"},"regarding":{"kind":"Pod","namespace":"x","name":"p","uid":"u"},"reason":"Killing",` +
		`"deprecatedSource":{"component":"kubelet","host":"n1"},"deprecatedFirstTimestamp":"2026-11-30T12:00:00Z","deprecatedLastTimestamp":"2026-11-30T12:00:05Z"}`
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	want := []EventTimes{{Kind: "Pod", Namespace: "x", Name: "p", UID: "u", Reason: "Killing", Component: "kubelet", Host: "n1", First: noon, Last: noon.Add(5 * time.Second)}}
	typed := strings.Replace(core, `"kind":"Event","apiVersion":"v1",`, "", 1)
	for name, text := range map[string]string{
		"by itself": core, "in a list": `{"kind":"List","items":[` + core + `]}`, "in a typed list": `{"kind":"EventList","apiVersion":"v1","items":[` + typed + `]}`,
		"kind behind": `{"items":[` + typed + `],"kind":"EventList","apiVersion":"v1"}`, "newer": newer, "watched": `{"type":"ADDED","object":` + core + `}`,
	} {
		got, notes := readTimes(t, text)
		if diff := cmp.Diff(want, got.Events); diff != "" || len(notes) > 0 {
			t.Errorf("%s: notes %v (-want +got):\n%s", name, notes, diff)
		}
	}
	scheduled := `{"kind":"Event","involvedObject":{"kind":"Pod","name":"p"},"reason":"Scheduled","firstTimestamp":null,"lastTimestamp":null,"eventTime":"2026-11-30T12:00:00.250000Z","reportingComponent":"default-scheduler"}`
	got, _ := readTimes(t, scheduled)
	if e := got.Events[0]; !e.First.Equal(noon.Add(250*time.Millisecond)) || !e.Last.Equal(e.First) || e.Component != "default-scheduler" {
		t.Errorf("%+v", e)
	}
	series := `{"kind":"Event","apiVersion":"events.k8s.io/v1","regarding":{"kind":"Pod","name":"p"},"reason":"FailedScheduling","deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null,"eventTime":"2026-11-30T12:00:00.250000Z","series":{"count":3,"lastObservedTime":"2026-11-30T12:05:00.500000Z"}}`
	got, _ = readTimes(t, series)
	if e := got.Events[0]; !e.First.Equal(noon.Add(250*time.Millisecond)) || !e.Last.Equal(noon.Add(5*time.Minute+500*time.Millisecond)) {
		t.Errorf("a series: %+v", e)
	}
	other := `{"kind":"Event","apiVersion":"eventing.knative.dev/v1","metadata":{"name":"e"},"reason":"x"}`
	if got, _ := readTimes(t, other); len(got.Events) > 0 {
		t.Errorf("somebody else's Event: %+v", got.Events)
	}
}

// The time at which a pod was asked to go is that of its deletion less its grace; it has stopped once no container runs.
func TestTimesOfAPodThatGoes(t *testing.T) {
	text := func(second string) string {
		return `{"kind":"Pod","metadata":{"name":"p","namespace":"x","deletionTimestamp":"2026-11-30T12:00:30Z","deletionGracePeriodSeconds":30},"status":{
		"initContainerStatuses":[{"restartCount":1,"state":{"terminated":{"finishedAt":"2026-11-30T11:00:00Z"}}}],
		"containerStatuses":[{"restartCount":2,"state":{"terminated":{"finishedAt":"2026-11-30T12:00:04Z"}}},{"state":` + second + `}]}}`
	}
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	got, _ := readTimes(t, text(`{"terminated":{"finishedAt":"2026-11-30T12:00:09Z"}}`))
	if p := got.Pods[0]; !p.Asked.Equal(noon) || !p.Stopped.Equal(noon.Add(9*time.Second)) || p.Restarts != 3 || p.UID != "x/p/" {
		t.Errorf("%+v", p)
	}
	got, _ = readTimes(t, text(`{"running":{"startedAt":"2026-11-30T11:00:00Z"}}`))
	if p := got.Pods[0]; !p.Stopped.IsZero() {
		t.Errorf("one still runs: %+v", p)
	}
}

func TestTimesPassOverWhatIsNotAsked(t *testing.T) {
	f, err := os.Open("testdata/medium/all.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	nodes := 0
	r := TimesReader{Node: func(NodeTimes) { nodes++ }}
	if err := r.Read("f", io.Reader(z)); err != nil || nodes != 50 {
		t.Errorf("%d nodes, %v", nodes, err)
	}
}
