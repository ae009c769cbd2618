package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
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

// Soaks get longer and never shorter, whatever the way of replacing nodes; a plan with waits is one for each way.
func TestSearchSpaceWaits(t *testing.T) {
	const pool = "{name: p, count: 4}"
	for nodes, least := range map[string]time.Duration{"{}": 0, "{soakPerNode: 3m}": 3 * time.Minute, "{strategy: blueGreen, batchSoak: 90s}": 90 * time.Second} {
		longer := 0
		for _, v := range searched(t, pool, nodes).Variants {
			u := v.Upgrade.Nodes
			wait := u.SoakPerNode
			if u.Replace == ReplaceBlueGreen {
				wait = u.BatchSoak
			} else if strings.Contains(nodes, "blueGreen") {
				continue // its batches have no counterpart
			}
			if v.Refused != "" || wait < least {
				t.Errorf("%s: %s waits %v (%s)", nodes, v.Name, wait, v.Refused)
			}
			if wait > least {
				longer++
			}
		}
		if longer < 6 {
			t.Errorf("%s: only %d wait longer", nodes, longer)
		}
	}
}

// Of stages their sizes vary, never so that none of the nodes is left for the last, and what the last takes at once; all else is as written.
func TestSearchSpaceOfStages(t *testing.T) {
	for _, tc := range []struct{ nodes, sizes, atOnce string }{
		{"{strategy: canary}", "1 2 4", "1 2 3 5 8"},
		{"{strategy: canary, stages: [{name: a, nodes: {count: 2}, soak: 20m}]}", "2 1 4", "1 2 3 5 8"},
		{"{strategy: waves, stages: [{nodes: {percent: 10%}, soak: 20m}, {replace: surge, maxSurge: 2}]}", "10% 5% 20% 40%", "1 2 3 5 8"},
		{"{strategy: custom, stages: [{nodes: {count: 8}, soak: 20m}]}", "8 4", "1 2 3 5 8"},
	} {
		sizes, atOnce := map[string]bool{}, map[string]bool{}
		for _, v := range searched(t, "{name: p, count: 8}", tc.nodes).Variants {
			if v.Refused != "" {
				t.Fatalf("%s: %s is refused: %s", tc.nodes, v.Name, v.Refused)
			}
			stages := v.Upgrade.Nodes.Stages
			first, last := stages[0], stages[len(stages)-1]
			if want := 20 * time.Minute; first.Soak != want && (tc.nodes != "{strategy: canary}" || first.Soak != DefaultCanarySoak) {
				t.Errorf("%s: %s soaks %v", tc.nodes, v.Name, first.Soak)
			}
			if first.Nodes.Percent > 0 {
				sizes[fmt.Sprintf("%d%%", first.Nodes.Percent)] = true
			} else {
				sizes[fmt.Sprint(first.Nodes.Count)] = true
			}
			if last.Replace == ReplaceSurge {
				atOnce[last.MaxSurge.String()] = true
			} else {
				atOnce[last.MaxUnavailable.String()] = true
			}
		}
		for want, got := range map[string]map[string]bool{tc.sizes: sizes, tc.atOnce: atOnce} {
			words := strings.Fields(want)
			if len(got) != len(words) || slices.ContainsFunc(words, func(s string) bool { return !got[s] }) {
				t.Errorf("%s: %v, want %s", tc.nodes, got, want)
			}
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
