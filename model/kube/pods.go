package kube

import (
	"fmt"
	"strings"

	"upsim/model"
)

// podRecord is what is kept of each pod.
type podRecord struct {
	name, namespace, node string
	group                 int32
	ready, terminating    bool
	// gone: the same pod came again and had finished, or as one that is left out.
	gone bool
}

// The owners of pods that are none of Kubernetes' controllers.
const (
	ownerNone   = "" // no controller
	ownerStatic = "Static"
)

// groupKey names the direct owner of pods. A custom controller's kind has its
// API group behind it, so that it is not taken for Kubernetes' own.
type groupKey struct{ kind, namespace, name string }

// podGroup is the pods of one owner.
type podGroup struct {
	groupKey
	// custom: Kubernetes itself has no such controller; ownerKind is its kind.
	custom    bool
	ownerKind string
	// The newest pod says what the owner's next pods will look like after admission.
	newest        *podTemplate
	newestCreated string
	newestName    string
	templateHash  string
	file          string
}

// builtin lists Kubernetes' own controllers of pods and their API groups.
var builtin = map[string][]string{
	"ReplicaSet":            {"apps", "extensions"},
	"StatefulSet":           {"apps"},
	"DaemonSet":             {"apps", "extensions"},
	"Job":                   {"batch"},
	"ReplicationController": {""},
}

func (r *Reader) addPod(raw []byte) error {
	var o podHead
	if err := r.decode(raw, podHeadFields, &o); err != nil {
		return err
	}
	m := o.podMeta
	if o.Metadata != nil {
		m = *o.Metadata
	}
	if err := checkMeta(m.Name, m.Namespace, m.OwnerReferences); err != nil {
		return err
	}
	if err := checkText("node's name", o.Spec.NodeName, maxName); err != nil {
		return err
	}
	id := objectName{r.text(namespaceOf(m.Namespace)), m.Name}
	at, known := r.podIndex[id]
	if o.Status.Phase == "Succeeded" || o.Status.Phase == "Failed" {
		if known {
			r.pods[at].gone = true
		}
		return nil
	}
	if !known && len(r.pods) >= model.MaxReplicasPerCluster {
		return fmt.Errorf("a cluster has at most %d pods", model.MaxReplicasPerCluster)
	}
	group, err := r.groupOf(raw, &m, id.namespace, o.Spec.NodeName)
	if err != nil {
		return err
	}
	p := podRecord{
		name: m.Name, namespace: id.namespace, node: r.text(o.Spec.NodeName), group: group,
		ready: o.isReady(), terminating: m.DeletionTimestamp != "",
	}
	var parts []component
	if r.groups[group].kind == ownerStatic {
		// The versions of a half-upgraded control plane differ from pod to pod.
		var t podTemplate
		if err := r.decode(raw, podFields, &t); err != nil {
			return err
		}
		parts = componentsOf(&t)
	}
	if !known {
		at = int32(len(r.pods))
		r.podIndex[id] = at
		r.pods = append(r.pods, p)
	}
	r.pods[at] = p
	delete(r.podClaims, at)
	if names := o.claimNames(m.Name); len(names) > 0 {
		r.podClaims[at] = names
	}
	delete(r.components, at)
	if len(parts) > 0 {
		r.components[at] = parts
	}
	return nil
}

// isReady is the pod's condition Ready, which counts while its containers run.
func (o *podHead) isReady() bool {
	if o.Status.Phase != "Running" && o.Status.Phase != "" {
		return false
	}
	ready := false
	for _, c := range o.Status.Conditions {
		if c.Type == "Ready" {
			ready = c.Status == "True"
		}
	}
	return ready
}

// groupOf finds the group of a pod's direct owner, which the pod describes from now on where it is the newest of them.
func (r *Reader) groupOf(raw []byte, m *podMeta, namespace, node string) (int32, error) {
	key, custom, ownerKind := owner(m, namespace, node)
	at, known := r.groupIndex[key]
	var group *podGroup
	if known {
		group = r.groups[at]
	} else {
		key.name = strings.Clone(key.name)
		group = &podGroup{groupKey: key, custom: custom, ownerKind: ownerKind}
	}
	if group.newest == nil || newer(m, group) {
		var t podTemplate
		if err := r.decode(raw, podFields, &t); err != nil {
			return 0, err
		}
		group.newest, group.newestCreated, group.newestName = &t, m.CreationTimestamp, m.Name
		group.templateHash, group.file = m.Labels.PodTemplateHash, r.file
	}
	if !known {
		at = int32(len(r.groups))
		r.groups = append(r.groups, group)
		r.groupIndex[key] = at
	}
	return at, nil
}

// newer reports whether the pod describes the group better than the one that
// does so far. Among pods of one second the first by name does, whatever the order of the input.
func newer(m *podMeta, g *podGroup) bool {
	if m.CreationTimestamp != g.newestCreated {
		return m.CreationTimestamp > g.newestCreated
	}
	return m.Name <= g.newestName
}

// owner says which controller a pod belongs to. Like kubectl drain it looks
// only at the owner that is marked as the controller.
func owner(m *podMeta, namespace, node string) (key groupKey, custom bool, kind string) {
	var ref *ownerRef
	for i := range m.OwnerReferences {
		if m.OwnerReferences[i].Controller {
			ref = &m.OwnerReferences[i]
		}
	}
	// A static pod has the annotation, and since about 1.17 its node as owner. Its name is the manifest's and the node's.
	if m.Annotations.Mirror != "" || ref != nil && ref.Kind == "Node" && inGroup(ref.APIVersion, "") {
		name := m.Name
		if base, ok := strings.CutSuffix(name, "-"+node); ok && base != "" {
			name = base
		}
		return groupKey{ownerStatic, namespace, name}, false, ""
	}
	if ref == nil {
		return groupKey{ownerNone, namespace, m.Name}, false, ""
	}
	if groups, ok := builtin[ref.Kind]; ok && inGroup(ref.APIVersion, groups...) {
		return groupKey{ref.Kind, namespace, ref.Name}, false, ""
	}
	group, _, _ := strings.Cut(ref.APIVersion, "/")
	return groupKey{ref.Kind + "." + group, namespace, ref.Name}, true, ref.Kind
}
