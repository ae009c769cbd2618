package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"upsim/sim"
)

func TestTimeline(t *testing.T) {
	var b bytes.Buffer
	tl := NewTimeline(&b)
	tl.Begin("shop", "rolling", 7)
	tl.Step(sim.Step{At: 0, What: "cordoned", Subject: "Node/n-1"})
	tl.Step(sim.Step{At: 12_345_600, What: "refused", Subject: "Pod/default/web-0", Detail: "a \"budget\" of <1>\x1b\u0085"})
	tl.Step(sim.Step{At: -1_000_001, What: "ready", Subject: "Pod/default/web-0"})
	if err := tl.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = `{"apiVersion":"upsim/v1","kind":"Timeline","scenario":"shop","strategy":"rolling","seed":7}
{"seconds":0,"subject":"Node/n-1","what":"cordoned"}
{"seconds":12.3456,"subject":"Pod/default/web-0","what":"refused","detail":"a \"budget\" of \u003c1\u003e\u001b\u0085"}
{"seconds":-1.000001,"subject":"Pod/default/web-0","what":"ready"}
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	for line := range strings.Lines(b.String()) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestTimelineTellsAFailedWrite(t *testing.T) {
	broken := errors.New("the disk is full")
	tl := NewTimeline(failing{broken})
	for range 10_000 {
		tl.Step(sim.Step{What: "ready", Subject: "Pod/default/web-0"})
	}
	if err := tl.Flush(); !tl.Failed() || !errors.Is(err, broken) {
		t.Errorf("failed %v, %v", tl.Failed(), err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestTimelineNeedsNoMemory: however many steps there are, none asks for memory.
func TestTimelineNeedsNoMemory(t *testing.T) {
	tl := NewTimeline(discard{})
	step := sim.Step{At: 1_234_567, What: "scheduled", Subject: "Pod/default/web-17", Detail: "on pool01-4711"}
	tl.Step(step)
	if n := testing.AllocsPerRun(1000, func() { tl.Step(step) }); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func BenchmarkTimeline(b *testing.B) {
	tl := NewTimeline(discard{})
	step := sim.Step{At: 1_234_567, What: "scheduled", Subject: "Pod/default/web-17", Detail: "on pool01-4711"}
	for b.Loop() {
		tl.Step(step)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Msteps/s")
}
