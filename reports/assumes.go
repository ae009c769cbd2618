package reports

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"upsim/model"
	"upsim/sim"
)

// assumption is a number that a simulator cannot know, as a report names it.
type assumption struct {
	name string
	of   func(*model.Assumptions) model.Dist
}

var (
	assumedUpgrade   = assumption{"node upgrade", func(a *model.Assumptions) model.Dist { return a.NodeUpgrade }}
	assumedStart     = assumption{"pod start", func(a *model.Assumptions) model.Dist { return a.Startup }}
	assumedStop      = assumption{"pod stop", func(a *model.Assumptions) model.Dist { return a.Shutdown }}
	assumedProvision = assumption{"new node", func(a *model.Assumptions) model.Dist { return a.NodeProvision }}
	assumedDelete    = assumption{"node removal", func(a *model.Assumptions) model.Dist { return a.NodeDelete }}
)

// assumes names the assumptions that most of the result's times rest on, and
// which of them the scenario left at their defaults.
func assumes(sc *model.Scenario, r *sim.Result) string {
	if sc == nil {
		return ""
	}
	list := carrying(sc, r)
	standard := model.DefaultAssumptions()
	texts := make([]string, len(list))
	var isDefault []bool
	for i, a := range list {
		d := a.of(&sc.Assumptions)
		texts[i] = a.name + " " + distribution(d)
		isDefault = append(isDefault, reflect.DeepEqual(d, a.of(&standard)))
	}
	if len(list) > 1 && !slices.Contains(isDefault, false) {
		return strings.Join(texts, ", ") + " (defaults)"
	}
	for i := range texts {
		if isDefault[i] {
			texts[i] += " (default)"
		}
	}
	return strings.Join(texts, ", ")
}

// carrying are the assumptions that come to bear: nothing is upgraded in place
// where new nodes come for all, and a workload may have times of its own.
func carrying(sc *model.Scenario, r *sim.Result) []assumption {
	var list []assumption
	inPlace, newNodes := false, false
	for _, up := range sc.Upgrades() {
		if up.Name != r.Strategy {
			continue
		}
		cp := up.Upgrade.ControlPlane
		newNodes = !cp.Skip && cp.Replace == model.ReplaceMachines
		inPlace = !sc.Cluster.ControlPlane.Managed && !cp.Skip && cp.PerNode == nil && !newNodes
		for _, s := range up.Upgrade.Nodes.Expand(&sc.Cluster) {
			inPlace, newNodes = inPlace || !s.NewNodes(), newNodes || s.NewNodes() || s.Buffers() || s.MayBringNodes() && slices.ContainsFunc(r.Nodes, func(n sim.NodeResult) bool { return n.Removed })
		}
	}
	if inPlace {
		list = append(list, assumedUpgrade)
	}
	if newNodes {
		list = append(list, assumedProvision, assumedDelete)
	}
	if slices.ContainsFunc(sc.Cluster.Workloads, func(w model.Workload) bool { return w.Startup == nil }) {
		list = append(list, assumedStart)
	}
	if slices.ContainsFunc(sc.Cluster.Workloads, func(w model.Workload) bool { return w.Shutdown == nil }) {
		list = append(list, assumedStop)
	}
	return list
}

// distribution writes a time that may vary: its bounds, or where it has none its median and 99th percentile.
func distribution(d model.Dist) string {
	text := func(t time.Duration) string { return human(sim.Seconds(t.Seconds())) }
	switch d.Kind {
	case model.Constant:
		return text(d.Value)
	case model.Uniform, model.Triangular:
		return text(d.Min) + "–" + text(d.Max)
	case model.Empirical:
		return text(d.Values[0]) + "–" + text(d.Values[len(d.Values)-1])
	}
	return text(d.Quantile(0.5)) + "/" + text(d.Quantile(0.99)) + " (p50/p99)"
}
