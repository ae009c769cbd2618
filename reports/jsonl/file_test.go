package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"upsim/reports"
	"upsim/sim"
)

// unit is what a unit of work gives: so many rows of a file.
func unit(t *testing.T, input, rows int) []byte {
	t.Helper()
	var b bytes.Buffer
	for i := range rows {
		o := reports.Origin{Input: input, File: fileName(input), Document: i + 1, SHA256: "5a", Upsim: "v1"}
		if err := reports.ResultRow(&b, o, &sim.Result{APIVersion: "upsim/v1", Kind: sim.KindResult, Scenario: "é, \"apiVersion\":", Verdict: sim.Safe}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// leaveBehind writes what a killed process leaves of the file at path: lines, each with its check sum, and perhaps a torn one.
func leaveBehind(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(Partial(path), text, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := openSums(Partial(path))
	if err != nil {
		t.Fatal(err)
	}
	defer s.f.Close()
	if err := errors.Join(s.begin(0, 0), s.add(text[:bytes.LastIndexByte(text, '\n')+1]), s.out.Flush()); err != nil {
		t.Fatal(err)
	}
}

func fileName(input int) string { return fmt.Sprintf("f%d.yaml", input) }

func head(index, of int) *Head {
	return NewHead(Shard{index, of}, Batch{Upsim: "v1", Inputs: 9, InputsSHA256: "1f"})
}

// Wherever a process is killed, the next one gives the same bytes, and does again at most the last unit.
func TestResumeAtEveryByte(t *testing.T) {
	for _, h := range []*Head{nil, head(0, 1)} {
		rows := []int{1, 2, 1}
		write := func(f *File, from int) {
			for i := from; i < len(rows); i++ {
				if err := f.Add(unit(t, i+1, rows[i]), rows[i]); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Finish("c0"); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(t.TempDir(), "r.jsonl")
		f, err := Open(path, Options{Head: h, Mode: 0o644})
		if err != nil {
			t.Fatal(err)
		}
		write(f, 0)
		want := read(t, path)
		path = filepath.Join(t.TempDir(), "again.jsonl")
		for cut := range len(want) + 1 {
			atEnd := cut == 0 || cut == len(want) || want[cut-1] == '\n' || want[cut] == '\n'
			for _, rest := range []string{"", "\x00\x00\x00", "\x00\n"} {
				if rest != "" && !atEnd {
					continue
				}
				leaveBehind(t, path, append(bytes.Clone(want[:cut]), rest...))
				f, err := Open(path, Options{Head: h, Mode: 0o644, Resume: true})
				if err != nil {
					t.Fatalf("cut at %d: %v", cut, err)
				}
				done, kept := 0, 0
				for ; ; done++ {
					u, err := f.NextDone()
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil || u.Origin.Input != done+1 || len(u.Lines) != rows[done] {
						t.Fatalf("cut at %d: unit %d is %+v: %v", cut, done, u, err)
					}
					kept += int(u.size())
				}
				if whole := bytes.Count(want[:cut], []byte("\n")); done != f.Done() || whole > 3 && done == 0 {
					t.Fatalf("cut at %d: %d units are done, and NextDone gave %d", cut, f.Done(), done)
				}
				if lost := cut - kept; lost > 2*len(unit(t, 2, 2))+len(line(h)) {
					t.Errorf("cut at %d: %d bytes are done again", cut, lost)
				}
				if !atEnd { // syncing takes long
					if err := f.Leave(); err != nil {
						t.Fatal(err)
					}
					continue
				}
				write(f, done)
				if got := read(t, path); !bytes.Equal(got, want) {
					t.Fatalf("cut at %d: another file:\n%s", cut, got)
				}
				if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
					t.Fatalf("cut at %d: %v is left", cut, left)
				}
			}
		}
	}
}

// However often a batch is killed before it has done anything, all whole rows stay.
func TestKilledAgainAndAgain(t *testing.T) {
	for _, h := range []*Head{nil, head(0, 1)} {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		text := unit(t, 1, 1)
		if h != nil {
			text = append(line(h), text...)
		}
		two := unit(t, 2, 2)
		text = append(text, two...)
		leaveBehind(t, path, append(bytes.Clone(text), "{torn"...))
		var f *File
		for range 3 {
			var err error
			if f, err = Open(path, Options{Head: h, Mode: 0o644, Resume: true}); err != nil {
				t.Fatal(err)
			}
			if err := f.Add(nil, 0); err != nil { // a file without a scenario
				t.Fatal(err)
			}
			f.f.Close() // as a kill does: nothing is flushed
			if got := read(t, Partial(path)); f.Done() != 1 || !bytes.Equal(got, text) {
				t.Fatalf("%d units are done, of\n%s", f.Done(), got)
			}
		}
		f, err := Open(path, Options{Head: h, Mode: 0o644, Resume: true})
		if err != nil {
			t.Fatal(err)
		}
		shorter := unit(t, 2, 1)
		if err := f.Add(shorter, 1); err != nil { // the file has changed since
			t.Fatal(err)
		}
		f.f.Close()
		if got, want := read(t, Partial(path)), append(bytes.Clone(text[:len(text)-len(two)]), shorter...); !bytes.Equal(got, want) {
			t.Errorf("the last unit was not replaced:\n%s", got)
		}
	}
}

// A row that has changed since it was written is none, though it reads like one: it and what follows is done again.
func TestResumeFindsDamage(t *testing.T) {
	for _, h := range []*Head{nil, head(0, 1)} {
		first, rows := 1, []int{1, 2, 1, 1}
		if h != nil {
			first = 2
		}
		add := func(f *File, from int) {
			for i := from; i < len(rows); i++ {
				if err := f.Add(unit(t, i+1, rows[i]), rows[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		path := filepath.Join(t.TempDir(), "r.jsonl")
		f, err := Open(path, Options{Head: h, Mode: 0o644})
		if err != nil {
			t.Fatal(err)
		}
		add(f, 0)
		if err := f.Leave(); err != nil {
			t.Fatal(err)
		}
		left, checks := read(t, Partial(path)), read(t, sumsOf(Partial(path)))
		var want []byte
		change := func(line int, how func(lines [][]byte, at int)) []byte {
			lines := bytes.SplitAfter(bytes.Clone(left), []byte("\n"))
			how(lines, line-1)
			return bytes.Join(lines, nil)
		}
		digit := func(lines [][]byte, at int) {
			lines[at] = bytes.Replace(lines[at], []byte(`"document":`), []byte(`"document":1`), 1)
		}
		for _, tc := range []struct {
			what       string
			text       []byte
			checks     []byte
			line, done int
		}{
			{"nothing", left, checks, 0, 3},
			{"the first row", change(first, digit), checks, first, 0},
			{"a row of two", change(first+2, digit), checks, first + 2, 1},
			{"the row before the last", change(first+3, digit), checks, first + 3, 1},
			{"the last row", change(first+4, digit), checks, first + 4, 2},
			{"the order", change(first, func(l [][]byte, at int) { l[at], l[at+1] = l[at+1], l[at] }), checks, first, 0},
			{"a row that is gone", change(first, func(l [][]byte, at int) { l[at] = nil }), checks, first, 0},
			{"a row that is none now", change(first+4, func(l [][]byte, at int) { l[at] = []byte("{}\n") }), checks, first + 4, 2},
			{"the check sums", left, nil, first, 0},
			{"a check sum", left, checks[:len(checks)-3], first + 4, 2},
		} {
			if err := errors.Join(os.WriteFile(Partial(path), tc.text, 0o600), os.WriteFile(sumsOf(Partial(path)), tc.checks, 0o600)); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path, Options{Head: h, Mode: 0o644, Resume: true})
			if err != nil {
				t.Fatalf("%s: %v", tc.what, err)
			}
			if f.Damaged() != tc.line || f.Done() != tc.done {
				t.Errorf("%s: line %d is damaged, and %d units are done; want line %d and %d", tc.what, f.Damaged(), f.Done(), tc.line, tc.done)
			}
			add(f, f.Done())
			if err := f.Finish("c0"); err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); want == nil {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s: another file:\n%s", tc.what, got)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A kill between two writes leaves no row without its check sum.
func TestSumsComeBeforeRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	f, err := Open(path, Options{Mode: 0o644})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for i := 1; rows < 3*bufferSize; i++ {
		text := unit(t, i, 3)
		rows += len(text)
		if err := f.Add(text, 3); err != nil {
			t.Fatal(err)
		}
	}
	f.f.Close() // as a kill does: nothing more is flushed
	lines := bytes.Count(read(t, Partial(path)), []byte("\n"))
	if sums := len(read(t, sumsOf(Partial(path)))) / sumSize; lines == 0 || sums < lines {
		t.Errorf("%d lines are with the system, and %d check sums", lines, sums)
	}
}

// A row is soon with the system, also where none follows it for long.
func TestALoneRowIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	f, err := Open(path, Options{Mode: 0o644})
	if err != nil {
		t.Fatal(err)
	}
	want := unit(t, 1, 1)
	if err := f.Add(want, 1); err != nil {
		t.Fatal(err)
	}
	for !bytes.Equal(read(t, Partial(path)), want) {
		time.Sleep(10 * time.Millisecond)
	}
	if err := f.Leave(); err != nil {
		t.Error(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A finished file is not written again, and everybody may read it.
func TestResumeOfAFinishedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	writePart(t, path, head(0, 1), 1, 2)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the mode is %v: %v", info.Mode(), err)
	}
	f, err := Open(path, Options{Head: head(0, 1), Mode: 0o644, Resume: true})
	if err != nil || !f.Whole() || f.Done() != 2 {
		t.Fatalf("whole %v, %d done: %v", f.Whole(), f.Done(), err)
	}
	if err := f.Finish("c0"); err != nil {
		t.Error(err)
	}
	if again, _ := os.Stat(path); !os.SameFile(info, again) {
		t.Error("it was replaced")
	}
}

// writePart writes the part of a shard with one row for each of the inputs that are its own, or of all that are named.
func writePart(t *testing.T, path string, h *Head, inputs ...int) {
	t.Helper()
	f, err := Open(path, Options{Head: h, Mode: 0o644})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range inputs {
		if err := f.Add(unit(t, i, 1), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Finish("c0"); err != nil {
		t.Fatal(err)
	}
}

// What is not the same batch is not resumed, and is still there afterwards.
func TestResumeRefuses(t *testing.T) {
	rows := string(unit(t, 1, 1)) + string(unit(t, 2, 1))
	h := head(0, 1)
	other := func(change func(*Head)) string {
		o := *head(0, 1)
		change(&o)
		return string(line(o)) + rows
	}
	for _, tc := range []struct {
		what, text string
		head       *Head
		finished   bool
		want       string
	}{
		{"other rows", "a,b\n1,2\n", nil, false, "no rows of a batch"},
		{"a part", string(line(h)) + rows, nil, false, "a shard's part"},
		{"no part", rows, h, false, "no part of a sharded batch"},
		{"another shard", string(line(head(1, 2))) + rows, h, false, "shard 1/2 and not 0/1"},
		{"another version", other(func(h *Head) { h.Upsim = "v0" }), h, false, "the version of upsim is v0 and not v1"},
		{"more files", other(func(h *Head) { h.Inputs = 10 }), h, false, "the number of files is 10 and not 9"},
		{"other files", other(func(h *Head) { h.InputsSHA256 = "2f" }), h, false, "the list of files is another"},
		{"flags", other(func(h *Head) { h.Flags = &reports.Flags{Seeds: 3} }), h, false, `the flags are "--seeds 3" and not ""`},
		{"another apiVersion", other(func(h *Head) { h.APIVersion = "upsim/v0" }), h, false, "apiVersion upsim/v0"},
		{"finished, no tail", string(line(h)) + rows, h, true, "damaged since"},
		{"finished, torn", rows[:len(rows)-5], nil, true, "damaged since"},
		{"finished, foreign", rows + "x\n", nil, true, "line 3 is no row"},
		{"finished, a row less", string(line(h)) + rows + string(line(Tail{"upsim/v1", kindTail, 3, "", "c0"})), h, true, "2 rows and not the 3"},
	} {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		at := Partial(path)
		if tc.finished {
			at = path
		}
		if err := os.WriteFile(at, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, Options{Head: tc.head, Mode: 0o644, Resume: true})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; want %q", tc.what, err, tc.want)
		}
		if got := string(read(t, at)); got != tc.text {
			t.Errorf("%s: the file was changed:\n%s", tc.what, got)
		}
	}
}

// Two processes do not write one file; after the first has ended the second may.
func TestOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	first, err := Open(path, Options{Mode: 0o644})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Add(unit(t, 1, 1), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{Mode: 0o644}); !errors.Is(err, ErrLocked) {
		t.Errorf("the second writer got %v", err)
	}
	if err := first.Leave(); err != nil {
		t.Fatal(err)
	}
	left := read(t, Partial(path))
	if _, err := Open(path, Options{Mode: 0o644}); !errors.Is(err, ErrUnfinished) || !bytes.Equal(read(t, Partial(path)), left) || len(left) == 0 {
		t.Fatalf("the rows of the first are not to be lost unasked: %v", err)
	}
	again, err := Open(path, Options{Mode: 0o644, Restart: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Finish(""); err != nil || len(read(t, path)) != 0 {
		t.Errorf("%d bytes: %v", len(read(t, path)), err)
	}
}
