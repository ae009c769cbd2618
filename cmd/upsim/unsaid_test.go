package main

import (
	"testing"

	"upsim/model"
	"upsim/scenarios"
)

func TestMentions(t *testing.T) {
	for _, tc := range []struct {
		text, name string
		want       bool
	}{
		{"waits for PodDisruptionBudget/default/web", "PodDisruptionBudget/default/web", true},
		{"waits for PodDisruptionBudget/default/web: 1", "PodDisruptionBudget/default/web", true},
		{"waits for PodDisruptionBudget/default/web-2", "PodDisruptionBudget/default/web", false},
		{"waits for web-2 and web", "web", true},
		{"waits for web-2 and web", "eb", false},
		{"", "web", false},
		{"web", "web", true},
	} {
		if got := mentions(tc.text, tc.name); got != tc.want {
			t.Errorf("mentions(%q, %q) = %v", tc.text, tc.name, got)
		}
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"a/b-c_d.yaml": "a/b-c_d.yaml", "my file": "'my file'", "": "''", "$(x)": "'$(x)'", "it's": `'it'\''s'`, "né.yaml": "né.yaml",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("shellWord(%q) = %s, want %s", word, got, want)
		}
	}
}

func TestCheckCommandLines(t *testing.T) {
	to := model.Version{Major: 1, Minor: 34, Patch: 2}
	for _, tc := range []struct {
		choice choice
		file   string
		want   string
	}{
		{choice{}, "default", "upsim scenarios show default | upsim check -"},
		{choice{args: []string{"a.yaml", "my b.yaml"}}, "my b.yaml", "upsim check 'my b.yaml'"},
		{choice{args: []string{"-"}}, "<stdin>", "upsim check -"},
		{choice{clusterFiles: []string{"n.json"}, args: []string{"p.json"}, options: scenarios.Options{To: to}}, "n.json, p.json",
			"upsim check --cluster n.json --cluster p.json --to v1.34.2"},
		{choice{clusterFiles: []string{"-"}, options: scenarios.Options{To: to, Server: model.Version{Major: 1, Minor: 33, Patch: 9}}}, "<stdin>",
			"upsim check --cluster - --to v1.34.2 --server-version v1.33.9"},
	} {
		if got := tc.choice.check(&model.Scenario{File: tc.file}); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}
