package calibrate

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pods are as many pods of an owner as there are times, Ready so many seconds after they were bound.
func pods(owner, name string, later ...int) (list []object) {
	for i, d := range later {
		p := seenPod{name: fmt.Sprintf("%s%d", name, i), owner: owner, node: "n1", bound: 1000 + 10*i, ready: 1000 + 10*i + d}
		p.uid = p.name
		list = append(list, p.object())
	}
	return list
}

// What is a workload's own stays out of the value for the others, though it be too little for a value of its own.
func TestOwnTimesStayTheWorkloads(t *testing.T) {
	six := []int{7, 7, 7, 7, 7, 7}
	for name, tc := range map[string]struct {
		objects []object
		want    []string
	}{
		"two workloads": {together(pods("Deployment/web", "web", six...), pods("Deployment/api", "api", 40, 40, 40)), []string{
			"startup shop/api 3 40s-40s constant 40s used", "startup shop/web 6 7s-7s constant 7s used"}},
		"of which one has a pair": {together(pods("Deployment/web", "web", six...), pods("StatefulSet/db", "db-", 30, 30)), []string{
			"startup shop/db 2 30s-30s constant 30s used", "startup shop/web 6 7s-7s constant 7s used"}},
		"of which one has a coarse pair": {together(pods("Deployment/web", "web", six...), pods("StatefulSet/db", "db-", 3, 3)), []string{
			"startup shop/db 2 3s-3s -", "startup shop/web 6 7s-7s constant 7s used"}},
		"of which one has one": {together(pods("Deployment/web", "web", six...), pods("Deployment/api", "api", six...), pods("StatefulSet/db", "db-", 30)), []string{
			"startup 12 7s-7s constant 7s used", "startup shop/api 6 7s-7s constant 7s",
			"startup shop/db 1 30s-30s -", "startup shop/web 6 7s-7s constant 7s"}},
		"two of each sort": {together(pods("Deployment/a", "a", 10, 10, 10), pods("Deployment/b", "b", 40, 40, 40),
			pods("Deployment/c", "c", 10, 10, 10), pods("Deployment/d", "d", 40, 40, 40)), []string{
			"startup shop/a 3 10s-10s constant 10s used", "startup shop/b 3 40s-40s constant 40s used",
			"startup shop/c 3 10s-10s constant 10s used", "startup shop/d 3 40s-40s constant 40s used"}},
		"all alike": {together(pods("Deployment/a", "a", 10, 10, 10), pods("Deployment/b", "b", 10, 11, 10), pods("Deployment/c", "c", 10)), []string{
			"startup 7 10s-11s constant 10.1s used", "startup shop/a 3 10s-10s constant 10s",
			"startup shop/b 3 10s-11s constant 10.3s", "startup shop/c 1 10s-10s -"}},
		"one pod each": {together(pods("Deployment/a", "a", 10), pods("Deployment/b", "b", 20), pods("Deployment/c", "c", 30),
			pods("Deployment/d", "d", 40), pods("Deployment/e", "e", 50)), []string{
			"startup 5 10s-50s [10s 20s 30s 40s 50s] used", "startup shop/a 1 10s-10s -", "startup shop/b 1 20s-20s -",
			"startup shop/c 1 30s-30s -", "startup shop/d 1 40s-40s -", "startup shop/e 1 50s-50s -"}},
		"the runs of a CronJob": {together(pods("Deployment/web", "web", 10, 10, 10), pods("Job/bk-28000000", "x", 40), pods("Job/bk-28000001", "y", 40),
			pods("Job/bk-28000002", "z", 41)), []string{
			"startup shop/bk (CronJob) 3 40s-41s constant 40.3s", "startup shop/web 3 10s-10s constant 10s used"}},
		"only those": {together(pods("Job/bk-28000000", "x", 40), pods("Job/bk-28000001", "y", 40), pods("Job/bk-28000002", "z", 40)), []string{
			"startup shop/bk (CronJob) 3 40s-40s constant 40s"}},
		"a Job of a date": {pods("Job/load-20261130", "x", 40, 40, 40), []string{"startup 3 40s-40s constant 40s used"}},
		"two kinds of one name": {together(pods("Deployment/web", "web", 10, 10, 10, 10), pods("StatefulSet/web", "web-", 40, 40, 40, 40)), []string{
			"startup shop/web (Deployment) 4 10s-10s constant 10s", "startup shop/web (StatefulSet) 4 40s-40s constant 40s"}},
	} {
		if diff := cmp.Diff(tc.want, rows(calibrated(t, dump(tc.objects...)).Estimates)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A recording tells a pod's kind when it is created: before that it is the only one of its name, and with two it is nobody's.
func TestKindToldLater(t *testing.T) {
	stop := func(pod string, t int) []string {
		return []string{fmt.Sprintf(`%d pod.terminating "pod":"%s","app":"web"`, t, pod), fmt.Sprintf(`%d pod.deleted "pod":"%s","app":"web"`, t+2015, pod)}
	}
	create := func(pod, owner string, t int) string {
		return fmt.Sprintf(`%d pod.created "pod":"%s","app":"web","owner":"%s"`, t, pod, owner)
	}
	events := append(append(stop("old-1", 0), stop("old-2", 10000)...), create("new", "ReplicaSet/web-1", 20000))
	events = append(events, stop("new", 30000)...)
	if diff := cmp.Diff([]string{"shutdown 3 2s-2s constant 2s used"}, tells(calibrated(t, recordingOf(events...)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	events = append(append(events, create("web-0", "StatefulSet/web", 40000)), stop("web-0", 50000)...)
	want := []string{"shutdown 2 2s-2s constant 2s used", "shutdown default/web (Deployment) 1 2s-2s -", "shutdown default/web (StatefulSet) 1 2s-2s -",
		"shutdown left 2: does not tell the kind of its workload, and there are several of that name"}
	if diff := cmp.Diff(want, tells(calibrated(t, recordingOf(events...)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A snapshot names the Deployment, and a recording its ReplicaSet.
	both := calibrated(t, recordingOf(create("x", "ReplicaSet/web-1", 0), `1000 pod.scheduled "pod":"x","app":"web"`, `41015 pod.ready "pod":"x","app":"web"`),
		`{"kind":"Pod","metadata":{"name":"web-5d9-a","namespace":"default","labels":{"pod-template-hash":"5d9"},"ownerReferences":[{"kind":"ReplicaSet","name":"web-5d9","apiVersion":"apps/v1","controller":true}]},
		"status":{"conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-11-30T12:00:00Z"},{"type":"Ready","status":"True","lastTransitionTime":"2026-11-30T12:00:40Z"}]}}`)
	if e := both.Estimates[0]; e.N != 2 || e.From[0] != (Subject{Namespace: "default", Name: "web"}) {
		t.Errorf("%+v", e)
	}
}

// A static pod starts and stops with its kubelet, as no pod of a scenario does.
func TestStaticPodsTellNothing(t *testing.T) {
	var list []object
	for i := range 3 {
		p := seenPod{name: fmt.Sprintf("proxy%d-n1", i), owner: "Static/", node: "n1", bound: 1000, ready: 1010, gone: 2000 + i, stopped: 2009 + i}
		p.uid = p.name
		list = append(list, p.object())
	}
	if got := tells(calibrated(t, dump(list...))); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// A pod that was stopped by a second deletion is told by the first, and a
// container's earlier end is none of the pod's, in whatever order the snapshots are given.
func TestStopInAnyOrder(t *testing.T) {
	p := seenPod{name: "web-a", uid: "a", owner: "Deployment/web", node: "n1", bound: 1000, stopped: 1500}
	crashed := dump(p.object())
	p.gone, p.stopped = 2000, 0
	first := dump(p.object())
	p.gone, p.stopped = 2005, 2012
	second := dump(p.object())
	for name, texts := range map[string][]string{"forth": {crashed, first, second}, "back": {second, first, crashed}} {
		if diff := cmp.Diff([]string{"shutdown 1 12s-12s -"}, tells(calibrated(t, texts...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Pools whose nodes take other times are told apart, since a scenario has one value for all.
func TestPoolsThatDiffer(t *testing.T) {
	pool := func(name string, took int) (list []object) {
		for i := range 3 {
			node, start := fmt.Sprintf("%s-%d", name, i), 1000+3000*i
			list = append(list, seenNodeObject(node, name, 1, start+took), nodeEventObject(node, "NodeNotSchedulable", start),
				nodeEventObject(node, "Starting", start+took-5), nodeEventObject(node, "NodeReady", start+took))
		}
		return list
	}
	for took, want := range map[int]bool{600: true, 121: false} {
		for _, e := range calibrated(t, dump(together(pool("small", 120), pool("big", took))...)).Estimates {
			if e.Quantity == NodeUpgrade && e.Of.Pool != "" && (e.Apart != want || e.N != 3 || e.Use) {
				t.Errorf("%d s: %+v", took, e)
			}
		}
	}
}
