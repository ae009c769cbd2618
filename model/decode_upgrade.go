package model

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// The strategies that can be simulated.
const (
	StrategyRolling   = "rolling"
	StrategyCanary    = "canary"
	StrategyAllAtOnce = "allAtOnce"
	StrategyCustom    = "custom"
	StrategySurge     = "surge"
	StrategyBlueGreen = "blueGreen"
	StrategyWaves     = "waves"
)

// ofUpgradeNodes are the keys of upgrade.nodes, as what they are beside it. They are made once, since a batch reads thousands of files.
var ofUpgradeNodes = sync.OnceValue(func() (fields []field) {
	for _, name := range fieldNames((&decoder{}).nodeUpgradeFields(&NodeUpgrade{})) {
		fields = append(fields, elsewhere(name, "it belongs under nodes: upgrade.nodes."+name))
	}
	return fields
})

// upgrade reads what is to happen. The cluster is known by then.
func (d *decoder) upgrade(n *node) Upgrade {
	u := Upgrade{ControlPlane: DefaultControlPlaneUpgrade(d.sc.Cluster.ControlPlane.Managed), Nodes: DefaultNodeUpgrade()}
	n = d.withPreset(n)
	d.object(n, append(d.upgradeFields(&u), ofUpgradeNodes()...)...)
	if n.get("nodes") == nil {
		u.Nodes.fillStages()
	}
	d.windowsOf(n, &u)
	d.path(n, &u)
	d.emulationMinors(&u, n.get("controlPlane"))
	d.restores(&u, n.get("nodes").get("stages"))
	return u
}

// restores finds stages that would restore a snapshot which is not taken.
func (d *decoder) restores(u *Upgrade, stages *node) {
	if stages == nil || stages.kind != sequenceNode {
		return
	}
	for _, stage := range stages.items {
		v := stage.get("onFailure")
		switch {
		case !v.is(string(GateRestore)):
		case d.sc.Cluster.ControlPlane.Managed:
			d.fault(v, "restore needs a control plane of ours, and this one is managed; write rollback")
		case u.ControlPlane.Skip:
			d.fault(v, "restore needs an etcd snapshot, and `controlPlane: skip` takes none; write rollback")
		case u.ControlPlane.Replace == ReplaceMachines:
			d.fault(v, "restore does not go with `replace: machines`, whose old machines are gone; write rollback")
		case !u.ControlPlane.Backup:
			d.fault(v, "restore needs an etcd snapshot, and `backup: false` takes none; write rollback")
		}
	}
}

func (d *decoder) upgradeFields(u *Upgrade) []field {
	return append([]field{
		must("to", d.version(&u.To)),
		may("path", d.list(func(item *node) {
			var v Version
			if d.version(&v)(item); !v.IsZero() {
				u.Path = append(u.Path, v)
			}
		})),
		may("controlPlane", func(v *node) { d.controlPlaneUpgrade(&u.ControlPlane, v) }),
		may("nodes", func(v *node) { d.nodeUpgrade(&u.Nodes, v) }),
	}, d.windowFields(u)...)
}

// path completes the versions that the control plane passes through.
func (d *decoder) path(n *node, u *Upgrade) {
	written := n.get("path")
	switch {
	case u.To.IsZero():
	case u.ControlPlane.Skip && written != nil:
		d.fault(written, "is the way of the control plane, which `controlPlane: skip` leaves alone")
	case u.ControlPlane.Skip:
	case written == nil:
		u.Path = UpgradePath(d.oldestServer(), u.To)
	case len(u.Path) == 0:
		d.fault(written, "must list at least one version; remove the key to go minor by minor")
	default:
		last := u.Path[len(u.Path)-1]
		if last.Minor != u.To.Minor || last.Patch >= 0 && u.To.Patch >= 0 && last != u.To {
			d.fault(written, "ends at %v and not at %v, the target", last, u.To)
			return
		}
		for i, v := range u.Path {
			u.Path[i] = resolvePatch(v)
		}
		if u.To.Patch >= 0 {
			u.Path[len(u.Path)-1] = u.To
		}
	}
	// A target that names only a minor stands for the patch at which the path ends.
	if !u.To.IsZero() {
		patch := u.To.Patch
		u.To = resolvePatch(u.To)
		if patch < 0 {
			d.minorOnly[u.To] = true
		}
	}
}

func (d *decoder) oldestServer() Version {
	c := &d.sc.Cluster
	if len(c.ControlPlane.APIServer) == 0 {
		return c.Version
	}
	return slices.MinFunc(c.ControlPlane.APIServer, Version.Compare)
}

// DefaultNodeUpgrade is the strategy used where a scenario gives none: rolling, one node at a time.
func DefaultNodeUpgrade() NodeUpgrade {
	return NodeUpgrade{
		Strategy: StrategyRolling,
		Procedure: Procedure{
			Replace:        ReplaceInPlace,
			MaxUnavailable: intstr.FromInt32(1),
			MaxSurge:       intstr.FromInt32(0),
			PercentOf:      PercentOfWorkers,
			Slots:          SlotsWindow,
			NodeOrder:      OrderName,
			Cordon:         CordonOwn,
			Drain:          DefaultDrain(),
			Batch:          intstr.FromInt32(1),
		},
		Pools: PoolsTogether,
		Hops:  HopsFinal,
	}
}

func (d *decoder) nodeUpgrade(u *NodeUpgrade, n *node) {
	if v := n.get("strategy"); v != nil && v.kind == scalarNode {
		switch v.value { // which says how nodes are replaced where nothing else does
		case StrategySurge:
			u.Replace = ReplaceSurge
		case StrategyBlueGreen:
			u.Replace = ReplaceBlueGreen
		}
	}
	if !d.object(n, d.nodeUpgradeFields(u)...) {
		return
	}
	d.strategyKeys(u, n)
	if u.Pools != PoolsTogether && n.get("percentOf") == nil {
		u.PercentOf = PercentOfStage
	}
	if surge := n.get("maxSurge"); surge != nil && u.Replace == ReplaceInPlace && slices.ContainsFunc(u.Stages, func(s Stage) bool { return s.Replace != ReplaceInPlace }) {
		n, u.MaxSurge = n.without("maxSurge"), intstr.FromInt32(0) // it was meant for those stages, which have it
	}
	if v := n.get("maxUnavailable"); v != nil && isZero(u.MaxUnavailable) && len(u.Stages) > 0 &&
		!slices.ContainsFunc(u.Expand(&d.sc.Cluster), func(s Stage) bool { return s.Replace == ReplaceInPlace && isZero(s.MaxUnavailable) }) {
		n = n.without("maxUnavailable") // no stage has it
	}
	d.procedure(&u.Procedure, n)
	if u.Strategy == StrategyCanary && n.get("stages") == nil {
		u.fillStages()
		if n.get("soak") != nil {
			u.Stages[0].Soak = u.Soak
		}
	}
}

// everything has allAtOnce take all nodes at once, by the number that says so for its way of replacing them.
func (d *decoder) everything(u *NodeUpgrade, n *node) {
	all := intstr.FromString("100%")
	number, key := &u.MaxUnavailable, "maxUnavailable"
	switch u.Replace {
	case ReplaceSurge, ReplaceDetachSurge, ReplaceReimage:
		number, key = &u.MaxSurge, "maxSurge"
	case ReplaceBlueGreen:
		number, key = &u.Batch, "batch"
	}
	for _, key := range []string{key, "maxUnavailable"} {
		if v := n.get(key); v != nil && !v.is("100%") {
			d.fault(v, "does not go with the strategy allAtOnce, which takes all nodes at once")
			break
		}
	}
	*number = all
}

// strategyKeys finds keys that contradict the strategy's name, or belong to another.
func (d *decoder) strategyKeys(u *NodeUpgrade, n *node) {
	stages := n.get("stages")
	if v := n.get("replace"); v != nil && (u.Strategy == StrategySurge && u.Replace != ReplaceSurge || u.Strategy == StrategyBlueGreen && u.Replace != ReplaceBlueGreen) {
		d.fault(v, "contradicts the strategy %s; write `strategy: rolling` with `replace: %s`", u.Strategy, u.Replace)
	}
	switch u.Strategy {
	case StrategyAllAtOnce:
		d.everything(u, n)
		if v := n.get("pools"); v != nil && u.Pools != PoolsTogether {
			d.fault(v, "does not go with the strategy allAtOnce, which takes all nodes at once")
		}
	case StrategyCustom:
		if stages == nil {
			d.fault(n, "the strategy custom needs stages")
		} else if stages.kind == sequenceNode && len(stages.items) == 0 {
			d.fault(stages, "the strategy custom needs at least one stage")
		}
	}
	staged := u.Strategy == StrategyCanary || u.Strategy == StrategyCustom || u.Strategy == StrategyWaves
	if stages != nil && !staged {
		d.fault(stages, "belongs to the strategies canary, waves and custom; this one is %s", u.Strategy)
	}
	if v := n.get("pools"); v != nil && staged && u.Pools != PoolsTogether {
		d.fault(v, "does not go with the strategy %s; its stages say which pool comes when (`nodes: {pool: NAME}`, and `beside: true` for one that starts with the stage before it)", u.Strategy)
	}
	if v := n.get("waveLabel"); v != nil {
		switch {
		case u.Strategy != StrategyWaves:
			d.fault(v, "belongs to the strategy waves; this one is %s", u.Strategy)
		case stages != nil:
			d.fault(v, "does nothing beside stages; write one of the two")
		case u.WaveLabel != "" && len(d.sc.Cluster.labelValues(u.WaveLabel)) == 0:
			d.fault(v, "no node has the label %s", u.WaveLabel)
		}
	}
}

// fillStages gives a canary without stages its default ones.
func (u *NodeUpgrade) fillStages() {
	if u.Strategy == StrategyCanary && len(u.Stages) == 0 {
		u.Stages = u.defaultCanary()
	}
}

func isZero(v intstr.IntOrString) bool {
	return v.Type == intstr.Int && v.IntVal == 0 || v.Type == intstr.String && v.StrVal == "0%"
}

func (d *decoder) nodeUpgradeFields(u *NodeUpgrade) []field {
	return append([]field{
		may("strategy", d.strategy(&u.Strategy)),
		may("order", d.references(&u.Order, workerNode)),
		may("limit", d.limit(&u.Limit)),
		may("pools", oneOf(d, &u.Pools, PoolsTogether, PoolsSequential, PoolsParallel)),
		may("lag", d.pools(&u.Lag)),
		may("maxLag", d.integer(&u.MaxLag, 1, 3)),
		may("waveLabel", d.name(&u.WaveLabel, labelKey)),
		may("hops", oneOf(d, &u.Hops, HopsFinal, HopsEach)),
	}, append(d.procedureFields(&u.Procedure),
		// Stages have from upgrade.nodes what they do not say themselves, so they come last.
		may("stages", func(v *node) { u.Stages = d.stages(u, v) }))...)
}

// pools reads names of pools.
func (d *decoder) pools(p *[]string) func(*node) {
	return func(n *node) {
		d.names(p, dnsSubdomain)(n)
		known := d.sc.Cluster.poolNames()
		for i, name := range *p {
			switch {
			case i >= len(n.items):
			case !slices.Contains(known, name):
				d.fault(n.items[i], "there is no pool called %s", quote(name)+didYouMean(name, known))
			case slices.Contains((*p)[:i], name):
				d.fault(n.items[i], "%s stands in the list already", quote(name))
			}
		}
	}
}

// limit reads a number of nodes, or the word all.
func (d *decoder) limit(p *int) func(*node) {
	return func(n *node) {
		if n.kind == scalarNode && n.value == "all" {
			*p = 0
			return
		}
		d.integer(p, 1, MaxNodesPerCluster)(n)
	}
}

// stages reads the steps of a strategy. What a stage does not say it has from upgrade.nodes.
func (d *decoder) stages(u *NodeUpgrade, n *node) []Stage {
	var stages []Stage
	taken := map[string]int{}  // names of nodes, and the line on which a stage takes them
	named := map[string]bool{} // names of stages
	var rest *node             // the stage that takes all that is left
	d.list(func(item *node) {
		if rest != nil {
			d.fault(item, "no nodes are left for this stage: the one on line %d takes all that are left", rest.line)
		}
		s := d.stage(u, item, len(stages)+1)
		if item.kind != mappingNode {
			return
		}
		if named[s.Name] {
			d.fault(item, "there are two stages called %s", quote(s.Name))
		}
		named[s.Name] = true
		if s.Nodes.All() && item.get("nodes") == nil {
			rest = item
		}
		if names := item.get("nodes").get("names"); names != nil && names.kind == sequenceNode {
			for _, name := range names.items {
				if line, dup := taken[name.value]; dup && line != name.line {
					d.fault(name, "%s was taken by an earlier stage, on line %d", quote(name.value), line)
				}
				taken[name.value] = name.line
			}
		}
		stages = append(stages, s)
	})(n)
	return stages
}

func (d *decoder) stage(u *NodeUpgrade, n *node, number int) Stage {
	s := u.stage(fmt.Sprintf("stage-%d", number), NodeSet{})
	d.object(n, append(d.stageFields(&s),
		may("name", d.name(&s.Name, strategyName)),
		may("nodes", func(v *node) { d.nodeSet(&s.Nodes, v) }),
	)...)
	if n.kind != mappingNode {
		return s
	}
	if v := n.get("beside"); v != nil && s.Beside && number == 1 {
		d.fault(v, "there is no stage before this one that it could start with")
	}
	d.procedure(&s.Procedure, n)
	// A canary's stages have a gate, but for the last.
	gated := s.Gate != nil || s.NodeGate != nil || u.Strategy == StrategyCanary && !s.Nodes.All()
	if v := n.get("onFailure"); v != nil && s.OnFailure.GoesBack() && !gated {
		d.fault(v, "%s does nothing without a gate that could fail", s.OnFailure)
	}
	return s
}

// stageFields are the keys of a stage but for its name and its nodes.
func (d *decoder) stageFields(s *Stage) []field {
	return append(d.procedureFields(&s.Procedure),
		may("beside", d.boolean(&s.Beside)),
		may("gate", d.gate(&s.Gate)),
		may("onFailure", oneOf(d, &s.OnFailure, GateAbort, GatePause, GateRollback, GateRestore)),
	)
}

func (d *decoder) nodeSet(s *NodeSet, n *node) {
	if !d.object(n,
		may("pool", d.pool(&s.Pool)),
		may("count", d.integer(&s.Count, 1, MaxNodesPerCluster)),
		may("percent", d.percent(&s.Percent)),
		may("selector", d.optSelector(&s.Selector)),
		may("names", d.references(&s.Names, workerNode)),
	) {
		return
	}
	if len(n.keys) != 1 {
		d.fault(n, "needs exactly one of pool, count, percent, selector and names; remove the key to take all nodes that are left")
	}
	if v := n.get("names"); v != nil && v.kind == sequenceNode && len(v.items) == 0 {
		d.fault(v, "must name at least one node")
	}
}

// pool reads the name of a pool.
func (d *decoder) pool(p *string) func(*node) {
	return func(n *node) {
		d.name(p, dnsSubdomain)(n)
		if known := d.sc.Cluster.poolNames(); *p != "" && !slices.Contains(known, *p) {
			d.fault(n, "there is no pool called %s", quote(*p)+didYouMean(*p, known))
		}
	}
}

// percent reads 1 to 100, with or without the sign.
func (d *decoder) percent(p *int) func(*node) {
	return func(n *node) {
		if n.kind == scalarNode && isPercentage(n.value) {
			without := *n
			without.value, without.typ, without.plain = n.value[:len(n.value)-1], intScalar, true
			n = &without
		}
		d.integer(p, 1, 100)(n)
	}
}
