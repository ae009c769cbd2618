package sim

import (
	"slices"
	"testing"
)

// TestHugeSlices holds makeHuge and cloneHuge to what make and slices.Clone give, below the size of a huge page and above it.
func TestHugeSlices(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 3 << 20} {
		s := makeHuge[int32](n/2, n)
		if len(s) != n/2 || cap(s) < n || slices.ContainsFunc(s[:n], func(x int32) bool { return x != 0 }) {
			t.Errorf("makeHuge(%d, %d) has length %d and room for %d, or is not zero", n/2, n, len(s), cap(s))
		}
		s = s[:n]
		for i := range s {
			s[i] = int32(i)
		}
		if c := cloneHuge(s); !slices.Equal(c, s) || n > 0 && &c[0] == &s[0] {
			t.Errorf("the clone of %d numbers differs, or shares their memory", n)
		}
	}
}
