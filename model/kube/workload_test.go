package kube

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
)

func pod(name, owner, created, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","creationTimestamp":%q,"labels":{"app":"web","pod-template-hash":"%s"},
 "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":%q,"controller":true}]},"spec":%s,"status":{"phase":"Running"}}`,
		name, created, owner[len(owner)-1:], owner, spec)
}

func TestReplicaSetsOfOneDeploymentAreOneWorkload(t *testing.T) {
	set := func(name string, replicas int) string {
		return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":%q,"namespace":"shop","creationTimestamp":"2026-01-0%dT00:00:00Z","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","controller":true}]},
 "spec":{"replicas":%d,"minReadySeconds":7,"template":{"metadata":{"labels":{"app":"web"}},"spec":{"nodeSelector":{"disk":%q}}}}}`, name, replicas, replicas, name)
	}
	pods := []string{
		pod("web-a-1", "web-a", "2026-01-01T00:00:00Z", `{"nodeName":"n1","containers":[{"resources":{"requests":{"cpu":"1"}}}]}`),
		pod("web-b-1", "web-b", "2026-01-02T00:00:00Z", `{"nodeName":"n1","containers":[{"resources":{"requests":{"cpu":"2"}}}]}`),
	}
	for name, rest := range map[string][]string{
		"whole":            {deploymentW, set("web-a", 1), set("web-b", 2)},
		"no ReplicaSets":   {deploymentW},
		"no Deployment":    {set("web-a", 1), set("web-b", 2)},
		"pods alone":       nil,
		"pods come second": {deploymentW, set("web-a", 0), set("web-b", 2)},
	} {
		objects := append(append([]string{nodeN1}, pods...), rest...)
		if name == "pods come second" {
			objects = append(append([]string{nodeN1}, rest...), pods...)
		}
		c, _ := read(t, "f", plainList(objects...))
		if len(c.Workloads) != 1 {
			t.Fatalf("%s: %d workloads", name, len(c.Workloads))
		}
		w := c.Workloads[0]
		want := map[string]int{"no Deployment": 3}[name]
		if want == 0 {
			want = 2
		}
		if w.Kind != model.Deployment || w.Name != "web" || len(w.Existing) != 2 || w.Replicas != want || w.Requests.CPU != 2000 {
			t.Errorf("%s: %+v; want the Deployment with %d replicas and the newest pod's requests", name, w, want)
		}
		if name == "no Deployment" && (w.NodeSelector["disk"] != "web-b" || w.MinReady != 7*time.Second) {
			t.Errorf("%s: %+v; want the newest ReplicaSet's template", name, w)
		}
	}
}

func TestReplicaSetOfACustomControllerKeepsItsScale(t *testing.T) {
	c, _ := read(t, "f", plainList(nodeN1,
		`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-x","namespace":"shop","ownerReferences":[{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","name":"web","controller":true}]},"spec":{"replicas":4,"template":{}}}`,
		pod("web-x-1", "web-x", "", `{"containers":[]}`)))
	if w := c.Workloads[0]; w.Kind != model.ReplicaSet || w.Name != "web-x" || w.Replicas != 4 || len(w.Existing) != 1 {
		t.Errorf("%+v", w)
	}
}

func TestPodsOnNodesThatAreNotInTheInput(t *testing.T) {
	elsewhere := pod("web-a-1", "web-a", "", `{"nodeName":"n9","containers":[]}`)
	c, notes := read(t, "f", plainList(nodeN1, deploymentW, elsewhere))
	if len(c.Workloads[0].Existing) != 0 || notes[0].Subject != "Node/n9" || notes[0].Severity != model.SeverityWarning {
		t.Errorf("%+v, notes %v", c.Workloads[0], notes)
	}
	// Without any node in the input they are written elsewhere, and the pod stays where it is.
	c, _ = read(t, "f", plainList(elsewhere))
	if e := c.Workloads[0].Existing; len(e) != 1 || e[0].Node != "n9" {
		t.Errorf("%+v", e)
	}
}

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       model.Resources
	}{
		{"containers add up", `{"containers":[{"resources":{"requests":{"cpu":"1","memory":"1Gi"}}},{"resources":{"requests":{"cpu":"500m"}}}]}`,
			model.Resources{CPU: 1500, Memory: 1 << 30}},
		{"a limit stands for a request", `{"containers":[{"resources":{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"1"}}}]}`,
			model.Resources{CPU: 1000, Memory: 1 << 30}},
		{"the largest init container", `{"initContainers":[{"resources":{"requests":{"cpu":"3"}}},{"resources":{"requests":{"cpu":"2","memory":"2Gi"}}}],"containers":[{"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]}`,
			model.Resources{CPU: 3000, Memory: 2 << 30}},
		{"a sidecar runs on", `{"initContainers":[{"restartPolicy":"Always","resources":{"requests":{"cpu":"200m"}}},{"resources":{"requests":{"cpu":"1"}}}],"containers":[{"resources":{"requests":{"cpu":"500m"}}}]}`,
			model.Resources{CPU: 1200}},
		{"overhead and others", `{"overhead":{"cpu":"250m"},"containers":[{"resources":{"requests":{"cpu":"1","example.com/gpu":"2"}}}]}`,
			model.Resources{CPU: 1250, Other: map[string]int64{"example.com/gpu": 2}}},
		{"of the pod as a whole", `{"resources":{"requests":{"cpu":"4"}},"containers":[{"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]}`,
			model.Resources{CPU: 4000, Memory: 1 << 30}},
	} {
		cluster, _ := read(t, "f", plainList(nodeN1, pod("p", "web-a", "", c.spec)))
		if diff := cmp.Diff(c.want, cluster.Workloads[0].Requests); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestPodDetails(t *testing.T) {
	template := `{"nodeSelector":{"os":"linux"},"terminationGracePeriodSeconds":60,"hostNetwork":true,
 "containers":[{"ports":[{"containerPort":80},{"containerPort":443,"hostPort":443},{"containerPort":80,"protocol":"UDP"}]}],
 "tolerations":[{"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists","tolerationSeconds":300},
  {"effect":"NoExecute","key":"node.kubernetes.io/unreachable","operator":"Exists","tolerationSeconds":30},{"key":"gpu","value":"x"}],
 "topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule","minDomains":3,"nodeTaintsPolicy":"Honor","nodeAffinityPolicy":"Ignore","labelSelector":{"matchLabels":{"app":"web"}}},
  {"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"ScheduleAnyway"}],
 "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]},{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]},
   "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,"preference":{"matchExpressions":[{"key":"cores","operator":"Gt","values":["4"]}]}}]},
  "podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","namespaceSelector":{},"labelSelector":{"matchLabels":{"app":"web"}}},{"topologyKey":"zone"}],
   "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":9,"podAffinityTerm":{"topologyKey":"zone","namespaces":["other"],"labelSelector":{}}}]}}}`
	set := `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db","namespace":"shop"},"spec":{"replicas":3,"minReadySeconds":9,"podManagementPolicy":"Parallel","ordinals":{"start":5},
 "template":{"metadata":{"labels":{"app":"db"}},"spec":` + template + `}}}`
	live := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"db-6","namespace":"shop","deletionTimestamp":"2026-01-01T00:00:00Z","ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"db","controller":true}]},
 "spec":{"nodeName":"n1","priority":1000,"preemptionPolicy":"Never","terminationGracePeriodSeconds":60,"hostNetwork":true,"containers":[{"readinessProbe":null},{"readinessProbe":{"httpGet":{"port":80}},"ports":[{"containerPort":80,"hostPort":80},{"containerPort":443,"hostPort":443}]}],
  "volumes":[{"name":"t","emptyDir":{}},{"name":"d","persistentVolumeClaim":{"claimName":"d"}}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`
	c, notes := read(t, "f", plainList(nodeN1, set, live, budgetInOther))
	thirty := int64(30)
	want := model.Workload{
		Name: "db", Namespace: "shop", Kind: model.StatefulSet, Count: 1, Replicas: 3, Labels: map[string]string{"app": "db"},
		GracePeriod: time.Minute, MinReady: 9 * time.Second, Parallel: true, ReadinessProbe: true, NodeSelector: map[string]string{"os": "linux"},
		Tolerations: []model.Toleration{
			{Key: model.TaintUnreachable, Operator: "Exists", Effect: model.NoExecute, Seconds: &thirty},
			{Key: "gpu", Operator: "Equal", Value: "x"},
		},
		NodeAffinity: model.NodeAffinity{
			Required: []model.NodeTerm{
				{Labels: []model.Requirement{{Key: "disk", Operator: "In", Values: []string{"ssd"}}}},
				{Labels: []model.Requirement{{Key: model.LabelHostname, Operator: "In", Values: []string{"n1"}}}},
			},
			Preferred: []model.WeightedNodeTerm{{Weight: 5, Term: model.NodeTerm{Labels: []model.Requirement{{Key: "cores", Operator: "Gt", Values: []string{"4"}}}}}},
		},
		AntiAffinity: model.PodAffinity{
			Required: []model.PodTerm{
				{TopologyKey: model.LabelHostname, Namespaces: []string{"other", "shop"}, Selector: &model.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
				{TopologyKey: "zone", Selector: &model.LabelSelector{MatchExpressions: impossible()}},
			},
			Preferred: []model.WeightedPodTerm{{Weight: 9, Term: model.PodTerm{TopologyKey: "zone", Namespaces: []string{"other"}, Selector: &model.LabelSelector{}}}},
		},
		Spread: []model.SpreadConstraint{
			{TopologyKey: model.LabelZone, MaxSkew: 2, DoNotSchedule: true, MinDomains: 3, HonorTaints: true, IgnoreAffinity: true, Selector: &model.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
			{TopologyKey: model.LabelHostname, MaxSkew: 1, Selector: &model.LabelSelector{MatchExpressions: impossible()}},
		},
		HostPorts: []int{80, 443}, Priority: 1000, NeverPreempts: true, EmptyDir: true,
		Existing: []model.ExistingPod{{Name: "db-6", Node: "n1", Ready: true, Ordinal: 1, Terminating: true}},
	}
	if diff := cmp.Diff(want, c.Workloads[0]); diff != "" {
		t.Error(diff)
	}
	if notes[0].Code != model.VolumesUnknown || c.Workloads[0].Volume != nil {
		t.Errorf("notes %v: want one about volumes", notes)
	}
	// Without the pod everything comes from the template.
	c, _ = read(t, "f", plainList(nodeN1, set, budgetInOther))
	want.Existing, want.Priority, want.NeverPreempts, want.EmptyDir, want.ReadinessProbe = nil, 0, false, false, false
	if diff := cmp.Diff(want, c.Workloads[0]); diff != "" {
		t.Errorf("template alone:\n%s", diff)
	}
}

const budgetInOther = `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b","namespace":"other"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}}`
