package calibrate

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func aPod(scheduled, ready string) string {
	return fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"p","namespace":"x","uid":"u"},"status":{"conditions":[
		{"type":"PodScheduled","status":"True","lastTransitionTime":%s},{"type":"Ready","status":"True","lastTransitionTime":%s}]}}`, scheduled, ready)
}

const noon = `"2026-11-30T12:00:00Z"`

// Of bad times it is said which object in which file has them; they never count.
func TestBadTimes(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"none":            {aPod("null", noon), "has no time of PodScheduled; Pod/x/p in f1"},
		"empty":           {aPod(`""`, noon), "has no time of PodScheduled; Pod/x/p in f1"},
		"wrong order":     {aPod(noon, `"2026-11-30T11:59:00Z"`), "ends before it begins; Pod/x/p in f1"},
		"far future":      {aPod(noon, `"9999-12-31T23:59:59Z"`), "takes longer than 1h0m0s, so it waited for something else; Pod/x/p in f1"},
		"far past":        {aPod(`"0001-01-01T00:00:01Z"`, noon), "takes longer than 1h0m0s, so it waited for something else; Pod/x/p in f1"},
		"no time":         {aPod(`"yesterday"`, noon), `f1: Pod x/p is not understood: its lastTransitionTime "yesterday" is no time; one looks like 2026-11-30T12:00:00Z; it is left out.`},
		"a number":        {aPod("17", noon), "f1: Pod x/p is not understood: status.conditions.lastTransitionTime is a number; it is left out."},
		"NaN":             {aPod("NaN", noon), "f1: Pod x/p is not understood: invalid character 'N' looking for beginning of value; it is left out."},
		"year too large":  {aPod(`"20260-11-30T12:00:00Z"`, noon), "is no time"},
		"node":            {`{"kind":"Node","metadata":{"name":"n","creationTimestamp":"2026-11-30T12:00:00Z"},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-30T11:00:00Z"}]}}`, "ends before it begins; Node/n in f1"},
		"stop":            {`{"kind":"Pod","metadata":{"name":"p","namespace":"x","deletionTimestamp":"2026-11-30T12:00:30Z","deletionGracePeriodSeconds":30},"status":{"containerStatuses":[{"state":{"terminated":{"finishedAt":"2026-11-30T11:00:00Z"}}}]}}`, "had ended before it was deleted; Pod/x/p in f1"},
		"negative grace":  {`{"kind":"Pod","metadata":{"name":"p","namespace":"x","deletionTimestamp":"2026-11-30T12:00:30Z","deletionGracePeriodSeconds":-9000000000000000000},"status":{"containerStatuses":[{"state":{"terminated":{"finishedAt":"2026-11-30T11:00:00Z"}}}]}}`, "had ended before it was deleted; Pod/x/p in f1"},
		"recording order": {`{"events":[{"t":9,"type":"pod.scheduled","pod":"a","app":"w"},{"t":3,"type":"pod.ready","pod":"a","app":"w"}]}`, "ends before it begins; Pod/a in f1"},
		"recording years": {`{"events":[{"t":0,"type":"pod.scheduled","pod":"a"},{"t":1e11,"type":"pod.ready","pod":"a"}]}`, "takes longer than 1h0m0s, so it waited for something else; Pod/a in f1"},
	} {
		out := calibrated(t, tc.text)
		got := ""
		for _, l := range out.LeftOut {
			got += l.Why + "; " + l.Example
		}
		for _, n := range out.Notes {
			got += n.Message
		}
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		if len(out.Estimates) > 0 {
			t.Errorf("%s: %v", name, rows(out.Estimates))
		}
	}
}

// An input that is none, or not whole, is an error that names it and says what would be right.
func TestBadInputs(t *testing.T) {
	whole := upgradeFile(t)
	packed := gz(whole)
	for name, tc := range map[string]struct{ text, want string }{
		"empty":            {"", "f: no Kubernetes object in it; expected the output of `kubectl get pods,nodes,events -A -o json` (or -o yaml)"},
		"cut off":          {whole[:len(whole)/2], "the input ends in the middle of an object, at byte "},
		"scenario":         {"apiVersion: upsim/v1\nkind: Scenario\n", "f: this is a scenario; expected the output of `kubectl get pods,nodes,events -A -o json`"},
		"table":            {"NAME    READY   STATUS\nweb-1   1/1     Running\n", "expected the output of `kubectl get pods,nodes,events -A -o json`"},
		"kubectl failed":   {"error: You must be logged in to the server (Unauthorized)\n", `f: kubectl failed ("error: You must be logged in`},
		"nothing":          {"No resources found\n", "f: kubectl found nothing"},
		"binary":           {"\x7fELF\x00\x00", "f: this is a binary file"},
		"half a gzip":      {packed[:len(packed)/2], "f: the gzip file is cut off or damaged; copy it again"},
		"gzip in gzip":     {gz(packed), "f: this is gzip; unpack it first"},
		"bad gzip":         {"\x1f\x8bxxxxxxxxxxxxxxxxxx", "f: gzip: invalid header"},
		"mostly wrong":     {strings.Repeat(`{"kind":"Pod","metadata":{"name":"p","namespace":"x","creationTimestamp":"x"}}`, 5), "f: 5 of 5 Pods are not understood, too many to leave out"},
		"recording cut":    {`{"kubernetes":"v1","events":[{"t":1,"type":"pod.ready"},{"t":`, "f: the recording ends in the middle, at byte "},
		"recording open":   {`{"events":[{"t":1,"type":"x"}]`, "f: the recording ends in the middle, at byte "},
		"recording NaN":    {`{"events":[{"t":NaN}]}`, "f: byte 11 (events, event 1): invalid character 'N'"},
		"recording no t":   {`{"events":[{"type":"pod.ready"}]}`, "f: events, event 1: t must be the milliseconds since the upgrade began, as a number"},
		"recording text":   {`{"events":[{"t":1},{"t":"1"}]}`, "f: events, event 2: t is a string"},
		"recording far":    {`{"events":[{"t":1e300}]}`, "f: events, event 1: t must be the milliseconds"},
		"recording huge":   {`{"events":[{"t":1e999}]}`, "f: events, event 1: t is a number 1e999"},
		"recording list":   {`{"events":{}}`, "f: events, event 1: it is no list"},
		"recording string": {`{"events":["x"]}`, "f: events, event 1: "},
		"no events":        {`{"kubernetes":"v1","summary":{}}`, "f: the recording has no events; what is needed is its key `events`"},
		"long value":       {`{"events":[{"t":1,"type":"` + strings.Repeat("x", mostEvent+1<<20) + `"}]}`, "f: events, event 1: one value is larger than 16 MiB"},
		"long skipped":     {`{"summary":{"a":"` + strings.Repeat("x", mostEvent+1<<20) + `"},"events":[]}`, "one value is larger than 16 MiB"},
	} {
		c := NewCollector()
		err := c.Add("f", strings.NewReader(tc.text))
		if err == nil {
			_, err = c.Calibrate()
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	broken := errors.New("the disk is on fire")
	for _, head := range []string{"", `{"kind":"List","items":[`, `{"events":[`} {
		if err := NewCollector().Add("f", io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("after %q: %v", head, err)
		}
	}
}

func gz(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

// A watch is stopped by hand, and there is no second one of an upgrade that is over.
func TestWatchStoppedInTheMiddle(t *testing.T) {
	pod := `{"type":"MODIFIED","object":` + aPod(noon, `"2026-11-30T12:00:09Z"`) + "}\n"
	out := calibrated(t, pod+pod[:len(pod)/2])
	if got := rows(out.Estimates); len(got) != 1 || got[0] != "startup 1 9s-9s -" {
		t.Errorf("%v", got)
	}
	if len(out.Notes) != 1 || out.Notes[0].Message != "f1: an object is not understood: the watch was stopped in the middle of it, at line 4; it is left out." {
		t.Errorf("%v", out.Notes)
	}
}

// A file of events alone tells of nodes, and says what of pods is missing.
func TestEventsOnly(t *testing.T) {
	var events []string
	for _, line := range strings.Split(upgradeFile(t), "\n") {
		if strings.Contains(line, `"kind": "Event"`) {
			events = append(events, strings.TrimSuffix(line, ","))
		}
	}
	out := calibrated(t, `{"kind":"List","items":[`+strings.Join(events, ",")+`]}`)
	if got := rows(out.Estimates); len(got) != 1 || got[0] != "nodeUpgrade 3 4m30s-4m40s constant 4m35s used" {
		t.Errorf("%v", got)
	}
	texts := map[Quantity]string{}
	for _, m := range out.Missing {
		texts[m.Quantity] = m.Why
	}
	if texts[Startup] != "no pod tells its start" || texts[Shutdown] != "5 pods stopped, and nothing tells when they were gone" {
		t.Errorf("missing %v", out.Missing)
	}
}

// endless is a list with a thousand of one object over and over, each time with another number for #, made while it is read.
type endless struct {
	head, body, tail string
	thousands, done  int
	now              string
	heap             uint64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.now == "" {
		if e.done > e.thousands {
			return 0, io.EOF
		}
		e.now = strings.Repeat(strings.ReplaceAll(e.body, "#", fmt.Sprint(e.done))+",", 1000)
		if e.done == e.thousands {
			e.now = e.tail
		}
		if e.done == 0 {
			e.now = e.head + e.now
		}
		if e.done++; e.done%100 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			e.heap = max(e.heap, m.HeapAlloc)
		}
	}
	n := copy(p, e.now)
	e.now = e.now[n:]
	return n, nil
}

// A million events of which nothing is to be learned, many of one pod, and a long recording take no memory.
func TestMillionEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("a million events take seconds")
	}
	const list, end = `{"kind":"List","items":[`, `{"kind":"Secret"}]}`
	for _, in := range []*endless{
		{thousands: 1000, head: list, tail: end, body: `{"kind":"Event","metadata":{"name":"e#"},"involvedObject":{"kind":"Pod","name":"p#","uid":"u#"},"reason":"Pulled","firstTimestamp":"2026-11-30T12:00:00Z"}`},
		{thousands: 200, head: list, tail: end, body: `{"kind":"Event","metadata":{"name":"e#"},"involvedObject":{"kind":"Pod","name":"p","uid":"u"},"reason":"Killing","firstTimestamp":"2026-11-30T12:00:00Z"}`},
		{thousands: 200, head: `{"events":[`, tail: `{"t":0}]}`, body: `{"t":#,"type":"pdb.status","pdb":"web","currentHealthy":3}`},
	} {
		c := NewCollector()
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		if err := c.Add("f", in); err != nil {
			t.Fatal(err)
		}
		if got := c.inputs[0].Events; got < 1000*in.thousands {
			t.Errorf("%d events", c.inputs[0].Events)
		}
		if used := int64(in.heap) - int64(m.HeapAlloc); used > 10<<20 {
			t.Errorf("%d MB held", used>>20)
		}
	}
}

func FuzzAdd(f *testing.F) {
	for _, seed := range []string{
		aPod(noon, noon), gz(aPod(noon, noon)), `{"type":"DELETED","object":` + aPod(noon, noon) + `}`,
		nodeEvents("10:00:00 NodeNotSchedulable", "10:01:00 NodeNotReady", "10:05:00 NodeReady", "10:05:03 NodeSchedulable"),
		`{"kubernetes":"v1","summary":{"a":[1]},"events":[{"t":0,"type":"pod.created","pod":"b","app":"w","owner":"ReplicaSet/w-1"},{"t":1,"type":"pod.scheduled","pod":"b","app":"w"},{"t":2,"type":"pod.ready","pod":"b"},
		{"t":3,"type":"audit.evict","pod":"b","code":201},{"t":4,"type":"pod.terminating","pod":"b"},{"t":5,"type":"pod.deleted","pod":"b"},{"t":6,"type":"node.cordoned","node":"n"},
		{"t":7,"type":"node.taints","node":"n","taints":["node.kubernetes.io/unschedulable:NoSchedule"]},{"t":8,"type":"upgrade.start","node":"n"},{"t":9,"type":"upgrade.end","node":"n"}]}`,
		"apiVersion: v1\nkind: Event\ninvolvedObject: {kind: Node, name: n}\nreason: Starting\nfirstTimestamp: 2026-11-30T12:00:00Z\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := NewCollector()
		if err := c.Add("f", bytes.NewReader(data)); err != nil {
			return
		}
		out, err := c.Calibrate()
		if err != nil {
			return
		}
		for _, e := range out.Estimates {
			if e.N < 1 || e.Min < 0 || e.Min > e.Median || e.Median > e.Max || e.Use && e.Fit == nil {
				t.Errorf("%+v", e)
			}
		}
	})
}
