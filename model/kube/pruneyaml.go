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
	type mapping struct {
		column int
		want   *fields
	}
	stack := []mapping{{column, want}}
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
		dashed := false
		key := at
		for isDash(line[key:]) {
			dashed = true
			key++
			for key < len(line) && line[key] == ' ' {
				key++
			}
		}
		name, value, ok := yamlKey(bytes.TrimRight(line[key:], " \r"))
		if !ok {
			if !dashed {
				return nil, false
			}
			// An element that is no mapping.
			dst = append(append(dst, line...), '\n')
			copying, bare = at, false
			continue
		}
		for len(stack) > 0 && stack[len(stack)-1].column > key {
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			return nil, false
		}
		if stack[len(stack)-1].column < key {
			if pending == nil {
				return nil, false
			}
			stack = append(stack, mapping{key, pending})
		}
		pending, bare = nil, len(value) == 0
		in := stack[len(stack)-1].want
		i, found := in.find(name)
		switch {
		case !found:
			passing = key
			if dashed {
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
