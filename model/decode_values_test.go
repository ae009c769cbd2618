package model

import "testing"

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
