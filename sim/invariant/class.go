// Package invariant holds the conditions that must hold at every tick of a
// simulated upgrade, and the log of the intervals in which one did not.
//
// The conditions come as rules, a short list for each class of subject, so the
// state of a subject is a word with one bit for each rule that it breaks. A
// small type for each class (Workload, Node, Budget, Component, ControlPlane)
// has the facts and says which rules they break; Log turns these words, tick by
// tick, into maximal intervals.
package invariant

import "upsim/model"

// Class is a class of subjects; within one, a subject is a number from 0 on.
type Class uint8

// The classes.
const (
	Workloads Class = iota
	Nodes
	Budgets
	// Components are single processes: an API server, a scheduler, the kubectl in use.
	Components
	// ControlPlanes has one subject, number 0.
	ControlPlanes
	// Classes is the number of classes.
	Classes
)

// MaxRules is how many rules a class can have: the bits of a mask.
const MaxRules = 16

// Rule is one condition that must hold.
type Rule struct {
	// Name says what must hold, in a word or two; rules on the same matter share it.
	Name string
	// Code says how it is broken.
	Code model.Code
	// Worse says which of two values is worse.
	Worse Worse
	say   func(subject string, d Detail) string
}

// Worse is an order on the values that a broken rule takes.
type Worse uint8

// The orders: the lower, the higher, or that which is farther from zero is worse.
const (
	Lower Worse = iota
	Higher
	Farther
)

// than reports whether a is worse than b.
func (w Worse) than(a, b int32) bool {
	switch w {
	case Higher:
		return a > b
	case Farther:
		return max(a, -a) > max(b, -b)
	}
	return a < b
}

// OfCourse are, as bits by class, the rules whose breach is a matter of course: their code is of severity info.
func OfCourse() (quiet [Classes]uint16) {
	for c := range Classes {
		for i, rule := range Rules(c) {
			info, _ := rule.Code.Info()
			quiet[c] |= bit(i, info.Severity == model.SeverityInfo)
		}
	}
	return quiet
}

// Rules are the rules of a class; bit i of a mask stands for the i-th.
func Rules(c Class) []Rule {
	switch c {
	case Workloads:
		return workloadRules[:]
	case Nodes:
		return nodeRules[:]
	case Budgets:
		return budgetRules[:]
	case Components:
		return componentRules[:]
	case ControlPlanes:
		return controlPlaneRules[:]
	}
	return nil
}

// bit sets a rule's bit if it is broken.
func bit(rule int, broken bool) uint16 {
	if broken {
		return 1 << rule
	}
	return 0
}
