package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"upsim/model"
	"upsim/reports"
	"upsim/sim/montecarlo"
)

// seedFlags ask for many runs, one a seed.
type seedFlags struct {
	seeds numberFlag
	until shareFlag
}

func (f *seedFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var(&f.seeds, "seeds", "run so many seeds, from the first on, and report the distribution")
	f.until.addUntilCI(cmd, "run seeds", "the mean makespan and of being safe")
}

// addUntilCI adds --until-ci of what is run until the intervals are narrow.
func (s *shareFlag) addUntilCI(cmd *cobra.Command, run, intervals string) {
	cmd.Flags().Var(s, "until-ci", fmt.Sprintf("%s until the 95%% intervals of %s are within such a `SHARE` (2%%) to each side; at least %d, at most --seeds, which may be fewer (default %d)",
		run, intervals, montecarlo.FirstSeeds, montecarlo.MostSeeds))
}

// many reports whether there is more than one run of each upgrade, or a summary of one.
func (f *seedFlags) many() bool { return f.seeds > 0 || f.until > 0 }

func (f *seedFlags) validate(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("seeds") && f.seeds == 0:
		return usagef("leave it out for a single run", "--seeds 0 would simulate nothing")
	case f.seeds > montecarlo.MostRuns:
		return usagef("--until-ci stops when more runs would tell nothing new", "--seeds %d is more than %d, the most whose figures are kept", f.seeds, montecarlo.MostRuns)
	}
	return nil
}

// enoughSeeds refuses seeds beyond the largest one.
func enoughSeeds(sc *model.Scenario, most int) error {
	if sc.Seed > uint64(mostNumber-most) {
		return usagef("choose a smaller --seed", "there are no %d seeds from %d on; the largest is %d", most, sc.Seed, int64(mostNumber))
	}
	return nil
}

// summary runs an upgrade with every seed and writes what that found.
func (sh *shell) summary(flags *runFlags, sc *model.Scenario, up model.NamedUpgrade, out *outputs, replay string) (*montecarlo.Sample, error) {
	o := flags.options()
	if err := enoughSeeds(sc, max(o.Seeds, montecarlo.MostSeeds)); err != nil {
		return nil, err
	}
	done, end := sh.progress(title(sc, up), int(flags.seeds))
	o.Done = done
	s, err := montecarlo.Replicate(sc, up, o)
	end()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", title(sc, up), err)
	}
	return s, out.document(func(w io.Writer, format string, opts reports.TableOptions) error {
		if format == reports.FormatJSON {
			return reports.SummaryJSON(w, s, o.Until)
		}
		return reports.SummaryTable(w, sc, s, o.Until, replay, opts)
	})
}

// options are of many runs of one upgrade.
func (f *runFlags) options() montecarlo.Options {
	return montecarlo.Options{Seeds: int(f.seeds), Until: float64(f.until), MaxEvents: uint64(f.maxEvents), Audit: f.audit}
}

// probable refuses a probability of being safe that hardly any run, or more runs than one waits for, would bear out.
func probable(p shareFlag) error {
	if p < 0.01 || p > 0.999 {
		return usagef("a higher one needs too many runs: --seeds of upsim run tells how probable one plan is safe", "--probability must be from 1%% to 99.9%%")
	}
	return nil
}

// shareFlag is a flag that holds a share of more than nothing and less than all, in percent or as a number.
type shareFlag float64

func (s *shareFlag) Type() string { return "SHARE" }

func (s *shareFlag) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*s)*100, 'g', -1, 64) + "%"
}

func (s *shareFlag) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) || math.IsInf(v, 0) {
		return fmt.Errorf("want a percentage such as 2%%")
	}
	*s = shareFlag(v)
	return nil
}
