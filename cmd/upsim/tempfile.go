package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// tempFiles are the files that are being written and must not stay behind.
// Its lock is held while one gets its final name, so that an interrupt finds
// each either whole or gone.
type tempFiles struct {
	mu    sync.Mutex
	paths []string
}

// removeAll removes what is there and, by keeping the lock, lets nothing more be written.
func (t *tempFiles) removeAll() {
	t.mu.Lock()
	for _, p := range t.paths {
		os.Remove(p)
	}
}

// write puts data into the file at path, whole or not at all: into a file
// beside it, synced to the disk, then renamed. What is no regular file (a
// device, a pipe) is written directly, since a rename would replace it.
func (t *tempFiles) write(path string, data []byte) error {
	target, mode, direct, err := finalTarget(path)
	if err == nil {
		if direct {
			err = writeDirectly(target, data)
		} else {
			err = t.replace(target, mode, data)
		}
	}
	if err != nil {
		return writeError{path, reason(err)}
	}
	return nil
}

func (t *tempFiles) replace(target string, mode fs.FileMode, data []byte) error {
	f, err := t.create(target, mode)
	if err != nil {
		return err
	}
	defer t.remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return os.Rename(f.Name(), target)
}

func (t *tempFiles) create(target string, mode fs.FileMode) (*os.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*.tmp")
	if err != nil {
		return nil, err
	}
	t.paths = append(t.paths, f.Name())
	// CreateTemp lets nobody else read; a report is an ordinary file.
	if err := f.Chmod(mode); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

// remove forgets a temporary file, and removes it if it still has that name.
func (t *tempFiles) remove(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	os.Remove(name)
	for i, p := range t.paths {
		if p == name {
			t.paths = append(t.paths[:i], t.paths[i+1:]...)
			return
		}
	}
}

// finalTarget follows links and says how the file is to be written. It fails
// where it could not be: a folder, or a folder that is not there.
func finalTarget(path string) (target string, mode fs.FileMode, direct bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if link, err := os.Readlink(path); err == nil {
			// The link stays, and what it names comes to be. A chain of links that has an end cannot be a circle.
			return danglingTarget(path, link)
		}
		_, err = os.Stat(filepath.Dir(path))
		return path, 0o644, false, err
	case err != nil:
		return "", 0, false, err
	case info.IsDir():
		return "", 0, false, errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return path, 0, true, nil
	}
	target, err = filepath.EvalSymlinks(path)
	return target, info.Mode().Perm(), false, err
}

// danglingTarget is the final target of a link that names nothing yet.
func danglingTarget(path, link string) (target string, mode fs.FileMode, direct bool, err error) {
	if !filepath.IsAbs(link) {
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", 0, false, err
		}
		link = filepath.Join(folder, link)
	}
	return finalTarget(link)
}

func writeDirectly(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// reason is what the system said, without the operation and the (temporary) name.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
