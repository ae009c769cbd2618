package skew

import (
	"fmt"
	"slices"
	"strings"

	"upsim/model"
)

// Check holds a topology against the policy. Broken rules come first: the
// control plane by instance, kubectl, etcd, then nodes in natural order, one finding
// for each node and rule. Then come the notes (SkewAtLimit), one for each
// component and minor, on what is still allowed but would not be once the
// newest API server took another minor. Without API servers only the kube-proxies are
// checked, against the kubelets beside them.
func Check(t Topology) []model.Finding {
	k := checker{t: &t}
	k.oldest, k.newest, k.servers = t.ends()

	for _, group := range []struct {
		section   int
		newer     model.Code
		older     model.Code
		instances []Instance
	}{
		// Of two API servers that are too far apart, the older one is at fault: it has to move.
		{apiServer, "", model.APIServerSkew, t.APIServers},
		{controllerManager, model.ControllerManagerSkew, model.ControllerManagerSkew, t.ControllerManagers},
		{scheduler, model.SchedulerSkew, model.SchedulerSkew, t.Schedulers},
		{cloudControllerManager, model.CloudControllerSkew, model.CloudControllerSkew, t.CloudControllerManagers},
	} {
		l := &policy[group.section]
		for _, i := range group.instances {
			k.component(l, group.newer, group.older, l.spoken, i.Name, i)
		}
	}
	if !t.Kubectl.IsZero() {
		k.component(&policy[kubectl], model.KubectlSkew, model.KubectlSkew, "kubectl", "client", Instance{"the client", t.Kubectl})
	}

	k.etcd()

	nodes := t.Nodes
	if byName := func(a, b Node) int { return model.NaturalCompare(a.Name, b.Name) }; !slices.IsSortedFunc(nodes, byName) {
		nodes = slices.Clone(nodes)
		slices.SortStableFunc(nodes, byName)
	}
	for _, n := range nodes {
		if !n.Kubelet.IsZero() {
			k.component(&policy[kubelet], model.KubeletNewerThanServer, model.KubeletTooOld, "Node", n.Name, Instance{n.Name, n.Kubelet})
		}
		if n.KubeProxy.IsZero() {
			continue
		}
		fine := k.component(&policy[kubeProxy], model.KubeProxyNewerThanServer, model.KubeProxyTooOld, "Node", n.Name, Instance{n.Name, n.KubeProxy})
		if fine && !n.Kubelet.IsZero() {
			k.beside(n)
		}
	}
	return append(k.broken, k.notes()...)
}

type checker struct {
	t              *Topology
	oldest, newest Instance
	servers        bool
	broken         []model.Finding
	edges          []edge
}

// edge is a minor of a component that is the oldest allowed, and who has it.
type edge struct {
	limit *limit
	minor int
	names []string
	count int
}

// component checks one process and reports whether the policy allows it. An
// empty code leaves that side unreported. Kind and name are those of the findings' subject.
func (k *checker) component(l *limit, newer, older model.Code, kind, name string, i Instance) bool {
	if !k.servers {
		return true
	}
	minor, oldest, newest := i.Version.Minor, k.oldest.Version.Minor, k.newest.Version.Minor
	switch l.place(minor, oldest, newest) {
	case 1:
		if newer == "" {
			return true
		}
		rule := fmt.Sprintf("at most %s newer is allowed", minors(l.ahead))
		if l.ahead == 0 {
			rule = "it must not be newer than any API server that it may talk to"
		}
		k.add(newer, kind+"/"+name, "%s %s is %s newer than %s; %s", l.spoken, i.Version, minors(minor-oldest), k.server("oldest", k.oldest), rule)
		return false
	case -1:
		rule := fmt.Sprintf("at most %s older is allowed", minors(l.reach(minor)))
		switch {
		case minor < l.before:
			rule += fmt.Sprintf(" for a %s before 1.%d", l.spoken, l.before)
		case l == &policy[apiServer]:
			rule = "API servers must be within 1 minor of each other"
		}
		k.add(older, kind+"/"+name, "%s %s is %s older than %s; %s", l.spoken, i.Version, minors(newest-minor), k.server("newest", k.newest), rule)
		return false
	}
	if l.place(minor, newest+1, newest+1) < 0 {
		k.atEdge(l, i)
	}
	return true
}

func (k *checker) beside(n Node) {
	d := n.KubeProxy.Minor - n.Kubelet.Minor
	word := "newer"
	if d < 0 {
		d, word = -d, "older"
	}
	far := beside(n.KubeProxy.Minor)
	if d <= far {
		return
	}
	rule := fmt.Sprintf("at most %s apart is allowed", minors(far))
	if n.KubeProxy.Minor < policy[kubeProxy].before {
		rule += fmt.Sprintf(" for a kube-proxy before 1.%d", policy[kubeProxy].before)
	}
	k.add(model.KubeProxyKubeletSkew, "Node/"+n.Name, "kube-proxy %s is %s %s than the kubelet beside it, %s; %s", n.KubeProxy, minors(d), word, n.Kubelet, rule)
}

func (k *checker) add(c model.Code, subject, format string, args ...any) {
	k.broken = append(k.broken, model.NewFinding(c, subject, fmt.Sprintf(format, args...)))
}

// server names an API server; which one it is matters only where they differ.
func (k *checker) server(which string, i Instance) string {
	switch {
	case len(k.t.APIServers) == 1:
		return "the API server, " + i.Version.String()
	case k.oldest.Version.Minor == k.newest.Version.Minor:
		return "the API servers, " + i.Version.String()
	}
	return fmt.Sprintf("the %s API server, %s on %s", which, i.Version, i.Name)
}

// maxNames bounds the names in a note that is about many nodes.
const maxNames = 3

func (k *checker) atEdge(l *limit, i Instance) {
	at := slices.IndexFunc(k.edges, func(e edge) bool { return e.limit == l && e.minor == i.Version.Minor })
	if at < 0 {
		at = len(k.edges)
		k.edges = append(k.edges, edge{limit: l, minor: i.Version.Minor})
	}
	e := &k.edges[at]
	if e.count++; len(e.names) < maxNames {
		e.names = append(e.names, i.Name)
	}
}

func (k *checker) notes() []model.Finding {
	var list []model.Finding
	for _, e := range k.edges {
		where := strings.Join(e.names, ", ")
		if more := e.count - len(e.names); more > 0 {
			where += fmt.Sprintf(" and %d more", more)
		}
		version := fmt.Sprintf("1.%d", e.minor)
		list = append(list, model.NewFinding(model.SkewAtLimit, e.limit.spoken+"/"+version,
			fmt.Sprintf("%s %s (%s) is the oldest allowed beside %s; it is too old for an API server at 1.%d",
				e.limit.spoken, version, where, k.server("newest", k.newest), k.newest.Version.Minor+1)))
	}
	return list
}

func minors(n int) string {
	if n == 1 {
		return "1 minor"
	}
	return fmt.Sprintf("%d minors", n)
}
