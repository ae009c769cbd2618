package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// shell is the command line's surroundings: its streams and the flags that every command has.
type shell struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	temps          *tempFiles

	quiet, verbose, noColor bool
}

// main runs the command that args name, without the program's own name, and returns the exit code.
func (sh *shell) main(args []string) int {
	root := sh.rootCommand()
	root.SetArgs(args)
	err := root.Execute()
	if p, ok := sh.stdout.(*pipe); ok && err == nil {
		err = p.failed // cobra drops what happens to a help text
	}
	return explain(sh.stderr, err)
}

func (sh *shell) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "upsim",
		Short: "Simulate a Kubernetes upgrade before you touch the cluster",
		Long: `upsim simulates Kubernetes upgrades, event by event, on a model of a cluster: will something
break, where does it get stuck, and how long does it take?`,
		Example: `  upsim run                                            # the built-in example
  upsim run shop.yaml                                  # a scenario of your own
  upsim run --cluster cluster.json --to v1.34.2        # a real cluster, from kubectl get … -o json
  upsim compare shop.yaml                              # which strategy to take
  upsim optimize shop.yaml                             # search for a better one
  upsim plan shop.yaml -o yaml                         # the rollout as data: stages, nodes, labels
  upsim batch fleet/ -o csv=results.csv                # every scenario of a folder
  upsim check shop.yaml                                # what can be known without simulating
  upsim skew v1.34                                     # which versions may run beside which
  upsim calibrate cluster.json                         # measure a scenario's assumptions on your own cluster`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(sh.stdin)
	root.SetOut(sh.stdout)
	root.SetErr(sh.stderr)
	root.PersistentFlags().BoolVarP(&sh.quiet, "quiet", "q", false, "print no notes and hints on standard error")
	root.PersistentFlags().BoolVarP(&sh.verbose, "verbose", "v", false, "show every row of a table, not only the worst")
	root.PersistentFlags().BoolVar(&sh.noColor, "no-color", false, "no colour on a terminal (also: NO_COLOR, TERM=dumb)")
	root.SetFlagErrorFunc(flagError)
	cobra.AddTemplateFunc("flags", flagUsages)
	cobra.AddTemplateFunc("exits", exitsOf)
	root.SetHelpTemplate(helpTemplate)
	sh.helpAtOnce(root)
	root.AddCommand(sh.runCommand(), sh.compareCommand(), sh.optimizeCommand(), sh.batchCommand(), sh.mergeCommand(), sh.planCommand(), sh.checkCommand(),
		sh.skewCommand(), sh.calibrateCommand(), sh.benchCommand(), sh.scenariosCommand(), sh.strategiesCommand(), sh.versionCommand())
	onlySubcommands(root)
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			onlySubcommands(cmd)
		}
	}
	return root
}

// helpTemplate puts the examples first, since most readers look for one to copy.
const helpTemplate = `{{with or .Long .Short}}{{. | trimTrailingWhitespaces}}

{{end}}{{if .HasExample}}Examples:
{{.Example}}

{{end}}Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}
{{if .HasAvailableSubCommands}}
Commands:{{range .Commands}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}{{if .HasAvailableLocalFlags}}
Flags:
{{flags .LocalFlags}}
{{end}}{{if .HasAvailableInheritedFlags}}
Flags of every command:
{{flags .InheritedFlags}}
{{end}}
{{exits .}}
`

// judgesNothing marks commands that end well whatever the verdict.
const judgesNothing = "judges nothing"

// exitsOf explains the exit codes; some commands judge nothing, and only some let their user change what they make of a verdict.
func exitsOf(cmd *cobra.Command) string {
	if _, marked := cmd.Annotations[judgesNothing]; marked {
		return strings.Replace(strings.Replace(exitHelp, exitNotFineHelp, "", 1), "the plan is fine", "all went well, whatever the verdicts", 1)
	}
	if cmd.HasParent() && cmd.Flags().Lookup("fail-on") == nil {
		return strings.Replace(exitHelp, " (see --fail-on)", "", 1)
	}
	return exitHelp
}

// helpAtOnce writes a help text in one piece, so that a write that fails is told once, by main.
func (sh *shell) helpAtOnce(root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text bytes.Buffer
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(sh.stdout)
		_, _ = text.WriteTo(sh.stdout) // sh.stdout keeps the error
	})
}

// onlySubcommands makes cmd show its help when it is given alone, and refuse a word that is no subcommand of it.
func onlySubcommands(cmd *cobra.Command) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		cmd.SuggestionsMinimumDistance = 2
		hint := "see " + cmd.CommandPath() + " --help"
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return usagef(hint, "unknown command %q for %q", args[0], cmd.CommandPath())
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return subcommandNames(root, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return usagef("see upsim --help", "there is no help on %q", strings.Join(args, " "))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

func subcommandNames(root *cobra.Command, args []string) []string {
	cmd, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name()+"\t"+c.Short)
		}
	}
	return names
}

// exactly is an Args function: the named arguments, no more and no less.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := "usage: " + cmd.UseLine()
		switch {
		case len(args) < len(names):
			return usagef(hint, "%s needs %s", cmd.CommandPath(), names[len(args)])
		case len(args) > len(names):
			return usagef(hint, "%s does not take %q", cmd.CommandPath(), args[len(names)])
		}
		return nil
	}
}
