package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"upsim/model"
	"upsim/model/skew"
)

// staticFindings says what the scenario alone tells of an upgrade before it is simulated:
// versions that must not meet, budgets that can never allow an eviction,
// drains that kubectl will refuse, nodes and pods that are not in order. Errors come
// first. Pods whose node is known count only if that node is to be drained;
// `limit` and the nodes of stages are not looked at.
func staticFindings(sc *model.Scenario, up model.NamedUpgrade) []model.Finding {
	p := newPreflight(sc, &up.Upgrade)
	p.found = append(p.found, skew.Check(p.topology)...)
	p.path()
	p.kubeadm()
	p.hops()
	p.poolLags()
	p.providers()
	p.nodes()
	p.lostNodes(sc.Assumptions.UnsupportedKubelet)
	p.singleAPIServer()
	p.budgets()
	p.podsBefore()
	p.quorums()
	p.drainFilters()
	p.graces(&sc.Assumptions)
	p.targetOlder()
	p.nothingToDo()
	return worstFirst(p.found)
}

// worstFirst sorts the findings: errors, warnings, notes.
func worstFirst(list []model.Finding) []model.Finding {
	rank := map[model.Severity]int{model.SeverityError: 0, model.SeverityWarning: 1, model.SeverityInfo: 2}
	slices.SortStableFunc(list, func(a, b model.Finding) int { return cmp.Compare(rank[a.Severity], rank[b.Severity]) })
	return list
}

type preflight struct {
	cluster  *model.Cluster
	up       *model.Upgrade
	topology skew.Topology
	// versions are those that the control plane passes through, target is where
	// it all ends; zero where the upgrade names none.
	versions []model.Version
	target   model.Version
	// drains are the options of every drain that the upgrade may run.
	drains []model.Drain
	// idle: nothing is to be upgraded. Then every node counts as one to be
	// drained: whoever checks a cluster without a plan wants to know what would stand in the way.
	idle      bool
	standings []standing // by workload entry
	limited   []bool     // by workload entry: some budget that a drain asks limits it
	refusals  map[int32]refusal
	found     []model.Finding
}

func newPreflight(sc *model.Scenario, up *model.Upgrade) *preflight {
	p := &preflight{cluster: &sc.Cluster, up: up, topology: skew.FromCluster(&sc.Cluster), versions: up.Path, target: up.To, refusals: map[int32]refusal{}}
	if len(p.versions) == 0 && !up.To.IsZero() {
		p.versions = model.UpgradePath(sc.Cluster.Version, up.To)
	}
	if len(p.versions) > 0 && p.target.Patch < 0 {
		p.target = p.versions[len(p.versions)-1]
	}
	for _, s := range up.Nodes.Expand(p.cluster) {
		p.drains = append(p.drains, s.Drain)
	}
	p.idle = !p.anythingToDo()
	p.standings = p.stand()
	return p
}

func (p *preflight) add(c model.Code, subject, format string, args ...any) {
	p.found = append(p.found, model.NewFinding(c, subject, fmt.Sprintf(format, args...)))
}

// addWithFix adds a finding of which more is known to do than its code says.
func (p *preflight) addWithFix(fix string, c model.Code, subject, format string, args ...any) {
	p.add(c, subject, format, args...)
	p.found[len(p.found)-1].Fix = fix
}

// path checks the versions that the control plane is to pass through, from
// where each of its API servers stands.
func (p *preflight) path() {
	if p.target.IsZero() {
		return
	}
	servers := slices.Clone(p.topology.APIServers)
	slices.SortStableFunc(servers, func(a, b skew.Instance) int { return a.Version.Compare(b.Version) })
	if p.up.ControlPlane.Skip {
		if len(servers) > 0 && p.target.Minor > servers[0].Version.Minor {
			p.add(model.ControlPlaneBehindTarget, "control-plane/"+p.target.String(),
				"nodes are to move to %s, and the API server on %s stays at %s: a kubelet must not be newer than any API server that it may talk to",
				p.target, servers[0].Name, servers[0].Version)
		}
		return
	}
	type fault struct {
		code    model.Code
		subject string
	}
	seen := map[fault]bool{}
	for _, s := range servers {
		for _, f := range skew.CheckPath(s.Version, p.versions) {
			if key := (fault{f.Code, f.Subject}); !seen[key] {
				seen[key] = true
				p.found = append(p.found, f)
			}
		}
	}
}

// hops notes that nodes pass over minors that a control plane of one's own stops at: that is quicker than the order of kubeadm's
// documents, by which a whole cluster moves from one minor to the next (Upgrading kubeadm clusters).
func (p *preflight) hops() {
	if p.target.IsZero() || p.up.ControlPlane.Skip || p.up.Nodes.Hops != model.HopsFinal || !p.byKubeadm() || !p.anyNode() {
		return
	}
	oldest := slices.MinFunc(p.topology.APIServers, func(a, b skew.Instance) int { return a.Version.Compare(b.Version) }).Version
	var minors []string
	last := oldest.Minor
	for _, v := range p.versions {
		if v.Minor > last {
			last = v.Minor
			minors = append(minors, fmt.Sprintf("1.%d", v.Minor))
		}
	}
	if len(minors) > 1 {
		p.add(model.NodesMovedOnce, "control-plane/"+p.target.String(),
			"the control plane goes through %s, and workers move once, at the end, or sooner where they would be too old for it",
			joinNames(minors))
	}
}

// nodes names those that are not in order before anything begins.
func (p *preflight) nodes() {
	var list []*model.Node
	for i := range p.cluster.Nodes {
		if n := &p.cluster.Nodes[i]; n.Unschedulable || !n.Ready {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b *model.Node) int { return model.NaturalCompare(a.Name, b.Name) })
	for _, n := range list {
		if n.Unschedulable {
			after := "it will stay so"
			if slices.ContainsFunc(p.up.Nodes.Expand(p.cluster), func(s model.Stage) bool { return s.NewNodes() }) {
				after = "the node that takes its place is not"
			}
			p.add(model.NodeCordonedBefore, "Node/"+n.Name, "node %s is cordoned already; %s", n.Name, after)
		}
		if !n.Ready {
			p.add(model.NodeNotReady, "Node/"+n.Name, "node %s is not Ready before the upgrade begins", n.Name)
		}
	}
}

// lostNodes names the nodes whose kubelet no API server supports, where such nodes are taken to be lost.
func (p *preflight) lostNodes(what model.UnsupportedKubelet) {
	if what != model.KubeletLost {
		return
	}
	var lost []string
	for _, f := range p.found {
		if f.Code == model.KubeletTooOld || f.Code == model.KubeletNewerThanServer {
			lost = append(lost, f.Subject)
		}
	}
	for _, node := range lost {
		p.add(model.NodeLost, node, "%s is lost from the start, since the API servers do not support its kubelet (assumption unsupportedKubelet: lost)", node)
	}
}

// singleAPIServer notes that nothing can be changed while the only API server is upgraded.
func (p *preflight) singleAPIServer() {
	servers := p.topology.APIServers
	if up := &p.up.ControlPlane; up.Replace == model.ReplaceMachines && up.MaxSurge > 0 {
		return // another one comes first
	}
	if len(servers) != 1 || p.target.IsZero() || p.up.ControlPlane.Skip || !p.outdated(servers[0].Version) {
		return
	}
	p.add(model.SingleAPIServer, "apiserver/"+servers[0].Name, "the only API server is away while it is upgraded to %s: pods go on, and nothing can be changed meanwhile", p.target)
}

// targetOlder warns of a target that is an older patch than the API servers have.
func (p *preflight) targetOlder() {
	if p.up.ControlPlane.Skip || p.target.IsZero() {
		return
	}
	for _, i := range p.topology.APIServers {
		if v := cmp.Or(i.Version, p.cluster.Version); v.Minor == p.target.Minor && v.Compare(p.target) > 0 {
			p.add(model.TargetOlder, "control-plane/"+p.target.String(), "the API servers are at %s, newer than the target %s, and the control plane is left as it is", v, p.target)
			return
		}
	}
}

func (p *preflight) nothingToDo() {
	back := slices.ContainsFunc(p.found, func(f model.Finding) bool { return f.Code == model.ControlPlaneDowngrade })
	if p.idle && !p.target.IsZero() && !back {
		p.add(model.NothingToUpgrade, "cluster/"+p.target.String(), "everything that this upgrade would change is at %s or newer already, and nothing is moved back", p.target)
	}
}

// anythingToDo reports whether something is not at the target yet; without a target nothing is.
func (p *preflight) anythingToDo() bool {
	if p.target.IsZero() {
		return false
	}
	if !p.up.ControlPlane.Skip {
		t := &p.topology
		for _, group := range [][]skew.Instance{t.APIServers, t.ControllerManagers, t.Schedulers, t.CloudControllerManagers} {
			for _, i := range group {
				if p.outdated(i.Version) {
					return true
				}
			}
		}
	}
	return p.anyNode()
}

// anyNode reports whether some node is not at the target yet.
func (p *preflight) anyNode() bool {
	for i := range p.cluster.Pools {
		if pool := &p.cluster.Pools[i]; pool.Count > 0 && p.moves(pool.Name, pool.Kubelet) {
			return true
		}
	}
	for i := range p.cluster.Nodes {
		if p.toUpgrade(&p.cluster.Nodes[i]) {
			return true
		}
	}
	return false
}

// outdated reports whether a component is to be changed; vendors' suffixes do not count.
func (p *preflight) outdated(v model.Version) bool {
	return cmp.Or(v, p.cluster.Version).Compare(p.target) < 0
}

// toUpgrade reports whether the upgrade changes the node. A control-plane node goes with the control plane.
func (p *preflight) toUpgrade(n *model.Node) bool {
	if _, controlPlane := n.Labels[model.LabelControlPlane]; controlPlane && (p.up.ControlPlane.Skip || p.cluster.ControlPlane.Managed) {
		return false
	}
	return p.moves(n.Pool, n.Kubelet)
}

// moves reports whether the upgrade moves a node of the pool with this kubelet. One
// of a pool that lags stays as long as the target is not too new for it.
func (p *preflight) moves(pool string, kubelet model.Version) bool {
	if !p.outdated(kubelet) {
		return false
	}
	minor := cmp.Or(kubelet, p.cluster.Version).Minor
	return !slices.Contains(p.up.Nodes.Lag, pool) || skew.Kubelet(minor, p.target.Minor, p.target.Minor) == model.KubeletTooOld ||
		p.up.Nodes.MaxLag > 0 && p.target.Minor-minor > p.up.Nodes.MaxLag
}

// toDrain reports whether the node of this name is to be drained; one that the cluster does not list may be.
func (p *preflight) toDrain(name string, explicit map[string]*model.Node) bool {
	if p.idle {
		return true
	}
	if n, ok := explicit[name]; ok {
		return p.toUpgrade(n)
	}
	dash := strings.LastIndexByte(name, '-')
	if dash < 0 {
		return true
	}
	number, err := strconv.Atoi(name[dash+1:])
	for i := range p.cluster.Pools {
		if pool := &p.cluster.Pools[i]; pool.Name == name[:dash] && err == nil && 1 <= number && number <= pool.Count {
			return p.moves(pool.Name, pool.Kubelet)
		}
	}
	return true
}
