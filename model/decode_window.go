package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// windowFields are the keys of an upgrade that say when it may run.
func (d *decoder) windowFields(u *Upgrade) []field {
	return []field{
		may("maintenanceWindows", d.windows(&u.Windows)),
		may("start", d.weekTime(&u.Start)),
		may("whenClosed", oneOf(d, &u.WhenClosed, ClosedPause, ClosedFinish)),
	}
}

// windows reads windows, at least one.
func (d *decoder) windows(p *[]MaintenanceWindow) func(*node) {
	return func(n *node) {
		*p = nil
		if n.kind == sequenceNode && len(n.items) == 0 {
			d.fault(n, "must have at least one window; remove the key to upgrade at any time")
		}
		d.list(func(item *node) {
			w := MaintenanceWindow{Days: []Weekday{0, 1, 2, 3, 4, 5, 6}}
			if d.object(item,
				may("days", d.days(&w.Days)),
				must("open", d.timeOfDay(&w.Open, false)),
				must("close", d.timeOfDay(&w.Close, true)),
			) {
				*p = append(*p, w)
			}
		})(n)
	}
}

// days reads days of the week, each once.
func (d *decoder) days(p *[]Weekday) func(*node) {
	return func(n *node) {
		*p = nil
		if n.kind == sequenceNode && len(n.items) == 0 {
			d.fault(n, "is empty, so that the window would never open; remove the key for every day")
		}
		d.list(func(item *node) {
			var day Weekday
			if !d.weekday(&day, item, item.value) {
				return
			}
			if slices.Contains(*p, day) {
				d.fault(item, "%s is listed twice", day)
				return
			}
			*p = append(*p, day)
		})(n)
	}
}

// weekday reads the short name of a day, which is the word, or a part of the value.
func (d *decoder) weekday(p *Weekday, n *node, word string) bool {
	if n.kind != scalarNode {
		d.fault(n, "must be a day of the week, not %s", n.describe())
		return false
	}
	i := slices.Index(weekdays, word)
	if i < 0 {
		hint := ""
		for k, day := range weekdays {
			if len(word) >= 3 && strings.EqualFold(word[:3], day) {
				hint = "; write " + weekdays[k]
			}
		}
		d.fault(n, "must be %s, not %s%s", alternatives(weekdays), quote(word), hint)
		return false
	}
	*p = Weekday(i)
	return true
}

var timeOfDayForm = regexp.MustCompile(`^([0-9]{1,2}):([0-9]{2})$`)

// timeOfDay reads hours and minutes; the end of a day may be 24:00, and 0:00 is that as well.
func (d *decoder) timeOfDay(p *int, end bool) func(*node) {
	return func(n *node) {
		if minutes, ok := d.minutesOf(n, n.value, end); ok {
			if *p = minutes; end && minutes == 0 {
				*p = minutesPerDay
			}
		}
	}
}

func (d *decoder) minutesOf(n *node, text string, end bool) (int, bool) {
	m := timeOfDayForm.FindStringSubmatch(text)
	if n.kind != scalarNode || m == nil {
		d.fault(n, "must be a time of day such as \"22:00\", not %s", n.describe())
		return 0, false
	}
	hours, _ := strconv.Atoi(m[1])
	minutes, _ := strconv.Atoi(m[2])
	if minutes > 59 || hours > 24 || hours == 24 && (minutes > 0 || !end) {
		d.fault(n, "%s is no time of day; it goes from 00:00 to 23:59", quote(text))
		return 0, false
	}
	return 60*hours + minutes, true
}

// weekTime reads a day of the week and a time: Fri 18:00.
func (d *decoder) weekTime(p *int) func(*node) {
	return func(n *node) {
		day, at, both := strings.Cut(n.value, " ")
		if n.kind != scalarNode || !both {
			d.fault(n, "must be a day and a time such as \"Fri 18:00\", not %s", n.describe())
			return
		}
		var weekday Weekday
		if !d.weekday(&weekday, n, day) {
			return
		}
		if minutes, ok := d.minutesOf(n, at, false); ok {
			*p = int(weekday)*minutesPerDay + minutes
		}
	}
}

// windowsOf completes what was read of the windows, and finds keys that mean nothing without them.
func (d *decoder) windowsOf(n *node, u *Upgrade) {
	if n.get("maintenanceWindows") == nil {
		for _, key := range []string{"start", "whenClosed"} {
			if v := n.get(key); v != nil {
				d.fault(v, "means nothing without maintenanceWindows")
			}
		}
		return
	}
	if u.WhenClosed == "" {
		u.WhenClosed = ClosedPause
	}
	if n.get("start") == nil && len(u.Windows) > 0 && len(u.Windows[0].Days) > 0 {
		u.Start = int(u.Windows[0].Days[0])*minutesPerDay + u.Windows[0].Open
	}
}
