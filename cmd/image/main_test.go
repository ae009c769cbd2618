package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// program is the least that Linux takes for a program: the head of an ELF file, and one segment of the given type.
func program(t *testing.T, machine elf.Machine, segment elf.ProgType) []byte {
	t.Helper()
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	var b bytes.Buffer
	for _, part := range []any{h, elf.Prog64{Type: uint32(segment)}} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func untar(t *testing.T, archive io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for r := tar.NewReader(archive); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "upsim" && h.Mode != 0o755 || h.Uid != 0 || h.ModTime.Unix() != 0 {
			t.Errorf("%s: mode %o, user %d, time %v", h.Name, h.Mode, h.Uid, h.ModTime)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// From the index every blob is reached by its digest, down to the program itself; and the bytes are always the same.
func TestImage(t *testing.T) {
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		p := program(t, machine, elf.PT_LOAD)
		archive, err := pack(p, "upsim:v1")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := pack(p, "upsim:v1"); err != nil || !bytes.Equal(archive, again) {
			t.Errorf("another time the bytes are others: %v", err)
		}
		files := untar(t, bytes.NewReader(archive))
		if got := string(files["oci-layout"]); got != `{"imageLayoutVersion":"1.0.0"}` {
			t.Errorf("oci-layout is %s", got)
		}
		reached := 0
		blob := func(d descriptor, mediaType string) []byte {
			t.Helper()
			reached++
			data := files["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
			if d.MediaType != mediaType || d.Size != len(data) || d.Digest != digest(data) {
				t.Fatalf("%+v is not the blob of %d bytes with the digest %s", d, len(data), digest(data))
			}
			return data
		}
		var i index
		var m manifest
		var c config
		parse(t, files["index.json"], &i)
		if len(i.Manifests) != 1 || i.Manifests[0].Annotations[tagKey] != "upsim:v1" || i.Manifests[0].Platform.Architecture != arch {
			t.Fatalf("the index is %s", files["index.json"])
		}
		parse(t, blob(i.Manifests[0], typeManifest), &m)
		parse(t, blob(m.Config, typeConfig), &c)
		if c.Architecture != arch || c.OS != "linux" || c.Config.Entrypoint[0] != "/upsim" || c.Config.User != "65532:65532" {
			t.Errorf("the config is %+v", c)
		}
		gz, err := gzip.NewReader(bytes.NewReader(blob(m.Layers[0], typeLayer)))
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(gz)
		if err != nil || len(m.Layers) != 1 || len(c.RootFS.DiffIDs) != 1 || c.RootFS.DiffIDs[0] != digest(layer) {
			t.Errorf("the layer's digest is %s and not %v: %v", digest(layer), c.RootFS.DiffIDs, err)
		}
		root := untar(t, bytes.NewReader(layer))
		if len(root) != 1 || !bytes.Equal(root["upsim"], p) {
			t.Errorf("the image has %d files, or another program", len(root))
		}
		if len(files) != reached+2 {
			t.Errorf("%d files, of which %d are reached", len(files), reached+2)
		}
	}
}

func parse(t *testing.T, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

func TestNoImageOf(t *testing.T) {
	for what, tc := range map[string]struct {
		program []byte
		want    string
	}{
		"a script":        {[]byte("#!/bin/sh\n"), "no program for Linux"},
		"nothing":         {nil, "no program for Linux"},
		"another machine": {program(t, elf.EM_386, elf.PT_LOAD), "EM_386"},
		"libraries":       {program(t, elf.EM_X86_64, elf.PT_INTERP), "CGO_ENABLED=0"},
	} {
		if _, err := pack(tc.program, "x"); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
