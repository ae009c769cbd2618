package model

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// realCluster is a small cluster as the reader of kubectl output gives it.
func realCluster(t *testing.T) *Cluster {
	t.Helper()
	v := versionOf(t, "v1.33.4")
	one := intstr.FromInt32(1)
	return &Cluster{
		Version:      v,
		ControlPlane: ControlPlane{Managed: true, Replicas: 3, APIServer: []Version{v, v, v}, Inferred: []bool{true, true, true}},
		Nodes:        []Node{{Name: "worker-1", Kubelet: v, Ready: true}, {Name: "worker-2", Kubelet: v, Ready: true}},
		Workloads: []Workload{
			{Name: "db", Namespace: "default", Kind: StatefulSet, Count: 1, Replicas: 1},
			{Name: "mailer", Namespace: "shop", Kind: Deployment, Count: 1, Replicas: 2},
			{Name: "debug", Namespace: "default", Kind: BarePod, Count: 1, Replicas: 1, Existing: []ExistingPod{{Name: "debug", Node: "worker-1", Ready: true}}},
		},
		Budgets: []Budget{{Name: "db", Namespace: "default", Selector: LabelSelector{MatchLabels: map[string]string{"app": "db"}}, MinAvailable: &one, AlwaysAllow: true}},
		Notes:   []Finding{NewFinding(VersionInferred, "ControlPlane", "v1.33.4 is taken"), NewFinding(VolumesUnknown, "Volumes", "unknown")},
	}
}

// besides decodes a scenario with lines beside `from`, each indented as a key of cluster.
func besides(t *testing.T, keys string) *Scenario {
	t.Helper()
	return decodeOne(t, inScenario("cluster:\n  from: [cluster.json]\n"+keys), func([]string) (*Cluster, error) { return realCluster(t), nil })
}

func notesOf(sc *Scenario) string {
	var out []string
	for _, n := range sc.Notes {
		out = append(out, fmt.Sprintf("%s %s: %s", n.Code, n.Subject, n.Message))
	}
	return strings.Join(out, "\n")
}

func TestNotesOfNamesBesideFrom(t *testing.T) {
	for _, c := range []struct{ name, keys, want string }{
		{"two letters swapped", "  workloads: [{name: bd, startup: 9s}]\n",
			"NameNotInFiles Workload/default/bd: line 7: the workload bd is not in cluster.json and was added as a new one; did you mean db?"},
		{"another namespace", "  workloads: [{name: mailer, startup: 9s}]\n",
			"NameNotInFiles Workload/default/mailer: line 7: the workload default/mailer is not in cluster.json and was added as a new one; did you mean shop/mailer?"},
		{"a node", "  nodes: [{name: wroker-1, ready: false}]\n",
			"NameNotInFiles Node/wroker-1: line 7: the node wroker-1 is not in cluster.json and was added as a new one; did you mean worker-1?"},
		{"a budget", "  podDisruptionBudgets: [{name: dbs, selector: {}, minAvailable: 0}]\n",
			"NameNotInFiles PodDisruptionBudget/default/dbs: line 7: the budget dbs is not in cluster.json and was added as a new one; did you mean db?"},
		{"one more of a kind", "  nodes: [{name: worker-3}]\n", ""},
		{"something else", "  workloads: [{name: search}]\n", ""},
		{"what is there", "  workloads: [{name: db, startup: 9s}]\n", ""},
	} {
		sc := besides(t, c.keys)
		notes := strings.TrimPrefix(notesOf(sc), "VersionInferred ControlPlane: v1.33.4 is taken\nVolumesUnknown Volumes: unknown")
		if strings.TrimPrefix(notes, "\n") != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, notes, c.want)
		}
	}
	// A name that is written without `from` is nobody's slip.
	sc := decodeOne(t, inScenario("cluster: {version: 1.33.4, workloads: [{name: db}, {name: bd}]}\n"), nil)
	same(t, "notes without from", notesOf(sc), "")
}

// A key that only a new object needs: the message says that it is taken for one, and which one may be meant.
func TestNewBesideFrom(t *testing.T) {
	for _, c := range []struct{ name, keys, want string }{
		{"another namespace", "  podDisruptionBudgets: [{name: mailer-pdb, maxUnavailable: 1}]\n",
			"podDisruptionBudgets[0] has no \"selector\", which it needs as a new budget: default/mailer-pdb is not in cluster.json; did you mean shop/mailer-pdb (`namespace: shop`)?"},
		{"a slip", "  podDisruptionBudgets: [{name: mailr-pdb, namespace: shop, maxUnavailable: 1}]\n",
			"podDisruptionBudgets[0] has no \"selector\", which it needs as a new budget: shop/mailr-pdb is not in cluster.json; did you mean mailer-pdb?"},
		{"nothing alike", "  podDisruptionBudgets: [{name: search, maxUnavailable: 1}]\n",
			"podDisruptionBudgets[0] has no \"selector\", which it needs as a new budget: default/search is not in cluster.json"},
		{"a pool", "  nodePools: [{name: general}]\n",
			"nodePools[0] has no \"count\", which it needs as a new node pool: general is not in cluster.json"},
		{"what is there", "  podDisruptionBudgets: [{name: mailer-pdb, namespace: shop, maxUnavailable: 1}]\n", ""},
	} {
		_, faults := Decode("f.yaml", []byte(inScenario("cluster:\n  from: [cluster.json]\n"+c.keys)), func([]string) (*Cluster, error) {
			real := realCluster(t)
			real.Budgets = append(real.Budgets, Budget{Name: "mailer-pdb", Namespace: "shop"})
			return real, nil
		})
		var got []string
		for _, f := range faults {
			got = append(got, f.Message)
		}
		same(t, c.name, strings.Join(got, "\n"), c.want)
	}
}

// Many names beside a big cluster are compared up to a bound, and no further.
func TestNotesOfManyNames(t *testing.T) {
	d := &decoder{base: &Cluster{Nodes: make([]Node, 1000)}, sc: &Scenario{}}
	for i := range 2 * mostCompared / 1000 {
		d.added("node", "", fmt.Sprintf("%c%c", 'a'+i%26, 'a'+i/26%26), &node{})
	}
	if d.compared <= mostCompared || len(d.sc.Notes) > 0 {
		t.Errorf("%d comparisons counted, notes %v", d.compared, d.sc.Notes)
	}
	d.base.Nodes = append(d.base.Nodes, Node{Name: "worker"})
	if d.added("node", "", "wroker", &node{}); len(d.sc.Notes) > 0 {
		t.Errorf("notes beyond the bound: %v", d.sc.Notes)
	}
}

func TestWrittenVersionIsNotInferred(t *testing.T) {
	written := versionOf(t, "v1.34.1")
	for _, c := range []struct{ name, keys, want string }{
		{"not written", "", "VersionInferred ControlPlane: v1.33.4 is taken\nVolumesUnknown Volumes: unknown"},
		{"the cluster's", "  version: v1.34.1\n", "VolumesUnknown Volumes: unknown"},
		{"the API servers'", "  controlPlane: {versions: {apiserver: v1.34.1}}\n", "VolumesUnknown Volumes: unknown"},
	} {
		sc := besides(t, c.keys)
		same(t, c.name, notesOf(sc), c.want)
		if c.keys != "" {
			same(t, c.name, sc.Cluster.ControlPlane.APIServer, []Version{written, written, written})
		}
	}
	same(t, "the kubelets stay", besides(t, "  version: v1.34.1\n").Cluster.Nodes[0].Kubelet, versionOf(t, "v1.33.4"))

	// Of several instances only those without a version of their own get the written one.
	v := func(s string) Version { return versionOf(t, s) }
	cp := ControlPlane{APIServer: []Version{v("1.33.4"), v("1.34.0"), v("1.34.0")}, Scheduler: []Version{v("1.33.4"), v("1.34.0"), v("1.33.9")}, Inferred: []bool{false, true, false}}
	cp.replaceVersion(v("1.33.4"), v("1.33.8"))
	same(t, "servers", cp.APIServer, []Version{v("1.33.8"), v("1.33.8"), v("1.34.0")})
	same(t, "schedulers", cp.Scheduler, []Version{v("1.33.8"), v("1.33.8"), v("1.33.9")})
}

func TestNotesOfTargets(t *testing.T) {
	newest, _ := NewestPatch(34)
	for _, c := range []struct{ upgrade, want string }{
		{"upgrade: {to: 1.34}\n", fmt.Sprintf("TargetResolved Version/%v: 1.34 means %v, the newest known on %s", newest, newest, ReleasesDate)},
		{"upgrade: {to: 1.34, path: [1.34]}\n", fmt.Sprintf("TargetResolved Version/%v: 1.34 means %v, the newest known on %s", newest, newest, ReleasesDate)},
		{"upgrade: {to: v1.34.2}\n", ""},
		{"upgrade: {to: 1.43}\n", fmt.Sprintf("ReleaseUnknown Version/v1.43.0: no release of 1.43 was known on %s; the newest minor was 1.%d", ReleasesDate, newestMinor())},
		{"upgrade: {to: v1.34.2}\nstrategies: [{name: a}, {name: b, to: v1.99.1}, {name: c, to: v1.99.1}]\n",
			fmt.Sprintf("ReleaseUnknown Version/v1.99.1: no release of 1.99 was known on %s; the newest minor was 1.%d", ReleasesDate, newestMinor())},
	} {
		same(t, c.upgrade, notesOf(decodeOne(t, inScenario(c.upgrade), nil)), c.want)
	}
}

// A workload's own budget beside `from` is the budget of that name in the files, which keeps its selector.
func TestOwnBudgetOverridesTheFiles(t *testing.T) {
	sc := besides(t, "  workloads: [{name: db, replicas: 2, podDisruptionBudget: {maxUnavailable: 1}}]\n")
	one := intstr.FromInt32(1)
	same(t, "budgets", sc.Cluster.Budgets, []Budget{{Name: "db", Namespace: "default", Selector: LabelSelector{MatchLabels: map[string]string{"app": "db"}}, MaxUnavailable: &one, AlwaysAllow: true}})
	same(t, "inline", sc.Cluster.Workloads[0].Budget == nil, true)
	sc = besides(t, "  workloads: [{name: db, podDisruptionBudget: {unhealthyPodEvictionPolicy: IfHealthyBudget}}]\n")
	same(t, "what is not written", []any{*sc.Cluster.Budgets[0].MinAvailable, sc.Cluster.Budgets[0].AlwaysAllow}, []any{one, false})
	sc = besides(t, "  workloads: [{name: mailer, namespace: shop, podDisruptionBudget: {maxUnavailable: 1}}]\n")
	same(t, "a new budget", []any{len(sc.Cluster.Budgets), sc.Cluster.Workloads[1].Budget.Name}, []any{1, "mailer"})
	same(t, "what was given", realCluster(t).Budgets[0].MinAvailable.IntVal, int32(1))

	from := func([]string) (*Cluster, error) { return realCluster(t), nil }
	_, faults := Decode("f.yaml", []byte(inScenario("cluster:\n  from: [a]\n  workloads: [{name: db, podDisruptionBudget: {maxUnavailable: 1}}]\n  podDisruptionBudgets: [{name: db, minAvailable: 0}]\n")), from)
	if len(faults) != 1 || faults[0].Line != 8 || faults[0].Col != 33 || !strings.Contains(faults[0].Message, `two of budget "default/db"; the other one is on line 7`) {
		t.Errorf("%s", faults.Error())
	}
}

// `replicas: 0` takes a bare pod of the files away; elsewhere a Pod is one pod.
func TestBarePodOfTheFilesIsGone(t *testing.T) {
	sc := besides(t, "  workloads: [{name: debug, replicas: 0}]\n")
	for _, w := range sc.Cluster.Workloads {
		if w.Name == "debug" {
			t.Errorf("still there: %+v", w)
		}
	}
	from := func([]string) (*Cluster, error) { return realCluster(t), nil }
	for _, c := range []struct{ keys, want string }{
		{"cluster: {from: [a], workloads: [{name: debug, replicas: 2}]}\n", "replicas: a Pod is one pod"},
		{"cluster: {from: [a], workloads: [{name: other, kind: Pod, replicas: 0}]}\n", "replicas: a Pod is one pod"},
		{"cluster: {from: [a], workloads: [{name: debug, replicas: 0}]}\nobjectives: {minReady: {debug: 1}}\n", `no workload has the name "debug"`},
	} {
		_, faults := Decode("f.yaml", []byte(inScenario(c.keys)), from)
		if len(faults) == 0 || !strings.Contains(faults.Error(), c.want) {
			t.Errorf("%s: %s", c.keys, faults.Error())
		}
	}
}

// No suggestion is a word that is refused when it is taken.
func TestSuggestionsCanBeTaken(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{inNodes("strategy: gke_surge"), `not "gke_surge"; did you mean "gke-surge"?`},
		{inNodes("strategy: wave"), `did you mean "waves"?`},
		{inNodes("strategy: bluegreen"), `did you mean "blueGreen"?`},
		{inNodes("drain: {onFailure: deletenode}"), `did you mean "deleteNode"?`},
		{inScenario("faults: [{kind: scaleDow}]\n"), `did you mean "scaleDown"?`},
		{inScenario("upgrade: {to: 1.34.2, maintenanceWindow: []}\n"), `unknown key "maintenanceWindow" in upgrade; did you mean "maintenanceWindows"?`},
		{inScenario("upgrade: {to: 1.34.2, zebra: 1}\n"), `known here: to, path, controlPlane, nodes`},
		{inWorkload("resources: {cpu: 1}"), `unknown key "resources" in workloads[0]; did you mean "requests"?`},
		{inWorkload("resources.requests: {cpu: 1}"), `did you mean "requests"?`},
		{inWorkload("pdb: {minAvailable: 1}"), `did you mean "podDisruptionBudget"?`},
		{inScenario("cluster: {version: 1.33.4, pdbs: []}\n"), `did you mean "podDisruptionBudgets"?`},
		{inScenario("upgrade: {version: 1.34.2}\n"), `unknown key "version" in upgrade; did you mean "to"?`},
	} {
		_, faults := Decode("f.yaml", []byte(c.file), nil)
		if len(faults) == 0 || !strings.Contains(faults.Error(), c.want) {
			t.Errorf("want %s:\n%s", c.want, faults.Error())
		}
	}
}

// Every word that is offered for one from elsewhere is a key of the format.
func TestAnotherWordIsAKey(t *testing.T) {
	d := &decoder{sc: &Scenario{}}
	var u Upgrade
	known := append(fieldNames(d.upgradeFields(&u)), fieldNames(d.nodeUpgradeFields(&u.Nodes))...)
	known = append(known, "requests", "podDisruptionBudget", "podDisruptionBudgets", "terminationGracePeriodSeconds", "podAntiAffinity",
		"topologySpreadConstraints", "selector", "nodePools", "workloads", "deleteEmptyDirData", "ignoreDaemonSets", "disableEviction", "timeout", "count")
	for word, key := range anotherWord {
		found := false
		for _, k := range known {
			found = found || k == key
			if k == word && word != "version" && word != "count" {
				t.Errorf("%s is a key itself", word)
			}
		}
		if !found {
			t.Errorf("%s: %s is no key", word, key)
		}
	}
}
