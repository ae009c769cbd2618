package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMechanismsAreTested: what the table of mechanisms in README.md of this folder names exists: each story as a file with
// a source, each test in some file of tests, each toy and each rule in its list.
func TestMechanismsAreTested(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| mechanism | measured | story or test | what tells |\n")
	if !ok {
		t.Fatal("README.md has no table of mechanisms")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	code := ""
	for _, pattern := range []string{"*_test.go", "../sim/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			code += string(data)
		}
	}
	rows := strings.Split(table, "\n")[1:]
	if len(rows) < 20 {
		t.Fatalf("the table has only %d rows", len(rows))
	}
	test := regexp.MustCompile("`(Test\\w+)`")
	story := regexp.MustCompile(`[a-z]+(-[a-z]+)+`)
	named := 0
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) < 3 {
			t.Errorf("a row of %d cells: %s", len(cells), row)
			continue
		}
		for _, m := range test.FindAllStringSubmatch(row, -1) {
			if !strings.Contains(code, "func "+m[1]+"(t *testing.T)") {
				t.Errorf("there is no test %s", m[1])
			}
		}
		stories := story.FindAllString(cells[2], -1)
		for _, name := range stories {
			if data, err := os.ReadFile(filepath.Join("../sim/testdata/story", name+".txt")); err != nil {
				t.Error(err)
			} else if !strings.Contains(string(data), "\n# Source: ") {
				t.Errorf("story %s names no source", name)
			}
		}
		if len(stories) == 0 && !test.MatchString(cells[2]) {
			t.Errorf("no story and no test: %s", row)
		}
		if len(cells) > 3 {
			for _, name := range told(cells[3]) {
				named++
				if !strings.Contains(code, name) {
					t.Errorf("no toy or rule is called %q", name)
				}
			}
		}
	}
	if named < 20 {
		t.Errorf("the table names only %d toys and rules", named)
	}
}

// told lists the toys and rules of the table's last column, those with … in parts.
func told(cell string) (names []string) {
	for _, part := range strings.FieldsFunc(cell, func(r rune) bool { return r == ';' || r == '…' }) {
		part = strings.TrimSpace(part)
		for _, kind := range []string{"toy: ", "toys: ", "rule: ", "rules: "} {
			part = strings.TrimPrefix(part, kind)
		}
		if part != "" && !strings.HasPrefix(part, "`") {
			names = append(names, part)
		}
	}
	return names
}
