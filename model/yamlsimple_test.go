package model

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// simpleTexts are in the simple form, and say what is special about it.
var simpleTexts = []string{
	"a: 1",
	"a: 1\nb: x y\nc: 'x: y'\nd: \"# x\"\n",
	"# head\n\na: # of a\n  b: 1 # of b\n\n  # tail\nc: x#y\n",
	"a:\nb:\n  c:\nd: ''\ne: \"\"",
	"a:\n- b: 1\n  c: 2\n- d\n-\n- - e\n  - f\ng: h\n",
	"a:\n  - b\n  -\n    c: 1\n  - # x\n    d\n",
	"- a\n- b: c\n  d:\n  - e\n  f: g\n-\n",
	"a: {b: 1, c: [x, 'y', -1], d: {}, e: []}\nf: [{g: h}, i j]\n",
	"a: {\n  b: 1,\n    c: [x,\n y\n]\n}\n",
	"{\"a\": [1, {\"b\": null}], \"c\": \"d\"}",
	"a: b:c\nd: e?f,g[h]{i}\n'j k': l\nm  : n\n",
	"a: [1, 010, 0o7, 0x1F, 0b1, 08, 1_000, 99999999999999999999, -5, +5]\n",
	"a: [1.5, .5, 1e3, 1.34, 5., .inf, -.inf, .nan, .x, 1.2.3]\n",
	"a: [true, True, TRUE, tRue, no, yes, on, null, Null, ~, n, f, fals, nullx, truest]\n",
	"a: [2024-01-02, 2024-01-02 03:04:05, 500m, 1Gi, 10%, 20s, v1.33.4, 0.1.0, 1-2, ef, 0xg]\n",
	"a:\n   b\nc:\n - d\n",
	"just text",
	"true",
}

// otherTexts are valid, but not simple.
var otherTexts = []string{
	"a: &x 1\nb: *x\n", "a: !!str 1\n", "a: |\n  x\n", "a: >\n  x\n", "a: \"\\n\"\n", "a: 'it''s'\n", "a: x\n  y\n",
	"---\na: 1\n", "a: 1\n---\nb: 2\n", "a: 1\n...\n", "? a\n: b\n", "a: ä\n", "a:\t1\n", "a: 1\r\n", "{a, b: }", "[a: b]", "{a: 1,}",
	"a: {b: 1, # x\n c: 2}\n", "<<: {a: 1}\n", "%YAML 1.1\n---\na: 1\n", "", "# x\n", "---", "\"a\": 'x\n  y'\n", "[x\n y]",
}

func TestSimpleYAML(t *testing.T) {
	for _, text := range simpleTexts {
		if compareReaders(t, []byte(text)); readSimple([]byte(text)) == nil {
			t.Errorf("%q is not taken for simple", text)
		}
	}
	for _, text := range otherTexts {
		if simple, _ := lookAtBytes([]byte(text)); simple && readSimple([]byte(text)) != nil {
			t.Errorf("%q is taken for simple", text)
		}
	}
	for _, c := range badFiles {
		plain, _ := marked(c.file)
		compareReaders(t, []byte(plain))
	}
	for _, depth := range []int{maxDepth - 1, maxDepth, maxDepth + 1} {
		compareReaders(t, []byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)))
		compareReaders(t, []byte(strings.Repeat("{a: ", depth)+"b"+strings.Repeat("}", depth)))
		compareReaders(t, []byte(strings.Repeat("- ", depth)+"a"))
		compareReaders(t, []byte(strings.Repeat("- ", depth)+"a: b"))
	}
	for _, keys := range []int{mostSimpleKeys, mostSimpleKeys + 1} {
		var b strings.Builder
		for i := range keys {
			fmt.Fprintf(&b, "k%d: %d\n", i, i)
		}
		compareReaders(t, []byte(b.String()))
	}
	for _, long := range []int{longestSimpleKey, 1024, 1025} {
		compareReaders(t, []byte(strings.Repeat("k", long)+": 1\n"))
	}
}

// A scenario with any one character more, less or other is read as the library reads it, or left to it.
func TestSimpleYAMLChanged(t *testing.T) {
	for _, text := range simpleTexts {
		for i := range len(text) + 1 {
			for _, c := range "\n #:-,[]{}'\"ab1.?&*!|>%@\\~<" {
				compareReaders(t, []byte(text[:i]+string(c)+text[i:]))
				if i < len(text) {
					compareReaders(t, []byte(text[:i]+string(c)+text[i+1:]))
				}
			}
			if i < len(text) {
				compareReaders(t, []byte(text[:i]+text[i+1:]))
			}
			compareReaders(t, []byte(text[:i]))
		}
	}
}

// Most of the library's scenarios are simple; the others have several documents, or texts over several lines.
func TestScenariosAreSimple(t *testing.T) {
	files, err := filepath.Glob("../scenarios/library/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	simple := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		compareReaders(t, data)
		if ascii, _ := lookAtBytes(data); ascii && readSimple(data) != nil {
			simple++
		}
	}
	if simple < len(files)/2 {
		t.Errorf("%d of %d scenarios are taken for simple", simple, len(files))
	}
}

// FuzzSimpleYAML holds the reader of simple YAML against the library.
func FuzzSimpleYAML(f *testing.F) {
	for _, text := range append(simpleTexts, otherTexts...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { compareReaders(t, data) })
}

// compareReaders reports where a text is taken for simple, and the library reads it otherwise.
func compareReaders(t *testing.T, data []byte) {
	t.Helper()
	if simple, fault := lookAtBytes(data); !simple || fault != nil {
		return
	}
	got := readSimple(data)
	if got == nil {
		return
	}
	docs, faults := readWithLibrary(data)
	switch {
	case len(faults) > 0:
		t.Errorf("%q is taken for simple, and the library says: %v", data, faults)
	case len(docs) == 0 && got.isNull():
	case len(docs) != 1:
		t.Errorf("%q is taken for simple, and the library finds %d documents", data, len(docs))
	default:
		if where := differs(got, docs[0]); where != "" {
			t.Errorf("%q is read otherwise than by the library: %s", data, where)
		}
	}
}

// differs says where two values are not the same.
func differs(a, b *node) string {
	x, y := *a, *b
	x.keys, x.items, y.keys, y.items = nil, nil, nil, nil
	if fmt.Sprint(x) != fmt.Sprint(y) || len(a.keys) != len(b.keys) || len(a.items) != len(b.items) {
		return fmt.Sprintf("%+v, not %+v", *a, *b)
	}
	for i := range a.keys {
		if where := differs(a.keys[i], b.keys[i]); where != "" {
			return where
		}
	}
	for i := range a.items {
		if where := differs(a.items[i], b.items[i]); where != "" {
			return where
		}
	}
	return ""
}
