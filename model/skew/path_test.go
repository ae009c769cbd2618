package skew

import (
	"strings"
	"testing"

	"upsim/model"
)

func TestCheckPath(t *testing.T) {
	for _, c := range []struct{ name, from, path, want string }{
		{"one minor", "33.4", "34.2", ""},
		{"minor by minor", "31.2", "32.13 33.13 34.2", ""},
		{"the same version", "34.2", "34.2", ""},
		{"a newer patch", "34.1", "34.2", ""},
		{"an older patch", "34.2", "34.1", ""},
		{"nothing", "34.2", "", ""},
		{"one skipped", "33.4", "35.1", "MinorSkipped control-plane/v1.35.1: v1.33.4 to v1.35.1 skips 1.34; an API server takes every minor in turn, the next is v1.34.13"},
		{"several skipped", "31.2", "35.1", "MinorSkipped control-plane/v1.35.1: v1.31.2 to v1.35.1 skips 1.32 to 1.34; an API server takes every minor in turn, the next is v1.32.13"},
		{"skipped later", "33.4", "34.2 36.1", "MinorSkipped control-plane/v1.36.1: v1.34.2 to v1.36.1 skips 1.35; an API server takes every minor in turn, the next is v1.35.10"},
		{"kubernetes/kubeadm#2389, a minor skipped", "13.0", "15.0", "MinorSkipped control-plane/v1.15.0: v1.13.0 to v1.15.0 skips 1.14; an API server takes every minor in turn, the next is v1.14.0"},
		{"kubernetes/kubeadm#2389, back", "11.0", "10.3", "ControlPlaneDowngrade control-plane/v1.10.3: v1.11.0 to v1.10.3 goes back to an older minor; etcd's data may already be in a form that v1.10.3 cannot read"},
		{"there and back", "33.4", "34.2 33.4", "ControlPlaneDowngrade control-plane/v1.33.4: v1.34.2 to v1.33.4 goes back to an older minor; etcd's data may already be in a form that v1.33.4 cannot read"},
	} {
		var path []model.Version
		for _, s := range strings.Fields(c.path) {
			path = append(path, v(t, s))
		}
		var got []string
		for _, f := range CheckPath(v(t, c.from), path) {
			if f.Severity != model.SeverityError {
				t.Errorf("%s: severity %s", c.name, f.Severity)
			}
			if f.Code == model.ControlPlaneDowngrade && !strings.Contains(f.Fix, "etcd snapshot") {
				t.Errorf("%s: the fix says nothing of the etcd snapshot: %s", c.name, f.Fix)
			}
			got = append(got, string(f.Code)+" "+f.Subject+": "+f.Message)
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, s, c.want)
		}
	}
}

// What upsim fills in for a path that was left out is always allowed.
func TestUpgradePathPasses(t *testing.T) {
	for from := 20; from < 40; from++ {
		for to := from; to < 42; to++ {
			a := model.Version{Major: 1, Minor: from, Patch: 3}
			b := model.Version{Major: 1, Minor: to, Patch: 1}
			if f := CheckPath(a, model.UpgradePath(a, b)); f != nil {
				t.Errorf("%s to %s: %v", a, b, f)
			}
		}
	}
}
