package invariant

import (
	"cmp"
	"math"

	"upsim/model"
)

// Open is the end of an interval that has not ended.
const Open int64 = math.MaxInt64

// Detail are the numbers of an interval; what they count is the rule's affair.
type Detail struct {
	// At is the value when the interval opened, Worst the worst one since.
	At, Worst int32
	// Limit is what the value should be, or is held against, when the interval opened.
	Limit int32
}

// Interval is a maximal time in which a subject broke a rule: from the end of
// tick Start to the end of tick End, in the unit of the clock.
type Interval struct {
	Start, End int64
	ID         int32
	Detail     Detail
	Class      Class
	rule       uint8
	told       bool  // Detail is set
	next       int32 // of the subject's open intervals, or none
}

// IsOpen reports whether the rule is still broken.
func (i Interval) IsOpen() bool { return i.End == Open }

// RuleIndex is the number of the rule within its class.
func (i Interval) RuleIndex() int { return int(i.rule) }

// Rule is the rule that was broken.
func (i Interval) Rule() Rule { return Rules(i.Class)[i.rule] }

// Code is that of the rule.
func (i Interval) Code() model.Code { return i.Rule().Code }

// Message is a sentence on what is wrong, with its numbers; subject is the name
// of the subject.
func (i Interval) Message(subject string) string { return i.Rule().say(subject, i.Detail) }

// Join makes the interval's numbers tell of a later one of the same rule and subject as well: its worst value, if that is worse.
func (i *Interval) Join(later Interval) {
	if i.Rule().Worse.than(later.Detail.Worst, i.Detail.Worst) {
		i.Detail.Worst = later.Detail.Worst
	}
}

func compare(a, b Interval) int {
	return cmp.Or(
		cmp.Compare(a.Start, b.Start),
		cmp.Compare(a.Class, b.Class),
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.rule, b.rule),
	)
}
