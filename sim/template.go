package sim

import (
	"slices"

	"upsim/model"
)

// Template is what all Worlds of a scenario have in common, whatever their seed: everything but where the pods stand.
// Several goroutines may make Worlds of it at the same time.
type Template struct {
	world    World           // without the state at the start, but for the nodes
	findings []model.Finding // of the scenario alone
}

// Prepare does what Compile does, except what depends on the seed.
func Prepare(sc *model.Scenario, up model.NamedUpgrade) (*Template, error) {
	t := &Template{world: World{scenario: sc, upgrade: up, stages: up.Upgrade.Nodes.Expand(&sc.Cluster), firstCP: none}}
	w := &t.world
	c := &compiler{World: w}
	c.latencies()
	if c.compileNodes(); c.tooMany != nil {
		return nil, c.tooMany
	}
	if err := c.compileWorkloads(); err != nil {
		return nil, err
	}
	c.compileBudgets()
	if err := c.compileConstraints(); err != nil {
		return nil, err
	}
	if err := c.classify(); err != nil {
		return nil, err
	}
	c.loseUnsupported()
	if err := c.tooLarge(); err != nil {
		return nil, err
	}
	if err := c.standings(); err != nil {
		return nil, err
	}
	c.forPlacement()
	w.within = append([]int32{}, w.withinLimit()...)
	w.findings, t.findings = slices.Concat(w.quota(), w.emptyStages(), w.stagesLeftOut()), staticFindings(sc, up)
	return t, nil
}

// World is what Compile gives for the scenario with that seed.
func (t *Template) World(seed uint64) (*World, error) {
	w := t.world
	if seed != w.scenario.Seed {
		seeded := *w.scenario
		if seeded.Seed = seed; w.shuffles() {
			return Compile(&seeded, w.upgrade)
		}
		w.scenario = &seeded
	}
	w.place()
	w.findings = worstFirst(slices.Concat(w.findings, w.localVolumes(), t.findings))
	return &w, nil
}

// shuffles reports whether a stage takes its nodes in random order: then which nodes a stage has, and which extra ones
// stand beside them, depends on the seed too.
func (w *World) shuffles() bool {
	return slices.ContainsFunc(w.stages, func(s model.Stage) bool { return s.NodeOrder == model.OrderRandom })
}
