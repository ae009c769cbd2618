package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// writeYAML writes what writeJSON would as YAML: mappings in blocks, lists of
// words on one line as far as they are short.
func writeYAML(w io.Writer, v any) error {
	var text bytes.Buffer
	if err := writeJSON(&text, v); err != nil {
		return err
	}
	dec := json.NewDecoder(&text)
	dec.UseNumber()
	n, err := yamlNode(dec)
	if err != nil {
		return fmt.Errorf("cannot write as YAML: %w", err)
	}
	var b bytes.Buffer
	n.write(&b, 0)
	_, err = w.Write(b.Bytes())
	return err
}

// yamlValue is a value on its way into YAML: a scalar as it is written there, or a mapping or list.
type yamlValue struct {
	scalar string
	keys   []string // of a mapping; empty for a list
	items  []*yamlValue
	kind   json.Delim // { or [; 0 for a scalar
}

// yamlNode reads the next JSON value with its keys in their order.
func yamlNode(dec *json.Decoder) (*yamlValue, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		n := &yamlValue{kind: t}
		for dec.More() {
			if t == '{' {
				key, err := dec.Token()
				if err != nil {
					return nil, err
				}
				n.keys = append(n.keys, yamlWord(key.(string)))
			}
			item, err := yamlNode(dec)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
		_, err := dec.Token() // the closing one
		return n, err
	case string:
		return &yamlValue{scalar: yamlWord(t)}, nil
	case nil:
		return &yamlValue{scalar: "null"}, nil
	}
	return &yamlValue{scalar: fmt.Sprint(t)}, nil // a number or a truth value
}

// mostFlow is the longest line that a list of words is written on.
const mostFlow = 100

// flow is the value on one line; nothing where it belongs into a block.
func (n *yamlValue) flow() (string, bool) {
	switch {
	case n.kind == 0:
		return n.scalar, true
	case len(n.items) == 0:
		return map[json.Delim]string{'{': "{}", '[': "[]"}[n.kind], true
	case n.kind == '{':
		return "", false
	}
	words := make([]string, len(n.items))
	for i, item := range n.items {
		if words[i] = item.scalar; item.kind != 0 || strings.ContainsAny(item.scalar, " ,") {
			return "", false
		}
	}
	line := "[" + strings.Join(words, ", ") + "]"
	return line, len(line) <= mostFlow
}

// write writes a mapping or a list in a block, the first line of which is indented already.
func (n *yamlValue) write(b *bytes.Buffer, indent int) {
	if line, ok := n.flow(); ok {
		b.WriteString(line + "\n")
		return
	}
	for i, item := range n.items {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", indent))
		}
		if n.kind == '[' {
			b.WriteString("- ")
			item.write(b, indent+2)
			continue
		}
		b.WriteString(n.keys[i] + ":")
		if line, ok := item.flow(); ok {
			b.WriteString(" " + line + "\n")
			continue
		}
		deeper := indent + 2
		if item.kind == '[' {
			deeper = indent // a list stands below its key, as kubectl writes it
		}
		b.WriteString("\n" + strings.Repeat(" ", deeper))
		item.write(b, deeper)
	}
}

var (
	// yamlPlain are texts that mean themselves without quotes: words, with more of them behind single spaces.
	yamlPlain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./=@+-]*( [A-Za-z0-9_./=@+-]+)*$`)
	// yamlAmount are durations, which YAML takes for no number.
	yamlAmount = regexp.MustCompile(`^([0-9]+h)?([0-9]+m)?([0-9.]+(s|ms|µs))?$`)
	// yamlOther are words that YAML 1.1 or 1.2 takes for something else than text.
	yamlOther = []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null"}
)

// yamlWord is a text as YAML writes it, in double quotes where it would mean something else.
func yamlWord(s string) string {
	if s != "" && (yamlPlain.MatchString(s) || yamlAmount.MatchString(s)) && !slices.Contains(yamlOther, strings.ToLower(s)) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String() + `"`
}
