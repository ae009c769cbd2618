package main

import (
	"errors"
	"io"
	"os"
	"slices"

	"upsim/reports"
)

// timeline streams the steps of runs, to standard output or into a file that gets its name at the end.
type timeline struct {
	*reports.Timeline
	sh   *shell
	path string // empty for standard output
	// file is what is being written; target is the name that it gets, empty where it is written directly (a device, a pipe).
	file   *os.File
	target string
}

// takeTimeline takes the -o timeline out of the sinks, whose pieces are written when a run has ended, and begins it; nil without one.
func (o *outputs) takeTimeline() (*timeline, error) {
	at := slices.IndexFunc(o.sinks, func(s *sink) bool { return s.format == reports.FormatTimeline })
	if at < 0 {
		return nil, nil
	}
	t := &timeline{sh: o.sh, path: o.sinks[at].path}
	o.sinks = slices.Delete(o.sinks, at, at+1)
	if slices.ContainsFunc(o.sinks, func(s *sink) bool { return s.format == reports.FormatTimeline }) {
		return nil, usagef("give one, and copy it", "-o timeline is given twice")
	}
	var w io.Writer = o.sh.stdout
	if t.path != "" {
		if err := t.open(); err != nil {
			return nil, writeError{t.path, reason(err)}
		}
		w = t.file
	}
	t.Timeline = reports.NewTimeline(w)
	return t, nil
}

func (t *timeline) open() error {
	target, mode, direct, err := finalTarget(t.path)
	switch {
	case err != nil:
		return err
	case direct:
		t.file, err = os.OpenFile(target, os.O_WRONLY, 0)
		return err
	}
	t.target = target
	t.file, err = t.sh.temps.create(target, mode)
	return err
}

// end writes what is left and gives the file its name.
func (t *timeline) end() error {
	if t == nil {
		return nil
	}
	err := t.Flush()
	switch {
	case t.path == "":
		return err
	case err != nil:
		t.abandon()
	case t.target == "":
		err = t.file.Close()
	default:
		err = t.sh.temps.commit(t.file, t.target)
		t.sh.temps.remove(t.file.Name())
	}
	if err != nil {
		return writeError{t.path, reason(err)}
	}
	return nil
}

// abandon leaves no half-written file behind; after end it does nothing.
func (t *timeline) abandon() {
	if t != nil && t.file != nil && !errors.Is(t.file.Close(), os.ErrClosed) && t.target != "" {
		t.sh.temps.remove(t.file.Name())
	}
}
