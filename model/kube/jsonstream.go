package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	// firstWindow is the size of the read buffer; it grows only for an object that is larger.
	firstWindow = 256 << 10
	// maxObject bounds one object. etcd holds 1.5 MiB an object by default, and kubectl's indentation can treble that.
	maxObject = 16 << 20
)

var errTooLarge = errors.New("larger than any Kubernetes object")

// jsonStream finds the values of a JSON text in a moving window. It looks only
// at brackets and strings: what is passed over is not checked further, which
// is what makes passing over cheap.
type jsonStream struct {
	in       io.Reader
	buf      []byte
	pos, end int
	// offset and lines count what has left the window.
	offset int64
	lines  int
	err    error
}

func newJSONStream(in io.Reader) *jsonStream {
	return &jsonStream{in: in, buf: make([]byte, firstWindow)}
}

// streamOf reads JSON that is already in memory, in place.
func streamOf(data []byte) *jsonStream {
	return &jsonStream{buf: data, end: len(data), err: io.EOF}
}

// fill reads more, keeping buf[keep:]. It returns how far the window moved,
// and false at the end of the input.
func (s *jsonStream) fill(keep int) (moved int, ok bool) {
	if s.err != nil {
		return 0, false
	}
	if keep > 0 {
		s.lines += bytes.Count(s.buf[:keep], []byte{'\n'})
		s.offset += int64(keep)
		copy(s.buf, s.buf[keep:s.end])
		s.pos, s.end = s.pos-keep, s.end-keep
	} else if s.end == len(s.buf) {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for s.end < len(s.buf) {
		n, err := s.in.Read(s.buf[s.end:])
		s.end += n
		s.err = err
		if n > 0 || err != nil {
			return keep, n > 0
		}
	}
	return keep, true
}

// peek skips white space and shows the next byte; false at the end of the input.
func (s *jsonStream) peek() (byte, bool) {
	for {
		for s.pos < s.end {
			switch c := s.buf[s.pos]; c {
			case ' ', '\n', '\r', '\t':
				s.pos++
			default:
				return c, true
			}
		}
		if _, ok := s.fill(s.pos); !ok {
			return 0, false
		}
	}
}

// next consumes the byte c, after white space.
func (s *jsonStream) next(c byte) error {
	got, ok := s.peek()
	if !ok {
		return s.truncated()
	}
	if got != c {
		return s.errorf("found %q where %q was expected", got, c)
	}
	s.pos++
	return nil
}

// value consumes the next value and returns its bytes, which stay valid until
// the next call. A value that is larger than maxObject is consumed and gives errTooLarge.
func (s *jsonStream) value() ([]byte, error) { return s.scanValue(true) }

// skip consumes the next value.
func (s *jsonStream) skip() error {
	_, err := s.scanValue(false)
	return err
}

func (s *jsonStream) scanValue(keep bool) ([]byte, error) {
	c, ok := s.peek()
	if !ok {
		return nil, s.truncated()
	}
	if c == ',' || c == ':' || c == ']' || c == '}' {
		return nil, s.errorf("found %q where a value was expected", c)
	}
	var sc scan
	start, tooLarge := s.pos, false
	for {
		n, done := sc.step(s.buf[s.pos:s.end])
		s.pos += n
		if done {
			break
		}
		if keep && s.pos-start > maxObject {
			keep, tooLarge = false, true
		}
		if !keep {
			start = s.pos
		}
		moved, ok := s.fill(start)
		start -= moved
		if !ok {
			if sc.scalar && errors.Is(s.err, io.EOF) {
				break
			}
			return nil, s.truncated()
		}
	}
	if tooLarge {
		return nil, errTooLarge
	}
	return s.buf[start:s.pos], nil
}

// line skips to the end of the line and returns the line without it. Only the
// window's worth of a longer line is returned.
func (s *jsonStream) line() []byte {
	start := s.pos
	for {
		if i := bytes.IndexByte(s.buf[s.pos:s.end], '\n'); i >= 0 {
			l := s.buf[start : s.pos+i]
			s.pos += i + 1
			return l
		}
		s.pos = s.end
		if s.pos-start > maxObject {
			start = s.pos
		}
		moved, ok := s.fill(start)
		start -= moved
		if !ok {
			return s.buf[start:s.pos]
		}
	}
}

// key consumes an object's key and the colon, and returns it in lower case.
func (s *jsonStream) key() (string, error) {
	c, ok := s.peek()
	if !ok {
		return "", s.truncated()
	}
	if c != '"' {
		return "", s.errorf("found %q where a key in quotes was expected", c)
	}
	raw, err := s.value()
	if err != nil {
		return "", err
	}
	key := string(bytes.ToLower(raw[1 : len(raw)-1]))
	return key, s.next(':')
}

// text consumes the text that is the key's value.
func (s *jsonStream) text(to *string, key string) error {
	raw, err := s.value()
	if err != nil {
		return err
	}
	*to = ""
	if json.Unmarshal(raw, to) != nil {
		return s.errorf("%s is not a text", key)
	}
	return nil
}

// entries consumes what stands between two brackets; each consumes one of the entries, between which are commas.
func (s *jsonStream) entries(open, end byte, each func() error) error {
	if err := s.next(open); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, ok := s.peek()
		if !ok {
			return s.truncated()
		}
		if c == end {
			s.pos++
			return nil
		}
		if !first {
			if err := s.next(','); err != nil {
				return err
			}
		}
		if err := each(); err != nil {
			return err
		}
	}
}

// more reports whether there is another byte.
func (s *jsonStream) more() bool {
	for s.pos == s.end {
		if _, ok := s.fill(s.pos); !ok {
			return false
		}
	}
	return true
}

// atEnd reports whether the input ended without a read error.
func (s *jsonStream) atEnd() bool { return errors.Is(s.err, io.EOF) }

func (s *jsonStream) lineNumber() int {
	return s.lines + bytes.Count(s.buf[:s.pos], []byte{'\n'}) + 1
}

func (s *jsonStream) errorf(format string, args ...any) error {
	return &syntaxError{line: s.lineNumber(), msg: fmt.Sprintf(format, args...)}
}

// truncated is the error at an end that comes too early: that of the input, or a read error.
func (s *jsonStream) truncated() error {
	if s.err != nil && !errors.Is(s.err, io.EOF) {
		return s.err
	}
	return &syntaxError{line: s.lineNumber(), cutOff: true,
		msg: fmt.Sprintf("the input ends in the middle of an object, at byte %d; export it again", s.offset+int64(s.pos))}
}

// syntaxError is a fault of the whole file at a line.
type syntaxError struct {
	line int
	msg  string
	// cutOff: as far as it goes the input is what it should be.
	cutOff bool
}

func (e *syntaxError) Error() string { return e.msg }

// scan finds the end of one JSON value, in as many pieces as the text comes in.
type scan struct {
	depth            int
	begun, scalar    bool
	inString, escape bool
}

// step consumes the part of the value that is in b; done when the value ends
// in it. Numbers and literals end before the byte that follows them.
func (c *scan) step(b []byte) (n int, done bool) {
	for i := 0; i < len(b); {
		if c.inString {
			end, ok := c.stringEnd(b[i:])
			i += end
			if !ok {
				return i, false
			}
			if c.depth == 0 {
				return i, true
			}
			continue
		}
		switch b[i] {
		case '"':
			if c.scalar {
				return i, true
			}
			c.begun, c.inString = true, true
		case '{', '[':
			if c.scalar {
				return i, true
			}
			c.begun = true
			c.depth++
		case '}', ']':
			if c.scalar {
				return i, true
			}
			c.depth--
			if c.depth <= 0 {
				return i + 1, true
			}
		case ' ', '\n', '\r', '\t', ',', ':':
			if c.scalar {
				return i, true
			}
		default:
			if !c.begun {
				c.begun, c.scalar = true, true
			}
		}
		i++
	}
	return len(b), false
}

// stringEnd returns what follows the string's closing quote in b.
func (c *scan) stringEnd(b []byte) (n int, ok bool) {
	if c.escape && len(b) > 0 {
		c.escape = false
		n = 1
	}
	for {
		q := bytes.IndexByte(b[n:], '"')
		if q < 0 {
			c.escape = oddBackslashes(b[n:])
			return len(b), false
		}
		odd := oddBackslashes(b[n : n+q])
		n += q + 1
		if !odd {
			c.inString = false
			return n, true
		}
	}
}

// oddBackslashes reports whether b ends in a backslash that escapes what follows.
func oddBackslashes(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
