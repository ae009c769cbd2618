package skew

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
)

func TestFromCluster(t *testing.T) {
	v33, v34 := v(t, "33.4"), v(t, "34.2")
	got := FromCluster(&model.Cluster{
		Version: v34,
		ControlPlane: model.ControlPlane{
			Replicas:               2,
			APIServer:              []model.Version{v34, v33},
			ControllerManager:      []model.Version{v33, v33},
			CloudControllerManager: []model.Version{v33, v34},
		},
		Kubectl: v33,
		Pools:   []model.NodePool{{Name: "a", Count: 2, Kubelet: v33}},
		Nodes:   []model.Node{{Name: "x", Kubelet: v34, KubeProxy: v33}},
	})
	want := Topology{
		APIServers:              []Instance{{"cp-1", v34}, {"cp-2", v33}},
		ControllerManagers:      []Instance{{"cp-1", v33}, {"cp-2", v33}},
		Schedulers:              []Instance{{"cp-1", v34}, {"cp-2", v34}},
		CloudControllerManagers: []Instance{{"cp-1", v33}, {"cp-2", v34}},
		Kubectl:                 v33,
		Nodes:                   []Node{{"a-1", v33, v33}, {"a-2", v33, v33}, {"x", v34, v33}, {"cp-1", v34, v34}, {"cp-2", v34, v34}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestFromClusterListedControlPlane(t *testing.T) {
	v34 := v(t, "34.2")
	label := map[string]string{model.LabelControlPlane: ""}
	got := FromCluster(&model.Cluster{
		Version:      v34,
		ControlPlane: model.ControlPlane{Replicas: 2},
		Nodes: []model.Node{
			{Name: "m10", Labels: label, Kubelet: v34, KubeProxy: v34},
			{Name: "m2", Labels: label, Kubelet: v34, KubeProxy: v34},
		},
	})
	if len(got.Nodes) != 2 || got.APIServers[0].Name != "m10" || got.APIServers[1].Name != "m2" {
		t.Errorf("got %+v; the API servers run on the control-plane nodes that are listed, in their order", got)
	}
}

// A managed control plane has no nodes of ours; without a version nothing is known of it.
func TestFromClusterManaged(t *testing.T) {
	v34 := v(t, "34.2")
	c := &model.Cluster{Version: v34, ControlPlane: model.ControlPlane{Replicas: 3, Managed: true}}
	if got := FromCluster(c); len(got.APIServers) != 3 || len(got.Nodes) != 0 {
		t.Errorf("got %+v", got)
	}
	c.Version = model.Version{}
	c.Nodes = []model.Node{{Name: "x", Kubelet: v34}}
	got := FromCluster(c)
	if len(got.APIServers) != 0 || len(got.Nodes) != 1 {
		t.Errorf("got %+v", got)
	}
	if f := Check(got); f != nil {
		t.Errorf("findings without an API server: %v", f)
	}
}

// Of a pasted node only the kubelet is known: its fault is not told a second time as a kube-proxy's.
func TestNodeWithoutKubeProxy(t *testing.T) {
	c := &model.Cluster{
		Version:      v(t, "34.2"),
		ControlPlane: model.ControlPlane{Replicas: 1, Managed: true},
		Nodes:        []model.Node{{Name: "old", Kubelet: v(t, "28.1")}},
	}
	found := Check(FromCluster(c))
	if len(found) != 1 || found[0].Code != model.KubeletTooOld {
		t.Errorf("got %v; want KubeletTooOld alone", found)
	}
}
