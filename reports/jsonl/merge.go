package jsonl

import (
	"bufio"
	"cmp"
	"container/heap"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"upsim/reports"
)

// Parts are the parts of all shards of one batch, checked.
type Parts struct {
	Batch Batch
	parts []*part
}

// part is one file.
type part struct {
	path  string
	first []byte // the line that head is read from
	head  *Head
	tail  *Tail
}

// CheckParts reads the parts and says of all of them what is wrong: a file that
// is no part or not whole, shards that are missing or twice there, and parts
// that are of another version of upsim, another command line, or other files.
func CheckParts(paths []string) (*Parts, error) {
	p := &Parts{}
	var faults []error
	for _, path := range paths {
		one, err := checkPart(path)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", path, err))
			continue
		}
		p.parts = append(p.parts, one)
	}
	if faults = append(faults, p.agree()...); len(faults) == 0 {
		faults = append(faults, p.complete()...)
	}
	return p, errors.Join(faults...)
}

// agree compares each part with the first.
func (p *Parts) agree() (faults []error) {
	for i, one := range p.parts {
		if i == 0 {
			p.Batch = one.head.Batch
			continue
		}
		first := p.parts[0]
		switch d := p.Batch.difference(&one.head.Batch); {
		case one.head.Shard.Of != first.head.Shard.Of:
			faults = append(faults, fmt.Errorf("%s is shard %s, and %s shard %s", one.path, one.head.Shard, first.path, first.head.Shard))
		case d != "":
			faults = append(faults, fmt.Errorf("%s is of another batch than %s: %s", one.path, first.path, d))
		case one.tail.ContentsSHA256 != first.tail.ContentsSHA256:
			faults = append(faults, fmt.Errorf("%s is of another batch than %s: a scenario file had other contents", one.path, first.path))
		}
	}
	return faults
}

// complete finds the shards that are not there, or more than once.
func (p *Parts) complete() (faults []error) {
	if len(p.parts) == 0 {
		return nil
	}
	of := p.parts[0].head.Shard.Of
	by := map[int]string{}
	for _, one := range p.parts {
		i := one.head.Shard.Index
		if other, doubled := by[i]; doubled {
			faults = append(faults, fmt.Errorf("%s and %s are both shard %s", other, one.path, one.head.Shard))
		}
		by[i] = one.path
	}
	var missing []string
	for i := range of {
		if _, ok := by[i]; !ok {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	if n := len(missing); n > 0 {
		const most = 20
		if n > most {
			missing = append(missing[:most], fmt.Sprintf("and %d more", n-most))
		}
		faults = append(faults, fmt.Errorf("of %d shards these are missing: %s", of, strings.Join(missing, ", ")))
	}
	return faults
}

// checkPart reads a part once through.
func checkPart(path string) (*part, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cannotRead(err)
	}
	defer f.Close()
	p := &part{path: path}
	in, err := p.begin(f)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	sum.Write(p.first)
	rows := 0
	var before reports.Origin
	for {
		u, err := in.next()
		if err != nil {
			break
		}
		if err := p.checkUnit(u, before); err != nil {
			return nil, err
		}
		before = u.Origin
		for _, l := range u.Lines {
			sum.Write(l)
			rows++
		}
	}
	p.tail = in.tail
	switch {
	case !errors.Is(in.err, io.EOF) && !errors.Is(in.err, io.ErrUnexpectedEOF) && !errors.Is(in.err, errNoRow):
		return nil, cannotRead(in.err)
	case in.tail == nil && errors.Is(in.err, errNoRow):
		return nil, fmt.Errorf("line %d is no row of a batch", in.lines)
	case in.tail == nil:
		return nil, errors.New("its last line is missing: it was cut off, or the batch that writes it has not ended")
	case !errors.Is(in.err, io.EOF):
		return nil, fmt.Errorf("something stands behind its last line, %d", in.lines)
	}
	return p, checkTail(p.tail, rows, sum)
}

// cannotRead leaves the name out, which stands before the message.
func cannotRead(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("cannot read it: %w", readFault{path})
	}
	return err
}

// readFault is a path error whose text is only what the system said.
type readFault struct{ *fs.PathError }

func (f readFault) Error() string { return f.Err.Error() }
func (f readFault) Unwrap() error { return f.PathError }

// begin reads the head.
func (p *part) begin(f *os.File) (*unitReader, error) {
	in := &unitReader{in: bufio.NewReader(f)}
	first, err := in.line()
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, cannotRead(err)
	}
	if p.head, err = parse[Head](first, kindHead); err != nil {
		if _, e := reports.ParseOrigin(first); e == nil {
			return nil, errors.New("it is no part: it holds a whole batch, that was run without --shard")
		}
		return nil, errors.New("it is no part of a batch: those are written with --shard")
	}
	if _, err := NewShard(p.head.Shard.Index, p.head.Shard.Of); err != nil {
		return nil, err
	}
	p.first = first
	return in, nil
}

// checkUnit finds rows that are not where they belong.
func (p *part) checkUnit(u *Unit, before reports.Origin) error {
	o := u.Origin
	switch {
	case position(o, before) <= 0:
		return fmt.Errorf("input %d stands behind input %d", o.Input, before.Input)
	case o.Input > p.head.Inputs || !p.head.Shard.Owns(o.File, o.Replication):
		return fmt.Errorf("the row of %s does not belong into shard %s", o.File, p.head.Shard)
	case o.Upsim != p.head.Upsim:
		return fmt.Errorf("the row of %s is of version %s and not %s", o.File, o.Upsim, p.head.Upsim)
	}
	return nil
}

func position(a, b reports.Origin) int {
	return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Replication, b.Replication))
}

// Rows gives all rows, each a line, in the order in which one machine writes them.
func (p *Parts) Rows(yield func(line []byte) error) error {
	var queue cursors
	for _, one := range p.parts {
		f, err := os.Open(one.path)
		if err != nil {
			return err
		}
		defer f.Close()
		in, err := one.begin(f)
		if err != nil {
			return err
		}
		if u, err := in.next(); err == nil {
			queue = append(queue, cursor{u, in})
		}
	}
	heap.Init(&queue)
	for len(queue) > 0 {
		c := &queue[0]
		for _, l := range c.unit.Lines {
			if err := yield(l); err != nil {
				return err
			}
		}
		u, err := c.in.next()
		if err != nil { // the tail: the part was checked
			heap.Pop(&queue)
			continue
		}
		c.unit = u
		heap.Fix(&queue, 0)
	}
	return nil
}

// cursor is the next unit of a part; cursors are those of all parts, a heap.
type cursor struct {
	unit *Unit
	in   *unitReader
}
type cursors []cursor

func (c cursors) Len() int           { return len(c) }
func (c cursors) Less(i, j int) bool { return position(c[i].unit.Origin, c[j].unit.Origin) < 0 }
func (c cursors) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(x any)        { *c = append(*c, x.(cursor)) }
func (c *cursors) Pop() any {
	last := (*c)[len(*c)-1]
	*c = slices.Delete(*c, len(*c)-1, len(*c))
	return last
}
