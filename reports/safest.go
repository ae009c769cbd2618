package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// whichAreSafe says which results are safe, and, where all are of one scenario,
// which of those that reach all nodes are the fastest and which have the fewest
// warnings: anything else would hold unlike things against each other. Which of
// them to choose is the reader's to say.
func (p *page) whichAreSafe(list []Line) string {
	scenarios := severalScenarios(list)
	name := func(l Line) string {
		if scenarios {
			return l.Scenario + " (" + l.Strategy + ")"
		}
		return l.Strategy
	}
	var safe []Line
	for i := range list {
		if list[i].isSafe() {
			safe = append(safe, list[i])
		}
	}
	switch {
	case len(safe) == 0:
		return fmt.Sprintf("None of the %d is safe.", len(list))
	case len(safe) == 1:
		return fmt.Sprintf("Only %s is safe: in %s, with %s.", name(safe[0]), human(safe[0].Makespan), count(safe[0].Warnings, "warning"))
	}
	text := fmt.Sprintf("All %d are safe.", len(list))
	if len(safe) < len(list) {
		text = fmt.Sprintf("%d of %d are safe: %s.", len(safe), len(list), names(p, safe, name))
	}
	if scenarios {
		return text
	}
	whole := slices.DeleteFunc(slices.Clone(safe), func(l Line) bool { return l.Partial })
	if some := len(safe) - len(whole); some > 0 {
		partial := slices.DeleteFunc(slices.Clone(safe), func(l Line) bool { return !l.Partial })
		verb := map[bool]string{true: "leaves", false: "leave"}[some == 1]
		text += fmt.Sprintf(" %s %s nodes behind.", names(p, partial, name), verb)
	}
	if len(whole) < 2 {
		return text
	}
	these := "these"
	if len(whole) < len(safe) {
		these = "the others"
	}
	fastest := least(whole, func(l Line) float64 { return float64(l.Makespan) })
	fewest := least(whole, func(l Line) float64 { return float64(l.Warnings) })
	took, warnings := human(fastest[0].Makespan), count(fewest[0].Warnings, "warning")
	switch {
	case len(fastest) == len(whole):
		text += fmt.Sprintf(" Each of %s takes %s", these, took)
	case len(fastest) == 1:
		text += fmt.Sprintf(" The fastest of %s is %s, in %s", these, names(p, fastest, name), took)
	default:
		text += fmt.Sprintf(" The fastest of %s are %s, in %s each", these, names(p, fastest, name), took)
	}
	switch {
	case len(fewest) == len(whole):
		return text + fmt.Sprintf("; each has %s.", warnings)
	case len(fewest) == 1:
		return text + fmt.Sprintf("; %s has the fewest warnings, %d.", names(p, fewest, name), fewest[0].Warnings)
	}
	return text + fmt.Sprintf("; %s have the fewest warnings, %d each.", names(p, fewest, name), fewest[0].Warnings)
}

// least are the results that have the least of something.
func least(list []Line, of func(Line) float64) []Line {
	best := of(slices.MinFunc(list, func(a, b Line) int { return cmp.Compare(of(a), of(b)) }))
	return slices.DeleteFunc(slices.Clone(list), func(l Line) bool { return of(l) != best })
}

// names joins names as a sentence does, the first few of many.
func names[T any](p *page, list []T, name func(T) string) string {
	shown := p.limit(len(list), mostAlike)
	words := make([]string, 0, shown+1)
	for _, l := range list[:shown] {
		words = append(words, name(l))
	}
	if hidden := len(list) - shown; hidden > 0 {
		words = append(words, fmt.Sprintf("%d more", hidden))
	}
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
