package bench

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"upsim/model"
)

// spread is how a recording's pods stand when all is over, and how many were moved again.
type spread struct {
	sc      *model.Scenario
	at      map[string]string // the node of each pod that stays
	evicted map[string]int
	again   float64 // evictions of pods that had replaced an evicted one
}

func newSpread(sc *model.Scenario) *spread {
	return &spread{sc, map[string]string{}, map[string]int{}, 0}
}

// chosen reports whether the scheduler chose where the workload's pods stand; those of DaemonSets stand where they must.
func (s *spread) chosen(app string) bool {
	return slices.ContainsFunc(s.sc.Cluster.Workloads, func(w model.Workload) bool { return w.Name == app && w.Kind != model.DaemonSet })
}

func (s *spread) see(e recordedEvent) {
	if !s.chosen(e.App) && e.Type != "audit.evict" {
		return
	}
	switch e.Type {
	case "pod.scheduled":
		s.at[e.Pod] = e.Node
	case "pod.terminating":
		delete(s.at, e.Pod)
	case "audit.evict":
		if e.Code == 201 {
			if s.evicted[e.Pod]++; s.evicted[e.Pod] > 1 {
				s.again++
			}
		}
	}
}

// figures are Pearson's chi-square statistics of the pods on each node and in each zone against equal shares, and the second moves.
func (s *spread) figures() [3]float64 {
	byNode, byZone, zone := map[string]float64{}, map[string]float64{}, map[string]string{}
	for _, n := range s.sc.Cluster.Nodes {
		name := n.Name
		if p := s.sc.Upgrade.Nodes.Replace; p == model.ReplaceSurge || p == model.ReplaceBlueGreen {
			name += "-new"
		}
		byNode[name], byZone[n.Zone], zone[name] = 0, 0, n.Zone
	}
	for _, n := range s.at {
		byNode[n]++
		byZone[zone[n]]++
	}
	return [3]float64{chiSquare(byNode), chiSquare(byZone), s.again}
}

// chiSquare is the sum of (n - mean)² / mean.
func chiSquare(counts map[string]float64) float64 {
	total, squares := 0.0, 0.0
	for _, n := range counts {
		total += n
		squares += n * n // whole numbers, so that their order plays no part
	}
	mean := total / float64(len(counts))
	return squares/mean - total
}

// TestPlacement holds where pods end up, and how many move twice, against the real scheduler. For every recording with
// six pods or more it computes Pearson's chi-square of the pods per node and per zone, and the number of evictions of
// replacements; each must lie between the 1st and the 99th percentile of 200 runs. n-50nodes, with 400 pods on 50 nodes
// and 449 evictions, decides; TestRulesTell shows that random and least-allocated-only placement fail here.
func TestPlacement(t *testing.T) {
	dirs, err := Recordings(tracesDir)
	if err != nil {
		t.Fatal(err)
	}
	pods, compared := 0, 0
	for _, dir := range dirs {
		name := filepath.Base(dir)
		record := loadEvents(t, dir)
		if len(record.InitialPods) < 6 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rec, err := LoadRecording(dir)
			if err != nil {
				t.Fatal(err)
			}
			compared++
			pods += len(record.InitialPods)
			want, got := placements(t, rec, record)
			for i, figure := range []string{"chi-square of the pods per node", "chi-square of the pods per zone", "second moves"} {
				values := make([]float64, len(got))
				for k := range got {
					values[k] = got[k][i]
				}
				lo, hi := quantile(values, 0.01), quantile(values, 0.99)
				t.Logf("%s: recorded %.2f, simulated %.2f … %.2f, median %.2f", figure, want[i], lo, hi, quantile(values, 0.5))
				if want[i] < lo-rounding || want[i] > hi+rounding {
					t.Errorf("%s: recorded %.2f, simulated %.2f … %.2f", figure, want[i], lo, hi)
				}
			}
		})
	}
	if compared < 10 || pods < 450 {
		t.Errorf("only %d recordings with %d pods are compared", compared, pods)
	}
}

// placements are the recorded figures and those of 200 runs.
func placements(t *testing.T, rec *Recording, record recordedEvents) (want [3]float64, got [][3]float64) {
	t.Helper()
	s := newSpread(rec.Scenario)
	for _, p := range record.InitialPods {
		if s.chosen(p.Workload) {
			s.at[p.Name] = p.Node
		}
	}
	replaced := 0.0
	for _, e := range record.Events {
		// A replacement has a name of its own, but for those of StatefulSets: of these only the second eviction of a name counts.
		if _, first := s.evicted[e.Pod]; e.Type == "audit.evict" && e.Code == 201 && !first && !initial(record, e.Pod) {
			replaced++
		}
		s.see(e)
	}
	s.again += replaced
	want = s.figures()
	for seed := range uint64(200) {
		s := newSpread(rec.Scenario)
		for _, w := range rec.Scenario.Cluster.Workloads {
			for i, n := range w.Placement {
				s.at[fmt.Sprintf("%s-%d", w.Name, i)] = n
			}
		}
		tell(t, rec.Scenario, seed+1, s.see)
		got = append(got, s.figures())
	}
	return want, got
}

func initial(record recordedEvents, pod string) bool {
	for _, p := range record.InitialPods {
		if p.Name == pod {
			return true
		}
	}
	return false
}
