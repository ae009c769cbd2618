package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits runs a command and checks its exit code: exits CODE COMMAND ARG…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil {
		ts.Fatalf("usage: exits CODE COMMAND ARG…")
	}
	got := exitCode(ts.Exec(args[1], args[2:]...))
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
	if s := ts.ReadFile("stderr"); strings.Contains(s, "goroutine ") || strings.Contains(s, "internal fault") {
		ts.Fatalf("it panicked:\n%s", s)
	}
}

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// fill writes a file of a size in MiB that holds one text, with Go's escapes,
// again and again; "0" stands for a sparse file: fill FILE MIB TEXT
func fill(ts *testscript.TestScript, neg bool, args []string) {
	mib, err := strconv.Atoi(args[1])
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	if args[2] == "0" {
		ts.Check(f.Truncate(int64(mib) << 20))
		return
	}
	text, err := strconv.Unquote(`"` + args[2] + `"`)
	ts.Check(err)
	piece := bytes.Repeat([]byte(text), 1<<20/len(text)+1)
	for range mib {
		_, err := f.Write(piece)
		ts.Check(err)
	}
}

// interrupt starts a command, waits a moment so that it is at work, sends it a
// signal, and checks that it ends at once with code 130: interrupt SIGNAL COMMAND ARG…
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	signal := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}[args[0]]
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	ts.Check(cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		ts.Fatalf("it ended before it was interrupted: %v\n%s", err, stderr.String())
	case <-time.After(700 * time.Millisecond):
	}
	ts.Check(cmd.Process.Signal(signal))
	select {
	case err := <-done:
		if code := exitCode(err); code != exitInterrupted {
			ts.Fatalf("exit code %d, want %d\n%s", code, exitInterrupted, stderr.String())
		}
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill()
		ts.Fatalf("it did not end")
	}
}

// killed runs a command again and again, each time until a file has grown and
// then kills it without warning, so many times, or as often as a busy machine
// lets it come before the end; then it lets it end, with code 0: killed TIMES FILE COMMAND ARG…
func killed(ts *testscript.TestScript, neg bool, args []string) {
	times, err := strconv.Atoi(args[0])
	ts.Check(err)
	file := ts.MkAbs(args[1])
	path, err := exec.LookPath(args[2])
	ts.Check(err)
	for n := 0; ; n++ {
		cmd := exec.Command(path, args[3:]...)
		cmd.Dir = ts.MkAbs(".")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		before := size(file)
		ts.Check(cmd.Start())
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		for waiting := true; waiting && n < times; {
			select {
			case err := <-done:
				if err != nil || n == 0 {
					ts.Fatalf("it ended before it was killed: %v\n%s", err, stderr.String())
				}
				return
			case <-time.After(time.Millisecond):
				waiting = size(file) <= before
			}
		}
		if n < times {
			ts.Check(cmd.Process.Kill())
			<-done
			continue
		}
		if err := <-done; err != nil {
			ts.Fatalf("the last one: %v\n%s", err, stderr.String())
		}
		return
	}
}

// size is that of a file, 0 where there is none.
func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// leftovers fails if the folder holds a temporary file.
func leftovers(ts *testscript.TestScript, neg bool, args []string) {
	found, err := filepath.Glob(filepath.Join(ts.MkAbs("."), ".*.tmp"))
	ts.Check(err)
	if len(found) > 0 {
		ts.Fatalf("left behind: %v", found)
	}
}
