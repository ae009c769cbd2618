package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"upsim/model"
	"upsim/sim"
)

// KindError is the kind of a row that has no result but says why.
const KindError = "Error"

// Origin says where a row of a batch comes from: enough to know a finished row again.
type Origin struct {
	// Input is the place of the file among those of the batch, from 1; Document that of the scenario in it.
	Input    int    `json:"input"`
	File     string `json:"file"`
	Document int    `json:"document,omitempty"`
	// Replication counts the seeds, from 1; 0 where each scenario has only its own.
	Replication int `json:"replication,omitempty"`
	// SHA256 is that of the file, in hexadecimal; empty where it could not be read.
	SHA256 string `json:"sha256,omitempty"`
	// ClusterFiles are what the file's scenarios are built on.
	ClusterFiles []FileDigest `json:"clusterFiles,omitempty"`
	// Flags are those that were given and change results.
	Flags *Flags `json:"flags,omitempty"`
	// Upsim is the version that made the row.
	Upsim string `json:"upsim"`
}

// Flags are the flags of a batch that change its results; absent where not given.
type Flags struct {
	Seed      *uint64 `json:"seed,omitempty"`
	Seeds     uint64  `json:"seeds,omitempty"`
	MaxEvents uint64  `json:"maxEvents,omitempty"`
}

// String is how the flags are given.
func (f *Flags) String() string {
	var words []string
	if f != nil && f.Seed != nil {
		words = append(words, fmt.Sprintf("--seed %d", *f.Seed))
	}
	if f != nil && f.Seeds > 0 {
		words = append(words, fmt.Sprintf("--seeds %d", f.Seeds))
	}
	if f != nil && f.MaxEvents > 0 {
		words = append(words, fmt.Sprintf("--max-events %d", f.MaxEvents))
	}
	return strings.Join(words, " ")
}

// FileDigest is a file and its SHA-256 in hexadecimal.
type FileDigest struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Failure is what a row has in place of a result.
type Failure struct {
	Scenario string  `json:"scenario,omitempty"`
	Strategy string  `json:"strategy,omitempty"`
	Seed     *uint64 `json:"seed,omitempty"`
	// ExitCode is that of `upsim run` with the scenario.
	ExitCode int    `json:"exitCode"`
	Error    string `json:"error"`
}

// Row is what a batch keeps of a row for its CSV and its summary.
type Row struct {
	Origin
	Line
	Seed uint64
	// Reason is the first error among the reasons.
	Reason model.Code
	// Failure is set where there is no result.
	Failure *Failure
}

// RowOf keeps of a result what a batch needs.
func RowOf(o Origin, r *sim.Result) Row {
	row := Row{Origin: o, Line: LineOf(r), Seed: r.Seed}
	for _, f := range r.Reasons {
		if f.Severity == model.SeverityError {
			row.Reason = f.Code
			break
		}
	}
	return row
}

// FailureOf is the row of what could not be simulated.
func FailureOf(o Origin, f Failure) Row {
	row := Row{Origin: o, Line: Line{Scenario: f.Scenario, Strategy: f.Strategy}, Failure: &f}
	if f.Seed != nil {
		row.Seed = *f.Seed
	}
	return row
}

// ResultRow writes a result as JSON does, with its origin before it.
func ResultRow(w io.Writer, o Origin, r *sim.Result) error {
	return writeJSON(w, struct {
		Origin
		sim.Result
	}{o, withoutNull(r)})
}

// FailureRow writes what could not be simulated.
func FailureRow(w io.Writer, o Origin, f Failure) error {
	return writeJSON(w, struct {
		Origin
		envelope
		Failure
	}{o, envelopeOf(KindError), f})
}

// ParseRow reads what ResultRow or FailureRow wrote.
func ParseRow(line []byte) (Row, error) {
	o, rest, err := cutOrigin(line)
	if err != nil {
		return Row{}, err
	}
	if bytes.HasPrefix(rest, []byte(`{"apiVersion":"`+model.APIVersion+`","kind":"`+KindError+`",`)) {
		var f Failure
		if err := json.Unmarshal(rest, &f); err != nil {
			return Row{}, fmt.Errorf("not a row of a batch: %w", err)
		}
		return FailureOf(o, f), nil
	}
	var r sim.Result
	if err := json.Unmarshal(rest, &r); err != nil {
		return Row{}, fmt.Errorf("not a row of a batch: %w", err)
	}
	if r.APIVersion != model.APIVersion || r.Kind != sim.KindResult {
		return Row{}, fmt.Errorf("a %s of %s is no row of a batch", r.Kind, r.APIVersion)
	}
	return RowOf(o, &r), nil
}

// ParseOrigin reads only where a row comes from.
func ParseOrigin(line []byte) (Origin, error) {
	o, _, err := cutOrigin(line)
	return o, err
}

// cutOrigin reads the origin, whose keys stand before all others, so that the
// rest, which is long, need not be read for it.
func cutOrigin(line []byte) (o Origin, rest []byte, err error) {
	// In a string its quotes would be escaped.
	head, _, ok := bytes.Cut(line, []byte(`,"apiVersion":`))
	if !ok || json.Unmarshal(append(bytes.Clone(head), '}'), &o) != nil || o.Input < 1 {
		return o, nil, errors.New("not a row of a batch")
	}
	rest = bytes.Clone(line[len(head):])
	rest[0] = '{'
	return o, rest, nil
}
