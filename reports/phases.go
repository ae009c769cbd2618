package reports

import "upsim/sim"

func (p *page) phases(list []sim.Phase) {
	if len(list) == 0 {
		return
	}
	p.section("Phases")
	g := grid{columns: []column{{"NAME", false, true}, {"START", true, false}, {"END", true, false}, {"DURATION", true, false}}}
	for _, ph := range list {
		g.add(ph.Name, human(ph.StartSeconds), human(ph.EndSeconds), human(ph.EndSeconds-ph.StartSeconds))
	}
	p.grid(&g, tableIndent)
}
