package calibrate

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// podsOn are pods of a Deployment on a node, each bound and Ready so many seconds later, by the kubelet's clock.
func podsOn(node, owner string, later ...int) []object {
	var list []object
	for i, d := range later {
		name := fmt.Sprintf("%s-%s-%d", owner, node, i)
		list = append(list, seenPod{name: name, uid: name, owner: "Deployment/" + owner, node: node, bound: 1000 + 10*i, ready: 1000 + 10*i + d}.object())
	}
	return list
}

func together(lists ...[]object) (all []object) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// Where a kubelet's clock is not the control plane's, what is left after the
// times below zero is not right either: a clock 20 s behind shows starts of 10 to 29 s as -10 to 9 s.
func TestClocksThatDisagree(t *testing.T) {
	var shifted, right []int
	for i := range 20 {
		shifted = append(shifted, i-10)
		right = append(right, 12)
	}
	stops := func(node string, shift, n int) (list []object) {
		for i := range n {
			name := fmt.Sprintf("web-%s-s%d", node, i)
			list = append(list, seenPod{name: name, uid: name, owner: "Deployment/web", node: node, bound: 1, ready: 13, gone: 2000, stopped: 2005 + shift}.object())
		}
		return list
	}
	twoSeconds := []int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}
	for name, tc := range map[string]struct {
		objects []object
		want    []string
	}{
		"the only node": {podsOn("n1", "web", shifted...), []string{
			"startup left 10: ends before it begins", "startup left 10: is of a node whose clock is behind the control plane's"}},
		"what looks right on it": {together(podsOn("n1", "web", -10, -10, -10), podsOn("n1", "api", 20, 20, 20)), []string{
			"startup left 3: ends before it begins", "startup left 3: is of a node whose clock is behind the control plane's"}},
		"one node of many": {together(podsOn("n1", "web", -10, 3), podsOn("n2", "web", right...)), []string{
			"startup 20 12s-12s constant 12s used",
			"startup left 1: ends before it begins", "startup left 1: is of a node whose clock is behind the control plane's"}},
		"every second node": {together(podsOn("n1", "web", -10, -9, -8), podsOn("n2", "web", 12, 12, 12)), []string{
			"startup left 3: ends before it begins",
			"startup left 3: is as doubtful as the others: the clocks do not agree for more than a tenth of the times"}},
		"within a second, often": {podsOn("n1", "web", -1, 0, 0, -1, 0), []string{
			"startup left 3: is as doubtful as the others: the clocks do not agree for more than a tenth of the times",
			"startup left 2: ends before it begins"}},
		"within a second, once": {podsOn("n1", "web", append(twoSeconds, -1)...), []string{
			"startup 13 2s-2s constant 2s used", "startup left 1: ends before it begins"}},
		"stops": {together(podsOn("n1", "web", right...), stops("n1", -20, 9), stops("n2", 0, 9)), []string{
			"startup 38 12s-12s constant 12s used",
			"shutdown left 9: had ended before it was deleted",
			"shutdown left 9: is as doubtful as the others: the clocks do not agree for more than a tenth of the times"}},
		"started before it was bound": {together([]object{
			seenPod{name: "x", uid: "x", owner: "DaemonSet/x", node: "n1", bound: 500, started: 490, ready: 0}.object()}, podsOn("n1", "web", 5, 5, 5)), []string{
			"startup left 3: is of a node whose clock is behind the control plane's", "startup left 1: is not Ready"}},
		"a static pod is bound by its kubelet": {together([]object{
			seenPod{name: "p-n1", uid: "x", owner: "Static/", node: "n1", bound: 500, started: 490, ready: 495}.object()}, podsOn("n1", "web", 5, 5, 5)), []string{
			"startup 3 5s-5s constant 5s used"}},
	} {
		if diff := cmp.Diff(tc.want, tells(calibrated(t, dump(tc.objects...)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What is distrusted stays at its default, and the reason is told.
func TestClocksAreMissing(t *testing.T) {
	for _, m := range calibrated(t, dump(podsOn("n1", "web", -10, 5, 5, 5)...)).Missing {
		if m.Quantity == Startup {
			if m.Why != "the clocks of the nodes and of the control plane do not agree" {
				t.Errorf("%+v", m)
			}
			return
		}
	}
	t.Error("startup is not missing")
}
