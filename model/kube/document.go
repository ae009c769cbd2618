package kube

import (
	"bytes"
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

// document is a list or a single object while its keys are read.
type document struct {
	list
	isList, isWatch, tooLarge bool
	// single is the object with the keys that are kept, without its last bracket.
	single []byte
}

// document reads a list or a single object.
func (r *Reader) document(s *jsonStream, depth int) error {
	d := document{single: []byte{'{'}}
	err := s.entries('{', '}', func() error {
		key, err := s.key()
		if err != nil {
			return err
		}
		err = r.member(s, &d, key, depth)
		if errors.Is(err, errTooLarge) {
			d.tooLarge = true
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case depth == 0 && isScenario(d.apiVersion, d.kind):
		return r.scenarioGiven()
	case d.isList:
		// An empty list is kubectl output too.
		r.seen++
		r.release(&d.list)
		return nil
	case d.isWatch:
		return nil
	case d.tooLarge:
		r.leave(leftOut{file: r.file, kind: d.kind, why: fmt.Sprintf("the one that ends at line %d is %v", s.lineNumber(), errTooLarge)})
		return nil
	}
	return r.single(append(d.single, '}'), d.list)
}

// member reads the value of one key of a document.
func (r *Reader) member(s *jsonStream, d *document, key string, depth int) error {
	c, ok := s.peek()
	if !ok {
		return s.truncated()
	}
	switch {
	case key == "items" && c == '[':
		d.isList = true
		return r.items(s, &d.list, depth)
	case key == "items":
		d.isList = true
		return s.skip()
	case key == "kind":
		return s.text(&d.kind, key)
	case key == "apiversion":
		return s.text(&d.apiVersion, key)
	case key == "object" && r.take != nil:
		// kubectl get --watch --output-watch-events wraps each object, with what happened to it.
		d.isWatch, r.watched = true, true
		raw, err := s.value()
		if err != nil {
			return err
		}
		return r.object(raw, &list{}, depth+1)
	case r.keys[key]:
		raw, err := s.value()
		if err == nil {
			d.keep(key, raw)
		}
		return err
	}
	return s.skip()
}

// keep adds a key to the object that the document perhaps is.
func (d *document) keep(key string, raw []byte) {
	if len(d.single) > 1 {
		d.single = append(d.single, ',')
	}
	d.single = append(d.single, `"`+key+`":`...)
	d.single = append(d.single, raw...)
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
	return s.entries('[', ']', func() error {
		raw, err := s.value()
		if errors.Is(err, errTooLarge) {
			r.leave(leftOut{file: r.file, why: fmt.Sprintf("the one that ends at line %d is %v", s.lineNumber(), errTooLarge)})
			return nil
		}
		if err != nil {
			return err
		}
		return r.object(raw, l, depth)
	})
}
