package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"upsim/model"
)

// FormatYAML is a block of keys for a scenario file.
const FormatYAML = "yaml"

// settingRow is a key of the published JSON form.
type settingRow struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Source  string `json:"source"`
	Assumed bool   `json:"assumed"`
}

// Strategy writes the keys that a strategy's name stands for, each with its source.
func Strategy(w io.Writer, s *model.Preset, format string, opts TableOptions) error {
	switch format {
	case FormatJSON:
		rows := make([]settingRow, 0, len(s.Settings))
		for _, x := range s.Settings {
			rows = append(rows, settingRow{"upgrade." + x.Key, x.Value, x.Source, x.Assumed})
		}
		return writeJSON(w, struct {
			envelope
			Name     string       `json:"name"`
			About    string       `json:"about"`
			System   bool         `json:"system"`
			Settings []settingRow `json:"settings"`
			Notes    []string     `json:"notes"`
			Docs     []string     `json:"docs"`
		}{envelopeOf("Strategy"), s.Name, s.About, s.System, rows, orEmpty(strategyNotes(s)), orEmpty(s.Docs)})
	case FormatYAML:
		_, err := w.Write(strategyBlock(s))
		return err
	case FormatTable:
		p := newPage(opts)
		p.text(0, s.Name+": "+s.About)
		p.section("Keys under upgrade")
		g := grid{columns: []column{{"KEY", false, false}, {"VALUE", false, true}, {"SOURCE", false, true}}}
		for _, x := range s.Settings {
			g.add(x.Key, x.Value, source(&x))
		}
		p.grid(&g, tableIndent)
		p.bullets("Notes", strategyNotes(s))
		p.bullets("Documents", s.Docs)
		p.buf.WriteByte('\n')
		p.text(0, fmt.Sprintf("Next: write `strategy: %s` under upgrade.nodes, with any of these keys beside it to have another value; or print them to paste and change: upsim strategies show %s -o yaml", s.Name, s.Name))
		return p.writeTo(w)
	}
	return fmt.Errorf("unknown format %q; the formats are %s, %s and %s", format, FormatTable, FormatJSON, FormatYAML)
}

func (p *page) bullets(title string, list []string) {
	if len(list) == 0 {
		return
	}
	p.section(title)
	for _, line := range list {
		p.para("  - ", 4, line, 4)
	}
}

func source(s *model.Setting) string {
	if s.Assumed {
		return "assumed: " + s.Source
	}
	return s.Source
}

// strategyNotes are what a list of keys and values cannot say.
func strategyNotes(s *model.Preset) []string {
	var notes []string
	if s.OnTimeout != nil {
		notes = append(notes, fmt.Sprintf("With a drain.timeout of your own drain.onFailure is %s (%s).", s.OnTimeout.Value, s.OnTimeout.Source))
	}
	return append(notes, s.Differs...)
}

// strategyBlock is the strategy written out as a mapping whose keys go under upgrade.
func strategyBlock(s *model.Preset) []byte {
	name := s.Name
	if s.System {
		name = model.StrategyRolling
	}
	var b yamlBlock
	b.comment("%s: %s", s.Name, s.About)
	b.comment("What `strategy: %s` stands for. It goes under upgrade, as it is indented.", s.Name)
	for _, note := range strategyNotes(s) {
		b.comment("%s", note)
	}
	for _, part := range []string{"controlPlane", "nodes"} {
		b.mapping(1, part)
		if part == "nodes" {
			b.line(2, "strategy: "+name, "the keys below say the rest")
		}
		open := ""
		for i := range s.Settings {
			x := &s.Settings[i]
			path := strings.Split(x.Key, ".")
			if path[0] != part {
				continue
			}
			if len(path) == 3 && path[1] != open {
				b.mapping(2, path[1])
				open = path[1]
			}
			b.line(len(path), fmt.Sprintf("%s: %s", path[len(path)-1], x.Value), source(x))
		}
		b.end()
	}
	return b.Bytes()
}

// yamlBlock collects lines of YAML, with comments in a column of their own.
type yamlBlock struct {
	bytes.Buffer
	pending []string
}

// commentColumn is where a comment beside a value begins.
const commentColumn = 34

func (b *yamlBlock) comment(format string, args ...any) {
	b.WriteString(cmp.Or(strings.TrimSuffix(fmt.Sprintf("# "+format, args...), "\n"), "#") + "\n")
}

// mapping begins a mapping, which is written once it has a line.
func (b *yamlBlock) mapping(depth int, key string) {
	b.pending = append(b.pending, strings.Repeat("  ", depth)+key+":")
}

// end drops a mapping that got no line.
func (b *yamlBlock) end() { b.pending = nil }

func (b *yamlBlock) line(depth int, text, comment string) {
	for _, p := range b.pending {
		b.WriteString(p + "\n")
	}
	b.pending = nil
	text = strings.Repeat("  ", depth) + text
	fmt.Fprintf(b, "%-*s  # %s\n", commentColumn, text, comment)
}
