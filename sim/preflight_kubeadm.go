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
// every step. A node that skew.Check has named as too old is left out, unless the upgrade names a kubeadm.
func (p *preflight) kubeadm() {
	if p.target.IsZero() || p.up.ControlPlane.Skip || !p.byKubeadm() {
		return
	}
	fixed := !p.up.ControlPlane.Kubeadm.IsZero()
	known := map[string]bool{}
	for _, f := range p.found {
		switch f.Code {
		case model.MinorSkipped, model.ControlPlaneDowngrade:
			if !fixed {
				return
			}
		case model.KubeletTooOld:
			known[f.Subject] = !fixed
		}
	}
	own := p.ownNodes()
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
	for _, to := range p.versions {
		if oldest.Compare(to) >= 0 && !fixed {
			continue
		}
		move(nodes, current, func(n skew.Node) bool {
			return !own[n.Name] && skew.Kubelet(n.Kubelet.Minor, to.Minor, to.Minor) == model.KubeletTooOld
		})
		p.kubeadmStep(current, cmp.Or(p.up.ControlPlane.Kubeadm, to), to, nodes)
		oldest, current = to, to
		move(nodes, to, func(n skew.Node) bool { return own[n.Name] || p.up.Nodes.Hops == model.HopsEach })
	}
}

// kubeadmStep reports what a kubeadm refuses of one step, and what it wants a flag for.
func (p *preflight) kubeadmStep(from, kubeadm, to model.Version, nodes []skew.Node) {
	kubelets := make([]model.Version, len(nodes))
	for i := range nodes {
		kubelets[i] = nodes[i].Kubelet
	}
	subject := "control-plane/" + to.String()
	mandatory, skippable := skew.Kubeadm(from, kubeadm, kubelets, to)
	for _, rule := range mandatory {
		p.add(model.KubeadmRefuses, subject, "kubeadm %s refuses %s", kubeadm, kubeadmReason(rule, from, kubeadm, to))
	}
	for _, rule := range skippable {
		switch rule {
		case skew.KubeadmUnstableTarget:
			flag := "--allow-experimental-upgrades"
			if strings.HasPrefix(to.PreRelease(), "rc") {
				flag = "--allow-release-candidate-upgrades"
			}
			p.add(model.KubeadmNeedsForce, subject, "kubeadm %s refuses a pre-release without %s or --force", kubeadm, flag)
		case skew.KubeadmKubeletTooOld:
			lag := skew.KubeadmKubeletLag(kubeadm)
			var old []string
			for _, n := range nodes {
				if to.Minor > n.Kubelet.Minor+lag {
					old = append(old, fmt.Sprintf("%s %s", n.Name, n.Kubelet))
				}
			}
			p.add(model.KubeadmNeedsForce, subject, "kubeadm %s refuses without --force while a kubelet is more than %s older than the target: %s",
				kubeadm, plural(lag, "minor", "minors"), named(old))
		default:
			p.addWithFix("Take the kubeadm of the version that the step leads to, or run this one with --force.",
				model.KubeadmNeedsForce, subject, "kubeadm %s refuses without --force %s", kubeadm, kubeadmReason(rule, from, kubeadm, to))
		}
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
