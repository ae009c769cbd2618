package scenarios

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"upsim/model"
)

// LabelVerdict is the label under metadata.labels in which a scenario of the
// library says what a run of it must find: safe, violated, stuck or aborted.
const LabelVerdict = "upsim/verdict"

// defaultName is the scenario that runs where none is named.
const defaultName = "default"

//go:embed library/*.yaml
var library embed.FS

// Entry is one embedded scenario file.
type Entry struct {
	// Name is the file's name without its ending, and metadata.name of the scenario in it. Where the
	// file has several documents, their names begin with it.
	Name string
	// Teaches is one sentence on what there is to learn: metadata.description of the first document.
	Teaches string
	// Verdict is the label LabelVerdict; of several documents the gravest, which a run's exit code follows.
	Verdict string
	// Data is the file, comments and all.
	Data []byte
}

// gravity ranks the verdicts; a word that is none ranks last.
var gravity = []string{"aborted", "stuck", "violated", "safe"}

// Load reads the scenarios of the entry anew: they are the caller's to change. The changes are as for LoadFrom.
func (e Entry) Load(changes ...model.Changes) ([]*model.Scenario, error) {
	return LoadFrom(e.Name+".yaml", bytes.NewReader(e.Data), ".", changes...)
}

// Library is every embedded scenario, the default one first and the others by name.
func Library() []Entry { return slices.Clone(entries()) }

var entries = sync.OnceValue(readLibrary)

// readLibrary reads the embedded files. A fault in one is a fault of this
// build, which the tests would have found: it panics.
func readLibrary() []Entry {
	files, err := library.ReadDir("library")
	if err != nil {
		panic(err)
	}
	var list []Entry
	for _, f := range files {
		data, err := library.ReadFile(path.Join("library", f.Name()))
		if err != nil {
			panic(err)
		}
		e := Entry{Name: strings.TrimSuffix(f.Name(), ".yaml"), Data: data}
		found, err := e.Load()
		if err != nil {
			panic(fmt.Sprintf("the embedded scenario %s: %v", f.Name(), err))
		}
		e.Teaches, e.Verdict = found[0].Description, found[0].Labels[LabelVerdict]
		for _, sc := range found[1:] {
			if v := sc.Labels[LabelVerdict]; slices.Index(gravity, v) < slices.Index(gravity, e.Verdict) {
				e.Verdict = v
			}
		}
		if e.Name == defaultName {
			list = slices.Insert(list, 0, e)
		} else {
			list = append(list, e)
		}
	}
	slices.SortFunc(list[1:], func(a, b Entry) int { return strings.Compare(a.Name, b.Name) }) // of files, "a-b.yaml" is before "a.yaml"
	return list
}

// Find looks an embedded scenario up by its name.
func Find(name string) (Entry, bool) {
	for _, e := range entries() {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// Default is the scenario that is simulated where the user names none.
func Default(changes ...model.Changes) *model.Scenario {
	e, _ := Find(defaultName)
	found, err := e.Load(changes...)
	if err != nil {
		panic(err) // readLibrary has read it already
	}
	return found[0]
}
