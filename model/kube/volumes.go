package kube

import (
	"fmt"
	"slices"
	"strings"

	"upsim/model"
)

// volumeRecord is what is kept of a PersistentVolume: which claim it is bound to, and where it can be attached.
type volumeRecord struct {
	name  string
	file  string
	claim objectName
	// terms of its node affinity, of which one must hold.
	terms []nodeTerm
	// disk: it is a directory or a disk of one node.
	disk bool
	left bool // noted as one that holds nothing
}

func (r *Reader) addVolume(raw []byte) error {
	var o volumeObject
	if err := r.decode(raw, volumeFields, &o); err != nil {
		return err
	}
	m := metadata(o.Metadata, o.meta)
	if err := checkMeta(m.Name, "", nil); err != nil {
		return err
	}
	v := &volumeRecord{name: m.Name, file: r.file, disk: present(o.Spec.Local) || present(o.Spec.HostPath)}
	if ref := o.Spec.ClaimRef; ref != nil {
		v.claim = objectName{namespaceOf(ref.Namespace), ref.Name}
	}
	if a := o.Spec.NodeAffinity; a != nil && a.Required != nil {
		v.terms = a.Required.NodeSelectorTerms
	}
	for _, label := range []string{model.LabelZone, labelZoneOld} {
		// Volumes from before CSI say their zones by a label, several with two underscores between (well-known labels).
		if zones := m.Labels[label]; zones != "" && len(v.terms) == 0 {
			v.terms = []nodeTerm{{MatchExpressions: []requirement{{Key: label, Operator: "In", Values: strings.Split(zones, "__")}}}}
		}
	}
	r.volumes[v.name] = v
	return nil
}

func (r *Reader) addClaim(raw []byte) error {
	var o claimObject
	if err := r.decode(raw, claimFields, &o); err != nil {
		return err
	}
	m := metadata(o.Metadata, o.meta)
	if err := checkMeta(m.Name, m.Namespace, nil); err != nil {
		return err
	}
	r.claims[objectName{namespaceOf(m.Namespace), m.Name}] = o.Spec.VolumeName
	return nil
}

// claimNames are the claims that a pod mounts; an ephemeral volume's claim has the pod's name and its own (Ephemeral Volumes).
func (o *podHead) claimNames(pod string) (names []string) {
	for _, v := range o.Spec.Volumes {
		switch {
		case v.PersistentVolumeClaim != nil:
			names = append(names, v.PersistentVolumeClaim.ClaimName)
		case present(v.Ephemeral):
			names = append(names, pod+"-"+v.Name)
		}
	}
	return names
}

// reach is where a volume can be attached.
type reach int

const (
	reachAny  reach = iota
	reachZone       // in one zone
	reachNode       // on one node
	reachOdd        // in another set of nodes, which no workload can be given
)

// reach is what the volume's terms say.
func (v *volumeRecord) reach() reach {
	if v.disk {
		return reachNode
	}
	widest, values := reachAny, ""
	for i := range v.terms {
		to, at := v.terms[i].reach()
		switch {
		case to == reachAny:
			return reachAny
		case i > 0 && (to != widest || at != values):
			return reachOdd
		}
		widest, values = to, at
	}
	return widest
}

// reach is what one term asks for, and the zone or node that it names.
func (t *nodeTerm) reach() (to reach, at string) {
	for _, e := range slices.Concat(t.MatchExpressions, t.MatchFields) {
		is := reachOdd
		switch {
		case strings.HasSuffix(e.Key, "/region"):
			is = reachAny
		case e.Operator != "In" || len(e.Values) != 1:
		case strings.HasSuffix(e.Key, "/zone"):
			is = reachZone
		case e.Key == model.LabelHostname, e.Key == "metadata.name", strings.HasSuffix(e.Key, "/node"):
			// Drivers of local disks have labels of their own for a node, such as topology.topolvm.io/node.
			is = reachNode
		}
		if is > to {
			to, at = is, strings.Join(e.Values, ",")
		}
	}
	return to, at
}

// holds reports whether the term, as far as it says In, holds on the node.
func (t *nodeTerm) holds(n *model.Node) bool {
	for _, e := range slices.Concat(t.MatchExpressions, t.MatchFields) {
		value := n.Labels[e.Key]
		switch e.Key {
		case model.LabelZone, labelZoneOld:
			value = n.Zone
		case "metadata.name":
			value = n.Name
		}
		if e.Operator == "In" && !slices.Contains(e.Values, value) {
			return false
		}
	}
	return true
}

// volumeOf is what the pods' volumes hold a workload's pods to, nil for nothing; unknown says that a claim's volume is not in the
// input. A pod that has no node
// yet is held where it is first bound.
func (r *Reader) volumeOf(a *assembly, byClaim map[objectName]*volumeRecord) (out *model.Volume, unknown bool) {
	for _, at := range a.mounting {
		p := &r.pods[at]
		for _, name := range r.podClaims[at] {
			claim := objectName{p.namespace, name}
			v := byClaim[claim]
			if volume, known := r.claims[claim]; volume != "" {
				v = r.volumes[volume]
			} else if known && v == nil {
				continue // it is not bound yet
			}
			if v == nil {
				unknown = true
				continue
			}
			if n := r.nodes[p.node]; n != nil && r.fits(v, p, n) {
				out = hold(out, v.reach())
			}
		}
	}
	return out, unknown
}

// hold adds to what a workload's pods are held to.
func hold(out *model.Volume, to reach) *model.Volume {
	if to == reachAny {
		return out
	}
	if out == nil {
		out = &model.Volume{}
	}
	out.Zonal, out.Local = out.Zonal || to == reachZone, out.Local || to == reachNode
	return out
}

// fits reports whether the pod's workload can be held to what the volume says, and notes it once where it cannot.
func (r *Reader) fits(v *volumeRecord, p *podRecord, n *nodeRecord) bool {
	why := ""
	switch to := v.reach(); {
	case len(v.terms) > 0 && !slices.ContainsFunc(v.terms, func(t nodeTerm) bool { return t.holds(&n.Node) }):
		why = fmt.Sprintf("it cannot be attached on node %s, where Pod %s/%s stands that mounts it", p.node, p.namespace, p.name)
	case to == reachOdd:
		why = "its node affinity names neither one zone nor one node, which is all that a workload can be held to"
	case to == reachZone && n.Zone == "":
		why = fmt.Sprintf("it stays in its zone, and node %s, where Pod %s/%s stands that mounts it, has no label %s", p.node, p.namespace, p.name, model.LabelZone)
	}
	if why != "" && !v.left {
		v.left = true
		r.leave(leftOut{file: v.file, kind: "PersistentVolume", name: v.name, why: why})
	}
	return why == ""
}

// volumesByClaim finds the volumes by what they are bound to, for inputs without the claims.
func (r *Reader) volumesByClaim() map[objectName]*volumeRecord {
	out := make(map[objectName]*volumeRecord, len(r.volumes))
	for _, v := range r.volumes {
		if v.claim.name != "" {
			if other := out[v.claim]; other == nil || v.name < other.name {
				out[v.claim] = v
			}
		}
	}
	return out
}
