package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every command line that a help text shows as an example is one that upsim takes.
func TestExamplesAreCommandLines(t *testing.T) {
	shown := 0
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, words := range exampleLines(cmd.Example) {
			shown++
			// A new command line each time, since flags keep what they were given.
			at, rest, err := (&shell{}).rootCommand().Find(words)
			if err == nil {
				err = at.ParseFlags(rest)
			}
			if err == nil {
				err = at.ValidateArgs(at.Flags().Args())
			}
			if err != nil {
				t.Errorf("upsim %s, an example of %s: %v", strings.Join(words, " "), cmd.CommandPath(), err)
			}
		}
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look((&shell{}).rootCommand())
	if shown < 40 {
		t.Errorf("found %d examples alone", shown)
	}
}

// exampleLines are the command lines of upsim among the examples, without its name.
func exampleLines(text string) (list [][]string) {
	text = strings.ReplaceAll(text, "|\n", "|")
	for line := range strings.SplitSeq(text, "\n") {
		line, _, _ = strings.Cut(line, " #")
		line, _, _ = strings.Cut(line, " > ")
		for _, part := range strings.FieldsFunc(strings.ReplaceAll(line, "&&", "|"), func(r rune) bool { return r == '|' }) {
			if words := strings.Fields(part); len(words) > 0 && words[0] == "upsim" {
				list = append(list, words[1:])
			}
		}
	}
	return list
}

// Only a command that lets its user change the exit code names the flags that do.
func TestExitCodesNameFlagsThatAreThere(t *testing.T) {
	root := (&shell{}).rootCommand()
	for name, want := range map[string]bool{"run": true, "check": true, "plan": false, "skew": false} {
		cmd, _, err := root.Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(exitsOf(cmd), "--fail-on"); got != want {
			t.Errorf("%s: --fail-on named: %v", name, got)
		}
	}
	bench, _, err := root.Find([]string{"bench"})
	if err != nil {
		t.Fatal(err)
	}
	if text := exitsOf(bench); strings.Contains(text, "\n  1 ") || !strings.Contains(text, "\n  2 ") {
		t.Errorf("bench judges nothing, and its help says:\n%s", text)
	}
}
