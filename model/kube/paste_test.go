package kube

import (
	"fmt"
	"strings"
	"testing"

	"upsim/model"
)

func TestReadPaste(t *testing.T) {
	const old = "Client Version: version.Info{Major:\"1\", Minor:\"20\", GitVersion:\"v1.20.4\", GitCommit:\"e8\"}\n" +
		"Server Version: version.Info{Major:\"1\", Minor:\"19+\", GitVersion:\"v1.19.6-eks-49a6c0\", GitCommit:\"49\"}\n"
	var none model.Version
	const wide = "$ kubectl get nodes -o wide\n" +
		"NAME   STATUS                        ROLES                  AGE    VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION   CONTAINER-RUNTIME\r\n" +
		"m1     Ready                         control-plane,etcd     12d    v1.30.2   10.0.0.1      <none>        Ubuntu 22.04.5 LTS   5.15.0           containerd://1.7\r\n" +
		"m2     NotReady,SchedulingDisabled   control-plane,master   12d    v1.29.9   10.0.0.2      <none>        Ubuntu 22.04.5 LTS   5.15.0           containerd://1.7\r\n" +
		"w1     Ready                         <none>                 5h3m   v1.28.1   10.0.0.3      <none>        Ubuntu 22.04.5 LTS   5.15.0           containerd://1.7\r\n"
	for name, c := range map[string]struct {
		text, want string
		server     model.Version
	}{
		"version, old":     {old, "kubectl v1.20.4 server v1.19.6-eks-49a6c0 managed false", none},
		"client alone":     {"Client Version: v1.34.4\nKustomize Version: v5.7.1\n", "kubectl v1.34.4 server  managed false", none},
		"wide":             {wide, "kubectl  server v1.29.9 managed false m1=v1.30.2 m2=v1.29.9 down cordoned w1=v1.28.1", none},
		"wide and version": {wide + "\nServer Version: v1.31.0\nWARNING: version difference between client (1.34) and server (1.31) exceeds the supported minor version skew of +/-1\n", "kubectl  server v1.31.0 managed false m1=v1.30.2 m2=v1.29.9 down cordoned w1=v1.28.1", none},
		"no header":        {"w1   Ready   <none>   5h   v1.28.1\n", "kubectl  server v1.28.1 managed true w1=v1.28.1", none},
		"no roles":         {"NAME STATUS AGE VERSION\nw1 Ready 5h v1.8.1\n", "kubectl  server v1.8.1 managed true w1=v1.8.1", none},
		"columns":          {"NAME   VERSION\nw1   v1.28.1\nw2   v1.29.1", "kubectl  server v1.29.1 managed true w1=v1.28.1 w2=v1.29.1", none},
		"tabs, proxy":      {"w10\tv1.28.1\tv1.27.1\nw9\tv1.28.1\n", "kubectl  server v1.28.1 managed true w9=v1.28.1 w10=v1.28.1 proxy v1.27.1", none},
		"table then tabs":  {wide + "w1\tv1.28.1\n", "kubectl  server v1.29.9 managed false m1=v1.30.2 m2=v1.29.9 down cordoned w1=v1.28.1", none},
		"version, JSON":    {versionJSON + "w1\tv1.28.1\n", "kubectl v1.34.4 server v1.33.1-eks-1 managed true w1=v1.28.1", none},
		"JSON on one line": {`{"clientVersion":{"gitVersion":"v1.34.4"},"kustomizeVersion":"v5.7.1"}`, "kubectl v1.34.4 server  managed false", none},
		"version, YAML":    {versionYAML + "NAME   VERSION\nw1   v1.28.1\n", "kubectl v1.34.4 server v1.33.1 managed true w1=v1.28.1", none},
		"YAML behind":      {"w1\tv1.28.1\r\n" + strings.ReplaceAll(versionYAML, "\n", "\r\n"), "kubectl v1.34.4 server v1.33.1 managed true w1=v1.28.1", none},
		"server given":     {versionYAML + "w1\tv1.28.1\n", "kubectl v1.34.4 server v1.32.0 managed true w1=v1.28.1", model.Version{Major: 1, Minor: 32}},
	} {
		cluster, err := ReadPaste("f", strings.NewReader(c.text), c.server)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := fmt.Sprintf("kubectl %s server %s managed %v", cluster.Kubectl, cluster.Version, cluster.ControlPlane.Managed)
		for _, n := range cluster.Nodes {
			got += fmt.Sprintf(" %s=%s", n.Name, n.Kubelet)
			if !n.KubeProxy.IsZero() {
				got += " proxy " + n.KubeProxy.String()
			}
			if !n.Ready {
				got += " down"
			}
			if n.Unschedulable {
				got += " cordoned"
			}
		}
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

const (
	versionJSON = `{
  "clientVersion": {
    "major": "1",
    "minor": "34",
    "gitVersion": "v1.34.4",
    "buildDate": "2026-02-10T12:57:17Z"
  },
  "kustomizeVersion": "v5.7.1",
  "serverVersion": {
    "major": "1",
    "gitVersion": "v1.33.1-eks-1"
  }
}
`
	versionYAML = `clientVersion:
  gitVersion: v1.34.4
  goVersion: go1.24.12
  major: "1"
kustomizeVersion: v5.7.1
serverVersion:
  emulationMajor: "1"
  gitVersion: v1.33.1
`
)

func TestReadPasteRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":       {"\n", "f: there is nothing in it"},
		"prose":         {"w1\tv1.2.3\nsee the nodes above", "f:2: \"see the nodes above\" is no line about a node"},
		"no version":    {"NAME STATUS\nw1 Ready", "f:1: what this lists as a table cannot be used, only nodes with their versions; for versions paste the table of `kubectl get nodes`, for the whole cluster give the file that `kubectl get nodes,pods"},
		"pods, a table": {"NAMESPACE NAME READY STATUS RESTARTS AGE\nshop web-1 1/1 Running 0 5m", "f:1: pods as a table cannot be used"},
		"deployments":   {"NAME READY UP-TO-DATE AVAILABLE AGE\nweb 3/3 3 3 5m", "f:1: deployments as a table cannot be used"},
		"stateful sets": {"NAME READY AGE\nweb 3/3 5m", "f:1: workloads as a table cannot be used"},
		"nodes, cut":    {"NAME STATUS ROLES AGE\nw1 Ready <none> 5m", "f:1: nodes without the column VERSION as a table"},
		"pods":          {"web-1   1/1   Running   0   5m", "f:1: pods, or what else is counted, as a table cannot be used, only nodes with their versions; for versions paste the table of `kubectl get nodes`"},
		"bad status":    {"NAME STATUS ROLES AGE VERSION\nw1 Fine <none> 5h v1.28.1", "f:2: \"Fine\" is no status"},
		"bad version":   {"w1\tlatest", "f:1: the version of \"w1\" cannot be read: \"latest\" is not a version"},
		"wide pods":     {file(t, "small/get-pods-wide.txt"), "f:1: pods as a table cannot be used"},
		"pods, no head": {"shop   web-1   0/1   CrashLoopBackOff   12 (3m ago)   5h", "f:1: pods, or what else is counted, as a table"},
		"JSON":          {"{\"kind\":\"List\"}", "f:1: this is not what `kubectl version` prints as JSON or YAML; expected the table of `kubectl get nodes`"},
		"JSON, cut":     {"w1\tv1.28.1\n{\n\"clientVersion\": {", "f:2: the JSON object that begins here does not end"},
		"JSON, more":    {"{} x", "f:1: found \"x\" behind the end of a JSON object"},
		"objects":       {"w1\tv1.28.1\napiVersion: v1\nitems:\n", "f:2: here begin objects of a cluster"},
		"YAML":          {"clientVersion:\n  major: 1\n", "f:1: the client's version cannot be read: \"\" is not a version"},
		"bad YAML":      {"clientVersion:\n  gitVersion: \"v1\n", "f:1: line "},
		"found nothing": {"$ kubectl get nodes\nNo resources found\n", "f:2: kubectl found nothing (\"No resources found\"): see that it asks the right cluster"},
		"forbidden":     {"Error from server (Forbidden): nodes is forbidden\n", "f:1: kubectl failed (\"Error from server (Forbidden): nodes is forbidden\"): mend that first; for versions paste"},
		"no connection": {"E0102 15:04:05.1 1 memcache.go:265] couldn't get", "f:1: kubectl failed"},
		"no kubectl":    {"bash: line 1: kubectl: command not found\n", "f:1: kubectl failed"},
		"tab alone":     {"w1\tv1.28.1\nw2\t\n", "f:2: no version stands behind \"w2\""},
		"tab, none":     {"w1\t<none>", "f:1: the version of \"w1\" cannot be read: \"<none>\" is not a version"},
		"table, none":   {"NAME VERSION\nw1 <none>", "f:2: the version of \"w1\" cannot be read"},
		"twice":         {"w1\tv1.28.1\nw2\tv1.28.1\nNAME VERSION\nw1 v1.28.9", "f:4: the kubelet of node w1 is v1.28.9 here and v1.28.1 in line 1; remove the line that does not hold"},
		"proxy twice":   {"w1\tv1.28.1\tv1.27.1\nw1\tv1.28.1\tv1.28.1\n", "f:2: the kube-proxy of node w1 is v1.28.1 here and v1.27.1 in line 1"},
		"servers":       {"Server Version: v1.33.1\n" + versionJSON, "f:2: the server's version is v1.33.1-eks-1 here and v1.33.1 in line 1"},
		"long name":     {strings.Repeat("x", 1<<20) + "\tv1.28.1", "f:1: this is no line about a node: its name has 1048576 bytes; at most 253 are possible"},
		"control":       {"\x1b[31mw1\tv1.28.1", "f:1: this is no line about a node: its name \"\\x1b[31mw1\" has a character that cannot be printed"},
		"binary":        {"\x00", "f: this is a binary file"},
		"not a server":  {"Server Version: none", "f:1: the server's version cannot be read: \"none\" is not a version"},
	} {
		if _, err := ReadPaste("f", strings.NewReader(c.text), model.Version{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s …", name, err, c.want)
		}
	}
}
