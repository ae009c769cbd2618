package sim

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"upsim/model"
)

// What to do about a finding, where the run knows better than the table of codes.

// reasonFix is the fix for a broken rule of the subject of that number.
func (r *run) reasonFix(c model.Code, w int32, fix string) string {
	switch c {
	case model.NoWorkingReplica:
		if better := r.fixForUnseen(w); better != "" {
			return better
		}
	case model.SingleReplicaDown:
		return r.fixForSingle(w, fix)
	case model.APIServerUnreachable:
		if r.w.instances() > 1 {
			return "Take one control-plane node at a time, of at least three, and the next only once every etcd member is up."
		}
	}
	return fix
}

// fixForSingle says what to do about a workload's only pod, which nothing spares its move. Two that share nothing serve
// at once; a database does not become two by a number, and a DaemonSet's number is that of its nodes.
func (r *run) fixForSingle(w int32, fix string) string {
	switch spec := &r.w.workloads[w]; {
	case spec.kind == daemonSet:
		return "It goes down with its node: have it run on a second node, or accept the downtime."
	case spec.kind == barePod:
		return "Give it a controller and two replicas, or accept the downtime."
	case spec.kind == statefulSet || spec.volume != 0:
		return "It keeps state, so that a second replica alone is no fix: it needs replication and a failover of its own (as an operator for it brings), and then a budget of `maxUnavailable: 1`. " +
			"Else accept the downtime, at a time that you choose."
	}
	return fix
}

// fixForRefused says what to do about a budget that refuses a pod's eviction for ever.
func (r *run) fixForRefused(pd *pod) string {
	i := r.w.workloads[pd.workload].budget
	b, spec := &r.budgets[i], &r.w.budgets[i]
	c := model.BudgetNeverAllows
	switch {
	case r.controllersDown() >= downForever:
		return "Bring the controller-manager back before you drain."
	case r.workloads[pd.workload].pending > 0:
		c = model.NoRoomForEvictedPods
	case r.w.workloads[pd.workload].twoBudget:
		c = model.TwoBudgetsOnPod
	case !spec.countPods && !spec.scale:
		c = model.BudgetNotComputable
	case b.expected > b.desired && pd.flags&podSick != 0:
		return fmt.Sprintf("Set `unhealthyPodEvictionPolicy: AlwaysAllow` in %s: pods that are not Ready then leave, whatever it has; or mend what the new version breaks.", r.w.placeOfBudget(i))
	case b.expected > b.desired && pd.flags&podReady == 0:
		return fmt.Sprintf("Bring the pods back that are not Ready: with all of them this budget allows an eviction; or set `unhealthyPodEvictionPolicy: AlwaysAllow` in %s, so that these leave.", r.w.placeOfBudget(i))
	case b.expected > b.desired && r.breaks(i) && r.rollout.back.step == notBack:
		return "The new version breaks pods that this budget counts: mend that before you go on. A gate (`nodeGate`, or `gate` of a stage) stops the upgrade before it comes to this."
	case b.expected > b.desired && r.breaks(i):
		return "Delete the pods that the new version breaks, so that they start where the old one is: with them Ready this budget allows an eviction."
	case b.expected > b.desired:
		return "Bring the pods back that are not Ready: with all of them this budget allows an eviction."
	case spec.inline != none:
		return fixForInlineBudget(r.w.entry(spec.inline))
	}
	return fixForOwnBudget(&r.w.scenario.Cluster, c, spec.spec, r.matched(i), spec.scale)
}

// breaks reports whether a bad version keeps pods of the budget from being Ready. It looks at all of them.
func (r *run) breaks(b int32) bool {
	for _, w := range r.w.budgets[b].members {
		for p := range r.podsOf(w) {
			if r.pods[p].flags&podSick != 0 {
				return true
			}
		}
	}
	return false
}

// placeOfBudget is where the budget stands in the scenario: in a workload, or by itself.
func (w *World) placeOfBudget(b int32) string {
	if i := w.budgets[b].inline; i != none {
		return inlineBudget(w.entry(i))
	}
	subject := w.budgetSubject(b)
	if c := &w.scenario.Cluster; c.FromFiles {
		subject += " (" + budgetBeside(w.budgets[b].spec, "unhealthyPodEvictionPolicy: AlwaysAllow") + ")"
	}
	return subject
}

func inlineBudget(e *model.Workload) string {
	return fmt.Sprintf("the `podDisruptionBudget` of the workload %s", e.Name)
}

func fixForInlineBudget(e *model.Workload) string {
	return fmt.Sprintf("Allow at least one disruption in %s (for instance `maxUnavailable: 1`), or run more replicas.", inlineBudget(e))
}

// fixForOwnBudget says what to do about a budget that stands by itself, selects so many pods and
// allows no eviction: where it was read from files, with the line that overrides it. Without a scale
// only an integer minAvailable can be computed.
func fixForOwnBudget(c *model.Cluster, code model.Code, b *model.Budget, pods int, scale bool) string {
	info, _ := code.Info()
	setting := "maxUnavailable: 1"
	if !scale || code == model.BudgetNotComputable {
		setting = fmt.Sprintf("minAvailable: %d", max(0, pods-1))
	}
	switch {
	case code == model.BudgetNeverAllows && c.FromFiles:
		return "Allow at least one disruption: " + budgetBeside(b, setting) + "; or run more replicas."
	case code == model.BudgetNeverAllows:
		return fmt.Sprintf("Allow at least one disruption in the entry of %s under `podDisruptionBudgets` (for instance `%s`), or run more replicas.", b.Name, setting)
	case code == model.BudgetNotComputable && c.FromFiles:
		return "Use an integer minAvailable for pods of this owner: " + budgetBeside(b, setting) + "."
	}
	return info.Fix
}

// fixForTwoBudgets says what to do about a workload whose own budget is one too many beside one of the files.
func fixForTwoBudgets(c *model.Cluster, e *model.Workload, others []string) string {
	info, _ := model.TwoBudgetsOnPod.Info()
	if !c.FromFiles || e.Budget == nil || len(others) != 1 {
		return info.Fix
	}
	limit := "maxUnavailable: 1"
	switch {
	case e.Budget.MinAvailable != nil:
		limit = "minAvailable: " + e.Budget.MinAvailable.String()
	case e.Budget.MaxUnavailable != nil:
		limit = "maxUnavailable: " + e.Budget.MaxUnavailable.String()
	}
	other := model.Budget{Name: others[0], Namespace: e.Namespace}
	return fmt.Sprintf("Leave one budget per pod: remove %s, and change the one of the files: %s.", inlineBudget(e), budgetBeside(&other, limit))
}

// budgetBeside is the line that gives a budget of the files another setting, and where it stands.
func budgetBeside(b *model.Budget, setting string) string {
	return fmt.Sprintf("`podDisruptionBudgets: [{%s, %s}]` under `cluster`, beside `from`", entryOf(b.Namespace, b.Name), setting)
}

// fixForBarePods says what to do about pods that no controller would replace; of the files those named can be taken away.
func fixForBarePods(c *model.Cluster, pods ...*model.Workload) string {
	const most = 3
	if !c.FromFiles || len(pods) == 0 || len(pods) > most {
		return fixBarePod
	}
	entries := make([]string, len(pods))
	for i, e := range pods {
		entries[i] = fmt.Sprintf("{%s, replicas: 0}", entryOf(e.Namespace, e.Name))
	}
	return fmt.Sprintf("%s: `workloads: [%s]` under `cluster`, beside `from`.", strings.TrimSuffix(fixBarePod, "."), strings.Join(entries, ", "))
}

// entryOf is how an entry of a scenario names its object; the default namespace need not be said.
func entryOf(namespace, name string) string {
	if cmp.Or(namespace, model.DefaultNamespace) == model.DefaultNamespace {
		return "name: " + name
	}
	return "name: " + name + ", namespace: " + namespace
}

// fixForMoves says what keeps pods from moving twice under this strategy.
func (r *run) fixForMoves() string {
	if len(r.rollout.back.nodes) > 0 {
		return "Going back moves pods once more: the fewer nodes a stage has, the fewer they are."
	}
	if p := r.rollout.plan; r.w.upgrade.Upgrade.Nodes.Hops == model.HopsEach && len(p) > 2 {
		return "Every hop moves the pods anew; with `hops: final` the nodes move once, where the skew policy allows it."
	}
	first, buffers, open := false, false, false // new nodes first; extra ones; old ones still take pods
	for i := range r.rollout.stages {
		s := &r.rollout.stages[i]
		if len(s.nodes) == 0 {
			continue
		}
		first = first || s.Replace == model.ReplaceSurge && !isNone(s.MaxSurge) || s.Replace == model.ReplaceBlueGreen || s.Replace == model.ReplaceDetachSurge
		buffers = buffers || s.Buffers()
		open = open || s.Cordon != model.CordonAll && s.Cordon != model.CordonAllFirst && s.Taint == ""
	}
	switch {
	case first && open:
		return "Keep evicted pods off the old nodes: cordon all of these first (`cordon: all`), or taint them (`taint: PreferNoSchedule`)."
	case first:
		return "Leave room on the new nodes, so that no pod goes back to an old one."
	case buffers:
		return "The extra nodes go at the end, and what they hold moves again; with `replace: surge` each new node stays."
	}
	if open {
		return "Bring new nodes first (`strategy: surge` with `cordon: all`). In place, `taint: PreferNoSchedule` leads pods to nodes that are done; `cordon: all` even has them wait for the first."
	}
	return "Bring new nodes first (`strategy: surge` with `cordon: all`): in place, the pods of the first node go to old ones, or wait."
}

// isNone reports whether a number of nodes, or a percentage of them, is 0.
func isNone(x intstr.IntOrString) bool {
	return x.Type == intstr.Int && x.IntVal == 0 || x.Type == intstr.String && x.StrVal == "0%"
}
