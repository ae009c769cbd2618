package reports

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"

	"upsim/sim"
)

// FormatTimeline is every step of a run, a JSON object on a line each, written while it is simulated.
const FormatTimeline = "timeline"

// Timeline writes the steps of runs as they come, in memory that does not grow with them.
type Timeline struct {
	w    *bufio.Writer
	line []byte
	err  error
}

// NewTimeline returns a Timeline that writes to w.
func NewTimeline(w io.Writer) *Timeline { return &Timeline{w: bufio.NewWriterSize(w, 64<<10)} }

// Begin says of which run the next steps are.
func (t *Timeline) Begin(scenario, strategy string, seed uint64) {
	if t.err == nil {
		t.err = writeJSON(t.w, struct {
			envelope
			Scenario string `json:"scenario"`
			Strategy string `json:"strategy"`
			Seed     uint64 `json:"seed"`
		}{envelopeOf("Timeline"), scenario, strategy, seed})
	}
}

// Step writes one step: when, of which subject, what, and where that is known where or why.
func (t *Timeline) Step(s sim.Step) {
	if t.err != nil {
		return
	}
	b := append(t.line[:0], `{"seconds":`...)
	b = appendSeconds(b, s.At)
	b = appendText(append(b, `,"subject":`...), s.Subject)
	b = appendText(append(b, `,"what":`...), s.What)
	if s.Detail != "" {
		b = appendText(append(b, `,"detail":`...), s.Detail)
	}
	t.line = append(b, '}', '\n')
	_, t.err = t.w.Write(t.line)
}

// Failed reports whether a write has failed, so that going on is in vain.
func (t *Timeline) Failed() bool { return t.err != nil }

// Flush writes what is left, and returns the first error of all writes.
func (t *Timeline) Flush() error {
	if t.err == nil {
		t.err = t.w.Flush()
	}
	return t.err
}

// appendSeconds writes microseconds as seconds, without zeros at the end.
func appendSeconds(b []byte, us int64) []byte {
	if us < 0 {
		b, us = append(b, '-'), -us
	}
	b = strconv.AppendInt(b, us/1e6, 10)
	if rest := us % 1e6; rest > 0 {
		var room [8]byte
		digits := strconv.AppendInt(room[:0], 1e6+rest, 10)
		digits[0] = '.'
		for digits[len(digits)-1] == '0' {
			digits = digits[:len(digits)-1]
		}
		b = append(b, digits...)
	}
	return b
}

// appendText writes a JSON string. Names need no escapes, which is found out faster than the encoder begins.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			text, err := json.Marshal(s)
			if err != nil {
				panic(err) // a string can always be written
			}
			return append(b, escapeJSON(text)...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
