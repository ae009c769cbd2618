package reports

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
	"upsim/sim"
)

// strategyCluster is a small cluster that every strategy gets through, in two
// pools and three zones, with what makes drains differ: a slow start behind a
// tight budget, a volume, a long grace period.
const strategyCluster = `apiVersion: upsim/v1
kind: Scenario
metadata: {name: small}
cluster:
  version: v1.32.9
  nodePools:
  - {name: a, count: 7, zones: [x, y, z], allocatable: {cpu: "4", memory: 16Gi}}
  - {name: b, count: 4, zones: [x, y, z], allocatable: {cpu: "4", memory: 16Gi}}
  workloads:
  - {name: web, replicas: 12, requests: {cpu: "1"}, startup: 25s, podDisruptionBudget: {maxUnavailable: 1}}
  - {name: db, kind: StatefulSet, replicas: 3, requests: {cpu: "1"}, volume: {zonal: true, attach: 5s, detach: 5s}, podDisruptionBudget: {maxUnavailable: 1}}
  - {name: slow, replicas: 3, requests: {cpu: 500m}, shutdown: 3m, terminationGracePeriodSeconds: 240}
  - {name: agent, kind: DaemonSet, requests: {cpu: 100m}}
upgrade:
  to: v1.34.2
`

// A strategy's name and the block that is printed for it are the same simulation, event by event.
func TestStrategyBlocksRunTheSame(t *testing.T) {
	for _, s := range model.Presets() {
		if s.Name == model.StrategyCustom {
			continue // it is nothing without stages of one's own
		}
		t.Run(s.Name, func(t *testing.T) {
			var block bytes.Buffer
			if err := Strategy(&block, s, FormatYAML, TableOptions{}); err != nil {
				t.Fatal(err)
			}
			named := runText(t, strategyCluster+"  nodes: {strategy: "+s.Name+"}\n")
			pasted := runText(t, strategyCluster+block.String())
			if named.Verdict == sim.Aborted || named.Engine.Events == 0 {
				t.Fatalf("nothing was simulated: %+v", named.Reasons)
			}
			if s.System && pasted.Strategy != model.StrategyRolling {
				t.Errorf("the block's strategy is %s", pasted.Strategy)
			}
			pasted.Strategy = named.Strategy
			// Only the name tells that a provider's control plane is meant.
			for _, r := range []*sim.Result{named, pasted} {
				r.Reasons = append([]model.Finding{}, slices.DeleteFunc(r.Reasons, func(f model.Finding) bool { return f.Code == model.ControlPlaneNotManaged })...)
			}
			if diff := cmp.Diff(named, pasted); diff != "" {
				t.Errorf("the block is another simulation (-name +block):\n%s", diff)
			}
			if strings.Contains(block.String(), "\t") || strings.Contains(block.String(), " \n") {
				t.Errorf("tabs, or spaces at the ends of lines:\n%s", block.String())
			}
		})
	}
}

func runText(t *testing.T, text string) *sim.Result {
	t.Helper()
	list, faults := model.Decode("small.yaml", []byte(text), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	w, err := sim.Compile(list[0], list[0].Upgrades()[0])
	if err != nil {
		t.Fatal(err)
	}
	return w.Run(sim.Options{})
}
