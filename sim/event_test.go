package sim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A newcomer finds every file of the package in its documentation.
func TestDocNamesEveryFile(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || f == "doc.go" || strings.HasPrefix(f, "preflight_") {
			continue
		}
		if !strings.Contains(string(doc), f) {
			t.Errorf("doc.go does not say what %s is for", f)
		}
	}
}

// Two kinds of one name would be the same to the digest.
func TestKindsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	codes := map[uint64]bool{}
	for k, name := range kindNames {
		if name == "" || seen[name] || codes[kindCodes[k]] {
			t.Errorf("kind %d is called %q", k, name)
		}
		seen[name], codes[kindCodes[k]] = true, true
	}
}
