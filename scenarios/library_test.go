package scenarios_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
	"upsim/reports"
	"upsim/scenarios"
	"upsim/sim"
)

var update = flag.Bool("update", false, "rewrite the golden reports; read the difference before you commit it")

const goldenDir = "testdata/golden"

// each runs the function for every upgrade of every scenario of the library.
func each(t *testing.T, do func(t *testing.T, sc *model.Scenario, up model.NamedUpgrade)) {
	t.Helper()
	for _, e := range scenarios.Library() {
		t.Run(e.Name, func(t *testing.T) {
			for _, sc := range load(t, e) {
				for _, up := range sc.Upgrades() {
					do(t, sc, up)
				}
			}
		})
	}
}

func load(t *testing.T, e scenarios.Entry) []*model.Scenario {
	t.Helper()
	found, err := e.Load()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func run(t *testing.T, sc *model.Scenario, up model.NamedUpgrade, o sim.Options) *sim.Result {
	t.Helper()
	w, err := sim.Compile(sc, up)
	if err != nil {
		t.Fatal(err)
	}
	return w.Run(o)
}

// With another seed a template of the scenario gives what the scenario does.
func TestSeedsOfATemplate(t *testing.T) {
	each(t, func(t *testing.T, sc *model.Scenario, up model.NamedUpgrade) {
		template, err := sim.Prepare(sc, up)
		if err != nil {
			t.Fatal(err)
		}
		for seed := sc.Seed; seed < sc.Seed+3; seed++ {
			alone := *sc
			alone.Seed = seed
			w, err := template.World(seed)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(asJSON(t, run(t, &alone, up, sim.Options{})), asJSON(t, w.RunLast(sim.Options{}))); diff != "" {
				t.Errorf("%s, %s, seed %d: %s", sc.Name, up.Name, seed, diff)
			}
		}
	})
}

func asJSON(t *testing.T, r *sim.Result) string {
	t.Helper()
	var buf bytes.Buffer
	if err := reports.JSON(&buf, r); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// The report of each scenario, word by word.
func TestGoldenReports(t *testing.T) {
	known := map[string]bool{}
	for _, e := range scenarios.Library() {
		known[e.Name+".txt"] = true
		t.Run(e.Name, func(t *testing.T) {
			var got bytes.Buffer
			for _, sc := range load(t, e) {
				for _, up := range sc.Upgrades() {
					if got.Len() > 0 {
						got.WriteByte('\n')
					}
					if err := reports.Table(&got, sc, run(t, sc, up, sim.Options{}), reports.TableOptions{Width: 100}); err != nil {
						t.Fatal(err)
					}
				}
			}
			path := filepath.Join(goldenDir, e.Name+".txt")
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s differs (-want +got); -update rewrites it:\n%s", path, diff)
			}
		})
	}
	files, err := os.ReadDir(goldenDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[f.Name()] {
			t.Errorf("%s belongs to no scenario", filepath.Join(goldenDir, f.Name()))
		}
	}
}

// Each scenario says beforehand what a run must find, and a run finds it: of several strategies the gravest.
func TestVerdicts(t *testing.T) {
	verdictsHold(t, sim.Options{})
}

func verdictsHold(t *testing.T, o sim.Options) {
	t.Helper()
	for _, e := range scenarios.Library() {
		t.Run(e.Name, func(t *testing.T) {
			for _, sc := range load(t, e) {
				var gravest *sim.Result
				for _, up := range sc.Upgrades() {
					if r := run(t, sc, up, o); gravest == nil || graver(r.Verdict, gravest.Verdict) {
						gravest = r
					}
				}
				if want := sc.Labels[scenarios.LabelVerdict]; string(gravest.Verdict) != want {
					t.Errorf("%s, %s, seed %d: the verdict is %s, the label %s says %s; reasons:\n%s",
						sc.Name, gravest.Strategy, gravest.Seed, gravest.Verdict, scenarios.LabelVerdict, want, reasons(gravest))
				}
			}
		})
	}
}

func graver(a, b sim.Verdict) bool {
	order := []sim.Verdict{sim.Aborted, sim.Stuck, sim.Violated, sim.Safe}
	return slices.Index(order, a) < slices.Index(order, b)
}

func reasons(r *sim.Result) string {
	var b strings.Builder
	for _, f := range r.Reasons {
		fmt.Fprintf(&b, "  %s %s %s: %s\n", f.Severity, f.Code, f.Subject, f.Message)
	}
	return b.String()
}

// Everything that is kept up to date step by step agrees at every tick with
// what is counted anew (the audit panics where not), and the audit changes nothing.
func TestAuditAgrees(t *testing.T) {
	each(t, func(t *testing.T, sc *model.Scenario, up model.NamedUpgrade) {
		plain := asJSON(t, run(t, sc, up, sim.Options{}))
		if diff := cmp.Diff(plain, asJSON(t, run(t, sc, up, sim.Options{Audit: true}))); diff != "" {
			t.Errorf("%s, %s: the result with audit differs (-without +with):\n%s", sc.Name, up.Name, diff)
		}
	})
}

// Equal runs are equal bytes: from a world that has run before, and from the file read anew.
func TestTheSameBytesTwice(t *testing.T) {
	for _, e := range scenarios.Library() {
		t.Run(e.Name, func(t *testing.T) {
			again := load(t, e)
			for i, sc := range load(t, e) {
				for j, up := range sc.Upgrades() {
					w, err := sim.Compile(sc, up)
					if err != nil {
						t.Fatal(err)
					}
					first := asJSON(t, w.Run(sim.Options{}))
					if diff := cmp.Diff(first, asJSON(t, w.Run(sim.Options{}))); diff != "" {
						t.Errorf("%s, %s: the second run of one world differs (-first +second):\n%s", sc.Name, up.Name, diff)
					}
					anew := run(t, again[i], again[i].Upgrades()[j], sim.Options{})
					if diff := cmp.Diff(first, asJSON(t, anew)); diff != "" {
						t.Errorf("%s, %s: a run of the file read anew differs (-first +second):\n%s", sc.Name, up.Name, diff)
					}
				}
			}
		})
	}
}

// The verdict of a scenario in the library is not an accident of its seed.
func TestVerdictsHoldForOtherSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs")
	}
	for seed := uint64(2); seed <= 6; seed++ {
		verdictsHold(t, sim.Options{Seed: seed})
	}
}

func TestLibraryIsInOrder(t *testing.T) {
	list := scenarios.Library()
	if len(list) == 0 || list[0].Name != "default" {
		t.Fatal("the default scenario does not come first")
	}
	if !slices.IsSortedFunc(list[1:], func(a, b scenarios.Entry) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the others are not in the order of their names")
	}
	verdicts := []string{"safe", "violated", "stuck", "aborted"}
	names, lessons := map[string]string{}, map[string]string{}
	for _, e := range list {
		docs := load(t, e)
		for _, sc := range docs {
			if sc.Name != e.Name && (len(docs) == 1 || !strings.HasPrefix(sc.Name, e.Name+"-")) {
				t.Errorf("%s.yaml: the scenario's name is %s", e.Name, sc.Name)
			}
			if other, ok := names[sc.Name]; ok {
				t.Errorf("%s.yaml: %s.yaml has a scenario %s too", e.Name, other, sc.Name)
			}
			names[sc.Name] = e.Name
			if v := sc.Labels[scenarios.LabelVerdict]; !slices.Contains(verdicts, v) {
				t.Errorf("%s: the label %s is %q, want one of %s", sc.Name, scenarios.LabelVerdict, v, strings.Join(verdicts, ", "))
			}
			d := sc.Description
			if d == "" || strings.ContainsAny(d, "\n") || len(d) > 160 || !strings.HasSuffix(d, ".") {
				t.Errorf("%s: the description must be one sentence on one line of at most 160 characters, not %q", sc.Name, d)
			}
			if other, ok := lessons[d]; ok {
				t.Errorf("%s and %s have the same description", sc.Name, other)
			}
			lessons[d] = sc.Name
		}
		if e.Teaches != docs[0].Description {
			t.Errorf("%s teaches %q, its description is %q", e.Name, e.Teaches, docs[0].Description)
		}
		if !bytes.HasPrefix(e.Data, []byte("# ")) {
			t.Errorf("%s.yaml does not begin with its story, in comments", e.Name)
		}
		for i, line := range strings.Split(string(e.Data), "\n") {
			if len([]rune(line)) > 120 {
				t.Errorf("%s.yaml:%d: the line is longer than 120 characters", e.Name, i+1)
			}
		}
		if found, ok := scenarios.Find(e.Name); !ok || found.Name != e.Name {
			t.Errorf("Find(%q) gives %q, %t", e.Name, found.Name, ok)
		}
	}
	if _, ok := scenarios.Find("none-such"); ok {
		t.Error("Find gives a scenario that does not exist")
	}
	if got := scenarios.Default().Name; got != "default" {
		t.Errorf("the default scenario is %s", got)
	}
}

// What a caller does with a scenario that it got must not be seen by the next.
func TestEntriesDoNotShare(t *testing.T) {
	scenarios.Default().Seed = 99
	scenarios.Library()[0].Name = "mine"
	if scenarios.Default().Seed == 99 || scenarios.Library()[0].Name == "mine" {
		t.Error("a change to what was returned is seen by the next caller")
	}
}
