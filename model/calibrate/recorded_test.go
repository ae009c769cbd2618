package calibrate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recordingOf puts events, written as "MILLISECONDS TYPE FIELDS", into a recording.
func recordingOf(events ...string) string {
	var list []string
	for _, e := range events {
		parts := strings.SplitN(e, " ", 3)
		list = append(list, fmt.Sprintf(`{"t":%s,"type":"%s",%s}`, parts[0], parts[1], parts[2]))
	}
	return `{"cluster":"test","kubernetes":"v1.34.4","summary":{"drains":{"n":{"seconds":1}}},"initialPods":[{"name":"old","events":[]}],"events":[` + strings.Join(list, ",") + `]}`
}

// times are the quantities with what was measured of them.
func times(t *testing.T, text string) map[Quantity][]time.Duration {
	t.Helper()
	c := NewCollector()
	if err := c.Add("f", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	out := map[Quantity][]time.Duration{}
	for q, s := range c.series {
		out[q] = s.values(s.subjects())
	}
	return out
}

// One node goes the whole way, each time worked out by hand: what kubeletLag
// (15 ms) and apiLatency (9 ms) add is taken off.
func TestRecordingByHand(t *testing.T) {
	const ms = time.Millisecond
	got := times(t, recordingOf(
		`100 node.cordoned "node":"n"`,
		`112 node.taints "node":"n","taints":["node.kubernetes.io/unschedulable:NoSchedule"]`,
		`200 audit.evict "pod":"old","code":429`,
		`5200 audit.evict "pod":"old","code":201`,
		`5225 pod.terminating "pod":"old","app":"web","node":"n"`,
		`5233 pod.created "pod":"new","app":"web","owner":"ReplicaSet/web-5d9"`,
		`5240 pod.scheduled "pod":"new","app":"web","node":"m"`,
		`7740 pod.deleted "pod":"old","app":"web","node":"n"`,
		`8000 upgrade.start "node":"n"`,
		`12255 pod.ready "pod":"new","app":"web","node":"m"`,
		`13010 upgrade.end "node":"n"`,
		`14000 provision.start "node":"x"`,
		`22030 node.ready "node":"x","status":"True"`,
		`30000 node.ready "node":"x","status":"True"`, // a second time: of no provisioning
		`31000 pod.ready "pod":"new","app":"web","node":"m"`,
	))
	want := map[Quantity][]time.Duration{
		TaintLag:          {12 * ms},
		DeletionLag:       {16 * ms},
		ControllerLatency: {8 * ms},
		SchedulerLatency:  {7 * ms},
		Shutdown:          {2500 * ms},
		Startup:           {7000 * ms},
		NodeUpgrade:       {5010 * ms},
		NodeProvision:     {8030 * ms},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A latency is that of what is under way alone; a pod that waited for room, or
// whose node was removed under it, tells none.
func TestRecordingLeavesQueuesOut(t *testing.T) {
	const ms = time.Millisecond
	got := times(t, recordingOf(
		`0 audit.evict "pod":"a","code":201`,
		`1 audit.evict "pod":"b","code":201`,
		`10 pod.terminating "pod":"a","app":"web"`,
		`12 pod.terminating "pod":"b","app":"web"`,
		`15 pod.created "pod":"a2","app":"web","owner":"ReplicaSet/web-1"`,
		`16 pod.created "pod":"b2","app":"web","owner":"ReplicaSet/web-1"`,
		`20 pod.scheduled "pod":"a2","app":"web"`,
		`29 pod.scheduled "pod":"b2","app":"web"`,
		`5000 pod.created "pod":"c","app":"late","owner":"ReplicaSet/late-1"`,
		`5001 pod.unschedulable "pod":"c","app":"late"`,
		`5100 pod.scheduled "pod":"c","app":"late"`,
		`6000 node.removed "node":"gone"`,
		`6001 pod.terminating "pod":"d","app":"agent","node":"gone"`,
		`6002 pod.deleted "pod":"d","app":"agent","node":"gone"`,
		// The taint is seen before the cordon; a StatefulSet's next pod comes when the old one is gone.
		`7000 node.taints "node":"n","taints":["node.kubernetes.io/unschedulable:NoSchedule"]`,
		`7003 node.cordoned "node":"n"`,
		`8000 pod.terminating "pod":"db-0","app":"db"`,
		`9000 pod.deleted "pod":"db-0","app":"db"`,
		`9004 pod.created "pod":"db-0","app":"db","owner":"StatefulSet/db"`,
	))
	want := map[Quantity][]time.Duration{
		DeletionLag:       {1 * ms},         // of a
		ControllerLatency: {4 * ms, 5 * ms}, // of db-0 and of a2
		SchedulerLatency:  {5 * ms},
		Shutdown:          {985 * ms},
		TaintLag:          {0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A pod is told by its namespace too, and its workload by its kind. Without a namespace an event is of the only pod of that name.
func TestRecordingOfNamesakes(t *testing.T) {
	var events []string
	for i := range 4 {
		start := 100000 * i
		for _, e := range []struct {
			t    int
			text string
		}{
			{0, `pod.created "pod":"db-0","namespace":"a","app":"db","owner":"StatefulSet/db"`},
			{10, `pod.created "pod":"db-0","namespace":"b","app":"db","owner":"StatefulSet/db"`},
			{20, `pod.scheduled "pod":"db-0","namespace":"a"`},
			{1000, `pod.scheduled "pod":"db-0","namespace":"b"`},
			{10035, `pod.ready "pod":"db-0","namespace":"a"`},
			{41015, `pod.ready "pod":"db-0","namespace":"b"`},
			{50000, `pod.terminating "pod":"db-0","namespace":"a"`},
			{51000, `pod.terminating "pod":"db-0","namespace":"b"`},
			{55015, `pod.deleted "pod":"db-0","namespace":"a"`},
			{71015, `pod.deleted "pod":"db-0"`}, // of b, since that of a is gone
		} {
			events = append(events, fmt.Sprintf("%d %s", start+e.t, e.text))
		}
	}
	var got []string
	for _, row := range rows(calibrated(t, recordingOf(events...)).Estimates) {
		if strings.HasPrefix(row, string(Startup)) || strings.HasPrefix(row, string(Shutdown)) {
			got = append(got, row)
		}
	}
	want := []string{"startup a/db 4 10s-10s constant 10s used", "startup b/db 4 40s-40s constant 40s used",
		"shutdown a/db 4 5s-5s constant 5s used", "shutdown b/db 4 20s-20s constant 20s used"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of two pods of a name an event without a namespace may be of either, and ends no time of any.
func TestRecordingThatDoesNotTellWhich(t *testing.T) {
	got := times(t, recordingOf(
		`0 pod.scheduled "pod":"db-0","namespace":"a","app":"db"`,
		`10 pod.scheduled "pod":"db-0","namespace":"b","app":"db"`,
		`5000 pod.ready "pod":"db-0"`,
		`6000 pod.ready "pod":"db-0","namespace":"b","app":"db"`,
	))
	if len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// A recording that is given twice, or once more in a longer one, counts once.
func TestRecordingGivenTwice(t *testing.T) {
	events := []string{
		`0 pod.scheduled "pod":"web-1","app":"web"`, `7015 pod.ready "pod":"web-1","app":"web"`,
		`8000 pod.scheduled "pod":"web-2","app":"web"`, `15016 pod.ready "pod":"web-2","app":"web"`,
		`16000 pod.scheduled "pod":"web-3","app":"web"`, `23017 pod.ready "pod":"web-3","app":"web"`,
		`24000 pod.scheduled "pod":"web-4","app":"web"`, `31018 pod.ready "pod":"web-4","app":"web"`,
	}
	whole, half := recordingOf(events...), recordingOf(events[:4]...)
	// Another upgrade in which the same pods take as long is another one.
	other := recordingOf(`1 pod.scheduled "pod":"web-1","app":"web"`, `7016 pod.ready "pod":"web-1","app":"web"`)
	for name, tc := range map[string]struct {
		texts []string
		n     int
	}{
		"once": {[]string{whole}, 4}, "twice": {[]string{whole, whole}, 4}, "packed": {[]string{whole, gz(whole), whole}, 4},
		"half and whole": {[]string{half, whole}, 4}, "whole and half": {[]string{whole, half}, 4}, "another": {[]string{whole, other}, 5},
	} {
		out := calibrated(t, tc.texts...)
		if len(out.Estimates) != 1 || out.Estimates[0].N != tc.n {
			t.Errorf("%s: %v", name, rows(out.Estimates))
		}
		if twice := len(tc.texts) > 1 && name != "another"; twice != (len(out.LeftOut) == 1 && out.LeftOut[0].Why == "is in another recording already") {
			t.Errorf("%s: left out %v", name, out.LeftOut)
		}
	}
}
