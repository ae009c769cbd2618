package model

import "regexp"

// Change is a set of keys to lay over an upgrade, as an entry of `strategies` does.
type Change struct {
	// Name is that of the upgrade with the change.
	Name string
	Keys []KeyValue
}

// KeyValue is a key of an entry of `strategies` and its value, both as in a scenario file; a key of drain is drain.timeout.
type KeyValue struct{ Key, Value string }

// Changes says with which changes a scenario's upgrade is to be read as well. It is asked once all but the variants is known.
type Changes func(*Scenario) []Change

// Variant is an upgrade with a change.
type Variant struct {
	Change
	Upgrade Upgrade
	// Refused says why a scenario file with these keys would be refused; Upgrade is then no upgrade.
	Refused string
}

// Named is the variant's upgrade under the variant's name.
func (v *Variant) Named() NamedUpgrade { return NamedUpgrade{Name: v.Name, Upgrade: v.Upgrade} }

// ChangeTo is a change to one of the strategies that Presets lists.
func ChangeTo(strategy string) Change {
	return Change{Name: strategy, Keys: []KeyValue{{"strategy", strategy}}}
}

// StandardChanges are the strategies that an upgrade is compared with where nothing is said: in place one node at a time and a tenth
// of them at a time, new nodes first, one node first, and a second set of nodes.
func StandardChanges() []Change {
	return ChangesNamed("rolling-1", "rolling-10%", StrategySurge, StrategyCanary, StrategyBlueGreen)(nil)
}

// inPlaceName is the name of a strategy that says how many nodes go at once in place: rolling-3, rolling-25%.
var inPlaceName = regexp.MustCompile(`^rolling-([1-9][0-9]{0,5}%?)$`)

// ChangeNamed finds a change by its name: rolling-N or rolling-N%, in place and so many nodes at once, or one of Presets.
func ChangeNamed(name string) (Change, bool) {
	if nodes := inPlaceName.FindStringSubmatch(name); nodes != nil {
		return Change{Name: name, Keys: []KeyValue{{"strategy", StrategyRolling}, {"maxUnavailable", nodes[1]}}}, true
	}
	if _, ok := FindPreset(name); ok {
		return ChangeTo(name), true
	}
	return Change{}, false
}

// ChangesNamed are those of the names that ChangeNamed finds.
func ChangesNamed(names ...string) Changes {
	return func(*Scenario) (list []Change) {
		for _, name := range names {
			if c, ok := ChangeNamed(name); ok {
				list = append(list, c)
			}
		}
		return list
	}
}

// Study is a parameter study: the upgrade with each combination of the values that its keys are to have.
type Study struct {
	// Seeds is with how many seeds each combination is run.
	Seeds int
	// Keys are those that vary, as the file has them.
	Keys     []string
	Variants []StudyVariant
}

// StudyVariant is one combination.
type StudyVariant struct {
	// Values are those of Study.Keys, as the file has them; a list or mapping is "#" and its place in the list of values.
	Values []string
	Variant
}

// Bounds of a study.
const (
	// DefaultStudySeeds is with how many seeds a combination is run where the file does not say it.
	DefaultStudySeeds = 20
	// MaxStudySeeds and MaxCombinations are the most of each.
	MaxStudySeeds   = 10_000
	MaxCombinations = 1000
)
