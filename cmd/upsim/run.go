package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/reports"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

func (sh *shell) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [FILE…]",
		Short: "Simulate an upgrade and say whether it is safe",
		Long: `Simulate every upgrade of the scenario files, one result each, and report what happened. Without
a file the built-in example is simulated; "-" is standard input.

With --cluster the cluster is read from what kubectl printed:
  kubectl get nodes,pods,deployments,replicasets,statefulsets,daemonsets,poddisruptionbudgets,pv,pvc \
    -A -o json > cluster.json`,
		Example: `  upsim run
  upsim run shop.yaml
  upsim run shop.yaml --seed 7 -o table -o json=result.json
  upsim run --cluster cluster.json --to v1.34.2 --strategy surge
  upsim run shop.yaml --plan plan.yaml
  kubectl get nodes,pods,deployments,replicasets,statefulsets,daemonsets,pdb,pv,pvc -A -o json |
    upsim run --cluster - --to v1.34.2`,
	}
	var flags runFlags
	flags.add(cmd)
	var from inputFlags
	from.add(cmd)
	from.addPlan(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := flags.validate(cmd); err != nil {
			return err
		}
		in, list, out, err := from.read(sh, cmd, args, &flags.output)
		if err != nil {
			return err
		}
		return sh.simulate(&flags, list, out, in)
	}
	return cmd
}

// runFlags are the flags of a simulation, whatever its scenarios come from.
type runFlags struct {
	fail      failFlags
	output    outputFlag
	seed      seedFlag
	maxEvents numberFlag
	audit     bool
	sensitive bool
	seedFlags
}

func (f *runFlags) add(cmd *cobra.Command) {
	f.output.add(cmd, reports.FormatTable, reports.FormatJSON, reports.FormatTimeline)
	f.fail.add(cmd)
	f.seedFlags.add(cmd)
	f.seed.add(cmd, "seed of what is left to chance")
	cmd.Flags().Var(&f.maxEvents, "max-events", fmt.Sprintf("cut a simulation off after so many events, with exit code 3 (default %d)", sim.DefaultMaxEvents))
	cmd.Flags().BoolVar(&f.sensitive, "sensitivity", false, "also vary each assumption by a fifth, and say which of them move the result most")
	cmd.Flags().BoolVar(&f.audit, "audit", false, "recompute every invariant from scratch at each tick (slow)")
	if err := cmd.Flags().MarkHidden("audit"); err != nil {
		panic(err)
	}
}

func (f *runFlags) validate(cmd *cobra.Command) error {
	if err := notNothing(cmd, "max-events", f.maxEvents); err != nil {
		return err
	}
	if f.sensitive && f.until > 0 {
		return usagef("give --seeds N instead", "--sensitivity does not go with --until-ci: each of its runs has the same number of seeds")
	}
	if err := f.seedFlags.validate(cmd); err != nil {
		return err
	}
	return f.fail.validate(cmd)
}

// simulate runs every upgrade of every scenario, writes the results, and
// answers with the exit code that they deserve.
func (sh *shell) simulate(flags *runFlags, list []*model.Scenario, out *outputs, say commandLines) error {
	for _, sc := range list {
		sh.notes(sc)
	}
	var err error
	if out.timeline, err = out.takeTimeline(); err != nil {
		return err
	}
	defer out.timeline.abandon()
	if out.timeline != nil && flags.many() {
		return usagef("leave out --seeds and --until-ci", "-o timeline is of a single run")
	}
	code := exitFine
	more := unsaid{}
	for _, sc := range list {
		flags.seed.replace(sc)
		for _, up := range sc.Upgrades() {
			one := sh.once
			if flags.many() {
				one = sh.often
			}
			worst, err := one(flags, sc, up, out, more, say)
			if err != nil {
				return err
			}
			code = max(code, worst)
		}
		if flags.many() && len(sc.Strategies) > 1 {
			sh.note("hint: %s holds the strategies of %s against each other", say.compare(sc), sc.Name)
		}
	}
	if err := out.summary(compareAll(say, list)); err != nil {
		return err
	}
	if err := errors.Join(out.timeline.end(), out.close()); err != nil {
		return err
	}
	more.tell(sh, list, say)
	return outcome(code)
}

// once runs an upgrade with the scenario's seed.
func (sh *shell) once(flags *runFlags, sc *model.Scenario, up model.NamedUpgrade, out *outputs, more unsaid, _ commandLines) (int, error) {
	boundGarbage(sc.Pods())
	world, err := sim.Compile(sc, up)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", title(sc, up), err)
	}
	if !sh.quiet {
		more.preflight(sc, world)
	}
	options := sim.Options{Seed: sc.Seed, Audit: flags.audit, MaxEvents: uint64(flags.maxEvents)}
	if t := out.timeline; t != nil {
		t.Begin(sc.Name, up.Name, sc.Seed)
		options.Story, options.Stop = t.Step, t.Failed
	}
	result := world.RunLast(options)
	if t := out.timeline; t != nil && t.Failed() {
		return 0, t.end()
	}
	if err := out.result(sc, result); err != nil {
		return 0, err
	}
	if err := flags.sensitivity(sc, up, out); err != nil {
		return 0, err
	}
	more.said(sc, result)
	if _, only := out.files(); only {
		sh.note("%s: %s", title(sc, up), result.Verdict)
	}
	return flags.code(sh, sc, up, result.Reasons, result.Verdict != sim.Safe, montecarlo.RunOf(result)), nil
}

// often runs an upgrade with many seeds.
func (sh *shell) often(flags *runFlags, sc *model.Scenario, up model.NamedUpgrade, out *outputs, _ unsaid, say commandLines) (int, error) {
	s, err := sh.summary(flags, sc, up, out, say.run(sc, up))
	if err != nil {
		return 0, err
	}
	if err := flags.sensitivity(sc, up, out); err != nil {
		return 0, err
	}
	if _, only := out.files(); only {
		sh.note("%s: %s", title(sc, up), reports.Outcomes(s))
	}
	var reasons []model.Finding
	for _, f := range s.Findings() {
		reasons = append(reasons, f.Finding)
	}
	return flags.code(sh, sc, up, reasons, s.Unsafe() > 0, s.Runs...), nil
}

// sensitivity writes, where it is asked for, which assumptions move the result.
func (f *runFlags) sensitivity(sc *model.Scenario, up model.NamedUpgrade, out *outputs) error {
	if !f.sensitive {
		return nil
	}
	s, err := montecarlo.Vary(sc, up, f.options())
	if err != nil {
		return fmt.Errorf("%s: %w", title(sc, up), err)
	}
	return out.sensitivity(sc, up, s)
}

// result writes one result to every sink.
func (o *outputs) result(sc *model.Scenario, r *sim.Result) error {
	o.results = append(o.results, reports.LineOf(r))
	return o.document(func(w io.Writer, format string, opts reports.TableOptions) error {
		if format == reports.FormatJSON {
			return reports.JSON(w, r)
		}
		return reports.Table(w, sc, r, opts)
	})
}

// sensitivity writes what moves the result that was written last.
func (o *outputs) sensitivity(sc *model.Scenario, up model.NamedUpgrade, s *montecarlo.Sensitivity) error {
	return o.each(func(w io.Writer, format string, opts reports.TableOptions) error {
		if format == reports.FormatJSON {
			return reports.SensitivityJSON(w, sc, up.Name, s)
		}
		return reports.SensitivityTable(w, s, opts)
	})
}

// code is the exit code that one or more runs of an upgrade deserve. Where one was cut off it is neither fine nor not, which is
// told on standard error.
func (f *runFlags) code(sh *shell, sc *model.Scenario, up model.NamedUpgrade, reasons []model.Finding, unsafe bool, runs ...montecarlo.Run) int {
	if why, is := model.FirstOf(reasons, model.CutOff); is {
		fmt.Fprintf(sh.stderr, "error: %s: %s; its result is not complete%s\n", title(sc, up), why.Message, eventsHint(f.maxEvents, runs...))
		return exitCutOff
	}
	code := exitFine
	if unsafe && f.fail.fails(model.SeverityError) {
		code = exitNotFine
	}
	for _, reason := range reasons {
		if f.fail.fails(reason.Severity) {
			code = exitNotFine
		}
	}
	return code
}

// eventsHint names the flag that bounds the events, where one of the runs was cut off by them and not by how far can be simulated.
func eventsHint(most numberFlag, runs ...montecarlo.Run) string {
	if slices.ContainsFunc(runs, func(r montecarlo.Run) bool { return r.CutOff && r.Events >= cmp.Or(uint64(most), sim.DefaultMaxEvents) }) {
		return " (see --max-events)"
	}
	return ""
}

func title(sc *model.Scenario, up model.NamedUpgrade) string {
	if len(sc.Strategies) > 0 {
		return sc.Name + " (" + up.Name + ")"
	}
	return sc.Name
}

// notes tells on standard error what was noticed while the scenario was read.
func (sh *shell) notes(sc *model.Scenario) {
	for _, n := range sc.Notes {
		text := n.Message
		if name := n.Subject[strings.LastIndexByte(n.Subject, '/')+1:]; !mentions(text, name) {
			text = n.Subject + ": " + text
		}
		sh.note("note: %s", text)
	}
}
