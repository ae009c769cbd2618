package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"upsim/reports"
)

// done is what an earlier process has left of a file.
type done struct {
	whole      bool  // it is a finished file
	start, end int64 // of the rows that are kept
	last       int64 // end of the last unit, which is done again; end where there is none
	units      int   // of work, that these rows are of
	// lines and lastLines are how many lines there are up to end and up to last.
	lines, lastLines int
	damaged          int // the line that is not as it was written, 0 for none
	rows             *unitReader
}

// Unit is one unit of work that is done: the rows of one file with one replication.
type Unit struct {
	// Origin is that of the first row.
	Origin reports.Origin
	// Lines are the rows, each with its newline.
	Lines [][]byte
}

// size is the unit's length in the file.
func (u *Unit) size() (n int64) {
	for _, l := range u.Lines {
		n += int64(len(l))
	}
	return n
}

// scan finds the units that are done: all of a finished file, and of another
// all but the last, of which nobody knows whether it has all its rows.
func (f *File) scan() error {
	in := &unitReader{in: bufio.NewReaderSize(f.f, 64<<10)}
	if f.sums != nil {
		in.sums = &sumReader{bufio.NewReader(f.sums.f)}
	}
	if f.head != nil {
		first, err := in.line()
		if err != nil && !f.done.whole {
			return nil // killed before its first line was written
		}
		if err := f.sameHead(first); err != nil {
			return err
		}
		if _, err := in.proven(first); err != nil { // what stands in it is compared above
			return err
		}
		f.sum.Write(first)
		f.done.start = int64(len(first))
		f.done.lines = 1
	}
	f.done.end = f.done.start
	var last *Unit
	keep := func(u *Unit) {
		if u == nil {
			return
		}
		for _, l := range u.Lines {
			f.rows++
			f.done.lines++
			if f.sum != nil {
				f.sum.Write(l)
			}
		}
		f.done.units++
		f.done.end += u.size()
	}
	for {
		u, err := in.next()
		if err != nil {
			if f.done.whole || in.tail != nil {
				keep(last)
				last = nil
			}
			f.done.last, f.done.lastLines, f.done.damaged = f.done.end, f.done.lines, in.damaged
			if last != nil {
				f.done.last += last.size()
				f.done.lastLines += len(last.Lines)
			}
			f.done.rows = &unitReader{in: bufio.NewReader(io.NewSectionReader(f.f, f.done.start, f.done.end-f.done.start))}
			return f.atEnd(in, err)
		}
		keep(last)
		last = u
	}
}

// atEnd judges why the rows have ended.
func (f *File) atEnd(in *unitReader, err error) error {
	switch {
	case f.head == nil && in.tail != nil, in.head:
		return errors.New("it is a shard's part; the batch without --shard is another")
	case f.done.whole && f.head != nil && in.tail == nil, f.done.whole && !errors.Is(err, io.EOF):
		return fmt.Errorf("it was finished, and is damaged since: line %d is no row of a batch", in.lines)
	case f.done.last == f.done.start && in.foreign:
		return errors.New("what it holds are no rows of a batch")
	case f.done.whole && f.head != nil:
		return checkTail(in.tail, f.rows, f.sum)
	}
	return nil
}

// sameHead compares a part's first line with what this batch would write.
func (f *File) sameHead(first []byte) error {
	h, err := parse[Head](first, kindHead)
	if err != nil {
		return fmt.Errorf("it is no part of a sharded batch: %w", err)
	}
	if h.Shard != f.head.Shard {
		return fmt.Errorf("it is of shard %s and not %s", h.Shard, f.head.Shard)
	}
	if d := f.head.Batch.difference(&h.Batch); d != "" {
		return fmt.Errorf("it is of another batch: %s", d)
	}
	return nil
}

// Done is how many units of work are done already.
func (f *File) Done() int { return f.done.units }

// NextDone gives the units that are done, in order; io.EOF behind the last.
func (f *File) NextDone() (*Unit, error) {
	if f.done.rows == nil {
		return nil, io.EOF
	}
	return f.done.rows.next()
}

// unitReader reads rows unit by unit.
type unitReader struct {
	in    *bufio.Reader
	sums  *sumReader // nil where the lines have none
	lines int
	ahead *Unit // the first row of the next unit

	// What ended the rows, if not the end of the file: a part's tail or a second head, or something else that is whole.
	tail    *Tail
	head    bool
	foreign bool
	damaged int   // the line that is not as it was written
	err     error // it is final
}

// errNoRow ends the rows: a line that is torn, damaged, or no row.
var errNoRow = errors.New("no row of a batch")

// mostLine bounds a line: a result of fifty thousand nodes has less than a tenth of it.
const mostLine = 256 << 20

// line reads a line with its newline. One that is cut off by the end of the
// file is io.ErrUnexpectedEOF; a power failure may have left zeros.
func (r *unitReader) line() ([]byte, error) {
	var text []byte
	for {
		piece, err := r.in.ReadSlice('\n')
		text = append(text, piece...)
		switch {
		case err == nil && bytes.IndexByte(text, 0) < 0:
			r.lines++
			return text, nil
		case err == io.EOF && len(text) == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
			return nil, err
		case err != bufio.ErrBufferFull || len(text) > mostLine:
			r.lines++
			return nil, io.ErrUnexpectedEOF
		}
	}
}

// next reads a unit; io.EOF behind the last, and another error where something is no row.
func (r *unitReader) next() (*Unit, error) {
	u := r.ahead
	r.ahead = nil
	for {
		o, text, err := r.row()
		switch {
		case err != nil && u != nil:
			return u, nil // the error comes again
		case err != nil:
			return nil, err
		case u == nil:
			u = &Unit{Origin: o}
		case u.Origin.Input != o.Input || u.Origin.Replication != o.Replication:
			r.ahead = &Unit{o, [][]byte{text}}
			return u, nil
		}
		u.Lines = append(u.Lines, text)
	}
}

// proven reports whether a line is as it was written, as far as that is known.
func (r *unitReader) proven(line []byte) (bool, error) {
	if r.sums == nil {
		return true, nil
	}
	return r.sums.proves(line)
}

// row reads a row, and notes what is none.
func (r *unitReader) row() (reports.Origin, []byte, error) {
	var text []byte
	if r.err == nil {
		text, r.err = r.line()
	}
	if r.err != nil {
		return reports.Origin{}, nil, r.err
	}
	asWritten, err := r.proven(text)
	if err != nil {
		r.err = err
		return reports.Origin{}, nil, err
	}
	if !asWritten {
		r.damaged = r.lines
	}
	o, err := reports.ParseOrigin(text)
	if err == nil && asWritten {
		return o, text, nil
	}
	r.err = errNoRow
	if err == nil {
		return o, nil, errNoRow
	}
	if r.tail, err = parse[Tail](text, kindTail); err == nil {
		_, r.err = r.in.ReadByte() // io.EOF, or there is more
		if r.err == nil {
			r.err = errNoRow
		}
		return o, nil, r.err
	}
	_, err = parse[Head](text, kindHead)
	r.head = err == nil
	r.foreign = !r.head
	return o, nil, errNoRow
}
