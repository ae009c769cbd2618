package main

import (
	"github.com/spf13/cobra"

	"upsim/model"
)

// failFlags say which findings make the exit code 1.
type failFlags struct {
	on   wordFlag
	zero bool
}

func (f *failFlags) add(cmd *cobra.Command) {
	f.on = wordFlag{value: "error", choices: []string{"error", "warning", "never"}}
	cmd.Flags().Var(&f.on, "fail-on", "exit with 1 when there is an error, when there is even a warning, or never")
	cmd.Flags().BoolVar(&f.zero, "exit-zero", false, "the same as --fail-on never")
	complete(cmd, "fail-on", f.on.choices...)
}

func (f *failFlags) validate(cmd *cobra.Command) error {
	if f.zero && cmd.Flags().Changed("fail-on") && f.on.value != "never" {
		return usagef("leave one of them out", "--exit-zero and --fail-on %s contradict each other", f.on.value)
	}
	if f.zero {
		f.on.value = "never"
	}
	return nil
}

// fails reports whether a finding of this severity makes the exit code 1.
func (f *failFlags) fails(s model.Severity) bool {
	switch f.on.value {
	case "warning":
		return s == model.SeverityError || s == model.SeverityWarning
	case "never":
		return false
	}
	return s == model.SeverityError
}
