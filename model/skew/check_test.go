package skew

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"upsim/model"
)

// v is version 1.M.P for the text M.P, or 1.M.0 for M; zero for "".
func v(t testing.TB, s string) model.Version {
	t.Helper()
	if s == "" {
		return model.Version{}
	}
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	version, err := model.ParseVersion("v1." + s)
	if err != nil {
		t.Fatal(err)
	}
	return version
}

func instances(t testing.TB, versions string) []Instance {
	t.Helper()
	var list []Instance
	for i, s := range strings.Fields(versions) {
		list = append(list, Instance{fmt.Sprintf("cp-%d", i+1), v(t, s)})
	}
	return list
}

// codes are the broken rules as "code subject", without the notes.
func codes(list []model.Finding) string {
	var words []string
	for _, f := range list {
		if f.Code != model.SkewAtLimit {
			words = append(words, fmt.Sprintf("%s %s", f.Code, f.Subject))
		}
	}
	return strings.Join(words, ", ")
}

// One row for each example and each limit of
// https://kubernetes.io/releases/version-skew-policy/, named by its section;
// versions are minors of Kubernetes 1. "kubernetes/kubeadm#2389" and "awsdocs/amazon-eks-user-guide#922" retell real cases.
func TestPolicy(t *testing.T) {
	const tooNew, tooOld = "KubeletNewerThanAPIServer Node/n1", "KubeletTooOld Node/n1"
	const proxyNew, proxyOld, proxyFar = "KubeProxyNewerThanAPIServer Node/n1", "KubeProxyTooOld Node/n1", "KubeProxyKubeletSkew Node/n1"
	for _, c := range []struct {
		section                     string
		servers                     string
		manager, scheduler, cloud   string
		kubectl, kubelet, kubeProxy string
		want                        string
	}{
		{section: "kube-apiserver", servers: "34"},
		{section: "kube-apiserver", servers: "34 33 34"},
		{section: "kube-apiserver", servers: "34 33 32", want: "APIServerSkew apiserver/cp-3"},
		{section: "kube-apiserver", servers: "32 34 32", want: "APIServerSkew apiserver/cp-1, APIServerSkew apiserver/cp-3"},

		{section: "kubelet", servers: "34", kubelet: "35", want: tooNew},
		{section: "kubelet", servers: "34", kubelet: "34"},
		{section: "kubelet", servers: "34.2", kubelet: "34.9"},
		{section: "kubelet", servers: "34", kubelet: "33"},
		{section: "kubelet", servers: "34", kubelet: "32"},
		{section: "kubelet", servers: "34", kubelet: "31"},
		{section: "kubelet", servers: "34", kubelet: "30", want: tooOld},
		{section: "kubelet, HA", servers: "34 33", kubelet: "34", want: tooNew},
		{section: "kubelet, HA", servers: "34 33", kubelet: "33"},
		{section: "kubelet, HA", servers: "34 33", kubelet: "32"},
		{section: "kubelet, HA", servers: "34 33", kubelet: "31"},
		{section: "kubelet, HA", servers: "34 33", kubelet: "30", want: tooOld},
		{section: "kubelet < 1.25", servers: "26", kubelet: "24"},
		{section: "kubelet < 1.25", servers: "27", kubelet: "24", want: tooOld},
		{section: "kubelet < 1.25", servers: "26", kubelet: "23", want: tooOld},
		{section: "kubelet < 1.25", servers: "28", kubelet: "25"},
		{section: "kubelet < 1.25", servers: "29", kubelet: "25", want: tooOld},
		{section: "kubelet, kubernetes/kubeadm#2389", servers: "20.2", kubelet: "18.3"},
		{section: "kubelet, kubernetes/kubeadm#2389", servers: "28", kubelet: "25"},
		{section: "kubelet, kubernetes/kubeadm#2389", servers: "24", kubelet: "21", want: tooOld},

		{section: "kube-proxy", servers: "34", kubelet: "34", kubeProxy: "35", want: proxyNew},
		{section: "kube-proxy", servers: "34", kubelet: "34", kubeProxy: "34"},
		{section: "kube-proxy", servers: "34", kubelet: "34", kubeProxy: "31"},
		{section: "kube-proxy", servers: "34", kubelet: "34", kubeProxy: "30", want: proxyOld},
		{section: "kube-proxy, HA", servers: "34 33", kubelet: "33", kubeProxy: "34", want: proxyNew},
		{section: "kube-proxy, HA", servers: "34 33", kubelet: "33", kubeProxy: "31"},
		{section: "kube-proxy < 1.25", servers: "26", kubelet: "26", kubeProxy: "24"},
		{section: "kube-proxy < 1.25", servers: "27", kubelet: "27", kubeProxy: "24", want: proxyOld},
		{section: "kube-proxy, beside the kubelet", servers: "34", kubelet: "31", kubeProxy: "34"},
		{section: "kube-proxy, beside the kubelet", servers: "34", kubelet: "30", kubeProxy: "34", want: tooOld + ", " + proxyFar},
		{section: "kube-proxy, beside the kubelet", kubelet: "30", kubeProxy: "33"},
		{section: "kube-proxy, beside the kubelet", kubelet: "30", kubeProxy: "34", want: proxyFar},
		{section: "kube-proxy, beside the kubelet", kubelet: "34", kubeProxy: "30", want: proxyFar},
		{section: "kube-proxy < 1.25, beside the kubelet", kubelet: "26", kubeProxy: "24"},
		{section: "kube-proxy < 1.25, beside the kubelet", kubelet: "27", kubeProxy: "24", want: proxyFar},
		{section: "kube-proxy < 1.25, beside the kubelet", kubelet: "22", kubeProxy: "25"},
		{section: "kube-proxy, awsdocs/amazon-eks-user-guide#922", servers: "25", kubelet: "25", kubeProxy: "21", want: proxyOld},
		{section: "kube-proxy, awsdocs/amazon-eks-user-guide#922", servers: "34", kubelet: "34", kubeProxy: "31"},
		{section: "kube-proxy, awsdocs/amazon-eks-user-guide#922", servers: "19", kubelet: "18", kubeProxy: "19"},

		{section: "kube-controller-manager …", servers: "34", manager: "34", scheduler: "34", cloud: "34"},
		{section: "kube-controller-manager …", servers: "34", manager: "33", scheduler: "33", cloud: "33"},
		{section: "kube-controller-manager …", servers: "34", manager: "35", scheduler: "35", cloud: "35",
			want: "ControllerManagerSkew controller-manager/cp-1, SchedulerSkew scheduler/cp-1, CloudControllerManagerSkew cloud-controller-manager/cp-1"},
		{section: "kube-controller-manager …", servers: "34", manager: "32", scheduler: "32", cloud: "32",
			want: "ControllerManagerSkew controller-manager/cp-1, SchedulerSkew scheduler/cp-1, CloudControllerManagerSkew cloud-controller-manager/cp-1"},
		{section: "kube-controller-manager …, HA", servers: "34 33", manager: "33 33", scheduler: "33 33", cloud: "33 33"},
		{section: "kube-controller-manager …, HA", servers: "34 33", manager: "34 33", want: "ControllerManagerSkew controller-manager/cp-1"},
		{section: "kube-controller-manager …, HA", servers: "34 33", scheduler: "33 32", want: "SchedulerSkew scheduler/cp-2"},

		{section: "kubectl", servers: "34", kubectl: "36", want: "KubectlSkew kubectl/client"},
		{section: "kubectl", servers: "34", kubectl: "35"},
		{section: "kubectl", servers: "34", kubectl: "34"},
		{section: "kubectl", servers: "34", kubectl: "33"},
		{section: "kubectl", servers: "34", kubectl: "32", want: "KubectlSkew kubectl/client"},
		{section: "kubectl, HA", servers: "34 33", kubectl: "35", want: "KubectlSkew kubectl/client"},
		{section: "kubectl, HA", servers: "34 33", kubectl: "34"},
		{section: "kubectl, HA", servers: "34 33", kubectl: "33"},
		{section: "kubectl, HA", servers: "34 33", kubectl: "32", want: "KubectlSkew kubectl/client"},
	} {
		top := Topology{
			APIServers: instances(t, c.servers), ControllerManagers: instances(t, c.manager),
			Schedulers: instances(t, c.scheduler), CloudControllerManagers: instances(t, c.cloud),
			Kubectl: v(t, c.kubectl),
		}
		if c.kubelet+c.kubeProxy != "" {
			top.Nodes = []Node{{"n1", v(t, c.kubelet), v(t, c.kubeProxy)}}
		}
		if got := codes(Check(top)); got != c.want {
			t.Errorf("%s: %+v\n got %q\nwant %q", c.section, c, got, c.want)
		}
	}
}

func TestMessages(t *testing.T) {
	got := Check(Topology{
		APIServers:         instances(t, "34.2 33.4 32.1"),
		ControllerManagers: instances(t, "34.2"),
		Schedulers:         instances(t, "32.1"),
		Kubectl:            v(t, "34.1"),
		Nodes: []Node{
			{"n10", v(t, "33.1"), v(t, "32.9")},
			{"n2", v(t, "24.1"), v(t, "24.1")},
			{"n3", v(t, "30.1"), v(t, "31")},
		},
	})
	want := []string{
		"apiserver/cp-3: apiserver v1.32.1 is 2 minors older than the newest API server, v1.34.2 on cp-1; API servers must be within 1 minor of each other",
		"controller-manager/cp-1: controller-manager v1.34.2 is 2 minors newer than the oldest API server, v1.32.1 on cp-3; it must not be newer than any API server that it may talk to",
		"scheduler/cp-1: scheduler v1.32.1 is 2 minors older than the newest API server, v1.34.2 on cp-1; at most 1 minor older is allowed",
		"kubectl/client: kubectl v1.34.1 is 2 minors newer than the oldest API server, v1.32.1 on cp-3; at most 1 minor newer is allowed",
		"Node/n2: kubelet v1.24.1 is 10 minors older than the newest API server, v1.34.2 on cp-1; at most 2 minors older is allowed for a kubelet before 1.25",
		"Node/n2: kube-proxy v1.24.1 is 10 minors older than the newest API server, v1.34.2 on cp-1; at most 2 minors older is allowed for a kube-proxy before 1.25",
		"Node/n3: kubelet v1.30.1 is 4 minors older than the newest API server, v1.34.2 on cp-1; at most 3 minors older is allowed",
		"Node/n10: kubelet v1.33.1 is 1 minor newer than the oldest API server, v1.32.1 on cp-3; it must not be newer than any API server that it may talk to",
		"apiserver/1.33: apiserver 1.33 (cp-2) is the oldest allowed beside the newest API server, v1.34.2 on cp-1; it is too old for an API server at 1.35",
		"kube-proxy/1.31: kube-proxy 1.31 (n3) is the oldest allowed beside the newest API server, v1.34.2 on cp-1; it is too old for an API server at 1.35",
	}
	var lines []string
	for _, f := range got {
		lines = append(lines, f.Subject+": "+f.Message)
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}

	far := Check(Topology{Nodes: []Node{{"n1", v(t, "27.1"), v(t, "24.2")}}})
	const apart = "kube-proxy v1.24.2 is 3 minors older than the kubelet beside it, v1.27.1; at most 2 minors apart is allowed for a kube-proxy before 1.25"
	if len(far) != 1 || far[0].Message != apart {
		t.Errorf("got %v, want %q", far, apart)
	}
}

// However many nodes stand at the edge, the note on them is one.
func TestAtLimit(t *testing.T) {
	top := Topology{APIServers: instances(t, "34.2 34.1 34.2"), Kubectl: v(t, "33")}
	for i := range 40 {
		top.Nodes = append(top.Nodes, Node{fmt.Sprintf("n%d", i+1), v(t, fmt.Sprintf("31.%d", i)), v(t, "34")})
	}
	got := Check(top)
	if len(got) != 2 {
		t.Fatalf("%d findings, want one on kubectl and one on kubelets: %v", len(got), got)
	}
	const want = "kubelet 1.31 (n1, n2, n3 and 37 more) is the oldest allowed beside the API servers, v1.34.2; it is too old for an API server at 1.35"
	if got[1].Subject != "kubelet/1.31" || got[1].Message != want {
		t.Errorf("got %s: %s", got[1].Subject, got[1].Message)
	}
	if got[0].Subject != "kubectl/1.33" || got[0].Severity != model.SeverityInfo {
		t.Errorf("got %+v", got[0])
	}

	// The shorter reach before 1.25: 1.24 is at the edge two minors back, 1.25 three.
	for _, c := range []struct{ server, kubelet, want string }{
		{"26", "24", "kubelet/1.24"}, {"26", "25", ""}, {"27", "25", ""}, {"28", "25", "kubelet/1.25"},
	} {
		var subject string
		for _, f := range Check(Topology{APIServers: instances(t, c.server), Nodes: []Node{{"n1", v(t, c.kubelet), model.Version{}}}}) {
			subject = f.Subject
		}
		if subject != c.want {
			t.Errorf("kubelet 1.%s under 1.%s: note on %q, want %q", c.kubelet, c.server, subject, c.want)
		}
	}
}

// The findings for people and the integers for the simulator are one policy.
func TestCheckAgreesWithIntegers(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		base := rapid.IntRange(18, 40).Draw(r, "base")
		minor := func(label string) model.Version {
			return model.Version{Major: 1, Minor: base + rapid.IntRange(-5, 3).Draw(r, label), Patch: rapid.IntRange(0, 9).Draw(r, "patch")}
		}
		var top Topology
		for i := range rapid.IntRange(1, 3).Draw(r, "servers") {
			name := fmt.Sprintf("cp-%d", i+1)
			version := model.Version{Major: 1, Minor: base + rapid.IntRange(-1, 1).Draw(r, "server")}
			top.APIServers = append(top.APIServers, Instance{name, version})
			top.ControllerManagers = append(top.ControllerManagers, Instance{name, minor("manager")})
			top.Schedulers = append(top.Schedulers, Instance{name, minor("scheduler")})
			top.CloudControllerManagers = append(top.CloudControllerManagers, Instance{name, minor("cloud")})
		}
		top.Kubectl = minor("kubectl")
		for i := range rapid.IntRange(0, 4).Draw(r, "nodes") {
			top.Nodes = append(top.Nodes, Node{fmt.Sprintf("n%d", i+1), minor("kubelet"), minor("proxy")})
		}

		oldest, newest := 999, 0
		for _, s := range top.APIServers {
			oldest, newest = min(oldest, s.Version.Minor), max(newest, s.Version.Minor)
		}
		var want []string
		expect := func(c model.Code, subject string) {
			if c != "" {
				want = append(want, fmt.Sprintf("%s %s", c, subject))
			}
		}
		for _, s := range top.APIServers {
			if !APIServers(s.Version.Minor, newest) {
				expect(model.APIServerSkew, "apiserver/"+s.Name)
			}
		}
		if APIServers(oldest, newest) != (len(want) == 0) {
			r.Fatalf("APIServers(%d, %d) disagrees with its pairs", oldest, newest)
		}
		for _, g := range []struct {
			code model.Code
			name string
			list []Instance
		}{
			{model.ControllerManagerSkew, "controller-manager/", top.ControllerManagers},
			{model.SchedulerSkew, "scheduler/", top.Schedulers},
			{model.CloudControllerSkew, "cloud-controller-manager/", top.CloudControllerManagers},
		} {
			for _, i := range g.list {
				if !Component(i.Version.Minor, oldest, newest) {
					expect(g.code, g.name+i.Name)
				}
			}
		}
		if !Kubectl(top.Kubectl.Minor, oldest, newest) {
			expect(model.KubectlSkew, "kubectl/client")
		}
		for _, n := range top.Nodes {
			expect(Kubelet(n.Kubelet.Minor, oldest, newest), "Node/"+n.Name)
			expect(KubeProxy(n.KubeProxy.Minor, n.Kubelet.Minor, oldest, newest), "Node/"+n.Name)
		}
		if got := codes(Check(top)); got != strings.Join(want, ", ") {
			r.Fatalf("servers %d to %d\ncheck    %s\nintegers %s", oldest, newest, got, strings.Join(want, ", "))
		}
	})
}

func TestIntegersDoNotAllocate(t *testing.T) {
	n := testing.AllocsPerRun(100, func() {
		for m := 20; m < 40; m++ {
			APIServers(m, 34)
			Kubelet(m, 33, 34)
			KubeProxy(m, 31, 33, 34)
			Component(m, 33, 34)
			Kubectl(m, 33, 34)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
