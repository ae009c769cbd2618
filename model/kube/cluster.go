package kube

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"upsim/model"
)

// Cluster puts the objects that were read together. The findings are what had
// to be assumed or left out; they are in the cluster's Notes as well. It may be
// called once. A cluster larger than can be simulated is an error, and so is
// one of which most is not understood (mostlyOdd) or whose pods all belong to other nodes.
func (r *Reader) Cluster() (*model.Cluster, []model.Finding, error) {
	c := &model.Cluster{FromFiles: true}
	nodes := r.sortedNodes()
	ready := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		ready[n.Name] = n.Ready
	}
	info := r.controlPlane(c, nodes)
	r.missing(nodes)
	for _, n := range nodes {
		c.Nodes = append(c.Nodes, n.Node)
	}
	c.Budgets = r.sortedBudgets()
	if err := r.mostlyOdd(); err != nil {
		return nil, nil, err
	}
	nodeless, err := r.workloads(c, ready)
	if err == nil {
		err = r.mostlyOdd()
	}
	if err != nil {
		return nil, nil, err
	}
	c.Notes = append(append(r.notesOf(nodeless), r.incomplete()...), info...)
	return c, c.Notes, nil
}

// assembly is a workload while its parts are found.
type assembly struct {
	kind            model.Kind
	ownerKind       string
	namespace, name string
	controller      *controller
	// sets are the ReplicaSets of a Deployment that is not in the input.
	sets     []*controller
	newest   *podGroup
	existing []model.ExistingPod
	mounting []int32 // pods that mount claims
}

type workloadKey struct {
	kind                       model.Kind
	ownerKind, namespace, name string
}

// assemblies are all workloads while their parts are found.
type assemblies map[workloadKey]*assembly

// of is the workload with the key, a new one where there is none yet.
func (all assemblies) of(k workloadKey) *assembly {
	a := all[k]
	if a == nil {
		a = &assembly{kind: k.kind, ownerKind: k.ownerKind, namespace: k.namespace, name: k.name}
		all[k] = a
	}
	return a
}

// workloads makes the workloads of the controllers and the pods that were read,
// and returns the pods of nodes that are not there, which are in none of them.
func (r *Reader) workloads(c *model.Cluster, ready map[string]bool) (map[string]*nodelessPods, error) {
	all := assemblies{}
	r.assembleControllers(all)
	nodeless, err := r.assemblePods(all, ready)
	if err != nil {
		return nil, err
	}
	return nodeless, r.makeWorkloads(c, all)
}

// assembleControllers finds the controllers of workloads.
func (r *Reader) assembleControllers(all assemblies) {
	for _, ctl := range r.controllers {
		if ctl.deployment != "" {
			if r.controllers[controllerKey{"Deployment", ctl.namespace, ctl.deployment}] == nil {
				a := all.of(workloadKey{model.Deployment, "", ctl.namespace, ctl.deployment})
				a.sets = append(a.sets, ctl)
			}
			continue
		}
		kind := model.Kind(ctl.kind)
		if ctl.kind == "ReplicationController" {
			kind = model.ReplicaSet
		}
		all.of(workloadKey{kind, "", ctl.namespace, ctl.name}).controller = ctl
	}
}

// assemblePods finds the pods of workloads, and returns those of nodes that are not there.
func (r *Reader) assemblePods(all assemblies, ready map[string]bool) (map[string]*nodelessPods, error) {
	owners := make([]*assembly, len(r.groups))
	nodeless := map[string]*nodelessPods{}
	on, off := 0, 0
	for i := range r.pods {
		p := &r.pods[i]
		if p.gone {
			continue
		}
		if _, ok := ready[p.node]; !ok && p.node != "" && len(ready) > 0 {
			if nodeless[p.node] == nil {
				nodeless[p.node] = &nodelessPods{file: r.groups[p.group].file}
			}
			nodeless[p.node].count++
			off++
			continue
		}
		on++
		a := owners[p.group]
		if a == nil {
			g := r.groups[p.group]
			a = all.of(r.ownerOf(g))
			owners[p.group] = a
			if a.newest == nil || g.newestCreated > a.newest.newestCreated ||
				g.newestCreated == a.newest.newestCreated && g.newestName < a.newest.newestName {
				a.newest = g
			}
		}
		a.existing = append(a.existing, r.existing(p, a, ready))
		if r.podClaims[int32(i)] != nil {
			a.mounting = append(a.mounting, int32(i))
		}
	}
	if on == 0 && off >= fewest {
		return nil, fmt.Errorf("%s: none of the %d pods is on a node of the input; give the nodes and the pods of one cluster", r.file, off)
	}
	return nodeless, nil
}

// makeWorkloads makes the cluster's workloads of their parts, by namespace and name, with their volumes.
func (r *Reader) makeWorkloads(c *model.Cluster, all assemblies) error {
	list := make([]*assembly, 0, len(all))
	for _, a := range all {
		list = append(list, a)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].before(list[j]) })
	namespaces, volumes := r.namespaces(list), r.volumesByClaim()
	total, claims := 0, 0
	for _, a := range list {
		w, claim, err := a.workload(namespaces)
		if err != nil {
			r.leave(leftOut{file: a.file(), kind: string(a.kind), namespace: a.namespace, name: a.name, why: err.Error(),
				workload: true, pods: len(a.existing)})
			continue
		}
		r.tally(anyWorkload).read++
		unknown := false
		if w.Volume, unknown = r.volumeOf(a, volumes); unknown || claim && len(a.mounting) == 0 {
			claims++
		}
		if total += max(w.Replicas, len(w.Existing)); total > model.MaxReplicasPerCluster {
			return fmt.Errorf("the input asks for more than %d pods; no more can be simulated", model.MaxReplicasPerCluster)
		}
		c.Workloads = append(c.Workloads, w)
	}
	if claims > 0 {
		r.notes = append(r.notes, model.NewFinding(model.VolumesUnknown, "Cluster", fmt.Sprintf(
			"%s whose PersistentVolumes are not in the input; they are taken to be attachable on every node.", mounting(claims))))
	}
	return nil
}

// ownerOf follows a pod's direct owner to the workload.
func (r *Reader) ownerOf(g *podGroup) workloadKey {
	k := workloadKey{namespace: g.namespace, name: g.name}
	switch {
	case g.custom:
		k.kind, k.ownerKind = model.Custom, g.ownerKind
	case g.kind == ownerNone:
		k.kind = model.BarePod
	case g.kind == ownerStatic:
		k.kind = model.Static
	case g.kind == "ReplicationController":
		k.kind = model.ReplicaSet
	case g.kind == "ReplicaSet":
		k.kind = model.ReplicaSet
		if set := r.controllers[controllerKey{"ReplicaSet", g.namespace, g.name}]; set != nil {
			if set.deployment != "" {
				k.kind, k.name = model.Deployment, set.deployment
			}
		} else if base, ok := strings.CutSuffix(g.name, "-"+g.templateHash); ok && g.templateHash != "" && base != "" {
			// A Deployment names its ReplicaSets NAME-HASH and labels their pods with the hash.
			k.kind, k.name = model.Deployment, base
		}
	default:
		k.kind = model.Kind(g.kind)
	}
	return k
}

// existing describes a pod. A pod on a node that is not Ready still says that
// it is Ready, until the node controller corrects it or for ever, and is not.
func (r *Reader) existing(p *podRecord, a *assembly, ready map[string]bool) model.ExistingPod {
	out := model.ExistingPod{Name: p.name, Node: p.node, Ordinal: -1, Terminating: p.terminating}
	nodeReady, known := ready[p.node]
	out.Ready = p.ready && p.node != "" && (nodeReady || !known)
	if a.kind != model.StatefulSet {
		return out
	}
	start := 0
	if a.controller != nil {
		start = a.controller.ordinalStart
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(p.name, a.name+"-")); err == nil && n >= start && n-start < model.MaxReplicasPerCluster {
		out.Ordinal = n - start
	}
	return out
}

func (a *assembly) before(b *assembly) bool {
	switch {
	case a.namespace != b.namespace:
		return a.namespace < b.namespace
	case a.name != b.name:
		return a.name < b.name
	case a.kind != b.kind:
		return a.kind < b.kind
	}
	return a.ownerKind < b.ownerKind
}

// file names where the workload was read.
func (a *assembly) file() string {
	switch {
	case a.controller != nil:
		return a.controller.file
	case len(a.sets) > 0:
		return a.sets[0].file
	case a.newest != nil:
		return a.newest.file
	}
	return ""
}

func (r *Reader) namespaces(list []*assembly) []string {
	set := map[string]bool{}
	for _, a := range list {
		set[a.namespace] = true
	}
	for name := range r.budgets {
		set[name.namespace] = true
	}
	out := make([]string, 0, len(set))
	for ns := range set {
		out = append(out, ns)
	}
	sort.Strings(out)
	return out
}

func mounting(workloads int) string {
	if workloads == 1 {
		return "1 workload mounts persistent volume claims"
	}
	return fmt.Sprintf("%d workloads mount persistent volume claims", workloads)
}
