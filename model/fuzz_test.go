package model

import (
	"os"
	"testing"
)

// FuzzDecode: no input makes Decode panic, every fault has a place and a
// message, and there are either scenarios or faults. What is accepted can be
// expanded and is within the bounds that protect the simulation.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"everything.yaml", "ten-faults.yaml"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, c := range badFiles {
		plain, _ := marked(c.file)
		f.Add([]byte(plain))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		from := func(paths []string) (*Cluster, error) {
			return &Cluster{Version: Version{Major: 1, Minor: 33}, Nodes: []Node{{Name: "n1"}}, Workloads: []Workload{
				{Name: "web", Namespace: DefaultNamespace, Kind: Deployment, Count: 1, Replicas: 1, Existing: []ExistingPod{{Node: "n1"}}}}}, nil
		}
		found, faults := Decode("fuzz.yaml", data, from)
		if (len(found) == 0) == (len(faults) == 0) {
			t.Fatalf("%d scenarios and %d faults", len(found), len(faults))
		}
		for _, d := range faults {
			if d.Line < 1 || d.Col < 1 || d.Message == "" || d.File != "fuzz.yaml" {
				t.Errorf("a fault without its place: %+v", d)
			}
			_ = d.String()
		}
		for _, sc := range found {
			checkAccepted(t, sc)
		}
	})
}

func checkAccepted(t *testing.T, sc *Scenario) {
	c := &sc.Cluster
	if sc.Name == "" || c.Version.IsZero() || sc.Upgrade.To.IsZero() {
		t.Error("a needed value is missing")
	}
	if n := c.ControlPlane.Replicas; n < 1 || len(c.ControlPlane.APIServer) != n || len(c.ControlPlane.Scheduler) != n {
		t.Errorf("%d instances, %d API servers", n, len(c.ControlPlane.APIServer))
	}
	nodes, pods := len(c.Nodes), 0
	for _, p := range c.Pools {
		nodes += p.Count
	}
	for _, w := range c.Workloads {
		pods += w.Count * w.Replicas
		if w.Count < 1 || w.Replicas < 0 || len(w.Placement) > w.Replicas {
			t.Errorf("workload %+v", w)
		}
	}
	if nodes > MaxNodesPerCluster || pods > MaxReplicasPerCluster {
		t.Errorf("%d nodes, %d pods", nodes, pods)
	}
	for _, u := range sc.Upgrades() {
		if u.Upgrade.To.IsZero() || u.Upgrade.ControlPlane.Skip == (len(u.Upgrade.Path) > 0) {
			t.Errorf("upgrade %+v", u)
		}
		stages := u.Upgrade.Nodes.Expand(&sc.Cluster)
		if len(stages) == 0 {
			t.Error("no stage")
		}
		for _, s := range stages {
			none := isZero(s.MaxUnavailable) && isZero(s.MaxSurge)
			if s.Replace == ReplaceBlueGreen {
				none = isZero(s.Batch)
			}
			if s.Name == "" || none || s.Replace == "" {
				t.Errorf("stage %+v", s)
			}
		}
	}
}
