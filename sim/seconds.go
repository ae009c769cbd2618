package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// MarshalJSON writes the time with at most six decimals (the engine's clock
// counts microseconds) and without an exponent, so that equal times are equal
// bytes. It fails on a value that is no number.
func (s Seconds) MarshalJSON() ([]byte, error) {
	x := float64(s)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, fmt.Errorf("a time of %v seconds cannot be written", x)
	}
	text := strings.TrimRight(strconv.FormatFloat(x, 'f', 6, 64), "0")
	text = strings.TrimSuffix(text, ".")
	if text == "-0" {
		text = "0"
	}
	return []byte(text), nil
}
