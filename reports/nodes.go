package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim"
)

// slowest is how many of the drained nodes a report shows.
const slowest = 5

// isDone reports whether nothing is left to say about a node: drained, or never in need of it.
func isDone(n sim.NodeResult, to string) bool {
	return n.DrainResult == "drained" || hadIt(n, to) || n.DrainResult == "none" && n.UpgradedAtSeconds != nil && n.DrainSeconds == 0
}

// hadIt reports whether a node had the version, or a newer one, before the upgrade.
func hadIt(n sim.NodeResult, to string) bool {
	return n.DrainResult == "none" && n.UpgradedAtSeconds == nil && (n.Kubelet == to || isNewer(n, to))
}

// replaced are the old nodes that gave way to a new one, and the new ones, by name.
type replaced struct {
	old, by map[string]bool
	reached map[string]bool // the old ones whose new node has the version asked for
}

// replacements pairs old nodes with new ones. An old node has given way once it is drained, or was removed with what was
// left on it; not while the new one is drained in turn, since the upgrade goes back.
func replacements(list []sim.NodeResult) replaced {
	index := make(map[string]int, len(list))
	for i, n := range list {
		index[n.Name] = i
	}
	rep := replaced{old: map[string]bool{}, by: map[string]bool{}, reached: map[string]bool{}}
	for _, n := range list {
		if i, ok := index[n.Replaces]; ok {
			rep.by[n.Name] = true
			if old := list[i]; !n.Removed && n.DrainSeconds == 0 && (old.DrainResult == "drained" || old.Removed) && old.UpgradedAtSeconds == nil {
				rep.old[old.Name], rep.reached[old.Name] = true, n.UpgradedAtSeconds != nil
			}
		}
	}
	return rep
}

func isNewer(n sim.NodeResult, to string) bool {
	has, errHas := model.ParseVersion(n.Kubelet)
	target, errTarget := model.ParseVersion(to)
	return errHas == nil && errTarget == nil && has.Compare(target) > 0
}

func (p *page) nodes(r *sim.Result) {
	if len(r.Nodes) == 0 {
		return
	}
	p.section("Nodes")
	var workers, servers []sim.NodeResult
	var drains []sim.Seconds
	for _, n := range r.Nodes {
		if n.Pool == model.PoolControlPlane {
			servers = append(servers, n)
		} else {
			workers = append(workers, n)
			if n.DrainResult == "drained" {
				drains = append(drains, n.DrainSeconds)
			}
		}
	}
	rep := replacements(workers)
	p.upgraded("control-plane node", servers, r.To, replacements(servers))
	p.upgraded("worker", workers, r.To, rep)
	if n, left := extraNodes(workers); left > 0 {
		p.text(2, fmt.Sprintf("%s stood beside them; still there at the end: %d", count(n, "extra node"), left))
	} else if n > 0 {
		p.text(2, count(n, "extra node")+" stood beside them for a time")
	}
	if len(drains) > 0 {
		p.text(2, drainTimes(drains))
	}
	p.unreached(workers, r.To)

	p.nodeTable(r, workers, rep)
}

// nodeTable is the table of the nodes to show, as far as it is not cut off.
func (p *page) nodeTable(r *sim.Result, workers []sim.NodeResult, rep replaced) {
	rows := p.nodeRows(r)
	shown := len(rows)
	if !p.Verbose {
		shown = min(shown, mostNodes)
	}
	if shown == 0 {
		return
	}
	g := grid{columns: []column{
		{"NAME", false, true}, {"POOL", false, true}, {"DRAIN", true, false}, {"RESULT", false, true},
		{"BLOCKED", true, false}, {"UPGRADED-AT", true, false}, {"KUBELET", false, true},
	}}
	for _, n := range rows[:shown] {
		result := n.DrainResult
		if result == "none" && n.DrainSeconds > 0 && slices.ContainsFunc(r.Reasons, isProof) {
			result = "never ends"
		}
		g.add(n.Name, n.Pool, orDash(n.DrainSeconds), result, orDash(n.BlockedSeconds), whenUpgraded(n, rep), n.Kubelet)
	}
	p.grid(&g, tableIndent)
	p.newNodes(workers, rows[:shown], rep)
	if hidden := len(rows) - shown; hidden > 0 {
		p.text(2, fmt.Sprintf("and %s more that were not drained (-o json has them all)", count(hidden, "node")))
	}
}

// whenUpgraded is when a node had the version, or what became of it instead.
func whenUpgraded(n sim.NodeResult, rep replaced) string {
	switch {
	case n.UpgradedAtSeconds != nil:
		return human(*n.UpgradedAtSeconds)
	case n.Removed && rep.by[n.Name]:
		return "removed"
	case n.RolledBack:
		return "rolled back"
	case rep.old[n.Name]:
		return "replaced"
	}
	return "never"
}

// extraNodes counts the extra nodes, and those of them that are still there.
func extraNodes(list []sim.NodeResult) (n, left int) {
	for i := range list {
		if list[i].Extra {
			if n++; !list[i].Removed {
				left++
			}
		}
	}
	return n, left
}

// newNodes says what stands in place of the replaced nodes that are shown: their own rows have the version that they left with.
func (p *page) newNodes(workers, rows []sim.NodeResult, rep replaced) {
	old := map[string]bool{}
	for _, n := range rows {
		if rep.old[n.Name] {
			old[n.Name] = true
		}
	}
	var versions []string
	for _, n := range workers {
		if rep.by[n.Name] && old[n.Replaces] && !slices.Contains(versions, n.Kubelet) {
			versions = append(versions, n.Kubelet)
		}
	}
	if len(versions) > 0 {
		slices.SortFunc(versions, model.NaturalCompare)
		p.text(2, "replaced: by a new node, NAME-new, now at "+strings.Join(versions, " or "))
	}
}

// isUnreached reports whether the upgrade ended before it came to the node.
func isUnreached(n sim.NodeResult, to string) bool {
	return n.DrainResult == "none" && n.DrainSeconds == 0 && n.BlockedSeconds == 0 && !isDone(n, to)
}

// unreached names the nodes that the upgrade did not come to; a table of them would say nothing more.
func (p *page) unreached(list []sim.NodeResult, to string) {
	var names []string
	for _, n := range list {
		if isUnreached(n, to) {
			names = append(names, n.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	shown := p.limit(len(names), mostRows)
	text := count(len(names), "worker") + " not reached: " + strings.Join(names[:shown], ", ")
	if hidden := len(names) - shown; hidden > 0 {
		text += fmt.Sprintf(" and %d more (-o json has them all)", hidden)
	}
	p.text(2, text)
}

// nodeRows are the nodes to show: every one where verbose; else those that were
// reached and not drained, in their own order, and then the slowest workers.
func (p *page) nodeRows(r *sim.Result) []sim.NodeResult {
	if p.Verbose {
		return r.Nodes
	}
	var rows, drained []sim.NodeResult
	for _, n := range r.Nodes {
		switch {
		case n.DrainResult == "drained" && n.Pool != model.PoolControlPlane:
			drained = append(drained, n)
		case !isDone(n, r.To) && (!isUnreached(n, r.To) || n.Pool == model.PoolControlPlane):
			rows = append(rows, n)
		}
	}
	slices.SortStableFunc(drained, func(a, b sim.NodeResult) int { return cmp.Compare(b.DrainSeconds, a.DrainSeconds) })
	rows = rows[:len(rows):len(rows)]
	if len(rows) >= mostNodes {
		return rows
	}
	return append(rows, drained[:min(len(drained), slowest)]...)
}

// upgraded counts the nodes that got the version, and those that had no need of it.
func (p *page) upgraded(noun string, list []sim.NodeResult, to string, rep replaced) {
	total := 0
	for _, n := range list {
		if !rep.by[n.Name] && !n.Extra {
			total++
		}
	}
	if total == 0 {
		return
	}
	done, had, replaced := 0, 0, 0
	var newer []string
	for _, n := range list {
		switch {
		case rep.by[n.Name], n.Extra: // its old node is counted; or it is none of those that were there
		case rep.reached[n.Name]:
			done++
			replaced++
		case rep.old[n.Name]:
		case n.UpgradedAtSeconds != nil:
			done++
		case hadIt(n, to) && isNewer(n, to):
			newer = append(newer, n.Name)
		case hadIt(n, to):
			had++
		}
	}
	text := fmt.Sprintf("%d of %s upgraded", done, count(total, noun))
	if replaced > 0 {
		text += fmt.Sprintf(", %d by a new node in place of the old one", replaced)
	}
	if had > 0 {
		text += fmt.Sprintf(", %d had %s already", had, to)
	}
	if len(newer) > 0 {
		shown := p.limit(len(newer), mostRows)
		text += fmt.Sprintf(", %d had a newer version already: %s", len(newer), strings.Join(newer[:shown], ", "))
		if hidden := len(newer) - shown; hidden > 0 {
			text += fmt.Sprintf(" and %d more (-o json has them all)", hidden)
		}
	}
	p.text(2, text)
}

func drainTimes(drains []sim.Seconds) string {
	slices.Sort(drains)
	head := count(len(drains), "worker") + " drained, in "
	least, most := human(drains[0]), human(drains[len(drains)-1])
	switch {
	case len(drains) == 1:
		return head + least
	case least == most:
		return head + least + " each"
	}
	return head + fmt.Sprintf("%s at least, %s in the median, %s at most", least, human(median(drains)), most)
}

func median(sorted []sim.Seconds) sim.Seconds {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
