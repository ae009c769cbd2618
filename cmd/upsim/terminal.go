package main

import (
	"os"

	"golang.org/x/term"

	"upsim/reports"
)

// tableOptions lay out a table for standard output: as wide as the terminal
// and with colour on one, plain and unbroken elsewhere.
func (sh *shell) tableOptions() reports.TableOptions {
	opts := reports.TableOptions{Verbose: sh.verbose}
	p, ok := sh.stdout.(*pipe)
	if !ok {
		return opts
	}
	f, ok := p.out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return opts
	}
	opts.Color = colourWanted(sh.noColor, os.Getenv)
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		opts.Width = width
	}
	return opts
}

// colourWanted follows https://no-color.org and what a terminal says of itself.
func colourWanted(noColor bool, getenv func(string) string) bool {
	return !noColor && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}
