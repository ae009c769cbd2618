package scenarios

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// extensions are those of the files that are taken from a folder.
var extensions = []string{".yaml", ".yml", ".json"}

// Found is a file among those that paths name.
type Found struct {
	Path string
	// Named: it was named itself, and not only its folder or a pattern that it matches.
	Named bool
}

// Files lists the files that paths name: a file itself, the files of a folder
// and of the folders in it (extensions .yaml, .yml and .json; names that begin
// with a dot are left out), what a pattern matches, and for "-" what the lines
// of list name. Each file stands once, where it was named first; a folder's
// are in the order of their names. A path that names nothing is left in the
// list, for whoever opens it to say so; a folder or a pattern without any file is an error.
func Files(paths []string, list io.Reader) ([]Found, error) {
	f := finder{seen: map[string]bool{}}
	for _, p := range paths {
		err := error(nil)
		if p == "-" {
			err = f.lines(list)
		} else {
			err = f.path(p)
		}
		if err != nil {
			return nil, err
		}
	}
	return f.files, nil
}

type finder struct {
	files []Found
	seen  map[string]bool // by their clean paths
	met   int             // files, also those that were seen already
}

func (f *finder) add(file string, named bool) {
	f.met++
	if clean := filepath.Clean(file); !f.seen[clean] {
		f.seen[clean] = true
		f.files = append(f.files, Found{file, named})
	}
}

// lines takes a path a line; empty lines are passed over.
func (f *finder) lines(list io.Reader) error {
	in := bufio.NewScanner(list)
	for in.Scan() {
		line := strings.TrimSuffix(in.Text(), "\r")
		switch {
		case line == "":
		case line == "-":
			return errors.New("the list on standard input names - (standard input itself)")
		default:
			if err := f.path(line); err != nil {
				return err
			}
		}
	}
	if err := in.Err(); err != nil {
		return readError("the list on standard input", err)
	}
	return nil
}

func (f *finder) path(p string) error {
	info, err := os.Stat(p)
	switch {
	case err == nil && info.IsDir():
		before := f.met
		if err := f.folder(p); err != nil {
			return err
		}
		if f.met == before {
			return fmt.Errorf("the folder %s has no file whose name ends in %s", p, strings.Join(extensions, ", "))
		}
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(p, "*?["):
		return f.pattern(p)
	default:
		f.add(p, true)
	}
	return nil
}

func (f *finder) folder(folder string) error {
	entries, err := os.ReadDir(folder) // in the order of their names
	if err != nil {
		return openError(folder, err)
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		switch {
		case hidden(e.Name()), e.Name() == "lost+found": // which stands at the top of a volume, and is root's
		case e.IsDir():
			if err := f.folder(path); err != nil {
				return err
			}
		case slices.Contains(extensions, filepath.Ext(e.Name())) && (e.Type().IsRegular() || readable(path)):
			f.add(path, false)
		}
	}
	return nil
}

// hidden names are left out as a shell leaves them out.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// readable leaves out what is no file: a pipe would be waited for, and a link
// could make a folder its own child. A link that names nothing is kept, to be told of.
func readable(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

func (f *finder) pattern(p string) error {
	if strings.Contains(p, "**") {
		return fmt.Errorf("the pattern %s has **, which is not known; name the folder: the folders in it are looked through too", p)
	}
	matches, err := filepath.Glob(p)
	if err != nil {
		return fmt.Errorf("%s is no pattern: %w", p, err)
	}
	matches = slices.DeleteFunc(matches, func(m string) bool { return hidden(filepath.Base(m)) && !hidden(filepath.Base(p)) })
	before := f.met
	for _, m := range matches {
		info, err := os.Stat(m)
		if err == nil && info.IsDir() {
			if err := f.folder(m); err != nil {
				return err
			}
		} else if readable(m) {
			f.add(m, false)
		}
	}
	if f.met == before {
		return fmt.Errorf("no file matches %s", p)
	}
	return nil
}
