package invariant

import (
	"fmt"

	"upsim/model"
)

// Message is a sentence on what is wrong with a subject, with its numbers. For
// a code that is no rule's it is the code's meaning.
func Message(code model.Code, subject string, d Detail) string {
	for c := range Classes {
		for _, r := range Rules(c) {
			if r.Code == code {
				return r.say(subject, d)
			}
		}
	}
	info, _ := code.Info()
	return subject + ": " + info.Meaning
}

// count writes a number with what it counts.
func count(n int32, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// fell tells of a value that went on falling after the interval opened.
func fell(d Detail) string {
	if d.Worst < d.At {
		return fmt.Sprintf(", later %d", d.Worst)
	}
	return ""
}

// rose tells of a value that went on rising after the interval opened.
func rose(d Detail) string {
	if d.Worst > d.At {
		return fmt.Sprintf(", later %d", d.Worst)
	}
	return ""
}

// apart says that what, whose minor is Limit + At, is too far from that of
// another, which is Limit.
func apart(what, newer, older string) func(subject string, d Detail) string {
	return func(subject string, d Detail) string {
		off, word, other, later := d.At, "newer", newer, d.Worst
		if off < 0 {
			off, word, other, later = -off, "older", older, -d.Worst
		}
		s := fmt.Sprintf("%s%s is at 1.%d, %s %s than %s at 1.%d", subject, what, d.Limit+d.At, count(off, "minor", "minors"), word, other, d.Limit)
		if later > off {
			s += fmt.Sprintf(", later %d", later)
		}
		return s
	}
}

const (
	theOldest = "the oldest API server"
	theNewest = "the newest API server"
)
