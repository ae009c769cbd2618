package sim

import (
	"bytes"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"upsim/model"
)

// TestTemplate holds the runs of a Template's Worlds, which are made at the same time, against those of Worlds that are compiled
// for one seed each, over random upgrades.
func TestTemplate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sc := randomTrouble(rt)
		up := sc.Upgrades()[0]
		template, err := Prepare(sc, up)
		if err != nil {
			rt.Fatal(err)
		}
		const seeds = 3
		var results [seeds]*Result
		var findings [seeds][]model.Finding
		var wait sync.WaitGroup
		for i := range results {
			wait.Go(func() {
				if w, err := template.World(sc.Seed + uint64(i)); err == nil {
					findings[i], results[i] = w.Findings(), w.RunLast(Options{MaxEvents: mostEvents})
				}
			})
		}
		wait.Wait()
		for i, got := range results {
			seeded := *sc
			seeded.Seed += uint64(i)
			w, err := Compile(&seeded, up)
			if err != nil || got == nil {
				rt.Fatalf("seed %d: compiled alone %v, of the template %v", seeded.Seed, err, got)
			}
			if a, b := asText(rt, w.Findings()), asText(rt, findings[i]); !bytes.Equal(a, b) {
				rt.Fatalf("seed %d: compiled alone it has the findings\n%s\nand as one of several\n%s", seeded.Seed, a, b)
			}
			if a, b := asText(rt, w.Run(Options{MaxEvents: mostEvents})), asText(rt, got); !bytes.Equal(a, b) {
				rt.Fatalf("seed %d: compiled alone it gives\n%s\nand as one of several\n%s", seeded.Seed, a, b)
			}
		}
	})
}
