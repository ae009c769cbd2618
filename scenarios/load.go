package scenarios

import (
	"fmt"
	"io"
	"path/filepath"

	"upsim/model"
	"upsim/model/kube"
)

// MaxFileSize is the size in bytes from which a scenario file is refused
// unread. A written scenario of five thousand explicit nodes has about one
// megabyte; kubectl output is streamed and has no such bound.
const MaxFileSize = 32 << 20

// Load reads every scenario of a file. The names under `cluster.from` are
// relative to the file's folder. Faults of the file come back as
// model.Diagnostics, all of them at once; a file that cannot be read comes
// back as an error that names it.
func Load(path string) ([]*model.Scenario, error) {
	in, err := Open(path, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Scenarios()
}

// LoadFrom reads scenarios from a stream. The name stands in the diagnostics;
// dir is the folder that the names under `cluster.from` are relative to. Each scenario has its upgrade with each of the changes as a variant.
func LoadFrom(name string, in io.Reader, dir string, changes ...model.Changes) ([]*model.Scenario, error) {
	data, err := io.ReadAll(io.LimitReader(in, MaxFileSize+1))
	if err != nil {
		return nil, readError(name, err)
	}
	if len(data) > MaxFileSize {
		return nil, tooLarge(name)
	}
	found, faults := model.Decode(name, data, func(paths []string) (*model.Cluster, error) {
		return readFiles(paths, dir, nil)
	}, changes...)
	if len(faults) > 0 {
		return nil, faults
	}
	for _, sc := range found {
		sc.Folder = dir
	}
	return found, nil
}

// Scenarios reads the input as a scenario file; the changes are as for LoadFrom.
func (in *Input) Scenarios(changes ...model.Changes) ([]*model.Scenario, error) {
	if in.size > MaxFileSize {
		return nil, tooLarge(in.Name)
	}
	return LoadFrom(in.Name, in.reader, in.dir, changes...)
}

func tooLarge(name string) error {
	return fmt.Errorf("%s is larger than a scenario may be (%d MiB); "+
		"kubectl output belongs under `cluster.from` or --cluster", name, MaxFileSize>>20)
}

// readFiles reads files with kubectl output, all into one cluster; the paths are relative to dir. Where digests is
// not nil it gets one for each file.
func readFiles(paths []string, dir string, digests *[]FileDigest) (*model.Cluster, error) {
	r := kube.NewReader()
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		f, _, err := openFile(path)
		if err != nil {
			return nil, err
		}
		if digests == nil {
			err = r.Add(path, f)
		} else {
			err = addWithDigest(r, path, f, digests)
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return finish(r)
}

// finish ends the reading of a real cluster and keeps what the reader noticed.
func finish(r *kube.Reader) (*model.Cluster, error) {
	cluster, notes, err := r.Cluster()
	if err != nil {
		return nil, err
	}
	cluster.Notes = notes
	return cluster, nil
}
