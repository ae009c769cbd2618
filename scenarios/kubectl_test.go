package scenarios

import (
	"path/filepath"
	"strings"
	"testing"

	"upsim/model"
)

func TestFromKubectlRefusesWhatIsNone(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"scenario":      {"apiVersion: upsim/v1\nkind: Scenario\n", "<stdin>: this is a scenario; expected the output of `kubectl get nodes"},
		"table":         {"n1\tv1.33.1\n", "<stdin>: a table or a list of versions does not say what a cluster has"},
		"found nothing": {"No resources found\n", "<stdin>: kubectl found nothing"},
		"failed":        {"Unable to connect to the server: EOF\n", "<stdin>: kubectl failed"},
		"cut off":       {"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n", "<stdin>:4: the list whose items begin at line 2 ends without a kind"},
	} {
		if _, err := FromKubectl([]string{"-"}, strings.NewReader(tc.text), Options{}); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %v\nwant %s …", name, err, tc.want)
		}
	}
}

func TestAScenarioUnderFrom(t *testing.T) {
	dir := folder(t, map[string]string{"real.yaml": fromYAML, "dumps/nodes.json": fromYAML, "dumps/pod.json": podJSON})
	_, err := Load(filepath.Join(dir, "real.yaml"))
	if want := filepath.Join(dir, "dumps", "nodes.json") + ": this is a scenario; expected the output of `kubectl get"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\nwant %s …", err, want)
	}
}

// What is left out stays known: run and check tell it from the cluster's notes.
func TestFromKubectlKeepsTheNotes(t *testing.T) {
	odd := strings.Replace(podJSON, `"nodeName":"w1"`, `"nodeName":7`, 1)
	sc, err := FromKubectl([]string{"-"}, strings.NewReader(nodesJSON+odd), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, notes := range map[string][]model.Finding{"scenario": sc.Notes, "cluster": sc.Cluster.Notes} {
		if len(notes) == 0 || notes[0].Severity != model.SeverityWarning || notes[0].Subject != "Pod/default/alone" || !strings.HasPrefix(notes[0].Message, "<stdin>: Pod default/alone is not understood") {
			t.Errorf("notes of the %s: %v", name, notes)
		}
	}
}
