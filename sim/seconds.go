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
	if x >= 0 && x < 1<<32 && x == math.Trunc(x) {
		return strconv.AppendUint(nil, uint64(x), 10), nil // as most are
	}
	text := strconv.AppendFloat(make([]byte, 0, 24), x, 'f', 6, 64)
	text = bytes.TrimSuffix(bytes.TrimRight(text, "0"), []byte("."))
	if string(text) == "-0" {
		return []byte("0"), nil
	}
	return text, nil
}
