package kube

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
)

const (
	podsOfNode     = 30
	podsOfWorkload = 10
)

// bigList is what kubectl get nodes,pods,replicasets,poddisruptionbudgets -o json prints of a cluster with thirty pods a
// node, made while it is read. The objects are those of the medium cluster, with other names, so they are as large as real ones.
type bigList struct {
	nodes, pods            int
	node, pod, set, budget []string // cut where a name comes
	next, size             int
	now, rest              []byte
}

func newBigList(tb testing.TB, nodes int) *bigList {
	tb.Helper()
	text := file(tb, "medium/all.json.gz")
	// one is the first object of the kind, cut at its own name and at those of others.
	one := func(kind string, names ...string) []string {
		const start, end = "\n        {", "\n        }"
		at := strings.Index(text, `"kind": "`+kind+`",`)
		from := strings.LastIndex(text[:at], start)
		object := text[from : at+strings.Index(text[at:], end)+len(end)]
		return strings.Split(regexp.MustCompile(`"(`+strings.Join(names, "|")+`)"`).ReplaceAllStringFunc(object, func(name string) string {
			for i, n := range names {
				if regexp.MustCompile(`^"(?:` + n + `)"$`).MatchString(name) {
					return fmt.Sprintf("\x00%d\x00", i)
				}
			}
			return name
		}), "\x00")
	}
	return &bigList{nodes: nodes, pods: nodes * podsOfNode, node: one("Node", "n01"), pod: one("Pod", "app01-[a-z0-9]+-[a-z0-9]+", "n[0-9]+", "app01-[a-z0-9]+", "app01"),
		set: one("ReplicaSet", "app01-[a-z0-9]+", "app01"), budget: one("PodDisruptionBudget", "app01")}
}

// add writes an object with the names in their places.
func (b *bigList) add(object []string, names ...string) {
	if b.next > 0 {
		b.now = append(b.now, ',')
	}
	for i, piece := range object {
		if i%2 == 0 {
			b.now = append(b.now, piece...)
		} else {
			b.now = append(append(append(b.now, '"'), names[piece[0]-'0']...), '"')
		}
	}
	b.next++
}

func (b *bigList) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		b.now = b.now[:0]
		workloads := b.pods / podsOfWorkload
		switch i := b.next; {
		case i == 0:
			b.now = append(b.now, `{"apiVersion": "v1","items": [`...)
			b.add(b.node, "node-0")
		case i < b.nodes:
			b.add(b.node, fmt.Sprintf("node-%d", i))
		case i < b.nodes+b.pods:
			i -= b.nodes
			app := fmt.Sprintf("app%d", i%workloads)
			b.add(b.pod, fmt.Sprintf("%s-set-%d", app, i), fmt.Sprintf("node-%d", i%b.nodes), app+"-set", app)
		case i < b.nodes+b.pods+workloads:
			app := fmt.Sprintf("app%d", i-b.nodes-b.pods)
			b.add(b.set, app+"-set", app)
		case i < b.nodes+b.pods+2*workloads:
			b.add(b.budget, fmt.Sprintf("app%d", i-b.nodes-b.pods-workloads))
		case i == b.nodes+b.pods+2*workloads:
			b.now = append(b.now, `],"kind": "List"}`...)
			b.next++
		default:
			return 0, io.EOF
		}
		b.rest = b.now
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	b.size += n
	return n, nil
}

func TestBigList(t *testing.T) {
	r := NewReader()
	if err := r.Add("f", newBigList(t, 20)); err != nil {
		t.Fatal(err)
	}
	c, notes, err := r.Cluster()
	if err != nil || len(c.Nodes) != 20 || len(c.Workloads) != 60 || len(c.Budgets) != 60 {
		t.Fatalf("%v: %d nodes, %d workloads, %d budgets, notes %v", err, len(c.Nodes), len(c.Workloads), len(c.Budgets), notes)
	}
	for _, w := range c.Workloads {
		if len(w.Existing) != podsOfWorkload {
			t.Errorf("%s has %d pods", w.Name, len(w.Existing))
		}
	}
}

// BenchmarkReadBigJSON reads the list of a cluster of Kubernetes' published limits: 5,000 nodes with 150,000 pods. It holds what
// is kept of them, so that /usr/bin/time -v tells the whole of what loading takes.
func BenchmarkReadBigJSON(b *testing.B) {
	for b.Loop() {
		in := newBigList(b, 5000)
		r := NewReader()
		if err := r.Add("f", in); err != nil {
			b.Fatal(err)
		}
		if _, _, err := r.Cluster(); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(in.size))
	}
}
