package calibrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// recorded is one event of a recording, with the fields that times are made of.
// Instants are milliseconds since the upgrade began.
type recorded struct {
	At        *float64 `json:"t"`
	Type      string   `json:"type"`
	Pod       string   `json:"pod"`
	Node      string   `json:"node"`
	App       string   `json:"app"`
	Namespace string   `json:"namespace"`
	// Owner is KIND/NAME of what created the pod.
	Owner  string   `json:"owner"`
	Status string   `json:"status"`
	Code   int      `json:"code"`
	Taints []string `json:"taints"`
}

// mostEvent bounds the text of one value of a recording.
const mostEvent = 16 << 20

// meter bounds what is read for one value, so that a value without an end does not fill the memory.
type meter struct {
	in   io.Reader
	left int
}

var errTooLong = errors.New("one value is larger than 16 MiB")

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errTooLong
	}
	n, err := m.in.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}

// recording reads the events of a recording one by one and passes over the rest.
func (c *Collector) recording(name string, in io.Reader) error {
	m := &meter{in: in, left: mostEvent}
	dec := json.NewDecoder(m)
	fault := func(what string, err error) error {
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("%s: the recording ends in the middle, at byte %d (%s); copy it again", name, dec.InputOffset(), what)
		case errors.As(err, &syntax):
			return fmt.Errorf("%s: byte %d (%s): %w", name, dec.InputOffset(), what, err)
		}
		return fmt.Errorf("%s: %s: %w", name, what, err)
	}
	if _, err := dec.Token(); err != nil { // the opening brace
		return fault("its beginning", err)
	}
	for dec.More() {
		m.left = mostEvent
		key, err := dec.Token()
		if err != nil {
			return fault("a key", err)
		}
		if key == "events" {
			err = c.events(name, dec, m)
		} else {
			err = skipValue(dec, m)
		}
		if err != nil {
			return fault(fmt.Sprintf("%v, event %d", key, c.now().Events+1), err)
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return fault("its end", err)
	}
	if c.now().Events == 0 {
		return fmt.Errorf("%s: the recording has no events; what is needed is its key `events`", name)
	}
	return nil
}

// events reads the list of events.
func (c *Collector) events(name string, dec *json.Decoder, m *meter) error {
	open, err := dec.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('[') {
		return errors.New("it is no list")
	}
	r := newRecord(c, name)
	for dec.More() {
		m.left = mostEvent
		var e recorded
		if err := dec.Decode(&e); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				return fmt.Errorf("%s is a %s", wrong.Field, wrong.Value)
			}
			return err
		}
		const tenYears = 10 * 365 * 24 * 3600 * 1000
		if e.At == nil || math.Abs(*e.At) > tenYears {
			return errors.New("t must be the milliseconds since the upgrade began, as a number")
		}
		c.now().Events++
		r.event(&e)
	}
	_, err = dec.Token()
	return err
}

// skipValue passes over the next value, of any size.
func skipValue(dec *json.Decoder, m *meter) error {
	for depth := 0; ; {
		m.left = mostEvent
		t, err := dec.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
