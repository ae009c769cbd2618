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
// custom-columns` give them, and the text of `kubectl version`, in any mixture.
// The cluster has nodes and versions only. A line that is none of these is an error that names it.
func ReadPaste(name string, in io.Reader) (*model.Cluster, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxPaste+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(data) > maxPaste:
		return nil, fmt.Errorf("%s: more than %d MiB of pasted text", name, maxPaste>>20)
	case bytes.IndexByte(data, 0) >= 0:
		return nil, fmt.Errorf("%s: this is a binary file; %s", name, pasteForms)
	}
	p := paste{nodes: map[string]*nodeRecord{}}
	lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	for i, line := range lines {
		if err := p.line(strings.TrimRight(line, " \t\r")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	c, err := p.cluster()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

const pasteForms = "expected the table of `kubectl get nodes`, lines of node name, tab and version, or the text of `kubectl version`"

type paste struct {
	nodes          map[string]*nodeRecord
	client, server model.Version
	// columns of the table being read, by header; nil outside of one.
	columns map[string]int
	width   int
}

var (
	gitVersion = regexp.MustCompile(`GitVersion:"([^"]+)"`)
	// shellPrompt is what may stand before a command that was pasted with its output.
	shellPrompt = regexp.MustCompile(`(^|[$#>%] ?)\s*(sudo )?(kubectl|oc|k) `)
	// chatter are lines that kubectl prints around what matters.
	chatter = []string{"Kustomize Version:", "WARNING: version difference", "Flag --short", "Warning:", "WARNING:"}
)

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
	if v, ok := strings.CutPrefix(line, "Client Version:"); ok {
		return componentVersion(&p.client, v)
	}
	if v, ok := strings.CutPrefix(line, "Server Version:"); ok {
		return componentVersion(&p.server, v)
	}
	if shellPrompt.MatchString(line) {
		return nil
	}
	if fields[0] == "NAME" || fields[0] == "NAMESPACE" && len(fields) > 1 && fields[1] == "NAME" {
		return p.header(fields)
	}
	return p.row(line, fields)
}

func componentVersion(into *model.Version, text string) error {
	text = strings.TrimSpace(text)
	if m := gitVersion.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	v, err := model.ParseVersion(text)
	*into = v
	return err
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
		return fmt.Errorf("%s as a table cannot be used, only nodes with their versions; write the cluster's objects with -o json", tableOf(p.columns))
	}
	p.width = v + 1
	return nil
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

// row takes a line about one node: of a table, or a name and versions.
func (p *paste) row(line string, fields []string) error {
	columns := p.columns
	switch {
	case columns != nil && len(fields) >= p.width && !strings.Contains(line, "\t"):
	case len(fields) >= 5 && isStatus(fields[1]):
		columns = map[string]int{"NAME": 0, "STATUS": 1, "ROLES": 2, "AGE": 3, "VERSION": 4}
	case len(fields) == 2 || len(fields) == 3:
		columns = map[string]int{"NAME": 0, "VERSION": 1, "PROXY": 2}
	default:
		return fmt.Errorf("%q is no line about a node; %s", cut([]byte(line)), pasteForms)
	}
	get := func(column string) string {
		if i, ok := columns[column]; ok && i < len(fields) {
			return fields[i]
		}
		return ""
	}
	kubelet, err := model.ParseVersion(get("VERSION"))
	if err != nil {
		return fmt.Errorf("%q is no line about a node: %w; %s", cut([]byte(line)), err, pasteForms)
	}
	name := get("NAME")
	n := p.nodes[name]
	if n == nil {
		if len(p.nodes) >= model.MaxNodesPerCluster {
			return fmt.Errorf("a cluster has at most %d nodes", model.MaxNodesPerCluster)
		}
		n = &nodeRecord{Node: model.Node{Name: name, Ready: true, Labels: map[string]string{}}}
		p.nodes[name] = n
	}
	n.Kubelet = kubelet
	if proxy := get("PROXY"); proxy != "" {
		if n.KubeProxy, err = model.ParseVersion(proxy); err != nil {
			return fmt.Errorf("kube-proxy of %s: %w", name, err)
		}
	}
	if status := get("STATUS"); status != "" {
		if !isStatus(status) {
			return fmt.Errorf("%q is no status of a node, such as Ready or NotReady,SchedulingDisabled", status)
		}
		words := strings.Split(status, ",")
		n.Ready = slices.Contains(words, "Ready")
		n.Unschedulable = slices.Contains(words, "SchedulingDisabled")
	}
	if roles := get("ROLES"); roles != "" && roles != "<none>" {
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
