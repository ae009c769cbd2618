package model

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// LabelSelector is a Kubernetes label selector. An empty one matches everything.
type LabelSelector struct {
	MatchLabels      map[string]string
	MatchExpressions []Requirement
}

// Requirement is one expression of a selector. Operator is In, NotIn, Exists,
// DoesNotExist, or (node affinity only) Gt or Lt.
type Requirement struct {
	Key      string
	Operator string
	Values   []string
}

var operators = map[string]selection.Operator{
	"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists,
	"DoesNotExist": selection.DoesNotExist, "Gt": selection.GreaterThan, "Lt": selection.LessThan,
}

// Compile turns the selector into apimachinery's matcher. It fails on a key,
// operator or value that Kubernetes would refuse.
func (s LabelSelector) Compile() (labels.Selector, error) {
	reqs := make([]Requirement, 0, len(s.MatchLabels)+len(s.MatchExpressions))
	for k, v := range s.MatchLabels {
		reqs = append(reqs, Requirement{Key: k, Operator: "In", Values: []string{v}})
	}
	return compileRequirements(append(reqs, s.MatchExpressions...))
}

// Compile turns the term into apimachinery's matcher, as LabelSelector.Compile does.
func (t NodeTerm) Compile() (labels.Selector, error) { return compileRequirements(t.Labels) }

func compileRequirements(reqs []Requirement) (labels.Selector, error) {
	sel := labels.NewSelector()
	for _, r := range reqs {
		op, ok := operators[r.Operator]
		if !ok {
			op = selection.Operator(r.Operator)
		}
		q, err := labels.NewRequirement(r.Key, op, r.Values)
		if err != nil {
			return nil, err
		}
		sel = sel.Add(*q)
	}
	return sel, nil
}
