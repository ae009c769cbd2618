package kube

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadPaste(t *testing.T) {
	const old = "Client Version: version.Info{Major:\"1\", Minor:\"20\", GitVersion:\"v1.20.4\", GitCommit:\"e8\"}\n" +
		"Server Version: version.Info{Major:\"1\", Minor:\"19+\", GitVersion:\"v1.19.6-eks-49a6c0\", GitCommit:\"49\"}\n"
	const wide = "$ kubectl get nodes -o wide\n" +
		"NAME   STATUS                        ROLES                  AGE    VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION   CONTAINER-RUNTIME\r\n" +
		"m1     Ready                         control-plane,etcd     12d    v1.30.2   10.0.0.1      <none>        Ubuntu 22.04.5 LTS   5.15.0           containerd://1.7\r\n" +
		"m2     NotReady,SchedulingDisabled   control-plane,master   12d    v1.29.9   10.0.0.2      <none>        Ubuntu 22.04.5 LTS   5.15.0           containerd://1.7\r\n" +
		"w1     Ready                         <none>                 5h3m   v1.28.1   10.0.0.3      <none>        Ubuntu 22.04.5 LTS   5.15.0           containerd://1.7\r\n"
	for name, c := range map[string]struct{ text, want string }{
		"version, old":     {old, "kubectl v1.20.4 server v1.19.6-eks-49a6c0 managed false"},
		"client alone":     {"Client Version: v1.34.4\nKustomize Version: v5.7.1\n", "kubectl v1.34.4 server  managed false"},
		"wide":             {wide, "kubectl  server v1.29.9 managed false m1=v1.30.2 m2=v1.29.9 down cordoned w1=v1.28.1"},
		"wide and version": {wide + "\nServer Version: v1.31.0\nWARNING: version difference between client (1.34) and server (1.31) exceeds the supported minor version skew of +/-1\n", "kubectl  server v1.31.0 managed false m1=v1.30.2 m2=v1.29.9 down cordoned w1=v1.28.1"},
		"no header":        {"w1   Ready   <none>   5h   v1.28.1\n", "kubectl  server v1.28.1 managed true w1=v1.28.1"},
		"no roles":         {"NAME STATUS AGE VERSION\nw1 Ready 5h v1.8.1\n", "kubectl  server v1.8.1 managed true w1=v1.8.1"},
		"columns":          {"NAME   VERSION\nw1   v1.28.1\nw2   v1.29.1", "kubectl  server v1.29.1 managed true w1=v1.28.1 w2=v1.29.1"},
		"tabs, proxy":      {"w10\tv1.28.1\tv1.27.1\nw9\tv1.28.1\n", "kubectl  server v1.28.1 managed true w9=v1.28.1 w10=v1.28.1 proxy v1.27.1"},
		"table then tabs":  {wide + "w1\tv1.28.9\n", "kubectl  server v1.29.9 managed false m1=v1.30.2 m2=v1.29.9 down cordoned w1=v1.28.9"},
	} {
		cluster, err := ReadPaste("f", strings.NewReader(c.text))
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

func TestReadPasteRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":       {"\n", "f: there is nothing in it"},
		"prose":         {"w1\tv1.2.3\nsee the nodes above", "f:2: \"see the nodes above\" is no line about a node"},
		"no version":    {"NAME STATUS\nw1 Ready", "f:1: what this lists as a table cannot be used, only nodes with their versions; write the cluster's objects with -o json"},
		"pods, a table": {"NAMESPACE NAME READY STATUS RESTARTS AGE\nshop web-1 1/1 Running 0 5m", "f:1: pods as a table cannot be used"},
		"deployments":   {"NAME READY UP-TO-DATE AVAILABLE AGE\nweb 3/3 3 3 5m", "f:1: deployments as a table cannot be used"},
		"stateful sets": {"NAME READY AGE\nweb 3/3 5m", "f:1: workloads as a table cannot be used"},
		"nodes, cut":    {"NAME STATUS ROLES AGE\nw1 Ready <none> 5m", "f:1: nodes without the column VERSION as a table"},
		"pods":          {"web-1   1/1   Running   0   5m", "f:1: \"web-1   1/1   Running   0   5m\" is no line"},
		"bad status":    {"NAME STATUS ROLES AGE VERSION\nw1 Fine <none> 5h v1.28.1", "f:2: \"Fine\" is no status"},
		"bad version":   {"w1\tlatest", "f:1: \"w1\\tlatest\" is no line about a node: \"latest\" is not a version"},
		"JSON":          {"{\"kind\":\"List\"}", "f:1: "},
		"binary":        {"\x00", "f: this is a binary file"},
		"not a server":  {"Server Version: none", "f:1: \"none\" is not a version"},
	} {
		if _, err := ReadPaste("f", strings.NewReader(c.text)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s …", name, err, c.want)
		}
	}
}
