package jsonl

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"upsim/reports"
)

// parts puts the parts of a batch of nine files into a new folder. Each is written once, since syncing takes long.
func parts(t *testing.T, of int) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range of {
		path := filepath.Join(dir, "part-"+string(rune('a'+i)))
		shard := Shard{i, of}
		if data, ok := written[shard]; ok {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		} else {
			var mine []int
			for input := 1; input <= 9; input++ {
				if shard.Owns(fileName(input), 1) {
					mine = append(mine, input)
				}
			}
			writePart(t, path, head(i, of), mine...)
			written[shard] = read(t, path)
		}
		paths = append(paths, path)
	}
	return paths
}

// written are parts that were made before.
var written = map[Shard][]byte{}

// Any number of shards, in any order, give what one machine writes.
func TestMerge(t *testing.T) {
	var want bytes.Buffer
	for input := range 9 {
		want.Write(unit(t, input+1, 1))
	}
	for _, of := range []int{1, 2, 3, 7, 20} { // of twenty some have nothing to do
		paths := parts(t, of)
		paths[0], paths[of-1] = paths[of-1], paths[0]
		p, err := CheckParts(paths)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := p.Rows(func(l []byte) error { got.Write(l); return nil }); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%d shards give\n%s", of, got.String())
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	change := func(path string, f func([]byte) []byte) {
		if err := os.WriteFile(path, f(read(t, path)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		what string
		do   func(paths []string) []string
		want string
	}{
		{"missing", func(p []string) []string { return p[:1] }, "of 3 shards these are missing: 1, 2"},
		{"doubled", func(p []string) []string { return append(p, p[1]) }, "are both shard 1/3"},
		{"doubled under another name", func(p []string) []string {
			change(p[0], func([]byte) []byte { return read(t, p[2]) })
			return p
		}, "part-a and "},
		{"of another split", func(p []string) []string { return append(p[:2], parts(t, 2)[1]) }, "is shard 1/2, and "},
		{"no such file", func(p []string) []string { return append(p, p[0]+"x") }, "no such file"},
		{"cut off", func(p []string) []string {
			change(p[1], func(b []byte) []byte { return b[:len(b)-10] })
			return p
		}, "its last line is missing"},
		{"cut off in its first line", func(p []string) []string {
			change(p[1], func(b []byte) []byte { return b[:10] })
			return p
		}, "it is no part"},
		{"empty", func(p []string) []string { change(p[1], func([]byte) []byte { return nil }); return p }, "it is no part"},
		{"a byte changed", func(p []string) []string {
			change(p[1], func(b []byte) []byte { return bytes.Replace(b, []byte("safe"), []byte("SAFE"), 1) })
			return p
		}, "it is damaged"},
		{"a row less", func(p []string) []string {
			change(p[1], func(b []byte) []byte {
				lines := bytes.SplitAfter(b, []byte("\n"))
				return bytes.Join(append(lines[:1], lines[2:]...), nil)
			})
			return p
		}, "it is damaged"},
		{"two parts in one", func(p []string) []string {
			change(p[1], func(b []byte) []byte { return append(b, read(t, p[2])...) })
			return p
		}, "something stands behind its last line"},
		{"other lines", func(p []string) []string {
			change(p[1], func(b []byte) []byte { return append(b[:bytes.IndexByte(b, '\n')+1], "{}\n"...) })
			return p
		}, "line 2 is no row of a batch"},
		{"a whole batch", func(p []string) []string { change(p[1], func([]byte) []byte { return unit(t, 1, 1) }); return p }, "run without --shard"},
		{"rows of another shard", func(p []string) []string { writePart(t, p[1], head(1, 3), 1, 2, 3, 4, 5, 6, 7, 8, 9); return p }, "does not belong into shard 1/3"},
		{"another version", func(p []string) []string {
			h := head(1, 3)
			h.Upsim = "v0"
			writePart(t, p[1], h)
			return p
		}, "the version of upsim is v0 and not v1"},
		{"other flags", func(p []string) []string {
			h := head(1, 3)
			h.Flags = &reports.Flags{MaxEvents: 5}
			writePart(t, p[1], h)
			return p
		}, `the flags are "--max-events 5" and not ""`},
		{"other contents", func(p []string) []string {
			f, err := Open(p[1], Options{Head: head(1, 3), Mode: 0o644})
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Finish("c1"); err != nil {
				t.Fatal(err)
			}
			return p
		}, "a scenario file had other contents"},
		{"zeros", func(p []string) []string { return append(p, "/dev/zero") }, "it is no part"},
	} {
		_, err := CheckParts(tc.do(parts(t, 3)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; want %q", tc.what, err, tc.want)
		}
	}
}
