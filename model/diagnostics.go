package model

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Diagnostic is a fault of a scenario file at its place.
type Diagnostic struct {
	File string
	// Line and Col count from 1; Col counts characters, not bytes.
	Line, Col int
	Severity  Severity
	Message   string
	// Source is the line of the file, without its end.
	Source string
}

// String is `file:line:col: error: message`, then the source line and a caret
// below the place. Of a long line it shows what is around the place.
func (d Diagnostic) String() string {
	head := fmt.Sprintf("%s:%d:%d: %s: %s", d.File, d.Line, d.Col, d.Severity, d.Message)
	if strings.TrimSpace(d.Source) == "" {
		return head
	}
	const before, width = 80, 160
	line := []rune(d.Source)
	col := min(max(d.Col-1, 0), len(line))
	start := max(0, col-before)
	end := min(len(line), start+width)
	var source, caret strings.Builder
	if start > 0 {
		source.WriteString("…")
		caret.WriteByte(' ')
	}
	for i, r := range line[start:end] {
		if r != '\t' && !unicode.IsPrint(r) {
			r = unicode.ReplacementChar // never send a file's control characters to a terminal
		}
		source.WriteRune(r)
		if start+i < col {
			if r != '\t' {
				r = ' '
			}
			caret.WriteRune(r)
		}
	}
	if end < len(line) {
		source.WriteString("…")
	}
	return head + "\n" + source.String() + "\n" + caret.String() + "^"
}

// Diagnostics are all faults of a file, in the order of their places.
type Diagnostics []Diagnostic

// maxShown is the number of diagnostics that Error prints.
const maxShown = 20

// Error prints the first twenty faults and the number of the others.
func (ds Diagnostics) Error() string {
	shown := ds[:min(len(ds), maxShown)]
	parts := make([]string, 0, len(shown)+1)
	for _, d := range shown {
		parts = append(parts, d.String())
	}
	if more := len(ds) - len(shown); more > 0 {
		parts = append(parts, fmt.Sprintf("%s: and %d more errors", ds[0].File, more))
	}
	return strings.Join(parts, "\n")
}

// sortAndCompact brings the faults into the order of the file and drops what was found twice.
func (ds Diagnostics) sortAndCompact() Diagnostics {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(ds)
}

// lines finds the text of a line by its number.
type lines struct {
	data   []byte
	starts []int
}

// newLines splits the text where YAML does: at LF, CR LF, CR, NEL, LS and PS.
func newLines(data []byte) *lines {
	l := &lines{data: data, starts: []int{0}}
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '\r':
			if i+1 < len(data) && data[i+1] == '\n' {
				i++
			}
		case '\n':
		case 0xc2: // U+0085
			if i+1 >= len(data) || data[i+1] != 0x85 {
				continue
			}
			i++
		case 0xe2: // U+2028, U+2029
			if i+2 >= len(data) || data[i+1] != 0x80 || data[i+2]&^1 != 0xa8 {
				continue
			}
			i += 2
		default:
			continue
		}
		l.starts = append(l.starts, i+1)
	}
	return l
}

// line is the text of the n-th line, counted from 1, without its end; "" where there is none.
func (l *lines) line(n int) string {
	if n < 1 || n > len(l.starts) {
		return ""
	}
	end := len(l.data)
	if n < len(l.starts) {
		end = l.starts[n]
	}
	text := l.data[l.starts[n-1]:end]
	return string(bytes.TrimRight(bytes.TrimPrefix(text, []byte("\ufeff")), "\r\n\u0085\u2028\u2029"))
}

// quote is the text in quotes, shortened where it is long.
func quote(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return strconv.Quote(s)
}
