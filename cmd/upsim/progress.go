package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress tells on a terminal how many runs have ended; elsewhere, and with -q, nothing. A total of 0 is not known. The first
// function is called when one has, from any goroutine, the second at the end.
func (sh *shell) progress(what string, total int) (done, end func()) {
	f, ok := sh.stderr.(*os.File)
	if !ok || sh.quiet || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	var mu sync.Mutex
	var told time.Time
	runs := 0
	done = func() {
		mu.Lock()
		defer mu.Unlock()
		runs++
		if now := time.Now(); now.Sub(told) > 100*time.Millisecond {
			told = now
			of := ""
			if total > 0 {
				of = fmt.Sprintf(" of %d", total)
			}
			fmt.Fprintf(f, "\r\x1b[K%s: %d%s runs\r", what, runs, of)
		}
	}
	return done, func() {
		mu.Lock()
		defer mu.Unlock()
		if !told.IsZero() {
			fmt.Fprint(f, "\r\x1b[K")
		}
	}
}
