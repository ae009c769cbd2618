package kube

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"upsim/model"
)

// Command is what prints the input that a Reader wants; messages quote it.
const Command = "kubectl get nodes,pods,deployments,replicasets,statefulsets,daemonsets,poddisruptionbudgets,pv,pvc -A -o json"

// Reader collects the objects of one cluster from any number of inputs. An
// object that comes twice is taken as it came last. The zero Reader is not ready; use NewReader.
type Reader struct {
	*interest
	nodes       map[string]*nodeRecord
	pods        []podRecord
	podIndex    map[objectName]int32
	components  map[int32][]component // of the control plane, that a static pod runs
	groups      []*podGroup
	groupIndex  map[groupKey]int32
	controllers map[controllerKey]*controller
	budgets     map[objectName]*budgetRecord
	volumes     map[string]*volumeRecord
	claims      map[objectName]string // the volume that each claim is bound to, or ""
	podClaims   map[int32][]string    // of the pods that mount claims
	texts       map[string]string

	file    string // being read
	watched bool   // it is what kubectl get --watch writes, which ends where it is stopped
	seen    int    // objects of the file
	fault   string // why the first thing in the file that is no object is none
	odd     int    // objects that are not understood, of all files
	lastWhy string // why the last of them is not
	scratch []byte

	leftOut  []leftOut      // the first maxNotes
	unnoted  int            // how many more there are
	oddNodes map[string]int // nodes that are not understood, and where in leftOut they are, or -1
	tallies  map[string]*tally
	notes    []model.Finding // about objects that stay
}

// interest is what a Reader looks for.
type interest struct {
	// command prints the input that is wanted; messages quote it.
	command string
	// kinds that are read, with the API groups in which each has lived; other groups use the same words for other things.
	kinds map[string][]string
	// held is what to keep of an object whose kind comes later, and yaml the same with its kind.
	held, yaml *fields
	// keys of a single object are kept until its end; the others, such as a Secret's data, are not.
	keys map[string]bool
	// take reads an object; nil puts clusters together.
	take func(r *Reader, kind string, raw []byte) error
}

// topology is the interest in what a cluster consists of.
var topology = &interest{command: Command, kinds: groupsOf, held: heldFields, yaml: yamlFields, keys: objectKeys}

type objectName struct{ namespace, name string }

// NewReader returns a Reader without any input.
func NewReader() *Reader {
	return &Reader{
		interest:    topology,
		nodes:       map[string]*nodeRecord{},
		podIndex:    map[objectName]int32{},
		components:  map[int32][]component{},
		groupIndex:  map[groupKey]int32{},
		controllers: map[controllerKey]*controller{},
		budgets:     map[objectName]*budgetRecord{},
		volumes:     map[string]*volumeRecord{},
		claims:      map[objectName]string{},
		podClaims:   map[int32][]string{},
		texts:       map[string]string{},
		oddNodes:    map[string]int{},
		tallies:     map[string]*tally{},
	}
}

// Add reads one input to its end; name stands for it in messages. It takes what
// `kubectl get … -o json|yaml` prints (a List, a typed list, several of them one
// after another, a line each, or single objects) and kubectl cluster-info dump's
// output. Objects of other kinds are passed over. An object that cannot be
// understood becomes a warning; an input without any object, that ends too
// early as far as this can be seen, or that is a scenario, is an error, after
// which the Reader must not be used any more.
//
// An end that comes too early is seen in JSON, whose brackets do not close then,
// in a container's log of kubectl cluster-info dump, and in a YAML list, whose
// kind stands behind its items. It is not seen where what is there is whole by
// itself: between two documents; in YAML between two lines of a single object,
// or of a list that was written with its kind first; and behind a list's kind,
// where nothing of use follows.
func (r *Reader) Add(name string, in io.Reader) error {
	r.file, r.watched, r.seen, r.fault = name, false, 0, ""
	br := bufio.NewReaderSize(in, 64<<10)
	err := r.read(br)
	var syntax *syntaxError
	switch {
	case errors.As(err, &syntax) && syntax.cutOff && r.watched:
		r.leave(leftOut{file: name, why: fmt.Sprintf("the watch was stopped in the middle of it, at line %d", syntax.line)})
		return nil
	case errors.As(err, &syntax) && r.seen == 0 && !syntax.cutOff:
		return fmt.Errorf("%s:%d: this is not what kubectl prints: %s; expected the output of `%s` (or -o yaml)", name, syntax.line, syntax.msg, r.command)
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d: %s", name, syntax.line, syntax.msg)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case r.seen == 0:
		why := "no Kubernetes object in it"
		if r.fault != "" {
			why = "this is not what kubectl prints: " + r.fault
		}
		return fmt.Errorf("%s: %s; expected the output of `%s` (or -o yaml)", name, why, r.command)
	}
	return nil
}

func (r *Reader) read(br *bufio.Reader) error {
	head, err := br.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return errors.New("this is gzip; unpack it first")
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return errors.New("this is UTF-16, which PowerShell's > writes; write it with `| Out-File -Encoding utf8`")
	case bytes.IndexByte(head, 0) >= 0:
		return fmt.Errorf("this is a binary file; expected the output of `%s` (or -o yaml)", r.command)
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		br.Discard(3)
		head = head[3:]
	}
	text := bytes.TrimSpace(head)
	if len(text) == 0 || text[0] == '{' || text[0] == '[' || bytes.HasPrefix(text, []byte("====")) {
		return r.readJSON(newJSONStream(br))
	}
	return r.readYAML(br)
}

// list is what is known of the list that an object stands in.
type list struct {
	apiVersion, kind string
	held             [][]byte
	heldBytes        int
}

// heldLimit bounds the objects that wait for their list's kind; beyond it their content decides.
const heldLimit = 64 << 20

// object takes one object. In a typed list its kind is the list's, which may
// stand behind the items: then the object waits, unless its content says what it is.
func (r *Reader) object(raw []byte, l *list, depth int) error {
	raw = trimSpace(raw)
	if string(raw) == "null" {
		return nil
	}
	if len(raw) == 0 || raw[0] != '{' {
		r.leave(leftOut{file: r.file, why: "it is not an object"})
		return nil
	}
	apiVersion, kind := identify(raw)
	if strings.HasSuffix(kind, "List") && depth < 3 {
		return r.document(streamOf(raw), depth+1)
	}
	if kind == "" {
		if kind = strings.TrimSuffix(l.kind, "List"); kind == "" {
			if kind = evident(raw); kind == "" && l.heldBytes < heldLimit {
				held, _ := prune(nil, raw, r.held)
				l.held = append(l.held, held)
				l.heldBytes += len(held)
				return nil
			}
		}
		apiVersion = l.apiVersion
	}
	r.typed(apiVersion, kind, raw)
	return nil
}

// release decides the objects that waited, at the end of their list.
func (r *Reader) release(l *list) {
	kind := strings.TrimSuffix(l.kind, "List")
	for _, raw := range l.held {
		k := kind
		if k == "" {
			k = likely(raw)
		}
		r.typed(l.apiVersion, k, raw)
	}
	l.held = nil
}

// typed takes an object whose kind is known.
func (r *Reader) typed(apiVersion, kind string, raw []byte) {
	r.passOver()
	var err error
	switch {
	case !r.wanted(apiVersion, kind):
		return
	case r.take != nil:
		err = r.take(r, kind, raw)
	case kind == "Node":
		err = r.addNode(raw)
	case kind == "Pod":
		err = r.addPod(raw)
	case kind == "PodDisruptionBudget":
		err = r.addBudget(apiVersion, raw)
	case kind == "PersistentVolume":
		err = r.addVolume(raw)
	case kind == "PersistentVolumeClaim":
		err = r.addClaim(raw)
	default:
		err = r.addController(kind, raw)
	}
	if err != nil {
		r.leaveRaw(kind, raw, err)
		return
	}
	r.tally(kind).read++
}

// passOver counts an object; nothing more is done with those that do not matter.
func (r *Reader) passOver() {
	r.seen++
	r.tally(anyObject).read++
}

var errNoName = errors.New("it has no name")

// scenarioGiven is the error of a scenario in the place of kubectl output.
func (in *interest) scenarioGiven() error {
	if in != topology {
		return fmt.Errorf("this is a scenario; expected the output of `%s` (or -o yaml)", in.command)
	}
	return fmt.Errorf("this is a scenario; expected the output of `%s` (or -o yaml), as --cluster and cluster.from want it;"+
		" a scenario is named by itself: upsim run FILE", in.command)
}

// isScenario reports whether a document is a scenario, also one whose apiVersion is missing or wrong.
// Somebody else's custom resource of the kind Scenario has an API group.
func isScenario(apiVersion, kind string) bool {
	return strings.HasPrefix(apiVersion, "upsim/") || kind == model.KindScenario && !strings.Contains(apiVersion, "/")
}

// groupsOf lists the API groups in which each kind that is read has lived; other groups use the same words for other things.
var groupsOf = map[string][]string{
	"Node":                  {""},
	"Pod":                   {""},
	"ReplicationController": {""},
	"Deployment":            {"apps", "extensions"},
	"ReplicaSet":            {"apps", "extensions"},
	"StatefulSet":           {"apps"},
	"DaemonSet":             {"apps", "extensions"},
	"PodDisruptionBudget":   {"policy"},
	"PersistentVolume":      {""},
	"PersistentVolumeClaim": {""},
}

func (in *interest) wanted(apiVersion, kind string) bool {
	groups, ok := in.kinds[kind]
	return ok && inGroup(apiVersion, groups...)
}

// inGroup reports whether an apiVersion belongs to one of the groups; an object without one is given the benefit of the doubt.
func inGroup(apiVersion string, groups ...string) bool {
	if apiVersion == "" {
		return true
	}
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group = ""
	}
	for _, g := range groups {
		if g == group {
			return true
		}
	}
	return false
}

// identify finds apiVersion and kind, which kubectl writes first.
func identify(raw []byte) (apiVersion, kind string) {
	return lookupString(raw, "apiVersion"), lookupString(raw, "kind")
}

// evident is the kind of an object that no other kind can be taken for; "" when unsure.
func evident(raw []byte) string {
	switch {
	case lookup(raw, "spec", "containers") != nil:
		return "Pod"
	case lookup(raw, "status", "nodeInfo") != nil:
		return "Node"
	case lookup(raw, "involvedObject") != nil:
		return "Event"
	}
	return ""
}

// likely is the kind that an object of a list without a kind has by its content; "" when it is none of those that matter.
func likely(raw []byte) string {
	has := func(path ...string) bool { return lookup(raw, path...) != nil }
	switch {
	case evident(raw) != "":
		return evident(raw)
	case has("spec", "minAvailable"), has("spec", "maxUnavailable"):
		return "PodDisruptionBudget"
	case has("spec", "claimRef"):
		return "PersistentVolume"
	case has("spec", "volumeName"):
		return "PersistentVolumeClaim"
	case !has("spec", "template", "spec"):
		return ""
	case has("spec", "podManagementPolicy"):
		return "StatefulSet"
	case has("status", "desiredNumberScheduled"):
		return "DaemonSet"
	case !has("spec", "replicas"):
		return ""
	case strings.Contains(string(lookup(raw, "spec", "template")), `"pod-template-hash"`):
		return "ReplicaSet"
	}
	return "Deployment"
}

// decode reads the wanted part of an object's text.
func (r *Reader) decode(raw []byte, want *fields, into any) error {
	r.scratch, _ = prune(r.scratch[:0], raw, want)
	err := json.Unmarshal(r.scratch, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s is a %s", wrong.Field, wrong.Value)
	}
	return err
}

// leaveRaw notes an object that is not understood, by the name in its text.
func (r *Reader) leaveRaw(kind string, raw []byte, err error) {
	name, ns := lookupString(raw, "metadata", "name"), lookupString(raw, "metadata", "namespace")
	if name == "" {
		name, ns = lookupString(raw, "name"), lookupString(raw, "namespace")
	}
	r.leave(leftOut{file: r.file, kind: kind, namespace: ns, name: name, why: err.Error()})
}

// text returns one copy of equal strings, so that 150,000 pods do not keep 150,000 copies of their node's name.
func (r *Reader) text(s string) string {
	if t, ok := r.texts[s]; ok {
		return t
	}
	s = strings.Clone(s)
	r.texts[s] = s
	return s
}
