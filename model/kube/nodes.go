package kube

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"upsim/model"
)

// poolLabels are the labels by which providers and tools say a node's pool, the most specific first.
var poolLabels = []string{
	"cloud.google.com/gke-nodepool",
	"eks.amazonaws.com/nodegroup",
	"alpha.eksctl.io/nodegroup-name",
	"kubernetes.azure.com/agentpool",
	"agentpool",
	"karpenter.sh/nodepool",
	"karpenter.sh/provisioner-name",
	"kops.k8s.io/instancegroup",
	"doks.digitalocean.com/node-pool",
	"pool",
}

// labelZoneOld is what the zone label was called until Kubernetes 1.17.
const labelZoneOld = "failure-domain.beta.kubernetes.io/zone"

// rolePrefix begins the labels that kubectl shows as a node's roles.
const rolePrefix = "node-role.kubernetes.io/"

// controlPlaneRoles are the roles of a control-plane node: today's, kubeadm's until 1.24, and RKE1's.
var controlPlaneRoles = []string{"control-plane", "master", "controlplane"}

type nodeRecord struct {
	model.Node
	file string
	// controlPlane by a label; a static kube-apiserver on the node says it as well.
	controlPlane bool
	// unknown are the resources of which the node does not say how much it has, and defaults what is taken for them.
	unknown  []string
	defaults string
}

// fill puts what a node has by default in the place of amounts that are not
// there, and tells which. An amount of 0 is one: a node with 0 pods takes none.
func (a amounts) fill() (unknown []string, defaults string) {
	def := model.DefaultAllocatable()
	var texts []string
	for _, d := range []struct {
		name   string
		amount int64
		text   string
	}{
		{"cpu", def.CPU, "more cpu than any workload fills"},
		{"memory", def.Memory, "more memory than any workload fills"},
		{"pods", def.Pods, fmt.Sprintf("%d pods", def.Pods)},
	} {
		if _, ok := a[d.name]; !ok {
			a[d.name] = d.amount
			unknown, texts = append(unknown, d.name), append(texts, d.text)
		}
	}
	return unknown, strings.Join(texts, ", ")
}

func checkLabels(labels map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if err := checkText("label's key", key, maxLabelKey); err != nil {
			return err
		}
		if err := checkText("label "+key, labels[key], maxLabelValue); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) addNode(raw []byte) error {
	var o nodeObject
	if err := r.decode(raw, nodeFields, &o); err != nil {
		return err
	}
	m := metadata(o.Metadata, o.meta)
	if err := checkMeta(m.Name, "", nil); err != nil {
		return err
	}
	if err := checkLabels(m.Labels); err != nil {
		return err
	}
	if len(r.nodes) >= model.MaxNodesPerCluster {
		return fmt.Errorf("a cluster has at most %d nodes", model.MaxNodesPerCluster)
	}
	allocatable := o.Status.Allocatable
	if len(allocatable) == 0 {
		// "Defaults to Capacity" (API reference, NodeStatus).
		allocatable = o.Status.Capacity
	}
	have, err := allocatable.parse()
	if err != nil {
		return err
	}
	rec := &nodeRecord{file: r.file}
	rec.unknown, rec.defaults = have.fill()
	n := &rec.Node
	*n = model.Node{
		Name: m.Name, Labels: map[string]string{}, Allocatable: have.resources(), Unschedulable: o.Spec.Unschedulable,
	}
	for key, value := range m.Labels {
		n.Labels[r.text(key)] = r.text(value)
	}
	for _, c := range o.Status.Conditions {
		if c.Type == "Ready" {
			n.Ready = c.Status == "True"
		}
	}
	for _, t := range o.Spec.Taints {
		switch t.Key {
		case model.TaintUnschedulable:
			// Kubernetes 1.12 and later add it to a cordoned node; older ones do not. The simulator adds it itself.
			n.Unschedulable = true
		case model.TaintNotReady, model.TaintUnreachable:
			// They follow from the Ready condition.
		default:
			n.Taints = append(n.Taints, model.Taint{Key: t.Key, Value: t.Value, Effect: model.TaintEffect(t.Effect)})
		}
	}
	if n.Kubelet, err = nodeVersion(o.Status.NodeInfo.KubeletVersion); err != nil {
		return fmt.Errorf("kubelet: %w", err)
	}
	if n.KubeProxy, err = nodeVersion(o.Status.NodeInfo.KubeProxyVersion); err != nil {
		n.KubeProxy = model.Version{}
	}
	rec.complete()
	r.nodes[n.Name] = rec
	return nil
}

// nodeVersion reads a version that may be missing: Kubernetes 1.33 and later leave kubeProxyVersion out.
func nodeVersion(text string) (model.Version, error) {
	if text == "" {
		return model.Version{}, nil
	}
	if err := checkText("version", text, maxName); err != nil {
		return model.Version{}, err
	}
	return model.ParseVersion(text)
}

// complete derives pool, zone and role from the labels.
func (n *nodeRecord) complete() {
	for _, role := range controlPlaneRoles {
		if _, ok := n.Labels[rolePrefix+role]; ok {
			n.controlPlane = true
		}
	}
	if role := n.Labels["kubernetes.io/role"]; role == "master" || role == "control-plane" {
		n.controlPlane = true
	}
	for _, label := range poolLabels {
		if n.Pool == "" {
			n.Pool = n.Labels[label]
		}
	}
	if n.Zone = n.Labels[model.LabelZone]; n.Zone == "" {
		n.Zone = n.Labels[labelZoneOld]
	}
	if _, ok := n.Labels[model.LabelHostname]; !ok {
		n.Labels[model.LabelHostname] = n.Name
	}
}

// markControlPlane gives the node the label and the pool that the simulator knows control-plane nodes by.
func (n *nodeRecord) markControlPlane() {
	n.Pool = model.PoolControlPlane
	if _, ok := n.Labels[model.LabelControlPlane]; !ok {
		n.Labels[model.LabelControlPlane] = ""
	}
}

// sortedNodes lists the nodes in natural order of their names.
func (r *Reader) sortedNodes() []*nodeRecord {
	out := make([]*nodeRecord, 0, len(r.nodes))
	for _, n := range r.nodes {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b *nodeRecord) int { return model.NaturalCompare(a.Name, b.Name) })
	return out
}
