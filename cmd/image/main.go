// Command image packs the static program upsim into a container image with
// nothing else in it, without Docker: an OCI image layout as a tar archive.
// Equal programs give equal bytes.
//
//	go run ./cmd/image -o bin/upsim-image.tar -tag upsim:v1 bin/upsim-linux
//
// The formats are those of the OCI image specification 1.1: image-layout.md,
// image-index.md, manifest.md, config.md and layer.md.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

func main() {
	out := flag.String("o", "upsim-image.tar", "the archive to write")
	tag := flag.String("tag", "upsim:latest", "the name that the archive gives the image")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: image [-o ARCHIVE] [-tag NAME] PROGRAM")
		os.Exit(2)
	}
	program, err := os.ReadFile(flag.Arg(0))
	if err == nil {
		var archive []byte
		if archive, err = pack(program, *tag); err == nil {
			err = os.WriteFile(*out, archive, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// The media types of what an image consists of.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// tagKey is the annotation by which tools find an image in an archive.
const tagKey = "org.opencontainers.image.ref.name"

// nobody is whom the program runs as: a number, so that Kubernetes' runAsNonRoot can tell that it is not root.
const nobody = "65532:65532"

// descriptor names a blob by its digest.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

type index struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Manifests     []descriptor `json:"manifests"`
}

type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
}

type config struct {
	Created string `json:"created"`
	platform
	Config struct {
		User       string   `json:"User"`
		Entrypoint []string `json:"Entrypoint"`
		WorkingDir string   `json:"WorkingDir"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

// pack makes the archive.
func pack(program []byte, tag string) ([]byte, error) {
	arch, err := architecture(program)
	if err != nil {
		return nil, err
	}
	layer, err := tarOf([]file{{"upsim", 0o755, program}})
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	gz, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := gz.Write(layer); err != nil {
		return nil, err
	}
	if err := gz.Close(); err != nil {
		return nil, err
	}
	c := config{Created: epoch.Format(time.RFC3339), platform: platform{arch, "linux"}}
	c.Config.User, c.Config.Entrypoint, c.Config.WorkingDir = nobody, []string{"/upsim"}, "/"
	c.RootFS.Type, c.RootFS.DiffIDs = "layers", []string{digest(layer)}

	var blobs []file
	add := func(mediaType string, data []byte) descriptor {
		d := descriptor{MediaType: mediaType, Digest: digest(data), Size: len(data)}
		blobs = append(blobs, file{"blobs/sha256/" + d.Digest[len("sha256:"):], 0o644, data})
		return d
	}
	m := manifest{2, typeManifest, add(typeConfig, toJSON(c)), []descriptor{add(typeLayer, packed.Bytes())}}
	d := add(typeManifest, toJSON(m))
	d.Platform, d.Annotations = &c.platform, map[string]string{tagKey: tag}
	files := []file{
		{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		{"index.json", 0o644, toJSON(index{2, typeIndex, []descriptor{d}})},
	}
	slices.SortFunc(blobs, func(a, b file) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return tarOf(append(files, blobs...))
}

// architecture is the program's, which must need nothing but the kernel: an empty image has no loader and no libraries.
func architecture(program []byte) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return "", fmt.Errorf("this is no program for Linux: %w", err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return "", errors.New("the program is not static; build it with CGO_ENABLED=0")
		}
	}
	arch, ok := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]
	if !ok {
		return "", fmt.Errorf("the program is for %s; images are made for amd64 and arm64", f.Machine)
	}
	return arch, nil
}

// file is an entry of an archive.
type file struct {
	name string
	mode int64
	data []byte
}

// epoch is the time of everything in the image.
var epoch = time.Unix(0, 0).UTC()

func tarOf(files []file) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: epoch, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, bytes.NewReader(f.data)); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

func toJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // these types hold nothing that JSON cannot
	}
	return data
}
