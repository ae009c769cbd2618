package reports

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"upsim/sim"
)

// csvColumns are the columns of a batch's CSV; times are in seconds. A row
// without a result has them empty but for where it comes from and its error.
var csvColumns = []struct {
	head string
	cell func(*Row) string
	// always: a row without a result has it too.
	always bool
}{
	{"input", func(r *Row) string { return strconv.Itoa(r.Input) }, true},
	{"file", func(r *Row) string { return r.File }, true},
	{"document", func(r *Row) string { return orNothing(r.Document) }, true},
	{"replication", func(r *Row) string { return orNothing(r.Replication) }, true},
	{"scenario", func(r *Row) string { return r.Scenario }, true},
	{"strategy", func(r *Row) string { return r.Strategy }, true},
	{"seed", func(r *Row) string {
		if r.Failure != nil && r.Failure.Seed == nil {
			return ""
		}
		return strconv.FormatUint(r.Seed, 10)
	}, true},
	{"verdict", func(r *Row) string { return string(r.Verdict) }, false},
	{"reason", func(r *Row) string { return string(r.Reason) }, false},
	{"errors", func(r *Row) string { return itoa(r.Errors) }, false},
	{"warnings", func(r *Row) string { return itoa(r.Warnings) }, false},
	{"makespanSeconds", func(r *Row) string { return jsonNumber(r.Makespan) }, false},
	{"worstDowntimeSeconds", func(r *Row) string { return jsonNumber(r.WorstDowntime) }, false},
	{"pendingSeconds", func(r *Row) string { return jsonNumber(r.Pending) }, false},
	{"leastReadyShare", func(r *Row) string { return jsonNumber(sim.Seconds(1 - r.Missing)) }, false},
	{"podsMovedAgain", func(r *Row) string { return itoa(r.MovedAgain) }, false},
	{"evictions", func(r *Row) string { return itoa(r.Evictions) }, false},
	{"evictionsRefused", func(r *Row) string { return itoa(r.Refused) }, false},
	{"surgePeakNodes", func(r *Row) string { return itoa(r.ExtraNodes) }, false},
	{"surgeNodeHours", func(r *Row) string { return jsonNumber(r.NodeHours) }, false},
	{"blastRadiusPods", func(r *Row) string { return itoa(r.Blast) }, false},
	{"error", func(r *Row) string { return r.Failure.firstLine() }, true},
}

func orNothing(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// jsonNumber writes a number as the JSON of a result has it.
func jsonNumber(x sim.Seconds) string {
	text, err := json.Marshal(x)
	if err != nil {
		return ""
	}
	return string(text)
}

// firstLine is the error without the lines of the file that it may show; nothing where there is none.
func (f *Failure) firstLine() string {
	if f == nil {
		return ""
	}
	line, _, _ := strings.Cut(f.Error, "\n")
	return line
}

// CSVHead writes the names of the columns.
func CSVHead(w io.Writer) error {
	heads := make([]string, len(csvColumns))
	for i, c := range csvColumns {
		heads[i] = c.head
	}
	return writeRecord(w, heads)
}

// CSVRow writes one row of a batch.
func CSVRow(w io.Writer, r *Row) error {
	record := make([]string, len(csvColumns))
	for i, c := range csvColumns {
		if c.always || r.Failure == nil {
			record[i] = c.cell(r)
		}
	}
	return writeRecord(w, record)
}

func writeRecord(w io.Writer, record []string) error {
	out := csv.NewWriter(w)
	if err := out.Write(record); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}
