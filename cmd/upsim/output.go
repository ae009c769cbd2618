package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"upsim/reports"
)

// sink is one -o: a format and where it goes. An empty path is standard output.
type sink struct {
	format, path string
	// held is what will be written to path once everything is there.
	held bytes.Buffer
}

// outputs are all sinks of a command.
type outputs struct {
	sh    *shell
	sinks []*sink
	// pieces counts what has been rendered.
	pieces int
	// into is the file that is rendered for, empty for standard output.
	into string
	// timeline is what -o timeline writes; nil without it.
	timeline *timeline
	// results are of the runs that were rendered.
	results []reports.Line
}

// outputFlag is -o FORMAT[=FILE]: the formats that a command knows, and what was given.
type outputFlag struct{ formats, values []string }

func (f *outputFlag) add(cmd *cobra.Command, formats ...string) {
	f.formats = formats
	last := len(formats) - 1
	cmd.Flags().StringArrayVarP(&f.values, "output", "o", nil,
		"`FORMAT[=FILE]`: "+strings.Join(formats[:last], ", ")+" or "+formats[last]+", to standard output (also =-) or into a file; may be repeated (default table)")
	complete(cmd, "output", formats...)
}

// asks reports whether a format is asked for.
func (f *outputFlag) asks(format string) bool {
	return slices.ContainsFunc(f.values, func(v string) bool { asked, _, _ := strings.Cut(v, "="); return asked == format })
}

// open reads what was given; nothing means a table on standard output. What can be known to fail before anything is read or
// simulated fails here, and so does a file that is one of the inputs, and standard input as two of them.
func (f *outputFlag) open(sh *shell, inputs ...string) (*outputs, error) {
	if err := stdinOnce(inputs); err != nil {
		return nil, err
	}
	values := f.values
	if len(values) == 0 {
		values = []string{reports.FormatTable}
	}
	o := &outputs{sh: sh}
	targets := map[string]string{}
	for _, v := range values {
		s, err := parseSink(v, f.formats)
		if err != nil {
			return nil, err
		}
		key := s.path
		if key != "" {
			if key, err = fileKey(key); err != nil {
				return nil, err
			}
			if input, ok := sameFile(key, inputs); ok {
				return nil, usagef("name another file", "-o %s would overwrite the input %s", v, input)
			}
		}
		if other, taken := targets[key]; taken {
			return nil, usagef("give each -o a file of its own: -o json=FILE",
				"-o %s and -o %s would be written to the same place", other, v)
		}
		targets[key] = v
		o.sinks = append(o.sinks, s)
	}
	return o, nil
}

// writes finds the -o that writes the file at path.
func (o *outputs) writes(path string) (value string, found bool, err error) {
	key, err := fileKey(path)
	if err != nil {
		return "", false, err
	}
	for _, s := range o.sinks {
		if s.path == "" {
			continue
		}
		if other, err := fileKey(s.path); err == nil && other == key {
			return s.format + "=" + s.path, true, nil
		}
	}
	return "", false, nil
}

// fileKey names the file that is written when path is, whatever links lead there.
func fileKey(path string) (string, error) {
	target, _, _, err := finalTarget(path)
	if err != nil {
		return "", writeError{path, reason(err)}
	}
	return filepath.Abs(target)
}

// sameFile finds the regular file among paths.
func sameFile(file string, paths []string) (string, bool) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	for _, p := range paths {
		if other, err := os.Stat(p); err == nil && os.SameFile(info, other) {
			return p, true
		}
	}
	return "", false
}

func parseSink(value string, known []string) (*sink, error) {
	format, path, named := strings.Cut(value, "=")
	if !slices.Contains(known, format) {
		return nil, usagef("", "unknown output format %q; the formats are %s, each with an optional =FILE", format, strings.Join(known, ", "))
	}
	if named && path == "" {
		return nil, usagef("write -o "+format+"=FILE, or -o "+format+" for standard output", "-o %s names no file", value)
	}
	if path == "-" {
		path = ""
	}
	return &sink{format: format, path: path}, nil
}

// each lets render write one piece to every sink: to standard output at once,
// to a file when all pieces are there.
func (o *outputs) each(render func(w io.Writer, format string, opts reports.TableOptions) error) error {
	for _, s := range o.sinks {
		o.into = s.path
		if s.path != "" {
			if err := render(&s.held, s.format, reports.TableOptions{Verbose: o.sh.verbose}); err != nil {
				return err
			}
			continue
		}
		// A piece is rendered whole before any of it is printed.
		var piece bytes.Buffer
		if err := render(&piece, s.format, o.sh.tableOptions()); err != nil {
			return err
		}
		if _, err := piece.WriteTo(o.sh.stdout); err != nil {
			return err
		}
	}
	return nil
}

// document writes one of several results: tables with an empty line between them, YAML as documents.
func (o *outputs) document(render func(w io.Writer, format string, opts reports.TableOptions) error) error {
	o.pieces++
	return o.each(func(w io.Writer, format string, opts reports.TableOptions) error {
		between := map[string]string{reports.FormatTable: "\n", reports.FormatYAML: "---\n"}[format]
		if o.pieces > 1 {
			if _, err := io.WriteString(w, between); err != nil {
				return err
			}
		}
		return render(w, format, opts)
	})
}

// whole writes the one thing that a command has to say, and the files.
func (o *outputs) whole(render func(w io.Writer, format string, opts reports.TableOptions) error) error {
	if err := o.each(render); err != nil {
		return err
	}
	return o.close()
}

// end writes the files and answers with the exit code.
func (o *outputs) end(code int) error {
	if err := o.close(); err != nil {
		return err
	}
	return outcome(code)
}

// close writes the files.
func (o *outputs) close() error {
	for _, s := range o.sinks {
		if s.path == "" {
			continue
		}
		if err := o.sh.temps.write(s.path, s.held.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// files names the files that are written, and whether nothing goes to standard output.
func (o *outputs) files() (paths []string, only bool) {
	only = true
	for _, s := range o.sinks {
		if s.path == "" {
			only = false
		} else {
			paths = append(paths, s.path)
		}
	}
	return paths, only
}

// note prints what is neither data nor an error, unless -q is given.
func (sh *shell) note(format string, args ...any) {
	if !sh.quiet {
		fmt.Fprintf(sh.stderr, format+"\n", args...)
	}
}
