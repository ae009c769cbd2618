package model

import (
	"encoding/json"
	"reflect"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestYAMLToJSON(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"nothing", "", "null"},
		{"comment", "# a\n", "null"},
		{"mapping", "---\nb: 1\na: [x, 'y', 1.30, true, ~, No]\n", `{"b":1,"a":["x","y",1.30,true,null,"No"]}`},
		{"numbers", "[0x10, 0o17, -5, 1_000, 1e3, .5, 99999999999999999999]", `[16,15,-5,1000,1e3,0.5,99999999999999999999]`},
		{"texts", "a: \"\\x07\\\"\"\nb: |\n  x\n  y\nc: 2024-01-02\n", `{"a":"\u0007\"","b":"x\ny\n","c":"2024-01-02"}`},
		{"aliases", "a: &x {k: 1}\nb: *x\nc: {<<: *x, d: 2}\n", `{"a":{"k":1},"b":{"k":1},"c":{"d":2,"k":1}}`},
		{"JSON", `{"kind": "List", "items": [{"a": "\u00e9"}]}`, `{"kind":"List","items":[{"a":"é"}]}`},
	} {
		got, err := YAMLToJSON([]byte(c.doc))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
		if !json.Valid(got) {
			t.Errorf("%s: not JSON", c.name)
		}
	}
	for _, c := range []struct{ name, doc, want string }{
		{"two documents", "a: 1\n---\nb: 1\n", "line 3: a second document begins here"},
		{"duplicate key", "a: 1\na: 2\n", `line 2: duplicate key "a"; it stands on line 1 already`},
		{"infinity", "a: .inf\n", `line 1: ".inf" is a number that JSON cannot write`},
		{"syntax", "a: b\nc: d: e\n", "line 2: mapping values are not allowed in this context"},
	} {
		if got, err := YAMLToJSON([]byte(c.doc)); err == nil || err.Error() != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// FuzzYAMLToJSON holds what comes out against the library's own decoding.
func FuzzYAMLToJSON(f *testing.F) {
	for _, s := range []string{"a: 1", "a: &x [1]\nb: *x", "[a, {b: c}]", "a: {<<: {b: 1}, c: 2}", "0o7", "a: !!str 1"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, err := YAMLToJSON(doc)
		if err != nil {
			return
		}
		var ours any
		if err := json.Unmarshal(got, &ours); err != nil {
			t.Fatalf("%q gives %q: %v", doc, got, err)
		}
		// Texts are compared; numbers and dates have several forms.
		var text string
		if yaml.Unmarshal(doc, &text) == nil && len(text) > 0 {
			if s, ok := ours.(string); ok && !reflect.DeepEqual(s, text) {
				t.Errorf("%q gives %q, not %q", doc, s, text)
			}
		}
	})
}
