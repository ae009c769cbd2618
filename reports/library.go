package reports

import (
	"io"

	"upsim/sim"
)

// LibraryEntry is one embedded scenario.
type LibraryEntry struct {
	Name string `json:"name"`
	// Verdict is what a run of it is expected to say.
	Verdict sim.Verdict `json:"verdict"`
	// Teaches is one line on why it is there.
	Teaches string `json:"teaches"`
}

// Library writes the list of embedded scenarios, in the order given.
func Library(w io.Writer, list []LibraryEntry, format string, opts TableOptions) error {
	switch format {
	case FormatJSON:
		return writeJSON(w, struct {
			envelope
			Scenarios []LibraryEntry `json:"scenarios"`
		}{envelopeOf("ScenarioList"), orEmpty(list)})
	case FormatTable:
		p := newPage(opts)
		if len(list) == 0 {
			p.text(0, "There are no scenarios.")
			return p.writeTo(w)
		}
		g := grid{columns: []column{{"NAME", false, true}, {"VERDICT", false, false}, {"TEACHES", false, true}}}
		for _, e := range list {
			g.add(e.Name, string(e.Verdict), e.Teaches)
		}
		p.grid(&g, 0)
		return p.writeTo(w)
	}
	return unknownFormat(format)
}
