package sim

import (
	"upsim/model"
)

// sparesQuorum reports the workloads of which a budget lets more members go at
// once than their quorum bears. All that the budget allows may hit one of them.
func (p *preflight) sparesQuorum(budget string, leaving []member, allowed, otherCopies int) {
	for _, m := range leaving {
		e := &p.cluster.Workloads[m.unit.entry]
		p.limited[m.unit.entry] = true
		if e.Quorum == 0 || m.pods-allowed >= e.Quorum {
			continue
		}
		others := otherCopies
		if m.unit.copies > 1 {
			others = int(m.unit.copies) - 1
		}
		p.add(model.QuorumAtRisk, entrySubject(e, int(m.unit.copy)), "%s lets %d of its %s go at once, and it works only with %d%s",
			budget, min(allowed, m.pods), plural(m.pods, "member", "members"), e.Quorum, alsoOf(others))
	}
}

// quorums reports the workloads with a quorum of which no budget holds any
// member back, so that one drain after another may take them.
func (p *preflight) quorums() {
	for i := range p.cluster.Workloads {
		e, s := &p.cluster.Workloads[i], &p.standings[i]
		if e.Quorum == 0 || p.limited[i] || !s.reached || stays(e.Kind) || e.NeverReady {
			continue
		}
		p.add(model.QuorumAtRisk, entrySubject(e, 0), "no budget limits how many of its %s go at once, and it works only with %d%s",
			plural(s.pods, "member", "members"), e.Quorum, alsoOf(max(1, e.Count)-1))
	}
}
