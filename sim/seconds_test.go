package sim

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSecondsAsJSON(t *testing.T) {
	for _, c := range []struct {
		in   Seconds
		want string
	}{
		{0, "0"}, {1, "1"}, {-1.5, "-1.5"}, {0.1, "0.1"}, {100, "100"}, {1200.0, "1200"},
		{0.000001, "0.000001"}, {0.0000004, "0"}, {-0.0000004, "0"}, {Seconds(math.Copysign(0, -1)), "0"},
		{1.23456789, "1.234568"}, {0.9999999, "1"}, {1e15, "1000000000000000"}, {0.1 + 0.2, "0.3"},
	} {
		got, err := json.Marshal(c.in)
		if err != nil || string(got) != c.want {
			t.Errorf("%v: got %s, %v; want %s", float64(c.in), got, err, c.want)
		}
	}
}

func TestSecondsThatAreNoNumber(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got, err := json.Marshal(Seconds(x)); err == nil {
			t.Errorf("%v was written as %s", x, got)
		}
	}
}

func TestSecondsReadBack(t *testing.T) {
	for _, micros := range []int64{0, 1, 999_999, 1_000_001, 86_400_000_001, 315_360_000_000_000} {
		in := Seconds(float64(micros) / 1e6)
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var out Seconds
		if err := json.Unmarshal(data, &out); err != nil || out != in {
			t.Errorf("%d us: wrote %s, read %v, %v", micros, data, out, err)
		}
	}
}

// What is written of the engine's times in whole numbers is what the library writes.
func TestSecondsAsTheLibraryWritesThem(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := rapid.OneOf(
			rapid.Map(rapid.Int64Range(0, 1<<53), func(us int64) float64 { return float64(us) / 1e6 }),
			rapid.Map(rapid.Int64Range(0, 5_000_000), func(us int64) float64 { return float64(us) / 1e6 }),
			rapid.Float64Range(0, 1e10)).Draw(rt, "seconds")
		want := strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 6, 64), "0"), ".")
		if got := microseconds(x); got != nil && string(got) != want {
			rt.Fatalf("%v: %s, not %s", x, got, want)
		}
	})
}
