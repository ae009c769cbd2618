package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"upsim/model"
	"upsim/sim/eventq"
)

var update = flag.Bool("update", false, "rewrite the stories under testdata/story; read the diff before you commit it")

// TestStories runs the conversations under testdata/story. A file is a comment
// with the rule and its source, a small cluster, a line of four dashes, and
// the story that the simulator tells back: steps of pods and nodes as
// Options.Story has them, in between each change of a budget's status and of
// the control plane, and at the end the verdict with its figures, phases and reasons.
//
// What a file does not say:
//   - it begins with apiVersion, kind and a name;
//   - assumptions are those of testdata/story/assumptions.yaml, all constant, so
//     that times can be added up by hand;
//   - a comment `# only: evicted, drained` leaves out every other step.
//
// Stories are audited as they are told, and must be the same with the plain event list.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/story/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, want, found := strings.Cut(string(data), "\n----\n")
			if !found && !*update {
				t.Fatalf("%s has no line of four dashes", file)
			}
			if !strings.HasPrefix(text, "# ") || !strings.Contains(text, "\n# Source: ") {
				t.Errorf("%s must begin with the rule and name its source in a line `# Source: …`", file)
			}
			sc := storyScenario(t, file, text)
			var only []string
			for _, line := range strings.Split(text, "\n") {
				if words, ok := strings.CutPrefix(line, "# only: "); ok {
					only = strings.Split(words, ", ")
				}
			}
			got := tellStory(t, sc, only, Options{Audit: true})
			if plain := tellStory(t, sc, only, Options{plainQueue: true}); plain != got {
				t.Errorf("the plain event list tells another story:\n%s", plain)
			}
			if *update {
				if err := os.WriteFile(file, []byte(strings.TrimRight(text, "\n")+"\n----\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("the story has changed (go test -run TestStories -update, then read the diff):\n%s", firstDifference(want, got))
			}
		})
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := "(end)", "(end)"
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i+1, a, b)
		}
	}
	return "nothing differs"
}

// storyScenario reads the scenario of a story, with the round assumptions under its own.
func storyScenario(t testing.TB, file, text string) *model.Scenario {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(file), ".txt")
	doc := "apiVersion: upsim/v1\nkind: Scenario\nmetadata: {name: " + name + "}\n" + withAssumptions(t, text)
	scs, faults := model.Decode(file, []byte(doc), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if len(scs) != 1 {
		t.Fatalf("%d scenarios", len(scs))
	}
	return scs[0]
}

// withAssumptions adds the round assumptions that the text's own do not name.
func withAssumptions(t testing.TB, text string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/story/assumptions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	own := ""
	if i := strings.Index("\n"+text, "\nassumptions:\n"); i >= 0 {
		own = text[i:]
	} else {
		text += "\nassumptions:"
	}
	var add strings.Builder
	add.WriteString("assumptions:")
	for _, line := range strings.Split(string(data), "\n") {
		key, _, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") || strings.Contains(own, "\n  "+key+":") {
			continue
		}
		add.WriteString("\n  " + line)
	}
	return strings.Replace("\n"+text+"\n", "\nassumptions:", "\n"+add.String(), 1)[1:]
}

// tellStory runs the scenario's upgrade and writes down what happens.
func tellStory(t testing.TB, sc *model.Scenario, only []string, o Options) string {
	t.Helper()
	w, err := Compile(sc, sc.Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	o.Story = func(s Step) {
		if len(only) == 0 || slices.Contains(only, s.What) {
			fmt.Fprintln(&b, s)
		}
	}
	o.watchBudgets = true
	r := w.newRun(o)
	watch := watcher{r: r, out: &b, quiet: len(only) > 0}
	watchQueue(r, watch.look)
	r.begin()
	watch.remember()
	r.loop()
	res := r.result()
	fmt.Fprintf(&b, "%s after %.3f s: evictions %d, deletions %d, refused %d, errors %d, pending %d\n", res.Verdict, float64(res.MakespanSeconds),
		res.Evictions, res.Deletions, res.EvictionsRefused, res.EvictionErrors, res.FinalPending)
	if x := res.BlastRadius; x.Pods > 0 {
		fmt.Fprintf(&b, "blast radius: %s of %s\n", plural(x.Pods, "pod", "pods"), plural(x.Workloads, "workload", "workloads"))
	}
	if res.WaitingSeconds > 0 {
		fmt.Fprintf(&b, "of these %.3f s of work and %.3f s of waiting for windows\n", float64(res.WorkingSeconds), float64(res.WaitingSeconds))
	}
	for _, p := range res.Phases {
		fmt.Fprintf(&b, "phase %s: %.3f to %.3f\n", p.Name, float64(p.StartSeconds), float64(p.EndSeconds))
	}
	for _, f := range res.Reasons {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Severity, f.Code, f.Message)
		switch f.Code {
		case model.NoWorkingReplica, model.DrainTimedOut, model.DrainNeverEnds: // whose fix depends on the run
			fmt.Fprintf(&b, "  fix: %s\n", f.Fix)
		}
	}
	return b.String()
}

// watchedQueue looks at the run whenever the engine asks what comes next, which it does between two events.
type watchedQueue struct {
	queue
	look func()
}

// watchQueue has look called between any two events of a run.
func watchQueue(r *run, look func()) {
	q := r.instead
	if q == nil {
		q, r.q = r.q, eventq.New(1)
	}
	r.instead = &watchedQueue{queue: q, look: look}
}

func (q *watchedQueue) Due() bool {
	q.look()
	return q.queue.Due()
}

func (q *watchedQueue) Pop() (eventq.Item, bool) {
	q.look()
	return q.queue.Pop()
}

// watcher tells what Options.Story does not: budgets and the control plane.
type watcher struct {
	r       *run
	out     *strings.Builder
	quiet   bool
	budgets []string
	parts   []string
}

func (x *watcher) remember() {
	x.budgets, x.parts = x.budgetLines(), x.controlPlaneLines()
}

func (x *watcher) look() {
	if x.parts == nil || x.quiet {
		return
	}
	before := append(slices.Clone(x.budgets), x.parts...)
	x.remember()
	for i, now := range append(slices.Clone(x.budgets), x.parts...) {
		if now != before[i] {
			fmt.Fprintf(x.out, "%s %s\n", formatSeconds(x.r.now), now)
		}
	}
}

func (x *watcher) budgetLines() (lines []string) {
	for i := range x.r.budgets {
		b := x.r.synced(int32(i))
		lines = append(lines, fmt.Sprintf("%s expects %d, wants %d, has %d, allows %d", x.r.w.budgetSubject(int32(i)), b.expected, b.desired, b.healthy, b.allowed))
	}
	return lines
}

func (x *watcher) controlPlaneLines() []string {
	cp := &x.r.cp
	up := map[bool]string{true: "up", false: "down"}
	lines := make([]string, 0, 8)
	for i := range cp.instances {
		in := &cp.instances[i]
		line := fmt.Sprintf("apiserver %d is %s at %s", i+1, up[in.up()], x.r.w.version(in.binary))
		if in.binary != in.api {
			line += fmt.Sprintf(" emulating 1.%d", x.r.w.minor[in.api])
		}
		if !in.there {
			line = fmt.Sprintf("apiserver %d is not there", i+1)
		}
		lines = append(lines, line)
	}
	for i := range cp.instances {
		in := &cp.instances[i]
		switch {
		case in.member == memberVotes:
			lines = append(lines, fmt.Sprintf("etcd member %d is %s", i+1, up[in.votes()]))
		case in.member == memberLearner:
			lines = append(lines, fmt.Sprintf("etcd member %d is a learner", i+1))
		default:
			lines = append(lines, fmt.Sprintf("etcd member %d is none", i+1))
		}
	}
	return append(lines,
		fmt.Sprintf("controller-manager leads from %d, from %s on", cp.kcmLeader+1, formatSeconds(cp.kcmDownUntil)),
		fmt.Sprintf("scheduler leads from %d, from %s on", cp.schedulerLeader+1, formatSeconds(cp.schedulerDownUntil)))
}
