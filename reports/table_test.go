package reports

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"upsim/model"
	"upsim/sim"
)

var tableCases = []struct {
	name     string
	result   func() *sim.Result
	scenario func() *model.Scenario
	opts     TableOptions
}{
	{"safe.80.txt", safe, shop, TableOptions{Width: 80}},
	{"safe.piped.txt", safe, nil, TableOptions{}},
	{"safe.colour.txt", safe, shop, TableOptions{Width: 80, Color: true}},
	{"warned.80.txt", warned, shop, TableOptions{Width: 80}},
	{"violated.80.txt", violated, shop, TableOptions{Width: 80}},
	{"violated.120.txt", violated, shop, TableOptions{Width: 120}},
	{"violated.verbose.txt", violated, shop, TableOptions{Width: 120, Verbose: true}},
	{"stuck.80.txt", stuck, shop, TableOptions{Width: 80}},
	{"stuck.colour.120.txt", stuck, shop, TableOptions{Width: 120, Color: true}},
	{"cut-off.80.txt", unfinished, shop, TableOptions{Width: 80}},
	{"aborted-start.80.txt", abortedAtStart, shop, TableOptions{Width: 80}},
	{"aborted-gate.80.txt", abortedByGate, shop, TableOptions{Width: 80}},
	{"empty.80.txt", empty, nil, TableOptions{Width: 80}},
	{"thousand.80.txt", thousand, nil, TableOptions{Width: 80}},
	{"odd.80.txt", odd, nil, TableOptions{Width: 80}},
	{"odd.piped.txt", odd, nil, TableOptions{}},
}

func table(t *testing.T, r *sim.Result, scenario func() *model.Scenario, opts TableOptions) []byte {
	t.Helper()
	var sc *model.Scenario
	if scenario != nil {
		sc = scenario()
	}
	return bytesOf(t, func(b *bytes.Buffer) error { return Table(b, sc, r, opts) })
}

func TestTableGolden(t *testing.T) {
	for _, c := range tableCases {
		t.Run(c.name, func(t *testing.T) { golden(t, c.name, table(t, c.result(), c.scenario, c.opts)) })
	}
}

func TestTableFitsItsWidth(t *testing.T) {
	for _, c := range tableCases {
		for _, width := range []int{80, 100, 120} {
			for line := range strings.Lines(string(table(t, c.result(), c.scenario, TableOptions{Width: width}))) {
				if n := cells(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%s at %d columns: a line of %d: %q", c.name, width, n, line)
				}
			}
		}
	}
}

func TestTableIsPlainText(t *testing.T) {
	for _, c := range tableCases {
		for _, opts := range []TableOptions{{}, {Width: 80, Verbose: true}} {
			out := string(table(t, c.result(), c.scenario, opts))
			for _, r := range out {
				if r != '\n' && !unicode.IsPrint(r) {
					t.Errorf("%s: prints %U", c.name, r)
				}
			}
			if strings.Contains(out, " \n") {
				t.Errorf("%s: blanks at the end of a line", c.name)
			}
		}
	}
}

// Two runs of the same value, in surroundings that tablewriter looks at, are the same bytes.
func TestTableIsDeterministic(t *testing.T) {
	for _, c := range tableCases {
		twwidth.SetEastAsian(false)
		first := table(t, c.result(), c.scenario, c.opts)
		twwidth.SetEastAsian(true)
		second := table(t, c.result(), c.scenario, c.opts)
		if !bytes.Equal(first, second) {
			t.Errorf("%s: two reports of one result differ", c.name)
		}
	}
}

func TestTableLeavesTheResultAlone(t *testing.T) {
	for _, c := range tableCases {
		r := c.result()
		before := fmt.Sprintf("%+v", *r)
		table(t, r, c.scenario, TableOptions{Width: 40, Verbose: true})
		if after := fmt.Sprintf("%+v", *r); before != after {
			t.Errorf("%s: the report changed its result:\n%s\n%s", c.name, before, after)
		}
	}
}

func TestVerboseListsEverything(t *testing.T) {
	r := thousand()
	out := string(table(t, r, nil, TableOptions{Verbose: true}))
	for _, n := range r.Nodes {
		if !strings.Contains(out, "  "+n.Name+" ") {
			t.Errorf("node %s is missing", n.Name)
		}
	}
	for _, w := range r.Workloads {
		if !strings.Contains(out, " "+w.Name+" ") {
			t.Errorf("workload %s is missing", w.Name)
		}
	}
	if strings.Contains(out, "json has them all") {
		t.Error("something is left out")
	}
}

type fullDisk struct{ writes int }

func (f *fullDisk) Write([]byte) (int, error) {
	f.writes++
	return 0, errors.New("no space left on device")
}

func TestWriteErrorsComeBack(t *testing.T) {
	for name, write := range map[string]func(*fullDisk) error{
		"table":    func(f *fullDisk) error { return Table(f, nil, safe(), TableOptions{}) },
		"json":     func(f *fullDisk) error { return JSON(f, safe()) },
		"findings": func(f *fullDisk) error { return Findings(f, Checked{}, FormatTable, TableOptions{}) },
		"library":  func(f *fullDisk) error { return Library(f, nil, FormatJSON, TableOptions{}) },
		"skew":     func(f *fullDisk) error { return SkewTable(f, nil, FormatTable, TableOptions{}) },
	} {
		disk := &fullDisk{}
		if err := write(disk); err == nil || !strings.Contains(err.Error(), "no space") {
			t.Errorf("%s: a full disk gave %v", name, err)
		}
		if disk.writes != 1 {
			t.Errorf("%s: %d writes; a report is written whole", name, disk.writes)
		}
	}
}

// The first line is one line of at most 100 columns, which begins with the verdict and tells how many warnings there are.
func TestFirstLine(t *testing.T) {
	long := strings.Repeat("x", 63)
	for _, tc := range []struct{ qualified, scenario, strategy, want string }{
		{withWarnings(0), "shop", "rolling", "safe: shop, rolling, v1.32.9 -> v1.34.2, in 1h37m"},
		{withWarnings(1), "shop", "rolling", "safe, with 1 warning: shop, rolling, v1.32.9 -> v1.34.2, in 1h37m"},
		{withWarnings(6), "", "", "safe, with 6 warnings: unnamed, -, v1.32.9 -> v1.34.2, in 1h37m"},
		{withWarnings(6), long, "rolling", "safe, with 6 warnings: " + long[:37] + "…, rolling, v1.32.9 -> v1.34.2, in 1h37m"},
		{withWarnings(6), "shop", long, "safe, with 6 warnings: shop, " + long[:40] + "…, v1.32.9 -> v1.34.2, in 1h37m"},
		{withWarnings(6), long, long, "safe, with 6 warnings: " + long[:11] + "…, " + long[:32] + "…, v1.32.9 -> v1.34.2, in 1h37m"},
	} {
		p := newPage(TableOptions{})
		p.firstLine("safe", green, tc.qualified, tc.scenario, tc.strategy, "v1.32.9 -> v1.34.2, in 1h37m")
		got := strings.TrimSuffix(p.buf.String(), "\n")
		if got != tc.want || cells(got) > 100 {
			t.Errorf("%d columns: %s\nwant\n%s", cells(got), got, tc.want)
		}
	}
}
