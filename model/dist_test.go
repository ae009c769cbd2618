package model

import (
	"reflect"
	"testing"
	"time"
)

// A distribution that differs in any one field is another one.
func TestDistEqual(t *testing.T) {
	d := LogNormalDist(time.Second, time.Minute)
	if !d.Equal(LogNormalDist(time.Second, time.Minute)) {
		t.Error("it is not equal to itself")
	}
	v := reflect.TypeFor[Dist]()
	for i := range v.NumField() {
		other := d
		f := reflect.ValueOf(&other).Elem().Field(i)
		switch f.Kind() {
		case reflect.Slice:
			f.Set(reflect.ValueOf([]time.Duration{1}))
		case reflect.String:
			f.SetString("another")
		default:
			f.SetInt(f.Int() + 1)
		}
		if d.Equal(other) {
			t.Errorf("%s makes no difference", v.Field(i).Name)
		}
	}
}
