package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// batchProgress says on standard error how far a batch is: a bar on a terminal, elsewhere a line now and then.
type batchProgress struct {
	out   io.Writer
	start time.Time

	mu     sync.Mutex // what the bar reads while it is drawn
	total  int
	before int // were done by an earlier process
	done   int
	failed int

	bars *mpb.Progress
	bar  *mpb.Bar
	told time.Time
}

// tellEvery is the time between two lines where there is no terminal.
const tellEvery = 10 * time.Second

// newBatchProgress starts; nil, which does nothing, where nobody wants to know.
func (sh *shell) newBatchProgress(total, before int) *batchProgress {
	if sh.quiet || total == 0 {
		return nil
	}
	p := &batchProgress{out: sh.stderr, start: time.Now(), total: total, before: before}
	p.told = p.start
	if f, ok := sh.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		p.bars = mpb.New(mpb.WithOutput(f), mpb.WithRefreshRate(200*time.Millisecond))
		p.bar = p.bars.AddBar(int64(total), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return p.counts() + " " })),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + p.pace() })))
	}
	return p
}

// step counts a unit of work that is done.
func (p *batchProgress) step(failed bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.done++
	if failed {
		p.failed++
	}
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.Increment()
		return
	}
	if now := time.Now(); now.Sub(p.told) >= tellEvery && p.done < p.total {
		p.told = now
		fmt.Fprintf(p.out, "%s, %s\n", p.counts(), p.pace())
	}
}

// end takes the bar away.
func (p *batchProgress) end() {
	if p != nil && p.bar != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
}

func (p *batchProgress) counts() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("%d of %d done", p.done, p.total)
	if p.failed > 0 {
		text += fmt.Sprintf(", %d failed", p.failed)
	}
	return text
}

// pace is the rate since the start and what it leaves to wait; what an earlier process did counts for neither.
func (p *batchProgress) pace() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	passed := time.Since(p.start)
	here := p.done - p.before
	if here <= 0 || passed <= 0 {
		return ""
	}
	rate := float64(here) / passed.Seconds()
	left := time.Duration(float64(p.total-p.done) / rate * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%.3g/s, %s left", rate, left)
}
