package jsonl

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// File is a file of rows that is being written. Until Finish it has another
// name, Partial's; a process that ends before, however it ends, leaves it there
// for Open to go on from.
type File struct {
	path, partial string
	f             *os.File
	head          *Head
	done          done
	sums          *sums // of the lines in f; nil where it is whole

	mu       sync.Mutex // what is written, and by whom: Add or the timer
	out      *bufio.Writer
	sum      hash.Hash // of all lines; nil where there is no head
	rows     int
	late     *time.Timer // will flush what is in out
	unsynced int
	syncing  chan error
}

// Bounds of what a kill can cost: what is not yet with the system, and of a power failure, what is not yet on the disk.
const (
	bufferSize = 256 << 10
	flushEvery = time.Second
	syncEvery  = 32 << 20
)

// Partial is the name of the file at path until it is whole.
func Partial(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".partial")
}

// Options say how a file is opened.
type Options struct {
	// Head is that of a shard's part; nil where the rows are all of the batch.
	Head *Head
	// Mode is the finished file's, whatever the umask.
	Mode fs.FileMode
	// Resume keeps what an earlier process has written, Restart throws it away; without either it is refused with ErrUnfinished.
	Resume, Restart bool
}

// ErrLocked means that another process writes the file.
var ErrLocked = errors.New("another upsim is writing it")

// ErrUnfinished means that an earlier process has left rows.
var ErrUnfinished = errors.New("an earlier batch has left it unfinished")

// Open opens the file that will be at path. It fails at once where it could
// not be written, where another process writes it, and where what is to be
// resumed is of another batch.
func Open(path string, o Options) (*File, error) {
	f := &File{path: path, partial: Partial(path), head: o.Head}
	if f.head != nil {
		f.sum = sha256.New()
	}
	if o.Resume {
		whole, err := f.openWhole()
		if whole || err != nil {
			return f, err
		}
	}
	var err error
	if f.f, err = OpenAlone(f.partial); err != nil {
		return nil, err
	}
	err = f.f.Chmod(o.Mode)
	if info, e := f.f.Stat(); e == nil && info.Size() > 0 && !o.Resume && !o.Restart {
		err = ErrUnfinished
	}
	if err == nil {
		f.sums, err = openSums(f.partial)
	}
	if err == nil && o.Resume {
		err = f.scan()
	}
	if err == nil {
		err = f.begin()
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// close closes the unfinished file, which lets others in.
func (f *File) close() error {
	if f.sums != nil {
		f.sums.f.Close() // all that matters is flushed
	}
	return f.f.Close()
}

// openWhole opens the file itself where it is there and no unfinished one is: all is done already.
func (f *File) openWhole() (bool, error) {
	if _, err := os.Lstat(f.partial); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	in, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f.f, f.done.whole = in, true
	if err := f.scan(); err != nil {
		in.Close()
		return false, err
	}
	return true, nil
}

// OpenAlone opens the file at path, or makes it, for this process only: until
// it is closed, others get ErrLocked. Whoever renames or removes it does so before.
func OpenAlone(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lock(f); err != nil {
			f.Close()
			return nil, err
		}
		// Whoever held the lock before may have given the file its final name, or removed it.
		mine, err1 := f.Stat()
		named, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, named) {
			return f, nil
		}
		f.Close()
		if err := errors.Join(err1, err2); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// begin cuts off what is no row, and writes the head of a new part. The last
// unit stays until it is there anew: a batch that is killed again before that
// has not lost it.
func (f *File) begin() error {
	if err := f.f.Truncate(f.done.last); err != nil {
		return err
	}
	if _, err := f.f.Seek(f.done.end, io.SeekStart); err != nil {
		return err
	}
	if err := f.sums.begin(f.done.lastLines, f.done.lines); err != nil {
		return err
	}
	f.out = bufio.NewWriterSize(f.f, bufferSize)
	if f.head == nil || f.done.end > 0 {
		return nil
	}
	return f.write(line(f.head))
}

// replaceLast takes the last unit off, which is in hand anew.
func (f *File) replaceLast() error {
	if f.done.last == f.done.end {
		return nil
	}
	f.done.last = f.done.end
	return errors.Join(f.f.Truncate(f.done.end), f.sums.f.Truncate(int64(f.done.lines)*sumSize))
}

// Damaged is the line, from 1, of the unfinished file that Open found not to be
// as it was written, so that it and all behind it are not kept; 0 for none.
func (f *File) Damaged() int { return f.done.damaged }

// Whole reports whether the file was finished before, so that nothing can be added.
func (f *File) Whole() bool { return f.done.whole }

// Add appends the rows of one unit of work, each a line. They are with the system a moment later.
func (f *File) Add(lines []byte, rows int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.late == nil {
		f.late = time.AfterFunc(flushEvery, f.flushLate)
	}
	f.rows += rows
	if len(lines) == 0 {
		return nil
	}
	replaces := f.done.last > f.done.end
	if err := f.replaceLast(); err != nil {
		return err
	}
	if err := f.write(lines); err != nil {
		return err
	}
	if replaces {
		return f.flush()
	}
	return nil
}

func (f *File) flushLate() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.late != nil {
		f.late = nil
		_ = f.flush() // a writer keeps the error for the next who writes
	}
}

// flush gives the system all lines, and before them their check sums.
func (f *File) flush() error {
	if err := f.sums.out.Flush(); err != nil {
		return err
	}
	return f.out.Flush()
}

// settle flushes for good.
func (f *File) settle() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.late != nil {
		f.late.Stop()
		f.late = nil
	}
	return errors.Join(f.flush(), f.synced())
}

func (f *File) write(lines []byte) error {
	if f.sum != nil {
		f.sum.Write(lines)
	}
	if err := f.sums.add(lines); err != nil {
		return err
	}
	if len(lines) > f.out.Available() { // some of the lines are with the system soon
		if err := f.sums.out.Flush(); err != nil {
			return err
		}
	}
	if _, err := f.out.Write(lines); err != nil {
		return err
	}
	if f.unsynced += len(lines); f.unsynced < syncEvery {
		return nil
	}
	f.unsynced = 0
	if err := f.synced(); err != nil {
		return err
	}
	f.syncing = make(chan error, 1)
	go func() { f.syncing <- errors.Join(f.sums.f.Sync(), f.f.Sync()) }()
	return nil
}

// synced waits for what syncs in the background.
func (f *File) synced() error {
	if f.syncing == nil {
		return nil
	}
	err := <-f.syncing
	f.syncing = nil
	return err
}

// Finish gives the file its name once it is on the disk. The digest is that of
// the contents of all files of the batch; only a part keeps it.
func (f *File) Finish(contents string) error {
	if f.done.whole {
		return f.f.Close()
	}
	f.mu.Lock()
	err := f.replaceLast()
	if err == nil && f.head != nil {
		err = f.write(line(Tail{f.head.APIVersion, kindTail, f.rows, fmt.Sprintf("%x", f.sum.Sum(nil)), contents}))
	}
	f.mu.Unlock()
	if err := errors.Join(err, f.settle()); err != nil {
		return err
	}
	if err := f.f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.partial, f.path); err != nil {
		return err
	}
	f.sums.remove(f.partial)
	f.f.Close() // only now, since closing it lets others in
	return syncFolder(filepath.Dir(f.path))
}

// syncFolder puts a new name on the disk, where the system can.
func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return nil // the file is whole; the folder may be one that cannot be read
	}
	defer d.Close()
	_ = d.Sync() // some systems have no sync of folders
	return nil
}

// Leave closes an unfinished file with all rows that were added.
func (f *File) Leave() error {
	if f.done.whole {
		return f.f.Close()
	}
	return errors.Join(f.settle(), f.close())
}
