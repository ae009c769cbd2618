package skew

import (
	"testing"

	"upsim/model"
)

func TestEtcd(t *testing.T) {
	etcd := func(major, minor, patch int) model.Version {
		return model.Version{Major: major, Minor: minor, Patch: patch}
	}
	for _, c := range []struct {
		name    string
		members []model.Version
		want    string
	}{
		{"none is known", nil, ""},
		{"alike but for the patch", []model.Version{etcd(3, 5, 1), etcd(3, 5, 21), etcd(3, 5, 6)}, ""},
		{"next to each other, as in an upgrade", []model.Version{etcd(3, 5, 21), etcd(3, 6, 4), etcd(3, 5, 21)}, ""},
		{"two minors", []model.Version{etcd(3, 6, 4), etcd(3, 4, 30), etcd(3, 5, 21)}, "EtcdSkew etcd/cp-2"},
		{"two of three are old", []model.Version{etcd(3, 4, 30), etcd(3, 6, 4), etcd(3, 4, 30)}, "EtcdSkew etcd/cp-1, EtcdSkew etcd/cp-3"},
		{"another major", []model.Version{etcd(3, 5, 21), etcd(2, 6, 0)}, "EtcdSkew etcd/cp-2"},
	} {
		cluster := model.Cluster{Version: v(t, "34"), ControlPlane: model.ControlPlane{Replicas: max(1, len(c.members)), Etcdv: c.members}}
		list := Check(FromCluster(&cluster))
		if got := codes(list); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	list := Check(Topology{Etcd: []Instance{{"a", etcd(3, 4, 30)}, {"b", etcd(3, 6, 4)}}})
	const want = "etcd v3.4.30 is 2 minors older than the newest member, v3.6.4 on b; members of one cluster must be within 1 minor of each other"
	if len(list) != 1 || list[0].Message != want || list[0].Severity != model.SeverityError {
		t.Errorf("%v, want %s", list, want)
	}
}
