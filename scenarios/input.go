package scenarios

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Input is an open file, or standard input, whose beginning has been looked at
// and nothing more: what it holds can be known before it is read, once.
type Input struct {
	// Name stands in messages.
	Name string
	// Content is what the input seems to hold.
	Content Content

	dir    string // that names in it are relative to
	size   int64  // as far as it is known
	reader *bufio.Reader
	closer io.Closer
}

// Open opens a file; the path "-" is stdin, where one is given. It fails, with an error that names
// the file, where there is nothing to read: no such file, a directory, no permission.
func Open(path string, stdin io.Reader) (*Input, error) {
	in := &Input{Name: "<stdin>", dir: ".", closer: io.NopCloser(stdin)}
	if path != "-" || stdin == nil {
		f, size, err := openFile(path)
		if err != nil {
			return nil, err
		}
		in.Name, in.dir, in.size, in.closer = path, filepath.Dir(path), size, f
		stdin = f
	}
	in.reader = bufio.NewReaderSize(stdin, headSize)
	// An error here comes again when the input is read.
	head, err := in.reader.Peek(headSize)
	if err != nil && len(head) == 0 && !errors.Is(err, io.EOF) {
		in.Close()
		return nil, readError(in.Name, err)
	}
	in.Content = recognise(head)
	return in, nil
}

// Read makes an Input the reader of all of its content.
func (in *Input) Read(p []byte) (int, error) { return in.reader.Read(p) }

// Close closes the file; standard input stays open.
func (in *Input) Close() error { return in.closer.Close() }

// openFile opens a file for reading and tells its size; a folder is refused.
func openFile(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, openError(path, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a directory; name a file in it")
	}
	if err != nil {
		f.Close()
		return nil, 0, openError(path, err)
	}
	return f, info.Size(), nil
}

// openError says what the system said about a file, the name once.
func openError(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("cannot read %s: %w", path, err)
}

// readError says that reading failed. An error of the system names operation and file itself.
func readError(name string, err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return fmt.Errorf("cannot %w", err)
	}
	return fmt.Errorf("cannot read %s: %w", name, err)
}
