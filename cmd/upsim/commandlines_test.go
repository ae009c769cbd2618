package main

import (
	"testing"

	"upsim/model"
	"upsim/scenarios"
)

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
		in   inputs
		file string
		want string
	}{
		{inputs{}, "default", "upsim scenarios show default | upsim check -"},
		{inputs{args: []string{"a.yaml", "my b.yaml"}}, "my b.yaml", "upsim check 'my b.yaml'"},
		{inputs{args: []string{"-"}}, "<stdin>", "upsim check -"},
		{inputs{clusterFiles: []string{"n.json"}, args: []string{"p.json"}, options: scenarios.Options{To: to}}, "n.json, p.json",
			"upsim check --cluster n.json --cluster p.json --to v1.34.2"},
		{inputs{clusterFiles: []string{"-"}, options: scenarios.Options{To: to, Server: model.Version{Major: 1, Minor: 33, Patch: 9}}}, "<stdin>",
			"upsim check --cluster - --to v1.34.2 --server-version v1.33.9"},
		{inputs{options: scenarios.Options{Strategy: "surge"}}, "default", "upsim scenarios show default | upsim check - --strategy surge"},
		{inputs{args: []string{"a.yaml"}, options: scenarios.Options{Strategy: "rolling-3"}}, "a.yaml", "upsim check a.yaml --strategy rolling-3"},
		{inputs{clusterFiles: []string{"n.json"}, options: scenarios.Options{To: to, Strategy: "surge", MaxUnavailable: "0", MaxSurge: "10%"}}, "n.json",
			"upsim check --cluster n.json --to v1.34.2 --strategy surge --max-unavailable 0 --max-surge '10%'"},
	} {
		if got := tc.in.check(&model.Scenario{File: tc.file}); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}
