package bench

import (
	"math"
	"path/filepath"
	"testing"
)

// TestSameChance: what one draw decides does not depend on when it is asked for, so two runs with one seed differ by what
// was changed and by what follows from it. Here deletion timestamps come 2 ms later or earlier: most makespans of a
// recording that a race may move by 5 s must stay where they are.
func TestSameChance(t *testing.T) {
	const seeds = 40
	for _, name := range []string{"a-serial", "m-grace-short", "o-daemonset"} {
		rec, err := LoadRecording(filepath.Join(tracesDir, name))
		if err != nil {
			t.Fatal(err)
		}
		sc := *rec.Scenario
		before := simulate(t, &sc, seeds)
		for _, by := range []float64{0.8, 1.2} {
			sc.Assumptions.DeletionLag = rec.Scenario.Assumptions.DeletionLag.Scaled(by)
			moved := 0
			for i, r := range simulate(t, &sc, seeds) {
				if math.Abs(float64(r.MakespanSeconds-before[i].MakespanSeconds)) > 0.5 {
					moved++
				}
			}
			t.Logf("%s, deletionLag times %g: %d of %d makespans move by more than half a second", name, by, moved, seeds)
			if moved > seeds/8 {
				t.Errorf("%s, deletionLag times %g: %d of %d makespans move by more than half a second", name, by, moved, seeds)
			}
		}
	}
}
