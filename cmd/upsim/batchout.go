package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"upsim/reports"
	"upsim/reports/jsonl"
)

// Formats of a batch and of a merge, beside the table that sums up.
const (
	formatJSONL = "jsonl"
	formatCSV   = "csv"
)

var batchFormats = []string{reports.FormatTable, formatJSONL, formatCSV}

// batchOut takes the rows of a batch, in order, to all sinks at once. A row that is kept nowhere else is never held.
type batchOut struct {
	sh      *shell
	tables  []*sink
	csv     []*stream
	lines   []*stream
	file    *jsonl.File // that can be resumed
	path    string      // of file
	summary reports.Batch
}

// openBatchOut opens the sinks; how says how a file of rows is resumed, nil that it is written at once and in one go.
func (sh *shell) openBatchOut(o *outputs, how *jsonl.Options) (b *batchOut, err error) {
	b = &batchOut{sh: sh}
	defer func() {
		if err != nil {
			b.leave()
		}
	}()
	sinks := slices.Clone(o.sinks)
	slices.SortStableFunc(sinks, func(x, y *sink) int { return cmp.Compare(y.format, x.format) }) // rows before csv
	for _, s := range sinks {
		switch s.format {
		case reports.FormatTable:
			b.tables = append(b.tables, s)
			continue
		case formatJSONL:
			if how != nil && s.path != "" {
				resumable, err := b.openFile(s, *how)
				if err != nil {
					return b, err
				}
				if resumable {
					continue
				}
			}
		}
		if b.file != nil && how.Resume && s.path != "" {
			sweep(s.path) // the lock on the rows says that the process which wrote it is gone
		}
		st, err := sh.openStream(s.path)
		if err != nil {
			return b, err
		}
		if s.format == formatJSONL {
			b.lines = append(b.lines, st)
			continue
		}
		b.csv = append(b.csv, st)
		if err := reports.CSVHead(st); err != nil {
			return b, err
		}
	}
	return b, nil
}

// startAnew is the hint where a batch cannot be resumed.
const startAnew = "give --restart in place of --resume to start anew"

// openFile opens a file of rows; false means that it is a device or a pipe, which cannot be resumed.
func (b *batchOut) openFile(s *sink, how jsonl.Options) (bool, error) {
	target, mode, direct, err := finalTarget(s.path)
	if err != nil {
		return false, writeError{s.path, reason(err)}
	}
	if direct {
		return false, nil
	}
	how.Mode = mode
	b.file, err = jsonl.Open(target, how)
	if errors.Is(err, jsonl.ErrUnfinished) {
		return false, usagef("go on with it with --resume, or throw it away with --restart", "a batch of %s is unfinished; what it has done is in %s", s.path, jsonl.Partial(s.path))
	}
	if err != nil && how.Resume && !errors.As(err, new(*os.PathError)) && !errors.Is(err, jsonl.ErrLocked) {
		return false, usagef(startAnew, "%s cannot be resumed: %v", s.path, err)
	}
	if err != nil {
		return false, writeError{s.path, reason(err)}
	}
	b.path = s.path
	if line := b.file.Damaged(); line > 0 {
		b.sh.note("note: line %d of %s is not as it was written: it and what follows is simulated again", line, jsonl.Partial(s.path))
	}
	b.sh.temps.keep(fmt.Sprintf("what is done stays in %s; the same command with --resume goes on", jsonl.Partial(s.path)))
	return true, nil
}

// take writes the rows of one unit of work; old ones are in the resumed file already.
func (b *batchOut) take(text []byte, rows []reports.Row, old bool) error {
	if b.file != nil && !old {
		if err := b.file.Add(text, len(rows)); err != nil {
			return b.notWritten(err)
		}
	}
	for _, st := range b.lines {
		if _, err := st.Write(text); err != nil {
			return err
		}
	}
	for i := range rows {
		b.summary.Add(rows[i])
		for _, st := range b.csv {
			if err := reports.CSVRow(st, &rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// notWritten says what failed, and that nothing is lost.
func (b *batchOut) notWritten(err error) error {
	return writeError{b.path, fmt.Errorf("%w; what is done stays in %s, and the same command with --resume goes on", reason(err), jsonl.Partial(b.path))}
}

// finish gives every file its name and prints the summary. The digest is of the contents of all inputs.
func (b *batchOut) finish(contents string) error {
	if b.file != nil {
		if err := b.file.Finish(contents); err != nil {
			return b.notWritten(err)
		}
		b.file = nil
	}
	for len(b.lines) > 0 {
		st := b.lines[0]
		b.lines = b.lines[1:]
		if err := st.finish(); err != nil {
			return err
		}
	}
	for len(b.csv) > 0 {
		st := b.csv[0]
		b.csv = b.csv[1:]
		if err := st.finish(); err != nil {
			return err
		}
	}
	b.sh.temps.keep("")
	return b.tell()
}

// tell prints the summary where it is asked for, or else beside the data.
func (b *batchOut) tell() error {
	o := outputs{sh: b.sh, sinks: b.tables}
	if len(b.tables) == 0 {
		if b.sh.quiet {
			return nil
		}
		return b.summary.Table(b.sh.stderr, reports.TableOptions{Verbose: b.sh.verbose})
	}
	err := o.each(func(w io.Writer, _ string, opts reports.TableOptions) error { return b.summary.Table(w, opts) })
	if err != nil {
		return err
	}
	return o.close()
}

// leave ends everything after a failure: what can be resumed stays, the rest goes.
func (b *batchOut) leave() {
	if b.file != nil {
		_ = b.file.Leave() // the failure that ends the batch is told already
	}
	for _, list := range [][]*stream{b.lines, b.csv} {
		for _, st := range list {
			st.leave()
		}
	}
}

// stream is a sink that is written as the rows come: standard output, or a file that gets its name in the end.
type stream struct {
	*bufio.Writer
	sh     *shell
	path   string // as the user named it; empty for standard output
	target string
	f      *os.File
	temp   bool
	alone  *os.File // held while nobody else may write target; nil where f is no temporary file
}

func (sh *shell) openStream(path string) (*stream, error) {
	st := &stream{sh: sh, path: path}
	if path == "" {
		st.Writer = bufio.NewWriter(sh.stdout)
		return st, nil
	}
	target, mode, direct, err := finalTarget(path)
	if err == nil {
		st.target, st.temp = target, !direct
		if direct {
			st.f, err = os.OpenFile(target, os.O_WRONLY, 0)
		} else if st.alone, err = sh.temps.alone(target); err == nil {
			if st.f, err = sh.temps.create(target, mode); err != nil {
				sh.temps.release(st.alone)
			}
		}
	}
	if err != nil {
		return nil, writeError{path, reason(err)}
	}
	st.Writer = bufio.NewWriterSize(st.f, 64<<10)
	return st, nil
}

func (st *stream) Write(p []byte) (int, error) {
	n, err := st.Writer.Write(p)
	return n, st.named(err)
}

// named adds the name to an error of a file; standard output has its own.
func (st *stream) named(err error) error {
	if err == nil || st.f == nil || errors.As(err, new(writeError)) {
		return err
	}
	return writeError{st.path, reason(err)}
}

func (st *stream) finish() error {
	err := st.Flush()
	switch {
	case st.f == nil:
		return err
	case err != nil:
		st.leave()
	case st.temp:
		err = st.sh.temps.commit(st.f, st.target)
		st.sh.temps.remove(st.f.Name())
		st.sh.temps.release(st.alone)
	default:
		err = st.f.Close()
	}
	return st.named(err)
}

func (st *stream) leave() {
	if st.f == nil {
		return
	}
	st.f.Close()
	if st.temp {
		st.sh.temps.remove(st.f.Name())
		st.sh.temps.release(st.alone)
	}
}
