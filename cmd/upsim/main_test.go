package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts call upsim, a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"upsim": main})
}

// TestScripts runs the promises of the command line, each a file under testdata/script.
func TestScripts(t *testing.T) {
	folders := map[string]string{"KUBECTL": "../../model/kube/testdata", "CALIBRATE": "../../model/calibrate/testdata", "TRACES": "../../bench/testdata/traces"}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			for name, folder := range folders {
				path, err := filepath.Abs(folder)
				if err != nil {
					return err
				}
				env.Setenv(name, path)
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":     exits,
			"fill":      fill,
			"interrupt": interrupt,
			"killed":    killed,
			"leftovers": leftovers,
		},
		RequireExplicitExec: true,
	})
}

func TestAPanicIsExitCode4(t *testing.T) {
	for _, debug := range []string{"", "1"} {
		t.Setenv("UPSIM_DEBUG", debug)
		var stderr bytes.Buffer
		if code := guarded(&stderr, func() int { panic("the queue is empty") }); code != exitFault {
			t.Errorf("exit code %d, want %d", code, exitFault)
		}
		if got := stderr.String(); !strings.HasPrefix(got, "internal fault: the queue is empty\n") {
			t.Errorf("standard error begins with %q", got)
		}
		if got := strings.Contains(stderr.String(), "goroutine"); got != (debug != "") {
			t.Errorf("with UPSIM_DEBUG=%q a stack is shown: %v", debug, got)
		}
	}
}

func TestColour(t *testing.T) {
	for _, tc := range []struct {
		flag          bool
		noColor, term string
		want          bool
	}{
		{false, "", "xterm", true},
		{true, "", "xterm", false},
		{false, "1", "xterm", false},
		{false, "", "dumb", false},
	} {
		getenv := func(k string) string { return map[string]string{"NO_COLOR": tc.noColor, "TERM": tc.term}[k] }
		if got := colourWanted(tc.flag, getenv); got != tc.want {
			t.Errorf("%+v: colour %v", tc, got)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"seed", "seed", 0}, {"sed", "seed", 1}, {"", "to", 2}, {"otuput", "output", 2}, {"kitten", "sitting", 3}} {
		if got := distance(tc.a, tc.b); got != tc.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

// Two tempFiles that are stopped in the middle leave nothing: the first by an error, the second by an interrupt.
func TestTempFilesLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	temps := &tempFiles{}
	if err := temps.write(dir+"/a.json", []byte("whole")); err != nil {
		t.Fatal(err)
	}
	if err := temps.write(dir+"/missing/a.json", nil); err == nil {
		t.Error("a file in a folder that does not exist was written")
	}
	if _, err := temps.create(dir+"/b.json", 0o644); err != nil {
		t.Fatal(err)
	}
	temps.removeAll()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "a.json" {
		t.Errorf("left in the folder: %v (%v)", entries, err)
	}
}
