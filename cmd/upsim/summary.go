package main

import (
	"io"

	"upsim/reports"
)

// summary ends several tables with one that holds their results against each other; compare is the command that does so with more seeds.
func (o *outputs) summary(compare string) error {
	if len(o.results) < 2 {
		return nil
	}
	return o.each(func(w io.Writer, format string, opts reports.TableOptions) error {
		if format != reports.FormatTable {
			return nil
		}
		return reports.Several(w, o.results, compare, opts)
	})
}
