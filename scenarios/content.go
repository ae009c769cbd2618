package scenarios

import (
	"bytes"
	"regexp"
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
	// lines of name and version, or kubectl version.
	ContentPaste
)

// headSize is the number of bytes from the beginning of a file that recognise wants to see.
const headSize = 64 << 10

var (
	firstAPIVersion = regexp.MustCompile(`\bapiVersion["']?\s*:\s*["']?([^\s"',}]*)`)
	scenarioKind    = regexp.MustCompile(`(?m)^kind\s*:\s*["']?Scenario\b`)
	// A line of a paste: a version as Kubernetes writes it, somewhere after a first word.
	pasteLine = regexp.MustCompile(`(?m)^[^\s#{].*\bv1\.\d+\.\d+`)
	// The head of a table that kubectl get prints, below what may stand before it.
	tableHead   = regexp.MustCompile(`\A\s*(?:[$#] ?\S.*\n\s*)?(?:NAMESPACE +)?NAME +[A-Z]`)
	scenarioKey = regexp.MustCompile(`(?m)^(kind|metadata|cluster|upgrade|strategies|assumptions|faults|objectives|seed)\s*:`)
)

// recognise says what a file holds by its first headSize bytes. The first
// apiVersion decides; a file of which nothing can be said is taken for a
// scenario, whose decoder explains best.
func recognise(head []byte) Content {
	m := firstAPIVersion.FindSubmatch(head)
	switch {
	case m != nil && !bytes.HasPrefix(m[1], []byte("upsim")) && !scenarioKind.Match(head):
		return ContentKubectl
	case m == nil && !scenarioKey.Match(head) && (pasteLine.Match(head) || tableHead.Match(head)):
		return ContentPaste
	}
	return ContentScenario
}
