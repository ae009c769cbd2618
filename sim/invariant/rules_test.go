package invariant

import (
	"slices"
	"strings"
	"testing"

	"upsim/model"
)

// codes are those of the rules in a mask.
func codes(c Class, mask uint16) []model.Code {
	var list []model.Code
	for i, r := range Rules(c) {
		if mask>>i&1 == 1 {
			list = append(list, r.Code)
		}
	}
	return list
}

func TestRulesAreWellFormed(t *testing.T) {
	if Rules(Classes) != nil {
		t.Error("there are rules beyond the classes")
	}
	for c := range Classes {
		rules := Rules(c)
		if len(rules) == 0 || len(rules) > MaxRules {
			t.Errorf("class %d has %d rules", c, len(rules))
		}
		seen := map[model.Code]bool{}
		for i, r := range rules {
			if _, ok := r.Code.Info(); !ok {
				t.Errorf("rule %d of class %d: %q is no code", i, c, r.Code)
			}
			if r.Name == "" || r.say == nil {
				t.Errorf("rule %d of class %d, %s, has no name or no sentence", i, c, r.Code)
			}
			if seen[r.Code] {
				t.Errorf("class %d has two rules with %s", c, r.Code)
			}
			seen[r.Code] = true
		}
	}
}

// limits checks facts on both sides of each limit, and the sentence for those
// that break one rule only.
func limits[F Facts](t *testing.T, cases []struct {
	facts F
	want  []model.Code
	say   string
}) {
	t.Helper()
	broken := map[model.Code]bool{}
	for _, c := range cases {
		mask := c.facts.Broken()
		got := codes(c.facts.Class(), mask)
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v breaks %v, want %v", c.facts, got, c.want)
			continue
		}
		for i, r := range Rules(c.facts.Class()) {
			if mask>>i&1 == 0 {
				continue
			}
			broken[r.Code] = true
			if c.say != "" {
				value, limit := c.facts.Figures(i)
				if s := r.say("SUBJECT", Detail{value, value, limit}); s != c.say {
					t.Errorf("%+v, %s:\n got %s\nwant %s", c.facts, r.Code, s, c.say)
				}
			}
		}
	}
	var none F
	for _, r := range Rules(none.Class()) {
		if !broken[r.Code] {
			t.Errorf("no case breaks %s", r.Code)
		}
	}
}

func TestMessage(t *testing.T) {
	for _, c := range []struct {
		code model.Code
		d    Detail
		want string
	}{
		{model.NoReadyReplica, Detail{0, 0, 6}, "none of the 6 replicas of deployment/shop/web is ready"},
		{model.BelowReplicas, Detail{5, 3, 6}, "deployment/shop/web has 5 of 6 replicas ready, later 3"},
		{model.BelowReplicas, Detail{5, 5, 6}, "deployment/shop/web has 5 of 6 replicas ready"},
		{model.PodsPending, Detail{1, 2, 6}, "1, later 2 of the 6 pods of deployment/shop/web wait for a node"},
		{model.KubeletTooOld, Detail{-4, -5, 34}, "deployment/shop/web: the kubelet is at 1.30, 4 minors older than the newest API server at 1.34, later 5"},
		{model.CutOff, Detail{}, "deployment/shop/web: The simulation was cut off by a limit before it ended."},
	} {
		if got := Message(c.code, "deployment/shop/web", c.d); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.code, got, c.want)
		}
	}
	for _, info := range model.CodeTable {
		if s := Message(info.Code, "x/y", Detail{1, 1, 2}); strings.TrimSpace(s) == "" || strings.Contains(s, "%!") {
			t.Errorf("%s: %q", info.Code, s)
		}
	}
}
