package reports

import (
	"math"
	"strings"
	"testing"

	"upsim/sim"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain name":       "plain name",
		"\x1b[31mred":      `\x1b[31mred`,
		"a\nb\tc\rd":       `a\nb\tc\rd`,
		"\u202edrow":       `\u202edrow`,
		"\u0085\x7f":       `\x85\x7f`,
		"\xff\xfe":         `\xff\xfe`,
		"\U000e0001":       `\U000e0001`,
		"\u2028":           `\u2028`,
		"Zürich 日本 \ufffd": "Zürich 日本 \ufffd",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestHuman(t *testing.T) {
	for _, c := range []struct {
		in          sim.Seconds
		want, short string
	}{
		{0, "0s", "0s"}, {0.0001, "0s", "0s"}, {0.35, "350ms", "350ms"}, {0.9996, "1s", "1s"}, {4.24, "4.2s", "4.2s"}, {9.96, "10s", "10s"},
		{59.6, "1m", "1m"}, {60, "1m", "1m"}, {61, "1m1s", "1m1s"}, {3599.7, "1h", "1h"}, {3600, "1h", "1h"}, {3605, "1h0m5s", "1h"},
		{4334.5, "1h12m15s", "1h12m"}, {86399.9, "1d", "1d"}, {93784, "1d2h3m", "1d2h3m"}, {-1.5, "-1.5s", "-1.5s"},
		{365_250 * 86400, "365250d", "365250d"},
		{sim.Seconds(math.NaN()), "unknown", "unknown"},
	} {
		if got := human(c.in); got != c.want {
			t.Errorf("human(%v) is %s, want %s", c.in, got, c.want)
		}
		if got := brief(c.in); got != c.short {
			t.Errorf("brief(%v) is %s, want %s", c.in, got, c.short)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 0, []string{"one two three"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 3, []string{"one", "two", "thr", "ee"}},
		{"general-purpose-pool-12", 10, []string{"general-", "purpose-", "pool-12"}},
		{"日本日本日本", 5, []string{"日本", "日本", "日本"}},
		{"日本", 1, []string{"日本"}},
	} {
		got := wrap(c.in, c.width)
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("wrap(%q, %d) is %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestContainsName(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"budget shop/db allows", "shop/db", true}, {"PodDisruptionBudget/shop/db", "shop/db", true}, {"of shop/db.", "shop/db", true},
		{"of shop/db, and", "shop/db", true}, {"budget shop/db02 allows", "shop/db", false}, {"budget my-shop/db", "shop/db", false},
		{"shop/db-2 then shop/db", "shop/db", true}, {"shop/db.example", "shop/db", false}, {"", "shop/db", false},
	} {
		if got := containsName(c.text, c.name); got != c.want {
			t.Errorf("%q in %q: %v", c.name, c.text, got)
		}
	}
}
