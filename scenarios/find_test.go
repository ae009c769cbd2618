package scenarios_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"upsim/scenarios"
)

// inFolder makes files, in a new folder that becomes the current one.
func inFolder(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFiles(t *testing.T) {
	inFolder(t, "b/2.yml", "b/1.yaml", "b/.hidden.yaml", "b/.git/c.yaml", "b/notes.txt", "b/a/3.json", "c.yaml", "[d].yaml", "none/readme.md")
	for _, tc := range []struct {
		paths, list, want, err string
	}{
		{"b", "", "b/1.yaml b/2.yml b/a/3.json", ""},
		{"b/", "", "b/1.yaml b/2.yml b/a/3.json", ""},
		{".", "", "[d].yaml b/1.yaml b/2.yml b/a/3.json c.yaml", ""},
		{"c.yaml b/*.y*ml", "", "c.yaml! b/1.yaml b/2.yml", ""},
		{"b/.*.yaml", "", "b/.hidden.yaml", ""},
		{"b/2.yml b ./b/2.yml", "", "b/2.yml! b/1.yaml b/a/3.json", ""},
		{"b b", "", "b/1.yaml b/2.yml b/a/3.json", ""},
		{"[d].yaml", "", "[d].yaml!", ""},
		{"b/notes.txt", "", "b/notes.txt!", ""},
		{"missing.yaml", "", "missing.yaml!", ""},
		{"c.yaml -", "b/2.yml\r\n\nb/a\nmissing.yaml\n", "c.yaml! b/2.yml! b/a/3.json missing.yaml!", ""},
		{"-", "", "", ""},
		{"-", "-\n", "", "names -"},
		{"none", "", "", "the folder none has no file whose name ends in .yaml, .yml, .json"},
		{"*.yml", "", "", "no file matches *.yml"},
		{"non*", "", "", "no file matches non*"},
		{"b b/*.yml c.yaml ./[c].yaml", "", "b/1.yaml b/2.yml b/a/3.json c.yaml!", ""},
		{"x/**", "", "", "name the folder"},
		{"[x", "", "", "is no pattern"},
	} {
		found, err := scenarios.Files(strings.Fields(tc.paths), strings.NewReader(tc.list))
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %v", tc.paths, err)
			}
			continue
		}
		var names []string
		for _, f := range found {
			if f.Named {
				f.Path += "!"
			}
			names = append(names, filepath.ToSlash(f.Path))
		}
		if got := strings.Join(names, " "); err != nil || got != tc.want {
			t.Errorf("%s: %s, want %s: %v", tc.paths, got, tc.want, err)
		}
	}
}

// Kubernetes mounts a ConfigMap as links to a folder whose name begins with two dots; a link to a folder is not followed, a pipe not waited for.
func TestFilesThatAreLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	inFolder(t, "s/..2026/a.yaml")
	for link, to := range map[string]string{"s/..data": "..2026", "s/a.yaml": "..data/a.yaml", "s/loop.yaml": ".", "s/dangling.yaml": "gone"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := exec.Command("mkfifo", "s/pipe.yaml").Run(); err != nil {
		t.Logf("without a pipe: %v", err)
	}
	if _, err := scenarios.Files([]string{"s/p*.yaml"}, nil); err == nil || err.Error() != "no file matches s/p*.yaml" {
		t.Errorf("a pattern that a pipe alone matches: %v", err)
	}
	found, err := scenarios.Files([]string{"s"}, nil)
	if err != nil || len(found) != 2 || found[0].Path != "s/a.yaml" || found[1].Path != "s/dangling.yaml" {
		t.Errorf("found %v: %v", found, err)
	}
}

// A source tells by its digests when the file, or what its scenario is built on, has changed.
func TestSourceDigests(t *testing.T) {
	inFolder(t)
	scenario := "apiVersion: upsim/v1\nkind: Scenario\nmetadata: {name: a}\ncluster: {from: [nodes.json]}\nupgrade: {to: v1.34.2}\n"
	nodes := `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"},"status":{"nodeInfo":{"kubeletVersion":"v1.33.4"}}}]}` + "\n\n\n"
	os.Mkdir("in", 0o755)
	os.WriteFile("in/a.yaml", []byte(scenario), 0o644)
	os.WriteFile("in/nodes.json", []byte(nodes), 0o644)
	s, err := scenarios.ReadSource("in/a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	list, from, err := s.Load()
	if err != nil || len(list) != 1 || len(from) != 1 || from[0].File != filepath.Join("in", "nodes.json") {
		t.Fatalf("%d scenarios built on %v: %v", len(list), from, err)
	}
	for _, want := range append(from, s.FileDigest) {
		if got, err := scenarios.DigestFile(want.File); err != nil || got != want {
			t.Errorf("%v, and again %v: %v", want, got, err)
		}
	}
	os.WriteFile("in/nodes.json", []byte(nodes+" "), 0o644)
	if got, err := scenarios.DigestFile(from[0].File); err != nil || got == from[0] {
		t.Errorf("another file has the same digest: %v", err)
	}
}
