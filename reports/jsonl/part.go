package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash"

	"upsim/model"
	"upsim/reports"
)

// The kinds of a part's first and last line.
const (
	kindHead = "BatchPart"
	kindTail = "BatchPartEnd"
)

// Batch is what all shards of a batch have in common: the same command line, but for the shard, on the same files.
type Batch struct {
	// Upsim is the version.
	Upsim string `json:"upsim"`
	// Inputs are how many files there are, InputsSHA256 the digest of their paths.
	Inputs       int    `json:"inputs"`
	InputsSHA256 string `json:"inputsSHA256"`
	// Flags are those that change results; nil where none was given.
	Flags *reports.Flags `json:"flags,omitempty"`
}

// Head is the first line of a part.
type Head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Shard      Shard  `json:"shard"`
	Batch
}

// NewHead is the head of a shard's part.
func NewHead(s Shard, b Batch) *Head { return &Head{model.APIVersion, kindHead, s, b} }

// Tail is the last line of a part: what stands before it.
type Tail struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Rows       int    `json:"rows"`
	// SHA256 is that of all lines before.
	SHA256 string `json:"sha256"`
	// ContentsSHA256 is the digest of all files of the batch, also those that other shards simulate.
	ContentsSHA256 string `json:"contentsSHA256"`
}

func line(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a head and a tail hold nothing that JSON cannot
	}
	return append(text, '\n')
}

// parse reads a line of one kind; other keys are a sign of another version.
func parse[T any](line []byte, kind string) (*T, error) {
	var is struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if json.Unmarshal(line, &is) != nil || is.Kind != kind {
		return nil, fmt.Errorf("no line of kind %s", kind)
	}
	if is.APIVersion != model.APIVersion {
		return nil, fmt.Errorf("it is of apiVersion %s, not %s", is.APIVersion, model.APIVersion)
	}
	v := new(T)
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return nil, err
	}
	return v, nil
}

// difference says what of b is not as in a; nothing where all is.
func (a *Batch) difference(b *Batch) string {
	for _, d := range []struct{ what, a, b string }{
		{"version of upsim", a.Upsim, b.Upsim},
		{"number of files", fmt.Sprint(a.Inputs), fmt.Sprint(b.Inputs)},
		{"list of files", a.InputsSHA256, b.InputsSHA256},
	} {
		switch {
		case d.a == d.b:
		case d.what == "list of files":
			return "the list of files is another"
		default:
			return fmt.Sprintf("the %s is %s and not %s", d.what, d.b, d.a)
		}
	}
	if a.Flags.String() != b.Flags.String() {
		return fmt.Sprintf("the flags are %q and not %q", b.Flags, a.Flags)
	}
	return ""
}

// checkTail compares a part's last line with what stands before it.
func checkTail(t *Tail, rows int, sum hash.Hash) error {
	switch {
	case t.Rows != rows:
		return fmt.Errorf("it is damaged: it has %d rows and not the %d that were written", rows, t.Rows)
	case t.SHA256 != fmt.Sprintf("%x", sum.Sum(nil)):
		return errors.New("it is damaged: it has other bytes than were written")
	}
	return nil
}
