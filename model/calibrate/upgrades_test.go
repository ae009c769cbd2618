package calibrate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// upgraded are the events of a node that is cordoned at 1000, away at 1265, Ready at 1310 and uncordoned at 1330.
func upgraded(node string, more ...object) []object {
	return append(more, nodeEventObject(node, "NodeNotSchedulable", 1000), nodeEventObject(node, "NodeNotReady", 1265), nodeEventObject(node, "Starting", 1300),
		nodeEventObject(node, "NodeReady", 1310), nodeEventObject(node, "NodeSchedulable", 1330))
}

// The drain ends with the last pod that it evicts: a reboot stops those of
// DaemonSets too, whose successors have other names, and a container that only restarts is no stop.
func TestEndOfDrain(t *testing.T) {
	const either = "nodeUpgrade left 1: stopped pods of unknown workloads just before it was away, for the drain or for a reboot; a snapshot with their DaemonSets' pods tells"
	web := seenPod{name: "web-5d4f8c7b9d-new", uid: "w2", owner: "Deployment/web", node: "n2"}.object()
	agent := seenPod{name: "agent-zzzzz", uid: "a2", owner: "DaemonSet/agent", node: "n2"}.object()
	drained := killingObject("web-5d4f8c7b9d-old", "w1", "n", 1020, 1020)
	for name, tc := range map[string]struct {
		objects []object
		want    string
	}{
		"a DaemonSet's pod of the reboot": {[]object{web, agent, drained, killingObject("agent-aaaaa", "a1", "n", 1260, 1260)}, "nodeUpgrade 1 4m50s-4m50s -"},
		"the same pod": {[]object{web, drained, killingObject("agent-aaaaa", "a1", "n", 1260, 1260),
			seenPod{name: "agent-aaaaa", uid: "a1", owner: "DaemonSet/agent", node: "n"}.object()}, "nodeUpgrade 1 4m50s-4m50s -"},
		"a static pod of the reboot": {[]object{web, drained, killingObject("proxy-n", "p1", "n", 1260, 1260),
			seenPod{name: "proxy-n", uid: "p2", owner: "Static/", node: "n"}.object()}, "nodeUpgrade 1 4m50s-4m50s -"},
		"a drain that waited": {[]object{web, drained, killingObject("web-5d4f8c7b9d-late", "w3", "n", 1260, 1260)}, "nodeUpgrade 1 50s-50s -"},
		"nobody knows":        {[]object{drained, killingObject("agent-aaaaa", "a1", "n", 1260, 1260)}, either},
		"nobody knows of one": {[]object{killingObject("agent-aaaaa", "a1", "n", 1260, 1260)}, either},
		"known before unknown": {[]object{web, killingObject("web-5d4f8c7b9d-old", "w1", "n", 1240, 1240),
			killingObject("agent-aaaaa", "a1", "n", 1245, 1245)}, "nodeUpgrade 1 1m5s-1m5s -"},
		"only DaemonSets": {[]object{agent, killingObject("agent-aaaaa", "a1", "n", 1260, 1260)}, "nodeUpgrade 1 5m10s-5m10s -"},
		"two of one name": {[]object{agent, seenPod{name: "agent-0", uid: "s", owner: "StatefulSet/agent", node: "n2"}.object(), killingObject("agent-aaaaa", "a1", "n", 1260, 1260)}, either},
		"a container of a pod that lives on": {[]object{web, drained, killingObject("api-x", "x", "n", 1200, 1200),
			seenPod{name: "api-x", uid: "x", owner: "Deployment/api", node: "n", restarts: 1}.object()}, "nodeUpgrade 1 4m50s-4m50s -"},
		// Its container restarted at 900; what counts is the stop of the pod, a minute and more later.
		"a container of a pod that is drained later": {[]object{web, killingObject("web-5d4f8c7b9d-old", "w1", "n", 900, 1020)}, "nodeUpgrade 1 4m50s-4m50s -"},
		"two containers of a pod":                    {[]object{web, killingObject("web-5d4f8c7b9d-old", "w1", "n", 1020, 1050)}, "nodeUpgrade 1 4m50s-4m50s -"},
	} {
		var got []string
		for _, line := range tells(calibrated(t, dump(upgraded("n", tc.objects...)...))) {
			if strings.HasPrefix(line, "nodeUpgrade") {
				got = append(got, line)
			}
		}
		if diff := cmp.Diff([]string{tc.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A node that was back and stays cordoned is upgraded; what befalls it later is another matter.
func TestBackAndStillCordoned(t *testing.T) {
	for name, tc := range map[string]struct{ events, want string }{
		"flaps later":              {"12:00:00 NodeNotSchedulable,12:01:00 NodeNotReady,12:05:00 NodeReady,12:56:00 NodeNotReady,12:58:00 NodeReady,13:00:00 NodeSchedulable", "5m0s"},
		"reboots later":            {"12:00:00 NodeNotSchedulable,12:01:00 NodeNotReady,12:05:00 NodeReady,12:56:00 Rebooted,12:58:00 NodeReady,13:00:00 NodeSchedulable", "5m0s"},
		"is only seen Ready later": {"12:00:00 NodeNotSchedulable,12:01:00 NodeNotReady,12:05:00 NodeReady,12:58:00 NodeReady,13:00:00 NodeSchedulable", "5m0s"},
		"reboots twice":            {"12:00:00 NodeNotSchedulable,12:01:00 Rebooted,12:05:00 NodeReady,12:09:00 Rebooted,12:20:00 NodeReady,13:00:00 NodeSchedulable", "20m0s"},
		"is upgraded twice":        {"12:00:00 NodeNotSchedulable,12:01:00 NodeNotReady,12:05:00 NodeReady,12:06:00 NodeSchedulable,12:30:00 NodeNotSchedulable,12:31:00 NodeNotReady,12:36:00 NodeReady", "5m0s 6m0s"},
	} {
		got := ""
		for _, e := range calibrated(t, nodeEvents(strings.Split(tc.events, ",")...)).Estimates {
			got += e.Min.String()
			if e.N > 1 {
				got += " " + e.Max.String()
			}
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// A node may be deleted and register anew under its name. What is measured does not depend on the order of the files.
func TestNodeOfTheSameName(t *testing.T) {
	before := dump(append(podsOnAt("n1", "old", 100, 12), seenNodeObject("n1", "small", 10, 70))...)
	after := dump(append(podsOnAt("n1", "new", 5050, 50), seenNodeObject("n1", "big", 5000, 5090))...)
	later := dump(append(podsOnAt("n1", "late", 6000, 12), seenNodeObject("n1", "bigger", 5000, 5090))...) // with another label since
	cordon := dump(nodeEventObject("n1", "NodeNotSchedulable", 4000))
	want := []string{
		"startup 6 12s-12s constant 12s used", // of the old node and of the new one, once it was Ready
		"startup left 3: was bound before its node was Ready for the first time",
		"nodeUpgrade left 1: was cordoned, and another node has its name since",
	}
	files := []string{before, after, later, cordon}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}, {2, 3, 0, 1}, {0, 2, 1, 3}} {
		var texts []string
		for _, i := range order {
			texts = append(texts, files[i])
		}
		out := calibrated(t, texts...)
		got := tells(out)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", order, diff)
		}
		boots := []string{"nodeBoot 2 1m0s-1m30s -", "nodeBoot pool big 1 1m30s-1m30s -", "nodeBoot pool small 1 1m0s-1m0s -"}
		if diff := cmp.Diff(boots, rows(out.Estimates)[1:]); diff != "" {
			t.Errorf("%v (-want +got):\n%s", order, diff)
		}
	}
}

// podsOnAt are three pods on a node, bound at a time and Ready so much later.
func podsOnAt(node, suffix string, bound, later int) (list []object) {
	for _, name := range []string{"web-a", "web-b", "web-c"} {
		list = append(list, seenPod{name: name + suffix, uid: name + suffix, owner: "Deployment/web", node: node, bound: bound, ready: bound + later}.object())
	}
	return list
}
