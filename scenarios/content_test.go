package scenarios

import "testing"

func TestRecognise(t *testing.T) {
	for name, tc := range map[string]struct {
		head string
		want Content
	}{
		"scenario":                     {"# mine\napiVersion: upsim/v1\nkind: Scenario\n", ContentScenario},
		"scenario of a later version":  {"apiVersion: upsim/v2\nkind: Scenario\n", ContentScenario},
		"scenario with a wrong group":  {"apiVersion: v1\nkind: Scenario\n", ContentScenario},
		"scenario without apiVersion":  {"metadata: {name: a}\ncluster: {version: v1.34.2}\n", ContentScenario},
		"scenario as JSON":             {`{"kind":"Scenario","apiVersion":"upsim/v1"}`, ContentScenario},
		"kubectl YAML":                 {"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n", ContentKubectl},
		"kubectl JSON":                 {"{\n    \"apiVersion\": \"v1\",\n    \"items\": [", ContentKubectl},
		"kubectl JSON lines":           {`{"apiVersion":"apps/v1","kind":"Deployment"}` + "\n", ContentKubectl},
		"custom resource of that kind": {"apiVersion: v1\nitems:\n- apiVersion: x/v1\n  kind: Scenario\n", ContentKubectl},
		"table of nodes":               {"NAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    <none>   8s    v1.33.9\n", ContentPaste},
		"lines of jsonpath":            {"n1\tv1.33.9\nn2\tv1.32.1\n", ContentPaste},
		"table of pods":                {"NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE\nshop        web-1   1/1     Running   0          7s\n", ContentPaste},
		"table below its command":      {"$ kubectl get deploy\nNAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    3/3     3            3           5m\n", ContentPaste},
		"text that begins with NAME":   {"NAME: shop\n", ContentScenario},
		"kubectl version":              {"Client Version: v1.34.4\nServer Version: v1.34.4\n", ContentPaste},
		"list without apiVersion":      {"items:\n- metadata:\n    name: n1\nkind: NodeList\n", ContentKubectl},
		"kind first, none":             {"kind: NodeList\nitems:\n- metadata:\n    name: n1\n", ContentKubectl},
		"one object, none":             {"kind: Node\nmetadata:\n  name: n1\n", ContentKubectl},
		"JSON list, none":              {`{"kind":"NodeList","metadata":{},"items":[{"metadata":{"name":"n1"}}]}`, ContentKubectl},
		"old dump":                     {`{"selfLink":"/api/v1/nodes","Items":[{"name":"n1"}]}`, ContentKubectl},
		"array":                        {`[{"kind":"Node","metadata":{"name":"n1"}}]`, ContentKubectl},
		"logs first":                   {"==== START logs for container c of pod a/b ====\n", ContentKubectl},
		"JSON scenario, none":          {`{"cluster":{"workloads":[{"name":"a","kind":"Deployment"}]}}`, ContentScenario},
		"scenario with an item":        {"kind: Node\ncluster: {}\nitems: []\n", ContentScenario},
		"kubectl version -o json":      {"{\n  \"clientVersion\": {\n    \"gitVersion\": \"v1.34.4\"", ContentPaste},
		"kubectl version -o yaml":      {"clientVersion:\n  gitVersion: v1.34.4\n", ContentPaste},
		"tab and no version":           {"n1\tlatest\n", ContentPaste},
		"pods without a head":          {"web-1   1/1   Running   0   5m\n", ContentPaste},
		"nothing found":                {"$ kubectl get nodes\nNo resources found\n", ContentPaste},
		"kubectl failed":               {"Error from server (Forbidden): nodes is forbidden\n", ContentPaste},
		"scenario with tabs":           {"metadata:\t{name: a}\n\tcluster: {}\n", ContentScenario},
		"empty":                        {"", ContentScenario},
		"binary":                       {"\x7fELF\x02\x01\x01\x00", ContentScenario},
	} {
		if got := recognise([]byte(tc.head)); got != tc.want {
			t.Errorf("%s: recognise gave %d, want %d", name, got, tc.want)
		}
	}
}
