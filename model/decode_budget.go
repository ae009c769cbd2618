package model

import (
	"cmp"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// UnhealthyPolicy is a budget's unhealthyPodEvictionPolicy.
type UnhealthyPolicy string

// Pods that are not Ready may go while the budget is met, or always.
const (
	IfHealthyBudget UnhealthyPolicy = "IfHealthyBudget"
	AlwaysAllow     UnhealthyPolicy = "AlwaysAllow"
)

// budgetFields reads what a budget allows, and the other fields beside it. Where
// it is needed, the budget has nothing yet that it could keep.
func (d *decoder) budgetFields(b *Budget, n *node, needed bool, others ...field) bool {
	policy := IfHealthyBudget
	if b.AlwaysAllow {
		policy = AlwaysAllow
	}
	var least, most intstr.IntOrString
	ok := d.object(n, append(others,
		may("minAvailable", d.intOrPercent(&least, MaxReplicasPerCluster)),
		may("maxUnavailable", d.intOrPercent(&most, MaxReplicasPerCluster)),
		may("unhealthyPodEvictionPolicy", oneOf(d, &policy, IfHealthyBudget, AlwaysAllow)),
	)...)
	if !ok {
		return false
	}
	b.AlwaysAllow = policy == AlwaysAllow
	hasLeast, hasMost := n.get("minAvailable") != nil, n.get("maxUnavailable") != nil
	switch {
	case hasLeast && hasMost:
		d.fault(n.get("maxUnavailable"), "a budget has either minAvailable or maxUnavailable, not both")
	case hasLeast:
		b.MinAvailable, b.MaxUnavailable = &least, nil
	case hasMost:
		b.MinAvailable, b.MaxUnavailable = nil, &most
	case needed:
		d.fault(n, "a budget needs minAvailable or maxUnavailable")
	}
	return true
}

// budget reads a budget that selects pods by their labels.
func (d *decoder) budget(n *node) {
	c := &d.sc.Cluster
	b := Budget{Namespace: DefaultNamespace}
	namespace, name := cmp.Or(nameIn(n, "namespace"), DefaultNamespace), nameIn(n, "name")
	at := d.baseAt("budget", workloadID(namespace, name))
	selector := must("selector", func(v *node) {
		b.Selector, b.SelectsNothing = LabelSelector{}, false
		d.selector(&b.Selector)(v)
	})
	if at >= 0 {
		b, selector.required = c.Budgets[at], false
	} else if n.get("selector") == nil {
		selector.why = d.newBeside("budget", namespace, name)
	}
	if !d.budgetFields(&b, n, at < 0,
		must("name", d.name(&b.Name, dnsSubdomain)),
		may("namespace", d.name(&b.Namespace, dnsLabel)),
		selector,
	) || b.Name == "" || !d.once("budget", workloadID(b.Namespace, b.Name), n) {
		return
	}
	if at < 0 {
		d.added("budget", b.Namespace, b.Name, n)
	}
	put(&c.Budgets, at, b)
}
