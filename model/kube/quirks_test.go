package kube

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
)

// The tests here are named after the thirteen ways in which real files differ from what one expects.

const (
	nodeN1 = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"topology.kubernetes.io/zone":"a"}},
 "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}],"nodeInfo":{"kubeletVersion":"v1.33.1","kubeProxyVersion":"v1.33.1"}}}`
	podW1 = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-7d9f4b-x1","namespace":"shop","labels":{"app":"web","pod-template-hash":"7d9f4b"},
 "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7d9f4b","controller":true}]},
 "spec":{"nodeName":"n1","containers":[{"name":"c","resources":{"requests":{"cpu":"250m","memory":"64Mi"}}}]},
 "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`
	setW = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-7d9f4b","namespace":"shop","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","controller":true}]},
 "spec":{"replicas":2,"template":{"metadata":{"labels":{"app":"web","pod-template-hash":"7d9f4b"}},"spec":{"containers":[{"name":"c"}]}}}}`
	deploymentW = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},
 "spec":{"replicas":2,"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c"}]}}}}`
	budgetW = `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"web","namespace":"shop"},
 "spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}}}`
)

// withoutKind is the object as it stands in a typed list.
func withoutKind(object string) string {
	i, j := strings.Index(object, `"apiVersion"`), strings.Index(object, `"metadata"`)
	return object[:i] + object[j:]
}

func plainList(objects ...string) string {
	return `{"apiVersion":"v1","items":[` + strings.Join(objects, ",") + `],"kind":"List","metadata":{"resourceVersion":""}}`
}

func typedList(apiVersion, kind string, objects ...string) string {
	for i := range objects {
		objects[i] = withoutKind(objects[i])
	}
	return fmt.Sprintf(`{"kind":%q,"apiVersion":%q,"metadata":{},"items":[%s]}`, kind, apiVersion, strings.Join(objects, ","))
}

// typedListKindLast is the same with its keys sorted, as jq -S and YAML have them.
func typedListKindLast(apiVersion, kind string, objects ...string) string {
	for i := range objects {
		objects[i] = withoutKind(objects[i])
	}
	return fmt.Sprintf(`{"apiVersion":%q,"items":[%s],"kind":%q}`, apiVersion, strings.Join(objects, ","), kind)
}

func same(t *testing.T, what string, got, want *model.Cluster) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s gives another cluster:\n%s", what, diff)
	}
}

func shop(t *testing.T) *model.Cluster {
	t.Helper()
	c, _ := read(t, "f", plainList(nodeN1, podW1, setW, deploymentW, budgetW))
	if len(c.Nodes) != 1 || len(c.Workloads) != 1 || len(c.Budgets) != 1 || len(workload(t, c, "web").Existing) != 1 {
		t.Fatalf("the plain list gives %+v", c)
	}
	return c
}

func TestQ1TypedListsWithoutItemKinds(t *testing.T) {
	want := shop(t)
	for name, list := range map[string]func(string, string, ...string) string{"kind first": typedList, "kind last": typedListKindLast} {
		c, _ := read(t,
			"f", list("v1", "NodeList", nodeN1), "f", list("v1", "PodList", podW1), "f", list("apps/v1", "ReplicaSetList", setW),
			"f", list("apps/v1", "DeploymentList", deploymentW), "f", list("policy/v1", "PodDisruptionBudgetList", budgetW))
		same(t, name, c, want)
	}
	c, _ := read(t, "f", plainList(typedList("v1", "NodeList", nodeN1), typedListKindLast("v1", "PodList", podW1), setW, deploymentW, budgetW))
	same(t, "lists in a list", c, want)
	c, _ = read(t, "f", "["+strings.Join([]string{nodeN1, podW1, setW, deploymentW, budgetW}, ",")+"]")
	same(t, "an array", c, want)
}

func TestQ2OldClusterInfoDump(t *testing.T) {
	dump := `{"selfLink":"/api/v1/nodes","resourceVersion":"1","Items":[
 {"name":"n1","uid":"u1","creationTimestamp":"2018-09-01T10:00:00Z","labels":{"failure-domain.beta.kubernetes.io/zone":"eu-1a","node-role.kubernetes.io/master":""},
  "Spec":{"PodCIDR":"10.0.0.0/24","Unschedulable":true,"Taints":[{"Key":"dedicated","Value":"x","Effect":"NoSchedule","TimeAdded":null}]},
  "Status":{"Capacity":{"cpu":"2"},"Allocatable":{"cpu":"1900m","memory":"3500Mi","pods":"110"},
   "Conditions":[{"Type":"Ready","Status":"True"}],"NodeInfo":{"KubeletVersion":"v1.11.3","KubeProxyVersion":"v1.11.3"}}}]}
{"Items":[
 {"name":"web-1","generateName":"web-","namespace":"shop","labels":{"app":"web"},"ownerReferences":[{"apiVersion":"extensions/v1beta1","kind":"DaemonSet","name":"web","controller":true}],
  "Spec":{"Volumes":[{"Name":"d","HostPath":null,"EmptyDir":{"Medium":""}},{"Name":"e","EmptyDir":null}],"InitContainers":null,
   "Containers":[{"Name":"c","Ports":[{"HostPort":0,"ContainerPort":8080}],"Resources":{"Limits":null,"Requests":{"cpu":"100m"}}}],
   "TerminationGracePeriodSeconds":45,"NodeName":"n1","SecurityContext":{"HostNetwork":true},
   "Tolerations":[{"Key":"dedicated","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}]},
  "Status":{"Phase":"Running","Conditions":[{"Type":"Ready","Status":"True"}]}}]}`
	c, _ := read(t, "f", dump)
	n := node(t, c, "n1")
	if n.Kubelet.String() != "v1.11.3" || !n.Ready || !n.Unschedulable || n.Zone != "eu-1a" || n.Allocatable.CPU != 1900 || len(n.Taints) != 1 || c.ControlPlane.Managed {
		t.Errorf("node: %+v, managed %v", n, c.ControlPlane.Managed)
	}
	w := workload(t, c, "web")
	if w.Kind != model.DaemonSet || w.Requests.CPU != 100 || !w.EmptyDir || w.GracePeriod.Seconds() != 45 || len(w.Tolerations) != 1 ||
		!cmp.Equal(w.HostPorts, []int{8080}) || w.Labels["app"] != "web" || !w.Existing[0].Ready || w.Existing[0].Node != "n1" {
		t.Errorf("pods: %+v", w)
	}
}

func TestQ3DocumentsOneAfterAnother(t *testing.T) {
	want := shop(t)
	all := []string{nodeN1, podW1, setW, deploymentW, budgetW}
	lines := make([]string, len(all))
	for i := range all {
		lines[i] = strings.ReplaceAll(all[i], "\n", "")
	}
	log := "==== START logs for container c of pod shop/web-7d9f4b-x1 ====\n{\"kind\":\"Node\",\"metadata\":{\"name\":\"fake\"}}\n} not JSON \"\n==== END logs for container c of pod shop/web-7d9f4b-x1 ====\n"
	for name, text := range map[string]string{
		"no separator":               strings.Join(all, ""),
		"JSON lines":                 strings.Join(lines, "\n") + "\n",
		"logs between":               strings.Join(all[:2], "\n") + "\n" + log + strings.Join(all[2:], log),
		"logs first":                 log + plainList(all...),
		"dashes":                     strings.Join(all, "\n---\n"),
		"byte order":                 "\xef\xbb\xbf" + plainList(all...),
		"carriage":                   strings.ReplaceAll(plainList(all...), "\n", "\r\n"),
		"log without a last newline": plainList(all[:4]...) + "\n==== START logs for container c of pod a/b ====\n{{{==== END logs for container c of pod a/b ====\n" + all[4],
	} {
		c, _ := read(t, "f", text)
		same(t, name, c, want)
	}
}

func TestQ3YAMLDocuments(t *testing.T) {
	objects := `apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  nodeInfo: {kubeletVersion: v1.30.1}
  allocatable: {cpu: 2, memory: 4Gi}
---
# a comment
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: b
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app: web
...
---
kind: List
apiVersion: v1
items:
  - apiVersion: v1
    kind: Pod
    metadata:
      name: p
      annotations:
        text: |
          - apiVersion: v1
          ---
            kind: Pod
          items:
    spec:
      nodeName: n1
      containers:
      - name: c
        args:
        - "- x: y"
        resources:
          requests:
            cpu: 100m
        image: x
      - image: y
        name: d
        resources:
          requests: {cpu: 1}
---
apiVersion: v1
items:
- metadata:
    name: q
  spec:
    containers:
    - name: c
kind: PodList
`
	c, _ := read(t, "f.yaml", objects)
	if len(c.Nodes) != 1 || len(c.Budgets) != 1 || len(c.Workloads) != 2 {
		t.Fatalf("%+v", c)
	}
	if w := workload(t, c, "p"); w.Requests.CPU != 1100 || w.Existing[0].Node != "n1" {
		t.Errorf("pod p: %+v", w)
	}
	if n := node(t, c, "n1"); n.Allocatable.CPU != 2000 || n.Kubelet.String() != "v1.30.1" {
		t.Errorf("node: %+v", n)
	}
	if w := workload(t, c, "q"); w.Existing[0].Node != "" {
		t.Errorf("pod q: %+v", w)
	}
}

func TestQ4NullsAndMissingParts(t *testing.T) {
	c, notes := read(t, "f", `{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":null}`,
		"f", plainList(
			`{"apiVersion":"v1","kind":"Node","metadata":{"name":"bare","creationTimestamp":null}}`,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"waits","creationTimestamp":null,"labels":null},"spec":{"containers":[]},"status":{"phase":"Pending"}}`,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"blank"},"spec":null}`,
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"none","creationTimestamp":null},"spec":{"replicas":0}}`,
			`null`))
	n := node(t, c, "bare")
	if n.Ready || !n.Kubelet.IsZero() || n.Allocatable.Pods != model.DefaultPodsPerNode {
		t.Errorf("node: %+v", n)
	}
	if w := workload(t, c, "waits"); w.Existing[0].Node != "" || w.Existing[0].Ready || w.Labels == nil {
		t.Errorf("waiting pod: %+v", w)
	}
	if w := workload(t, c, "none"); w.Replicas != 0 || w.Kind != model.Deployment {
		t.Errorf("empty Deployment: %+v", w)
	}
	workload(t, c, "blank")
	if len(notes) != 2 || !strings.Contains(notes[0].Message, "node bare says no kubelet version; the cluster's version is taken") ||
		!strings.Contains(notes[1].Message, "node bare says no allocatable cpu or memory or pods") {
		t.Errorf("notes: %v", notes)
	}
}

func TestQ5OneObjectPerFile(t *testing.T) {
	want := shop(t)
	c, _ := read(t, "f", nodeN1, "f", podW1, "f", setW, "f", deploymentW, "f", budgetW)
	same(t, "one object a file", c, want)
	// The same objects once more, as per-namespace files beside a whole one have them; what comes last holds.
	c, _ = read(t, "f", strings.Replace(nodeN1, "v1.33.1", "v1.32.1", 2), "f", strings.Replace(podW1, `"n1"`, `"gone"`, 1),
		"f", setW, "f", deploymentW, "f", budgetW, "f", plainList(podW1, nodeN1))
	same(t, "objects twice", c, want)
}

func TestQ6VendorVersions(t *testing.T) {
	for _, v := range []struct {
		text         string
		minor, patch int
	}{
		{"v1.33.5+rke2r1", 33, 5}, {"v1.21.2-13+d2965f0db10712", 21, 2}, {"v1.21.2-eks-0389ca3", 21, 2}, {"v1.21.0-rc.0+6143dea", 21, 0},
		{"1.12.5-gke.10", 12, 5}, {"v1.19.7-hotfix.20210310", 19, 7}, {"v1.17.1", 17, 1}, {"v1.31.4+k3s1", 31, 4},
	} {
		c, _ := read(t, "f", strings.ReplaceAll(nodeN1, "v1.33.1", v.text))
		if k := c.Nodes[0].Kubelet; k.Minor != v.minor || k.Patch != v.patch {
			t.Errorf("%s is read as %s", v.text, k)
		}
	}
}

func TestQ7StaticPods(t *testing.T) {
	static := func(name, node, image, annotations, owners string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s-%s","namespace":"kube-system","annotations":{%s},"ownerReferences":[%s]},
 "spec":{"nodeName":%q,"containers":[{"name":%q,"image":%q}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`,
			name, node, annotations, owners, node, name, image)
	}
	const mirror, owned = `"kubernetes.io/config.mirror":"8f1"`, `{"apiVersion":"v1","kind":"Node","name":"x","controller":true}`
	master := func(name, label string) string {
		return strings.Replace(strings.Replace(nodeN1, `"n1"`, `"`+name+`"`, 1), `"topology.kubernetes.io/zone":"a"`, `"`+label+`":""`, 1)
	}
	c, notes := read(t, "f", plainList(
		master("m1", "node-role.kubernetes.io/control-plane"), master("m2", "node-role.kubernetes.io/master"), master("m10", "x"), nodeN1,
		static("kube-apiserver", "m1", "registry.k8s.io/kube-apiserver:v1.34.2", mirror, ""),
		static("kube-apiserver", "m2", "registry.k8s.io/kube-apiserver:v1.33.4@sha256:0a", mirror, owned),
		static("kube-apiserver", "m10", "localhost:5000/rancher/hardened-kubernetes:v1.33.5-rke2r1-build20250910", "", owned),
		static("kube-scheduler", "m1", "registry.k8s.io/kube-scheduler:v1.33.4", mirror, ""),
		static("etcd", "m1", "registry.k8s.io/etcd:3.5.21-0", mirror, ""),
	))
	cp := c.ControlPlane
	text := func(list []model.Version) string { return fmt.Sprint(list) }
	if cp.Managed || cp.Replicas != 3 || cp.Etcd != model.EtcdStacked || c.Version.String() != "v1.33.4" ||
		text(cp.APIServer) != "[v1.34.2 v1.33.4 v1.33.5-rke2r1-build20250910]" ||
		text(cp.Scheduler) != "[v1.33.4 v1.33.4 v1.33.5-rke2r1-build20250910]" || cp.Etcdv != nil || len(notes) != 0 || cp.Inferred != nil {
		t.Errorf("control plane %+v of %s, notes %v", cp, c.Version, notes)
	}
	for _, name := range []string{"m1", "m2", "m10"} {
		if _, ok := node(t, c, name).Labels[model.LabelControlPlane]; !ok || node(t, c, name).Pool != model.PoolControlPlane {
			t.Errorf("%s is no control-plane node: %+v", name, node(t, c, name))
		}
	}
	if w := workload(t, c, "kube-apiserver"); w.Kind != model.Static || len(w.Existing) != 3 {
		t.Errorf("static pods: %+v", w)
	}

	c, notes = read(t, "f", plainList(master("m1", "node-role.kubernetes.io/master"), static("kube-apiserver", "m1", "quay.io/ocp@sha256:1", mirror, "")))
	if c.Version.String() != "v1.33.1" || c.ControlPlane.Etcd != model.EtcdExternal || len(notes) != 1 || notes[0].Code != model.VersionInferred || !slices.Equal(c.ControlPlane.Inferred, []bool{true}) {
		t.Errorf("an image without a tag: %s, %+v, notes %v", c.Version, c.ControlPlane, notes)
	}
}

func TestQ8ControllersThatAreNoWorkloads(t *testing.T) {
	owned := func(name, refs string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"d","labels":{"app":"x"},"ownerReferences":[%s]},"spec":{"nodeName":"n1","containers":[{"name":"c"}]},"status":{"phase":"Running"}}`, name, refs)
	}
	ref := func(apiVersion, kind, name string, controller bool) string {
		return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"name":%q,"controller":%v}`, apiVersion, kind, name, controller)
	}
	c, _ := read(t, "f", plainList(nodeN1,
		owned("kafka-0", ref("core.strimzi.io/v1beta2", "StrimziPodSet", "kafka", true)), owned("kafka-1", ref("core.strimzi.io/v1beta2", "StrimziPodSet", "kafka", true)),
		owned("im-1", ref("longhorn.io/v1beta2", "InstanceManager", "im", true)),
		owned("sonobuoy-job", ref("v1", "Pod", "sonobuoy", true)),
		owned("sonobuoy-loose", ref("v1", "Pod", "sonobuoy", false)),
		owned("backup-1", ref("batch/v1", "Job", "backup", true)),
		owned("vc-1", ref("batch.volcano.sh/v1alpha1", "Job", "vc", true)),
		owned("asts-0", ref("apps.kruise.io/v1beta1", "StatefulSet", "asts", true)),
		owned("rc-1", ref("v1", "ReplicationController", "rc", true)),
		`{"apiVersion":"longhorn.io/v1beta2","kind":"Node","metadata":{"name":"n9"},"spec":{"disks":7}}`))
	for name, want := range map[string]model.Workload{
		"kafka":          {Kind: model.Custom, OwnerKind: "StrimziPodSet", Replicas: 2},
		"im":             {Kind: model.Custom, OwnerKind: "InstanceManager", Replicas: 1},
		"sonobuoy":       {Kind: model.Custom, OwnerKind: "Pod", Replicas: 1},
		"sonobuoy-loose": {Kind: model.BarePod, Replicas: 1},
		"backup":         {Kind: model.Job, Replicas: 1},
		"vc":             {Kind: model.Custom, OwnerKind: "Job", Replicas: 1},
		"asts":           {Kind: model.Custom, OwnerKind: "StatefulSet", Replicas: 1},
		"rc":             {Kind: model.ReplicaSet, Replicas: 1},
	} {
		if w := workload(t, c, name); w.Kind != want.Kind || w.OwnerKind != want.OwnerKind || w.Replicas != want.Replicas {
			t.Errorf("%s is %s %q with %d; want %s %q with %d", name, w.Kind, w.OwnerKind, w.Replicas, want.Kind, want.OwnerKind, want.Replicas)
		}
	}
	if len(c.Nodes) != 1 || len(understood(c.Notes)) != 1 {
		t.Errorf("nodes %v, notes %v; Longhorn's Node is none", c.Nodes, c.Notes)
	}
}

func TestQ9Budgets(t *testing.T) {
	budget := func(name, apiVersion, spec string) string {
		return fmt.Sprintf(`{"apiVersion":%q,"kind":"PodDisruptionBudget","metadata":{"name":%q,"namespace":"shop"},"spec":%s}`, apiVersion, name, spec)
	}
	c, notes := read(t, "f", plainList(nodeN1,
		budget("a", "policy/v1", `{"maxUnavailable":1,"selector":null}`),
		budget("b", "policy/v1", `{"maxUnavailable":"30%","selector":{}}`),
		budget("c", "policy/v1beta1", `{"minAvailable":"50%","selector":{}}`),
		budget("d", "policy/v1beta1", `{"minAvailable":2}`),
		budget("e", "policy/v1", `{"minAvailable":1,"selector":{"matchExpressions":[{"key":"app","operator":"In","values":["x","y"]}]},"unhealthyPodEvictionPolicy":"AlwaysAllow"}`),
		budget("f", "policy/v1", `{"selector":{"matchLabels":{"a":"b"}}}`),
		budget("g", "policy/v1", `{"minAvailable":1,"maxUnavailable":1,"selector":{}}`),
		budget("h", "policy/v1", `{"minAvailable":"150%","selector":{}}`),
		budget("i", "policy/v1", `{"minAvailable":"two","selector":{}}`),
		budget("j", "policy/v1", `{"minAvailable":-1,"selector":{}}`),
		budget("k", "policy/v1", `{"minAvailable":1,"selector":{"matchExpressions":[{"key":"app","operator":"Near"}]}}`)))
	var got []string
	for _, b := range c.Budgets {
		got = append(got, fmt.Sprintf("%s min %v max %v nothing %v always %v %v", b.Name, b.MinAvailable, b.MaxUnavailable, b.SelectsNothing, b.AlwaysAllow, b.Selector.MatchExpressions))
	}
	want := []string{
		"a min <nil> max 1 nothing true always false []",
		"b min <nil> max 30% nothing false always false []",
		"c min 50% max <nil> nothing true always false []",
		"d min 2 max <nil> nothing true always false []",
		"e min 1 max <nil> nothing false always true [{app In [x y]}]",
		"f min 100% max <nil> nothing false always false []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	odd := 0
	for _, n := range notes {
		if n.Code == model.ObjectNotUnderstood {
			odd++
		}
	}
	if odd != 5 {
		t.Errorf("%d budgets left out; want 5: %v", odd, notes)
	}
}

func TestQ10Quantities(t *testing.T) {
	c, _ := read(t, "f", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"3500m","memory":"15268408Ki","pods":"250","ephemeral-storage":"47093746742","hugepages-2Mi":"0","nvidia.com/gpu":"8","attachable-volumes-aws-ebs":"25"}}}`)
	want := model.Resources{CPU: 3500, Memory: 15268408 << 10, Pods: 250, Other: map[string]int64{"ephemeral-storage": 47093746742, "nvidia.com/gpu": 8}}
	if diff := cmp.Diff(want, c.Nodes[0].Allocatable); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]int64{"1": 1000, "0.1": 100, "1e2": 100000, "100u": 1, "2k": 2000000} {
		if got, err := quantity(text).parse("cpu"); err != nil || got != want {
			t.Errorf("%s of cpu is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "1e999999999", "9999999999999999999", "1.2.3", "1Qi", "1 Gi"} {
		if got, err := quantity(text).parse("memory"); err == nil {
			t.Errorf("%q is taken as %d bytes", text, got)
		}
	}
}

func TestQ11CordonedWithAndWithoutTaint(t *testing.T) {
	for name, spec := range map[string]string{
		"old": `{"unschedulable":true}`,
		"new": `{"unschedulable":true,"taints":[{"effect":"NoSchedule","key":"node.kubernetes.io/unschedulable","timeAdded":"2026-01-01T00:00:00Z"}]}`,
	} {
		c, _ := read(t, "f", strings.Replace(nodeN1, `"status"`, `"spec":`+spec+`,"status"`, 1))
		if n := c.Nodes[0]; !n.Unschedulable || len(n.Taints) != 0 {
			t.Errorf("%s: unschedulable %v, taints %v; want it cordoned without a taint of its own", name, n.Unschedulable, n.Taints)
		}
	}
}

func TestQ12PodsOfANodeThatIsNotReady(t *testing.T) {
	down := strings.Replace(nodeN1, `"type":"Ready","status":"True"`, `"type":"Ready","status":"Unknown"`, 1)
	c, _ := read(t, "f", plainList(down, podW1))
	if p := c.Workloads[0].Existing[0]; p.Ready || p.Node != "n1" {
		t.Errorf("%+v: a pod is not ready where its node is not", p)
	}
	c, _ = read(t, "f", plainList(nodeN1, podW1))
	if p := c.Workloads[0].Existing[0]; !p.Ready {
		t.Errorf("%+v: a pod on a node that is Ready", p)
	}
}

func TestQ13Garbage(t *testing.T) {
	c, notes := read(t, "bundle.json", plainList(nodeN1, strings.Replace(podW1, `"phase":"Running"`, `"phase":"CrashLoopBackOff"`, 1), deploymentW, strings.Replace(deploymentW, `"web"`, `"idle"`, 1),
		`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"kind":"Node","key":"\"}]"},"spec":{"containers":[]}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"{\"items\":[{\\\\"}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"odd","namespace":"shop"},"spec":{"replicas":"three"}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"huge","namespace":"shop"},"spec":{"replicas":2000000000}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"cpu"},"spec":{"containers":[{"resources":{"requests":{"cpu":"lots"}}}]},"status":{"phase":"Running"}}`,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"done"},"spec":{"containers":[{}]},"status":{"phase":"Succeeded"}}`,
		`17`, `"text"`))
	if len(c.Nodes) != 1 || len(c.Workloads) != 2 || workload(t, c, "web").Existing[0].Ready {
		t.Errorf("%+v", c.Workloads)
	}
	var odd []string
	for _, n := range notes {
		if n.Code == model.ObjectNotUnderstood {
			odd = append(odd, n.Subject)
			if !strings.HasPrefix(n.Message, "bundle.json: ") {
				t.Errorf("%q does not name the file", n.Message)
			}
		}
	}
	want := []string{"Deployment/shop/odd", "Deployment/shop/huge", "File/bundle.json", "File/bundle.json", "Pod/default/cpu"}
	if diff := cmp.Diff(want, odd); diff != "" {
		t.Errorf("left out:\n%s", diff)
	}
}

func TestQ13FilesThatAreNoKubectlOutput(t *testing.T) {
	whole := plainList(nodeN1, podW1)
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "f: no Kubernetes object in it; expected the output of `kubectl get nodes"},
		"blank":       {" \n\n", "f: no Kubernetes object in it"},
		"ruby":        {"{\"kind\"=>\"Node\"}", "f:1: this is not what kubectl prints"},
		"table":       {file(t, "small/get-pods-wide.txt"), "f: this is not what kubectl prints"},
		"prose":       {"hello", "f: this is not what kubectl prints"},
		"other JSON":  {`{"a":1}`, "f: this is not what kubectl prints: an object without a kind"},
		"other YAML":  {"a: 1\nb: [2]\n", "f: this is not what kubectl prints: an object without a kind"},
		"numbers":     {"[1,2]", "f: this is not what kubectl prints"},
		"binary":      {"\x7fELF\x00\x00\x01", "f: this is a binary file"},
		"gzip":        {"\x1f\x8b\x08\x00", "f: this is gzip"},
		"UTF-16":      {"\xff\xfe{\x00", "f: this is UTF-16"},
		"truncated":   {whole[:len(whole)-100], "f:5: the input ends in the middle of an object, at byte " + fmt.Sprint(len(whole)-100)},
		"text behind": {whole + "\nBye\n", "f:6: found 'B'"},
	} {
		err := NewReader().Add("f", strings.NewReader(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s …", name, err, c.want)
		}
	}
}
