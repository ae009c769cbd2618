package kube

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

type budgetRecord struct{ model.Budget }

func (r *Reader) addBudget(apiVersion string, raw []byte) error {
	var o budgetObject
	if err := r.decode(raw, budgetFields, &o); err != nil {
		return err
	}
	m := metadata(o.Metadata, o.meta)
	if err := checkMeta(m.Name, m.Namespace, nil); err != nil {
		return err
	}
	b := model.Budget{
		Name: m.Name, Namespace: namespaceOf(m.Namespace),
		MinAvailable: o.Spec.MinAvailable, MaxUnavailable: o.Spec.MaxUnavailable,
		AlwaysAllow: o.Spec.UnhealthyPodEvictionPolicy == "AlwaysAllow",
	}
	if b.MinAvailable != nil && b.MaxUnavailable != nil {
		return errors.New("it has both minAvailable and maxUnavailable")
	}
	if err := checkAmount("minAvailable", b.MinAvailable); err != nil {
		return err
	}
	if err := checkAmount("maxUnavailable", b.MaxUnavailable); err != nil {
		return err
	}
	if b.MinAvailable == nil && b.MaxUnavailable == nil {
		// The disruption controller allows nothing then (pkg/controller/disruption: an expected count of 0), as with all pods wanted.
		all := intstr.FromString("100%")
		b.MinAvailable = &all
	}
	// "A null selector will match no pods, while an empty ({}) selector will select all pods within the
	// namespace" (API reference, policy/v1); in policy/v1beta1 an empty one selects none either.
	sel := o.Spec.Selector
	empty := sel != nil && len(sel.MatchLabels) == 0 && len(sel.MatchExpressions) == 0
	if b.SelectsNothing = sel == nil || empty && apiVersion == "policy/v1beta1"; !b.SelectsNothing {
		var err error
		if b.Selector, err = sel.convert(); err != nil {
			return err
		}
	}
	r.budgets[objectName{b.Namespace, b.Name}] = &budgetRecord{b}
	return nil
}

// checkAmount refuses what the API server would: an amount that is negative, or text that is no percentage up to 100.
func checkAmount(name string, v *intstr.IntOrString) error {
	switch {
	case v == nil:
		return nil
	case v.Type == intstr.Int:
		if v.IntVal < 0 {
			return fmt.Errorf("%s is negative: %d", name, v.IntVal)
		}
		return nil
	}
	digits, ok := strings.CutSuffix(v.StrVal, "%")
	if n, err := strconv.Atoi(digits); !ok || err != nil || n < 0 || n > 100 {
		return fmt.Errorf("%s is %q; it must be a number or a percentage up to 100%%", name, v.StrVal)
	}
	return nil
}

func (r *Reader) sortedBudgets() []model.Budget {
	var out []model.Budget
	for _, b := range r.budgets {
		out = append(out, b.Budget)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.Namespace != b.Namespace {
			return a.Namespace < b.Namespace
		}
		return a.Name < b.Name
	})
	return out
}

func namespaceOf(ns string) string {
	if ns == "" {
		return model.DefaultNamespace
	}
	return ns
}
