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
