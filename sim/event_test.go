package sim

import "testing"

// Two kinds of one name would be the same to the digest.
func TestKindsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	codes := map[uint64]bool{}
	for k, name := range kindNames {
		if name == "" || seen[name] || codes[kindCodes[k]] {
			t.Errorf("kind %d is called %q", k, name)
		}
		seen[name], codes[kindCodes[k]] = true, true
	}
}
