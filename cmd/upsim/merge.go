package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"upsim/reports"
	"upsim/reports/jsonl"
)

func (sh *shell) mergeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge PART…",
		Short: "Put the parts of a sharded batch together",
		Long: `Put the parts that upsim batch --shard wrote together, in the order of the inputs: the same bytes as
one machine would have written. Nothing is written unless the parts of all shards are there, each
once and whole, of the same version of upsim, the same command line and the same scenario files.`,
		Example: `  upsim merge part-*.jsonl -o jsonl=results.jsonl -o csv=results.csv`,
	}
	var output outputFlag
	output.add(cmd, batchFormats...)
	var fail failFlags
	fail.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := fail.validate(cmd); err != nil {
			return err
		}
		if len(args) == 0 {
			return usagef("for example upsim merge part-*.jsonl -o jsonl=results.jsonl", "upsim merge needs the parts of all shards")
		}
		o, err := output.open(sh, args...)
		if err != nil {
			return err
		}
		parts, err := jsonl.CheckParts(args)
		if err != nil {
			return mergeError(err)
		}
		return sh.merge(parts, o, &fail)
	}
	return cmd
}

// mergeError keeps apart a device that failed and parts that are no good, of which each has a line.
func mergeError(err error) error {
	if readOrWrite(err) {
		return err
	}
	return usagef("a part that is no good is made again by its own batch command; nothing was written",
		"the parts cannot be merged:\n  %s", strings.ReplaceAll(err.Error(), "\n", "\n  "))
}

// merge writes the rows of all parts and answers with the worst exit code of all of them.
func (sh *shell) merge(parts *jsonl.Parts, o *outputs, fail *failFlags) error {
	out, err := sh.openBatchOut(o, nil)
	if err != nil {
		return err
	}
	code := exitFine
	clusters := map[string]reports.FileDigest{}
	err = parts.Rows(func(line []byte) error {
		row, err := reports.ParseRow(line)
		if err != nil {
			return err
		}
		for _, d := range row.ClusterFiles {
			if was, seen := clusters[d.File]; seen && was != d {
				return usagef("run the shards again on the same files", "%s was another file for some of the shards", d.File)
			}
			clusters[d.File] = d
		}
		code = max(code, fail.codeOf(&row))
		return out.take(line, []reports.Row{row}, false)
	})
	if err == nil {
		err = out.finish("")
	}
	if err != nil {
		out.leave()
		return fmt.Errorf("cannot merge: %w", err)
	}
	return outcome(code)
}
