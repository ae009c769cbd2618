package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"upsim/reports/jsonl"
)

// tempFiles are the files that are being written and must not stay behind.
// Its lock is held while one gets its final name, so that an interrupt finds
// each either whole or gone.
type tempFiles struct {
	mu    sync.Mutex
	paths []string
	// kept says what stays on purpose and how to go on from it; empty for nothing.
	kept string
}

// keep says from now on, when upsim is interrupted, what has stayed.
func (t *tempFiles) keep(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = what
}

// removeAll removes what is there and, by keeping the lock, lets nothing more be written. It tells what stays.
func (t *tempFiles) removeAll() (kept string) {
	t.mu.Lock()
	for _, p := range t.paths {
		os.Remove(p)
	}
	return t.kept
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
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	return t.commit(f, target)
}

// commit gives a temporary file that is written its final name.
func (t *tempFiles) commit(f *os.File, target string) error {
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return os.Rename(f.Name(), target)
}

// A temporary file of target is called so, with a number between the two.
func tempName(target string) (prefix, suffix string) {
	return "." + filepath.Base(target) + ".", ".tmp"
}

// sweep removes the temporary files of target that killed processes have left. Nobody else may be writing it.
func sweep(target string) {
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return // what cannot be listed stays
	}
	prefix, suffix := tempName(target)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), suffix) {
			os.Remove(filepath.Join(filepath.Dir(target), e.Name()))
		}
	}
}

func (t *tempFiles) create(target string, mode fs.FileMode) (*os.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	prefix, suffix := tempName(target)
	f, err := os.CreateTemp(filepath.Dir(target), prefix+"*"+suffix)
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

// alone makes a file beside target which one process has at a time, until it releases it.
func (t *tempFiles) alone(target string) (*os.File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, err := jsonl.OpenAlone(filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".lock"))
	if err == nil {
		t.paths = append(t.paths, f.Name())
	}
	return f, err
}

func (t *tempFiles) release(f *os.File) {
	t.remove(f.Name())
	f.Close() // only now, since it lets others in
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
