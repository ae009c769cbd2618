package reports

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"

	"upsim/model"
)

// planned is a scenario that plans of these tests are for.
func planned(t interface{ Fatal(...any) }) *model.Scenario {
	found, faults := model.Decode("planned.yaml", []byte(`
apiVersion: upsim/v1
kind: Scenario
metadata: {name: shop}
cluster:
  version: v1.33.4
  controlPlane: {managed: true}
  nodePools: [{name: general, count: 3}, {name: big, count: 60}]
upgrade: {to: v1.34.2}
`), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return found[0]
}

// A stage of any kind reads back from a plan as it was written, and no field of it goes without a key.
func TestPlanKeepsEveryField(t *testing.T) {
	varied := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		sc := planned(rt)
		s := randomStage(rt).Resolved(63, 3)
		plan := &model.Plan{Scenario: "shop", Strategy: "rolling", From: sc.Cluster.Version, To: sc.Upgrade.To, Phases: []model.PlanPhase{
			{UpgradePhase: model.UpgradePhase{ControlPlane: true, To: sc.Upgrade.To}},
			{UpgradePhase: model.UpgradePhase{To: sc.Upgrade.To}, Stages: []model.Stage{{Name: "first", Nodes: model.NodeSet{Names: []string{"big-60"}}, Procedure: model.DefaultNodeUpgrade().Procedure, OnFailure: model.GateAbort}, s}},
		}}
		for _, format := range []string{FormatJSON, FormatYAML} {
			var doc bytes.Buffer
			if err := Plan(&doc, plan, format, TableOptions{}); err != nil {
				rt.Fatal(err)
			}
			back, faults := model.DecodePlan("plan", doc.Bytes(), []*model.Scenario{sc})
			if len(faults) > 0 {
				rt.Fatalf("%v\n%s", faults, doc.String())
			}
			got := back.Upgrade.Nodes.Stages[1]
			if !got.Nodes.InOrder || got.Phase != 2 {
				rt.Fatalf("read as %+v", got)
			}
			got.Nodes.InOrder, got.Phase = false, 0
			if diff := cmp.Diff(s, got); diff != "" {
				rt.Fatalf("%s\n%s", diff, doc.String())
			}
		}
	})
	stages := rapid.Custom(randomStage)
	for seed := range 1000 { // always the same ones, so that what they cover is no matter of chance
		note(varied, "", reflect.ValueOf(stages.Example(seed).Resolved(63, 3)), reflect.ValueOf(model.Stage{Procedure: model.DefaultNodeUpgrade().Procedure, OnFailure: model.GateAbort}))
	}
	// These a plan has in other words: its nodes are named in their order, and its numbers worked out.
	for _, name := range []string{"Nodes.Count", "Nodes.Percent", "Nodes.Selector", "Nodes.InOrder", "Phase", "PercentOf", "NodeOrder"} {
		if varied[name] {
			t.Errorf("%s stands in a plan", name)
		}
		varied[name] = true
	}
	for name, ok := range varied {
		if !ok {
			t.Errorf("the field %s of a stage was never anything but its default: give it a key in plans, and a value in randomStage", name)
		}
	}
}

// note records which fields differ from their defaults.
func note(varied map[string]bool, path string, v, otherwise reflect.Value) {
	if v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct && !v.IsNil() && v.Type().Elem().Name() == "Gate" {
		varied[path[:len(path)-1]] = true
		note(varied, path, v.Elem(), reflect.ValueOf(model.DefaultGate()))
		return
	}
	if v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[intstr.IntOrString]() {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := path + f.Name + "."
			if f.Anonymous {
				name = path
			}
			note(varied, name, v.Field(i), otherwise.Field(i))
		}
		return
	}
	name := path[:max(0, len(path)-1)]
	varied[name] = varied[name] || !reflect.DeepEqual(v.Interface(), otherwise.Interface())
}

// randomStage is a stage with any key that goes with its way of replacing nodes.
func randomStage(rt *rapid.T) model.Stage {
	flag := func(what string) bool { return rapid.Bool().Draw(rt, what) }
	span := func(what string) time.Duration {
		return time.Duration(rapid.SampledFrom([]int{0, 1, 90, 3600, 5400}).Draw(rt, what)) * time.Second
	}
	share := func(what string) intstr.IntOrString {
		return rapid.SampledFrom([]intstr.IntOrString{intstr.FromInt32(0), intstr.FromInt32(2), intstr.FromString("10%"), intstr.FromString("100%")}).Draw(rt, what)
	}
	gate := func(what string) *model.Gate {
		if flag(what) {
			return nil
		}
		g := &model.Gate{NodesReady: flag(what), WorkloadsAvailable: flag(what), Timeout: span(what), NoRegression: flag(what)}
		if !g.NodesReady && !g.WorkloadsAvailable && !g.NoRegression {
			g.NodesReady = true // a gate asks for something
		}
		if budget := span(what); flag(what) {
			g.ErrorBudget = &budget
		}
		if held := span(what); held < g.Timeout && (g.NodesReady || g.WorkloadsAvailable) {
			g.AvailableFor = held
		}
		return g
	}
	s := model.Stage{Name: "second", Beside: flag("beside"), Procedure: model.DefaultNodeUpgrade().Procedure,
		Gate: gate("gate"), OnFailure: rapid.SampledFrom([]model.OnGateFailure{model.GateAbort, model.GatePause, model.GateRollback}).Draw(rt, "on failure")}
	s.Nodes = model.NodeSet{Names: []string{"general-2", "general-1", "general-3"}}
	if flag("of a pool") {
		s.Nodes.Pool = "general"
	}
	s.Replace = rapid.SampledFrom([]model.Replace{model.ReplaceInPlace, model.ReplaceSurge, model.ReplaceTerminateFirst, model.ReplaceReimage,
		model.ReplaceDetachSurge, model.ReplaceBlueGreen}).Draw(rt, "replace")
	s.PercentOf = rapid.SampledFrom([]model.PercentOf{model.PercentOfWorkers, model.PercentOfStage}).Draw(rt, "of")
	s.NodeOrder = rapid.SampledFrom([]model.NodeOrder{model.OrderName, model.OrderZone, model.OrderRandom}).Draw(rt, "order")
	s.AtMost = rapid.IntRange(0, 3).Draw(rt, "at most")
	s.Taint = rapid.SampledFrom([]model.TaintEffect{"", model.PreferNoSchedule, model.NoSchedule}).Draw(rt, "taint")
	s.FirstAlone, s.NodeGate = flag("first alone"), gate("node gate")
	s.ProvisionTimeout, s.Soak = span("provision"), span("soak")
	if s.Replace == model.ReplaceBlueGreen {
		s.Slots, s.Cordon = model.SlotsBarrier, rapid.SampledFrom([]model.CordonScope{model.CordonAll, model.CordonAllFirst}).Draw(rt, "cordon")
		s.MaxUnavailable, s.MaxSurge = intstr.FromInt32(0), intstr.FromInt32(0)
		s.Batch, s.BatchSoak, s.PoolSoak = share("batch"), span("batch soak"), span("pool soak")
	} else {
		s.Slots = rapid.SampledFrom([]model.Slots{model.SlotsWindow, model.SlotsBarrier}).Draw(rt, "slots")
		s.Cordon = rapid.SampledFrom([]model.CordonScope{model.CordonOwn, model.CordonOwnFirst, model.CordonAll, model.CordonAllFirst}).Draw(rt, "cordon")
		s.MaxUnavailable, s.SoakPerNode = share("unavailable"), span("soak per node")
		if s.Replace != model.ReplaceInPlace {
			s.MaxSurge, s.SurgePerZone = share("surge"), flag("per zone")
		}
	}
	d := &s.Drain
	d.IgnoreDaemonSets, d.DeleteEmptyDirData, d.Force, d.DisableEviction = flag("daemonsets"), flag("local"), flag("force"), flag("disable")
	d.Timeout, d.Retry = span("timeout"), span("retry")+time.Millisecond
	if flag("doubles") {
		d.RetryMax = d.Retry + span("max")
	}
	if flag("grace") {
		grace, most := span("grace"), span("most grace")
		d.GracePeriod, d.MaxGracePeriod = &grace, &most
	}
	d.Evict = rapid.SampledFrom([]model.EvictOrder{model.EvictParallel, model.EvictSequential, model.EvictGroups}).Draw(rt, "evict")
	d.TimeoutCheck = rapid.SampledFrom([]model.TimeoutCheck{model.TimeoutAfterRetry, model.TimeoutExact}).Draw(rt, "check")
	d.Attempts, d.AttemptDelay, d.PostDrainDelay = rapid.IntRange(1, 3).Draw(rt, "attempts"), span("attempt delay"), span("post drain")
	d.OnFailure = rapid.SampledFrom([]model.OnDrainFailure{model.DrainFail, model.DrainSkip, model.DrainWait, model.DrainForceDelete, model.DrainDeleteNode}).Draw(rt, "drain failure")
	d.OnAPIOutage = rapid.SampledFrom([]model.OnAPIOutage{model.APIOutageFail, model.APIOutageWait}).Draw(rt, "API outage")
	if most := share("skipped"); flag("bounded") {
		d.MaxSkipped = &most
	}
	return s
}

// somePlan has a phase that brings new nodes before one that finds these, and more nodes than a table shows.
func somePlan() *model.Plan {
	n := model.DefaultNodeUpgrade()
	first := model.Stage{Name: "canary", Nodes: model.NodeSet{Names: []string{"big-2", "general-1"}}, Procedure: n.Procedure, OnFailure: model.GatePause}
	first.Gate = &model.Gate{NodesReady: true, WorkloadsAvailable: true, Timeout: 10 * time.Minute}
	first.Soak, first.Replace, first.MaxUnavailable, first.MaxSurge = time.Hour, model.ReplaceSurge, intstr.FromInt32(0), intstr.FromInt32(2)
	rest := model.Stage{Name: "rest", Procedure: n.Procedure, OnFailure: model.GateAbort}
	rest.Drain.Timeout, rest.Drain.OnFailure = 30*time.Minute, model.DrainForceDelete
	for i := range 60 {
		rest.Nodes.Names = append(rest.Nodes.Names, fmt.Sprintf("big-%d", i+1))
	}
	short := rest
	short.Name = "early"
	short.Nodes.Names = slices.Delete(slices.Clone(rest.Nodes.Names), 4, 60)
	v := func(minor, patch int) model.Version { return model.Version{Major: 1, Minor: minor, Patch: patch} }
	return &model.Plan{Scenario: "shop", Strategy: "canary", From: v(33, 4), To: v(35, 1), Phases: []model.PlanPhase{
		{UpgradePhase: model.UpgradePhase{ControlPlane: true, To: v(34, 2)}},
		{UpgradePhase: model.UpgradePhase{To: v(34, 2)}, Stages: []model.Stage{first}},
		{UpgradePhase: model.UpgradePhase{ControlPlane: true, To: v(35, 1)}},
		{UpgradePhase: model.UpgradePhase{To: v(35, 1)}, Stages: []model.Stage{short, rest}},
	}}
}

func TestPlanGolden(t *testing.T) {
	for name, write := range map[string]func(*bytes.Buffer) error{
		"plan.txt":    func(b *bytes.Buffer) error { return Plan(b, somePlan(), FormatTable, TableOptions{}) },
		"plan.80.txt": func(b *bytes.Buffer) error { return Plan(b, somePlan(), FormatTable, TableOptions{Width: 80}) },
		"plan.yaml":   func(b *bytes.Buffer) error { return Plan(b, somePlan(), FormatYAML, TableOptions{}) },
		"plan.json":   func(b *bytes.Buffer) error { return Plan(b, somePlan(), FormatJSON, TableOptions{}) },
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, bytesOf(t, write)) })
	}
	var buf bytes.Buffer
	if err := Plan(&buf, somePlan(), "csv", TableOptions{}); err == nil || buf.Len() > 0 {
		t.Errorf("csv: %v, %q", err, buf.String())
	}
}
