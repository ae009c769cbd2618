package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"upsim/model"
)

// versionFlag is a flag that holds a Kubernetes version.
type versionFlag struct{ model.Version }

func (v *versionFlag) Type() string { return "VERSION" }

func (v *versionFlag) Set(s string) (err error) {
	v.Version, err = model.ParseVersion(s)
	return err
}

// numberFlag is a flag that holds a whole number from 0 to mostNumber.
type numberFlag uint64

// mostNumber is the largest whole number that readers of JSON keep exactly.
const mostNumber = 1<<53 - 1

func (n *numberFlag) Type() string { return "N" }

func (n *numberFlag) String() string {
	if *n == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*n), 10)
}

func (n *numberFlag) Set(s string) error {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil || v > mostNumber {
		return fmt.Errorf("want a whole number without a sign, of at most %d", mostNumber)
	}
	*n = numberFlag(v)
	return nil
}

// seedFlag is --seed, which goes before each scenario's own seed.
type seedFlag struct {
	numberFlag
	given bool
}

func (s *seedFlag) add(cmd *cobra.Command, usage string) {
	cmd.Flags().Var(s, "seed", usage+" (default: the scenario's own)")
}

func (s *seedFlag) Set(text string) error {
	s.given = true
	return s.numberFlag.Set(text)
}

// replace gives the scenario the seed that was given.
func (s *seedFlag) replace(sc *model.Scenario) {
	if s.given {
		sc.Seed = uint64(s.numberFlag)
	}
}

// wordFlag is a flag that holds one of a few words.
type wordFlag struct {
	value   string
	choices []string
}

func (w *wordFlag) Type() string   { return strings.Join(w.choices, "|") }
func (w *wordFlag) String() string { return w.value }

func (w *wordFlag) Set(s string) error {
	for _, word := range w.choices {
		if s == word {
			w.value = s
			return nil
		}
	}
	return errors.New("want " + strings.Join(w.choices, ", "))
}

// flagUsages lists flags for a help text, as pflag does but for the
// [=true|false] behind every switch.
func flagUsages(flags *pflag.FlagSet) string {
	var names, usages []string
	widest := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		value, usage := pflag.UnquoteUsage(f)
		if f.Value.Type() != "bool" {
			name += " " + value
			if f.DefValue != "" && f.DefValue != "[]" {
				usage += " (default " + strings.Trim(f.DefValue, "[]") + ")"
			}
		}
		widest = max(widest, len(name))
		names, usages = append(names, name), append(usages, usage)
	})
	var b strings.Builder
	for i := range names {
		fmt.Fprintf(&b, "%-*s   %s\n", widest, names[i], usages[i])
	}
	return strings.TrimRight(b.String(), "\n")
}

// complete offers words when the shell completes the flag's value.
func complete(cmd *cobra.Command, flag string, words ...string) {
	// The only error is a flag that does not exist, which the tests of completion would show.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// flagError makes a usage error of what pflag says and adds the flag that was perhaps meant.
func flagError(cmd *cobra.Command, err error) error {
	hint := "see " + cmd.CommandPath() + " --help"
	if name, ok := strings.CutPrefix(err.Error(), "unknown flag: --"); ok {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, "--"+f.Name)
			}
		})
		hint = didYouMean("--"+name, known, hint)
	}
	return usageError{err.Error(), hint}
}

// notNothing refuses a flag that was given as 0 where that would leave nothing to simulate.
func notNothing(cmd *cobra.Command, flag string, value numberFlag) error {
	if cmd.Flags().Changed(flag) && value == 0 {
		return usagef("leave it out for the default", "--%s 0 would simulate nothing", flag)
	}
	return nil
}
