package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// onInterrupt calls f on SIGINT, SIGTERM and SIGHUP; f must not return. A
// signal that was ignored when upsim started (nohup, a shell's background job) stays so.
func onInterrupt(f func()) {
	c := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	go func() {
		<-c
		f()
	}()
}

// ignoreClosedPipes lets a write to a closed pipe return EPIPE instead of
// ending the process, so that files are still written and the exit code still
// tells the verdict.
func ignoreClosedPipes() { signal.Ignore(syscall.SIGPIPE) }

// pipe is standard output. Once its reader has gone (`upsim run | head`), the rest is dropped without a word.
type pipe struct {
	out    io.Writer
	closed bool
	// failed is the first write that went wrong otherwise.
	failed error
}

func (p *pipe) Write(data []byte) (int, error) {
	if p.closed {
		return len(data), nil
	}
	n, err := p.out.Write(data)
	if errors.Is(err, syscall.EPIPE) {
		p.closed = true
		return len(data), nil
	}
	if err != nil {
		err = writeError{"standard output", reason(err)}
		p.failed = cmp.Or(p.failed, err)
	}
	return n, err
}
