package invariant

import (
	"testing"

	"upsim/model"
)

func TestNode(t *testing.T) {
	at := func(kubelet, proxy, oldest, newest int32) Node {
		return Node{Kubelet: kubelet, KubeProxy: proxy, OldestAPI: oldest, NewestAPI: newest, Ready: true}
	}
	limits(t, []struct {
		facts Node
		want  []model.Code
		say   string
	}{
		{facts: at(34, 34, 34, 34)},
		{facts: at(34, 0, 34, 35)},
		{facts: at(35, 0, 34, 35), want: []model.Code{model.KubeletNewerThanServer},
			say: "SUBJECT: the kubelet is at 1.35, 1 minor newer than the oldest API server at 1.34"},
		{facts: at(31, 0, 33, 34)},
		{facts: at(30, 0, 33, 34), want: []model.Code{model.KubeletTooOld},
			say: "SUBJECT: the kubelet is at 1.30, 4 minors older than the newest API server at 1.34"},
		{facts: at(24, 0, 26, 26)},
		{facts: at(24, 0, 27, 27), want: []model.Code{model.KubeletTooOld}}, // two minors only, before 1.25

		// A kubelet that talks to the API server beside it is held against that one alone; kube-proxy reaches any.
		{facts: Node{Kubelet: 35, KubeProxy: 34, OldestAPI: 34, NewestAPI: 35, Local: true, LocalAPI: 35, Ready: true}},
		{facts: Node{Kubelet: 35, OldestAPI: 34, NewestAPI: 34, Local: true, Ready: true}}, // it does not run yet
		{facts: Node{Kubelet: 35, KubeProxy: 35, OldestAPI: 34, NewestAPI: 36, Local: true, LocalAPI: 34, Ready: true},
			want: []model.Code{model.KubeletNewerThanServer, model.KubeProxyNewerThanServer}},

		{facts: at(0, 34, 34, 35)},
		{facts: at(0, 35, 34, 35), want: []model.Code{model.KubeProxyNewerThanServer},
			say: "SUBJECT: kube-proxy is at 1.35, 1 minor newer than the oldest API server at 1.34"},
		{facts: at(0, 31, 33, 34)},
		{facts: at(0, 30, 33, 34), want: []model.Code{model.KubeProxyTooOld},
			say: "SUBJECT: kube-proxy is at 1.30, 4 minors older than the newest API server at 1.34"},
		{facts: at(30, 33, 33, 33)},
		{facts: at(33, 30, 33, 33)},
		{facts: at(29, 33, 33, 33), want: []model.Code{model.KubeletTooOld, model.KubeProxyKubeletSkew}},
		{facts: at(35, 31, 34, 34), want: []model.Code{model.KubeletNewerThanServer, model.KubeProxyKubeletSkew}},

		// While no API server runs there is nothing to hold a version against.
		{facts: at(29, 35, 0, 0)},

		{facts: Node{Ready: false, Busy: true}},
		{facts: Node{Ready: false}, want: []model.Code{model.NodeNotReady},
			say: "SUBJECT is not Ready, and the upgrade is not at work on it"},
		{facts: Node{Kubelet: 31, OldestAPI: 34, NewestAPI: 34, Lost: true, Busy: true}, want: []model.Code{model.NodeLost},
			say: "SUBJECT is lost: its kubelet is at 1.31, which the API server at 1.34 does not support"},
		{facts: Node{Lost: true}, want: []model.Code{model.NodeLost}},

		{facts: Node{Ready: true, PodsNotWell: 1}, want: []model.Code{model.NodeReadyPodsNotWell},
			say: "SUBJECT is Ready, and 1 pod on it does not work"},
		{facts: Node{Ready: false, Busy: true, PodsNotWell: 1}},
	})
	if got, want := Message(model.KubeProxyKubeletSkew, "node/a", Detail{4, 4, 29}), "node/a: kube-proxy is at 1.33, 4 minors newer than the kubelet beside it at 1.29"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
