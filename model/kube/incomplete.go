package kube

import (
	"strings"

	"upsim/model"
)

// systemNamespace has pods in every cluster: kube-proxy, the DNS, the network.
const systemNamespace = "kube-system"

// incomplete notes what every cluster has and the input has not, so that it is missing in what is simulated; and what
// hardly any cluster is without.
func (r *Reader) incomplete() []model.Finding {
	pods, system := 0, false
	for i := range r.pods {
		if p := &r.pods[i]; !p.gone {
			pods++
			system = system || p.namespace == systemNamespace
		}
	}
	var lacks, perhaps []string
	if pods == 0 {
		lacks = append(lacks, "no pods")
	}
	if len(r.controllers) == 0 {
		lacks = append(lacks, "no Deployments, ReplicaSets, StatefulSets or DaemonSets")
	}
	if pods > 0 && !system {
		perhaps = append(perhaps, "no pods of "+systemNamespace+" (was -A left out?)")
	}
	if len(r.budgets) == 0 {
		perhaps = append(perhaps, "no PodDisruptionBudgets")
	}
	code := model.InputIncomplete
	switch {
	case len(lacks) == 0 && len(perhaps) == 0:
		return nil
	case len(lacks) == 0:
		code = model.InputPerhapsIncomplete
	}
	f := model.NewFinding(code, "Cluster", "The input has "+strings.Join(append(lacks, perhaps...), ", ")+"; the result knows nothing of what it leaves out.")
	f.Fix = "Write all that the cluster has: " + r.command
	return []model.Finding{f}
}
