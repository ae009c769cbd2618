package kube

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
)

// read reads inputs, each a name and its text in turn, into a cluster.
func read(t testing.TB, namesAndTexts ...string) (*model.Cluster, []model.Finding) {
	t.Helper()
	r := NewReader()
	for i := 0; i < len(namesAndTexts); i += 2 {
		if err := r.Add(namesAndTexts[i], strings.NewReader(namesAndTexts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	c, notes, err := r.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	return c, understood(notes)
}

// understood are the notes without those on what the input lacks: what a test leaves out on purpose is TestIncomplete's matter.
func understood(notes []model.Finding) []model.Finding {
	return slices.DeleteFunc(slices.Clone(notes), func(f model.Finding) bool {
		return f.Code == model.InputIncomplete || f.Code == model.InputPerhapsIncomplete
	})
}

func file(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return string(data)
}

func workload(t testing.TB, c *model.Cluster, name string) *model.Workload {
	t.Helper()
	for i := range c.Workloads {
		if c.Workloads[i].Name == name {
			return &c.Workloads[i]
		}
	}
	t.Fatalf("no workload %s among %d", name, len(c.Workloads))
	return nil
}

func node(t testing.TB, c *model.Cluster, name string) *model.Node {
	t.Helper()
	for i := range c.Nodes {
		if c.Nodes[i].Name == name {
			return &c.Nodes[i]
		}
	}
	t.Fatalf("no node %s among %d", name, len(c.Nodes))
	return nil
}

func TestRealOutputIsTheSameAsJSONAndYAML(t *testing.T) {
	for _, size := range []string{"small/all.json small/all.yaml", "medium/all.json.gz medium/all.yaml.gz"} {
		names := strings.Fields(size)
		fromJSON, _ := read(t, "all", file(t, names[0]))
		fromYAML, _ := read(t, "all", file(t, names[1]))
		if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
			t.Errorf("%s: JSON (-) and YAML (+) give different clusters:\n%s", size, diff)
		}
	}
}

func TestSmallCluster(t *testing.T) {
	c, notes := read(t, "all.json", file(t, "small/all.json"))
	if len(c.Nodes) != 6 || len(c.Workloads) != 8 || len(c.Budgets) != 4 {
		t.Fatalf("%d nodes, %d workloads, %d budgets; want 6, 8, 4", len(c.Nodes), len(c.Workloads), len(c.Budgets))
	}
	if !c.ControlPlane.Managed || c.Version.String() != "v1.33.9" {
		t.Errorf("managed %v at %s; want a managed control plane at the newest kubelet's v1.33.9", c.ControlPlane.Managed, c.Version)
	}
	if len(notes) != 1 || notes[0].Code != model.VersionInferred {
		t.Errorf("notes %v; want one that the version is inferred", notes)
	}
	want := model.Node{
		Name: "old2", Pool: "old", Kubelet: model.Version{Major: 1, Minor: 31, Patch: 14}, KubeProxy: model.Version{Major: 1, Minor: 31, Patch: 14},
		Unschedulable: true, Ready: true,
	}
	got := *node(t, c, "old2")
	got.Allocatable, got.Labels, got.Zone = model.Resources{}, nil, ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("node old2:\n%s", diff)
	}
	general := node(t, c, "general1")
	if diff := cmp.Diff(model.Resources{CPU: 8000, Memory: 32 << 30, Pods: 110, Other: map[string]int64{"ephemeral-storage": 100 << 30}}, general.Allocatable); diff != "" {
		t.Errorf("allocatable:\n%s", diff)
	}
	if general.Zone != "eu-1a" || general.Pool != "general" {
		t.Errorf("zone %q, pool %q", general.Zone, general.Pool)
	}
	if gpu := node(t, c, "gpu1"); len(gpu.Taints) != 1 {
		t.Errorf("taints of gpu1: %v", gpu.Taints)
	}
	db := workload(t, c, "db")
	if db.Kind != model.StatefulSet || db.Replicas != 3 || db.Requests.CPU != 1000 || db.Requests.Memory != 2<<30 {
		t.Errorf("db: %+v", db)
	}
	if diff := cmp.Diff([]model.ExistingPod{
		{Name: "db-0", Node: "general1", Ready: true, Ordinal: 0},
		{Name: "db-1", Node: "general2", Ready: true, Ordinal: 1},
		{Name: "db-2", Node: "general3", Ready: true, Ordinal: 2},
	}, db.Existing); diff != "" {
		t.Errorf("pods of db:\n%s", diff)
	}
	if len(db.AntiAffinity.Required) != 1 || db.AntiAffinity.Required[0].Selector.MatchLabels["app"] != "db" {
		t.Errorf("anti-affinity of db: %+v", db.AntiAffinity)
	}
	web := workload(t, c, "web")
	if web.Kind != model.Deployment || web.Replicas != 6 || len(web.Existing) != 6 || web.Labels["app"] != "web" || len(web.Labels) != 1 {
		t.Errorf("web: %+v", web)
	}
	if lone := workload(t, c, "lone"); lone.Kind != model.BarePod || lone.Replicas != 1 || lone.Existing[0].Node != "old2" {
		t.Errorf("lone: %+v", lone)
	}
	agent := workload(t, c, "agent")
	if agent.Kind != model.DaemonSet || len(agent.Existing) != 6 || len(agent.NodeAffinity.Required) != 0 {
		t.Errorf("agent: %+v", agent)
	}
	if cache := workload(t, c, "cache"); !cache.EmptyDir {
		t.Error("cache has local data")
	}
	if trainer := workload(t, c, "trainer"); len(trainer.Tolerations) != 1 {
		t.Errorf("trainer tolerates %v; want its own toleration alone", trainer.Tolerations)
	}
}

func TestMediumCluster(t *testing.T) {
	c, _ := read(t, "all.json", file(t, "medium/all.json.gz"))
	pods := 0
	for i := range c.Workloads {
		pods += len(c.Workloads[i].Existing)
		if c.Workloads[i].Replicas != 20 {
			t.Errorf("%s has %d replicas", c.Workloads[i].Name, c.Workloads[i].Replicas)
		}
	}
	if len(c.Nodes) != 50 || len(c.Workloads) != 20 || pods != 400 || len(c.Budgets) != 20 {
		t.Fatalf("%d nodes, %d workloads, %d pods, %d budgets; want 50, 20, 400, 20", len(c.Nodes), len(c.Workloads), pods, len(c.Budgets))
	}
	if b := c.Budgets[0]; b.MaxUnavailable == nil || b.MaxUnavailable.String() != "10%" {
		t.Errorf("budget %+v", b)
	}
}

func TestPastedRealOutput(t *testing.T) {
	c, err := ReadPaste("paste", strings.NewReader(file(t, "small/version.txt")+file(t, "small/get-nodes.txt")+file(t, "small/nodes-jsonpath.txt")), model.Version{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes) != 6 || c.Version.String() != "v1.34.4" || c.Kubectl.String() != "v1.34.4" || !c.ControlPlane.Managed {
		t.Errorf("%d nodes, server %s, kubectl %s, managed %v", len(c.Nodes), c.Version, c.Kubectl, c.ControlPlane.Managed)
	}
	if n := node(t, c, "old2"); !n.Unschedulable || !n.Ready || n.Kubelet.String() != "v1.31.14" {
		t.Errorf("old2: %+v", n)
	}
}
