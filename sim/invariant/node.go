package invariant

import (
	"fmt"

	"upsim/model"
	"upsim/model/skew"
)

// Node are the facts about a node. Versions are minors of Kubernetes 1; 0 means none.
type Node struct {
	Kubelet, KubeProxy int32
	// OldestAPI and NewestAPI are those of the API servers that run; 0 while none
	// does, when there is nothing to hold a version against.
	OldestAPI, NewestAPI int32
	// Local: its kubelet talks only to the API server beside it, which is at LocalAPI; 0 while that does not run.
	Local    bool
	LocalAPI int32
	// PodsNotWell is how many pods on it are Ready and do not work, or should
	// be ready by now and are not.
	PodsNotWell int32
	Ready       bool
	// Busy: the upgrade is at work on it, so it may be not Ready.
	Busy bool
	// Lost: no API server supports its kubelet, and it does not come back by itself.
	Lost bool
}

// The rules of a node, as bits of its mask from 0 on.
const (
	kubeletNewer = iota
	kubeletTooOld
	kubeProxyNewer
	kubeProxyTooOld
	kubeProxyKubelet
	nodeNotReady
	nodeLost
	nodeReadyPodsNotWell
)

var nodeRules = [...]Rule{
	kubeletNewer:     {Name: "kubelet skew", Code: model.KubeletNewerThanServer, Worse: Farther, say: apart(": the kubelet", theOldest, theNewest)},
	kubeletTooOld:    {Name: "kubelet skew", Code: model.KubeletTooOld, Worse: Farther, say: apart(": the kubelet", theOldest, theNewest)},
	kubeProxyNewer:   {Name: "kube-proxy skew", Code: model.KubeProxyNewerThanServer, Worse: Farther, say: apart(": kube-proxy", theOldest, theNewest)},
	kubeProxyTooOld:  {Name: "kube-proxy skew", Code: model.KubeProxyTooOld, Worse: Farther, say: apart(": kube-proxy", theOldest, theNewest)},
	kubeProxyKubelet: {Name: "kube-proxy skew", Code: model.KubeProxyKubeletSkew, Worse: Farther, say: apart(": kube-proxy", "the kubelet beside it", "the kubelet beside it")},
	nodeNotReady: {Name: "node ready", Code: model.NodeNotReady, say: func(subject string, d Detail) string {
		return fmt.Sprintf("%s is not Ready, and the upgrade is not at work on it", subject)
	}},
	nodeLost: {Name: "node ready", Code: model.NodeLost, say: func(subject string, d Detail) string {
		return fmt.Sprintf("%s is lost: its kubelet is at 1.%d, which the API server at 1.%d does not support", subject, d.At, d.Limit)
	}},
	nodeReadyPodsNotWell: {Name: "pods well", Code: model.NodeReadyPodsNotWell, Worse: Higher, say: func(subject string, d Detail) string {
		if d.At == 1 && d.Worst <= 1 {
			return fmt.Sprintf("%s is Ready, and 1 pod on it does not work", subject)
		}
		return fmt.Sprintf("%s is Ready, and %s%s on it do not work", subject, count(d.At, "pod", "pods"), rose(d))
	}},
}

// Class is Nodes.
func (n Node) Class() Class { return Nodes }

// Broken has a bit for each rule that the node breaks.
func (n Node) Broken() uint16 {
	return bit(nodeNotReady, !n.Ready && !n.Busy && !n.Lost) |
		bit(nodeLost, n.Lost) |
		bit(nodeReadyPodsNotWell, n.Ready && n.PodsNotWell > 0) |
		n.skew()
}

// skew has the bits of the version skew policy.
func (n Node) skew() (mask uint16) {
	if from, to := n.kubeletsAPI(); n.Kubelet > 0 && to > 0 {
		switch skew.Kubelet(int(n.Kubelet), int(from), int(to)) {
		case model.KubeletNewerThanServer:
			mask |= 1 << kubeletNewer
		case model.KubeletTooOld:
			mask |= 1 << kubeletTooOld
		}
	}
	oldest, newest := int(n.OldestAPI), int(n.NewestAPI)
	if n.KubeProxy > 0 && newest > 0 {
		beside := n.Kubelet
		if beside == 0 {
			beside = n.KubeProxy
		}
		switch skew.KubeProxy(int(n.KubeProxy), int(beside), oldest, newest) {
		case model.KubeProxyNewerThanServer:
			mask |= 1 << kubeProxyNewer
		case model.KubeProxyTooOld:
			mask |= 1 << kubeProxyTooOld
		case model.KubeProxyKubeletSkew:
			mask |= 1 << kubeProxyKubelet
		}
	}
	return mask
}

// kubeletsAPI are the minors of the API servers that the kubelet may talk to.
func (n Node) kubeletsAPI() (oldest, newest int32) {
	if n.Local {
		return n.LocalAPI, n.LocalAPI
	}
	return n.OldestAPI, n.NewestAPI
}

// Figures are the numbers behind a broken rule; for a skew how much newer than
// the other side it is, and the other side's minor.
func (n Node) Figures(rule int) (value, limit int32) {
	oldest, newest := n.kubeletsAPI()
	switch rule {
	case kubeletNewer:
		return n.Kubelet - oldest, oldest
	case kubeletTooOld:
		return n.Kubelet - newest, newest
	case kubeProxyNewer:
		return n.KubeProxy - n.OldestAPI, n.OldestAPI
	case kubeProxyTooOld:
		return n.KubeProxy - n.NewestAPI, n.NewestAPI
	case kubeProxyKubelet:
		return n.KubeProxy - n.Kubelet, n.Kubelet
	case nodeLost:
		if n.Kubelet > oldest {
			return n.Kubelet, oldest
		}
		return n.Kubelet, newest
	case nodeReadyPodsNotWell:
		return n.PodsNotWell, 0
	}
	return 0, 0
}
