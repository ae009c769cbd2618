package main

import (
	"io"

	"upsim/reports"
)

// summary ends several tables with one that holds their results against each other.
func (o *outputs) summary() error {
	if len(o.results) < 2 {
		return nil
	}
	return o.each(func(w io.Writer, format string, opts reports.TableOptions) error {
		if format != reports.FormatTable {
			return nil
		}
		return reports.Several(w, o.results, opts)
	})
}
