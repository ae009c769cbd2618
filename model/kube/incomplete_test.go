package kube

import (
	"strings"
	"testing"

	"upsim/model"
)

// What the input lacks of a whole cluster is told, with the command that writes all of it.
func TestIncomplete(t *testing.T) {
	const (
		node   = `{"kind":"Node","metadata":{"name":"n1"},"status":{"nodeInfo":{"kubeletVersion":"v1.33.1"},"conditions":[{"type":"Ready","status":"True"}]}}`
		pod    = `{"kind":"Pod","metadata":{"name":"web-1"},"spec":{"nodeName":"n1","containers":[{"name":"c"}]}}`
		system = `{"kind":"Pod","metadata":{"name":"dns-1","namespace":"kube-system"},"spec":{"nodeName":"n1","containers":[{"name":"c"}]}}`
		deploy = `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web"},"spec":{"replicas":1,"template":{"spec":{"containers":[{"name":"c"}]}}}}`
		budget = `{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"web"},"spec":{"maxUnavailable":1}}`
	)
	const unsaid = "; the result knows nothing of what it leaves out."
	for _, tc := range []struct {
		text string
		code model.Code
		want string
	}{
		{node, model.InputIncomplete, "The input has no pods, no Deployments, ReplicaSets, StatefulSets or DaemonSets, no PodDisruptionBudgets" + unsaid},
		{node + pod + system, model.InputIncomplete, "The input has no Deployments, ReplicaSets, StatefulSets or DaemonSets, no PodDisruptionBudgets" + unsaid},
		{node + deploy + budget, model.InputIncomplete, "The input has no pods" + unsaid},
		{node + pod + deploy + budget, model.InputPerhapsIncomplete, "The input has no pods of kube-system (was -A left out?)" + unsaid},
		{node + pod + system + deploy, model.InputPerhapsIncomplete, "The input has no PodDisruptionBudgets" + unsaid},
		{node + pod + system + deploy + budget, "", ""},
	} {
		r := NewReader()
		if err := r.Add("f", strings.NewReader(tc.text)); err != nil {
			t.Fatal(err)
		}
		_, notes, err := r.Cluster()
		if err != nil {
			t.Fatal(err)
		}
		var got model.Finding
		for _, n := range notes {
			if n.Code == model.InputIncomplete || n.Code == model.InputPerhapsIncomplete {
				got = n
			}
		}
		if got.Code != tc.code || got.Message != tc.want || tc.code != "" && !strings.HasSuffix(got.Fix, Command) {
			t.Errorf("%s\ngives %+v\nwant %s %s", tc.text, got, tc.code, tc.want)
		}
	}
}
