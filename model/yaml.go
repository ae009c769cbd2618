package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Limits of what is read as YAML. They keep a hostile or broken file from
// exhausting memory (two million values take about one gigabyte while they are
// parsed) and leave room for eighty thousand explicit nodes.
const (
	// MaxFileBytes is the size from which Decode and YAMLToJSON refuse their input.
	MaxFileBytes = 64 << 20
	// maxIndicators bounds the characters that can begin a value, and so the number of values.
	maxIndicators = 2_000_000
	// maxDepth bounds how deep values may be nested.
	maxDepth = 100
	// maxAliasWeight bounds what aliases may add, in values and in 16 bytes of text.
	maxAliasWeight = 1_000_000
)

type nodeKind uint8

const (
	scalarNode nodeKind = iota
	mappingNode
	sequenceNode
)

type scalarType uint8

const (
	textScalar scalarType = iota
	intScalar
	floatScalar
	boolScalar
	nullScalar
)

// node is a value of a YAML document with its place in the file. Aliases are
// resolved, merge keys are applied, and a mapping has each key once.
type node struct {
	kind  nodeKind
	typ   scalarType
	plain bool // a scalar without quotes
	value string
	keys  []*node // of a mapping
	items []*node // of a sequence, or the values of a mapping

	line, col int
	// key is the key under which the value stands, index its place in a list under that key or -1.
	key    string
	index  int
	weight int // of the value with all that is in it
}

// get is the value of the mapping's key, nil where there is none.
func (n *node) get(key string) *node {
	if n == nil || n.kind != mappingNode {
		return nil
	}
	for i, k := range n.keys {
		if k.value == key {
			return n.items[i]
		}
	}
	return nil
}

func (n *node) isNull() bool { return n.kind == scalarNode && n.typ == nullScalar }

// yamlFault is a fault of the YAML itself.
type yamlFault struct {
	line, col int
	message   string
}

func (f yamlFault) Error() string { return fmt.Sprintf("line %d: %s", f.line, f.message) }

// readYAML reads every document that is not empty. After a fault of the syntax
// nothing more can be read; the documents before it are returned with the faults.
func readYAML(data []byte) (docs []*node, faults []yamlFault) {
	if f := refuseBytes(data); f != nil {
		return nil, []yamlFault{*f}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		doc, err := nextDocument(dec)
		if errors.Is(err, io.EOF) {
			return docs, faults
		}
		if err != nil {
			return docs, append(faults, syntaxFault(data, err))
		}
		b := builder{done: map[*yaml.Node]*node{}, open: map[*yaml.Node]bool{}}
		n := b.build(doc, "", -1, 0)
		faults = append(faults, b.faults...)
		if b.stop {
			return docs, faults
		}
		if n != nil && !n.isNull() {
			docs = append(docs, n)
		}
	}
}

// refuseBytes finds what no YAML can be, before anything is parsed.
func refuseBytes(data []byte) *yamlFault {
	switch {
	case len(data) > MaxFileBytes:
		return &yamlFault{1, 1, fmt.Sprintf("the file has %d MiB; at most %d MiB are read", (len(data)+1<<20-1)>>20, MaxFileBytes>>20)}
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return &yamlFault{1, 1, "the file is UTF-16; save it as UTF-8"}
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		return &yamlFault{1, 1, "the file is compressed (gzip); unpack it first"}
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		line, col := position(data, i)
		return &yamlFault{line, col, "the file is binary: it holds a NUL byte; a scenario is YAML text"}
	}
	values := 0
	for i, size := 0, 0; i < len(data); i += size {
		c := data[i]
		if size = 1; c >= ' ' && c < 0x7f || c == '\n' {
			values += int(indicates[c])
			continue
		}
		r := rune(c)
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(data[i:])
		}
		switch {
		case r == utf8.RuneError && size == 1:
			line, col := position(data, i)
			return &yamlFault{line, col, "the file is not UTF-8 text"}
		case forbidden(r):
			line, col := position(data, i)
			return &yamlFault{line, col, fmt.Sprintf("YAML does not allow the control character %U; remove it", r)}
		}
	}
	if values > maxIndicators {
		return &yamlFault{1, 1, fmt.Sprintf("the file holds more than %d values; describe equal nodes with `nodePools` and equal workloads with `count`", maxIndicators)}
	}
	return nil
}

// forbidden are the characters that YAML 1.2 (§5.1) does not allow in a file.
func forbidden(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r' || r == '\u0085':
		return false
	}
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff
}

// indicates has 1 for the characters of which one stands before every value but the first, or before two values.
var indicates = func() (is [utf8.RuneSelf]uint8) {
	for _, c := range "\n,[{:-?" {
		is[c] = 1
	}
	return is
}()

// nextDocument parses one document. The parser is known to panic on some
// malformed input that its fuzzers found later, so that a panic is a fault of the file.
func nextDocument(dec *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = nil, errors.New("yaml: this is not YAML")
		}
	}()
	n = new(yaml.Node)
	return n, dec.Decode(n)
}

// parserErrorForm are the messages whose line the library counts from 0, as opposed to those of its scanner.
var parserErrorForm = regexp.MustCompile(`^did not find expected (<|node content|'-' indicator|key|',' or)|^found undefined tag handle|^found duplicate %`)

var yamlErrorForm = regexp.MustCompile(`^yaml: (?:line (\d+): )?(?s:(.*))$`)

// syntaxFault gives the parser's message a place: its line, and the first character there.
func syntaxFault(data []byte, err error) yamlFault {
	f := yamlFault{1, 1, err.Error()}
	if m := yamlErrorForm.FindStringSubmatch(err.Error()); m != nil {
		f.message = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			f.line = n
		}
		if m[1] != "" && parserErrorForm.MatchString(f.message) {
			f.line++
		}
	}
	text := newLines(data).line(f.line)
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	if len(indent) < len(text) {
		f.col = len(indent) + 1
	}
	switch {
	case strings.Contains(f.message, "cannot start any token") && strings.Contains(indent, "\t"):
		f.col = strings.IndexByte(indent, '\t') + 1
		f.message = "YAML does not allow tabs for indentation; use spaces"
	case strings.HasPrefix(f.message, "unknown anchor"):
		// The parser does not say where.
		if name := strings.Split(f.message, "'"); len(name) > 1 {
			if i := bytes.Index(data, []byte("*"+name[1])); i >= 0 {
				f.line, f.col = position(data, i)
			}
		}
		f.message += ": an alias (*name) needs an anchor (&name) before it"
	}
	return f
}

// builder turns the parser's nodes into ours.
type builder struct {
	done    map[*yaml.Node]*node // anchored values that are complete
	open    map[*yaml.Node]bool  // anchored values that are being built
	aliases int                  // weight that aliases added
	faults  []yamlFault
	stop    bool   // a limit was hit; nothing more is built
	room    []node // for the next values, which all live as long as the document
}

func (b *builder) fault(y *yaml.Node, format string, args ...any) {
	b.faults = append(b.faults, yamlFault{max(1, y.Line), max(1, y.Column), fmt.Sprintf(format, args...)})
}

func (b *builder) limit(y *yaml.Node, format string, args ...any) *node {
	if !b.stop {
		b.fault(y, format, args...)
	}
	b.stop = true
	return nil
}

// node makes room for a value; one by one they would be a tenth of what decoding a small scenario asks for.
func (b *builder) node() *node {
	if len(b.room) == 0 {
		b.room = make([]node, 32)
	}
	n := &b.room[0]
	b.room = b.room[1:]
	return n
}

// build returns nil once a limit was hit.
func (b *builder) build(y *yaml.Node, key string, index, depth int) *node {
	if b.stop {
		return nil
	}
	if depth > maxDepth {
		return b.limit(y, "values are nested more than %d deep", maxDepth)
	}
	n := b.node()
	*n = node{line: max(1, y.Line), col: max(1, y.Column), key: key, index: index, weight: 1 + len(y.Value)/16}
	if y.Anchor != "" {
		b.open[y] = true
		defer func() { delete(b.open, y); b.done[y] = n }()
	}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 0 {
			return nil
		}
		return b.build(y.Content[0], key, index, depth)
	case yaml.AliasNode:
		return b.alias(y, n)
	case yaml.ScalarNode:
		b.scalar(y, n)
	case yaml.SequenceNode:
		b.collection(y, "!!seq")
		n.kind = sequenceNode
		n.items = make([]*node, 0, len(y.Content))
		for i, c := range y.Content {
			item := b.build(c, key, i, depth+1)
			if item == nil {
				return nil
			}
			n.items = append(n.items, item)
			n.weight += item.weight
		}
	case yaml.MappingNode:
		b.collection(y, "!!map")
		n.kind = mappingNode
		if !b.mapping(y, n, depth) {
			return nil
		}
	}
	return n
}

// alias puts the anchored value in the place of the alias.
func (b *builder) alias(y *yaml.Node, n *node) *node {
	if b.open[y.Alias] {
		return b.limit(y, "the alias *%s stands inside of the value that it names", y.Value)
	}
	target := b.done[y.Alias]
	if target == nil {
		return b.limit(y, "the alias *%s names nothing", y.Value)
	}
	b.aliases += target.weight
	if b.aliases > maxAliasWeight {
		return b.limit(y, "aliases expand to more than %d values; write the values out, or use `count`", maxAliasWeight)
	}
	copied := *target
	copied.line, copied.col, copied.key, copied.index = n.line, n.col, n.key, n.index
	return &copied
}

func (b *builder) scalar(y *yaml.Node, n *node) {
	n.value = y.Value
	n.plain = y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch tag := y.ShortTag(); tag {
	case "!!str", "!!timestamp", "!!merge", "":
		n.typ = textScalar
	case "!!int":
		n.typ = intScalar
	case "!!float":
		n.typ = floatScalar
	case "!!bool":
		n.typ = boolScalar
	case "!!null":
		n.typ = nullScalar
	default:
		b.fault(y, "the tag %s is not known; remove it", quote(tag))
	}
}

func (b *builder) collection(y *yaml.Node, tag string) {
	if got := y.ShortTag(); got != tag {
		b.fault(y, "the tag %s is not known; remove it", quote(got))
	}
}

func (b *builder) mapping(y *yaml.Node, n *node, depth int) bool {
	keys := newKeysOf(n, len(y.Content)/2)
	var merges []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		yk := y.Content[i]
		k := b.build(yk, "", -1, depth+1)
		if k == nil {
			return false
		}
		v := b.build(y.Content[i+1], k.value, -1, depth+1)
		switch {
		case v == nil:
			return false
		case k.kind != scalarNode:
			b.fault(yk, "a key must be a word, not a mapping or a list")
		case yk.ShortTag() == "!!merge":
			merges = append(merges, v)
		default:
			if line, dup := keys.line(k.value); dup {
				b.fault(yk, "duplicate key %s; it stands on line %d already", quote(k.value), line)
				continue
			}
			keys.add(k, v)
		}
	}
	b.merge(&keys, merges)
	return true
}

// merge adds what `<<` names: what stands in the mapping itself wins over it, and an earlier merge over a later one.
func (b *builder) merge(keys *keysOf, merges []*node) {
	for _, m := range merges {
		sources := []*node{m}
		if m.kind == sequenceNode {
			sources = m.items
		}
		for _, s := range sources {
			if s.kind != mappingNode {
				b.faults = append(b.faults, yamlFault{s.line, s.col, "<< must name a mapping, or a list of mappings"})
				continue
			}
			for i, k := range s.keys {
				if _, dup := keys.line(k.value); !dup {
					keys.add(k, s.items[i])
				}
			}
		}
	}
}

// keysOf are the keys of a mapping while it is built.
type keysOf struct {
	n *node
	// lines are those of the keys; only of a big mapping, a small one is searched.
	lines map[string]int
}

func newKeysOf(n *node, most int) keysOf {
	n.keys, n.items = make([]*node, 0, most), make([]*node, 0, most)
	keys := keysOf{n: n}
	if most > 20 {
		keys.lines = make(map[string]int, most)
	}
	return keys
}

// line is where a key stands, if it is there.
func (k *keysOf) line(key string) (int, bool) {
	if k.lines != nil {
		line, ok := k.lines[key]
		return line, ok
	}
	for _, have := range k.n.keys {
		if have.value == key {
			return have.line, true
		}
	}
	return 0, false
}

func (k *keysOf) add(key, value *node) {
	if k.lines != nil {
		k.lines[key.value] = key.line
	}
	k.n.keys, k.n.items = append(k.n.keys, key), append(k.n.items, value)
	k.n.weight += 1 + value.weight
}

// position is the line and column, from 1, of the byte at offset i.
func position(data []byte, i int) (line, col int) {
	before := data[:i]
	line = bytes.Count(before, []byte{'\n'}) + 1
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	return line, utf8.RuneCount(before) + 1
}

// YAMLToJSON turns one YAML document into JSON. It refuses more than
// MaxFileBytes, more than one document, duplicate keys, aliases that expand to
// too much, and numbers that JSON cannot write. Nothing, or only comments, gives null.
func YAMLToJSON(doc []byte) ([]byte, error) {
	docs, faults := readYAML(doc)
	if len(faults) > 0 {
		return nil, faults[0]
	}
	switch len(docs) {
	case 0:
		return []byte("null"), nil
	case 1:
		return appendJSON(make([]byte, 0, len(doc)), docs[0])
	}
	return nil, yamlFault{docs[1].line, docs[1].col, "a second document begins here"}
}

func appendJSON(out []byte, n *node) ([]byte, error) {
	var err error
	switch n.kind {
	case mappingNode:
		out = append(out, '{')
		for i, k := range n.keys {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendText(out, k.value)
			out = append(out, ':')
			if out, err = appendJSON(out, n.items[i]); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	case sequenceNode:
		out = append(out, '[')
		for i, item := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendJSON(out, item); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	}
	switch n.typ {
	case nullScalar:
		return append(out, "null"...), nil
	case boolScalar:
		return strconv.AppendBool(out, strings.EqualFold(n.value, "true")), nil
	case intScalar, floatScalar:
		return appendNumber(out, n)
	}
	return appendText(out, n.value), nil
}

func appendText(out []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil { // a string always has a JSON form
		panic(err)
	}
	return append(out, text...)
}

// appendNumber keeps the digits of the file where JSON writes numbers the same way.
func appendNumber(out []byte, n *node) ([]byte, error) {
	if json.Valid([]byte(n.value)) {
		return append(out, n.value...), nil
	}
	text := strings.ReplaceAll(n.value, "_", "")
	if n.typ == intScalar {
		if i, err := strconv.ParseInt(text, 0, 64); err == nil {
			return strconv.AppendInt(out, i, 10), nil
		}
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
		return strconv.AppendFloat(out, f, 'g', -1, 64), nil
	}
	return nil, yamlFault{n.line, n.col, fmt.Sprintf("%s is a number that JSON cannot write", quote(n.value))}
}
