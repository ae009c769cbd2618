package scenarios

import (
	"bytes"
	"regexp"

	"upsim/model/kube"
)

// Content is what a file holds, judged by its beginning and not by its name.
type Content int

// The contents that are told apart.
const (
	// ContentScenario is a scenario file, a wrong one included: the decoder says what is wrong with it.
	ContentScenario Content = iota
	// ContentKubectl is `kubectl get … -o yaml` or `-o json`.
	ContentKubectl
	// ContentPaste is what people paste: a table of kubectl get, of which only that of nodes is of use,
	// lines of name and version, or kubectl version; also what kubectl says when it fails or finds nothing.
	ContentPaste
)

// headSize is the number of bytes from the beginning of a file that recognise wants to see.
const headSize = 64 << 10

var (
	firstAPIVersion = regexp.MustCompile(`\bapiVersion["']?\s*:\s*["']?([^\s"',}]*)`)
	scenarioKind    = regexp.MustCompile(`(?m)^kind\s*:\s*["']?Scenario\b`)
	scenarioKey     = regexp.MustCompile(`(?m)^(kind|metadata|cluster|upgrade|strategies|assumptions|faults|objectives|seed)\s*:`)
	scenarioOwnKey  = regexp.MustCompile(`(?m)^(cluster|upgrade|strategies|assumptions|faults|objectives|seed)\s*:`)

	// What kubectl output has where it does not say an apiVersion: a list's items or a kind of Kubernetes at
	// the top of YAML, or in JSON, or an array of objects, or the logs of kubectl cluster-info dump.
	kubectlYAML = regexp.MustCompile(`(?mi)^(items\s*:\s*(\[|null|#|$)|kind\s*:\s*["']?(` + kubectlKinds + `)\b)`)
	kubectlJSON = regexp.MustCompile(`(?si)\A\s*(\[\s*)?\{(.*"items"\s*:\s*(\[|null)|[^{\[]*"kind"\s*:\s*"(` + kubectlKinds + `)")`)
	kubectlLogs = regexp.MustCompile(`\A\s*==== (START|END) logs`)

	// What a paste begins with, or has in a line: a version as Kubernetes writes it, somewhere after a first word,
	pasteLine = regexp.MustCompile(`(?m)^[^\s#{].*\bv1\.\d+\.\d+`)
	// a word and a tab, which no scenario has,
	pasteTab = regexp.MustCompile(`(?m)^[^\s#{\[:'"-][^\s:]*\t`)
	// the head of a table that kubectl get prints, below what may stand before it, or a line that counts what is ready,
	tableHead = regexp.MustCompile(`\A\s*(?:[$#] ?\S.*\n\s*)?(?:NAMESPACE +)?NAME +[A-Z]`)
	readyLine = regexp.MustCompile(`\A\s*\S+( +\S+)? +\d+/\d+ +\S`)
	// kubectl version -o json or yaml.
	versionObject = regexp.MustCompile(`(?m)^[\s{]*["']?(clientVersion|serverVersion)["']?\s*:`)
)

// kubectlKinds are lists and the kinds that are read of them.
const kubectlKinds = `[a-z]*List|Node|Pod|Deployment|ReplicaSet|StatefulSet|DaemonSet|ReplicationController|PodDisruptionBudget`

// recognise says what a file holds by its first headSize bytes. The first
// apiVersion decides, and where there is none the keys that only one content
// has; a file of which nothing can be said is taken for a scenario, whose decoder explains best.
func recognise(head []byte) Content {
	if bytes.HasPrefix(head, []byte("apiVersion: upsim/")) {
		return ContentScenario // as most scenarios begin
	}
	if m := firstAPIVersion.FindSubmatch(head); m != nil {
		if !bytes.HasPrefix(m[1], []byte("upsim")) && !scenarioKind.Match(head) {
			return ContentKubectl
		}
		return ContentScenario
	}
	switch {
	case scenarioKind.Match(head), scenarioOwnKey.Match(head):
		return ContentScenario
	case versionObject.Match(head):
		return ContentPaste
	case kubectlYAML.Match(head), kubectlJSON.Match(head), kubectlLogs.Match(head):
		return ContentKubectl
	case scenarioKey.Match(head):
		return ContentScenario
	case pasteLine.Match(head), pasteTab.Match(head), tableHead.Match(head), readyLine.Match(head), kube.Complaint(head) != nil:
		return ContentPaste
	}
	return ContentScenario
}
