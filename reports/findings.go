package reports

import (
	"fmt"
	"io"

	"upsim/model"
)

// The formats that the lists of this package can be written in.
const (
	FormatTable = "table"
	FormatJSON  = "json"
)

// Checked is what a check found in one scenario, cluster or pasted list.
type Checked struct {
	File string
	// Scenario and Strategy are empty for a pasted list.
	Scenario, Strategy string
	Findings           []model.Finding
}

// Findings writes what a check found, gravest first: for people with a fix for
// each and a line of counts, or as one JSON object of kind Findings.
func Findings(w io.Writer, c Checked, format string, opts TableOptions) error {
	list := bySeverity(c.Findings)
	switch format {
	case FormatJSON:
		return writeJSON(w, struct {
			envelope
			File     string          `json:"file"`
			Scenario string          `json:"scenario"`
			Strategy string          `json:"strategy"`
			Findings []model.Finding `json:"findings"`
		}{envelopeOf("Findings"), c.File, c.Scenario, c.Strategy, orEmpty(list)})
	case FormatTable:
		p := newPage(opts)
		if len(list) == 0 {
			p.text(0, "Nothing to report: no rule is broken, as far as can be known without simulating.")
			return p.writeTo(w)
		}
		p.findings(list, mostRows)
		p.buf.WriteByte('\n')
		p.text(0, countLine(list))
		return p.writeTo(w)
	}
	return unknownFormat(format)
}

func unknownFormat(format string) error {
	return fmt.Errorf("%q is not a format; formats are %s and %s", format, FormatTable, FormatJSON)
}
