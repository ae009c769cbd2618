package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"upsim/model"
)

// The exit codes; exitHelp explains them to users.
const (
	exitFine        = 0
	exitNotFine     = 1
	exitUsage       = 2
	exitCutOff      = 3
	exitFault       = 4
	exitInterrupted = 130
)

const exitHelp = `Exit codes:
  0    the plan is fine
` + exitNotFineHelp + `  2    wrong usage or bad input
  3    the simulation was cut off by a limit before it ended
  4    reading or writing failed, or an internal fault
  130  interrupted`

// exitNotFineHelp is the line of exitHelp that commands without a verdict leave out.
const exitNotFineHelp = "  1    it is not: a verdict other than safe, an error finding, an objective missed (see --fail-on)\n"

// usageError is a wrong command line. Hint, where there is one, says what would be right.
type usageError struct{ message, hint string }

func (e usageError) Error() string { return e.message }

func usagef(hint, format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...), hint}
}

// writeError is output that could not be written; target is the file's name or "standard output".
type writeError struct {
	target string
	err    error
}

func (e writeError) Error() string { return fmt.Sprintf("cannot write %s: %v", e.target, e.err) }
func (e writeError) Unwrap() error { return e.err }

// outcome is an exit code that is an answer and not an error: everything was
// said already.
type outcome int

func (o outcome) Error() string { return fmt.Sprintf("exit code %d", int(o)) }

// explain prints what went wrong and returns the exit code for it.
func explain(stderr io.Writer, err error) int {
	var (
		answer outcome
		usage  usageError
	)
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &answer):
		return int(answer)
	case errors.As(err, new(model.Diagnostics)):
		fmt.Fprintln(stderr, err)
		return exitUsage
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "error: %s\n", usage.message)
		if usage.hint != "" {
			fmt.Fprintf(stderr, "hint: %s\n", usage.hint)
		}
		return exitUsage
	}
	fmt.Fprintf(stderr, "error: %v\n", err)
	if readOrWrite(err) {
		return exitFault
	}
	return exitUsage
}

// readOrWrite tells a device that failed from an input that is no good.
func readOrWrite(err error) bool {
	var write writeError
	var path *fs.PathError
	return errors.As(err, &write) || errors.As(err, &path) && path.Op == "read"
}
