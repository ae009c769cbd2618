package kube

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"upsim/model"
)

// yamlStream splits YAML text, without understanding more of it than
// indentation, into documents, and a document's `items:` into its elements.
// Each piece is cut down to the wanted keys and then converted to JSON.
type yamlStream struct {
	r    *Reader
	line int

	list   list
	isList bool
	// inItems: the lines are elements of the list, whose dashes stand at column dash (-1: none seen yet).
	inItems bool
	dash    int

	piece     []byte // the element, or the document outside of items
	pieceLine int    // where it begins
	head      []byte // the document outside of items, while an element is collected
	headLine  int
	tooLarge  bool
}

func (r *Reader) readYAML(br *bufio.Reader) error {
	y := &yamlStream{r: r}
	var inLogs bool
	for {
		line, err := readLine(br)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		y.line++
		switch {
		case inLogs:
			inLogs = !bytes.HasPrefix(line, []byte(logsEnd))
		case bytes.HasPrefix(line, []byte(logsStart)):
			inLogs = true
		default:
			if err := y.add(line); err != nil {
				return err
			}
		}
		if err != nil {
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
	indent := len(text) - len(bytes.TrimLeft(text, " "))
	if text[indent] == '#' {
		y.collect(line)
		return nil
	}
	isDash := text[indent] == '-' && (len(text) == indent+1 || text[indent+1] == ' ')
	if y.inItems {
		if y.dash < 0 && isDash {
			y.dash = indent
		}
		switch {
		case y.dash >= 0 && indent == y.dash && isDash:
			err := y.endElement()
			y.pieceLine = y.line
			// The dash is one column of the element's indentation.
			y.collect(line[:indent])
			y.collect([]byte{' '})
			y.collect(line[indent+1:])
			return err
		case y.dash >= 0 && indent > y.dash:
			y.collect(line)
			return nil
		}
		if err := y.endElement(); err != nil {
			return err
		}
		y.inItems = false
		y.piece, y.head, y.pieceLine = append(y.piece[:0], y.head...), y.head[:0], y.headLine
	}
	if key, ok := bytes.CutSuffix(bytes.ToLower(text), []byte(":")); ok && string(key) == "items" {
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

func (y *yamlStream) collect(line []byte) {
	if len(y.piece)+len(line) > maxObject {
		y.tooLarge = true
		return
	}
	y.piece = append(y.piece, line...)
}

// endElement takes the element of the list that ends here, if there is one.
func (y *yamlStream) endElement() error {
	defer y.clear()
	if y.dash < 0 || len(bytes.TrimSpace(y.piece)) == 0 {
		return nil
	}
	raw, ok := y.convert(y.dash + 2)
	if !ok {
		return nil
	}
	return y.r.object(raw, &y.list, 0)
}

func (y *yamlStream) endDocument() error {
	if y.inItems {
		if err := y.endElement(); err != nil {
			return err
		}
		y.piece, y.head = append(y.piece[:0], y.head...), y.head[:0]
	}
	defer func() {
		y.clear()
		y.list, y.isList, y.inItems = list{}, false, false
	}()
	if y.isList {
		if kind := yamlText(y.piece, 0, "kind"); kind != "" {
			y.list.kind = kind
		}
		if v := yamlText(y.piece, 0, "apiVersion"); v != "" {
			y.list.apiVersion = v
		}
		y.r.seen++
		y.r.release(&y.list)
		return nil
	}
	if len(bytes.TrimSpace(y.piece)) == 0 {
		return nil
	}
	raw, ok := y.convert(0)
	if !ok {
		return nil
	}
	if raw = trimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		if y.r.fault == "" && string(raw) != "null" {
			y.r.fault = fmt.Sprintf("line %d begins neither an object nor a list", y.pieceLine)
		}
		return nil
	}
	return y.r.document(streamOf(raw), 0)
}

func (y *yamlStream) clear() { y.piece, y.tooLarge = y.piece[:0], false }

// convert turns the piece into JSON; false when it is passed over. Column is that of its keys.
func (y *yamlStream) convert(column int) ([]byte, bool) {
	if y.tooLarge {
		y.r.note(y.r.file, "", fmt.Errorf("the one that begins at line %d is %w", y.pieceLine, errTooLarge))
		return nil, false
	}
	text := y.piece
	kind := yamlText(text, column, "kind")
	if kind != "" && groupsOf[kind] == nil && !strings.HasSuffix(kind, "List") {
		y.r.seen++
		return nil, false
	}
	if kind != "" && groupsOf[kind] != nil || column > 0 {
		if pruned, ok := pruneYAML(y.r.scratch[:0], text, column, yamlFields); ok {
			y.r.scratch, text = pruned, pruned
		}
	}
	raw, err := model.YAMLToJSON(text)
	if err != nil {
		y.r.note(y.r.file, "", fmt.Errorf("the one that begins at line %d is no YAML: %v", y.pieceLine, err))
		return nil, false
	}
	return raw, true
}

// yamlText is the value of a key at a column, where it is a plain word.
func yamlText(text []byte, column int, key string) string {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		if len(line) <= column || len(bytes.TrimLeft(line[:column], " ")) > 0 {
			continue
		}
		if val, ok := bytes.CutPrefix(line[column:], []byte(key+":")); ok {
			return string(bytes.Trim(val, " \r\"'"))
		}
	}
	return ""
}
