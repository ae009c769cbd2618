// Command upsim simulates Kubernetes upgrades, event by event, before anyone
// touches a cluster. This package is the command line only: flags in, exit
// code out.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"golang.org/x/term"
)

func main() {
	temps := &tempFiles{}
	onInterrupt(func() {
		kept := temps.removeAll()
		if term.IsTerminal(int(os.Stderr.Fd())) {
			fmt.Fprint(os.Stderr, "\r\x1b[K") // what progress has written
		}
		fmt.Fprintln(os.Stderr, "interrupted")
		if kept != "" {
			fmt.Fprintln(os.Stderr, "hint: "+kept)
		}
		os.Exit(exitInterrupted)
	})
	ignoreClosedPipes()
	os.Exit(guarded(os.Stderr, func() int {
		sh := &shell{
			stdin:  os.Stdin,
			stdout: &pipe{out: os.Stdout},
			stderr: os.Stderr,
			temps:  temps,
		}
		return sh.main(os.Args[1:])
	}))
}

// guarded turns a panic into exit code 4 and a message that says how to report
// it. The stack is shown only where UPSIM_DEBUG is set.
func guarded(stderr io.Writer, f func() int) (code int) {
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		fmt.Fprintf(stderr, "internal fault: %v\n", fault)
		if os.Getenv("UPSIM_DEBUG") != "" {
			stderr.Write(debug.Stack())
		} else {
			fmt.Fprintln(stderr, "This is a bug of upsim. Please report the command line, the scenario file, what `upsim version` says,"+
				" and what is printed when the environment variable UPSIM_DEBUG is set to 1.")
		}
		code = exitFault
	}()
	return f()
}
