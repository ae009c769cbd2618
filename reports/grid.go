package reports

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// column is one column of a grid.
type column struct {
	head string
	// right aligns numbers and times.
	right bool
	// flex may be broken over several lines where the line would be too long.
	flex bool
}

// grid is a table with the look of kubectl get: heads in capitals, no lines.
type grid struct {
	columns []column
	rows    [][]string
}

func (g *grid) add(cells ...string) {
	for i, c := range cells {
		if cells[i] = clean(c); c == "" {
			cells[i] = "-"
		}
	}
	g.rows = append(g.rows, cells)
}

const gap = "  "

// leastColumn is the least width to which a flex column is squeezed.
const leastColumn = 8

// render gives the table in lines of at most width columns, as far as its flex
// columns allow; 0 means that lines may be of any length.
func (g *grid) render(width int) ([]string, error) {
	if width > 0 {
		g.squeeze(width)
	}
	align := make([]tw.Align, len(g.columns))
	heads := make([]any, len(g.columns))
	for i, c := range g.columns {
		heads[i], align[i] = c.head, tw.AlignLeft
		if c.right {
			align[i] = tw.AlignRight
		}
	}
	pad := tw.CellPadding{Global: tw.Padding{Left: tw.Empty, Right: gap, Overwrite: true}}
	part := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{Global: tw.AlignLeft, PerColumn: align},
		Padding:    pad,
	}
	var buf bytes.Buffer
	t := tablewriter.NewTable(&buf,
		// Off: otherwise the width of a character would depend on the locale.
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: part, Row: part}),
	)
	t.Header(heads...)
	if err := t.Bulk(g.rows); err != nil {
		return nil, fmt.Errorf("cannot lay out a table: %w", err)
	}
	if err := t.Render(); err != nil {
		return nil, fmt.Errorf("cannot lay out a table: %w", err)
	}
	lines := strings.Split(strings.TrimRight(buf.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines, nil
}

// squeeze breaks the cells of the widest flex columns until the table fits.
func (g *grid) squeeze(width int) {
	widths := make([]int, len(g.columns))
	total := len(gap) * (len(g.columns) - 1)
	for i, c := range g.columns {
		widths[i] = cells(c.head)
		for _, row := range g.rows {
			widths[i] = max(widths[i], cells(row[i]))
		}
		total += widths[i]
	}
	narrowed := make([]bool, len(g.columns))
	for ; total > width; total-- {
		widest := -1
		for i, c := range g.columns {
			least := max(leastColumn, cells(c.head))
			if c.flex && widths[i] > least && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
		narrowed[widest] = true
	}
	for i := range g.columns {
		if !narrowed[i] {
			continue
		}
		for _, row := range g.rows {
			row[i] = strings.Join(wrap(row[i], widths[i]), "\n")
		}
	}
}
