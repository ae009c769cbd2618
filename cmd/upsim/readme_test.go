package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what README says a command prints; read the difference before you commit it")

const readme = "../../README.md"

// What README shows is what upsim prints: every ```console block is run in a
// folder that holds the ```yaml blocks under the names in their first lines,
// cluster.json, real kubectl output, and during.json, made up and small. A line … stands for any lines.
func TestReadmeExamples(t *testing.T) {
	page := readPage(t)
	dir := t.TempDir()
	copyFile(t, "../../model/kube/testdata/small/all.json", filepath.Join(dir, "cluster.json"))
	copyFile(t, "../../model/calibrate/testdata/upgrade.json", filepath.Join(dir, "during.json"))
	ran := 0
	var rewritten strings.Builder
	last := 0
	for _, b := range blocks(page) {
		switch b.language {
		case "yaml":
			name, named := strings.CutPrefix(strings.SplitN(b.text, "\n", 2)[0], "# ")
			if named && strings.HasSuffix(name, ".yaml") {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(b.text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		case "console":
			rewritten.WriteString(page[last:b.start])
			last = b.start + len(b.text)
			for _, step := range session(b.text) {
				ran++
				cmd := exec.Command("sh", "-c", step.command)
				cmd.Dir = dir
				out, _ := cmd.CombinedOutput()
				rewritten.WriteString("$ " + step.command + "\n")
				if *update {
					step.want = rewrite(step.want, string(out))
				}
				rewritten.WriteString(step.want)
				if !matches(step.want, string(out)) {
					t.Errorf("line %d:\n$ %s\nprints\n%s\nand README says\n%s", b.line(page)+step.line, step.command, out, step.want)
				}
			}
		}
	}
	if ran < 5 {
		t.Errorf("README shows only %d commands", ran)
	}
	rewritten.WriteString(page[last:])
	if *update {
		if err := os.WriteFile(readme, []byte(rewritten.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestReadmeMakeTargetsExist(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^(?:\$ )?make ([a-z]+)`).FindAllStringSubmatch(readPage(t), -1)
	if len(found) < 2 {
		t.Errorf("README names %d targets of make, want those that run and that test", len(found))
	}
	for _, m := range found {
		if !strings.Contains(string(makefile), "\n"+m[1]+":") {
			t.Errorf("README says make %s, and the Makefile has no such target", m[1])
		}
	}
}

func TestMatches(t *testing.T) {
	for _, tc := range []struct {
		want, got string
		ok        bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\nb\n", "a\nc\n", false},
		{"a\n", "a\nb\n", false},
		{"a\n…\n", "a\nb\nc\n", true},
		{"a\n…\nc\n", "a\nb\nc\n", true},
		{"a\n…\nd\n", "a\nb\nc\n", false},
		{"…\nc\n", "a\nb\n", false},
		{"a\n…\nc\n", "a\nc\nb\n", false},
	} {
		if got := matches(tc.want, tc.got); got != tc.ok {
			t.Errorf("matches(%q, %q) = %v", tc.want, tc.got, got)
		}
	}
}

// block is a fenced part of a page; start is where its text begins.
type block struct {
	language, text string
	start          int
}

// line is the number of the block's first line.
func (b block) line(page string) int { return 1 + strings.Count(page[:b.start], "\n") }

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

func blocks(page string) (list []block) {
	for _, m := range fence.FindAllStringSubmatchIndex(page, -1) {
		list = append(list, block{page[m[2]:m[3]], page[m[4]:m[5]], m[4]})
	}
	return list
}

func TestRewrite(t *testing.T) {
	for _, tc := range []struct{ want, got, out string }{
		{"a\n", "b\nc\n", "b\nc\n"},
		{"a\n…\n", "b\nc\nd\n", "b\n…\n"},
		{"a\n…\nz\n", "b\nc\nd\n", "b\n…\nd\n"},
		{"…\nz\n", "b\nc\nd\n", "…\nd\n"},
		{"a\n…\nz\n", "b\n", "b\n"},
	} {
		if got := rewrite(tc.want, tc.got); got != tc.out {
			t.Errorf("rewrite(%q, %q) = %q, want %q", tc.want, tc.got, got, tc.out)
		}
	}
}

type step struct {
	command, want string
	line          int
}

// session splits a console block into commands, which follow "$ ", and what each prints.
func session(text string) (steps []step) {
	for i, line := range strings.SplitAfter(text, "\n") {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			steps = append(steps, step{command: strings.TrimSpace(command), line: i})
		} else if len(steps) > 0 {
			steps[len(steps)-1].want += line
		}
	}
	return steps
}

// matches compares whole lines; a line … in want stands for any number of lines.
func matches(want, got string) bool {
	parts := strings.Split("\n"+want, "\n…\n")
	got = "\n" + got
	if len(parts) == 1 {
		return parts[0] == got
	}
	for i, part := range parts {
		if i > 0 {
			part = "\n" + part
		}
		switch {
		case i == 0:
			if !strings.HasPrefix(got, part+"\n") {
				return false
			}
			got = got[len(part):]
		case i == len(parts)-1:
			return strings.HasSuffix(got, part)
		default:
			at := strings.Index(got, part+"\n")
			if at < 0 {
				return false
			}
			got = got[at+len(part):]
		}
	}
	return false
}

// rewrite is got, cut as want is: as many lines before and behind its line ….
func rewrite(want, got string) string {
	before, behind, cut := strings.Cut("\n"+want, "\n…\n")
	if !cut {
		return got
	}
	lines := strings.SplitAfter(got, "\n")
	lines = lines[:len(lines)-1]
	first, last := strings.Count(before, "\n"), strings.Count(behind, "\n")
	if first+last > len(lines) {
		return got
	}
	return strings.Join(lines[:first], "") + "…\n" + strings.Join(lines[len(lines)-last:], "")
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
