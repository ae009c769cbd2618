package main

import (
	"errors"
	"slices"
	"strings"

	"upsim/model"
	"upsim/scenarios"
)

// load loads the scenarios that the inputs are, with a plan the one that it is for.
func (sh *shell) load(in *inputs) ([]*model.Scenario, error) {
	if in.planFile == "" {
		return sh.loadInputs(in)
	}
	plan, err := scenarios.OpenPlan(in.planFile, sh.stdin)
	if err != nil {
		return nil, err
	}
	in.options.Changes = append(in.options.Changes, model.ChangesNamed(plan.Strategy()))
	list, err := sh.loadInputs(in)
	if err != nil {
		return nil, err
	}
	sc, err := plan.Scenario(list)
	if err != nil {
		return nil, err
	}
	return []*model.Scenario{sc}, nil
}

// loadInputs loads scenario files or, with --cluster, one scenario from all files; without any the built-in example.
func (sh *shell) loadInputs(in *inputs) ([]*model.Scenario, error) {
	switch {
	case len(in.clusterFiles) > 0:
		sc, err := scenarios.FromKubectl(in.scenarioFiles(), sh.stdin, in.options)
		return []*model.Scenario{sc}, err
	case len(in.args) == 0:
		return sh.only(in.options.Strategy, []*model.Scenario{scenarios.Default(in.changes()...)})
	}
	list, err := sh.loadFiles(in.args, in.changes())
	if err != nil {
		return nil, err
	}
	return sh.only(in.options.Strategy, list)
}

// loadFiles reads scenario files, each scenario with those changes as its variants; the faults of all files are reported together.
func (sh *shell) loadFiles(paths []string, changes []model.Changes) ([]*model.Scenario, error) {
	var list []*model.Scenario
	var faults error
	for _, path := range paths {
		found, err := sh.loadFile(path, changes)
		if errors.As(err, new(model.Diagnostics)) {
			faults = errors.Join(faults, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, faults
}

func (sh *shell) loadFile(path string, changes []model.Changes) ([]*model.Scenario, error) {
	in, err := scenarios.Open(path, sh.stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	switch in.Content {
	case scenarios.ContentKubectl:
		return nil, usagef("upsim run --cluster "+path+" --to VERSION", "%s holds kubectl output, not a scenario", in.Name)
	case scenarios.ContentPaste:
		return nil, usagef("write the cluster with kubectl get … -o json for --cluster; upsim check takes nodes with their versions", "%s holds a table or a list of versions, not a scenario", in.Name)
	}
	return in.Scenarios(changes...)
}

// only leaves the scenarios that have the strategy, with nothing but that one: their own of this name, or else a usual one, laid
// over their upgrade.
func (sh *shell) only(strategy string, list []*model.Scenario) (with []*model.Scenario, err error) {
	if strategy == "" {
		return list, nil
	}
	var without []string
	for _, sc := range list {
		ups := sc.Upgrades()
		if at := slices.IndexFunc(ups, func(up model.NamedUpgrade) bool { return up.Name == strategy }); at >= 0 {
			if len(sc.Strategies) > 0 {
				sc.Strategies = ups[at : at+1]
			}
		} else if at := slices.IndexFunc(sc.Variants, func(v model.Variant) bool { return v.Name == strategy }); at >= 0 {
			v := &sc.Variants[at]
			if v.Refused != "" {
				return nil, usagef("", "%s with --strategy %s would be no plan: %s", sc.Name, strategy, v.Refused)
			}
			sc.Strategies, sc.Varied = []model.NamedUpgrade{v.Named()}, true
		} else {
			without = append(without, sc.Name)
			continue
		}
		with = append(with, sc)
	}
	if len(with) == 0 {
		return nil, unknownStrategy(list, strategy, "no scenario has a strategy called %q")
	}
	for _, name := range without {
		sh.note("note: %s has no strategy %s and is left out", name, strategy)
	}
	return with, nil
}

// unknownStrategy refuses a name that is neither one of the scenarios' own nor a usual one; what it says has a place for the name.
func unknownStrategy(list []*model.Scenario, name, says string) error {
	var known []string
	for _, sc := range list {
		for _, up := range sc.Upgrades() {
			known = append(known, up.Name)
		}
	}
	for _, c := range model.StandardChanges() {
		known = append(known, c.Name)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	all := slices.Clone(known)
	for _, p := range model.Presets() {
		all = append(all, p.Name)
	}
	hint := "there are " + strings.Join(known, ", ") + ", rolling-N and rolling-N% with other numbers, and those that upsim strategies list has"
	return usagef(didYouMean(name, all, hint), says, name)
}
