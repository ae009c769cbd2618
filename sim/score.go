package sim

import "math"

// Weights of kube-scheduler's default score plugins, and the default
// spreading of pods that have no constraint of their own
// (pkg/scheduler/apis/config/v1/default_plugins.go; podtopologyspread/plugin.go).
// ImageLocality is left out: which images a node has is not known.
const (
	weightFit       = 1 // NodeResourcesFit, least allocated
	weightBalanced  = 1 // NodeResourcesBalancedAllocation
	weightTaints    = 3 // TaintToleration
	weightAffinity  = 2 // NodeAffinity
	weightSpread    = 2 // PodTopologySpread
	weightPods      = 2 // InterPodAffinity
	maxScore        = 100
	defaultHostSkew = 3
	defaultZoneSkew = 5
	allNodesUpTo    = 100 // smaller clusters are scored whole
)

// enoughFeasible is how many feasible nodes the scheduler looks for in a
// cluster of n before it scores them: percentageOfNodesToScore left at its
// default (pkg/scheduler/schedule_one.go, numFeasibleNodesToFind).
func enoughFeasible(n int) int {
	if n < allNodesUpTo {
		return n
	}
	percent := max(5, 50-n/125)
	return max(allNodesUpTo, n*percent/100)
}

// score fills r.scores for the candidates, each plugin's score normalised over
// them and weighted as kube-scheduler does.
func (r *run) score(s *shape, spec *workloadSpec) {
	r.scores = r.scores[:0]
	for _, n := range r.candidates {
		nd := &r.nodes[n]
		total := int64(weightFit) * leastAllocated(nd, s)
		if !s.bestEffort {
			total += weightBalanced * balanced(nd, s)
		}
		r.scores = append(r.scores, total)
	}
	if s.prefers {
		r.scorePreferences(s)
	}
	r.scoreSpread(spec)
	if spec.con != nil && len(spec.con.prefer) > 0 {
		r.scorePods(spec.con)
	}
}

// leastAllocated prefers nodes with more room: the mean over cpu and memory of
// the free share after the pod, in whole points.
func leastAllocated(nd *node, s *shape) int64 {
	return int64((free(nd.cpu, nd.nzCPU+s.nzCPU) + free(nd.memory, nd.nzMemory+s.nzMemory)) / 2)
}

func free(capacity, requested int64) uint64 {
	if capacity == 0 || requested > capacity {
		return 0
	}
	return uint64(capacity-requested) * maxScore / uint64(capacity) // neither is below 0, and so it takes fewer steps
}

// balanced prefers nodes whose cpu and memory are used alike.
func balanced(nd *node, s *shape) int64 {
	if nd.cpu == 0 || nd.memory == 0 {
		return maxScore
	}
	std := math.Abs(usedShare(nd.usedCPU+s.cpu, nd.cpu)-usedShare(nd.usedMemory+s.memory, nd.memory)) / 2
	return int64(float64(1-std) * maxScore)
}

// usedShare is how much of a capacity is used, 1 at most. Two numbers are compared here, where min would look at NaN too.
func usedShare(used, capacity int64) float64 {
	share := float64(used) / float64(capacity)
	if share > 1 {
		return 1
	}
	return share
}

// scorePreferences adds PreferNoSchedule taints and preferred node affinity.
func (r *run) scorePreferences(s *shape) {
	var worst, best int64
	for _, n := range r.candidates {
		f := &s.fit[r.nodes[n].class]
		worst = max(worst, int64(f.taints))
		best = max(best, int64(f.affinity))
	}
	for i, n := range r.candidates {
		f := &s.fit[r.nodes[n].class]
		points := int64(maxScore)
		if worst > 0 {
			points = maxScore - int64(f.taints)*maxScore/worst
		}
		r.scores[i] += weightTaints * points
		if best > 0 {
			r.scores[i] += weightAffinity * (int64(f.affinity) * maxScore / best)
		}
	}
}

// spreadTerms are the soft constraints that spread the workload's pods, with
// their counts by node: its own, or the default ones. ignore: nodes that lack a
// label of the pod's own constraints score nothing.
func (r *run) spreadTerms(spec *workloadSpec) (terms []spreadTerm, marks []markSet, ignore bool) {
	switch c := spec.con; {
	case c != nil && len(c.soft) > 0:
		return c.soft, r.marks[len(c.avoid)+len(c.attract)+len(c.hard):], true
	case spec.spreads:
		terms, marks = r.defaultSpread(spec)
	}
	return terms, marks, false
}

// scoreSpread is PodTopologySpread's score: few pods of the same kind in a
// node's domains are better, and the more domains a topology has the more a pod in one weighs.
func (r *run) scoreSpread(spec *workloadSpec) {
	if spec.spreads && (spec.con == nil || len(spec.con.soft) == 0) {
		r.walkOwn(spec)
	}
	terms, marks, ignore := r.spreadTerms(spec)
	if len(terms) == 0 {
		return
	}
	r.raw = r.raw[:0]
	counted := 0
	for _, n := range r.candidates {
		if ignore && !r.hasLabels(n, terms) {
			r.raw = append(r.raw, -1)
			continue
		}
		r.raw = append(r.raw, 0)
		counted++
	}
	r.sums = append(r.sums[:0], make([]float64, len(r.candidates))...)
	for k := range terms {
		r.addSpread(&terms[k], &marks[k], r.logOf(r.domainsAmong(terms[k].topo, counted)+2))
	}
	lo, hi := int64(math.MaxInt64), int64(0)
	for i, sum := range r.sums {
		if r.raw[i] >= 0 {
			r.raw[i] = int64(math.Round(sum))
			lo, hi = min(lo, r.raw[i]), max(hi, r.raw[i])
		}
	}
	for i := range r.candidates {
		switch {
		case r.raw[i] < 0:
		case hi == 0:
			r.scores[i] += weightSpread * maxScore
		default:
			r.scores[i] += weightSpread * (maxScore * (hi + lo - r.raw[i]) / hi)
		}
	}
}

// addSpread adds one term to the sums of the candidates: the pods in each one's domain, weighted, as
// count finds them. A node without the topology's label gets nothing.
func (r *run) addSpread(t *spreadTerm, marks *markSet, weight float64) {
	skew := float64(t.maxSkew - 1)
	if t.topo == topoHost {
		walked, counts := r.w.counters[t.counter].walked, r.counts[t.counter]
		for i, n := range r.candidates {
			c := marks.get(n)
			if !walked {
				c = counts[n]
			}
			r.sums[i] += float64(float64(c)*weight) + skew
		}
		return
	}
	of, counts := r.w.topo[t.topo].of, r.counts[t.counter]
	for i, n := range r.candidates {
		if d := of[n]; d != none {
			r.sums[i] += float64(float64(counts[d])*weight) + skew
		}
	}
}

func (r *run) hasLabels(n int32, terms []spreadTerm) bool {
	for i := range terms {
		if t := terms[i].topo; t != topoHost && r.w.topo[t].of[n] == none {
			return false
		}
	}
	return true
}

// domainsAmong is the number of domains that the candidates span.
func (r *run) domainsAmong(topo int32, counted int) int {
	if topo == topoHost {
		return counted
	}
	of := r.w.topo[topo].of
	if len(r.seenDomain) < len(r.w.topo[topo].domains) {
		r.seenDomain = make([]uint64, len(r.w.topo[topo].domains))
	}
	r.seenRound++
	found := 0
	for i, n := range r.candidates {
		if d := of[n]; r.raw[i] >= 0 && d != none && r.seenDomain[d] != r.seenRound {
			r.seenDomain[d] = r.seenRound
			found++
		}
	}
	return found
}

// ownCounts are the counts of a workload's own pods by node and by zone, empty.
func (r *run) ownCounts() (byNode *markSet, byZone []int32) {
	if r.counts[r.w.ownByZone] == nil {
		r.counts[r.w.ownByZone] = make([]int32, r.zones())
	}
	clear(r.counts[r.w.ownByZone])
	return r.ownNodes(), r.counts[r.w.ownByZone]
}

// ownNodes are the counts of a workload's own pods by node, empty.
func (r *run) ownNodes() *markSet {
	m := &r.defaultMarks[0]
	m.clear()
	if len(m.at) < len(r.nodes) {
		m.at = make([]int32, len(r.nodes))
	}
	return m
}

// walkOwn counts the pods of a workload by node and by zone for default spreading, if no counters do.
func (r *run) walkOwn(spec *workloadSpec) {
	if spec.hostCount != none {
		return
	}
	byNode, byZone := r.ownCounts()
	for _, n := range r.liveAt[spec.slot0 : spec.slot0+spec.slots] {
		if n != none {
			byNode.add(n)
			byZone[r.w.zoneOf[n]]++
		}
	}
}

// defaultSpread are kube-scheduler's default constraints as terms: by host with skew 3, by zone with
// skew 5. The pods must have been counted (walkOwn).
func (r *run) defaultSpread(spec *workloadSpec) ([]spreadTerm, []markSet) {
	r.defaultTerms = r.defaultTerms[:0]
	byNode, byZone := spec.hostCount, spec.hostCount+1
	if spec.hostCount == none {
		byNode, byZone = r.w.ownByNode, r.w.ownByZone
	}
	r.defaultTerms = append(r.defaultTerms, spreadTerm{topo: topoHost, counter: byNode, maxSkew: defaultHostSkew})
	if r.zones() > 1 {
		r.defaultTerms = append(r.defaultTerms, spreadTerm{topo: topoZone, counter: byZone, maxSkew: defaultZoneSkew})
	}
	return r.defaultTerms, r.defaultMarks[:]
}

// scorePods is InterPodAffinity's score: the weights of the pods that attract
// or repel, stretched over the candidates to 0 … 100.
func (r *run) scorePods(con *constraints) {
	marks := r.marks[len(con.avoid)+len(con.attract)+len(con.hard)+len(con.soft):]
	r.raw = r.raw[:0]
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, n := range r.candidates {
		sum := int64(0)
		for k := range con.prefer {
			if c, ok := r.count(con.prefer[k].counter, con.prefer[k].topo, n, &marks[k]); ok {
				sum += int64(con.prefer[k].weight) * int64(c)
			}
		}
		r.raw = append(r.raw, sum)
		lo, hi = min(lo, sum), max(hi, sum)
	}
	if hi == lo {
		return
	}
	for i := range r.candidates {
		r.scores[i] += weightPods * int64(float64(maxScore)*(float64(r.raw[i]-lo)/float64(hi-lo)))
	}
}
