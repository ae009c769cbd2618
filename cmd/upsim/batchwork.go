package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"upsim/model"
	"upsim/reports"
	"upsim/reports/jsonl"
	"upsim/scenarios"
	"upsim/sim"
)

// batchWork is what a batch has to do: units of work, each a file with one seed.
type batchWork struct {
	files []scenarios.Found
	shard jsonl.Shard
	flags *reports.Flags
	upsim string
	// done are the units that an earlier process has left, in order.
	done func() (*jsonl.Unit, error)

	// Where next is: a file, the replication to be done next, and the next unit that is done.
	at, replication int
	file            *batchFile
	ahead           *jsonl.Unit
	contents        hash.Hash // of the files so far
}

// batchFile is a file that several units share; it is read and loaded once.
type batchFile struct {
	scenarios.Found
	input int // from 1

	read   sync.Once
	source *scenarios.Source
	load   sync.Once
	list   []*model.Scenario
	from   []scenarios.FileDigest
	err    error // of reading or loading
}

// batchJob is a unit of work, or a file of which no unit is this shard's.
type batchJob struct {
	file        *batchFile
	replication int
	first       bool // the file's first job
	mine        bool
	old         *jsonl.Unit // its rows, where they are there already
	passed      bool        // rows of later units are there, so that this one can have none
	err         error
}

// batchAnswer is what became of a job.
type batchAnswer struct {
	job    batchJob
	digest string // of the file
	text   *bytes.Buffer
	rows   []reports.Row
	// studies counts the scenarios with a study, which is not run.
	studies int
	err     error
}

// texts are the buffers of answers that have been taken: a row is as long as the one before. A large one is not kept.
var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const longestKept = 1 << 20

func newAnswer(j batchJob) *batchAnswer {
	return &batchAnswer{job: j, text: texts.Get().(*bytes.Buffer), err: j.err}
}

// taken gives back what the answer holds.
func (a *batchAnswer) taken() {
	if a.text.Cap() <= longestKept {
		a.text.Reset()
		texts.Put(a.text)
	}
	a.text = nil
}

// replications is how many seeds each scenario has.
func (b *batchWork) replications() int {
	if b.flags == nil {
		return 1
	}
	return int(max(1, b.flags.Seeds))
}

// units counts the units of the shard.
func (b *batchWork) units() (n int) {
	for _, f := range b.files {
		for k := range b.replications() {
			if b.shard.Owns(f.Path, k+1) {
				n++
			}
		}
	}
	return n
}

// next is the next job. A file of which the shard has no unit is a job too: its contents are compared when the parts are merged.
func (b *batchWork) next() (batchJob, bool) {
	for b.at < len(b.files) {
		if b.file == nil {
			b.file = &batchFile{Found: b.files[b.at], input: b.at + 1}
			b.replication = 0
		}
		f, first := b.file, b.replication == 0
		for b.replication < b.replications() {
			b.replication++
			if b.shard.Owns(f.Path, b.replication) {
				return b.mine(batchJob{file: f, replication: b.replication, first: first, mine: true}), true
			}
		}
		b.file = nil
		b.at++
		if first {
			return batchJob{file: f, first: true}, true
		}
	}
	if b.done != nil && b.ahead == nil {
		b.ahead, _ = b.done()
	}
	if b.ahead != nil {
		u := b.ahead
		b.ahead, b.done = nil, nil
		return batchJob{err: fmt.Errorf("it has a row of %s, which is not among the files now", u.Origin.File)}, true
	}
	return batchJob{}, false
}

// mine gives a job the rows that are there already.
func (b *batchWork) mine(j batchJob) batchJob {
	if b.done == nil {
		return j
	}
	if b.ahead == nil {
		u, err := b.done()
		if errors.Is(err, io.EOF) {
			b.done = nil
			return j
		}
		if err != nil {
			j.err = err
			return j
		}
		b.ahead = u
	}
	o := &b.ahead.Origin
	switch at := cmp.Or(cmp.Compare(o.Input, j.file.input), cmp.Compare(max(1, o.Replication), j.replication)); {
	case at == 0:
		j.old, b.ahead = b.ahead, nil
	case at > 0:
		j.passed = true
	default:
		j.err = fmt.Errorf("it has a row of %s where one of %s belongs", o.File, j.file.Path)
	}
	return j
}

// do does a job: it simulates, or compares what is there with the files as they are now.
func (b *batchWork) do(j batchJob) *batchAnswer {
	a := newAnswer(j)
	if a.err != nil {
		return a
	}
	f := j.file
	f.read.Do(func() { f.source, f.err = scenarios.ReadSource(f.Path) })
	if f.source != nil {
		a.digest = f.source.SHA256
	}
	switch {
	case !j.mine:
	case j.old != nil:
		a.err = b.compare(a)
	default:
		b.simulate(a)
		if j.passed && len(a.rows) > 0 {
			a.err = fmt.Errorf("%s has changed since", f.Path)
		}
	}
	return a
}

// compare reads rows that are there already, and finds what is different now.
func (b *batchWork) compare(a *batchAnswer) error {
	for _, l := range a.job.old.Lines {
		row, err := reports.ParseRow(l)
		if err != nil {
			return fmt.Errorf("a row of %s: %w", a.job.file.Path, err)
		}
		a.rows = append(a.rows, row)
		a.text.Write(l)
	}
	o := &a.job.old.Origin
	switch {
	case o.File != a.job.file.Path:
		return fmt.Errorf("it has a row of %s where one of %s belongs", o.File, a.job.file.Path)
	case o.Upsim != b.upsim:
		return fmt.Errorf("it is of version %s, and this is %s", o.Upsim, b.upsim)
	case o.Flags.String() != b.flags.String():
		return fmt.Errorf("it was made with the flags %q, and now they are %q", o.Flags, b.flags)
	case o.SHA256 != a.digest:
		return fmt.Errorf("%s has changed since", o.File)
	}
	for _, was := range o.ClusterFiles {
		if now, err := scenarios.DigestFile(was.File); err != nil || now.SHA256 != was.SHA256 {
			return fmt.Errorf("%s, on which %s is built, has changed since", was.File, o.File)
		}
	}
	return nil
}

// simulate gives a row for each scenario and strategy of the file, or one that says why there is none.
func (b *batchWork) simulate(a *batchAnswer) {
	f := a.job.file
	f.load.Do(func() {
		if f.err == nil {
			f.list, f.from, f.err = loadSource(f.source, f.Named)
		}
	})
	o := reports.Origin{Input: f.input, File: f.Path, SHA256: a.digest, Flags: b.flags, Upsim: b.upsim}
	if b.flags != nil && b.flags.Seeds > 0 {
		o.Replication = a.job.replication
	}
	for _, d := range f.from {
		o.ClusterFiles = append(o.ClusterFiles, reports.FileDigest(d))
	}
	if f.err != nil {
		if a.job.replication == 1 { // one bad file is one row
			a.fail(o, reports.Failure{ExitCode: exitCodeOf(f.err), Error: f.err.Error()})
		}
		return
	}
	for _, sc := range f.list {
		o.Document = sc.Document
		if sc.Study != nil && a.job.replication == 1 {
			a.studies++
		}
		seed := sc.Seed
		if b.flags != nil && b.flags.Seed != nil {
			seed = *b.flags.Seed
		}
		if seed += uint64(a.job.replication - 1); seed != sc.Seed {
			seeded := *sc // other workers read the file's own
			seeded.Seed, sc = seed, &seeded
		}
		for _, up := range sc.Upgrades() {
			b.upgrade(a, o, sc, up)
		}
	}
}

// loadSource loads a file's scenarios; kubectl output that was not named itself is none, and no fault.
func loadSource(s *scenarios.Source, named bool) (list []*model.Scenario, from []scenarios.FileDigest, err error) {
	defer func() {
		if p := recover(); p != nil {
			list, err = nil, internalFault{p}
		}
	}()
	switch s.Content() {
	case scenarios.ContentKubectl:
		if !named {
			return nil, nil, nil
		}
		return nil, nil, usagef("", "%s holds kubectl output, not a scenario", s.File)
	case scenarios.ContentPaste:
		return nil, nil, usagef("", "%s holds a table or a list of versions, not a scenario", s.File)
	}
	return s.Load()
}

// upgrade simulates one strategy of a scenario; whatever happens in there is a row and no more.
func (b *batchWork) upgrade(a *batchAnswer, o reports.Origin, sc *model.Scenario, up model.NamedUpgrade) {
	f := reports.Failure{Scenario: sc.Name, Strategy: up.Name, Seed: &sc.Seed}
	defer func() {
		if p := recover(); p != nil {
			f.ExitCode, f.Error = exitFault, internalFault{p}.Error()
			a.fail(o, f)
		}
	}()
	if sc.Seed > mostNumber {
		f.ExitCode, f.Error = exitUsage, fmt.Sprintf("the seed %d is greater than %d", sc.Seed, uint64(mostNumber))
		a.fail(o, f)
		return
	}
	world, err := sim.Compile(sc, up)
	if err != nil {
		f.ExitCode, f.Error = exitCodeOf(err), err.Error()
		a.fail(o, f)
		return
	}
	opts := sim.Options{Seed: sc.Seed}
	if b.flags != nil {
		opts.MaxEvents = b.flags.MaxEvents
	}
	r := world.RunLast(opts)
	if why, is := model.FirstOf(r.Reasons, model.CutOff); is {
		f.ExitCode, f.Error = exitCutOff, why.Message
		a.fail(o, f)
		return
	}
	before := a.text.Len()
	if err := reports.ResultRow(a.text, o, r); err != nil {
		a.text.Truncate(before)
		panic(err)
	}
	a.rows = append(a.rows, reports.RowOf(o, r))
}

func (a *batchAnswer) fail(o reports.Origin, f reports.Failure) {
	if err := reports.FailureRow(a.text, o, f); err != nil {
		panic(err) // it holds texts and numbers only
	}
	a.rows = append(a.rows, reports.FailureOf(o, f))
}

// internalFault is a panic that ends one row and not the batch.
type internalFault struct{ fault any }

func (f internalFault) Error() string { return fmt.Sprintf("internal fault: %v", f.fault) }

// add takes an answer into the digest of all contents.
func (b *batchWork) add(a *batchAnswer) {
	if !a.job.first || a.job.file == nil {
		return
	}
	if b.contents == nil {
		b.contents = sha256.New()
	}
	fmt.Fprintf(b.contents, "%s %s\n", a.digest, a.job.file.Path)
}

// sum is the digest of the contents of all files.
func (b *batchWork) sum() string { return fmt.Sprintf("%x", b.contents.Sum(nil)) }

// listSum is the digest of the files' paths.
func (b *batchWork) listSum() string {
	h := sha256.New()
	for _, f := range b.files {
		fmt.Fprintf(h, "%s\n", f.Path)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
