package reports

import (
	"bytes"
	"io"
	"strings"

	"upsim/model"
)

// TableOptions say how a report for people is laid out.
type TableOptions struct {
	// Color marks the verdict and the severities; everything else stays plain.
	Color bool
	// Width is the number of terminal columns; long lines are broken to fit it,
	// down to 40. Zero, for output that is not a terminal, breaks nothing.
	Width int
	// Verbose lists every workload, node, budget and finding instead of the worst.
	Verbose bool
}

// The most rows that a section shows unless it is verbose.
const (
	mostRows  = 20
	mostNodes = 50
	mostAlike = 5
)

// page collects a report, so that it is written whole or not at all.
type page struct {
	TableOptions
	buf bytes.Buffer
	err error
}

func newPage(opts TableOptions) *page {
	if opts.Width > 0 {
		opts.Width = max(40, opts.Width)
	}
	return &page{TableOptions: opts}
}

func (p *page) writeTo(w io.Writer) error {
	if p.err != nil {
		return p.err
	}
	_, err := w.Write(p.buf.Bytes())
	return err
}

// section starts a part of the report: an empty line and its title.
func (p *page) section(title string) {
	if p.buf.Len() > 0 {
		p.buf.WriteByte('\n')
	}
	p.buf.WriteString(title + ":\n")
}

// para writes text after the lead; further lines are indented by hang columns.
// The lead is printed as it is, so that it may hold colour; leadCells is its width.
func (p *page) para(lead string, leadCells int, text string, hang int) {
	width := 0
	if p.Width > 0 {
		width = p.Width - max(hang, leadCells)
	}
	for i, line := range wrap(clean(text), width) {
		if i == 0 {
			p.buf.WriteString(lead)
		} else {
			p.buf.WriteString(strings.Repeat(" ", hang))
		}
		p.buf.WriteString(line + "\n")
	}
}

// text writes a paragraph indented by indent columns.
func (p *page) text(indent int, text string) {
	p.para(strings.Repeat(" ", indent), indent, text, indent)
}

const tableIndent = 2

// grid writes a table, indented by indent columns.
func (p *page) grid(g *grid, indent int) {
	width := p.Width
	if width > 0 {
		width -= indent
	}
	lines, err := g.render(width)
	if err != nil {
		p.err = err
		return
	}
	for _, line := range lines {
		p.buf.WriteString(strings.Repeat(" ", indent) + line + "\n")
	}
}

// limit is how many of n rows a section shows.
func (p *page) limit(n, most int) int {
	if p.Verbose {
		return n
	}
	return min(n, most)
}

const (
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

func (p *page) paint(codes, word string) string {
	if !p.Color {
		return word
	}
	return codes + word + reset
}

// severityLead starts a line with a severity; what follows, and the lines below it, are
// indented by hang columns. A word that is none of the severities is cut to their column.
func (p *page) severityLead(s model.Severity) (lead string, hang int) {
	const column = len("warning")
	word := breakWord(clean(string(s)), column)[0]
	lead = "  " + word
	switch s {
	case model.SeverityError:
		lead = "  " + p.paint(bold+red, word)
	case model.SeverityWarning:
		lead = "  " + p.paint(yellow, word)
	}
	return lead + strings.Repeat(" ", column-cells(word)+2), 2 + column + 2
}
