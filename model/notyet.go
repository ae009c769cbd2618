package model

import "slices"

// notYet lists the words of the format that cannot be simulated yet, by where
// they stand. They are refused with "not supported yet", so that no one takes
// a result for what they asked; a capability that arrives removes its row.
var notYet = map[string][]string{
	// Keys, whatever their value.
	"key": {
		"matchLabelKeys", "mismatchLabelKeys", "namespaceSelector", "matchFields",
	},
}

// isNotYet reports whether the word at that place belongs to a later version of upsim.
func isNotYet(place, word string) bool { return slices.Contains(notYet[place], word) }
