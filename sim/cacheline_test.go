package sim

import (
	"testing"
	"unsafe"
)

// TestLinesOfTheCache holds the layout that the speed of big clusters rests on: what a move of a pod touches of its workload, its budget
// and its drain lies in one line of the processor's cache each, and pods, claims and workloads' specifications do not straddle two.
func TestLinesOfTheCache(t *testing.T) {
	const line = 64
	for what, got := range map[string][2]uintptr{
		"a workload's size":          {unsafe.Sizeof(workload{}), 2 * line},
		"a workload's first line":    {unsafe.Offsetof(workload{}.evictions), line},
		"a budget's size":            {unsafe.Sizeof(budget{}), 2 * line},
		"a budget's first line":      {unsafe.Offsetof(budget{}.start), line},
		"a node's size":              {unsafe.Sizeof(node{}), 2 * line},
		"a node's first line":        {unsafe.Offsetof(node{}.zone), line},
		"a drain's size":             {unsafe.Sizeof(drain{}), 4 * line},
		"a drain's first line":       {unsafe.Offsetof(drain{}.limit), line},
		"a claim's size":             {unsafe.Sizeof(claim{}), line},
		"a pod's size":               {unsafe.Sizeof(pod{}), line / 2},
		"a workload's specification": {unsafe.Sizeof(workloadSpec{}), line / 2},
	} {
		if unsafe.Sizeof(uintptr(0)) == 8 && got[0] != got[1] {
			t.Errorf("%s is %d bytes, want %d", what, got[0], got[1])
		}
	}
}
