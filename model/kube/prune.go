package kube

import (
	"encoding/json"
	"reflect"
	"strings"
)

// fields says which keys of an object are wanted, and of them which parts; it
// is made from the struct that the object is decoded into. Nil wants the whole value.
type fields struct {
	names    []string
	children []*fields
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// fieldsOf lists the JSON keys of a struct type, and of the structs in it.
func fieldsOf(t reflect.Type) *fields {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) {
			return nil
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	f := &fields{}
	f.add(t)
	return f
}

func (f *fields) add(t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			f.add(field.Type)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		f.names = append(f.names, name)
		f.children = append(f.children, fieldsOf(field.Type))
	}
}

// merge makes f want also what o wants.
func (f *fields) merge(o *fields) *fields {
	if f == nil || o == nil {
		return nil
	}
	out := &fields{names: append([]string(nil), f.names...), children: append([]*fields(nil), f.children...)}
	for i, name := range o.names {
		j, ok := f.find([]byte(name))
		if !ok {
			out.names, out.children = append(out.names, name), append(out.children, o.children[i])
			continue
		}
		out.children[j] = out.children[j].merge(o.children[i])
	}
	return out
}

// find looks a key up without regard to case, because old dumps write Spec and NodeInfo.
func (f *fields) find(key []byte) (int, bool) {
	for i, name := range f.names {
		if len(name) == len(key) && foldEqual(name, key) {
			return i, true
		}
	}
	return 0, false
}

func foldEqual(a string, b []byte) bool {
	for i := range len(a) {
		if a[i]|0x20 != b[i]|0x20 {
			return false
		}
	}
	return true
}

// prune appends to dst the JSON value with only the wanted keys, in their usual
// spelling, and returns it with the rest of src. Text that is not JSON is
// copied as it is, for the decoder to complain about.
func prune(dst, src []byte, want *fields) (out, rest []byte) {
	src = trimSpace(src)
	if want == nil || len(src) == 0 || src[0] != '{' && src[0] != '[' {
		val, rest := cutValue(src)
		return append(dst, val...), rest
	}
	open := src[0]
	dst = append(dst, open)
	src = trimSpace(src[1:])
	first := true
	comma := func() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
	}
	for len(src) > 0 && src[0] != '}' && src[0] != ']' {
		if open == '{' {
			var key []byte
			key, src = cutValue(src)
			src = trimSpace(src)
			if len(key) < 2 || key[0] != '"' || len(src) == 0 || src[0] != ':' {
				return append(append(dst, key...), '!'), nil
			}
			src = src[1:]
			i, ok := want.find(key[1 : len(key)-1])
			if !ok {
				_, src = cutValue(trimSpace(src))
			} else {
				comma()
				dst = append(append(append(dst, '"'), want.names[i]...), '"', ':')
				dst, src = prune(dst, src, want.children[i])
			}
		} else {
			comma()
			before, element := len(src), want
			if src[0] == '[' {
				// No list of lists is wanted anywhere; going down into one could be without end.
				element = nil
			}
			dst, src = prune(dst, src, element)
			if len(src) == before {
				return append(dst, '!'), nil
			}
		}
		src = trimSpace(src)
		if len(src) > 0 && src[0] == ',' {
			src = trimSpace(src[1:])
		} else if len(src) > 0 && src[0] != '}' && src[0] != ']' {
			return append(dst, '!'), nil
		}
	}
	if len(src) == 0 {
		return dst, nil
	}
	return append(dst, src[0]), src[1:]
}

// cutValue splits the JSON value off the front of src.
func cutValue(src []byte) (val, rest []byte) {
	var sc scan
	n, _ := sc.step(src)
	return src[:n], src[n:]
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\n' || b[0] == '\r' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}

// lookup finds the value at a path of keys in a JSON object; nil when there is none, or it is null.
func lookup(src []byte, path ...string) []byte {
	for _, key := range path {
		src = member(src, key)
		if src == nil {
			return nil
		}
	}
	if string(src) == "null" {
		return nil
	}
	return src
}

func member(src []byte, want string) []byte {
	src = trimSpace(src)
	if len(src) == 0 || src[0] != '{' {
		return nil
	}
	src = trimSpace(src[1:])
	for len(src) > 0 && src[0] == '"' {
		var key, val []byte
		key, src = cutValue(src)
		if src = trimSpace(src); len(key) < 2 || len(src) == 0 || src[0] != ':' {
			return nil
		}
		val, src = cutValue(trimSpace(src[1:]))
		if key = key[1 : len(key)-1]; len(key) == len(want) && foldEqual(want, key) {
			return val
		}
		if src = trimSpace(src); len(src) > 0 && src[0] == ',' {
			src = trimSpace(src[1:])
		}
	}
	return nil
}

// lookupString is lookup for a string; "" when it is something else.
func lookupString(src []byte, path ...string) string {
	var s string
	if v := lookup(src, path...); len(v) > 0 && v[0] == '"' && json.Unmarshal(v, &s) == nil {
		return s
	}
	return ""
}
