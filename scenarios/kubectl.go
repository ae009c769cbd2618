package scenarios

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"upsim/model"
	"upsim/model/kube"
)

// Options are what a user says about a real cluster and its upgrade beside its kubectl output.
type Options struct {
	// To is the target of the upgrade; zero means the newest version that an API server has.
	To model.Version
	// Server counts in place of what the output tells, or lets infer, of the API servers; zero means none is given.
	Server model.Version
	// Strategy, MaxUnavailable and MaxSurge are those keys of upgrade.nodes; empty ones have their defaults.
	Strategy, MaxUnavailable, MaxSurge string
	// Changes are what the upgrade has variants for, as for LoadFrom.
	Changes []model.Changes
}

// nodes are the keys of upgrade.nodes that are given.
func (o Options) nodes() map[string]any {
	out := map[string]any{}
	for key, value := range map[string]string{"strategy": o.Strategy, "maxUnavailable": o.MaxUnavailable, "maxSurge": o.MaxSurge} {
		if n, err := strconv.Atoi(value); err == nil {
			out[key] = n
		} else if value != "" {
			out[key] = value
		}
	}
	return out
}

// FromKubectl makes a scenario of a real cluster's kubectl output, as
// FromInputs does; the path "-" is stdin.
func FromKubectl(paths []string, stdin io.Reader, options Options) (*model.Scenario, error) {
	var inputs []*Input
	for _, path := range paths {
		in, err := Open(path, stdin)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		inputs = append(inputs, in)
	}
	return FromInputs(inputs, options)
}

// FromInputs makes a scenario of a real cluster's kubectl output: all inputs
// are one cluster, and the upgrade goes to the target with every default that the options do not change.
// Without a target it goes to the newest version that an API server has, which
// is what a check of the cluster as it stands wants.
func FromInputs(inputs []*Input, options Options) (*model.Scenario, error) {
	r := kube.NewReader()
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = in.Name
		if in.Content == ContentPaste {
			// An error of reading comes again, and is told, where the input is read.
			head, _ := in.reader.Peek(headSize)
			if err := kube.Complaint(head); err != nil {
				return nil, fmt.Errorf("%s: %w", in.Name, err)
			}
			return nil, fmt.Errorf("%s: a table or a list of versions does not say what a cluster has; write it with -o json"+
				" (versions alone can be checked: upsim check FILE --server-version VERSION)", in.Name)
		}
		if err := r.Add(in.Name, in.reader); err != nil {
			return nil, err
		}
	}
	cluster, err := finish(r)
	if err != nil {
		return nil, err
	}
	list := strings.Join(names, ", ")
	if len(cluster.Nodes) == 0 {
		return nil, fmt.Errorf("%s: there is no node in it; write it with kubectl get nodes,pods,deployments,"+
			"replicasets,statefulsets,daemonsets,poddisruptionbudgets,pv,pvc -A -o json", list)
	}
	description := map[string]any{"from": names}
	to := options.To
	if server := options.Server; !server.IsZero() {
		description["version"] = server.String()
		to = cmp.Or(to, server)
	}
	if to.IsZero() {
		to = newestAPIServer(cluster)
	}
	// The defaults of everything else stand in one place, the decoder.
	doc, err := json.Marshal(map[string]any{
		"apiVersion": model.APIVersion,
		"kind":       model.KindScenario,
		"metadata":   map[string]any{"name": clusterName(names[0])},
		"cluster":    description,
		"upgrade":    map[string]any{"to": to.String(), "nodes": options.nodes()},
	})
	if err != nil {
		return nil, err
	}
	found, faults := model.Decode(list, doc, func([]string) (*model.Cluster, error) { return cluster, nil }, options.Changes...)
	if len(faults) > 0 {
		// The document was never a file: its lines would mean nothing to the user.
		return nil, fmt.Errorf("%s: %s", list, faults[0].Message)
	}
	found[0].Folder = "."
	return found[0], nil
}

func newestAPIServer(c *model.Cluster) model.Version {
	newest := c.Version
	for _, v := range c.ControlPlane.APIServer {
		if v.Compare(newest) > 0 {
			newest = v
		}
	}
	return newest
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// clusterName names the scenario after its first file, in the form that names
// have: prod.json gives prod, "My Cluster.json" my-cluster.
func clusterName(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	name = strings.Trim(notInName.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if name == "" {
		return "cluster"
	}
	return strings.TrimRight(name[:min(len(name), 63)], "-")
}
