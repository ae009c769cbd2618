package model

import (
	"fmt"
	"strings"
	"testing"
)

func searched(t *testing.T, pools, nodes string) *Scenario {
	t.Helper()
	text := fmt.Sprintf(`apiVersion: upsim/v1
kind: Scenario
metadata: {name: a}
cluster:
  version: v1.33.4
  nodePools: [%s]
upgrade: {to: v1.34.2, nodes: %s}
`, pools, nodes)
	list, faults := Decode("a.yaml", []byte(text), nil, SearchSpace)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return list[0]
}

// What is searched is sound, has no plan twice, and stays within its bound however large the cluster is.
func TestSearchSpace(t *testing.T) {
	const one, two = "{name: p, count: 12, zones: [x, y]}", "{name: p, count: 12, zones: [x, y]}, {name: q, count: 5}"
	many := one
	for i := range 9 {
		many += fmt.Sprintf(", {name: q%d, count: 900, zones: [x, y, z]}", i)
	}
	for _, tc := range []struct {
		pools, nodes string
		least        int
	}{{one, "{}", 90}, {two, "{}", 200}, {many, "{}", 300}, {"{name: p, count: 1}", "{}", 8}, {one, "{strategy: surge, maxSurge: 2}", 90},
		{one, "{order: [p-3], taint: NoSchedule, drain: {timeout: 5m}}", 45}, {one, "{strategy: canary}", 6}, {one, "{strategy: eks}", 6},
		{one, "{strategy: gke-blue-green}", 6}, {one, "{strategy: kops}", 6}} {
		sc := searched(t, tc.pools, tc.nodes)
		if n := len(sc.Variants); n < tc.least || n > MaxCombinations {
			t.Errorf("%s: %d plans", tc.nodes, n)
		}
		seen := map[string]bool{}
		refused := 0
		for _, v := range sc.Variants {
			if seen[v.Name] {
				t.Errorf("%s: twice %s", tc.nodes, v.Name)
			}
			seen[v.Name] = true
			if v.Refused != "" {
				refused++
			}
			if strings.Contains(tc.nodes, "5m") && v.Upgrade.Nodes.Drain.Timeout.Minutes() != 5 {
				t.Errorf("%s has lost the drain's timeout", v.Name)
			}
			if strings.Contains(tc.nodes, "canary") && len(v.Upgrade.Nodes.Stages) != 2 {
				t.Errorf("%s has lost its stages", v.Name)
			}
		}
		if refused > 0 && tc.nodes != "{strategy: eks}" {
			t.Errorf("%s: %d of %d are no plans", tc.nodes, refused, len(sc.Variants))
		}
	}
}

// A study says itself what is searched.
func TestSearchSpaceOfAStudy(t *testing.T) {
	list, faults := Decode("a.yaml", fmt.Appendf(nil, studied, "{}", "{maxUnavailable: [1, 2]}"), nil, SearchSpace)
	if len(faults) > 0 || len(list[0].Variants) != 0 || len(list[0].Study.Variants) != 2 {
		t.Errorf("%v %+v", faults, list)
	}
}

func TestNodesAtOnce(t *testing.T) {
	for n, want := range map[int]string{1: "1", 2: "1 2", 12: "1 2 3 5 8 12", 9000: "1 2 3 5 8 13 21 34 55 89 144 9000"} {
		if got := strings.Join(nodesAtOnce(n, 12), " "); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
