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
