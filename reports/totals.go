package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim"
)

// totals writes what belongs to the cluster as a whole.
func (p *page) totals(sc *model.Scenario, r *sim.Result) {
	p.section("Totals")
	if out := outages(r.ControlPlane); out != "" {
		p.total("control plane", out)
	}
	if r.WaitingSeconds > 0 {
		p.total("time", fmt.Sprintf("%s at work, %s waiting for maintenance windows", human(r.WorkingSeconds), human(r.WaitingSeconds)))
	}
	if done := evicted(r); done != "" {
		p.total("evictions", done)
	}
	if r.Surge.PeakNodes > 0 {
		p.total("extra nodes", fmt.Sprintf("%d at most at once, %s", r.Surge.PeakNodes, nodeHours(r.Surge.NodeHours)))
	}
	if b := r.BlastRadius; b.Pods > 0 {
		p.total("blast radius", fmt.Sprintf("a bad version reached %s of %s", count(b.Pods, "pod"), count(b.Workloads, "workload")))
	}
	p.total("at the end", atTheEnd(r))
	if text := assumes(sc, r); text != "" {
		p.total("assumes", text)
	}
	p.total("run", fmt.Sprintf("seed %d, %s, digest %s", r.Seed, count(r.Engine.Events, "event"), cmp.Or(r.Engine.Digest, "-")))
}

// nodeHours writes what extra nodes cost. Where that is minutes, hours alone would hardly show it.
func nodeHours(h sim.Seconds) string {
	if h < 0.1 {
		return fmt.Sprintf("%.2g node hours (%s)", float64(h), human(h*3600))
	}
	return fmt.Sprintf("%.2f node hours", float64(h))
}

// outages says how long the control plane did not serve; nothing where it always did.
func outages(c sim.ControlPlaneTimes) string {
	var parts []string
	if c.APIUnavailableSeconds > 0 {
		parts = append(parts, "API server away for "+human(c.APIUnavailableSeconds))
	}
	if c.QuorumLostSeconds > 0 {
		parts = append(parts, "etcd without quorum for "+human(c.QuorumLostSeconds))
	}
	return strings.Join(parts, ", ")
}

// evicted counts what was done to pods; nothing where nothing was.
func evicted(r *sim.Result) string {
	var parts []string
	if r.Evictions > 0 || r.EvictionsRefused > 0 || r.EvictionErrors > 0 {
		parts = append(parts, fmt.Sprintf("%d accepted, %d refused", r.Evictions, r.EvictionsRefused))
	}
	if r.EvictionErrors > 0 {
		parts = append(parts, count(r.EvictionErrors, "error"))
	}
	if r.Deletions > 0 {
		parts = append(parts, count(r.Deletions, "pod")+" deleted without eviction")
	}
	return strings.Join(parts, ", ")
}

func (p *page) total(name, text string) {
	const width = len("control plane: ")
	p.para(fmt.Sprintf("  %-*s", width, name+":"), width+2, text, width+2)
}

// atTheEnd says what is left once nothing more can happen.
func atTheEnd(r *sim.Result) string {
	versions := make([]string, 0, len(r.FinalVersions))
	for v := range r.FinalVersions {
		versions = append(versions, v)
	}
	slices.SortFunc(versions, model.NaturalCompare)
	parts := make([]string, 0, len(versions)+1)
	for _, v := range versions {
		parts = append(parts, count(r.FinalVersions[v], "worker")+" at "+v)
	}
	if len(parts) == 0 {
		parts = append(parts, "no workers")
	}
	if r.FinalPending > 0 {
		parts = append(parts, count(r.FinalPending, "pod")+" without a node")
	}
	return strings.Join(parts, ", ")
}
