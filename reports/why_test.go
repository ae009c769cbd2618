package reports

import (
	"bytes"
	"strings"
	"testing"

	"upsim/model"
)

// A message that names its subject is not led by it once more.
func TestSubjectsAreSaidOnce(t *testing.T) {
	list := []model.Finding{
		model.NewFinding(model.PodMovedMoreThanOnce, "Deployment/x/web", "1 pod of Deployment/x/web moved more than once"),
		model.NewFinding(model.PodMovedMoreThanOnce, "Deployment/x/web", "1 pod of Deployment/x/web2 moved more than once"),
		model.NewFinding(model.NodeLost, "Node/a", "Node/a is lost"),
		model.NewFinding(model.DrainRefused, "Node/a", "kubectl drain refuses"),
	}
	out := string(bytesOf(t, func(b *bytes.Buffer) error {
		return Findings(b, Checked{Findings: list}, FormatTable, TableOptions{})
	}))
	for _, want := range []string{"- 1 pod of Deployment/x/web moved", "- Deployment/x/web: 1 pod of Deployment/x/web2 moved", "NodeLost\n", "DrainRefused  Node/a\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}
