package model

import (
	"testing"

	"pgregory.net/rapid"
)

// slowOpen says whether a window is open in a minute of the week, from what each window says of the day and the day before.
func slowOpen(windows []MaintenanceWindow, at int) bool {
	day, of := Weekday(at/minutesPerDay), at%minutesPerDay
	for _, w := range windows {
		for _, d := range w.Days {
			overnight := w.Close <= w.Open
			switch {
			case d == day && of >= w.Open && (overnight || of < w.Close):
				return true
			case (d+1)%7 == day && overnight && of < w.Close:
				return true
			}
		}
	}
	return false
}

// The next opening is what a search minute by minute finds, whatever the windows.
func TestNextOpen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var u Upgrade
		u.Start = rapid.IntRange(0, minutesPerWeek-1).Draw(rt, "start")
		for range rapid.IntRange(1, 4).Draw(rt, "windows") {
			w := MaintenanceWindow{Open: rapid.IntRange(0, minutesPerDay-1).Draw(rt, "open"), Close: rapid.IntRange(1, minutesPerDay).Draw(rt, "close")}
			for d := range Weekday(7) {
				if rapid.IntRange(1, 3).Draw(rt, "day") == 1 {
					w.Days = append(w.Days, d)
				}
			}
			if len(w.Days) == 0 {
				w.Days = []Weekday{6}
			}
			u.Windows = append(u.Windows, w)
		}
		c := u.Calendar()
		at := rapid.Int64Range(0, 3*week).Draw(rt, "t")
		minuteOf := func(t int64) int { return int((int64(u.Start)*minute + t) / minute % minutesPerWeek) }
		want := at
		for !slowOpen(u.Windows, minuteOf(want)) {
			want += minute - want%minute
		}
		if got := c.NextOpen(at); got != want {
			rt.Fatalf("from %d on a window of %+v is open at %d, not at %d (start %d)", at, u.Windows, want, got, u.Start)
		}
	})
}

func TestNextOpenByHand(t *testing.T) {
	weekend := []MaintenanceWindow{{Days: []Weekday{5, 6}, Open: 22 * 60, Close: 4 * 60}}
	hours := func(h float64) int64 { return int64(h * 60 * float64(minute)) }
	for _, tc := range []struct {
		name    string
		windows []MaintenanceWindow
		start   int
		t, want int64
	}{
		{"no windows", nil, 0, 5, 5},
		{"in the window", weekend, 5*minutesPerDay + 22*60, hours(1), hours(1)},
		{"at its close", weekend, 5*minutesPerDay + 22*60, hours(6), hours(24)},
		{"a microsecond before", weekend, 5*minutesPerDay + 22*60, hours(6) - 1, hours(6) - 1},
		{"Sunday's reaches into Monday", weekend, 5*minutesPerDay + 22*60, hours(29), hours(29)},
		{"then a week on", weekend, 5*minutesPerDay + 22*60, hours(30), hours(7 * 24)},
		{"from Friday evening", weekend, 4*minutesPerDay + 18*60, 0, hours(28)},
		{"whole days", []MaintenanceWindow{{Days: []Weekday{0}, Open: 0, Close: minutesPerDay}}, 0, hours(24), hours(7 * 24)},
		{"always", []MaintenanceWindow{{Days: []Weekday{0, 1, 2, 3, 4, 5, 6}, Open: 60, Close: 60}}, 30, hours(100), hours(100)},
	} {
		u := Upgrade{Windows: tc.windows, Start: tc.start}
		if got := u.Calendar().NextOpen(tc.t); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

// What a window does not say: every day; the upgrade is started when the first window opens, and pauses when it closes.
func TestWindowDefaults(t *testing.T) {
	decode := func(keys string) Upgrade {
		return decodeOne(t, inScenario("upgrade: {to: v1.34.2, "+keys+"}\n"), nil).Upgrade
	}
	u := decode("maintenanceWindows: [{days: [Sat, Tue], open: 22:30, close: 0:00}, {open: 1:00, close: 2:00}]")
	if u.Start != 5*24*60+22*60+30 || u.WhenClosed != ClosedPause || u.Windows[0].Close != 24*60 || len(u.Windows[1].Days) != 7 {
		t.Errorf("%+v", u)
	}
	// An entry of strategies keeps the windows, and may be started at another time.
	sc := decodeOne(t, inScenario("upgrade: {to: v1.34.2, maintenanceWindows: [{open: 1:00, close: 2:00}], start: Mon 00:30}\nstrategies: [{name: a, start: Tue 01:00}, {name: b, whenClosed: finish}]\n"), nil)
	a, b := sc.Strategies[0].Upgrade, sc.Strategies[1].Upgrade
	if a.Start != 24*60+60 || b.Start != 30 || b.WhenClosed != ClosedFinish || len(a.Windows) != 1 {
		t.Errorf("%+v\n%+v", a, b)
	}
}
