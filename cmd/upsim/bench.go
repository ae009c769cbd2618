package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"upsim/bench"
	"upsim/model"
	"upsim/reports"
	"upsim/sim"
	"upsim/sim/montecarlo"
)

// The most that is timed at once: more would be a slip of the finger.
const (
	mostRepeats = 1000
	mostCases   = 1000
)

// benchFlags say which synthetic clusters are simulated, and how often.
type benchFlags struct {
	nodes       sizesFlag
	podsPerNode numberFlag
	strategies  []string
	variants    []string
	mixes       []string
	repeat      numberFlag
	seeds       numberFlag
	emit        string
	output      outputFlag
}

func (sh *shell) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast this machine simulates big clusters",
		Long: `Simulate the upgrades of synthetic clusters, as upsim run does, and say what that costs on this machine. Every size is
simulated with every strategy, variant and mix.

  CPU-TIME: of the processor, garbage collection included, the least of the repeats; reading and placing are not in it, but that
    with --seeds the pods are placed in it, once
  NS/EVENT, NS/POD-MOVED: the same for each event, and for each pod that was evicted or deleted
  PEAK-MB: the most memory that the process held for this row
  GROWTH: the cost of an event, divided by that of the first size

A cluster has three zones, Deployments of 10 pods with a budget of maxUnavailable: 10%, and room for a quarter more pods;
1% of its nodes are upgraded at once. The variants: zone-spread and anti-affinity, both required; contended: a tenth of the
nodes at once, with budgets of one pod. The mixes: equal nodes and pods, or sizes and requests drawn from real clusters.`,
		Example: `  upsim bench
  upsim bench --nodes 1000,10000,100000 --strategy rolling --variant plain,contended -o json
  upsim bench --nodes 1000 --strategy rolling --seeds 1000 --repeat 1
  upsim bench --nodes 500 --emit-scenario big.yaml && upsim run big.yaml`,
		Args:        exactly(),
		Annotations: map[string]string{judgesNothing: ""},
	}
	var flags benchFlags
	flags.add(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		cases, err := flags.cases()
		if err != nil {
			return err
		}
		out, err := flags.output.open(sh)
		if err != nil {
			return err
		}
		if flags.emit != "" {
			if err := sh.emitScenarios(flags.emit, cases, out); err != nil {
				return err
			}
		}
		return sh.bench(&flags, cases, out)
	}
	return cmd
}

func (f *benchFlags) add(cmd *cobra.Command) {
	f.output.add(cmd, reports.FormatTable, reports.FormatJSON)
	flags := cmd.Flags()
	f.nodes, f.podsPerNode, f.repeat, f.seeds = sizesFlag{1000, 5000}, 30, 3, 1
	flags.Var(&f.nodes, "nodes", "how many nodes the clusters have")
	flags.Var(&f.podsPerNode, "pods-per-node", "pods for each node, on average")
	words(cmd, &f.strategies, "strategy", bench.Strategies(), bench.Strategies(), "the strategies")
	words(cmd, &f.variants, "variant", []bench.Variant{bench.Plain}, bench.Variants(), "what makes the cluster hard")
	words(cmd, &f.mixes, "mix", []bench.Mix{bench.Equal}, bench.Mixes(), "how far nodes and pods differ")
	flags.Var(&f.repeat, "repeat", "how often each is timed; the least counts")
	flags.Var(&f.seeds, "seeds", "time so many seeds together, on all processors, as upsim run --seeds runs them")
	flags.StringVar(&f.emit, "emit-scenario", "", "also write the clusters into `FILE`, a scenario each, for upsim run; - is standard output")
}

// words adds a flag that holds a list of known words.
func words[T ~string](cmd *cobra.Command, to *[]string, name string, usual, known []T, usage string) {
	texts := func(list []T) (out []string) {
		for _, w := range list {
			out = append(out, string(w))
		}
		return out
	}
	cmd.Flags().StringSliceVar(to, name, texts(usual), usage+", a `LIST` of "+strings.Join(texts(known), ", "))
	complete(cmd, name, texts(known)...)
}

// cases are the clusters, the smallest first, each checked.
func (f *benchFlags) cases() ([]bench.Synthetic, error) {
	switch {
	case len(f.strategies) == 0 || len(f.variants) == 0 || len(f.mixes) == 0:
		return nil, usagef("leave out a flag for its default", "an empty list leaves nothing to simulate")
	case slices.Contains(slices.Concat(f.strategies, f.variants, f.mixes), ""):
		return nil, usagef("a comma stands between two words only", "a list has an empty word")
	case f.repeat < 1 || f.repeat > mostRepeats:
		return nil, usagef("for example --repeat 3", "--repeat must be from 1 to %d", mostRepeats)
	case f.seeds < 1 || f.seeds > montecarlo.MostRuns:
		return nil, usagef("for example --seeds 1000", "--seeds must be from 1 to %d", montecarlo.MostRuns)
	case len(f.nodes)*len(f.strategies)*len(f.variants)*len(f.mixes) > mostCases:
		return nil, usagef("give shorter lists", "these are more than %d clusters", mostCases)
	case f.podsPerNode < 1 || f.podsPerNode > model.MaxReplicasPerCluster:
		return nil, usagef("for example --pods-per-node 30", "--pods-per-node must be from 1 to %d", model.MaxReplicasPerCluster)
	}
	var list []bench.Synthetic
	for _, nodes := range slices.Sorted(slices.Values(f.nodes)) {
		for _, strategy := range f.strategies {
			for _, variant := range f.variants {
				for _, mix := range f.mixes {
					s := bench.Synthetic{Nodes: nodes, PodsPerNode: int(f.podsPerNode), Strategy: strategy, Variant: bench.Variant(variant), Mix: bench.Mix(mix)}
					if slices.Contains(list, s) {
						return nil, usagef("name each once", "%s comes twice", s.Name())
					}
					if _, err := s.YAML(); err != nil {
						return nil, usagef("see upsim bench --help", "%v", err)
					}
					list = append(list, s)
				}
			}
		}
	}
	return list, nil
}

// bench measures each cluster and writes what was found.
func (sh *shell) bench(flags *benchFlags, cases []bench.Synthetic, out *outputs) error {
	repeat, seeds := int(flags.repeat), int(flags.seeds)
	runs := len(cases) * repeat
	if seeds > 1 {
		runs = len(cases) * (1 + repeat*seeds)
	}
	done, end := sh.progress("bench", runs)
	defer end()
	var list []*reports.Speed
	for _, s := range cases {
		boundGarbage(s.Pods())
		m, err := bench.Measure(s, bench.Repeats{Repeat: repeat, Seeds: seeds, Done: done})
		if err != nil {
			return err
		}
		list = append(list, m)
	}
	end()
	for _, m := range list {
		if m.Verdict == sim.Stuck || m.Verdict == sim.Aborted {
			sh.note("note: %s: %s, so that its figures are not those of a whole upgrade", m.Scenario, m.Verdict)
		}
	}
	return out.whole(func(w io.Writer, format string, opts reports.TableOptions) error {
		return reports.Speeds(w, list, format, opts)
	})
}

// emitScenarios writes the clusters as one file of scenarios, in the order in which they are simulated.
func (sh *shell) emitScenarios(path string, cases []bench.Synthetic, out *outputs) error {
	if path == "-" {
		if _, only := out.files(); !only {
			return usagef("give -o table=FILE too, or a file for the scenarios", "the scenarios and the table cannot both go to standard output")
		}
	} else if other, taken, err := out.writes(path); err != nil {
		return err
	} else if taken {
		return usagef("name another file", "--emit-scenario and -o %s would write the same file", other)
	}
	var text bytes.Buffer
	for i, s := range cases {
		if i > 0 {
			text.WriteString("---\n")
		}
		one, err := s.YAML()
		if err != nil {
			return err
		}
		text.Write(one)
	}
	if path != "-" {
		return sh.temps.write(path, text.Bytes())
	}
	_, err := text.WriteTo(sh.stdout)
	return err
}

// sizesFlag is a flag that holds numbers of nodes.
type sizesFlag []int

func (s *sizesFlag) Type() string { return "N,…" }

func (s *sizesFlag) String() string {
	words := make([]string, len(*s))
	for i, n := range *s {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// Set takes a list in place of the default.
func (s *sizesFlag) Set(text string) error {
	var list []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > model.MaxNodesPerCluster {
			return fmt.Errorf("want numbers from 1 to %d, with commas between them", model.MaxNodesPerCluster)
		}
		list = append(list, n)
	}
	*s = list
	return nil
}
