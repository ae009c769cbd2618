package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/reports"
	"upsim/reports/jsonl"
	"upsim/scenarios"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

func (sh *shell) batchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch PATH…",
		Short: "Simulate thousands of scenarios, on one machine or many",
		Long: `Simulate every scenario of files, folders (with the folders in them) and patterns, on all cores, and
sum up. "-" is a list of paths on standard input, one a line. With -o jsonl=FILE each result is a
line, in the order of the inputs; what cannot be simulated is a line with an "error", and the rest
goes on. A batch that was killed, at whatever point, is finished by the same command with --resume;
with --restart it begins again.

With --shard INDEX/SHARDS only that share of the work is done, and FILE is a part for upsim merge. A
Slurm job array says by itself which share it is (SLURM_ARRAY_TASK_ID of SLURM_ARRAY_TASK_COUNT, counted
from SLURM_ARRAY_TASK_MIN, or from 0 where that is not set), and a Kubernetes Indexed Job if UPSIM_SHARDS
says how many there are (JOB_COMPLETION_INDEX). --emit prints a job for either.`,
		Example: `  upsim batch scenarios/ -o jsonl=results.jsonl -o csv=results.csv
  upsim batch scenarios/ -o jsonl=results.jsonl --resume          # after it was killed
  git ls-files '*.yaml' | upsim batch - -o jsonl                  # to standard output
  upsim batch scenarios/ --shard 0/4 -o jsonl=part-0.jsonl        # a quarter of the work
  upsim batch /scenarios --emit k8s-job --shards 16 --image registry/upsim:v1 > job.yaml`,
	}
	c := batchFlags{}
	c.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := c.validate(cmd, args); err != nil {
			return err
		}
		if c.emit.value != "" {
			return sh.emitJob(&c, args)
		}
		return sh.batch(&c, args)
	}
	return cmd
}

// batchFlags are the flags of a batch.
type batchFlags struct {
	emitFlags
	fail                   failFlags
	output                 outputFlag
	seed, seeds, maxEvents numberFlag
	shard                  shardFlag
	resume, restart        bool
	given, seedGiven       bool
}

// mostSeeds bounds how many runs of one scenario a batch can ask for.
const mostSeeds = 1_000_000

func (c *batchFlags) add(cmd *cobra.Command) {
	c.output.add(cmd, batchFormats...)
	c.fail.add(cmd)
	flags := cmd.Flags()
	flags.Var(&c.seed, "seed", "seed of what is left to chance (default: each scenario's own)")
	flags.Var(&c.seeds, "seeds", "simulate each scenario with so many seeds, from its own on, a row each")
	flags.Var(&c.maxEvents, "max-events", fmt.Sprintf("cut a simulation off after so many events; it is a row with an error (default %d)", sim.DefaultMaxEvents))
	flags.Var(&c.shard, "shard", "do only this share of the work, `INDEX/SHARDS` counted from 0, into a part for upsim merge")
	flags.BoolVar(&c.resume, "resume", false, "go on where an earlier, killed batch has ended; nothing is simulated twice")
	flags.BoolVar(&c.restart, "restart", false, "throw away what an earlier, killed batch has left, and start anew")
	c.emitFlags.add(cmd)
}

// shardFlag is a flag that holds a shard.
type shardFlag struct{ jsonl.Shard }

func (s *shardFlag) Type() string { return "INDEX/SHARDS" }

func (s *shardFlag) String() string {
	if s.Of == 0 {
		return ""
	}
	return s.Shard.String()
}

func (s *shardFlag) Set(text string) (err error) {
	s.Shard, err = jsonl.ParseShard(text)
	return err
}

func (c *batchFlags) validate(cmd *cobra.Command, args []string) error {
	changed := cmd.Flags().Changed
	if err := notNothing(cmd, "max-events", c.maxEvents); err != nil {
		return err
	}
	if err := notNothing(cmd, "seeds", c.seeds); err != nil {
		return err
	}
	if c.seeds > mostSeeds {
		return usagef("", "--seeds is at most %d", mostSeeds)
	}
	c.seedGiven = changed("seed")
	if err := c.emitFlags.validate(cmd, args); err != nil || c.emit.value != "" {
		return err
	}
	if len(args) == 0 {
		return usagef("for example upsim batch scenarios/ -o jsonl=results.jsonl", "upsim batch needs files, folders, patterns, or - for a list of them")
	}
	if err := stdinOnce(args); err != nil {
		return err
	}
	if c.resume && c.restart {
		return usagef("give one of them", "--resume goes on with what is there, and --restart throws it away")
	}
	if (c.resume || c.restart) && !slices.ContainsFunc(c.output.values, func(o string) bool { return strings.HasPrefix(o, formatJSONL+"=") && o != formatJSONL+"=-" }) {
		return usagef("for example -o jsonl=results.jsonl --resume", "--resume and --restart go with -o jsonl=FILE, which they are about")
	}
	return c.fail.validate(cmd)
}

// sharded finds which share of the work is wanted, by the flag or by what an engine says; given is false for all of it.
func (c *batchFlags) sharded(sh *shell) error {
	if c.given = c.shard.Of > 0; c.given {
		return nil
	}
	s, from, err := jsonl.ShardFromEnv(os.Getenv)
	if err != nil {
		return usagef("say it with --shard INDEX/SHARDS, for Slurm with SLURM_ARRAY_TASK_MIN, or for Kubernetes with UPSIM_SHARDS; --shard 0/1 is all of the work", "%v", err)
	}
	if c.given = from != ""; c.given {
		c.shard.Shard = s
		sh.note("note: this is shard %s, by %s", s, from)
	}
	return nil
}

// rowFlags are the flags that change results; nil for none.
func (c *batchFlags) rowFlags() *reports.Flags {
	f := reports.Flags{Seeds: uint64(c.seeds), MaxEvents: uint64(c.maxEvents)}
	if c.seedGiven {
		seed := uint64(c.seed)
		f.Seed = &seed
	}
	if f == (reports.Flags{}) {
		return nil
	}
	return &f
}

// batch simulates everything and answers with the worst exit code of all rows.
func (sh *shell) batch(c *batchFlags, args []string) error {
	files, err := scenarios.Files(args, sh.stdin)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return usagef("", "the list on standard input names no file")
	}
	if err := c.sharded(sh); err != nil {
		return err
	}
	work := &batchWork{files: files, shard: c.shard.Shard, flags: c.rowFlags(), upsim: ownVersion()}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	o, err := c.output.open(sh, paths...)
	if err != nil {
		return err
	}
	how := &jsonl.Options{Resume: c.resume, Restart: c.restart}
	if c.given {
		how.Head = jsonl.NewHead(c.shard.Shard, jsonl.Batch{Upsim: work.upsim, Inputs: len(files), InputsSHA256: work.listSum(), Flags: work.flags})
	}
	out, err := sh.openBatchOut(o, how)
	if err != nil {
		return err
	}
	if c.given {
		out.summary.Shard = c.shard.String()
	}
	code, err := sh.runBatch(c, work, out)
	if err != nil {
		out.leave()
		return err
	}
	if err := out.finish(work.sum()); err != nil {
		out.leave()
		return err
	}
	return outcome(code)
}

// runBatch does the work and takes the rows to the sinks.
func (sh *shell) runBatch(c *batchFlags, work *batchWork, out *batchOut) (code int, err error) {
	before := 0
	if out.file != nil {
		work.done, before = out.file.NextDone, out.file.Done()
	}
	// A collection for every few small worlds would take a fifth of the time; untouched memory costs nothing.
	ballast := make([]byte, 32<<20)
	defer runtime.KeepAlive(&ballast)
	told := sh.newBatchProgress(work.units(), before)
	noScenario, studies, toldBefore := 0, 0, false
	run := montecarlo.Ordered[batchJob, *batchAnswer]{
		Next: work.next,
		Do:   work.do,
		Size: func(a *batchAnswer) int { return a.text.Cap() },
		Take: func(a *batchAnswer) error {
			defer a.taken()
			if a.err != nil {
				return usagef(startAnew, "%s cannot be resumed: %v", out.path, a.err)
			}
			if a.job.old != nil && !toldBefore {
				toldBefore = true // the first row shows that it is of this batch
				sh.note("note: %d of %d are done already", before, work.units())
			}
			work.add(a)
			if !a.job.mine {
				return nil
			}
			failed := false
			for i := range a.rows {
				code = max(code, c.fail.codeOf(&a.rows[i]))
				failed = failed || a.rows[i].Failure != nil
			}
			if a.job.old == nil && out.file != nil && out.file.Whole() && len(a.rows) > 0 {
				return usagef(startAnew, "%s is finished, and has no row of %s", out.path, a.job.file.Path)
			}
			told.step(failed)
			studies += a.studies
			if len(a.rows) == 0 && a.job.replication == 1 {
				noScenario++
			}
			return out.take(a.text.Bytes(), a.rows, a.job.old != nil)
		},
	}
	err = run.Run()
	told.end()
	if noScenario > 0 && err == nil {
		sh.note("note: files with kubectl output, which are no scenarios: %d", noScenario)
	}
	if studies > 0 && err == nil {
		sh.note("note: scenarios with a study that is not run: %d; `upsim compare FILE` runs it", studies)
	}
	return code, err
}

// codeOf is the exit code that a row deserves.
func (f *failFlags) codeOf(r *reports.Row) int {
	switch {
	case f.on.value == "never":
		return exitFine // an error is an answer too
	case r.Failure != nil:
		return r.Failure.ExitCode
	case r.Verdict != sim.Safe && f.fails(model.SeverityError),
		r.Errors > 0 && f.fails(model.SeverityError), r.Warnings > 0 && f.fails(model.SeverityWarning):
		return exitNotFine
	}
	return exitFine
}

// ownVersion is what rows say they are made by.
func ownVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildVersion(info)
}

// exitCodeOf is the exit code of a command that failed so.
func exitCodeOf(err error) int {
	if errors.As(err, new(internalFault)) {
		return exitFault
	}
	return explain(io.Discard, err) // the message stands in the row
}
