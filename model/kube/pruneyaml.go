package kube

import (
	"bytes"
	"reflect"
)

var (
	// headFields are what an object says first of itself.
	headFields = fieldsOf(reflect.TypeFor[struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}]())
	// yamlFields adds them to what is wanted of an object.
	yamlFields = heldFields.merge(headFields)
)

// pruneYAML appends to dst the block mapping in text, whose keys stand at the
// column, with only the wanted keys, because the YAML parser costs twenty times
// as much as this. It follows lines and indentation only; false means that the text has a form
// that this does not follow, and that it must be parsed whole.
func pruneYAML(dst, text []byte, column int, want *fields) ([]byte, bool) {
	open := mappings{{column, want}}
	var (
		pending *fields // of the key whose value begins on the next line
		copying = -1    // column of a key whose value is copied whole
		passing = -1    // column of a key whose value is left out
		bare    bool    // that key had nothing behind it, so that dashes in its own column belong to it
	)
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		at := len(line) - len(bytes.TrimLeft(line, " "))
		body := bytes.TrimRight(line[at:], " \r")
		if len(body) == 0 || copying >= 0 || passing >= 0 {
			inside := max(copying, passing)
			if len(body) == 0 || at > inside || bare && at == inside && isDash(body) {
				if copying >= 0 {
					dst = append(append(dst, line...), '\n')
				}
				continue
			}
			copying, passing = -1, -1
		}
		if body[0] == '#' {
			continue
		}
		key := behindDashes(line, at)
		name, value, ok := yamlKey(bytes.TrimRight(line[key:], " \r"))
		if !ok {
			if key == at {
				return nil, false
			}
			// An element that is no mapping.
			dst = append(append(dst, line...), '\n')
			copying, bare = at, false
			continue
		}
		in := open.at(key, pending)
		if in == nil {
			return nil, false
		}
		pending, bare = nil, len(value) == 0
		i, found := in.find(name)
		switch {
		case !found:
			passing = key
			if key > at {
				// The element stays, without this key.
				dst = append(append(dst, bytes.TrimRight(line[:key], " ")...), '\n')
			}
			continue
		case bare && in.children[i] != nil:
			pending = in.children[i]
		default:
			copying = key
		}
		dst = append(append(dst, line...), '\n')
	}
	return dst, true
}

// mappings are those that a line stands in, the innermost last: the column of its keys, and which of them are wanted.
type mappings []struct {
	column int
	want   *fields
}

// at finds what is wanted of the mapping that has a key in the column, which may be the first of one within the last; nil where
// none can.
func (m *mappings) at(column int, within *fields) *fields {
	list := *m
	for len(list) > 0 && list[len(list)-1].column > column {
		list = list[:len(list)-1]
	}
	*m = list
	if len(list) == 0 {
		return nil
	}
	if last := list[len(list)-1]; last.column == column {
		return last.want
	}
	if within != nil {
		*m = append(list, mappings{{column, within}}...)
	}
	return within
}

// behindDashes is the column behind the dashes of a list's elements that begin in the column.
func behindDashes(line []byte, column int) int {
	for isDash(line[column:]) {
		column++
		for column < len(line) && line[column] == ' ' {
			column++
		}
	}
	return column
}

func isDash(b []byte) bool { return len(b) > 0 && b[0] == '-' && (len(b) == 1 || b[1] == ' ') }

// yamlKey splits `key: value`; the key may be in quotes.
func yamlKey(b []byte) (key, value []byte, ok bool) {
	if len(b) > 1 && (b[0] == '"' || b[0] == '\'') {
		end := bytes.IndexByte(b[1:], b[0])
		if end < 0 || end+2 >= len(b) || b[end+2] != ':' {
			return nil, nil, false
		}
		key, value = b[1:end+1], b[end+3:]
	} else {
		colon := bytes.IndexByte(b, ':')
		if colon <= 0 || bytes.ContainsAny(b[:colon], " {}[]&*!|>%@`\"',?#") {
			return nil, nil, false
		}
		key, value = b[:colon], b[colon+1:]
	}
	if len(value) > 0 && value[0] != ' ' {
		return nil, nil, false
	}
	return key, bytes.TrimLeft(value, " "), true
}
