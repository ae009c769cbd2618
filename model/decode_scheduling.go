package model

import "slices"

// selector reads a label selector as Kubernetes has it and checks it piece by piece.
func (d *decoder) selector(p *LabelSelector) func(*node) {
	return func(n *node) {
		if n.kind == mappingNode && len(n.keys) > 0 && n.get("matchLabels") == nil && n.get("matchExpressions") == nil &&
			nearest(n.keys[0].value, []string{"matchLabels", "matchExpressions"}) == "" {
			d.fault(n, "labels to select stand under matchLabels: {matchLabels: {%s: …}}", shorten(n.keys[0].value))
			return
		}
		d.object(n,
			may("matchLabels", d.labels(&p.MatchLabels)),
			may("matchExpressions", d.requirements(&p.MatchExpressions, "In", "NotIn", "Exists", "DoesNotExist")),
		)
	}
}

func (d *decoder) optSelector(p **LabelSelector) func(*node) {
	return func(n *node) {
		*p = &LabelSelector{}
		d.selector(*p)(n)
	}
}

func (d *decoder) requirements(p *[]Requirement, operators ...string) func(*node) {
	return func(n *node) {
		*p = nil
		d.list(func(item *node) {
			var r Requirement
			before := len(d.found)
			d.object(item,
				must("key", d.name(&r.Key, labelKey)),
				must("operator", oneOf(d, &r.Operator, operators...)),
				may("values", d.names(&r.Values, labelValue)),
			)
			if len(d.found) > before {
				return
			}
			// Key, operator and values were checked; what is left is how many values the operator takes.
			if _, err := (LabelSelector{MatchExpressions: []Requirement{r}}).Compile(); err != nil {
				d.fault(item, "%v", err)
			}
			*p = append(*p, r)
		})(n)
	}
}

// Policy says whether a rule of nodes counts when pods are spread.
type Policy string

// The rule counts, or it does not.
const (
	PolicyHonor  Policy = "Honor"
	PolicyIgnore Policy = "Ignore"
)

func (d *decoder) spread(p *[]SpreadConstraint) func(*node) {
	return func(n *node) {
		*p = nil
		d.list(func(item *node) {
			s := SpreadConstraint{MaxSkew: 1}
			unsatisfiable, affinity, taints := "DoNotSchedule", PolicyHonor, PolicyIgnore
			if !d.object(item,
				must("topologyKey", d.name(&s.TopologyKey, labelKey)),
				may("maxSkew", d.integer(&s.MaxSkew, 1, MaxReplicasPerCluster)),
				may("whenUnsatisfiable", oneOf(d, &unsatisfiable, "DoNotSchedule", "ScheduleAnyway")),
				may("labelSelector", d.optSelector(&s.Selector)),
				may("minDomains", d.integer(&s.MinDomains, 1, MaxNodesPerCluster)),
				may("nodeAffinityPolicy", oneOf(d, &affinity, PolicyHonor, PolicyIgnore)),
				may("nodeTaintsPolicy", oneOf(d, &taints, PolicyHonor, PolicyIgnore)),
				may("matchLabelKeys", nil),
			) {
				return
			}
			s.DoNotSchedule = unsatisfiable == "DoNotSchedule"
			s.IgnoreAffinity, s.HonorTaints = affinity == PolicyIgnore, taints == PolicyHonor
			if s.MinDomains > 0 && !s.DoNotSchedule {
				d.fault(item.get("minDomains"), "needs whenUnsatisfiable: DoNotSchedule")
			}
			if slices.ContainsFunc(*p, func(o SpreadConstraint) bool {
				return o.TopologyKey == s.TopologyKey && o.DoNotSchedule == s.DoNotSchedule && s.TopologyKey != ""
			}) {
				d.fault(item, "there is a constraint on %s with whenUnsatisfiable: %s already", quote(s.TopologyKey), unsatisfiable)
			}
			*p = append(*p, s)
		})(n)
	}
}

// The names that Kubernetes gives to what an affinity demands and prefers.
const (
	requiredTerms  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution"
)

// affinity reads a pod's affinity in Kubernetes' own form.
func (d *decoder) affinity(w *Workload) func(*node) {
	return func(n *node) {
		d.object(n,
			may("nodeAffinity", d.nodeAffinity(&w.NodeAffinity)),
			may("podAffinity", d.podAffinity(&w.PodAffinity)),
			may("podAntiAffinity", d.podAffinity(&w.AntiAffinity)),
		)
	}
}

func (d *decoder) nodeAffinity(a *NodeAffinity) func(*node) {
	term := func(t *NodeTerm) func(*node) {
		return func(n *node) {
			d.object(n,
				may("matchExpressions", d.requirements(&t.Labels, "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")),
				may("matchFields", nil),
			)
			// Kubernetes lets an empty term match no node, which nobody means.
			if v := n.get("matchExpressions"); n.kind == mappingNode && n.get("matchFields") == nil &&
				(v == nil || v.kind == sequenceNode && len(v.items) == 0) {
				d.fault(n, "a term without matchExpressions matches no node")
			}
		}
	}
	return func(n *node) {
		d.object(n,
			may(requiredTerms, func(v *node) {
				d.object(v, must("nodeSelectorTerms", func(list *node) {
					d.list(func(item *node) {
						var t NodeTerm
						term(&t)(item)
						a.Required = append(a.Required, t)
					})(list)
					if list.kind == sequenceNode && len(list.items) == 0 {
						d.fault(list, "must have at least one term")
					}
				}))
			}),
			may(preferredTerms, d.list(func(item *node) {
				var t WeightedNodeTerm
				d.object(item,
					must("weight", d.integer(&t.Weight, 1, 100)),
					must("preference", term(&t.Term)),
				)
				a.Preferred = append(a.Preferred, t)
			})),
		)
	}
}

// podTerm are the fields of a term on pods; the values go into t.
func (d *decoder) podTerm(t *PodTerm) []field {
	return []field{
		must("topologyKey", d.name(&t.TopologyKey, labelKey)),
		may("labelSelector", d.optSelector(&t.Selector)),
		may("namespaces", d.names(&t.Namespaces, dnsLabel)),
		may("namespaceSelector", nil),
		may("matchLabelKeys", nil),
		may("mismatchLabelKeys", nil),
	}
}

func (d *decoder) requiredPods(a *PodAffinity) func(*node) {
	return d.list(func(item *node) {
		var t PodTerm
		d.object(item, d.podTerm(&t)...)
		a.Required = append(a.Required, t)
	})
}

// weightedTerm reads a preferred term in Kubernetes' form.
func (d *decoder) weightedTerm(t *WeightedPodTerm, n *node) {
	d.object(n,
		must("weight", d.integer(&t.Weight, 1, 100)),
		must("podAffinityTerm", func(v *node) { d.object(v, d.podTerm(&t.Term)...) }),
	)
}

// podAffinity reads an affinity between pods in Kubernetes' form.
func (d *decoder) podAffinity(a *PodAffinity) func(*node) {
	return func(n *node) {
		d.object(n,
			may(requiredTerms, d.requiredPods(a)),
			may(preferredTerms, d.list(func(item *node) {
				var t WeightedPodTerm
				d.weightedTerm(&t, item)
				a.Preferred = append(a.Preferred, t)
			})),
		)
	}
}

// shortAffinity reads the format's short form: required and preferred, each a
// list of terms; a preferred term has a weight, 100 where none is given, and may
// also stand in Kubernetes' form, under podAffinityTerm.
func (d *decoder) shortAffinity(a *PodAffinity) func(*node) {
	return func(n *node) {
		if n.get(requiredTerms) != nil || n.get(preferredTerms) != nil {
			d.fault(n, "%s… belongs under affinity; here the keys are required and preferred", requiredTerms[:16])
			return
		}
		d.object(n,
			may("required", d.requiredPods(a)),
			may("preferred", d.list(func(item *node) {
				t := WeightedPodTerm{Weight: 100}
				if item.get("podAffinityTerm") != nil {
					d.weightedTerm(&t, item)
				} else {
					d.object(item, append(d.podTerm(&t.Term), may("weight", d.integer(&t.Weight, 1, 100)))...)
				}
				a.Preferred = append(a.Preferred, t)
			})),
		)
	}
}
