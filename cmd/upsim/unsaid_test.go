package main

import "testing"

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
