package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"upsim/model"
	"upsim/model/skew"
)

// kubeadm asks, for each step of the control plane, a kubeadm what it would
// refuse, and what it would refuse without a flag. Where the upgrade names no
// kubeadm it is the one of the step's own version: that has no mandatory
// error but for a skipped minor and a downgrade, which path has named, and then
// nothing starts. The kubelets are those of that time: the plan moves workers
// before a step that the skew policy would forbid, and with hops each after
// every step. Where the upgrade names a kubeadm the first step is also asked about with the kubelets as they are now, as
// that kubeadm answers today. Control-plane nodes that the scenario does not list have no kubelets to name in a step that skips
// a minor: they are as old as their API servers, and the skipped minor is what is wrong. A node that skew.Check has named as too old is left out, unless the upgrade names a kubeadm.
func (p *preflight) kubeadm() {
	if p.target.IsZero() || p.up.ControlPlane.Skip || !p.byKubeadm() {
		return
	}
	fixed := !p.up.ControlPlane.Kubeadm.IsZero()
	known, starts := map[string]bool{}, true
	for _, f := range p.found {
		switch f.Code {
		case model.MinorSkipped, model.ControlPlaneDowngrade:
			if starts = false; !fixed {
				return
			}
		case model.KubeletTooOld:
			known[f.Subject] = !fixed
		}
	}
	own, listed := p.ownNodes(), map[string]bool{}
	for i := range p.cluster.Nodes {
		listed[p.cluster.Nodes[i].Name] = true
	}
	var nodes []skew.Node
	for _, n := range p.topology.Nodes {
		if !n.Kubelet.IsZero() && !known["Node/"+n.Name] {
			nodes = append(nodes, n)
		}
	}
	slices.SortStableFunc(nodes, func(a, b skew.Node) int { return model.NaturalCompare(a.Name, b.Name) })

	oldest, current := p.topology.APIServers[0].Version, p.topology.APIServers[0].Version
	for _, s := range p.topology.APIServers {
		if s.Version.Compare(oldest) < 0 {
			oldest = s.Version
		}
		if s.Version.Compare(current) > 0 {
			current = s.Version
		}
	}
	now := fixed
	for _, to := range p.versions {
		if oldest.Compare(to) >= 0 && !fixed {
			continue
		}
		step := kubeadmStep{from: current, kubeadm: cmp.Or(p.up.ControlPlane.Kubeadm, to), to: to, nodes: nodes, then: nodes, starts: starts}
		if now {
			step.nodes, now = slices.Clone(nodes), false
		}
		if to.Minor > current.Minor+1 {
			step.nodes = slices.DeleteFunc(slices.Clone(step.nodes), func(n skew.Node) bool { return own[n.Name] && !listed[n.Name] })
		}
		move(nodes, current, func(n skew.Node) bool {
			return !own[n.Name] && skew.Kubelet(n.Kubelet.Minor, to.Minor, to.Minor) == model.KubeletTooOld
		})
		p.kubeadmStep(step)
		oldest, current = to, to
		move(nodes, to, func(n skew.Node) bool { return own[n.Name] || p.up.Nodes.Hops == model.HopsEach })
	}
}

// kubeadmStep is a step of the control plane about which a kubeadm is asked.
type kubeadmStep struct {
	from, kubeadm, to model.Version
	nodes             []skew.Node // with their kubelets when it is asked
	then              []skew.Node // the same when the plan comes to the step
	starts            bool        // nothing that is known already keeps the plan from starting
}

// kubeadmStep reports what a kubeadm refuses of one step, and what it wants a flag for.
func (p *preflight) kubeadmStep(s kubeadmStep) {
	kubelets := make([]model.Version, len(s.nodes))
	for i := range s.nodes {
		kubelets[i] = s.nodes[i].Kubelet
	}
	kubeadm, to, subject := s.kubeadm, s.to, "control-plane/"+s.to.String()
	mandatory, skippable := skew.Kubeadm(s.from, kubeadm, kubelets, to)
	for _, rule := range mandatory {
		p.add(model.KubeadmRefuses, subject, "kubeadm %s refuses %s", kubeadm, kubeadmReason(rule, s.from, kubeadm, to))
	}
	s.starts = s.starts && len(mandatory) == 0
	for _, rule := range skippable {
		switch rule {
		case skew.KubeadmUnstableTarget:
			flag := "--allow-experimental-upgrades"
			if strings.HasPrefix(to.PreRelease(), "rc") {
				flag = "--allow-release-candidate-upgrades"
			}
			p.add(model.KubeadmNeedsForce, subject, "kubeadm %s refuses a pre-release without %s or --force", kubeadm, flag)
		case skew.KubeadmKubeletTooOld:
			p.kubeadmKubelets(s, subject)
		default:
			p.addWithFix("Take the kubeadm of the version that the step leads to, or run this one with --force.",
				model.KubeadmNeedsForce, subject, "kubeadm %s refuses without --force %s", kubeadm, kubeadmReason(rule, s.from, kubeadm, to))
		}
	}
}

// kubeadmKubelets names the kubelets that are too old for a kubeadm, and says where the plan itself moves them before the step.
func (p *preflight) kubeadmKubelets(s kubeadmStep, subject string) {
	lag := skew.KubeadmKubeletLag(s.kubeadm)
	old := func(nodes []skew.Node) (list []string) {
		for _, n := range nodes {
			if s.to.Minor > n.Kubelet.Minor+lag {
				list = append(list, fmt.Sprintf("%s %s", n.Name, n.Kubelet))
			}
		}
		return list
	}
	p.add(model.KubeadmNeedsForce, subject, "kubeadm %s refuses without --force while a kubelet is more than %s older than the target: %s",
		s.kubeadm, plural(lag, "minor", "minors"), named(old(s.nodes)))
	if s.starts && len(old(s.then)) == 0 {
		p.found[len(p.found)-1].Fix = fmt.Sprintf("Nothing, if you keep to the plan: it moves these nodes to %s before the control plane goes on, and then this kubeadm does not refuse.", s.from)
	}
}

// kubeadmReason says of a target what a rule has against it.
func kubeadmReason(rule skew.KubeadmRule, from, kubeadm, to model.Version) string {
	switch rule {
	case skew.KubeadmBelowMinimum:
		return fmt.Sprintf("%s, which is older than 1.%d.0, the oldest version that it knows how to run", to, kubeadm.Minor-1)
	case skew.KubeadmSkipsMinor:
		return fmt.Sprintf("%s, more than one minor newer than the API servers' %s", to, from)
	case skew.KubeadmDowngradeTooFar:
		return fmt.Sprintf("%s, more than one minor older than the API servers' %s", to, from)
	case skew.KubeadmMinorTooOld:
		return fmt.Sprintf("%s, whose minor is newer than its own", to)
	case skew.KubeadmPatchTooOld:
		return fmt.Sprintf("%s, a newer release of its own minor", to)
	case skew.KubeadmMinorTooNew:
		return fmt.Sprintf("%s, whose minor is older than its own", to)
	}
	return to.String()
}

// byKubeadm reports whether kubeadm may run the control plane's upgrade: it is ours and upgraded in place (new machines join),
// its version is known, and none is a vendor's build.
func (p *preflight) byKubeadm() bool {
	vendors := func(s skew.Instance) bool {
		return s.Version.Suffix != "" && s.Version.Suffix != "-"+s.Version.PreRelease()
	}
	servers := p.topology.APIServers
	return !p.cluster.ControlPlane.Managed && p.up.ControlPlane.Replace != model.ReplaceMachines && len(servers) > 0 && !slices.ContainsFunc(servers, vendors)
}

// ownNodes are the names of the control plane's nodes: those with its label, or those that it has where no node is listed with it.
func (p *preflight) ownNodes() map[string]bool {
	own := map[string]bool{}
	for i := range p.cluster.Nodes {
		if _, ok := p.cluster.Nodes[i].Labels[model.LabelControlPlane]; ok {
			own[p.cluster.Nodes[i].Name] = true
		}
	}
	if len(own) == 0 {
		for _, s := range p.topology.APIServers {
			own[s.Name] = true
		}
	}
	return own
}

// move brings the kubelets of some nodes to a version, and none back.
func move(nodes []skew.Node, to model.Version, which func(skew.Node) bool) {
	for i := range nodes {
		if which(nodes[i]) && nodes[i].Kubelet.Compare(to) < 0 {
			nodes[i].Kubelet = to
		}
	}
}
