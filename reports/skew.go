package reports

import (
	"io"

	"upsim/model"
	"upsim/model/skew"
)

// skewRow is one component of the published JSON form. Oldest and newest are
// minors (1.31), empty where no version is allowed at all; order 0 has no turn.
type skewRow struct {
	Component string `json:"component"`
	Oldest    string `json:"oldest"`
	Newest    string `json:"newest"`
	Order     int    `json:"order"`
	Note      string `json:"note"`
}

// SkewTable writes the skew policy as filled in for some API servers: what each
// component may be, and its turn in an upgrade.
func SkewTable(w io.Writer, rows []skew.Row, format string, opts TableOptions) error {
	switch format {
	case FormatJSON:
		out := make([]skewRow, len(rows))
		for i, r := range rows {
			out[i] = skewRow{r.Component, minor(r.Oldest), minor(r.Newest), r.Order, r.Note}
		}
		return writeJSON(w, struct {
			envelope
			Components []skewRow `json:"components"`
		}{envelopeOf("SkewTable"), out})
	case FormatTable:
		p := newPage(opts)
		if len(rows) == 0 {
			p.text(0, "There is no policy without an API server.")
			return p.writeTo(w)
		}
		g := grid{columns: []column{
			{"COMPONENT", false, false}, {"OLDEST", false, false}, {"NEWEST", false, false}, {"ORDER", true, false}, {"NOTE", false, true},
		}}
		for _, r := range rows {
			order := ""
			if r.Order > 0 {
				order = itoa(r.Order)
			}
			g.add(r.Component, allowed(r.Oldest), allowed(r.Newest), order, r.Note)
		}
		p.grid(&g, 0)
		return p.writeTo(w)
	}
	return unknownFormat(format)
}

func minor(v model.Version) string {
	if v.IsZero() {
		return ""
	}
	return v.MinorString()
}

func allowed(v model.Version) string {
	if v.IsZero() {
		return "none"
	}
	return v.MinorString()
}
