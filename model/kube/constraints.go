package kube

import (
	"fmt"
	"sort"

	"k8s.io/apimachinery/pkg/labels"

	"upsim/model"
)

// labelNamespace is the label with its own name that every namespace has since Kubernetes 1.22.
const labelNamespace = "kubernetes.io/metadata.name"

// impossible are requirements that nothing meets: what a null selector is in
// Kubernetes, where a nil selector in model means a workload's own pods.
func impossible() []model.Requirement {
	return []model.Requirement{{Key: model.LabelHostname, Operator: "Exists"}, {Key: model.LabelHostname, Operator: "DoesNotExist"}}
}

func requirements(in []requirement) []model.Requirement {
	var out []model.Requirement
	for _, r := range in {
		out = append(out, model.Requirement{Key: r.Key, Operator: r.Operator, Values: r.Values})
	}
	return out
}

func (s *selector) convert() (model.LabelSelector, error) {
	if s == nil {
		return model.LabelSelector{MatchExpressions: impossible()}, nil
	}
	out := model.LabelSelector{MatchLabels: s.MatchLabels, MatchExpressions: requirements(s.MatchExpressions)}
	if len(out.MatchLabels) == 0 {
		out.MatchLabels = nil
	}
	if _, err := out.Compile(); err != nil {
		return out, fmt.Errorf("selector: %w", err)
	}
	return out, nil
}

// convert turns a term of node affinity into labels. The one field that can be
// matched, metadata.name, becomes the hostname label; for a DaemonSet's pods,
// each of which is tied to its node by it, it is left out.
func (t nodeTerm) convert(daemon bool) (model.NodeTerm, error) {
	out := model.NodeTerm{Labels: requirements(t.MatchExpressions)}
	if !daemon {
		for _, f := range requirements(t.MatchFields) {
			f.Key = model.LabelHostname
			out.Labels = append(out.Labels, f)
		}
	}
	if len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0 {
		out.Labels = impossible()
	}
	if _, err := out.Compile(); err != nil {
		return out, fmt.Errorf("node affinity: %w", err)
	}
	return out, nil
}

func (a *affinity) node(daemon bool) (out model.NodeAffinity, err error) {
	if a == nil || a.NodeAffinity == nil {
		return out, nil
	}
	if req := a.NodeAffinity.Required; req != nil {
		for _, t := range req.NodeSelectorTerms {
			term, err := t.convert(daemon)
			if err != nil {
				return out, err
			}
			if len(term.Labels) == 0 {
				// A term without a requirement on labels allows every node.
				out.Required = nil
				break
			}
			out.Required = append(out.Required, term)
		}
		if len(req.NodeSelectorTerms) == 0 {
			out.Required = []model.NodeTerm{{Labels: impossible()}}
		}
	}
	for _, p := range a.NodeAffinity.Preferred {
		if len(p.Preference.MatchExpressions) == 0 && len(p.Preference.MatchFields) == 0 {
			continue
		}
		term, err := p.Preference.convert(daemon)
		if err != nil {
			return out, err
		}
		out.Preferred = append(out.Preferred, model.WeightedNodeTerm{Weight: p.Weight, Term: term})
	}
	return out, nil
}

func (a *podAffinity) convert(namespaces []string) (out model.PodAffinity, err error) {
	if a == nil {
		return out, nil
	}
	for _, t := range a.Required {
		term, err := t.convert(namespaces)
		if err != nil {
			return out, err
		}
		out.Required = append(out.Required, term)
	}
	for _, p := range a.Preferred {
		term, err := p.PodAffinityTerm.convert(namespaces)
		if err != nil {
			return out, err
		}
		out.Preferred = append(out.Preferred, model.WeightedPodTerm{Weight: p.Weight, Term: term})
	}
	return out, nil
}

// convert resolves a namespaceSelector among the namespaces of the input. Of a
// namespace only its name is known, and the label that repeats it.
func (t podTerm) convert(namespaces []string) (model.PodTerm, error) {
	out := model.PodTerm{TopologyKey: t.TopologyKey, Namespaces: t.Namespaces}
	sel, err := t.LabelSelector.convert()
	if err != nil {
		return out, err
	}
	out.Selector = &sel
	if t.NamespaceSelector == nil {
		return out, nil
	}
	nsSel, err := t.NamespaceSelector.convert()
	if err != nil {
		return out, fmt.Errorf("namespace %w", err)
	}
	matcher, err := nsSel.Compile()
	if err != nil {
		return out, err
	}
	in := map[string]bool{}
	for _, ns := range t.Namespaces {
		in[ns] = true
	}
	for _, ns := range namespaces {
		if matcher.Matches(labels.Set{labelNamespace: ns}) {
			in[ns] = true
		}
	}
	out.Namespaces = nil
	for ns := range in {
		out.Namespaces = append(out.Namespaces, ns)
	}
	sort.Strings(out.Namespaces)
	if len(out.Namespaces) == 0 {
		out.Selector = &model.LabelSelector{MatchExpressions: impossible()}
	}
	return out, nil
}

func (s spread) convert() (model.SpreadConstraint, error) {
	sel, err := s.LabelSelector.convert()
	out := model.SpreadConstraint{
		TopologyKey: s.TopologyKey, MaxSkew: max(1, s.MaxSkew), Selector: &sel,
		DoNotSchedule:  s.WhenUnsatisfiable != "ScheduleAnyway",
		HonorTaints:    s.NodeTaintsPolicy == "Honor",
		IgnoreAffinity: s.NodeAffinityPolicy == "Ignore",
	}
	if s.MinDomains != nil {
		out.MinDomains = max(0, *s.MinDomains)
	}
	return out, err
}

// admissionSeconds is how long the tolerations last that admission gives every pod.
const admissionSeconds = 300

func tolerations(in []toleration) []model.Toleration {
	var out []model.Toleration
	for _, t := range in {
		// The simulator gives every pod these two, as the API server does.
		if (t.Key == model.TaintNotReady || t.Key == model.TaintUnreachable) && t.Effect == string(model.NoExecute) &&
			t.TolerationSeconds != nil && *t.TolerationSeconds == admissionSeconds {
			continue
		}
		if t.Operator == "" {
			t.Operator = "Equal"
		}
		out = append(out, model.Toleration{
			Key: t.Key, Operator: t.Operator, Value: t.Value, Effect: model.TaintEffect(t.Effect), Seconds: t.TolerationSeconds,
		})
	}
	return out
}
