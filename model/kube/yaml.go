package kube

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// yamlStream splits YAML text, without understanding more of it than
// indentation, into documents, and a document's `items:` into its elements.
// Each piece is cut down to the wanted keys and then converted to JSON.
type yamlStream struct {
	r    *Reader
	line int

	list   list
	isList bool
	// itemsLine is where the list's items begin. lastOdd: its last element is not understood.
	itemsLine int
	lastOdd   bool
	// inItems: the lines are elements of the list, whose dashes stand at column dash (-1: none seen yet).
	inItems bool
	dash    int

	aside      []yamlItem // elements that are not read yet
	asideBytes int

	piece     []byte // the element, or the document outside of items
	pieceLine int    // where it begins
	head      []byte // the document outside of items, while an element is collected
	headLine  int
	tooLarge  bool
	notYAML   string // why the piece that was converted last is no YAML
	lastLine  int    // the last line that has anything in it
	ended     bool   // that line has a newline
	atEnd     bool   // the input has ended
}

func (r *Reader) readYAML(br *bufio.Reader) error {
	y := &yamlStream{r: r}
	inLogs := 0 // the line where the log begins
	for {
		line, err := readLine(br)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		y.line++
		if len(line) > 0 {
			y.lastLine, y.ended = y.line, line[len(line)-1] == '\n'
		}
		switch {
		case inLogs > 0:
			if endsLog(line) {
				inLogs = 0
			}
		case bytes.HasPrefix(line, []byte(logsStart)):
			inLogs = y.line
		default:
			if err := y.add(line); err != nil {
				y.take() // what stands before the fault says whether this is kubectl's at all
				return err
			}
		}
		if err != nil {
			if inLogs > 0 {
				return logCutOff(inLogs)
			}
			y.atEnd = true
			return y.endDocument()
		}
	}
}

// readLine reads a line with its newline; of a line longer than maxObject only the beginning.
func readLine(br *bufio.Reader) ([]byte, error) {
	line, err := br.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long := append([]byte(nil), line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = br.ReadSlice('\n')
		if len(long) <= maxObject {
			long = append(long, line...)
		}
	}
	return long, err
}

func (y *yamlStream) add(line []byte) error {
	text := bytes.TrimRight(line, " \r\n")
	if len(text) == 0 {
		y.collect(line)
		return nil
	}
	if rest, ok := bytes.CutPrefix(text, []byte("---")); ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '-') {
		err := y.endDocument()
		if rest = bytes.Trim(rest, " -"); len(rest) > 0 {
			y.collect(append(rest[:len(rest):len(rest)], '\n'))
		}
		return err
	}
	if string(text) == "..." {
		return y.endDocument()
	}
	if text[0] == '\t' && len(bytes.TrimSpace(text)) > 0 {
		return &syntaxError{line: y.line, msg: "this line begins with a tab, and YAML is indented with spaces; export it again"}
	}
	indent := len(text) - len(bytes.TrimLeft(text, " "))
	if text[indent] == '#' {
		y.collect(line)
		return nil
	}
	if y.inItems {
		within, err := y.addToItems(line, text, indent)
		if within || err != nil {
			return err
		}
	}
	if indent == 0 && y.repeats(text) {
		if err := y.endDocument(); err != nil {
			return err
		}
	}
	if key, ok := bytes.CutSuffix(bytes.ToLower(text), []byte(":")); ok && string(key) == "items" {
		y.itemsLine, y.lastOdd = y.line, false
		y.isList, y.inItems, y.dash = true, true, -1
		y.list.apiVersion, y.list.kind = yamlText(y.piece, 0, "apiVersion"), yamlText(y.piece, 0, "kind")
		y.head, y.piece, y.headLine = append(y.head[:0], y.piece...), y.piece[:0], y.pieceLine
		return nil
	}
	if len(y.piece) == 0 {
		y.pieceLine = y.line
	}
	y.collect(line)
	return nil
}

// addToItems takes a line that may be one of a list's elements; where it is none, the elements have ended and what stands around
// them goes on.
func (y *yamlStream) addToItems(line, text []byte, indent int) (within bool, err error) {
	dashed := isDash(text[indent:])
	if y.dash < 0 && dashed {
		y.dash = indent
	}
	switch {
	case y.dash >= 0 && indent == y.dash && dashed:
		err := y.endElement()
		y.pieceLine = y.line
		// The dash is one column of the element's indentation.
		y.collect(line[:indent])
		y.collect([]byte{' '})
		y.collect(line[indent+1:])
		return true, err
	case y.dash >= 0 && indent > y.dash:
		y.collect(line)
		return true, nil
	}
	if err := y.endItems(); err != nil {
		return false, err
	}
	y.inItems = false
	y.piece, y.head, y.pieceLine = append(y.piece[:0], y.head...), y.head[:0], y.headLine
	return false, nil
}

func (y *yamlStream) collect(line []byte) {
	if len(y.piece)+len(line) > maxObject {
		y.tooLarge = true
		return
	}
	y.piece = append(y.piece, line...)
}

// endElement sets the element of the list that ends here aside, if there is one; take reads it.
func (y *yamlStream) endElement() error {
	defer y.clear()
	if y.dash < 0 || len(bytes.TrimSpace(y.piece)) == 0 {
		return nil
	}
	y.aside = append(y.aside, yamlItem{text: bytes.Clone(y.piece), line: y.pieceLine, column: y.dash + 2, tooLarge: y.tooLarge})
	if y.asideBytes += len(y.piece); y.asideBytes < mostAside {
		return nil
	}
	return y.take()
}

// endItems reads what is left of the list's elements.
func (y *yamlStream) endItems() error {
	if err := y.endElement(); err != nil {
		return err
	}
	return y.take()
}

// repeats reports whether a line at the left edge has a key that the document
// has already: outputs that were put together without a line of dashes between them.
func (y *yamlStream) repeats(text []byte) bool {
	key, _, ok := yamlKey(text)
	if !ok {
		return false
	}
	switch string(key) {
	case "items":
		return y.isList
	case "apiVersion", "kind":
		return hasYAMLKey(y.piece, string(key))
	}
	return false
}

// closed is an error where the list that ends here was cut off. kubectl sorts
// the keys, so a list's kind stands behind its items, and what ends without it
// is not whole. Of a list written with its kind first only its last line
// tells anything: a key behind the items or a mark between documents shows that it is
// whole, and without these the last item must be understood and its line have
// an end. A cut between two lines of such a list, behind which the item makes
// sense by chance, cannot be seen.
func (y *yamlStream) closed(kind string) error {
	first := y.list.kind != ""
	switch {
	case kind == "":
		return y.cutOff("the list whose items begin at line %d ends without a kind, which kubectl writes behind the items;"+
			" the input was cut off: export it again (or, if it is whole, write kind: List above the items)", y.itemsLine)
	case !first && y.atEnd && !y.ended && !strings.HasSuffix(kind, "List"):
		return y.cutOff("the input ends in the middle of a list's kind, %q; export it again", kind)
	case !first || !y.atEnd || !y.inItems:
		return nil
	case y.lastOdd:
		return y.cutOff("the list whose items begin at line %d ends with an item that is not understood (%s);"+
			" if the input was cut off, export it again, else remove the item", y.itemsLine, y.r.lastWhy)
	case !y.ended:
		return y.cutOff("the list whose items begin at line %d ends in the middle of a line; export it again (or, if it is whole, end the line)", y.itemsLine)
	}
	return nil
}

func (y *yamlStream) cutOff(format string, args ...any) error {
	return &syntaxError{line: y.lastLine, cutOff: true, msg: fmt.Sprintf(format, args...)}
}

func (y *yamlStream) endDocument() error {
	if y.inItems {
		if err := y.endItems(); err != nil {
			return err
		}
		y.piece, y.head = append(y.piece[:0], y.head...), y.head[:0]
	}
	defer func() {
		y.clear()
		y.list, y.isList, y.inItems = list{}, false, false
	}()
	apiVersion, kind := yamlText(y.piece, 0, "apiVersion"), yamlText(y.piece, 0, "kind")
	if isScenario(apiVersion, kind) {
		return y.r.scenarioGiven()
	}
	if y.isList {
		if err := y.closed(kind); err != nil {
			return err
		}
		y.list.kind = kind
		if apiVersion != "" {
			y.list.apiVersion = apiVersion
		}
		y.r.seen++
		y.r.release(&y.list)
		return nil
	}
	if len(bytes.TrimSpace(y.piece)) == 0 {
		return nil
	}
	item := yamlItem{text: y.piece, line: y.pieceLine, tooLarge: y.tooLarge}
	item.convert(y.r.interest)
	raw, ok := y.converted(&item)
	if !ok {
		if y.atEnd && y.notYAML != "" && y.r.seen > 0 {
			return y.cutOff("the last document, which begins at line %d, is no YAML (%s); if the input was cut off, export it again", y.pieceLine, y.notYAML)
		}
		return nil
	}
	if kind == "" && lookup(raw, "items") != nil {
		y.itemsLine = y.pieceLine
		return y.closed(kind)
	}
	if raw = trimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		if y.r.fault == "" && string(raw) != "null" {
			y.r.fault = fmt.Sprintf("line %d begins neither an object nor a list", y.pieceLine)
		}
		return nil
	}
	odd := y.r.odd
	if err := y.r.document(streamOf(raw), 0); err != nil {
		return err
	}
	if y.atEnd && !y.ended && y.r.odd > odd {
		return y.cutOff("the last document, which begins at line %d, is not understood (%s); if the input was cut off, export it again", y.pieceLine, y.r.lastWhy)
	}
	return nil
}

func (y *yamlStream) clear() { y.piece, y.tooLarge = y.piece[:0], false }

// yamlText is the value of a key at a column, where it is a plain word.
func yamlText(text []byte, column int, key string) string {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		if len(line) <= column || len(bytes.TrimLeft(line[:column], " ")) > 0 {
			continue
		}
		if val, ok := bytes.CutPrefix(line[column:], []byte(key+":")); ok {
			val, _, _ = bytes.Cut(val, []byte(" #"))
			return string(bytes.Trim(val, " \r\"'"))
		}
	}
	return ""
}

// hasYAMLKey reports whether a key stands at the left edge.
func hasYAMLKey(text []byte, key string) bool {
	return bytes.HasPrefix(text, []byte(key+":")) || bytes.Contains(text, []byte("\n"+key+":"))
}

// yamlNames are the namespace and the name in the metadata of an object that
// cannot be parsed, as kubectl indents them.
func yamlNames(text []byte, column int) (namespace, name string) {
	_, rest, ok := bytes.Cut(text, append(bytes.Repeat([]byte{' '}, column), "metadata:\n"...))
	if !ok {
		return "", ""
	}
	end := len(rest)
	for at := 0; at < len(rest); {
		line, _, _ := bytes.Cut(rest[at:], []byte{'\n'})
		if len(line) > column && line[column] != ' ' {
			end = at
			break
		}
		at += len(line) + 1
	}
	return yamlText(rest[:end], column+2, "namespace"), yamlText(rest[:end], column+2, "name")
}
