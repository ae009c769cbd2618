package invariant

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// DefaultMaxIntervals is how many intervals a log keeps for each rule of a class.
const DefaultMaxIntervals = 10_000

// Sizes are the numbers of subjects of each class that a log starts with.
type Sizes [Classes]int

// Log turns the rules that are broken at the end of each tick into intervals.
type Log struct {
	// MaxIntervals bounds the intervals kept for each rule of a class; what
	// comes after only counts in Dropped. Set it before the first Set.
	MaxIntervals int
	// Quiet are rules, as bits by class, that Observe leaves out, since nobody will read them.
	Quiet [Classes]uint16

	subjects  [Classes][]subject
	intervals []Interval
	kept      [Classes][MaxRules]int
	dropped   [Classes][MaxRules]int
}

type subject struct {
	changed int64 // the tick of the last change
	open    int32 // the first of its open intervals, or none
	mask    uint16
}

const none = -1

// NewLog makes a log in which no rule is broken. More subjects than it starts
// with may come later.
func NewLog(sizes Sizes) *Log {
	l := &Log{MaxIntervals: DefaultMaxIntervals}
	for c := range sizes {
		l.reach(Class(c), sizes[c])
	}
	return l
}

// reach makes room for subjects numbered below n.
func (l *Log) reach(c Class, n int) {
	l.subjects[c] = slices.Grow(l.subjects[c], max(0, n-len(l.subjects[c])))
	for len(l.subjects[c]) < n {
		l.subjects[c] = append(l.subjects[c], subject{changed: math.MinInt64, open: none})
	}
}

// Mask is the rules that a subject breaks, as last set.
func (l *Log) Mask(c Class, id int32) uint16 {
	if int(id) >= len(l.subjects[c]) {
		return 0
	}
	return l.subjects[c][id].mask
}

// Set says which rules a subject breaks at the end of tick t. A subject that
// was never set breaks none. Setting a change at the tick of the change before,
// or earlier, panics: masks are set at the end of a tick, so an interval has a
// length, and two of the same rule do not touch.
func (l *Log) Set(t int64, c Class, id int32, mask uint16) {
	if s := l.subjects[c]; int(id) < len(s) && s[id].mask == mask {
		return
	}
	l.change(t, c, id, mask)
}

func (l *Log) change(t int64, c Class, id int32, mask uint16) {
	if rules := len(Rules(c)); mask>>rules != 0 {
		panic(fmt.Sprintf("invariant: mask %#x has bits beyond the %d rules of class %d", mask, rules, c))
	}
	l.reach(c, int(id)+1)
	s := &l.subjects[c][id]
	if s.mask == mask {
		return
	}
	if t <= s.changed {
		panic(fmt.Sprintf("invariant: subject %d of class %d changes at %d, after its change at %d", id, c, t, s.changed))
	}
	l.end(t, s, s.mask&^mask)
	for begun := mask &^ s.mask; begun != 0; begun &= begun - 1 {
		l.begin(t, s, c, id, uint8(bits.TrailingZeros16(begun)))
	}
	s.mask, s.changed = mask, t
}

// end closes the intervals of a subject whose rules hold again.
func (l *Log) end(t int64, s *subject, ended uint16) {
	at := &s.open
	for *at != none {
		i := &l.intervals[*at]
		if ended>>i.rule&1 == 0 {
			at = &i.next
			continue
		}
		i.End = t
		*at, i.next = i.next, none
	}
}

func (l *Log) begin(t int64, s *subject, c Class, id int32, rule uint8) {
	if l.kept[c][rule] >= l.MaxIntervals {
		l.dropped[c][rule]++
		return
	}
	l.kept[c][rule]++
	l.intervals = append(l.intervals, Interval{Start: t, End: Open, ID: id, Class: c, rule: rule, next: s.open})
	s.open = int32(len(l.intervals) - 1)
}

// SetDetail gives the numbers of a rule that a subject breaks now: the first
// call after the interval opened sets Detail.At and Detail.Limit, each one may
// make Detail.Worst worse. It does nothing where the rule holds.
func (l *Log) SetDetail(c Class, id int32, rule int, value, limit int32) {
	if int(id) >= len(l.subjects[c]) {
		return
	}
	for k := l.subjects[c][id].open; k != none; k = l.intervals[k].next {
		i := &l.intervals[k]
		if int(i.rule) != rule {
			continue
		}
		if !i.told {
			i.told = true
			i.Detail = Detail{At: value, Worst: value, Limit: limit}
		} else if Rules(c)[rule].Worse.than(value, i.Detail.Worst) {
			i.Detail.Worst = value
		}
		return
	}
}

// Intervals are the intervals kept, by start, class, subject and rule. Those
// that have not ended end at Open.
func (l *Log) Intervals() []Interval {
	list := slices.Clone(l.intervals)
	slices.SortFunc(list, compare)
	return list
}

// Dropped is how many intervals of a rule were not kept.
func (l *Log) Dropped(c Class, rule int) int { return l.dropped[c][rule] }
