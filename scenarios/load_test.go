package scenarios

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"upsim/model"
)

const nodesJSON = `{"apiVersion":"v1","kind":"List","items":[
{"apiVersion":"v1","kind":"Node","metadata":{"name":"w1","labels":{"kubernetes.io/hostname":"w1"}},
 "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},
  "conditions":[{"type":"Ready","status":"True"}],"nodeInfo":{"kubeletVersion":"v1.33.4"}}}]}`

const podJSON = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"alone","namespace":"default"},
 "spec":{"nodeName":"w1","containers":[{"name":"c"}]},
 "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`

const fromYAML = `apiVersion: upsim/v1
kind: Scenario
metadata: {name: real}
cluster: {version: v1.33.4, from: [dumps/nodes.json, dumps/pod.json]}
upgrade: {to: v1.34.2}
`

// folder writes files into a new folder and returns its path.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFromIsRelativeToTheScenarioFile(t *testing.T) {
	dir := folder(t, map[string]string{"a/real.yaml": fromYAML, "a/dumps/nodes.json": nodesJSON, "a/dumps/pod.json": podJSON})
	found, err := Load(filepath.Join(dir, "a", "real.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c := found[0].Cluster
	if len(c.Nodes) != 1 || c.Nodes[0].Name != "w1" || len(c.Workloads) != 1 || c.Workloads[0].Name != "alone" {
		t.Errorf("nodes %+v, workloads %+v; want w1 and alone", c.Nodes, c.Workloads)
	}
}

func TestAFileOfFromThatIsMissing(t *testing.T) {
	dir := folder(t, map[string]string{"real.yaml": fromYAML, "dumps/nodes.json": nodesJSON})
	_, err := Load(filepath.Join(dir, "real.yaml"))
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "dumps", "pod.json")) {
		t.Errorf("got %v; want an error that names dumps/pod.json", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := folder(t, map[string]string{"large.yaml": "", "bad.yaml": "apiVersion: upsim/v1\nkind: Pod\n"})
	if err := os.Truncate(filepath.Join(dir, "large.yaml"), MaxFileSize+1); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ file, want string }{
		{".", "it is a directory"},
		{"none.yaml", "cannot read"},
		{"large.yaml", "larger than a scenario may be"},
	} {
		_, err := Load(filepath.Join(dir, tc.file))
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), filepath.Join(dir, tc.file)) {
			t.Errorf("%s: got %v; want %q and the file's name", tc.file, err, tc.want)
		}
	}
	if _, err := Load(filepath.Join(dir, "none.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v is not fs.ErrNotExist", err)
	}
	if _, err := Load(filepath.Join(dir, "bad.yaml")); !errors.As(err, new(model.Diagnostics)) {
		t.Errorf("a file with a fault: %v is no model.Diagnostics", err)
	}
}

// A stream tells no size beforehand; it is cut off at the limit and not read to its end.
func TestAStreamIsBounded(t *testing.T) {
	endless := &countingReader{}
	_, err := LoadFrom("<stdin>", endless, ".")
	if err == nil || !strings.Contains(err.Error(), "larger than a scenario may be") {
		t.Errorf("got %v", err)
	}
	if endless.read > MaxFileSize+1<<20 {
		t.Errorf("%d bytes were read", endless.read)
	}
}

type countingReader struct{ read int }

func (r *countingReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	r.read += len(p)
	return len(p), nil
}

// A file that is refused for its size is not read: the memory stays small.
func TestALargeFileIsNotRead(t *testing.T) {
	dir := folder(t, map[string]string{"large.yaml": ""})
	if err := os.Truncate(filepath.Join(dir, "large.yaml"), 200<<20); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Load(filepath.Join(dir, "large.yaml")); err == nil {
		t.Fatal("it was accepted")
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}

func TestFromKubectl(t *testing.T) {
	dir := folder(t, map[string]string{"prod.json": nodesJSON})
	to := model.Version{Major: 1, Minor: 34, Patch: 2}
	sc, err := FromKubectl([]string{filepath.Join(dir, "prod.json"), "-"}, strings.NewReader(podJSON), Options{To: to})
	if err != nil {
		t.Fatal(err)
	}
	if sc.Name != "prod" || sc.Upgrade.To != to || len(sc.Cluster.Nodes) != 1 || len(sc.Cluster.Workloads) != 1 {
		t.Errorf("name %q, target %s, %d nodes, %d workloads", sc.Name, sc.Upgrade.To, len(sc.Cluster.Nodes), len(sc.Cluster.Workloads))
	}
	if sc.Upgrade.Nodes.Strategy != "rolling" || sc.Seed != 1 {
		t.Errorf("strategy %q and seed %d are not the defaults", sc.Upgrade.Nodes.Strategy, sc.Seed)
	}

	asItIs, err := FromKubectl([]string{filepath.Join(dir, "prod.json")}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := asItIs.Upgrade.To.MinorString(); got != "1.33" {
		t.Errorf("without a target it goes to %s, want the cluster's 1.33", got)
	}

	if _, err := FromKubectl([]string{"-"}, strings.NewReader("{"), Options{To: to}); err == nil {
		t.Error("half an object was accepted")
	}
}

// A server's version that the user gives counts, and the output's own is no longer told as inferred.
func TestFromKubectlWithServerVersion(t *testing.T) {
	dir := folder(t, map[string]string{"prod.json": nodesJSON})
	server := model.Version{Major: 1, Minor: 34, Patch: 1}
	for _, tc := range []struct {
		versions Options
		server   string
		to       string
		notes    int // that the input has nothing but nodes among them
	}{
		{Options{}, "v1.33.4", "v1.33.4", 2},
		{Options{Server: server}, "v1.34.1", "v1.34.1", 1},
		{Options{Server: server, To: model.Version{Major: 1, Minor: 35, Patch: 0}}, "v1.34.1", "v1.35.0", 1},
	} {
		sc, err := FromKubectl([]string{filepath.Join(dir, "prod.json")}, nil, tc.versions)
		if err != nil {
			t.Fatal(err)
		}
		cp := sc.Cluster.ControlPlane
		if cp.APIServer[0].String() != tc.server || cp.Scheduler[2].String() != tc.server || sc.Upgrade.To.String() != tc.to || len(sc.Notes) != tc.notes {
			t.Errorf("%+v: API servers %v, schedulers %v, target %v, notes %v; want %+v", tc.versions, cp.APIServer, cp.Scheduler, sc.Upgrade.To, sc.Notes, tc)
		}
		if sc.Cluster.Nodes[0].Kubelet.String() != "v1.33.4" {
			t.Errorf("kubelet %v", sc.Cluster.Nodes[0].Kubelet)
		}
	}
}

func TestClusterName(t *testing.T) {
	for file, want := range map[string]string{
		"prod.json": "prod", "a/b/My Cluster_2.all.yaml": "my-cluster-2", "<stdin>": "stdin", ".json": "cluster", "é.json": "cluster",
	} {
		if got := clusterName(file); got != want {
			t.Errorf("clusterName(%q) = %q, want %q", file, got, want)
		}
	}
}
