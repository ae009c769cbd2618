package skew

import "upsim/model"

// The checks below take minors of Kubernetes 1, oldest and newest being those
// of the API servers that run. They allocate nothing: the simulator asks them
// at every tick in which a version changed.

// APIServers reports whether API servers of these two minors may run together.
func APIServers(oldest, newest int) bool {
	return policy[apiServer].place(oldest, oldest, newest) == 0
}

// Kubelet is the code of the rule that a kubelet breaks, or "".
func Kubelet(minor, oldest, newest int) model.Code {
	switch policy[kubelet].place(minor, oldest, newest) {
	case 1:
		return model.KubeletNewerThanServer
	case -1:
		return model.KubeletTooOld
	}
	return ""
}

// KubeProxy is the code of the first rule that a kube-proxy breaks, or "":
// those on the API servers come before the one on the kubelet beside it.
func KubeProxy(proxy, kubelet, oldest, newest int) model.Code {
	switch policy[kubeProxy].place(proxy, oldest, newest) {
	case 1:
		return model.KubeProxyNewerThanServer
	case -1:
		return model.KubeProxyTooOld
	}
	if d := proxy - kubelet; d > beside(proxy) || -d > beside(proxy) {
		return model.KubeProxyKubeletSkew
	}
	return ""
}

// beside is how far a kube-proxy of this minor may be from its kubelet.
func beside(proxy int) int {
	if proxy < policy[kubeProxy].before {
		return besideKubeletBefore
	}
	return besideKubelet
}

// Component reports whether a controller-manager, scheduler or
// cloud-controller-manager may run beside the API servers. All three have the
// same limits. It may be led to any API server, as behind a load balancer.
func Component(minor, oldest, newest int) bool {
	return policy[controllerManager].place(minor, oldest, newest) == 0
}

// Kubectl reports whether a kubectl may talk to every API server.
func Kubectl(minor, oldest, newest int) bool {
	return policy[kubectl].place(minor, oldest, newest) == 0
}
