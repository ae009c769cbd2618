package model

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"
)

func TestFormsOfNumbers(t *testing.T) {
	for name, c := range map[string]struct {
		is      func(string) bool
		yes, no []string
	}{
		"whole number": {isWholeNumber, []string{"0", "7", "+10", "-5", "99999999999999999999"}, []string{"", "-", "01", "1_000", "1.0", "0x1", "--1", "1 ", "١"}},
		"percentage":   {isPercentage, []string{"0%", "10%", "007%", "1000%"}, []string{"", "%", "10", "-1%", "1.5%", "10%%", "10% "}},
		"quantity": {isQuantity, []string{"1", "+1", "-1", ".5", "1.5", "500m", "2Gi", "1E", "1Ei", "1e3", "1E-12", "1e+9", "1k", "1.2.3"},
			[]string{"", "m", "Gi", "1Gib", "1g", "1e", "1e123", "1ii", "1i", "1 Gi", "--1", "0123456789012345678901234567890"}},
	} {
		for _, s := range c.yes {
			if !c.is(s) {
				t.Errorf("%q is no %s", s, name)
			}
		}
		for _, s := range c.no {
			if c.is(s) {
				t.Errorf("%q is a %s", s, name)
			}
		}
	}
}

// A simple name breaks none of the rules that it is not held against.
func TestSimpleNames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("a0z9-.A_ä/")), 0, 70, -1).Draw(rt, "name")
		if !isSimpleName(s) {
			return
		}
		for _, rule := range []nameRule{validation.IsDNS1123Subdomain, validation.IsDNS1123Label, validation.IsQualifiedName, validation.IsValidLabelValue} {
			if broken := rule(s); len(broken) > 0 {
				rt.Fatalf("%q: %v", s, broken)
			}
		}
	})
	for s, want := range map[string]bool{"a": true, "web-1": true, "0": true, strings.Repeat("a", 63): true,
		"": false, "-a": false, "a-": false, "a.b": false, "A": false, "a_b": false, strings.Repeat("a", 64): false, "ä": false} {
		if isSimpleName(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}
