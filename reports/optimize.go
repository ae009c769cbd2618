package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"upsim/model"
	"upsim/sim/montecarlo"
)

// Optimization is a search for a better plan, and what it found.
type Optimization struct {
	Scenario *model.Scenario
	Search   *montecarlo.Search
	// Settings are the keys of each plan but the scenario's own, which is the first; Refused says why one is none.
	Settings [][]model.KeyValue
	Refused  []string
	// Probability and CostFirst are as montecarlo.SearchOptions has them.
	Probability float64
	CostFirst   bool
	// Locate is the name of a file of cluster.from in the scenario that is written as YAML.
	Locate func(file string) string
}

// FoundName is the name of the strategy that was found.
const FoundName = "found"

// compared holds the plan that was found against the scenario's own, over fresh seeds; without one it has no rows.
func (o *Optimization) compared() *Comparison {
	s := o.Search
	var rows []ComparedRow
	if s.OwnFresh != nil && s.OwnFresh != s.Fresh || s.Best == 0 {
		rows = append(rows, ComparedRow{Name: s.Plans[0].Name, Upgrade: s.Plans[0], Sample: s.OwnFresh})
	}
	if s.Best > 0 {
		rows = append(rows, ComparedRow{Name: FoundName, Upgrade: s.Plans[s.Best], Settings: o.Settings[s.Best], Sample: s.Fresh})
	}
	return NewComparison(o.Scenario, nil, rows, o.Probability)
}

// goal says what was looked for.
func (o *Optimization) goal() string {
	if o.CostFirst {
		return "the cheapest plan that is " + o.requirement()
	}
	return "the fastest plan that is " + o.requirement()
}

// requirement is what a plan must be to count.
func (o *Optimization) requirement() string {
	return fmt.Sprintf("safe in at least %s of all runs, told with 95%% confidence", share(o.Probability))
}

// Optimized writes a search and its plan: as a table, as JSON, or as YAML the scenario with the plan in place of its strategies.
// YAML of a search that found nothing better is the scenario with its own.
func Optimized(w io.Writer, o *Optimization, format string, opts TableOptions) error {
	switch format {
	case FormatTable:
		return optimizedTable(w, o, opts)
	case FormatJSON:
		return writeJSON(w, optimizationOf(o))
	case FormatYAML:
		return optimizedYAML(w, o)
	}
	return unknownFormat(format)
}

func optimizedTable(w io.Writer, o *Optimization, opts TableOptions) error {
	p := newPage(opts)
	s := o.Search
	p.text(0, fmt.Sprintf("%s, %s -> %s: %s", o.Scenario.Name, o.Scenario.Cluster.StartsAt(&s.Plans[0].Upgrade), s.Plans[0].Upgrade.To, o.goal()))
	p.section(fmt.Sprintf("Search of %s in %s", count(len(s.Plans), "plan"), count(s.Runs, "run")))
	p.rounds(o)
	switch {
	case s.Best < 0:
		p.buf.WriteByte('\n')
		p.text(0, p.nothing(o))
		return p.writeTo(w)
	case s.Best == 0:
		makespan, hours := s.Fresh.Summary(montecarlo.Makespan), s.Fresh.Summary(montecarlo.NodeHours)
		p.buf.WriteByte('\n')
		p.text(0, fmt.Sprintf("None of the others is better than yours, %s: 95%% of the runs with fresh seeds within %s, and %s node hours of extra nodes.",
			s.Plans[0].Name, humanFloat(makespan.P95), decimal(hours.Mean)))
		return p.writeTo(w)
	}
	c := o.compared()
	p.section("Found, with fresh seeds")
	p.comparison(c)
	p.buf.WriteByte('\n')
	found := c.Rows[len(c.Rows)-1]
	if more := c.choice.Difference(found.at, c.Rows[0].at, montecarlo.DowntimeOfAll, len(compareDifferences)); more.Told() && more.Mean > 0 {
		p.text(0, fmt.Sprintf("It has workloads down for %s longer than yours, added up over all; `objectives: {maxDowntime: …}` says how long each may be.", humanFloat(more.Mean)))
	}
	p.text(0, "In the scenario: "+strings.Replace(found.entry(), "name: taken", "name: "+FoundName, 1))
	p.text(0, "-o yaml prints the whole scenario with it, for upsim run.")
	return p.writeTo(w)
}

// outs are the reasons why plans are out, in the order in which they are found.
var outs = []string{montecarlo.OutRefused, montecarlo.OutNotStarted, montecarlo.OutUnsafe, montecarlo.OutUntold, montecarlo.OutBound, montecarlo.OutBehind, montecarlo.OutDoubt}

// rounds writes the trace: how many plans each round ran, which are out and why, and which was the best.
func (p *page) rounds(o *Optimization) {
	s := o.Search
	g := &grid{columns: []column{{head: "SEEDS", right: true}, {head: "PLANS", right: true}, {head: "CAME-BACK", right: true}}}
	var shown []string
	for _, why := range outs {
		for _, r := range s.Rounds {
			if r.Out[why] > 0 {
				shown = append(shown, why)
				g.columns = append(g.columns, column{head: strings.ToUpper(strings.ReplaceAll(why, " ", "-")), right: true})
				break
			}
		}
	}
	g.columns = append(g.columns, column{head: "BEST-SAFE", flex: true})
	for _, r := range s.Rounds {
		seeds, best := "-", "-"
		if r.Seeds > 0 {
			seeds = itoa(r.Seeds)
		}
		if r.Best >= 0 {
			best = o.planName(r.Best)
		}
		cells := []string{seeds, itoa(r.Plans), itoa(r.Back)}
		for _, why := range shown {
			cells = append(cells, itoa(r.Out[why]))
		}
		g.add(append(cells, best)...)
	}
	p.grid(g, tableIndent)
	p.text(tableIndent, "the first line is before any is run but yours; BEST-SAFE is so with every seed; CAME-BACK: they were behind others which are not safe")
	for _, why := range shown {
		p.text(tableIndent, strings.ToUpper(strings.ReplaceAll(why, " ", "-"))+": "+outMeanings[why])
	}
}

var outMeanings = map[string]string{
	montecarlo.OutRefused:    "a scenario file with it would be refused",
	montecarlo.OutNotStarted: "it must not start",
	montecarlo.OutUnsafe:     "its runs tell that it is not safe so often",
	montecarlo.OutUntold:     "its runs do not tell whether it is safe so often, and as many as a plan is given would not",
	montecarlo.OutBound:      "it cannot be better than a plan that is safe in every run, whatever happens",
	montecarlo.OutBehind:     "the better half is ahead, or the best that is safe, by more than chance",
	montecarlo.OutDoubt:      "safe with the seeds of the search and not with fresh ones, so that the search goes on without it",
}

func (o *Optimization) planName(i int) string {
	if i == 0 {
		return o.Search.Plans[0].Name + " (yours)"
	}
	return o.Search.Plans[i].Name
}

// nothing says that no plan was found, why, and which comes nearest.
func (p *page) nothing(o *Optimization) string {
	var why []string
	for _, out := range outs {
		n := 0
		for _, w := range o.Search.Out {
			if w == out {
				n++
			}
		}
		if n > 0 {
			why = append(why, fmt.Sprintf("%d %s", n, out))
		}
	}
	text := fmt.Sprintf("None of the %d plans is %s: %s.", len(o.Search.Plans), o.requirement(), strings.Join(why, ", "))
	if i, safe := o.nearest(); i >= 0 {
		runs := len(o.Search.Samples[i].Runs)
		near := "No run of any was safe. What keeps yours: "
		if safe > 0 {
			near = fmt.Sprintf("Nearest is %s, safe in %d of %s. What keeps it: ", o.planName(i), safe, count(runs, "run"))
		}
		if trouble := p.trouble(&ComparedRow{Sample: o.Search.Samples[i]}); safe < runs {
			text += " " + near + strings.TrimSuffix(trouble, ".") + "."
		}
	}
	if slices.Contains(o.Search.Out, montecarlo.OutUntold) {
		text += fmt.Sprintf(" More seeds may tell of those that are not told: --seeds %d.", min(montecarlo.MostSeeds, 2*o.Search.MostSeeds()))
	}
	return text + " `upsim run` says more on yours, and how to mend it."
}

// nearest is the place of the plan of whose runs the largest part was safe, the first of several, and how many were; -1 where none was run.
func (o *Optimization) nearest() (best, safe int) {
	best, share := -1, -1.0
	for i, x := range o.Search.Samples {
		if x == nil {
			continue
		}
		n := len(x.Runs) - x.Unsafe()
		if s := float64(n) / float64(len(x.Runs)); s > share {
			best, safe, share = i, n, s
		}
	}
	return best, safe
}

// optimizationJSON is the published form of a search.
type optimizationJSON struct {
	envelope
	Scenario    string         `json:"scenario"`
	Goal        string         `json:"goal"`
	Probability float64        `json:"probability"`
	Plans       int            `json:"plans"`
	Runs        int            `json:"runs"`
	Rounds      []roundJSON    `json:"rounds"`
	Best        *string        `json:"best"`
	Settings    settingsJSON   `json:"settings"`
	Compared    comparisonJSON `json:"compared"`
}

type settingsJSON map[string]json.RawMessage

type roundJSON struct {
	Seeds int            `json:"seeds"`
	Plans int            `json:"plans"`
	Back  int            `json:"cameBack"`
	Out   map[string]int `json:"out"`
	Best  *string        `json:"best"`
}

func optimizationOf(o *Optimization) optimizationJSON {
	s := o.Search
	goal := "fastest"
	if o.CostFirst {
		goal = "cheapest"
	}
	out := optimizationJSON{envelope: envelopeOf("Optimization"), Scenario: o.Scenario.Name, Goal: goal, Probability: o.Probability,
		Plans: len(s.Plans), Runs: s.Runs, Settings: settingsJSON{}, Compared: comparisonOf(o.compared())}
	for _, r := range s.Rounds {
		x := roundJSON{Seeds: r.Seeds, Plans: r.Plans, Back: r.Back, Out: r.Out}
		if r.Best >= 0 {
			x.Best = &s.Plans[r.Best].Name
		}
		out.Rounds = append(out.Rounds, x)
	}
	if s.Best >= 0 {
		out.Best = &s.Plans[s.Best].Name
		for _, k := range o.Settings[s.Best] {
			out.Settings[k.Key] = jsonValue(k.Value)
		}
	}
	return out
}

// jsonValue is a value of a scenario file as JSON.
func jsonValue(text string) json.RawMessage {
	v, err := model.YAMLToJSON([]byte(text))
	if err != nil { // the decoder has read it
		panic(err)
	}
	return v
}

// optimizedYAML writes the scenario with what was found as its only strategy.
func optimizedYAML(w io.Writer, o *Optimization) error {
	var doc bytes.Buffer
	doc.WriteByte('{')
	err := eachKey(o.Scenario.Written, func(key string, value json.RawMessage) error {
		if key == "study" || key == "strategies" && o.Search.Best > 0 {
			return nil
		}
		if key == "cluster" {
			var err error
			if value, err = o.relocated(value); err != nil {
				return err
			}
		}
		fmt.Fprintf(&doc, "%q:%s,", key, value)
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot write the scenario: %w", err)
	}
	if o.Search.Best > 0 {
		doc.WriteString(`"strategies":[`)
		doc.Write(entryJSON(FoundName, o.Settings[o.Search.Best]))
		doc.WriteByte(']')
	} else {
		doc.Truncate(doc.Len() - 1) // the comma
	}
	doc.WriteByte('}')
	if _, err := fmt.Fprintf(w, "# Found by upsim optimize among %d plans: %s.\n", len(o.Search.Plans), o.goal()); err != nil {
		return err
	}
	return writeYAML(w, json.RawMessage(doc.Bytes()))
}

// eachKey calls f for the keys of a mapping in their order.
func eachKey(mapping []byte, f func(key string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(mapping))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := f(fmt.Sprint(key), value); err != nil {
			return err
		}
	}
	return nil
}

// relocated is what is written of a cluster, with the files of `from` as the new scenario is to name them.
func (o *Optimization) relocated(cluster json.RawMessage) (json.RawMessage, error) {
	var doc bytes.Buffer
	doc.WriteByte('{')
	err := eachKey(cluster, func(key string, value json.RawMessage) error {
		if key == "from" {
			var files []string
			if err := json.Unmarshal(value, &files); err != nil {
				return err
			}
			for i := range files {
				files[i] = o.Locate(files[i])
			}
			var err error
			if value, err = json.Marshal(files); err != nil {
				return err
			}
		}
		fmt.Fprintf(&doc, "%q:%s,", key, value)
		return nil
	})
	if doc.Len() > 1 {
		doc.Truncate(doc.Len() - 1)
	}
	doc.WriteByte('}')
	return doc.Bytes(), err
}

// entryJSON is an entry of strategies.
func entryJSON(name string, keys []model.KeyValue) []byte {
	var b, drain bytes.Buffer
	fmt.Fprintf(&b, `{"name":%q`, name)
	for _, k := range keys {
		to, key := &b, k.Key
		if inner, ok := strings.CutPrefix(key, "drain."); ok {
			to, key = &drain, inner
		}
		fmt.Fprintf(to, `,%q:%s`, key, jsonValue(k.Value))
	}
	if drain.Len() > 0 {
		fmt.Fprintf(&b, `,"drain":{%s}`, drain.Bytes()[1:])
	}
	b.WriteByte('}')
	return b.Bytes()
}
