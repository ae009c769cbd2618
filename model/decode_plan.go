package model

import (
	"fmt"
	"slices"
	"strings"
)

// DecodePlan reads a plan for one of the scenarios and returns that scenario
// with the plan as its one upgrade. The name stands in the diagnostics. What
// the plan does not say (the control plane's procedure, the hops) is as in the
// scenario's upgrade of the plan's strategy. Where anything is wrong it returns every fault
// of the file, in the order of their places.
func DecodePlan(name string, data []byte, among []*Scenario) (*Scenario, Diagnostics) {
	d := &decoder{file: name, data: data, whole: "a plan", unclear: map[string]bool{}}
	docs, faults := readYAML(data)
	for _, f := range faults {
		d.report(f.line, f.col, f.message)
	}
	switch {
	case len(faults) > 0:
	case len(docs) == 0:
		d.report(1, 1, "there is no plan in this file; `upsim plan SCENARIO -o yaml` makes one")
	case len(docs) > 1:
		d.report(docs[1].line, docs[1].col, "a second plan begins here; a run takes one")
	default:
		if sc := d.planned(docs[0], among); len(d.found) == 0 {
			return sc, nil
		}
	}
	return nil, d.found.sortAndCompact()
}

// PlannedStrategy is the strategy that a plan names; nothing where it names none, which DecodePlan tells.
func PlannedStrategy(data []byte) string {
	if docs, faults := readYAML(data); len(faults) == 0 && len(docs) == 1 {
		return valueIn(docs[0], "strategy")
	}
	return ""
}

// planned reads the plan of one of the scenarios.
func (d *decoder) planned(n *node, among []*Scenario) *Scenario {
	if n.kind != mappingNode {
		d.report(n.line, n.col, fmt.Sprintf("a plan has keys such as `apiVersion`, `strategy` and `phases`; this is %s", n.describe()))
		return nil
	}
	if !d.isOfKind(n, KindPlan) {
		return nil
	}
	p := planReader{decoder: d}
	d.object(n,
		must("apiVersion", nil),
		must("kind", nil),
		must("scenario", func(v *node) { p.scenario(v, among) }),
		must("strategy", p.strategy),
		must("from", p.from),
		must("to", p.to),
		must("phases", p.phases),
	)
	if len(d.found) > 0 {
		return nil
	}
	d.checkReferences()
	p.checkNewNodes(n.get("phases"))
	planned, left := p.plan.Apply(p.up, &d.sc.Cluster)
	d.sc.Upgrade, d.sc.Strategies = planned, []NamedUpgrade{{Name: p.plan.Strategy, Upgrade: planned}}
	if len(left) > 0 {
		d.note(PlanLeavesNodes, "Plan/"+p.plan.Strategy, "%s", leaves(left, p.up.To))
	}
	return d.sc
}

// leaves says which workers a plan leaves alone.
func leaves(names []string, to Version) string {
	const most = 5
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(" and %d more", len(names)-most)
	}
	return fmt.Sprintf("%d of the workers that are older than %v stand in no stage of the plan and are left alone: %s%s",
		len(names), to, strings.Join(names[:min(len(names), most)], ", "), more)
}

// planReader reads a plan. Without a scenario, or an upgrade of it, what depends on that is left unread.
type planReader struct {
	*decoder
	plan Plan
	up   Upgrade
	// names are those of the cluster's nodes.
	names nodeNames
	// standIns are the workers whose places new nodes have before the phase at hand.
	standIns map[string]bool
	// taken are the nodes that stages of the phase at hand take, with the line on which they do.
	taken map[string]int
}

// scenario finds the scenario that the plan is for. The only one that there is may have another name: its nodes decide.
func (p *planReader) scenario(n *node, among []*Scenario) {
	p.name(&p.plan.Scenario, referenceName)(n)
	i := slices.IndexFunc(among, func(sc *Scenario) bool { return sc.Name == p.plan.Scenario })
	switch {
	case len(among) == 1:
		i = 0
	case i < 0:
		names := make([]string, len(among))
		for j, sc := range among {
			names[j] = sc.Name
		}
		p.fault(n, "the plan is for %s; there are the scenarios %s", quote(p.plan.Scenario), someOf(names))
		return
	}
	sc := *among[i]
	sc.Notes = slices.Clone(sc.Notes)
	p.sc, p.names, p.standIns = &sc, sc.Cluster.nodeNames(), map[string]bool{}
}

// strategy finds the upgrade that was laid out: one of the scenario's strategies, a variant of its upgrade, or its one upgrade,
// whatever that is called.
func (p *planReader) strategy(n *node) {
	p.name(&p.plan.Strategy, strategyName)(n)
	if p.sc == nil || p.plan.Strategy == "" {
		return
	}
	p.up = p.sc.Upgrade
	var names []string
	for _, s := range p.sc.Upgrades() {
		if s.Name == p.plan.Strategy {
			p.up = s.Upgrade
			return
		}
		names = append(names, s.Name)
	}
	for i := range p.sc.Variants {
		if v := &p.sc.Variants[i]; v.Name == p.plan.Strategy && v.Refused == "" {
			p.up, p.sc.Varied = v.Upgrade, true
			return
		}
	}
	if len(p.sc.Strategies) > 0 {
		p.fault(n, "the scenario has no strategy called %s; there are %s", quote(p.plan.Strategy), someOf(names))
	}
}

func (p *planReader) from(n *node) {
	p.version(&p.plan.From)(n)
	if p.sc == nil || p.plan.From.IsZero() {
		return
	}
	if at := p.sc.Cluster.StartsAt(&p.up); at != p.plan.From {
		p.fault(n, "the plan starts at %v, and the cluster is at %v; make the plan anew with `upsim plan`", p.plan.From, at)
	}
}

func (p *planReader) to(n *node) {
	p.version(&p.plan.To)(n)
	if p.sc != nil && !p.plan.To.IsZero() && p.plan.To != p.up.To {
		p.fault(n, "the plan goes to %v, and the scenario's upgrade to %v", p.plan.To, p.up.To)
	}
}

func (p *planReader) phases(n *node) {
	if p.sc == nil {
		return
	}
	p.list(func(item *node) {
		ph := PlanPhase{}
		what := ""
		p.object(item,
			must("phase", oneOf(p.decoder, &what, PhaseControlPlane, PhaseNodes)),
			must("to", p.version(&ph.To)),
			may("stages", nil),
		)
		if item.kind != mappingNode || what == "" {
			return
		}
		ph.ControlPlane = what == PhaseControlPlane
		p.phase(item, &ph)
		p.plan.Phases = append(p.plan.Phases, ph)
		ph.standIns(p.standIns)
	})(n)
	if n.kind != sequenceNode || len(p.found) > 0 {
		return
	}
	last := Version{}
	for _, ph := range p.plan.Phases {
		if ph.ControlPlane {
			last = ph.To
		}
	}
	switch oldest := p.sc.Cluster.oldestServer(); {
	case len(p.plan.Phases) == 0:
		p.fault(n, "must have at least one phase")
	case last.IsZero() && !p.up.ControlPlane.Skip && oldest.Compare(p.plan.To) < 0,
		!last.IsZero() && last.Compare(p.plan.To) < 0:
		p.fault(n, "no phase brings the control plane to %v", p.plan.To)
	}
}

// phase reads the stages of a phase, and finds what does not go with the scenario's upgrade.
func (p *planReader) phase(n *node, ph *PlanPhase) {
	stages, to := n.get("stages"), n.get("to")
	switch {
	case ph.To.IsZero():
	case ph.To.Compare(p.plan.To) > 0:
		p.fault(to, "is beyond %v, to which the plan goes", p.plan.To)
	case ph.ControlPlane && p.up.ControlPlane.Skip:
		p.fault(n.get("phase"), "the scenario's upgrade leaves the control plane alone (`controlPlane: skip`)")
	}
	switch {
	case ph.ControlPlane && stages != nil:
		p.fault(stages, "belongs to a phase of nodes")
	case !ph.ControlPlane && stages == nil:
		p.report(n.line, n.col, "a phase of nodes has no \"stages\", which it needs")
	case stages != nil:
		p.taken = map[string]int{}
		named := map[string]bool{}
		p.list(func(item *node) {
			s := p.stage(item, len(ph.Stages)+1)
			if named[s.Name] {
				p.fault(item, "there are two stages called %s in this phase", quote(s.Name))
			}
			named[s.Name] = true
			ph.Stages = append(ph.Stages, s)
		})(stages)
		p.restores(&p.up, stages)
	}
}

// stage reads a stage as a scenario has it, but for its nodes, which are named in their order. The label and the
// commands follow from name and nodes; where they stand there they must say the same.
func (p *planReader) stage(n *node, number int) Stage {
	u := DefaultNodeUpgrade()
	s := u.stage("", NodeSet{})
	fields := slices.DeleteFunc(p.stageFields(&s), func(f field) bool { return f.name == "nodeOrder" })
	p.object(n, append(fields,
		must("name", p.name(&s.Name, stageName)),
		may("pool", p.pool(&s.Nodes.Pool)),
		must("nodes", func(v *node) { p.nodes(&s, v) }),
		elsewhere("nodeOrder", "nodes are taken in the order in which they stand under nodes"),
		may("label", func(v *node) { p.label(&s, v) }),
		may("commands", func(v *node) { p.commands(&s, v) }),
	)...)
	if n.kind != mappingNode {
		return s
	}
	if v := n.get("beside"); v != nil && s.Beside && number == 1 {
		p.fault(v, "there is no stage before this one that it could start with")
	}
	p.procedure(&s.Procedure, n)
	if v := n.get("onFailure"); v != nil && s.OnFailure.GoesBack() && s.Gate == nil && s.NodeGate == nil {
		p.fault(v, "%s does nothing without a gate that could fail", s.OnFailure)
	}
	return s
}

// stageName takes what a stage of a scenario may be called: a word, the name of a pool, a label's value.
func stageName(s string) []string {
	if wrong := nonEmptyLabel(s); len(wrong) > 0 && len(dnsSubdomain(s)) > 0 {
		return wrong
	}
	return nil
}

// nodes reads the names of a stage's nodes. Behind a phase that brings new nodes these have names of their own.
func (p *planReader) nodes(s *Stage, n *node) {
	if n.kind == sequenceNode && len(n.items) == 0 {
		p.fault(n, "must name at least one node")
	}
	p.list(func(item *node) {
		var name string
		if p.name(&name, referenceName)(item); name == "" {
			return
		}
		if old, ok := strings.CutSuffix(name, NewNodeSuffix); ok && p.standIns[old] {
			name = old
		} else if p.standIns[name] {
			p.fault(item, "%s is gone by then: an earlier phase brings %s in its place", quote(name), quote(newNodeName(name)))
		}
		if line, dup := p.taken[name]; dup {
			p.fault(item, "%s was taken already in this phase, on line %d", quote(item.value), line)
			return
		}
		p.taken[name] = item.line
		p.refs = append(p.refs, reference{item, name, workerNode})
		s.Nodes.Names = append(s.Nodes.Names, name)
	})(n)
}

func (p *planReader) label(s *Stage, n *node) {
	text, ok := p.textOf(n, "a label")
	if want := StageLabel(s.Name); ok && s.Name != "" && text != want {
		p.fault(n, "must be %s, not %s: the label says the stage", want, quote(text))
	}
}

func (p *planReader) commands(s *Stage, n *node) {
	names := s.NodesAt(p.standIns)
	i := 0
	p.list(func(item *node) {
		text, ok := p.textOf(item, "a command")
		switch {
		case !ok:
		case i >= len(names):
			p.fault(item, "is one command more than the stage has nodes")
		case text != LabelCommand(names[i], s.Name):
			p.fault(item, "must be `%s`, not %s: each node of the stage has one, in their order; without `commands` there is nothing to keep in step", LabelCommand(names[i], s.Name), quote(text))
		}
		i++
	})(n)
	if n.kind == sequenceNode && i < len(names) {
		p.fault(n, "has no command for %s; each node of the stage has one, in their order", quote(names[i]))
	}
}

// checkNewNodes finds a node of the cluster that has the name of one that the plan brings.
func (p *planReader) checkNewNodes(phases *node) {
	brings := slices.ContainsFunc(p.plan.Phases, func(ph PlanPhase) bool {
		return slices.ContainsFunc(ph.Stages, func(s Stage) bool { return s.MayBringNodes() })
	})
	if !brings {
		return
	}
	for i := range p.sc.Cluster.Nodes {
		name := p.sc.Cluster.Nodes[i].Name
		if old, ok := strings.CutSuffix(name, NewNodeSuffix); ok && p.names.has(old) {
			p.fault(phases, "the plan brings new nodes, and the one in the place of %s would have the name of another, %s", quote(old), quote(name))
		}
	}
}
