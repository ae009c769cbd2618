package reports

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"upsim/model"
	"upsim/sim"
)

// JSON writes the result as one compact object and a newline, so that several
// results are JSON Lines. An absent list is [], an absent map {}.
func JSON(w io.Writer, r *sim.Result) error { return writeJSON(w, withoutNull(r)) }

// withoutNull gives every list and map that is absent as an empty one.
func withoutNull(r *sim.Result) sim.Result {
	out := *r
	out.Reasons = orEmpty(out.Reasons)
	out.Phases = orEmpty(out.Phases)
	out.Violations = orEmpty(out.Violations)
	out.Workloads = orEmpty(out.Workloads)
	out.Nodes = orEmpty(out.Nodes)
	out.Budgets = orEmpty(out.Budgets)
	if out.FinalVersions == nil {
		out.FinalVersions = map[string]int{}
	}
	return out
}

// envelope starts every object that is not a result.
type envelope struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func envelopeOf(kind string) envelope { return envelope{APIVersion: model.APIVersion, Kind: kind} }

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// encodings are the buffers of documents that are written: in a batch each row is as long as the one before. A large one is not kept.
var encodings = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const mostKept = 1 << 20

// writeJSON writes v on one line, or nothing at all where v cannot be written.
func writeJSON(w io.Writer, v any) error {
	buf := encodings.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= mostKept {
			buf.Reset()
			encodings.Put(buf)
		}
	}()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("cannot write as JSON: %w", err)
	}
	_, err := w.Write(escapeJSON(buf.Bytes()))
	return err
}

// escapeJSON writes what a terminal would act on as \u escapes. encoding/json
// does so for bytes below 0x20 only; the rest can stand in strings alone, where
// an escape means the same.
func escapeJSON(doc []byte) []byte {
	if plain(doc) {
		return doc // as nearly all are; the look at each character below takes longer than the encoding
	}
	out := make([]byte, 0, len(doc))
	for i := 0; i < len(doc); {
		r, n := utf8.DecodeRune(doc[i:])
		switch {
		case r == '\n' || !unprintable(r): // the newline that ends the object
			out = append(out, doc[i:i+n]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}

// plain reports whether there is nothing but printable ASCII, and newlines.
func plain(doc []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; len(doc) >= 8; doc = doc[8:] {
		// The top bit of a byte tells in x that it is above 0x7f, in x+ones that it is 0x7f, and where it is missing in the difference that it is below ' '.
		x := binary.LittleEndian.Uint64(doc)
		if (x|(x+ones)|^((x|tops)-' '*ones))&tops != 0 && !plainBytes(doc[:8]) {
			return false
		}
	}
	return plainBytes(doc)
}

func plainBytes(doc []byte) bool {
	for _, c := range doc {
		if c >= 0x7f || c < ' ' && c != '\n' {
			return false
		}
	}
	return true
}
