package kube

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const (
	yamlNode = `- apiVersion: v1
  kind: Node
  metadata:
    name: n1
  status:
    allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
    nodeInfo:
      kubeletVersion: v1.33.1
`
	yamlPod = `- apiVersion: v1
  kind: Pod
  metadata:
    name: alone
    namespace: shop
  spec:
    containers:
    - name: c
      image: "x:1"
    nodeName: n1
`
	kubectlList = "apiVersion: v1\nitems:\n" + yamlNode + yamlPod + "kind: List\nmetadata:\n  resourceVersion: \"\"\n"
	kindFirst   = "apiVersion: v1\nkind: List\nitems:\n" + yamlNode + yamlPod
	single      = "---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n"
)

// A list of kubectl is whole once its kind is there, and an error at every byte before that.
func TestYAMLListCutOffAnywhere(t *testing.T) {
	whole := strings.Index(kubectlList, "kind: List") + len("kind: List")
	for n := strings.Index(kubectlList, "items:") + len("items:"); n <= len(kubectlList); n++ {
		err := NewReader().Add("f", strings.NewReader(kubectlList[:n]))
		switch {
		case n >= whole && err != nil:
			t.Errorf("whole at byte %d: %v", n, err)
		case n < whole && (err == nil || !regexp.MustCompile(`^f:\d+: .*export it again`).MatchString(err.Error())):
			t.Errorf("cut at byte %d, behind %q: %v", n, kubectlList[n-10:n], err)
		}
	}
}

func TestRealYAMLCutOff(t *testing.T) {
	for _, name := range []string{"small/all.yaml", "medium/all.yaml.gz"} {
		text := file(t, name)
		for _, part := range []int{1, 3, 7, 10, 15, 19} {
			cut := text[:len(text)*part/20]
			want := fmt.Sprintf("f:%d: the list whose items begin at line 2 ends without a kind", strings.Count(cut, "\n")+1)
			if err := NewReader().Add("f", strings.NewReader(cut)); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s cut at %d twentieths: %v\nwant %s", name, part, err, want)
			}
		}
	}
}

func TestYAMLCutOff(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"cut list, then another":            {"apiVersion: v1\nitems:\n" + yamlNode + "---\n" + kubectlList, "f:11: the list whose items begin at line 2 ends without a kind"},
		"cut list, then another, no dashes": {"apiVersion: v1\nitems:\n" + yamlNode + kubectlList, "f:11: the list whose items begin at line 2 ends without a kind"},
		"cut in a line, then another":       {"apiVersion: v1\nitems:\n" + yamlNode + "- apiVersion: v1\n  ki" + kubectlList, "f:13: the list whose items begin at line 2 ends without a kind"},
		"kind of a typed list":              {"apiVersion: v1\nitems:\n" + yamlNode + "kind: NodeLi", "f:11: the input ends in the middle of a list's kind, \"NodeLi\""},
		"kind first, line cut":              {strings.TrimSuffix(kindFirst, ": n1\n"), "f:21: the list whose items begin at line 3 ends with an item that is not understood (the one that begins at line 12 is no YAML"},
		"kind first, in a text":             {kindFirst[:strings.Index(kindFirst, `x:1"`)+1], "f:20: the list whose items begin at line 3 ends with an item that is not understood"},
		"kind first, a value cut":           {strings.TrimSuffix(kindFirst, "1\n"), "f:21: the list whose items begin at line 3 ends in the middle of a line"},
		"kind first, no name":               {kindFirst[:strings.Index(kindFirst, "    name: alone")], "f:14: the list whose items begin at line 3 ends with an item that is not understood (it has no name)"},
		"list without elements":             {"apiVersion: v1\nitems: []\n", "f:2: the list whose items begin at line 1 ends without a kind"},
		"last document":                     {kubectlList + "---\napiVersion: v1\nkind: Pod\nmetadata:\n  nam", "f:28: the last document, which begins at line 25, is not understood (metadata is a string)"},
		"last document, in a text":          {kubectlList + "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: \"a\n", "f:28: the last document, which begins at line 25, is no YAML"},
		"log":                               {kubectlList + "==== START logs for container c of pod a/b ====\nx\n", "f:24: the input ends in the middle of the container log that begins here"},
		"log in JSON":                       {nodeN1 + "\n==== START logs for container c of pod a/b ====\n{{{", "f:3: the input ends in the middle of the container log that begins here"},
		"first object of JSON":              {nodeN1[:100], "f:1: the input ends in the middle of an object, at byte 100"},
	} {
		if err := NewReader().Add("f", strings.NewReader(c.text)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s …", name, err, c.want)
		}
	}
}

func TestYAMLThatIsWhole(t *testing.T) {
	for name, text := range map[string]string{
		"as kubectl writes it":        kubectlList,
		"without its last newline":    strings.TrimSpace(kubectlList),
		"kind first":                  kindFirst,
		"kind first, a key behind":    kindFirst + "metadata: {}",
		"kind first, a mark behind":   strings.TrimSuffix(kindFirst, "\n") + "\n...",
		"kind first, a document more": kindFirst + single,
		"kind with a remark":          strings.Replace(kubectlList, "kind: List", "kind: List # of mine", 1),
		"two lists without dashes":    "apiVersion: v1\nitems:\n" + yamlNode + "kind: List\napiVersion: v1\nitems:\n" + yamlPod + "kind: List\n",
		"two kind first, no dashes":   "apiVersion: v1\nkind: List\nitems:\n" + yamlNode + "apiVersion: v1\nkind: List\nitems:\n" + yamlPod,
		"empty list first":            "apiVersion: v1\nitems: []\nkind: List\n---\n" + kubectlList,
		"typed lists": "apiVersion: v1\nitems:\n" + strings.Replace(yamlNode, "- apiVersion: v1\n  kind: Node\n  metadata", "- metadata", 1) +
			"kind: NodeList\n---\nkind: PodList\napiVersion: v1\nitems:\n" + strings.Replace(yamlPod, "- apiVersion: v1\n  kind: Pod\n  metadata", "- metadata", 1),
	} {
		c, _ := read(t, "f", text)
		if len(c.Nodes) != 1 || len(c.Workloads) != 1 || c.Workloads[0].Existing[0].Node != "n1" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// An odd item of a list that is whole is left out, wherever it stands, and named.
func TestYAMLItemThatIsNoYAML(t *testing.T) {
	odd := "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: odd\n    namespace: shop\n  spec:\n    nodeName: \"n1\n"
	for name, text := range map[string]string{
		"in the middle": "apiVersion: v1\nitems:\n" + yamlNode + odd + yamlPod + "kind: List\n",
		"at the end":    "apiVersion: v1\nitems:\n" + yamlNode + yamlPod + odd + "kind: List\n",
	} {
		c, notes := read(t, "f", text)
		if len(c.Nodes) != 1 || len(c.Workloads) != 1 || notes[0].Subject != "Pod/shop/odd" || !strings.Contains(notes[0].Message, "is no YAML") {
			t.Errorf("%s: %d nodes, %d workloads, notes %v", name, len(c.Nodes), len(c.Workloads), notes)
		}
	}
}

// Lines that begin with a tab belong to no object, and what they would have said is not left out in silence.
func TestYAMLIndentedWithTabs(t *testing.T) {
	spec := strings.Index(kubectlList, "  spec:")
	text := kubectlList[:spec] + strings.ReplaceAll(kubectlList[spec:], "\n  ", "\n\t")
	text = strings.Replace(text, "  spec:", "\tspec:", 1)
	err := NewReader().Add("f", strings.NewReader(text))
	if want := fmt.Sprintf("f:%d: this line begins with a tab", strings.Count(text[:strings.Index(text, "\tspec:")], "\n")+1); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := NewReader().Add("f", strings.NewReader(strings.Replace(kubectlList, "kind: List", "\t\nkind: List", 1))); err != nil {
		t.Errorf("a blank line with a tab: %v", err)
	}
}
