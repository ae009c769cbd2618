package invariant

import "math/bits"

// Facts are what the rules of a class look at.
type Facts interface {
	// Class is the class of the subject.
	Class() Class
	// Broken has a bit for each rule that the facts break.
	Broken() uint16
	// Figures are the numbers behind a broken rule: how it stands, and what
	// should be. Both are 0 for a rule without numbers.
	Figures(rule int) (value, limit int32)
}

// Observe records what the facts about a subject break at the end of tick t,
// and with what numbers.
func Observe[F Facts](l *Log, t int64, id int32, f F) {
	c := f.Class()
	mask := f.Broken() &^ l.Quiet[c]
	l.Set(t, c, id, mask)
	for ; mask != 0; mask &= mask - 1 {
		rule := bits.TrailingZeros16(mask)
		value, limit := f.Figures(rule)
		l.SetDetail(c, id, rule, value, limit)
	}
}
