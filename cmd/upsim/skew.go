package main

import (
	"io"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/model/skew"
	"upsim/reports"
)

func (sh *shell) skewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skew VERSION",
		Short: "Print which versions may run beside an API server",
		Long: `Fill the version skew policy in for API servers of this version: the oldest and newest minor that
each component may have, and the order in which they are upgraded. During an upgrade the API
servers differ; --oldest names the other end.`,
		Example: `  upsim skew v1.34
  upsim skew v1.34 --oldest v1.33      # halfway through an upgrade`,
		Args: exactly("VERSION"),
	}
	var output outputFlag
	output.add(cmd, reports.FormatTable, reports.FormatJSON)
	var oldest versionFlag
	cmd.Flags().Var(&oldest, "oldest", "the oldest API server's version, where they differ")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		newest, err := model.ParseVersion(args[0])
		if err != nil {
			return usageError{message: err.Error()}
		}
		servers := []model.Version{newest}
		if !oldest.IsZero() {
			if oldest.Compare(newest) > 0 {
				return usagef("give the newer one first", "--oldest %s is newer than %s", oldest, newest)
			}
			servers = append(servers, oldest.Version)
		}
		out, err := output.open(sh)
		if err != nil {
			return err
		}
		return out.whole(func(w io.Writer, format string, opts reports.TableOptions) error {
			return reports.SkewTable(w, skew.Table(servers...), format, opts)
		})
	}
	return cmd
}
