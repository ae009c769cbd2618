package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// readJSON reads documents one after another, with or without anything between
// them, and passes over the container logs that kubectl cluster-info dump puts between its lists.
func (r *Reader) readJSON(s *jsonStream) error {
	for {
		c, ok := s.peek()
		if !ok {
			if s.atEnd() {
				return nil
			}
			return s.truncated()
		}
		var err error
		switch c {
		case '{':
			err = r.document(s, 0)
		case '[':
			var l list
			if err = r.items(s, &l, 0); err == nil {
				r.release(&l)
			}
		case '=', '-':
			err = betweenDocuments(s)
		default:
			err = s.errorf("found %q where a JSON object was expected", c)
		}
		if err != nil {
			return err
		}
	}
}

// betweenDocuments passes over a line of dashes, and over logs.
func betweenDocuments(s *jsonStream) error {
	before := s.lineNumber()
	line := bytes.TrimSpace(s.line())
	switch {
	case endsLog(line), len(bytes.Trim(line, "-")) == 0:
		return nil
	case !bytes.HasPrefix(line, []byte(logsStart)):
		return &syntaxError{line: before, msg: fmt.Sprintf("found %q where a JSON object was expected", cut(line))}
	}
	for s.more() {
		if endsLog(s.line()) {
			return nil
		}
	}
	if !s.atEnd() {
		return s.err
	}
	return logCutOff(before)
}

// The lines around a container's log in what kubectl cluster-info dump prints.
const (
	logsStart = "==== START logs"
	logsEnd   = "==== END logs"
)

// endsLog reports whether a log ends in the line, which is glued to the log's last line where that had no end.
func endsLog(line []byte) bool {
	return bytes.Contains(line, []byte(logsEnd)) && bytes.HasSuffix(bytes.TrimSpace(line), []byte("===="))
}

// logCutOff is the error at the end of the input within a log: the lists of further namespaces would follow.
func logCutOff(line int) error {
	return &syntaxError{line: line, cutOff: true, msg: "the input ends in the middle of the container log that begins here; export it again"}
}

func cut(line []byte) string {
	if len(line) > 40 {
		line = append(line[:37:37], "..."...)
	}
	return string(line)
}

// objectKeys are the keys of a single object that are kept until its end; the others, such as a Secret's data, are not.
var objectKeys = map[string]bool{
	"metadata": true, "spec": true, "status": true, "name": true, "namespace": true, "labels": true, "annotations": true,
	"ownerreferences": true, "creationtimestamp": true, "deletiontimestamp": true,
}

// document reads a list or a single object.
func (r *Reader) document(s *jsonStream, depth int) error {
	if err := s.next('{'); err != nil {
		return err
	}
	var (
		l        list
		isList   bool
		isWatch  bool
		tooLarge bool
		single   = []byte{'{'}
	)
	for first := true; ; first = false {
		c, ok := s.peek()
		if !ok {
			return s.truncated()
		}
		if c == '}' {
			s.pos++
			break
		}
		if !first {
			if err := s.next(','); err != nil {
				return err
			}
		}
		key, err := s.key()
		if err != nil {
			return err
		}
		if c, ok = s.peek(); !ok {
			return s.truncated()
		}
		switch {
		case key == "items" && c == '[':
			isList = true
			err = r.items(s, &l, depth)
		case key == "items":
			isList = true
			err = s.skip()
		case key == "kind" || key == "apiversion":
			var raw []byte
			if raw, err = s.value(); err == nil {
				var text string
				if json.Unmarshal(raw, &text) != nil {
					return s.errorf("%s is not a text", key)
				}
				if key == "kind" {
					l.kind = text
				} else {
					l.apiVersion = text
				}
			}
		case key == "object" && r.take != nil:
			// kubectl get --watch --output-watch-events wraps each object, with what happened to it.
			isWatch, r.watched = true, true
			var raw []byte
			if raw, err = s.value(); err == nil {
				err = r.object(raw, &list{}, depth+1)
			}
		case r.keys[key]:
			var raw []byte
			if raw, err = s.value(); err == nil {
				if len(single) > 1 {
					single = append(single, ',')
				}
				single = append(single, `"`+key+`":`...)
				single = append(single, raw...)
			}
		default:
			err = s.skip()
		}
		if errors.Is(err, errTooLarge) {
			tooLarge = true
		} else if err != nil {
			return err
		}
	}
	if depth == 0 && isScenario(l.apiVersion, l.kind) {
		return r.scenarioGiven()
	}
	if isList {
		// An empty list is kubectl output too.
		r.seen++
		r.release(&l)
		return nil
	}
	if isWatch {
		return nil
	}
	if tooLarge {
		r.leave(leftOut{file: r.file, kind: l.kind, why: fmt.Sprintf("the one that ends at line %d is %v", s.lineNumber(), errTooLarge)})
		return nil
	}
	return r.single(append(single, '}'), l)
}

// single takes a document that is one object.
func (r *Reader) single(raw []byte, l list) error {
	if l.kind == "" {
		l.kind = likely(raw)
	}
	if l.kind == "" {
		if r.fault == "" {
			r.fault = "an object without a kind"
		}
		return nil
	}
	r.typed(l.apiVersion, l.kind, raw)
	return nil
}

// items reads the elements of a list.
func (r *Reader) items(s *jsonStream, l *list, depth int) error {
	if err := s.next('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, ok := s.peek()
		if !ok {
			return s.truncated()
		}
		if c == ']' {
			s.pos++
			return nil
		}
		if !first {
			if err := s.next(','); err != nil {
				return err
			}
		}
		raw, err := s.value()
		if errors.Is(err, errTooLarge) {
			r.leave(leftOut{file: r.file, why: fmt.Sprintf("the one that ends at line %d is %v", s.lineNumber(), errTooLarge)})
			continue
		}
		if err == nil {
			err = r.object(raw, l, depth)
		}
		if err != nil {
			return err
		}
	}
}
