package bench

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"upsim/model"
	"upsim/scenarios"
)

// Recording is one upgrade as a real control plane did it, and the scenario
// that describes it.
type Recording struct {
	Name     string
	Scenario *model.Scenario
	Record   Record
}

// Record is what was recorded. The events and the pods at the start, which
// are in the files too, play no part in the comparison.
type Record struct {
	// Exact: neither placement nor the order of requests can change the outcome.
	Exact   bool    `json:"exact"`
	Summary Summary `json:"summary"`
}

// Summary holds the recorded figures; times are in seconds since the upgrade began.
type Summary struct {
	MakespanSeconds  float64                     `json:"makespanSeconds"`
	Workloads        map[string]RecordedWorkload `json:"workloads"`
	Drains           map[string]RecordedDrain    `json:"drains"`
	Evictions        int64                       `json:"evictions"`
	EvictionsRefused int64                       `json:"evictionsRefused429"`
	EvictionErrors   int64                       `json:"evictionsOther"`
	FinalVersions    map[string]int              `json:"finalVersions"`
	FinalPending     int                         `json:"finalPending"`
}

// RecordedWorkload is what happened to one workload. Ready means Ready and not terminating.
type RecordedWorkload struct {
	MinReady     int     `json:"minReady"`
	SecondsBelow float64 `json:"secondsBelow"`
	SecondsZero  float64 `json:"secondsZero"`
	Evictions    int64   `json:"evictions"`
}

// RecordedDrain is one call of kubectl drain: how long it took, and its exit code.
type RecordedDrain struct {
	Seconds float64 `json:"seconds"`
	Code    int     `json:"rc"`
}

// Recordings lists the folders of recordings below dir in the order of their names: those that
// hold a scenario.yaml.
func Recordings(dir string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*", "scenario.yaml"))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no recording below %s: %w", dir, fs.ErrNotExist)
	}
	for i, f := range found {
		found[i] = filepath.Dir(f)
	}
	return found, nil
}

// LoadRecording reads scenario.yaml and recorded.json.gz of a folder. An error
// of the scenario comes back as scenarios.Load gives it.
func LoadRecording(dir string) (*Recording, error) {
	r := &Recording{Name: filepath.Base(dir)}
	list, err := scenarios.Load(filepath.Join(dir, "scenario.yaml"))
	if err != nil {
		return nil, err
	}
	if len(list) != 1 || len(list[0].Strategies) != 0 {
		return nil, fmt.Errorf("%s: a recording is of one scenario with one strategy", dir)
	}
	r.Scenario = list[0]
	r.Record, err = readRecord(filepath.Join(dir, "recorded.json.gz"))
	return r, err
}

func readRecord(path string) (Record, error) {
	var rec Record
	f, err := os.Open(path)
	if err != nil {
		return rec, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return rec, fmt.Errorf("%s: %w", path, err)
	}
	if err := json.NewDecoder(z).Decode(&rec); err != nil {
		return rec, fmt.Errorf("%s: %w", path, err)
	}
	return rec, nil
}

// tie tells whether a race decides the outcome: in recordings whose name ends
// in -tie5 the pods start in exactly kubectl's retry interval.
func (r *Recording) tie() bool { return strings.HasSuffix(r.Name, "-tie5") }
