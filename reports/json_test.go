package reports

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"upsim/sim"
)

func TestJSONGolden(t *testing.T) {
	for name, r := range map[string]*sim.Result{
		"safe.json": safe(), "violated.json": violated(), "stuck.json": stuck(), "aborted-start.json": abortedAtStart(), "empty.json": empty(), "odd.json": odd(),
	} {
		golden(t, name, bytesOf(t, func(b *bytes.Buffer) error { return JSON(b, r) }))
	}
}

// documented are the keys of a result as they are published, with those that upsim adds.
var documented = map[string]string{
	"": "apiVersion kind scenario strategy seed from to verdict reasons makespanSeconds workingSeconds waitingSeconds phases violations workloads nodes budgets " +
		"evictions deletions evictionsRefused evictionErrors finalPending finalVersions surge blastRadius controlPlane engine",
	"reasons":    "code severity subject message fix",
	"phases":     "name startSeconds endSeconds",
	"violations": "invariant code severity subject startSeconds endSeconds message",
	"workloads": "namespace name kind replicas minReady secondsZero secondsZeroBeyond secondsBelowFloor secondsBelow evictions evictionsRefused " +
		"evictionErrors podsMoved podsMovedAgain maxMoves secondsPending",
	"nodes":        "name pool drainSeconds drainResult blockedSeconds upgradedAtSeconds kubelet",
	"budgets":      "namespace name refused secondsExhausted",
	"surge":        "peakNodes nodeHours",
	"blastRadius":  "pods workloads",
	"controlPlane": "apiUnavailableSeconds quorumLostSeconds",
	"engine":       "events ticks digest",
}

func TestJSONKeys(t *testing.T) {
	var top map[string]any
	if err := json.Unmarshal(bytesOf(t, func(b *bytes.Buffer) error { return JSON(b, stuck()) }), &top); err != nil {
		t.Fatal(err)
	}
	for path, want := range documented {
		objects := []any{top}
		if path != "" {
			objects = []any{top[path]}
			if list, ok := top[path].([]any); ok {
				objects = list
			}
		}
		if len(objects) == 0 {
			t.Errorf("%s is empty here and proves nothing", path)
		}
		for _, o := range objects {
			var keys []string
			for k := range o.(map[string]any) {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			expected := strings.Fields(want)
			slices.Sort(expected)
			if diff := cmp.Diff(expected, keys); diff != "" {
				t.Errorf("keys of %q (-want +got):\n%s", path, diff)
			}
		}
	}
}

func TestJSONOfNothing(t *testing.T) {
	out := bytesOf(t, func(b *bytes.Buffer) error { return JSON(b, &sim.Result{}) })
	if bytes.Contains(out, []byte("null")) {
		t.Errorf("an absent list is null: %s", out)
	}
	for _, key := range []string{"reasons", "phases", "violations", "workloads", "nodes", "budgets"} {
		if !bytes.Contains(out, []byte(`"`+key+`":[]`)) {
			t.Errorf("%s is not []: %s", key, out)
		}
	}
	if !bytes.Contains(out, []byte(`"finalVersions":{}`)) {
		t.Errorf("finalVersions is not {}: %s", out)
	}
}

func TestJSONIsOneLineAndTheSameTwice(t *testing.T) {
	for _, r := range []*sim.Result{safe(), violated(), stuck(), thousand(), odd()} {
		first := bytesOf(t, func(b *bytes.Buffer) error { return JSON(b, r) })
		if second := bytesOf(t, func(b *bytes.Buffer) error { return JSON(b, r) }); !bytes.Equal(first, second) {
			t.Error("two writings of one result differ")
		}
		if n := bytes.Count(first, []byte("\n")); n != 1 || first[len(first)-1] != '\n' {
			t.Errorf("%d newlines in one object", n)
		}
	}
}

// What is escaped for the terminal's sake reads back as it was.
func TestJSONReadsBack(t *testing.T) {
	in := odd()
	in.Scenario = strings.ToValidUTF8(evil, "\ufffd") + "<&>"
	out := bytesOf(t, func(b *bytes.Buffer) error { return JSON(b, in) })
	for _, r := range strings.TrimSuffix(string(out), "\n") {
		if !unicode.IsPrint(r) {
			t.Errorf("prints %U raw", r)
		}
	}
	if !bytes.Contains(out, []byte("<&>")) {
		t.Error("characters of HTML are escaped")
	}
	var back sim.Result
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	if back.Scenario != in.Scenario {
		t.Errorf("got %q, want %q", back.Scenario, in.Scenario)
	}
	if !reflect.DeepEqual(back.Phases[1].StartSeconds, in.Phases[1].StartSeconds) {
		t.Errorf("got %v, want %v", back.Phases[1], in.Phases[1])
	}
}

func TestJSONThatCannotBe(t *testing.T) {
	r := safe()
	r.MakespanSeconds = sim.Seconds(math.NaN())
	var buf bytes.Buffer
	if err := JSON(&buf, r); err == nil || buf.Len() > 0 {
		t.Errorf("wrote %q, %v", buf.String(), err)
	}
}

// Whatever stands wherever in a document, plain finds what is to be escaped.
func TestPlainLooksAtEachByte(t *testing.T) {
	for at := range 19 {
		for c := range 256 {
			doc := bytes.Repeat([]byte("a"), 19)
			doc[at] = byte(c)
			if got, want := plain(doc), c == '\n' || c >= ' ' && c < 0x7f; got != want {
				t.Errorf("byte %#x at %d: %v", c, at, got)
			}
		}
	}
}
