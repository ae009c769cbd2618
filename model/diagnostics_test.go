package model

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files again")

func TestTenFaultsAtOnce(t *testing.T) {
	data, err := os.ReadFile("testdata/ten-faults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, faults := Decode("ten-faults.yaml", data, nil)
	got := faults.Error() + "\n"
	const golden = "testdata/ten-faults.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestDiagnosticsShowTwenty(t *testing.T) {
	var keys strings.Builder
	for i := range 47 {
		fmt.Fprintf(&keys, "zebra%d: 1\n", i)
	}
	_, faults := Decode("f.yaml", []byte(inScenario(keys.String())), nil)
	text := faults.Error()
	if len(faults) != 47 || strings.Count(text, ": error: ") != 20 || !strings.HasSuffix(text, "f.yaml: and 27 more errors") {
		t.Errorf("%d faults\n%s", len(faults), text)
	}
}

func TestDiagnosticsAreBounded(t *testing.T) {
	_, faults := Decode("f.yaml", []byte(inWorkload("placement: ["+strings.Repeat("1, ", 100000)+"1]")), nil)
	if len(faults) != maxFound {
		t.Errorf("%d faults", len(faults))
	}
}

func TestDiagnosticSource(t *testing.T) {
	for _, c := range []struct {
		name string
		d    Diagnostic
		want string
	}{
		{"tabs stay below tabs", Diagnostic{Line: 1, Col: 3, Source: "\ta: b"}, "\ta: b\n\t ^"},
		{"characters, not bytes", Diagnostic{Line: 1, Col: 4, Source: "é: x"}, "é: x\n   ^"},
		{"no control characters", Diagnostic{Line: 1, Col: 3, Source: "\x1b[31m"}, "�[31m\n  ^"},
		{"a long line", Diagnostic{Line: 1, Col: 201, Source: strings.Repeat("a", 200) + "b" + strings.Repeat("c", 200)},
			"…" + strings.Repeat("a", 80) + "b" + strings.Repeat("c", 79) + "…\n" + strings.Repeat(" ", 81) + "^"},
		{"behind the end", Diagnostic{Line: 1, Col: 9, Source: "ab"}, "ab\n  ^"},
	} {
		_, got, _ := strings.Cut(c.d.String(), "\n")
		if got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
	if got := (Diagnostic{File: "f", Line: 1, Col: 1, Severity: SeverityError, Message: "m"}).String(); got != "f:1:1: error: m" {
		t.Errorf("without a source: %q", got)
	}
}

func TestLinesSplitAsYAMLDoes(t *testing.T) {
	l := newLines([]byte("a\r\nb\rc\u0085d\u2028e\n\nf"))
	for i, want := range []string{"", "a", "b", "c", "d", "e", "", "f", ""} {
		if got := l.line(i); got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"replicas", "requests", "startup", "shutdown", "priority"}
	for word, want := range map[string]string{
		"replicsa": "replicas", "REPLICAS": "replicas", "replica": "replicas", "start": "", "shutdwon": "shutdown",
		"zebra": "", "": "", "reqests": "requests", strings.Repeat("replicas", 100): "",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
