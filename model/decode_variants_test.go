package model

import (
	"fmt"
	"strings"
	"testing"
)

const studied = `apiVersion: upsim/v1
kind: Scenario
metadata: {name: a}
cluster:
  version: v1.33.4
  nodePools: [{name: n, count: 8}]
upgrade: {to: v1.34.2, nodes: %s}
study: %s
`

func study(t *testing.T, nodes, text string) *Study {
	t.Helper()
	list, faults := Decode("a.yaml", fmt.Appendf(nil, studied, nodes, text), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return list[0].Study
}

func TestStudy(t *testing.T) {
	s := study(t, "{}", "{surge: [0, 2], maxUnavailable: [1, 25%], drain: {timeout: [5m], retry: [1s, 2s]}}")
	if s.Seeds != DefaultStudySeeds || strings.Join(s.Keys, " ") != "surge maxUnavailable drain.timeout drain.retry" || len(s.Variants) != 8 {
		t.Fatalf("%+v", s)
	}
	v := s.Variants[7]
	n := v.Upgrade.Nodes
	if v.Name != "surge=2,maxUnavailable=25%,drain.timeout=5m,drain.retry=2s" || v.Refused != "" || n.Replace != ReplaceSurge ||
		n.MaxSurge.IntVal != 2 || n.MaxUnavailable.StrVal != "25%" || n.Drain.Timeout.String() != "5m0s" || n.Drain.Retry.String() != "2s" {
		t.Errorf("%+v", v)
	}
	if v := s.Variants[0]; v.Upgrade.Nodes.Replace != ReplaceInPlace || strings.Join(v.Values, " ") != "0 1 5m 1s" {
		t.Errorf("%+v", v)
	}
}

// Where new nodes come anyway, surge is how many, and no other way of replacing them.
func TestStudyOfSurge(t *testing.T) {
	for nodes, want := range map[string]Replace{"{strategy: surge}": ReplaceSurge, "{replace: reimage}": ReplaceReimage, "{strategy: eks}": ReplaceTerminateFirst, "{}": ReplaceSurge} {
		for _, v := range study(t, nodes, "{surge: [2, 50%]}").Variants {
			if v.Upgrade.Nodes.Replace != want || v.Upgrade.Nodes.MaxSurge.String() != v.Values[0] {
				t.Errorf("%s with %s: %+v", nodes, v.Name, v.Upgrade.Nodes.Procedure)
			}
		}
	}
}

// The strategy may vary too; each value has its own defaults, and what it cannot have is a reason and no fault of the file.
func TestStudyOfStrategies(t *testing.T) {
	s := study(t, "{}", "{strategy: [rolling, blueGreen, gke-surge], batch: [1, 4]}")
	var refused []string
	for _, v := range s.Variants {
		if v.Refused != "" {
			refused = append(refused, v.Name)
		}
	}
	if strings.Join(refused, " ") != "strategy=rolling,batch=1 strategy=rolling,batch=4 strategy=gke-surge,batch=1 strategy=gke-surge,batch=4" {
		t.Errorf("refused: %v", refused)
	}
}

// A key without a value to try is told as that.
func TestStudyOfNothing(t *testing.T) {
	_, faults := Decode("a.yaml", fmt.Appendf(nil, studied, "{}", "{maxUnavailable: []}"), nil)
	if len(faults) != 1 || !strings.Contains(faults[0].Message, "must be a list of values to try, such as [1, 5%, 10%], not an empty list;") {
		t.Errorf("%v", faults)
	}
}

// A study of names is looked up as the upgrade's own are.
func TestStudyOfNames(t *testing.T) {
	if s := study(t, "{}", "{order: [[n-1], [n-2, n-1]]}"); s.Variants[1].Values[0] != "#2" || len(s.Variants[1].Upgrade.Nodes.Order) != 2 {
		t.Errorf("%+v", s.Variants[1])
	}
	_, faults := Decode("a.yaml", fmt.Appendf(nil, studied, "{}", "{order: [[n-9]]}"), nil)
	if len(faults) != 1 || faults[0].Line != 8 || !strings.Contains(faults[0].Message, "n-9") {
		t.Errorf("%v", faults)
	}
}

func TestVariants(t *testing.T) {
	changes := func(*Scenario) []Change {
		return append(StandardChanges(), ChangeTo("kops"), Change{Name: "never", Keys: []KeyValue{{"maxUnavailable", "0"}}})
	}
	text := strings.Split(fmt.Sprintf(studied, "{maxUnavailable: 3, drain: {timeout: 5m}}", ""), "study:")[0]
	list, faults := Decode("a.yaml", []byte(text), nil, changes)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := map[string]string{"rolling-1": "inPlace 1 0", "rolling-10%": "inPlace 10% 0", "surge": "surge 0 1", "canary": "inPlace 3 0",
		"blueGreen": "blueGreen 0 0", "kops": "detachSurge 0 1"}
	for _, v := range list[0].Variants {
		n := v.Upgrade.Nodes
		if v.Name == "never" {
			if !strings.Contains(v.Refused, "no node could ever be upgraded") {
				t.Errorf("never: %q", v.Refused)
			}
			continue
		}
		if got := fmt.Sprintf("%s %s %s", n.Replace, n.MaxUnavailable.String(), n.MaxSurge.String()); got != want[v.Name] || v.Refused != "" {
			t.Errorf("%s: %s, want %s (%s)", v.Name, got, want[v.Name], v.Refused)
		}
		if v.Name != "kops" && n.Drain.Timeout.String() != "5m0s" { // a system has a procedure of its own
			t.Errorf("%s has lost the drain's timeout", v.Name)
		}
	}
	if !strings.HasPrefix(string(list[0].Written), `{"apiVersion":"upsim/v1","kind":"Scenario","metadata":{"name":"a"},`) {
		t.Errorf("written is %s", list[0].Written)
	}
	if up := list[0].Upgrades(); len(up) != 1 || up[0].Upgrade.Nodes.MaxUnavailable.IntVal != 3 {
		t.Errorf("the upgrade itself: %+v", up)
	}
}
