package model

import (
	"reflect"
	"testing"
	"time"
)

// Every assumption that is a number is in the table, once, by a name that the loader reads.
func TestNumbersAreAllNumbers(t *testing.T) {
	a := DefaultAssumptions()
	listed := map[uintptr]bool{}
	for _, n := range a.Numbers() {
		for _, p := range []any{n.Time, n.Fixed, n.Rate, n.Count} {
			if v := reflect.ValueOf(p); !v.IsNil() {
				if listed[v.Pointer()] {
					t.Errorf("%s is listed twice", n.Name)
				}
				listed[v.Pointer()] = true
			}
		}
	}
	v := reflect.ValueOf(&a).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Kind() == reflect.Bool, f.Kind() == reflect.String: // no numbers
		case !listed[f.Addr().Pointer()]:
			t.Errorf("%s is not in Numbers", v.Type().Field(i).Name)
		}
	}
}

func TestScaleNumbers(t *testing.T) {
	a := DefaultAssumptions()
	a.Startup = Dist{Kind: Empirical, Values: []time.Duration{time.Second, 2 * time.Second}}
	same := DefaultAssumptions().DeletionPoll
	for _, n := range a.Numbers() {
		n.Scale(0.5)
	}
	b := DefaultAssumptions()
	if got := a.Startup.Values; got[0] != time.Second/2 || got[1] != time.Second {
		t.Errorf("startup %v", got)
	}
	if a.KubectlStart.P99 != b.KubectlStart.P99/2 || a.NodeUpgrade.Value != b.NodeUpgrade.Value/2 || a.DeletionPoll != same/2 ||
		a.ControllerQPS != b.ControllerQPS/2 || a.KubectlBurst != b.KubectlBurst/2 {
		t.Errorf("halved: %+v", a)
	}
	// Few of a count are one less or more, as a fifth of them is not half of one.
	for by, want := range map[float64]int{0.8: 1, 1: 2, 1.2: 3} {
		two := 2
		if (Number{Count: &two}).Scale(by); two != want {
			t.Errorf("2 scaled by %v is %d, want %d", by, two, want)
		}
	}
	// None falls below what the loader takes.
	for range 40 {
		for _, n := range a.Numbers() {
			n.Scale(0.5)
		}
	}
	if a.DeletionPoll != ms || a.KubectlBurst != 1 {
		t.Errorf("at least: %v, %d", a.DeletionPoll, a.KubectlBurst)
	}
}
