// Package skew is the Kubernetes version skew policy: a table in data, the
// checks of a cluster against it, and integer checks for the simulator.
//
// The policy: https://kubernetes.io/releases/version-skew-policy/. It counts
// minor versions only; patches never matter.
package skew

// limit is what the policy says of one component. Distances are in minors.
type limit struct {
	// component is the name that the policy uses, spoken the name in findings
	// and subjects.
	component, spoken string
	// ahead bounds how much newer than the oldest API server it may be, behind
	// how much older than the newest.
	ahead, behind int
	// A component whose own minor is below `before` may be only behindBefore older.
	before, behindBefore int
	// order is its turn in an upgrade, from 1; 0 has none.
	order int
	note  string
}

// Sections of the policy, as indexes of `policy`.
const (
	apiServer = iota
	controllerManager
	scheduler
	cloudControllerManager
	kubelet
	kubeProxy
	kubectl
)

// policy is "Supported version skew" and, for the order, "Supported component
// upgrade order". The shorter reach of nodes before 1.25 stands in the
// sections on kubelet and kube-proxy; it is the policy of those releases, which
// KEP-3935 widened.
var policy = [...]limit{
	apiServer: {component: "kube-apiserver", spoken: "apiserver", ahead: 1, behind: 1, order: 1,
		note: "first, one after the other, every minor in turn"},
	controllerManager: {component: "kube-controller-manager", spoken: "controller-manager", behind: 1, order: 2,
		note: "after every API server that it may talk to"},
	scheduler: {component: "kube-scheduler", spoken: "scheduler", behind: 1, order: 2,
		note: "after every API server that it may talk to"},
	cloudControllerManager: {component: "cloud-controller-manager", spoken: "cloud-controller-manager", behind: 1, order: 2,
		note: "after every API server that it may talk to"},
	kubelet: {component: "kubelet", spoken: "kubelet", behind: 3, before: 25, behindBefore: 2, order: 3,
		note: "after the control plane; drain the node first"},
	kubeProxy: {component: "kube-proxy", spoken: "kube-proxy", behind: 3, before: 25, behindBefore: 2, order: 3,
		note: "after the control plane; at most 3 minors from its kubelet (2 before 1.25)"},
	kubectl: {component: "kubectl", spoken: "kubectl", ahead: 1, behind: 1,
		note: "at any time"},
}

// Distance of a kube-proxy to the kubelet beside it, either way, by the
// kube-proxy's minor (section kube-proxy). Until 2023 the two had to be equal.
const (
	besideKubelet       = 3
	besideKubeletBefore = 2
)

// reach is how much older than the newest API server a component of this minor may be.
func (l *limit) reach(minor int) int {
	if minor < l.before {
		return l.behindBefore
	}
	return l.behind
}

// place is 1 for a minor that is too new, -1 for one that is too old, and 0 for one that the policy allows.
func (l *limit) place(minor, oldest, newest int) int {
	switch {
	case minor > oldest+l.ahead:
		return 1
	case minor < newest-l.reach(minor):
		return -1
	}
	return 0
}

// span is the first and last minor that the policy allows; none if first > last.
func (l *limit) span(oldest, newest int) (first, last int) {
	first, last = max(0, newest-l.behind), oldest+l.ahead
	for first < newest && l.place(first, newest, newest) < 0 {
		first++
	}
	return first, last
}
