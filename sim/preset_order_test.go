package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// cordonOrder is the order in which a strategy takes twelve nodes in three zones in hand, each told at its own cordon.
func cordonOrder(t *testing.T, keys string, seed uint64) []string {
	t.Helper()
	var order []string
	runOf(t, pools(3, 12)+nodesBy(keys), Options{Audit: true, Seed: seed, Story: func(s Step) {
		if s.What == "drained" && !strings.Contains(s.Subject, "surge") {
			order = append(order, strings.TrimPrefix(s.Subject, "Node/a-"))
		}
	}})
	return order
}

// zoneOf is the zone of node number n of the pool, which lie in turn in z0, z1 and z2.
func zoneOf(n string) int {
	var k int
	fmt.Sscan(n, &k)
	return (k - 1) % 3
}

// GKE's older pages and the machine-config-operator go zone by zone; EKS and the system-upgrade-controller promise no order; kOps handles
// the detached instances, the last ones, at the end, and the others by name.
func TestPresetOrder(t *testing.T) {
	for _, name := range []string{"gke-surge", "openshift"} {
		order := cordonOrder(t, "strategy: "+name, 1)
		if len(order) != 12 || !slices.IsSortedFunc(order, func(a, b string) int { return zoneOf(a) - zoneOf(b) }) {
			t.Errorf("%s drains %v, whose zones are not in order", name, order)
		}
	}
	for _, name := range []string{"eks", "eks-minimal", "system-upgrade-controller", "cluster-api"} {
		first, second := cordonOrder(t, "strategy: "+name, 1), cordonOrder(t, "strategy: "+name, 2)
		if len(first) != 12 || slices.Equal(first, second) {
			t.Errorf("%s drains %v with one seed and %v with another", name, first, second)
		}
		sorted := func(s []string) []string { s = slices.Clone(s); slices.Sort(s); return s }
		if !slices.Equal(sorted(first), sorted(second)) {
			t.Errorf("%s drains other nodes with another seed: %v, %v", name, first, second)
		}
	}
	for keys, want := range map[string]string{
		"strategy: kops":               "1 2 3 4 5 6 7 8 9 10 11 12",
		"strategy: kops, order: [a-5]": "5 1 2 3 4 6 7 8 9 10 11 12",
		"strategy: kubeadm":            "1 2 3 4 5 6 7 8 9 10 11 12",
	} {
		if got := strings.Join(cordonOrder(t, keys, 1), " "); got != want {
			t.Errorf("%s drains %s, want %s", keys, got, want)
		}
	}
}

// With a barrier no node of the next batch begins before all of the last are done (kubespray, blue-green); with a
// window it does (kOps without a surge, OpenShift), as the nodes of a batch take differently long.
func TestPresetSlots(t *testing.T) {
	for keys, barrier := range map[string]bool{
		"strategy: kubespray, maxUnavailable: 25%":               true,
		"strategy: openshift, maxUnavailable: 3":                 false,
		"strategy: system-upgrade-controller, maxUnavailable: 3": false,
	} {
		var inHand, most, mixed int
		text := strings.Replace(pools(3, 12)+nodesBy(keys), "nodeUpgrade: 5m", "nodeUpgrade: {dist: uniform, min: 2m, max: 8m}", 1)
		ended := false
		runOf(t, text, Options{Audit: true, Story: func(s Step) {
			switch s.What {
			case "cordoned":
				if inHand++; ended && inHand > 1 {
					mixed++ // it begins beside one that was in hand when another had ended
				}
				most = max(most, inHand)
			case "uncordoned":
				inHand--
				ended = inHand > 0
			}
		}})
		if most != 3 || (mixed == 0) != barrier {
			t.Errorf("%s: %d at once, and %d began while others of the batch were under way", keys, most, mixed)
		}
	}
}
