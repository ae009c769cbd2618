package reports

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"upsim/model"
)

func TestYAMLLooks(t *testing.T) {
	type inner struct {
		Name string   `json:"name"`
		List []string `json:"list"`
	}
	v := struct {
		Inner   []inner  `json:"inner"`
		Empty   []string `json:"empty"`
		Command []string `json:"command"`
		Deep    inner    `json:"deep"`
		Share   string   `json:"share"`
		Word    string   `json:"word"`
		Time    string   `json:"time"`
		N       int      `json:"count"`
		Yes     bool     `json:"yes"`
	}{
		[]inner{{"a", []string{"x", "y"}}, {"b", nil}}, []string{}, []string{"kubectl label node a k=v --overwrite"}, inner{"c", []string{}},
		"10%", "No", "1h30m", 7, true,
	}
	const want = `inner:
- name: a
  list: [x, "y"]
- name: b
  list: null
empty: []
command:
- kubectl label node a k=v --overwrite
deep:
  name: c
  list: []
share: "10%"
word: "No"
time: 1h30m
count: 7
"yes": true
`
	var b bytes.Buffer
	if err := writeYAML(&b, v); err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// Whatever is written as YAML reads back, by the reader of scenarios, as the JSON that it was made of.
func TestYAMLReadsBack(t *testing.T) {
	text := rapid.OneOf(rapid.StringMatching(`[a-z0-9.%:# -]{0,8}`), rapid.String(), rapid.SampledFrom([]string{"y", "NULL", "~", "1e3", "0x1", "1_000", "- a", "a: b", "a #b", "1.5s", "5m", "1:30", "2001-01-01", "=", "<<"}))
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		scalars := []*rapid.Generator[any]{text.AsAny(), rapid.IntRange(-5, 1e6).AsAny(), rapid.Bool().AsAny(), rapid.Just(any(nil))}
		if depth == 0 {
			return rapid.OneOf(scalars...)
		}
		return rapid.OneOf(append(scalars,
			rapid.SliceOfN(value(depth-1), 0, 4).AsAny(),
			rapid.MapOfN(text, value(depth-1), 0, 4).AsAny())...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.MapOfN(text, value(3), 1, 4).Draw(rt, "v")
		var doc bytes.Buffer
		if err := writeYAML(&doc, v); err != nil {
			rt.Fatal(err)
		}
		back, err := model.YAMLToJSON(doc.Bytes())
		if err != nil {
			rt.Fatalf("%v\n%s", err, doc.String())
		}
		var a, b any
		plain, _ := json.Marshal(v)
		if err := json.Unmarshal(plain, &a); err != nil {
			rt.Fatal(err)
		}
		if err := json.Unmarshal(back, &b); err != nil {
			rt.Fatal(err)
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if !bytes.Equal(x, y) {
			rt.Fatalf("%s\nreads back as\n%s\nfrom\n%s", x, y, doc.String())
		}
	})
}
