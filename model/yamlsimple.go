package model

// Most scenario files are in a simple form of YAML, which is read here in a tenth of the library's time; batches of
// thousands of small files live on it. It is what people write: block and flow mappings and lists, comments, and
// scalars on one line, plain or in quotes without escapes, all in ASCII and in one document. Whatever else there is,
// also all that is wrong, is left to the library.

// simpleReader reads a text in that form. Its methods give nothing where the text is not in it.
type simpleReader struct {
	nodeRoom
	text   string
	at     int // in text
	line   int // from 1
	begins int // where the line begins
	// members are the keys and values so far of the collections that are being read, the innermost last.
	members []*node
	links   []*node // room for the members of collections that are complete
}

// mostSimpleKeys bounds the keys of a mapping, each of which is compared with all before it.
const mostSimpleKeys = 40

// longestSimpleKey keeps keys far below the 1024 characters that YAML allows between a key's begin and its colon.
const longestSimpleKey = 500

// readSimple reads a text of ASCII without tabs and other control characters than line feeds; nil where it is not in the simple form.
func readSimple(data []byte) *node {
	r := simpleReader{text: string(data), line: 1}
	if !r.next() {
		return nil
	}
	n := r.block(-1, false, "", -1, 0)
	if n == nil || r.at < len(r.text) {
		return nil
	}
	return n
}

// What a character can be. A plain scalar ends at some, and not every character can begin one.
const (
	beginsPlain = 1 << iota
	mayEndPlain
	endsInFlow
)

var simpleClass = func() (class [256]uint8) {
	for c := range class {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			class[c] = beginsPlain
		}
	}
	for _, c := range "_/.+~($=^;" {
		class[c] |= beginsPlain
	}
	for _, c := range " \n#:,[]{}?" {
		class[c] |= mayEndPlain
	}
	for _, c := range ",[]{}?" {
		class[c] |= endsInFlow
	}
	return class
}()

func (r *simpleReader) column() int { return r.at - r.begins }

func (r *simpleReader) newLine() {
	r.at++
	r.line++
	r.begins = r.at
}

// next goes to the next token, over blanks, comments and line feeds; false at the end of the text.
func (r *simpleReader) next() bool {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == ' ':
			r.at++
		case c == '\n':
			r.newLine()
		case c == '#' && (r.at == r.begins || r.text[r.at-1] == ' '):
			for r.at < len(r.text) && r.text[r.at] != '\n' {
				r.at++
			}
		default:
			return true
		}
	}
	return false
}

// indicated reports whether the next character is c, and a blank or the end follows.
func (r *simpleReader) indicated(c byte) bool {
	if r.at >= len(r.text) || r.text[r.at] != c {
		return false
	}
	return r.at+1 == len(r.text) || r.text[r.at+1] == ' ' || r.text[r.at+1] == '\n'
}

// colon goes to the colon behind a key, if there is one.
func (r *simpleReader) colon() bool {
	at := r.at
	for at < len(r.text) && r.text[at] == ' ' {
		at++
	}
	was := r.at
	if r.at = at; r.indicated(':') {
		return true
	}
	r.at = was
	return false
}

// ended goes to the next token, which must belong to a collection around the value that was read, indented by indent.
func (r *simpleReader) ended(indent int) bool { return !r.next() || r.column() <= indent }

// here makes a value of what begins at the next character.
func (r *simpleReader) here(kind nodeKind, key string, index int) *node {
	return r.valueAt(kind, r.line, r.column(), key, index)
}

func (r *simpleReader) valueAt(kind nodeKind, line, column int, key string, index int) *node {
	n := r.node()
	n.kind, n.line, n.col, n.key, n.index, n.weight = kind, line, column+1, key, index, 1
	return n
}

// nothing is the value where none stands behind the key or the dash.
func (r *simpleReader) nothing(line, column int, key string, index int) *node {
	n := r.valueAt(scalarNode, line, column, key, index)
	n.typ, n.plain = nullScalar, true
	return n
}

// block reads a value in a collection that is indented by indent. In the line of its key it can be no block collection.
func (r *simpleReader) block(indent int, inLine bool, key string, index, depth int) *node {
	col, first := r.column(), r.text[r.at]
	var n *node
	switch {
	case r.indicated('-'):
		if inLine {
			return nil
		}
		return r.list(false, key, index, depth)
	case first == '[' || first == '{':
		n = r.flow(key, index, depth)
	default:
		if n = r.scalar(false, key, index); n != nil && r.colon() {
			if inLine {
				return nil
			}
			return r.mapping(n, col, depth)
		}
	}
	if n == nil || !r.ended(indent) {
		return nil
	}
	return n
}

// list reads a block list from its first dash on; with beside it stands as far left as the keys of the mapping that it is in, which may go on behind it.
func (r *simpleReader) list(beside bool, key string, index, depth int) *node {
	if depth >= maxDepth {
		return nil
	}
	n, col, base := r.here(sequenceNode, key, index), r.column(), len(r.members)
	for i := 0; ; i++ {
		r.at++
		var item *node
		if line, behind := r.line, r.column(); r.next() && (r.line == line || r.column() > col) {
			item = r.block(col, false, key, i, depth+1)
		} else {
			item = r.nothing(line, behind, key, i)
		}
		if item == nil {
			return nil
		}
		r.members = append(r.members, item)
		n.weight += item.weight
		switch at := r.column(); {
		case r.at >= len(r.text) || at < col || at == col && beside && !r.indicated('-'):
			r.close(n, base)
			return n
		case at > col || !r.indicated('-'):
			return nil
		}
	}
}

// mapping reads a block mapping, of which the first key has been read, from that key's colon on.
func (r *simpleReader) mapping(k *node, col, depth int) *node {
	if depth >= maxDepth {
		return nil
	}
	n, base := r.valueAt(mappingNode, k.line, col, k.key, k.index), len(r.members)
	for {
		k.key, k.index = "", -1
		if !r.newKey(k, base) {
			return nil
		}
		r.at++
		var v *node
		line, behind := r.line, r.column()
		switch more := r.next(); {
		case more && r.line == line:
			v = r.block(col, true, k.value, -1, depth+1)
		case more && r.column() > col:
			v = r.block(col, false, k.value, -1, depth+1)
		case more && r.column() == col && r.indicated('-'):
			v = r.list(true, k.value, -1, depth+1)
		default:
			v = r.nothing(line, behind, k.value, -1)
		}
		if v == nil {
			return nil
		}
		r.members = append(r.members, k, v)
		n.weight += 1 + v.weight
		switch at := r.column(); {
		case r.at >= len(r.text) || at < col:
			r.close(n, base)
			return n
		case at > col:
			return nil
		}
		if k = r.scalar(false, "", -1); k == nil || !r.colon() {
			return nil
		}
	}
}

// newKey reports whether a key can stand in the mapping whose members begin at base.
func (r *simpleReader) newKey(k *node, base int) bool {
	if len(r.members)-base >= 2*mostSimpleKeys || len(k.value) > longestSimpleKey || k.value == "<<" {
		return false
	}
	for i := base; i < len(r.members); i += 2 {
		if r.members[i].value == k.value {
			return false
		}
	}
	return true
}

// close gives a collection its members, which begin at base.
func (r *simpleReader) close(n *node, base int) {
	if n.kind == mappingNode {
		n.keys, n.items = r.link(base, 0, 2), r.link(base, 1, 2)
	} else {
		n.items = r.link(base, 0, 1)
	}
	r.members = r.members[:base]
}

// link keeps every step-th member from base on, beginning with the one at first.
func (r *simpleReader) link(base, first, step int) []*node {
	size := (len(r.members) - base) / step
	if len(r.links) < size {
		r.links = make([]*node, max(64, size))
	}
	list := r.links[:size:size]
	r.links = r.links[size:]
	for i := range list {
		list[i] = r.members[base+first+i*step]
	}
	return list
}

// flow reads a flow mapping or list.
func (r *simpleReader) flow(key string, index, depth int) *node {
	if depth >= maxDepth {
		return nil
	}
	kind, end := sequenceNode, byte(']')
	if r.text[r.at] == '{' {
		kind, end = mappingNode, '}'
	}
	n, base := r.here(kind, key, index), len(r.members)
	r.at++
	if !r.nextInFlow() {
		return nil
	}
	for more := r.text[r.at] != end; more; {
		under, i := key, len(r.members)-base
		if kind == mappingNode {
			k := r.keyInFlow(base)
			if k == nil {
				return nil
			}
			r.members = append(r.members, k)
			n.weight++
			under, i = k.value, -1
		}
		v := r.valueInFlow(under, i, depth+1)
		if v == nil || !r.nextInFlow() {
			return nil
		}
		r.members = append(r.members, v)
		n.weight += v.weight
		switch r.text[r.at] {
		case end:
			more = false
		case ',':
			if r.at++; !r.nextInFlow() {
				return nil
			}
		default:
			return nil
		}
	}
	r.at++
	r.close(n, base)
	return n
}

// keyInFlow reads a key of the mapping whose members begin at base, with its colon.
func (r *simpleReader) keyInFlow(base int) *node {
	k := r.scalar(true, "", -1)
	if k == nil || !r.newKey(k, base) || !r.colon() {
		return nil
	}
	if r.at++; !r.nextInFlow() {
		return nil
	}
	return k
}

func (r *simpleReader) valueInFlow(key string, index, depth int) *node {
	if c := r.text[r.at]; c == '[' || c == '{' {
		return r.flow(key, index, depth)
	}
	return r.scalar(true, key, index)
}

// nextInFlow goes to the next token in a flow collection; false where there is none, or a comment.
func (r *simpleReader) nextInFlow() bool {
	for ; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case ' ':
		case '\n':
			r.line++
			r.begins = r.at + 1
		case '#':
			return false
		default:
			return true
		}
	}
	return false
}

// scalar reads a scalar that stands in one line.
func (r *simpleReader) scalar(inFlow bool, key string, index int) *node {
	n := r.here(scalarNode, key, index)
	switch c := r.text[r.at]; {
	case c == '"' || c == '\'':
		var ok bool
		if n.value, ok = r.quoted(c); !ok {
			return nil
		}
	case simpleClass[c]&beginsPlain != 0 && (c != '.' || r.at != r.begins),
		c == '-' && r.at+1 < len(r.text) && simpleClass[r.text[r.at+1]]&beginsPlain != 0:
		n.value, n.plain = r.plain(inFlow), true
		n.typ = plainType(n.value)
	default:
		return nil
	}
	n.weight = 1 + len(n.value)/16
	return n
}

// quoted reads a scalar in quotes; false where it has escapes or goes over several lines.
func (r *simpleReader) quoted(quote byte) (string, bool) {
	for at := r.at + 1; at < len(r.text); at++ {
		switch r.text[at] {
		case '\n', '\\':
			return "", false
		case quote:
			value := r.text[r.at+1 : at]
			r.at = at + 1
			return value, r.at == len(r.text) || r.text[r.at] != quote
		}
	}
	return "", false
}

// plain reads a scalar without quotes up to a colon, a comment, the end of the line, or what ends it in a flow collection.
func (r *simpleReader) plain(inFlow bool) string {
	from, end := r.at, r.at+1
	for at := end; at < len(r.text); at++ {
		c := r.text[at]
		if class := simpleClass[c]; class&mayEndPlain != 0 {
			if c == ' ' {
				continue
			}
			if c == '\n' || c == '#' && r.text[at-1] == ' ' || inFlow && class&endsInFlow != 0 ||
				c == ':' && (at+1 == len(r.text) || r.text[at+1] == ' ' || r.text[at+1] == '\n') {
				break
			}
		}
		end = at + 1
	}
	r.at = end
	return r.text[from:end]
}
