package model

import (
	"slices"
	"time"
)

// Weekday counts the days of the week from Monday, which is 0.
type Weekday int

// weekdays are the days as scenarios write them.
var weekdays = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// String is the day's short name.
func (d Weekday) String() string { return weekdays[d] }

// MaintenanceWindow is a time on some days of every week, in UTC. Daylight saving is not modelled.
type MaintenanceWindow struct {
	Days []Weekday
	// Open and Close are minutes of the day, Close from 1 to 1440. A window that closes when it opens, or earlier, does so on the next day.
	Open, Close int
}

// WhenClosed says what an upgrade does when its window closes.
type WhenClosed string

// The two ways.
const (
	// ClosedPause begins no node and no control-plane instance outside a window. What is under way ends, and soaks go on
	// (GKE surge, Kured, system-upgrade-controller).
	ClosedPause WhenClosed = "pause"
	// ClosedFinish runs to the end once it has begun (GKE blue-green, OpenShift).
	ClosedFinish WhenClosed = "finish"
)

const (
	minutesPerDay  = 24 * 60
	minutesPerWeek = 7 * minutesPerDay
	minute         = int64(time.Minute / time.Microsecond)
	week           = minutesPerWeek * minute
)

// Calendar says when windows are open, in microseconds since the upgrade was started. It knows weeks, and no dates.
type Calendar struct {
	// start is when that was, since Monday 0:00.
	start int64
	// open are the times of a week in which a window is open, in order and apart from each other; none means always.
	open []weekSpan
}

// weekSpan is from a time of the week until another, which is not in it.
type weekSpan struct{ from, to int64 }

// Calendar is when the upgrade's windows are open.
func (u *Upgrade) Calendar() Calendar {
	c := Calendar{start: int64(u.Start) * minute}
	for _, w := range u.Windows {
		for _, day := range w.Days {
			from, to := int(day)*minutesPerDay+w.Open, int(day)*minutesPerDay+w.Close
			if w.Close <= w.Open {
				to += minutesPerDay
			}
			if to > minutesPerWeek { // from Sunday into Monday
				c.open = append(c.open, weekSpan{0, int64(to-minutesPerWeek) * minute})
				to = minutesPerWeek
			}
			c.open = append(c.open, weekSpan{int64(from) * minute, int64(to) * minute})
		}
	}
	slices.SortFunc(c.open, func(a, b weekSpan) int { return int(a.from/minute - b.from/minute) })
	apart := c.open[:0]
	for _, s := range c.open {
		if last := len(apart) - 1; last >= 0 && s.from <= apart[last].to {
			apart[last].to = max(apart[last].to, s.to)
			continue
		}
		apart = append(apart, s)
	}
	c.open = apart
	return c
}

// NextOpen is the first time from t on at which a window is open: t itself where one is.
func (c Calendar) NextOpen(t int64) int64 {
	if len(c.open) == 0 {
		return t
	}
	at := (c.start + t) % week
	for _, s := range c.open {
		if at < s.to {
			return t + max(0, s.from-at)
		}
	}
	return t + week - at + c.open[0].from
}
