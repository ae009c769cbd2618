package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"path/filepath"

	"upsim/model"
	"upsim/model/kube"
)

// Source is a scenario file that was read whole, with the digest by which
// another machine or a later run knows that it is the same.
type Source struct {
	FileDigest
	data []byte
}

// ReadSource reads a file whole.
func ReadSource(path string) (*Source, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > MaxFileSize {
		return nil, tooLarge(path)
	}
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(f, MaxFileSize+1)); err != nil {
		return nil, readError(path, err)
	}
	if buf.Len() > MaxFileSize {
		return nil, tooLarge(path)
	}
	sum := sha256.Sum256(buf.Bytes())
	return &Source{FileDigest{path, hex.EncodeToString(sum[:])}, buf.Bytes()}, nil
}

// Content is what the file seems to hold.
func (s *Source) Content() Content { return recognise(s.data[:min(len(s.data), headSize)]) }

// Load reads the file's scenarios, and tells which files with kubectl output they are built on.
func (s *Source) Load() (list []*model.Scenario, from []FileDigest, err error) {
	found, faults := model.Decode(s.File, s.data, func(paths []string) (*model.Cluster, error) {
		return readFiles(paths, filepath.Dir(s.File), &from)
	})
	if len(faults) > 0 {
		return nil, from, faults
	}
	return found, from, nil
}

// FileDigest names a file and the SHA-256 of what was read of it, in hexadecimal.
type FileDigest struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// DigestFile works a file's digest out anew.
func DigestFile(path string) (FileDigest, error) {
	f, _, err := openFile(path)
	if err != nil {
		return FileDigest{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return FileDigest{}, readError(path, err)
	}
	return digestOf(path, h), nil
}

func digestOf(path string, h hash.Hash) FileDigest {
	return FileDigest{path, hex.EncodeToString(h.Sum(nil))}
}

// addWithDigest lets r read f and takes the digest of the whole file on the way.
func addWithDigest(r *kube.Reader, path string, f io.Reader, digests *[]FileDigest) error {
	h := sha256.New()
	if err := r.Add(path, io.TeeReader(f, h)); err != nil {
		return err
	}
	if _, err := io.Copy(h, f); err != nil {
		return readError(path, err)
	}
	*digests = append(*digests, digestOf(path, h))
	return nil
}
