package sim

import (
	"encoding/csv"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"upsim/model"
)

// What the kubeadm of each step asks a flag for. Pool p has three nodes; the
// control plane has cp-1 and its node.
func TestPreflightKubeadm(t *testing.T) {
	v := func(s string) model.Version { return preflightVersion(t, s) }
	for _, c := range []struct {
		name, from, kubelet, to string
		change                  func(c *model.Cluster, up *model.Upgrade)
		want                    string
	}{
		{"one minor", "v1.33.4", "v1.33.4", "v1.34.2", nil, ""},
		{"1.28 wants kubelets within one minor", "v1.27.16", "v1.26.15", "v1.28.15", nil,
			"control-plane/v1.28.15: kubeadm v1.28.15 refuses without --force while a kubelet is more than 1 minor older than the target: p-1 v1.26.15, p-2 v1.26.15, p-3 v1.26.15"},
		{"1.29 no longer does", "v1.28.15", "v1.27.16", "v1.29.14", nil, ""},
		{"two minors, the workers last: the second step", "v1.26.15", "v1.26.15", "v1.28.15", nil,
			"control-plane/v1.28.15: kubeadm v1.28.15 refuses without --force while a kubelet is more than 1 minor older than the target: p-1 v1.26.15, p-2 v1.26.15, p-3 v1.26.15"},
		{"two minors, the workers at each", "v1.26.15", "v1.26.15", "v1.28.15",
			func(_ *model.Cluster, up *model.Upgrade) { up.Nodes.Hops = model.HopsEach }, ""},
		{"many nodes are counted", "v1.27.16", "v1.26.15", "v1.28.15", func(c *model.Cluster, _ *model.Upgrade) { c.Pools[0].Count = 12 },
			"control-plane/v1.28.15: kubeadm v1.28.15 refuses without --force while a kubelet is more than 1 minor older than the target: p-1 v1.26.15, p-2 v1.26.15, p-3 v1.26.15 and 9 more"},
		{"a listed control-plane node goes with its control plane", "v1.26.15", "v1.28.1", "v1.28.15", func(c *model.Cluster, _ *model.Upgrade) {
			c.Pools = nil
			c.Nodes = []model.Node{{Name: "master", Kubelet: v("v1.26.15"), Ready: true, Labels: map[string]string{model.LabelControlPlane: ""}}}
		}, ""},
		{"workers that the next minor would be too new for go first", "v1.33.4", "v1.30.4", "v1.34.2", nil, ""},
		{"four minors, with a stop for the workers", "v1.30.4", "v1.30.4", "v1.34.2", nil, ""},
		{"a kubelet that the policy names already", "v1.27.16", "v1.23.1", "v1.28.15", nil, ""},
		{"an alpha", "v1.34.4", "v1.34.4", "v1.35.0-alpha.2", nil,
			"control-plane/v1.35.0-alpha.2: kubeadm v1.35.0-alpha.2 refuses a pre-release without --allow-experimental-upgrades or --force"},
		{"a release candidate", "v1.34.4", "v1.34.4", "v1.35.0-rc.1", nil,
			"control-plane/v1.35.0-rc.1: kubeadm v1.35.0-rc.1 refuses a pre-release without --allow-release-candidate-upgrades or --force"},
		{"a step that every API server has behind it", "v1.28.15", "v1.26.15", "v1.28.15", nil, ""},
		{"a step that one API server has before it", "v1.28.15", "v1.26.15", "v1.28.15", func(c *model.Cluster, _ *model.Upgrade) {
			c.ControlPlane.Replicas = 2
			c.ControlPlane.APIServer = []model.Version{v("v1.28.15"), v("v1.27.16")}
		}, "control-plane/v1.28.15: kubeadm v1.28.15 refuses without --force while a kubelet is more than 1 minor older than the target: p-1 v1.26.15, p-2 v1.26.15, p-3 v1.26.15"},
		{"a managed control plane", "v1.27.16", "v1.26.15", "v1.28.15", func(c *model.Cluster, _ *model.Upgrade) { c.ControlPlane.Managed = true }, ""},
		{"new machines join, and none is upgraded", "v1.27.16", "v1.26.15", "v1.28.15", func(_ *model.Cluster, up *model.Upgrade) {
			up.ControlPlane.Replace = model.ReplaceMachines
		}, ""},
		{"a control plane that stays", "v1.28.15", "v1.26.15", "v1.28.15", func(_ *model.Cluster, up *model.Upgrade) { up.ControlPlane.Skip = true }, ""},
		{"a vendor's control plane", "v1.27.16+rke2r1", "v1.26.15", "v1.28.15", nil, ""},
		{"a skipped minor is said by the path, and nothing starts", "v1.26.15", "v1.25.16", "v1.28.15",
			func(_ *model.Cluster, up *model.Upgrade) { up.Path = []model.Version{up.To} }, ""},
		{"back to a pre-release is said by the path", "v1.36.1", "v1.34.1", "v1.34.6-beta.0", nil, ""},
	} {
		var got []string
		for _, f := range preflightCase(t, func(cl *model.Cluster, up *model.Upgrade) {
			cl.Version, cl.ControlPlane.Managed = v(c.from), false
			cl.Pools[0].Kubelet, cl.Pools[0].KubeProxy = v(c.kubelet), v(c.kubelet)
			up.To, up.Nodes.Hops = v(c.to), model.HopsFinal
			up.Path = model.UpgradePath(cl.Version, up.To)
			if c.change != nil {
				c.change(cl, up)
			}
		}) {
			if f.Code == model.KubeadmNeedsForce {
				got = append(got, f.Subject+": "+f.Message)
				if f.Severity != model.SeverityWarning {
					t.Errorf("%s: severity %s", c.name, f.Severity)
				}
			}
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, s, c.want)
		}
	}
}

// Nodes that go once while a control plane of one's own passes several minors are told, in a run's reasons too.
func TestPreflightHops(t *testing.T) {
	v := func(s string) model.Version { return preflightVersion(t, s) }
	said := func(minors string) string {
		return "info HopsFinal control-plane/v1.34.2: the control plane goes through " + minors + ", and workers move once, at the end, or sooner where they would be too old for it"
	}
	for _, c := range []struct {
		name, from string
		change     func(c *model.Cluster, up *model.Upgrade)
		want       string
	}{
		{"two minors", "v1.32.4", nil, said("1.33, 1.34")},
		{"three minors", "v1.31.4", nil, said("1.32, 1.33, 1.34")},
		{"one minor", "v1.33.4", nil, ""},
		{"a patch and a minor", "v1.33.4", func(_ *model.Cluster, up *model.Upgrade) { up.Path = []model.Version{v("v1.33.9"), up.To} }, ""},
		{"nodes at each", "v1.32.4", func(_ *model.Cluster, up *model.Upgrade) { up.Nodes.Hops = model.HopsEach }, ""},
		{"a provider's control plane", "v1.32.4", func(c *model.Cluster, _ *model.Upgrade) { c.ControlPlane.Managed = true }, ""},
		{"a vendor's control plane", "v1.32.4+rke2r1", nil, ""},
		{"a control plane that stays", "v1.32.4", func(_ *model.Cluster, up *model.Upgrade) { up.ControlPlane.Skip = true }, ""},
		{"new machines join", "v1.32.4", func(_ *model.Cluster, up *model.Upgrade) { up.ControlPlane.Replace = model.ReplaceMachines }, ""},
		{"nodes that are there already", "v1.32.4", func(c *model.Cluster, up *model.Upgrade) { c.Pools[0].Kubelet = up.To }, ""},
	} {
		got := ""
		for _, f := range preflightCase(t, func(cl *model.Cluster, up *model.Upgrade) {
			cl.Version, cl.ControlPlane.Managed = v(c.from), false
			cl.Pools[0].Kubelet, cl.Pools[0].KubeProxy = v(c.from), v(c.from)
			up.Path = model.UpgradePath(cl.Version, up.To)
			if c.change != nil {
				c.change(cl, up)
			}
		}) {
			if f.Code == model.NodesMovedOnce {
				got += fmt.Sprintf("%s %s %s: %s", f.Severity, f.Code, f.Subject, f.Message)
			}
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	sc := storyScenario(t, "case.txt", `
cluster: {version: v1.32.4, nodePools: [{name: p, count: 1}]}
upgrade: {to: v1.34.2}
`)
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	res := w.Run(Options{Seed: 1})
	if !slices.ContainsFunc(res.Reasons, func(f model.Finding) bool { return f.Code == model.NodesMovedOnce }) || res.Verdict != Safe {
		t.Errorf("%s, %v", res.Verdict, res.Reasons)
	}
}

// kubeadmSays tells the rules of a finding's sentence.
var kubeadmSays = []struct {
	rule string
	says *regexp.Regexp
}{
	{"belowMinimum", regexp.MustCompile(`which is older than 1\.\d+\.0, the oldest version that it knows how to run$`)},
	{"skipsMinor", regexp.MustCompile(`more than one minor newer than the API servers' `)},
	{"downgradeTooFar", regexp.MustCompile(`more than one minor older than the API servers' `)},
	{"kubeadmMinorTooOld", regexp.MustCompile(`whose minor is newer than its own$`)},
	{"kubeadmPatchTooOld", regexp.MustCompile(`a newer release of its own minor$`)},
	{"kubeadmMinorTooNew", regexp.MustCompile(`whose minor is older than its own$`)},
	{"unstableTarget", regexp.MustCompile(`refuses a pre-release without `)},
	{"kubeletTooOld", regexp.MustCompile(`while a kubelet is more than `)},
}

// Every answer that kubeadm 1.34.4 gave is what is known of the upgrade
// beforehand, and what it refuses outright never starts: kubeadm does not ask whose kubelets they are.
func TestCheckAnswersAsKubeadmDid(t *testing.T) {
	f, err := os.Open("../model/skew/testdata/kubeadm-policy.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 325 {
		t.Fatalf("the table has %d rows, want 324 and a header", len(rows))
	}
	for _, c := range []struct{ name, labels, nodes string }{
		{"control-plane nodes", ", labels: {node-role.kubernetes.io/control-plane: ''}", ""},
		{"workers", "", ""},
		{"workers, strategy kubeadm", "", ", nodes: {strategy: kubeadm}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, row := range rows[1:] {
				answersAsKubeadmDid(t, row, c.labels, c.nodes)
			}
		})
	}
}

// answersAsKubeadmDid asks about a row of the table with nodes that have these labels, upgraded in this way.
func answersAsKubeadmDid(t *testing.T, row []string, labels, upgrade string) {
	cluster, kubeadm, kubelets, target := row[0], row[1], strings.Fields(row[2]), row[3]
	var nodes []string
	for i, k := range kubelets {
		nodes = append(nodes, fmt.Sprintf("{name: m%d, kubelet: %s%s}", i+1, k, labels))
	}
	sc := storyScenario(t, "kubeadm.txt", fmt.Sprintf(`cluster:
  version: %s
  controlPlane: {replicas: %d}
  nodes: [%s]
upgrade: {to: %s, path: [%s], controlPlane: {kubeadm: %s}%s}
`, cluster, len(kubelets), strings.Join(nodes, ", "), target, target, kubeadm, upgrade))
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatalf("%v: %v", row, err)
	}
	said := map[model.Code][]string{}
	for _, f := range w.Findings() {
		if f.Code != model.KubeadmRefuses && f.Code != model.KubeadmNeedsForce {
			continue
		}
		for _, k := range kubeadmSays {
			if k.says.MatchString(f.Message) {
				said[f.Code] = append(said[f.Code], k.rule)
			}
		}
	}
	if m, s := strings.Join(said[model.KubeadmRefuses], "+"), strings.Join(said[model.KubeadmNeedsForce], "+"); m != row[4] || s != row[5] {
		t.Errorf("cluster %s, kubeadm %s, kubelets %s, target %s:\n got mandatory %q, skippable %q\nwant mandatory %q, skippable %q", cluster, kubeadm, row[2], target, m, s, row[4], row[5])
	}
	refused := false
	for _, f := range w.Hindrances() {
		refused = refused || f.Code == model.KubeadmRefuses
	}
	if got := w.Run(Options{Seed: 1}).Verdict == Aborted; refused && !got || refused != (row[4] != "") {
		t.Errorf("%v: refused %v, aborted %v", row, refused, got)
	}
}

// A kubeadm that is named answers for the kubelets as they are now; where the plan moves them before that step, what to do is said to be nothing.
func TestKubeadmOfKubeletsThatThePlanMovesFirst(t *testing.T) {
	v := func(s string) model.Version { return preflightVersion(t, s) }
	for _, c := range []struct {
		kubelet, kubeadm string
		want, fix        string
	}{
		{"v1.31.4", "v1.35.1", "a kubelet is more than 3 minors older than the target: p-1 v1.31.4, p-2 v1.31.4, p-3 v1.31.4", "it moves these nodes to v1.34.2 before"},
		{"v1.30.4", "v1.35.1", "a kubelet is more than 3 minors older than the target: p-1 v1.30.4, p-2 v1.30.4, p-3 v1.30.4", "it moves these nodes to v1.34.2 before"},
		{"v1.31.4", "v1.34.2", "a kubelet is more than 3 minors", "Upgrade old kubelets before this step"}, // that kubeadm refuses the target, and nothing starts
		{"v1.32.4", "v1.35.1", "", ""},
	} {
		var said []model.Finding
		for _, f := range preflightCase(t, func(cl *model.Cluster, up *model.Upgrade) {
			cl.Version, cl.ControlPlane.Managed = v("v1.34.2"), false
			cl.Pools[0].Kubelet, cl.Pools[0].KubeProxy = v(c.kubelet), v(c.kubelet)
			up.To, up.Path, up.ControlPlane.Kubeadm = v("v1.35.1"), []model.Version{v("v1.35.1")}, v(c.kubeadm)
		}) {
			if f.Code == model.KubeadmNeedsForce {
				said = append(said, f)
			}
		}
		if c.want == "" && len(said) > 0 || c.want != "" && (len(said) != 1 || !strings.Contains(said[0].Message, c.want) || !strings.Contains(said[0].Fix, c.fix)) {
			t.Errorf("kubelets %s, kubeadm %s: %+v, want %q, %q", c.kubelet, c.kubeadm, said, c.want, c.fix)
		}
	}
}
