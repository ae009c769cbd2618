package reports

import (
	"bytes"
	"strings"
	"testing"

	"upsim/model"
	"upsim/model/skew"
	"upsim/sim"
)

func someFindings() Checked {
	return Checked{File: "shop.yaml", Scenario: "shop", Strategy: "rolling", Findings: []model.Finding{
		model.NewFinding(model.BudgetMatchesNothing, "PodDisruptionBudget/shop/old", "Its selector app=old matches no pod."),
		model.NewFinding(model.KubeletTooOld, "kubelet/pi-1", "The kubelet of pi-1 is at 1.30, four minors behind the API server at 1.34."),
		model.NewFinding(model.KubectlSkew, "kubectl", "kubectl is at 1.32, the API server at 1.34."),
		model.NewFinding(model.KubeletTooOld, "kubelet/pi-2", "The kubelet of pi-2 is at 1.30, four minors behind the API server at 1.34."),
	}}
}

func someScenarios() []LibraryEntry {
	return []LibraryEntry{
		{"default", sim.Safe, "A cluster of a dozen workers in three zones goes from 1.33 to 1.34, one node after the other."},
		{"jump", sim.Aborted, "A control plane cannot skip a minor."},
		{"budget-of-one", sim.Stuck, "minAvailable: 1 on one replica blocks the drain for ever; this line is long enough to be broken on a terminal of eighty columns."},
	}
}

func someStrategies(t *testing.T) []*model.Preset {
	var list []*model.Preset
	for _, name := range []string{model.StrategyRolling, model.StrategyAllAtOnce, model.StrategySurge, model.StrategyBlueGreen, "kubeadm"} {
		s, ok := model.FindPreset(name)
		if !ok {
			t.Fatalf("there is no strategy %s", name)
		}
		list = append(list, s)
	}
	return list
}

// someStrategy has one of everything that can be said of a strategy.
func someStrategy() *model.Preset {
	return &model.Preset{
		Name: "farm", About: "A farm of machines is renewed one after the other.", System: true,
		Settings: []model.Setting{
			{Key: "controlPlane.order", Value: "[cp-2]", Source: "farm docs/order.md"},
			{Key: "nodes.maxUnavailable", Value: "10%", Source: "farm docs/parallel.md, a sentence that is long enough to be broken in a table of eighty columns"},
			{Key: "nodes.nodeOrder", Value: "name", Source: "the shelves are numbered", Assumed: true},
			{Key: "nodes.drain.timeout", Value: "15m", Source: "farm drain.go"},
			{Key: "nodes.drain.onFailure", Value: "wait", Source: "farm drain.go"},
		},
		OnTimeout: &model.Setting{Key: "nodes.drain.onFailure", Value: "forceDelete", Source: "farm drain.go"},
		Docs:      []string{"farm docs/order.md", "farm drain.go"},
		Differs:   []string{"The farm's own lights go out."},
	}
}

func TestListsGolden(t *testing.T) {
	server, _ := model.ParseVersion("v1.34.2")
	older, _ := model.ParseVersion("v1.31.0")
	for name, write := range map[string]func(*bytes.Buffer) error{
		"findings.80.txt":    func(b *bytes.Buffer) error { return Findings(b, someFindings(), FormatTable, TableOptions{Width: 80}) },
		"findings.json":      func(b *bytes.Buffer) error { return Findings(b, someFindings(), FormatJSON, TableOptions{}) },
		"findings-none.txt":  func(b *bytes.Buffer) error { return Findings(b, Checked{}, FormatTable, TableOptions{}) },
		"findings-none.json": func(b *bytes.Buffer) error { return Findings(b, Checked{}, FormatJSON, TableOptions{}) },
		"library.80.txt":     func(b *bytes.Buffer) error { return Library(b, someScenarios(), FormatTable, TableOptions{Width: 80}) },
		"library.json":       func(b *bytes.Buffer) error { return Library(b, someScenarios(), FormatJSON, TableOptions{}) },
		"strategies.80.txt": func(b *bytes.Buffer) error {
			return Strategies(b, someStrategies(t), FormatTable, TableOptions{Width: 80})
		},
		"strategies.json": func(b *bytes.Buffer) error { return Strategies(b, someStrategies(t), FormatJSON, TableOptions{}) },
		"strategy.80.txt": func(b *bytes.Buffer) error {
			return Strategy(b, someStrategy(), FormatTable, TableOptions{Width: 80})
		},
		"strategy.json": func(b *bytes.Buffer) error { return Strategy(b, someStrategy(), FormatJSON, TableOptions{}) },
		"strategy.yaml": func(b *bytes.Buffer) error { return Strategy(b, someStrategy(), FormatYAML, TableOptions{}) },
		"skew.80.txt": func(b *bytes.Buffer) error {
			return SkewTable(b, skew.Table(server), FormatTable, TableOptions{Width: 80})
		},
		"skew.json": func(b *bytes.Buffer) error { return SkewTable(b, skew.Table(server), FormatJSON, TableOptions{}) },
		"skew-far-apart.txt": func(b *bytes.Buffer) error {
			return SkewTable(b, skew.Table(server, older), FormatTable, TableOptions{})
		},
		"skew-far-apart.json": func(b *bytes.Buffer) error {
			return SkewTable(b, skew.Table(server, older), FormatJSON, TableOptions{})
		},
		"findings.colour.80.txt": func(b *bytes.Buffer) error {
			return Findings(b, someFindings(), FormatTable, TableOptions{Width: 80, Color: true})
		},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, bytesOf(t, write)) })
	}
}

func TestUnknownFormat(t *testing.T) {
	var buf bytes.Buffer
	for name, err := range map[string]error{
		"findings": Findings(&buf, Checked{}, "yaml", TableOptions{}),
		"library":  Library(&buf, nil, "", TableOptions{}),
		"skew":     SkewTable(&buf, nil, "csv", TableOptions{}),
		"list":     Strategies(&buf, nil, "yaml", TableOptions{}),
	} {
		if err == nil || !strings.Contains(err.Error(), "table and json") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Strategy(&buf, someStrategy(), "csv", TableOptions{}); err == nil || !strings.Contains(err.Error(), "table, json and yaml") {
		t.Error(err)
	}
	if buf.Len() > 0 {
		t.Errorf("something was written: %q", buf.String())
	}
}
