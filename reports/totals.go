package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"upsim/sim"
)

// totals writes what belongs to the cluster as a whole.
func (p *page) totals(r *sim.Result) {
	p.section("Totals")
	p.total("control plane", fmt.Sprintf("API server away for %s, etcd without quorum for %s",
		human(r.ControlPlane.APIUnavailableSeconds), human(r.ControlPlane.QuorumLostSeconds)))
	p.total("evictions", fmt.Sprintf("%d accepted, %d refused, %s; %s deleted without eviction",
		r.Evictions, r.EvictionsRefused, count(r.EvictionErrors, "error"), count(r.Deletions, "pod")))
	if r.Surge.PeakNodes > 0 {
		p.total("extra nodes", fmt.Sprintf("%d at most at once, %.2f node hours", r.Surge.PeakNodes, float64(r.Surge.NodeHours)))
	}
	p.total("at the end", atTheEnd(r))
	p.total("run", fmt.Sprintf("seed %d, %s, digest %s", r.Seed, count(r.Engine.Events, "event"), cmp.Or(r.Engine.Digest, "-")))
}

func (p *page) total(name, text string) {
	const width = len("control plane: ")
	p.para(fmt.Sprintf("  %-*s", width, name+":"), width+2, text, width+2)
}

func atTheEnd(r *sim.Result) string {
	versions := make([]string, 0, len(r.FinalVersions))
	for v := range r.FinalVersions {
		versions = append(versions, v)
	}
	slices.SortFunc(versions, func(a, b string) int { return naturalCompare(a, b) })
	parts := make([]string, 0, len(versions)+1)
	for _, v := range versions {
		parts = append(parts, count(r.FinalVersions[v], "worker")+" at "+v)
	}
	if len(parts) == 0 {
		parts = append(parts, "no workers")
	}
	return strings.Join(append(parts, count(r.FinalPending, "pod")+" pending"), ", ")
}
