package kube

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
)

// repeated is the text of a list with the same objects over and over, made while it is read.
type repeated struct {
	head, body, tail string
	times            int
	now              string
	done             int
}

func (r *repeated) Read(p []byte) (int, error) {
	for r.now == "" {
		switch {
		case r.done == 0:
			r.now = r.head
		case r.done <= r.times:
			r.now = r.body
		case r.done == r.times+1:
			r.now = r.tail
		default:
			return 0, io.EOF
		}
		r.done++
	}
	n := copy(p, r.now)
	r.now = r.now[n:]
	return n, nil
}

// manyTimes is a list of about that size in which every object of the medium cluster comes often.
func manyTimes(whole string, size int) *repeated {
	start := strings.Index(whole, "[") + 1
	end := strings.LastIndex(whole, "]")
	body := whole[start:end]
	return &repeated{head: whole[:start] + body, body: "," + body, tail: whole[end:], times: size / len(body)}
}

// peak is an input that watches the heap while it is read.
type peak struct {
	in   io.Reader
	read int
	next int
	heap uint64
}

func (p *peak) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	if p.read += n; p.read >= p.next {
		p.next += 4 << 20
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		p.heap = max(p.heap, m.HeapAlloc)
	}
	return n, err
}

func TestMemoryStaysFlat(t *testing.T) {
	const size = 100 << 20
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	in := &peak{in: manyTimes(file(t, "medium/all.json.gz"), size)}
	r := NewReader()
	if err := r.Add("f", in); err != nil {
		t.Fatal(err)
	}
	used := int64(in.heap) - int64(m.HeapAlloc)
	if in.read < size*9/10 || used > 10<<20 {
		t.Errorf("%d MB held while %d MB were read; want at most 10", used>>20, in.read>>20)
	}
	c, _, err := r.Cluster()
	if err != nil {
		t.Fatal(err)
	}
	want, _ := read(t, "f", file(t, "medium/all.json.gz"))
	same(t, "the list over and over", c, want)
}

func TestObjectTooLarge(t *testing.T) {
	huge := &repeated{head: plainListOpen + `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"x":"`, body: strings.Repeat("x", 1<<20), tail: `"}},` + nodeN1 + `]}`, times: 20}
	r := NewReader()
	if err := r.Add("f", huge); err != nil {
		t.Fatal(err)
	}
	c, notes, err := r.Cluster()
	if err != nil || len(c.Nodes) != 1 || len(notes) == 0 || !strings.Contains(notes[0].Message, "larger than any Kubernetes object") {
		t.Errorf("%v, notes %v", err, notes)
	}
	// A Secret may be of any size: nothing of it is kept.
	secret := &repeated{head: `{"apiVersion":"v1","kind":"Secret","data":{"x":"`, body: strings.Repeat("x", 1<<20), tail: `"}}` + nodeN1, times: 20}
	if err := NewReader().Add("f", secret); err != nil {
		t.Error(err)
	}
}

const plainListOpen = `{"apiVersion":"v1","kind":"List","items":[`

func TestPiecesOfAnySize(t *testing.T) {
	text := plainList(nodeN1, strings.Replace(podW1, `"c"`, `"c\\\"\\"`, 1), setW, deploymentW, budgetW)
	want, _ := read(t, "f", text)
	for name, in := range map[string]io.Reader{"bytes": iotest.OneByteReader(strings.NewReader(text)), "with EOF": iotest.DataErrReader(strings.NewReader(text))} {
		r := NewReader()
		if err := r.Add("f", in); err != nil {
			t.Fatal(err)
		}
		c, _, err := r.Cluster()
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, c, want)
	}
	// Straight into the stream, whose window moves at every place of the text.
	for size := 1; size < 40; size++ {
		s := &jsonStream{in: strings.NewReader(text), buf: make([]byte, size)}
		v, err := s.value()
		if err != nil || string(v) != text {
			t.Fatalf("window of %d: %v, %d of %d bytes", size, err, len(v), len(text))
		}
	}
}

func TestReadErrorIsReported(t *testing.T) {
	broken := errors.New("the disk is on fire")
	for _, text := range []string{"", plainListOpen, plainListOpen + nodeN1, "apiVersion: v1\n"} {
		err := NewReader().Add("f", io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f: ") {
			t.Errorf("after %q: %v", text, err)
		}
	}
}

func TestPruneYAMLKeepsWhatIsWanted(t *testing.T) {
	const in = `  apiVersion: v1
  kind: Pod
  metadata:
    annotations:
      long: |
        kind: Node
          spec:
      kubernetes.io/config.mirror: abc
    labels:
      "app": web
      text: "a
        b: c"
    managedFields:
    - apiVersion: v1
      time: x
    name: p
  spec:
    containers:
    - args:
      - --a
      - b: c
      command: [x]
      env:
      - name: A
        value: b
      resources:
        limits:
          cpu: 1
      image: x
    - image: y
    volumes:
    -   emptyDir: {}
        name: x
`
	const want = `  apiVersion: v1
  kind: Pod
  metadata:
    annotations:
      kubernetes.io/config.mirror: abc
    labels:
      "app": web
      text: "a
        b: c"
    name: p
  spec:
    containers:
    -
      resources:
        limits:
          cpu: 1
      image: x
    - image: y
    volumes:
    -   emptyDir: {}
        name: x
`
	got, ok := pruneYAML(nil, []byte(in), 2, yamlFields)
	if diff := cmp.Diff(want, string(got)); !ok || diff != "" {
		t.Errorf("%v\n%s", ok, diff)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	r := NewReader()
	if err := r.Add("f", &repeated{head: plainListOpen + strings.Repeat(nodeN1+",", 1001) + nodeN1, body: `,{"apiVersion":"v1","kind":"Node","metadata":{}}`, tail: "]}", times: 1000}); err != nil {
		t.Fatal(err)
	}
	_, notes, err := r.Cluster()
	if err != nil || len(notes) > maxNotes+5 || !strings.Contains(notes[maxNotes].Message, "950 more") {
		t.Errorf("%v, %d notes", err, len(notes))
	}
}

func TestDeepNesting(t *testing.T) {
	const deep = 4 << 20
	for open, end := range map[string]string{"[": "]", `{"a":`: "}"} {
		head := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":`
		text := head + strings.Repeat(open, deep/len(open))
		if err := NewReader().Add("f", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "ends in the middle") {
			t.Errorf("%s: %v", open, err)
		}
		r := NewReader()
		if err := r.Add("f", strings.NewReader(text+"1"+strings.Repeat(end, deep/len(open))+"}}"+nodeN1)); err != nil {
			t.Errorf("%s: %v", open, err)
		}
		if len(r.nodes) != 1 || len(r.leftOut) != 1 {
			t.Errorf("%s: %d nodes, left out %v; want the pod left out", open, len(r.nodes), r.leftOut)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, text := range []string{
		plainList(nodeN1, podW1, setW, deploymentW, budgetW), typedListKindLast("v1", "PodList", podW1), nodeN1 + budgetW,
		"apiVersion: v1\nitems:\n- kind: Node\n  metadata:\n    name: n\n- a\nkind: List\n---\nkind: Pod\n",
		kubectlList, kindFirst + single, versionJSON + versionYAML + "n1\tv1.33.1\n", "==== START logs\n{\n==== END logs\n" + nodeN1, `{"Items":[{"name":"x","Spec":{"Containers":[]}}]}`, `[{"a":[}`, "a:\n- - b: 1\n  -",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader()
		if err := r.Add("f", bytes.NewReader(data)); err == nil {
			if _, _, err := r.Cluster(); err != nil {
				t.Log(err)
			}
		}
		if _, err := ReadPaste("f", bytes.NewReader(data), model.Version{}); err != nil {
			t.Log(err)
		}
	})
}

func BenchmarkReadJSON(b *testing.B) {
	const size = 20 << 20
	whole := file(b, "medium/all.json.gz")
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if err := NewReader().Add("f", manyTimes(whole, size)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestYAMLInTurn: a list whose items are read on several processors gives what it gives on one, over many lots of items.
func TestYAMLInTurn(t *testing.T) {
	text := file(t, "medium/all.yaml.gz")
	start := strings.Index(text, "\n- ")
	end := strings.LastIndex(text, "\nkind: List")
	many := text[:start] + strings.Repeat(text[start:end], 1+3*mostAside/len(text)) + "\n- kind: Pod\n  metadata: [\n- 7" + text[end:]
	var want *model.Cluster
	var notesWant []model.Finding
	for _, workers := range []int{1, 2, 7} {
		before := runtime.GOMAXPROCS(workers)
		c, notes := read(t, "f", many)
		runtime.GOMAXPROCS(before)
		if want == nil {
			want, notesWant = c, notes
		}
		same(t, fmt.Sprintf("on %d processors", workers), c, want)
		if diff := cmp.Diff(notesWant, notes); diff != "" || len(c.Nodes) != 50 || len(notes) < 2 {
			t.Fatalf("on %d processors: %d nodes, %d notes\n%s", workers, len(c.Nodes), len(notes), diff)
		}
	}
}

// BenchmarkReadYAML reads on all processors; with -test.cpu 1 on one.
func BenchmarkReadYAML(b *testing.B) {
	text := file(b, "medium/all.yaml.gz")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := NewReader().Add("f", strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}
