package model

import (
	"fmt"
	"testing"
)

func TestCopyName(t *testing.T) {
	for _, count := range []int{2, 9, 10, 99, 100, 101, 1000, 12345} {
		for _, i := range []int{0, 1, 8, 9, 10, 98, 99, 100, 998, 999, 1000, 9998, 9999, 12344} {
			w := Workload{Name: "web", Count: count}
			if want := fmt.Sprintf("web%0*d", max(2, len(fmt.Sprint(count))), i+1); i < count && w.CopyName(i) != want {
				t.Errorf("copy %d of %d: %s, want %s", i, count, w.CopyName(i), want)
			}
		}
	}
	for _, count := range []int{0, 1} {
		if w := (&Workload{Name: "web", Count: count}); w.CopyName(0) != "web" || string(w.AppendCopyName([]byte("x"), 0)) != "xweb" {
			t.Errorf("the only copy is called %s", w.CopyName(0))
		}
	}
}
