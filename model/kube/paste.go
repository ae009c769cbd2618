package kube

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"upsim/model"
)

// maxPaste bounds pasted text; a table of a hundred thousand nodes has ten megabytes.
const maxPaste = 16 << 20

// ReadPaste reads what people paste: the table of `kubectl get nodes` (with or
// without -o wide), lines of node name and version as `-o jsonpath` or `-o
// custom-columns` give them, and what `kubectl version` prints, as text, YAML or
// JSON, in any mixture. The cluster has nodes and versions only; which
// kube-proxies it has is not known, unless a third word of a line says it.
//
// A line that is none of these is an error that names it, and so are two lines
// that contradict each other. The server's version, where one is given, counts
// in place of what the text says or lets infer of the API servers.
func ReadPaste(name string, in io.Reader, server model.Version) (*model.Cluster, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxPaste+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(data) > maxPaste:
		return nil, fmt.Errorf("%s: more than %d MiB of pasted text", name, maxPaste>>20)
	case bytes.IndexByte(data, 0) >= 0:
		return nil, fmt.Errorf("%s: this is a binary file; %s", name, pasteForms)
	}
	p := paste{nodes: map[string]*nodeRecord{}, said: map[said]statement{}}
	lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	for i := 0; i < len(lines); {
		p.at = i + 1
		n, err := p.versionObject(lines[i:])
		if n == 0 && err == nil {
			n, err = 1, p.line(strings.TrimRight(lines[i], " \r"))
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		i += n
	}
	if !server.IsZero() {
		p.server = server
	}
	c, err := p.cluster()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

const pasteForms = "expected the table of `kubectl get nodes`, lines of node name, tab and version, or what `kubectl version` prints"

// wholeCluster is the advice where a cluster is wanted and versions alone are there.
const wholeCluster = "for versions paste the table of `kubectl get nodes`, for the whole cluster give the file that `" + Command + "` writes"

type paste struct {
	nodes          map[string]*nodeRecord
	client, server model.Version
	at             int // the number of the line
	said           map[said]statement
	// columns of the table being read, by header; nil outside of one.
	columns map[string]int
	width   int
}

// said is whose version a line says.
type said struct{ component, node string }

// statement is what a line said.
type statement struct {
	version model.Version
	line    int
}

// say takes a version down, and refuses another one for the same component.
func (p *paste) say(component, node string, v model.Version) error {
	key := said{component, node}
	before, ok := p.said[key]
	if !ok {
		p.said[key] = statement{v, p.at}
		return nil
	}
	if before.version == v {
		return nil
	}
	who := component
	if node != "" {
		who = component + " of node " + node
	}
	return fmt.Errorf("the %s is %s here and %s in line %d; remove the line that does not hold", who, v, before.version, before.line)
}

var (
	gitVersion = regexp.MustCompile(`GitVersion:"([^"]+)"`)
	// shellPrompt is what may stand before a command that was pasted with its output.
	shellPrompt = regexp.MustCompile(`(^|[$#>%] ?)\s*(sudo )?(kubectl|oc|k) `)
	// chatter are lines that kubectl prints around what matters.
	chatter = []string{"Kustomize Version:", "WARNING: version difference", "Flag --short", "Warning:", "WARNING:"}
)

// Complaint is the error where text begins with what kubectl says when it has
// failed or found nothing, instead of the output that it was called for; nil
// where it does not. The command may stand above it.
func Complaint(text []byte) error {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !shellPrompt.Match(line) {
			return complaint(string(line))
		}
	}
	return nil
}

// failures begin the lines in which kubectl, or the shell, says that it failed.
var failures = regexp.MustCompile(`^(error:|Error from server|The connection to the server|Unable to connect to the server|` +
	`[EF]\d{4} \d\d:|You must be logged in|(-?\w+: )?(line \d+: )?kubectl: (command )?not found)`)

func complaint(line string) error {
	switch {
	case strings.HasPrefix(line, "No resources found"):
		return fmt.Errorf("kubectl found nothing (%q): see that it asks the right cluster (kubectl config current-context) and every namespace (-A); %s",
			cut([]byte(line)), wholeCluster)
	case failures.MatchString(line):
		return fmt.Errorf("kubectl failed (%q): mend that first; %s", shorten(line, 120), wholeCluster)
	}
	return nil
}

func (p *paste) line(line string) error {
	fields := strings.Fields(line)
	if len(fields) == 0 || fields[0] == "---" {
		return nil
	}
	for _, prefix := range chatter {
		if strings.HasPrefix(line, prefix) {
			return nil
		}
	}
	if err := complaint(strings.TrimSpace(line)); err != nil {
		return err
	}
	if v, ok := strings.CutPrefix(line, "Client Version:"); ok {
		return p.component(clientVersion, v)
	}
	if v, ok := strings.CutPrefix(line, "Server Version:"); ok {
		return p.component(serverVersion, v)
	}
	if shellPrompt.MatchString(line) {
		return nil
	}
	if fields[0] == "NAME" || fields[0] == "NAMESPACE" && len(fields) > 1 && fields[1] == "NAME" {
		return p.header(fields)
	}
	return p.row(line, fields)
}

// What messages call the versions of kubectl version.
const (
	clientVersion = "client's version"
	serverVersion = "server's version"
)

// component takes what kubectl version says of the client or the server.
func (p *paste) component(which, text string) error {
	text = strings.TrimSpace(text)
	if m := gitVersion.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	v, err := model.ParseVersion(text)
	if err != nil {
		return fmt.Errorf("the %s cannot be read: %s", which, shorten(err.Error(), 120))
	}
	if which == clientVersion {
		p.client = v
	} else {
		p.server = v
	}
	return p.say(which, "", v)
}

// header remembers the columns. Those up to VERSION have no blanks in their
// values, so that words can be counted; those behind it may have some.
func (p *paste) header(fields []string) error {
	p.columns = map[string]int{}
	for i, f := range fields {
		if _, ok := p.columns[f]; !ok {
			p.columns[f] = i
		}
	}
	v, ok := p.columns["VERSION"]
	if !ok {
		return notNodes(tableOf(p.columns))
	}
	p.width = v + 1
	return nil
}

func notNodes(what string) error {
	return fmt.Errorf("%s as a table cannot be used, only nodes with their versions; %s", what, wholeCluster)
}

// tableOf says what a table of kubectl get lists, by its columns.
func tableOf(columns map[string]int) string {
	has := func(heads ...string) bool {
		for _, h := range heads {
			if _, ok := columns[h]; !ok {
				return false
			}
		}
		return true
	}
	switch {
	case has("READY", "RESTARTS"):
		return "pods"
	case has("UP-TO-DATE", "AVAILABLE"):
		return "deployments"
	case has("READY", "AGE") && !has("STATUS"):
		return "workloads"
	case has("ROLES"):
		return "nodes without the column VERSION"
	}
	return "what this lists"
}

// podRow is a line of a table that counts what is ready, such as that of pods.
var podRow = regexp.MustCompile(`^\S+( +\S+)? +\d+/\d+ +\S`)

// cells are the fields of a line about one node, by the column in which they stand.
type cells struct {
	columns map[string]int
	fields  []string
	// sure: the line has the form of a table, so that a version that cannot be read is a bad version.
	sure bool
}

// get is empty where the line has no such column.
func (c *cells) get(column string) string {
	if i, ok := c.columns[column]; ok && i < len(c.fields) {
		return c.fields[i]
	}
	return ""
}

// cells splits a line about one node: of a table, or a name and versions.
func (p *paste) cells(line string, fields []string) (*cells, error) {
	byTabs := strings.Contains(line, "\t")
	c := &cells{columns: p.columns, fields: fields, sure: byTabs || p.columns != nil || len(fields) > 3}
	switch {
	case podRow.MatchString(line):
		return nil, notNodes("pods, or what else is counted,")
	case byTabs && len(fields) == 1:
		return nil, fmt.Errorf("no version stands behind %q; %s", cut([]byte(fields[0])), pasteForms)
	case p.columns != nil && len(fields) >= p.width && !byTabs:
	case len(fields) >= 5 && isStatus(fields[1]):
		c.columns = map[string]int{"NAME": 0, "STATUS": 1, "ROLES": 2, "AGE": 3, "VERSION": 4}
	case len(fields) == 2 || len(fields) == 3:
		c.columns = map[string]int{"NAME": 0, "VERSION": 1, "PROXY": 2}
	default:
		return nil, fmt.Errorf("%q is no line about a node; %s", cut([]byte(line)), pasteForms)
	}
	return c, nil
}

// row takes a line about one node.
func (p *paste) row(line string, fields []string) error {
	c, err := p.cells(line, fields)
	if err != nil {
		return err
	}
	name := c.get("NAME")
	kubelet, err := model.ParseVersion(c.get("VERSION"))
	switch why := checkText("name", name, maxName); {
	case err != nil && c.sure:
		return fmt.Errorf("the version of %q cannot be read: %s; %s", shorten(name, 80), shorten(err.Error(), 120), pasteForms)
	case err != nil:
		return fmt.Errorf("%q is no line about a node; %s", cut([]byte(line)), pasteForms)
	case why != nil:
		return fmt.Errorf("this is no line about a node: %w; %s", why, pasteForms)
	}
	if err := p.say("kubelet", name, kubelet); err != nil {
		return err
	}
	n := p.nodes[name]
	if n == nil {
		if len(p.nodes) >= model.MaxNodesPerCluster {
			return fmt.Errorf("a cluster has at most %d nodes", model.MaxNodesPerCluster)
		}
		n = &nodeRecord{Node: model.Node{Name: name, Ready: true, Labels: map[string]string{}}}
		p.nodes[name] = n
	}
	n.Kubelet = kubelet
	return p.describe(n, c)
}

// describe takes what a line says of its node beside the kubelet.
func (p *paste) describe(n *nodeRecord, c *cells) (err error) {
	if proxy := c.get("PROXY"); proxy != "" {
		if n.KubeProxy, err = model.ParseVersion(proxy); err != nil {
			return fmt.Errorf("kube-proxy of %s: %s", n.Name, shorten(err.Error(), 120))
		}
		if err := p.say("kube-proxy", n.Name, n.KubeProxy); err != nil {
			return err
		}
	}
	if status := c.get("STATUS"); status != "" {
		if !isStatus(status) {
			return fmt.Errorf("%.40q is no status of a node, such as Ready or NotReady,SchedulingDisabled", status)
		}
		words := strings.Split(status, ",")
		n.Ready = slices.Contains(words, "Ready")
		n.Unschedulable = slices.Contains(words, "SchedulingDisabled")
	}
	if roles := c.get("ROLES"); roles != "" && roles != "<none>" {
		for _, role := range strings.Split(roles, ",") {
			n.Labels[rolePrefix+role] = ""
		}
	}
	return nil
}

// isStatus reports whether the word is what kubectl shows as a node's status.
func isStatus(s string) bool {
	for _, word := range strings.Split(s, ",") {
		switch word {
		case "Ready", "NotReady", "Unknown", "SchedulingDisabled":
		default:
			return false
		}
	}
	return true
}

func (p *paste) cluster() (*model.Cluster, error) {
	if len(p.nodes) == 0 && p.client.IsZero() && p.server.IsZero() {
		return nil, errors.New("there is nothing in it; " + pasteForms)
	}
	r := &Reader{nodes: p.nodes}
	c := &model.Cluster{Kubectl: p.client}
	for _, n := range p.nodes {
		n.complete()
	}
	nodes := r.sortedNodes()
	c.Notes = r.controlPlane(c, nodes)
	if len(nodes) == 0 {
		c.ControlPlane.Managed = false
	}
	if !p.server.IsZero() {
		setServers(c, p.server)
		c.Notes = nil
	}
	for _, n := range nodes {
		c.Nodes = append(c.Nodes, n.Node)
	}
	return c, nil
}
