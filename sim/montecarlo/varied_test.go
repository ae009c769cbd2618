package montecarlo

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"upsim/model"
)

// Every distribution that a scenario or an upgrade can have, every number of the assumptions, and every number of a fault but those
// that say what is asked, is made more by one of the changes: a new one that nothing varies fails here.
func TestEveryAssumptionIsVaried(t *testing.T) {
	sc := &model.Scenario{}
	fill(reflect.ValueOf(sc).Elem(), false)
	fill(reflect.ValueOf(&sc.Assumptions).Elem(), true)
	fill(reflect.ValueOf(&sc.Faults[0]).Elem(), true)
	sc.Faults[0].Kind, sc.Faults[0].Factor = model.KubeletCertificates, 2
	up := model.NamedUpgrade{Upgrade: sc.Upgrade}
	before, beforeUp := numbersIn(sc), numbersIn(&up)
	changed, changedUp := sc, up
	for _, v := range assumptionsOf(sc, up) {
		changed, changedUp = v.scaled(changed, changedUp, 1+Change)
	}
	asked := func(path string) bool {
		for _, other := range []string{".Upgrade.", ".Strategies.", ".Variants.", ".Study."} { // of upgrades, the one that is run is looked at
			if strings.HasPrefix(path, other) {
				return true
			}
		}
		// When a fault begins and on which version; a setting of the cluster.
		return path == ".Faults.At" || path == ".Faults.Validity" || strings.HasPrefix(path, ".Faults.Version.")
	}
	for path, was := range before {
		if now := numbersIn(changed)[path]; now == was && !asked(path) {
			t.Errorf("nothing varies %s of a scenario: %s", path, was)
		}
	}
	for path, was := range beforeUp {
		if now := numbersIn(&changedUp)[path]; now == was {
			t.Errorf("nothing varies %s of an upgrade: %s", path, was)
		}
	}
	if len(before) < 40 || len(beforeUp) < 2 {
		t.Errorf("%d numbers of a scenario, %d of an upgrade were found", len(before), len(beforeUp))
	}
}

var distType = reflect.TypeFor[model.Dist]()

// fill gives every distribution, and with all every other number, a value, and every list and pointer of ours one element.
func fill(v reflect.Value, all bool) {
	switch {
	case v.Type() == distType:
		v.Set(reflect.ValueOf(model.Const(10 * time.Second)))
	case v.Kind() == reflect.Pointer && v.IsNil() && ours(v.Type().Elem()):
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), all)
	case v.Kind() == reflect.Slice && v.Len() == 0 && ours(v.Type().Elem()):
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), all)
	case v.Kind() == reflect.Struct && ours(v.Type()):
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), all)
			}
		}
	case all && v.Kind() == reflect.Float64:
		v.SetFloat(0.5)
	case all && v.Type() == reflect.TypeFor[int]():
		v.SetInt(3)
	case all && v.Type() == reflect.TypeFor[time.Duration]():
		v.SetInt(int64(10 * time.Second))
	}
}

func ours(t reflect.Type) bool {
	return strings.HasPrefix(t.PkgPath(), "upsim/") && t.Kind() == reflect.Struct
}

// numbersIn are the values that fill has set, by path.
func numbersIn(x any) map[string]string {
	out := map[string]string{}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch {
		case v.Type() == distType:
			out[path] = fmt.Sprint(v.Interface())
		case v.Kind() == reflect.Pointer && !v.IsNil():
			walk(path, v.Elem())
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				walk(path, v.Index(i))
			}
		case v.Kind() == reflect.Struct && ours(v.Type()):
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					walk(path+"."+f.Name, v.Field(i))
				}
			}
		case strings.HasPrefix(path, ".Assumptions.") || strings.HasPrefix(path, ".Faults."):
			switch v.Kind() {
			case reflect.Float64, reflect.Int, reflect.Int64:
				out[path] = fmt.Sprint(v.Interface())
			}
		}
	}
	walk("", reflect.ValueOf(x))
	return out
}
