package kube

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
)

func named(object, old, name string) string {
	return strings.Replace(object, `"name":"`+old+`"`, `"name":"`+name+`"`, 1)
}

// podOn is a pod without a controller.
func podOn(name, node string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop"},"spec":{"nodeName":%q,"containers":[]}}`, name, node)
}

// Every warning names file and object and says what follows.
func TestLeftOutNotes(t *testing.T) {
	oddNode := strings.Replace(named(nodeN1, "n1", "n2"), `"cpu":"4"`, `"cpu":"four"`, 1)
	var many []string
	for i := range 3 {
		many = append(many, named(nodeN1, "n1", fmt.Sprintf("w%d", i)), podOn(fmt.Sprintf("ok%d", i), "n1"), named(deploymentW, "web", fmt.Sprintf("d%d", i)))
	}
	c, notes := read(t, "all.json", plainList(append(many, nodeN1, oddNode, podOn("a", "n2"), podOn("b", "n2"), podOn("c", "n9"),
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop"},"spec":{"nodeName":7}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"shop"},"spec":{"replicas":"three"}}`,
		budgetW, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b","namespace":"shop"},"spec":{"minAvailable":"2","selector":{}}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"lots","namespace":"shop"},"spec":{"nodeName":"n1","containers":[{"name":"c","resources":{"requests":{"cpu":"lots"}}}]}}`,
		named(podOn("x", "n1"), "x", strings.Repeat("x", 1<<20)),
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"\u001b[31mred"},"spec":{}}`,
		`{"apiVersion":"v1","kind":"Node","metadata":{"name":"label","labels":{"pool":"`+strings.Repeat("p", 64)+`"}}}`,
	)...))
	var got []string
	for _, n := range notes {
		if n.Code != model.ObjectNotUnderstood {
			continue
		}
		if n.Severity != model.SeverityWarning {
			t.Errorf("%v is no warning", n)
		}
		got = append(got, n.Subject+": "+n.Message)
	}
	long := strings.Repeat("x", 80) + "…"
	want := []string{
		`Node/n2: all.json: Node n2 is not understood: "four" is no quantity of cpu; n2 and its 2 pods are left out.`,
		`Pod/shop/p: all.json: Pod shop/p is not understood: spec.nodeName is a number; it is left out, takes no room and is not moved.`,
		`Deployment/shop/d: all.json: Deployment shop/d is not understood: spec.replicas is a string; it is left out, and what its pods show counts in its place.`,
		`PodDisruptionBudget/shop/b: all.json: PodDisruptionBudget shop/b is not understood: minAvailable is "2"; it must be a number or a percentage up to 100%; it is left out, and limits no eviction.`,
		`Pod/shop/` + long + `: all.json: Pod shop/` + long + ` is not understood: its name has 1048576 bytes; at most 253 are possible; it is left out, takes no room and is not moved.`,
		"Pod/\ufffd[31mred: all.json: Pod \ufffd[31mred is not understood: its name \"\\x1b[31mred\" has a character that cannot be printed; it is left out, takes no room and is not moved.",
		`Node/label: all.json: Node label is not understood: its label pool has 64 bytes; at most 63 are possible; label is left out.`,
		`Pod/shop/lots: all.json: Pod shop/lots is not understood: container c: "lots" is no quantity of cpu; the workload and its pod are left out.`,
		`Node/n9: all.json: the only pod of node n9 is left out, because the input does not have that node.`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(c.Nodes) != 4 || len(c.Budgets) != 1 {
		t.Errorf("%d nodes, %d budgets", len(c.Nodes), len(c.Budgets))
	}
	if diff := cmp.Diff(notes, understood(c.Notes)); diff != "" {
		t.Errorf("the cluster's notes are others:\n%s", diff)
	}
}

func TestMostlyNotUnderstood(t *testing.T) {
	odd := func(object string) string {
		return strings.Replace(object, `"metadata":{`, `"metadata":{"labels":7,`, 1)
	}
	pods := func(good, bad int) string {
		list := []string{nodeN1}
		for i := range good {
			list = append(list, podOn(fmt.Sprintf("good%d", i), "n1"))
		}
		for i := range bad {
			list = append(list, odd(podOn(fmt.Sprintf("bad%d", i), "n1")))
		}
		return plainList(list...)
	}
	lots := strings.Replace(podOn("x", "n1"), `"containers":[]`, `"containers":[{"name":"c","resources":{"requests":{"cpu":"lots"}}}]`, 1)
	for name, c := range map[string]struct{ text, want string }{
		"no pods odd":        {pods(3, 0), ""},
		"half of the pods":   {pods(2, 2), ""},
		"most of the pods":   {pods(2, 3), "f: 3 of 5 Pods are not understood, too many to leave out (more than half of at least 3, or every node, is an error); the first is Pod shop/bad0: "},
		"all of three pods":  {pods(0, 3), "f: 3 of 3 Pods are not understood"},
		"all of two pods":    {pods(0, 2), ""},
		"the only node":      {plainList(odd(nodeN1), podOn("p", "n1")), "f: the only Node is not understood"},
		"one node of two":    {plainList(odd(nodeN1), named(nodeN1, "n1", "n2")), ""},
		"requests":           {plainList(nodeN1, lots, named(lots, "x", "y"), named(lots, "x", "z")), "f: 3 of 3 workloads are not understood"},
		"no objects":         {"[" + nodeN1 + ",1,2,3]", "f: 3 of 4 objects are not understood"},
		"YAML":               {"apiVersion: v1\nitems:\n" + yamlNode + strings.Repeat("- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: \"x\n", 3) + "kind: List\n", "f: 3 of 3 Pods are not understood"},
		"pods of elsewhere":  {plainList(nodeN1, podOn("a", "m1"), podOn("b", "m1"), podOn("c", "m2")), "f: none of the 3 pods is on a node of the input"},
		"some pods are here": {plainList(nodeN1, podOn("a", "m1"), podOn("b", "m1"), podOn("c", "n1")), ""},
	} {
		r := NewReader()
		if err := r.Add("f", strings.NewReader(c.text)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, _, err := r.Cluster()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v\nwant %q", name, err, c.want)
		}
	}
}

func TestAllocatableOfNothing(t *testing.T) {
	with := func(name, status string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":%q},"status":{"nodeInfo":{"kubeletVersion":"v1.33.1"},%s}}`, name, status)
	}
	c, notes := read(t, "f", plainList(
		with("zero", `"allocatable":{"cpu":"0","memory":"0","pods":"0"}`), with("number", `"allocatable":{"cpu":1,"memory":1,"pods":0}`),
		with("none", `"conditions":[]`), with("empty", `"allocatable":{}`), with("null", `"allocatable":null`),
		with("pods", `"allocatable":{"cpu":"2","memory":"1"}`), with("capacity", `"capacity":{"cpu":"2","memory":"1","pods":"9"}`)))
	def := model.DefaultAllocatable()
	for name, want := range map[string]model.Resources{
		"zero": {}, "number": {CPU: 1000, Memory: 1}, "none": def, "empty": def, "null": def,
		"pods": {CPU: 2000, Memory: 1, Pods: model.DefaultPodsPerNode}, "capacity": {CPU: 2000, Memory: 1, Pods: 9},
	} {
		if diff := cmp.Diff(want, node(t, c, name).Allocatable); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	var got []string
	for _, n := range notes[:len(notes)-1] {
		message, _, _ := strings.Cut(n.Message, ";")
		got = append(got, fmt.Sprintf("%s %s %s", n.Severity, n.Subject, message))
	}
	want := []string{
		"warning Cluster f: 3 nodes (empty, none, null) say no allocatable cpu or memory or pods",
		"warning Node/pods f: node pods says no allocatable pods",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestScenarioInPlaceOfKubectlOutput(t *testing.T) {
	const own = "apiVersion: x.example/v1\nkind: Scenario\nmetadata: {name: a}\n---\n"
	for _, text := range []string{
		"apiVersion: upsim/v1\nkind: Scenario\nmetadata: {name: a}\n", "kind: Scenario\ncluster:\n  version: v1.34.2\n",
		`{"apiVersion":"upsim/v1","kind":"Scenario","metadata":{"name":"a"}}`, nodeN1 + `{"kind":"Scenario"}`, kubectlList + "---\nkind: Scenario\n",
	} {
		if err := NewReader().Add("f", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), "f: this is a scenario; expected the output of `kubectl get") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if c, _ := read(t, "f", own+kubectlList); len(c.Nodes) != 1 {
		t.Error("a custom resource of the kind Scenario is none of ours")
	}
}
