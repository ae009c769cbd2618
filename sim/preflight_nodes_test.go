package sim

import "testing"

// What the only API server's upgrade means, and nodes that are lost from the start.
func TestPreflightNodesLostAndSingleAPIServer(t *testing.T) {
	const cluster = "cluster: {version: v1.33.4, controlPlane: {replicas: 1}, nodes: [{name: n1, kubelet: v1.29.1, kubeProxy: v1.33.4}, {name: n2, kubelet: v1.34.1, kubeProxy: v1.33.4}]}\n"
	const kubelets = "error KubeletTooOld Node/n1: kubelet v1.29.1 is 4 minors older than the API server, v1.33.4; at most 3 minors older is allowed\n" +
		"error KubeProxyKubeletSkew Node/n1: kube-proxy v1.33.4 is 4 minors newer than the kubelet beside it, v1.29.1; at most 3 minors apart is allowed\n" +
		"error KubeletNewerThanAPIServer Node/n2: kubelet v1.34.1 is 1 minor newer than the API server, v1.33.4; it must not be newer than any API server that it may talk to\n"
	const lost = "error NodeLost Node/n1: Node/n1 is lost from the start, since the API servers do not support its kubelet (assumption unsupportedKubelet: lost)\n" +
		"error NodeLost Node/n2: Node/n2 is lost from the start, since the API servers do not support its kubelet (assumption unsupportedKubelet: lost)\n"
	const single = "info SingleAPIServer apiserver/cp-1: the only API server is away while it is upgraded to v1.34.2: pods go on, and nothing can be changed meanwhile"
	for _, c := range []struct{ name, text, want string }{
		{"both", cluster + "upgrade: {to: v1.34.2}\n", kubelets + lost + single},
		{"only said", cluster + "upgrade: {to: v1.34.2}\nassumptions:\n  unsupportedKubelet: reportOnly\n", kubelets + single},
		{"the control plane is left alone", "cluster: {version: v1.34.2, controlPlane: {replicas: 1}, nodes: [{name: n1, kubelet: v1.33.4}]}\nupgrade: {to: v1.34.2, controlPlane: skip}\n", ""},
		{"the API server is done", "cluster: {version: v1.33.4, controlPlane: {replicas: 1, versions: {apiserver: v1.34.2}}, nodes: [{name: n1}]}\nupgrade: {to: v1.34.2}\n", ""},
		{"there are three", "cluster: {version: v1.33.4, nodes: [{name: n1}]}\nupgrade: {to: v1.34.2}\n", ""},
	} {
		if got := knownBeforehand(t, c.text); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
