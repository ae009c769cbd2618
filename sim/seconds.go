package sim

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// MarshalJSON writes the time with at most six decimals (the engine's clock
// counts microseconds) and without an exponent, so that equal times are equal
// bytes. It fails on a value that is no number.
func (s Seconds) MarshalJSON() ([]byte, error) {
	x := float64(s)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, fmt.Errorf("a time of %v seconds cannot be written", x)
	}
	if text := microseconds(x); text != nil {
		return text, nil
	}
	text := strconv.AppendFloat(make([]byte, 0, 24), x, 'f', 6, 64)
	text = bytes.TrimSuffix(bytes.TrimRight(text, "0"), []byte("."))
	if string(text) == "-0" {
		return []byte("0"), nil
	}
	return text, nil
}

// microseconds writes a time that a whole number of microseconds is nearest to, as the engine's are; nil where there is none, or it is long.
func microseconds(x float64) []byte {
	if !(x >= 0 && x < 1<<32) {
		return nil
	}
	us := uint64(x*1e6 + 0.5)
	if float64(us)/1e6 != x {
		return nil
	}
	text := strconv.AppendUint(make([]byte, 0, 24), us/1e6, 10)
	if us %= 1e6; us > 0 {
		text = strconv.AppendUint(text, 1e6+us, 10)
		text[len(text)-7] = '.' // in place of the 1 that has kept the zeros behind it
		text = bytes.TrimRight(text, "0")
	}
	return text
}
