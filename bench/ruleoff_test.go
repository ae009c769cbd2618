package bench

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ruleOff is a rule of the simulation as its code has it, and code that goes without it.
type ruleOff struct {
	rule string
	file string
	code []string // what stands there, and what stands there without the rule, in turn
	dir  string   // whose tests tell
	run  string
	tell []string // the tests that must fail
}

var rulesOff = []ruleOff{
	{
		"the API server takes the allowance away itself", "sim/eviction.go",
		[]string{"	bg.version++\n	if bg.setAllowed(bg.allowed-1, r.upTo(r.now)); pd.flags&podReady != 0 && pd.flags&podDisrupted == 0 {\n		pd.flags |= podDisrupted\n		bg.disrupted++\n	}\n", ""},
		"bench", "TestRecordings/(a-serial|b-parallel2|m-grace-short)$", []string{"TestRecordings/a-serial", "TestRecordings/b-parallel2", "TestRecordings/m-grace-short"},
	},
	{
		"unready pods are free of a budget that has the healthy pods it wants", "sim/eviction.go",
		[]string{"bg.healthy >= bg.desired && bg.desired > 0", "bg == nil"},
		"bench", "TestRecordings/i3-unhealthy-mixed$", []string{"TestRecordings/i3-unhealthy-mixed"},
	},
	{
		"unready pods are free of no other budget", "sim/eviction.go",
		[]string{"bg.healthy >= bg.desired && bg.desired > 0", "bg != nil"},
		"bench", "TestRecordings/i1-unhealthy-budget$", []string{"TestRecordings/i1-unhealthy-budget"},
	},
	{
		"a replacement that has not started on the next node goes free of budget", "sim/eviction.go",
		[]string{"pd.state != podRunning && pd.state != podStarting || pd.flags&podNotStarted != 0:", "pd.state == podTerminating:"},
		"sim", "TestStories/evict-pending-free-of-budget$", []string{"TestStories/evict-pending-free-of-budget"},
	},
	{
		"a replacement that runs is guarded by its budget before it is Ready", "sim/kubelet.go",
		[]string{"		pd.flags &^= podNotStarted\n	}\n	at += takes", "		_ = pd\n	}\n	at += takes"},
		"sim", "TestStories/evict-starting-refused$", []string{"TestStories/evict-starting-refused"},
	},
	{
		"an integer minAvailable counts terminating pods", "sim/disruption.go",
		[]string{"		bg.expected = bg.pods\n", "		_ = bg.pods\n"},
		"sim", "TestExpectedPodsRecorded$", []string{"TestExpectedPodsRecorded"},
	},
	{
		"a node's NoExecute taint, which goes some seconds late, keeps no pod off", "sim/nodelifecycle.go",
		[]string{"r.pushAfter(r.draw(&r.w.latencies.taint, forTaint, uint64(n), uint64(nd.away)<<2|2), evNodeClear", "r.pushAfter(4_000_000, evNodeClear"},
		"bench", "TestRecordings/o-daemonset$", []string{"TestRecordings/o-daemonset"},
	},
	{
		"a Deployment's replacement comes while the old pod still stops", "sim/kubelet.go",
		[]string{"	if pd.spec.kind == replicaSet {\n		r.vacate(pd)\n	}\n	if r.nodes[pd.node].flags&nodeMute", "	if r.nodes[pd.node].flags&nodeMute",
			"if pd.spec.kind != replicaSet || n == none {", "if true {"},
		"bench", "TestReplacementPace$", []string{"TestReplacementPace"},
	},
	{
		"refused evictions that are tried again together meet", "sim/retry.go",
		[]string{"r.wakeAfter(b, r.now-1)", "r.wakeAfter(b, r.now+20_000)"},
		"sim", "TestStories/evict-retries-meet$", []string{"TestStories/evict-retries-meet"},
	},
	{
		"a silent node turns Unknown after the grace period, and not at once", "sim/nodelifecycle.go",
		[]string{"grace: r.silence(n)}", "grace: 1_000_000}"},
		"sim", "TestStories/node-fails$", []string{"TestStories/node-fails"},
	},
	{
		"kubectl does not wait for an API server that is down", "sim/apioutage.go",
		[]string{"return o.OnAPIOutage == model.APIOutageWait || o.OnFailure == model.DrainWait", "return true"},
		"sim", "TestStories/api-outage-(fail|skip)$", []string{"TestStories/api-outage-fail", "TestStories/api-outage-skip"},
	},
	{
		"the scheduler scores nodes", "sim/scheduler.go",
		[]string{"	r.score(s, spec)\n	return r.best(pd)\n", "	return r.candidates[hash(r.seed, forTie, uint64(pd.slot), uint64(pd.attempt))%uint64(len(r.candidates))]\n",
			"if only == nil && r.indexable(spec) {", "if false {"},
		"bench", "TestPlacement/n-50nodes$", []string{"TestPlacement/n-50nodes"},
	},
	{
		"the scheduler spreads a workload's pods, and does not look at room alone", "sim/scheduler.go",
		[]string{"	r.score(s, spec)\n	return r.best(pd)\n", "	r.scores = r.scores[:0]\n	for _, n := range r.candidates {\n		r.scores = append(r.scores, leastAllocated(&r.nodes[n], s))\n	}\n	return r.best(pd)\n",
			"if only == nil && r.indexable(spec) {", "if false {"},
		"bench", "TestPlacement/n-50nodes$", []string{"TestPlacement/n-50nodes"},
	},
}

// TestRulesTell builds upsim with one rule left out at a time (go test -overlay) and wants the tests that hold that rule
// against a recording or a measurement to fail. TestNoToyPasses does the same with what a scenario can leave out.
func TestRulesTell(t *testing.T) {
	if testing.Short() {
		t.Skip("each rule takes a build")
	}
	for _, c := range rulesOff {
		t.Run(c.rule, func(t *testing.T) {
			out := testWithout(t, c)
			if strings.Contains(out, "[build failed]") || strings.Contains(out, "no tests to run") {
				t.Fatalf("nothing was tested:\n%s", out)
			}
			for _, name := range c.tell {
				if !strings.Contains(out, "--- FAIL: "+name+" ") {
					t.Errorf("%s does not tell:\n%s", name, out)
				}
			}
		})
	}
}

// testWithout runs the tests that must tell, without the rule, and returns what they print.
func testWithout(t *testing.T, c ruleOff) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", c.file))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	code := string(source)
	for i := 0; i < len(c.code); i += 2 {
		if n := strings.Count(code, c.code[i]); n != 1 {
			t.Fatalf("%s has %d times\n%s\nso that it is not clear what to leave out", c.file, n, c.code[i])
		}
		code = strings.Replace(code, c.code[i], c.code[i+1], 1)
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, filepath.Base(file)), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{changed: []byte(code), overlay: replace} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-ldflags=-w", "-run", "^"+c.run, "../"+c.dir)
	out, _ := cmd.CombinedOutput() // that it fails is wanted; how is told by what it prints
	return string(out)
}
