package kube

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"upsim/model"
)

// mostAside bounds the elements of a list that are converted together.
const mostAside = 1 << 20

// yamlItem is a piece of YAML text, and what becomes of it.
type yamlItem struct {
	text     []byte
	line     int // where it begins
	column   int // of its keys
	tooLarge bool

	kind   string
	passed bool // it is of no kind that is read
	json   []byte
	err    error
}

// convert makes JSON of what is wanted of the piece.
func (i *yamlItem) convert(in *interest) {
	i.kind = yamlText(i.text, i.column, "kind")
	if i.tooLarge {
		return
	}
	if i.kind != "" && in.kinds[i.kind] == nil && !strings.HasSuffix(i.kind, "List") {
		i.passed = true
		return
	}
	if i.kind != "" && in.kinds[i.kind] != nil || i.column > 0 {
		if pruned, ok := pruneYAML(nil, i.text, i.column, in.yaml); ok {
			i.text = pruned
		}
	}
	i.json, i.err = model.YAMLToJSON(i.text)
}

// take reads the elements that were set aside, in their order. What costs most, the parsing of YAML, is done on all processors.
func (y *yamlStream) take() error {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(y.aside)) {
		wait.Go(func() {
			for k := next.Add(1) - 1; k < int64(len(y.aside)); k = next.Add(1) - 1 {
				y.aside[k].convert(y.r.interest)
			}
		})
	}
	wait.Wait()
	items := y.aside
	y.aside, y.asideBytes = y.aside[:0], 0
	for k := range items {
		odd := y.r.odd
		raw, ok := y.converted(&items[k])
		if ok {
			if err := y.r.object(raw, &y.list, 0); err != nil {
				return err
			}
		}
		y.lastOdd = y.r.odd > odd
	}
	return nil
}

// converted is the JSON of a piece that was converted; false when it is passed over.
func (y *yamlStream) converted(i *yamlItem) ([]byte, bool) {
	y.notYAML = ""
	switch {
	case i.tooLarge:
		y.r.leave(leftOut{file: y.r.file, kind: i.kind, why: fmt.Sprintf("the one that begins at line %d is %v", i.line, errTooLarge)})
		return nil, false
	case i.passed:
		y.r.passOver()
		return nil, false
	case i.err != nil:
		y.notYAML = shorten(i.err.Error(), 200)
		kind := i.kind
		if kind == "" || y.r.kinds[kind] == nil {
			kind = strings.TrimSuffix(y.list.kind, "List")
		}
		o := leftOut{file: y.r.file, kind: kind, why: fmt.Sprintf("the one that begins at line %d is no YAML: %v", i.line, i.err)}
		o.namespace, o.name = yamlNames(i.text, i.column)
		y.r.leave(o)
		return nil, false
	}
	return i.json, true
}
