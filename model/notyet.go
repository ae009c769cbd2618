package model

// notYet lists the keys of the format that cannot be simulated yet, whatever their
// value. They are refused with "not supported yet", so that no one takes
// a result for what they asked; a capability that arrives removes its word.
var notYet = []string{"matchLabelKeys", "mismatchLabelKeys", "namespaceSelector", "matchFields"}
