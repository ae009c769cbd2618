package main

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"upsim/model"
)

var (
	keyTable = regexp.MustCompile(`(?m)^\| key \| default \| meaning \|\n\|[-|]+\n((?:\|.*\n)+)`)
	keyRow   = regexp.MustCompile(`^\| ([^|]*) \| ([^|]*) \|`)
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// saidInWords are the keys of whose default README tells what it follows from, since the loader has no value for it.
var saidInWords = map[string]string{
	"cluster.workloads[].labels":              "`{app: NAME}`",
	"cluster.workloads[].requests":            "none",
	"cluster.workloads[].startup":             "the assumptions",
	"cluster.workloads[].shutdown":            "the assumptions",
	"upgrade.path":                            "minor by minor",
	"upgrade.start":                           "the first window's opening",
	"upgrade.whenClosed":                      "with windows `pause`",
	"upgrade.controlPlane.order":              "by number",
	"upgrade.controlPlane.kubeadm":            "each step's own version",
	"upgrade.controlPlane.apiserverDowntime":  "the assumption `apiserverRestart`",
	"upgrade.controlPlane.perNode":            "the assumption `nodeUpgrade`",
	"upgrade.controlPlane.kubeletEndpoint":    "by machine",
	"upgrade.nodes.maxLag":                    "as the skew policy",
	"upgrade.nodes.order":                     "pool, then name",
	"upgrade.nodes.drain.gracePeriod":         "the pods' own",
	"upgrade.nodes.stages[].soak":             "that of `upgrade.nodes`, `0s`",
	"upgrade.nodes.stages[].gate":             "none; of `canary` `{}`, but for its last stage",
	"upgrade.nodes.stages[].gate.errorBudget": "none",
}

// keysWith has, for keys that go with others only, one of these.
var keysWith = map[string]string{
	"upgrade.controlPlane.maxSurge":            "upgrade.controlPlane.replace=machines",
	"upgrade.controlPlane.waitForCatchUp":      "upgrade.controlPlane.replace=machines",
	"upgrade.controlPlane.keepEtcdVolume":      "upgrade.controlPlane.replace=machines",
	"upgrade.nodes.batch":                      "upgrade.nodes.strategy=blueGreen",
	"upgrade.nodes.batchSoak":                  "upgrade.nodes.strategy=blueGreen",
	"upgrade.nodes.poolSoak":                   "upgrade.nodes.strategy=blueGreen",
	"upgrade.nodes.stages[].onFailure":         "upgrade.nodes.stages[].name=all",
	"upgrade.nodes.stages[].gate.noRegression": "upgrade.nodes.stages[].gate.nodesReady=true",
}

// The defaults that README gives are the loader's: a scenario in which one is
// written out means the same as one in which it is left out. Every key that
// README names exists.
func TestReadmeDefaults(t *testing.T) {
	rows := 0
	inWords := maps.Clone(saidInWords)
	for _, table := range keyTable.FindAllStringSubmatch(readPage(t), -1) {
		for line := range strings.Lines(table[1]) {
			rows++
			row := keyRow.FindStringSubmatch(line)
			if row == nil {
				t.Errorf("README has a row that is none: %s", line)
				continue
			}
			keys, values := keysOf(row[1]), []string{row[2]}
			if len(keys) > 1 && strings.Count(row[2], "; ") == len(keys)-1 {
				values = strings.Split(row[2], "; ")
			}
			for i, key := range keys {
				if !keyExists(key) {
					t.Errorf("README names the key %s, which the loader does not know", key)
				}
				value := values[min(i, len(values)-1)]
				switch {
				case value == "required" || value == "–":
				case value == inWords[key]:
					delete(inWords, key)
				case !strings.HasPrefix(value, "`"):
					t.Errorf("README gives the default of %s as %q, which is neither a value in backticks nor one of saidInWords", key, value)
				default:
					checkDefault(t, key, quoted.FindStringSubmatch(value)[1])
				}
			}
		}
	}
	if rows < 100 || len(inWords) > 0 {
		t.Errorf("README has %d rows of keys, and none for %v", rows, inWords)
	}
}

// keysOf are the keys that a cell names, of which the later ones stand beside the first.
func keysOf(cell string) (keys []string) {
	for _, name := range quoted.FindAllStringSubmatch(cell, -1) {
		key := strings.Replace(name[1], "…", "upgrade.nodes.stages[].", 1)
		if len(keys) > 0 {
			key = keys[0][:strings.LastIndexByte(keys[0], '.')+1] + key
		}
		keys = append(keys, key)
	}
	return keys
}

// keyExists reports whether the loader knows the key, whatever it says of its value.
func keyExists(key string) bool {
	_, faults := decodeWith(strings.TrimSuffix(key, "[]") + "={}")
	for _, f := range faults {
		if strings.Contains(f.Message, "unknown key") {
			return false
		}
	}
	return true
}

func checkDefault(t *testing.T, key, value string) {
	t.Helper()
	plain, faults := decodeWith(keysWith[key])
	if len(faults) > 0 {
		t.Fatalf("%s: %v", key, faults)
	}
	got, faults := decodeWith(keysWith[key], key+"="+value)
	if len(faults) > 0 {
		t.Errorf("%s: %s: %v", key, value, faults)
	} else if !reflect.DeepEqual(got, plain) {
		t.Errorf("README says that %s is %s where it is not given; the loader has another default (-README +loader):\n%s", key, value, cmp.Diff(got, plain))
	}
}

// decodeWith decodes a small scenario in which keys have values: each a dotted path, = and what is written in YAML.
func decodeWith(keys ...string) ([]*model.Scenario, model.Diagnostics) {
	doc := map[string]any{
		"apiVersion": "upsim/v1", "kind": "Scenario", "metadata": map[string]any{"name": "a"},
		"cluster": map[string]any{
			"version":   "v1.33.4",
			"nodes":     []any{map[string]any{"name": "n1"}},
			"workloads": []any{map[string]any{"name": "web"}},
		},
		"upgrade": map[string]any{"to": "v1.34.2"},
	}
	for _, key := range keys {
		path, value, given := strings.Cut(key, "=")
		if !given {
			continue
		}
		if strings.Contains(path, "stages[]") && doc["upgrade"].(map[string]any)["nodes"] == nil {
			doc["upgrade"].(map[string]any)["nodes"] = map[string]any{"strategy": "custom", "stages": []any{map[string]any{"name": "all"}}}
		}
		set(doc, path, value)
	}
	data, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return model.Decode("readme", written.ReplaceAll(data, []byte("$1")), nil)
}

// written is what set puts in, which becomes YAML as it stands.
var written = regexp.MustCompile(`"@@([^"@]*)@@"`)

// set puts a value at a dotted path of a document.
func set(at map[string]any, path, value string) {
	keys := strings.Split(path, ".")
	for _, key := range keys[:len(keys)-1] {
		if list, ok := strings.CutSuffix(key, "[]"); ok {
			at = at[list].([]any)[0].(map[string]any)
			continue
		}
		if at[key] == nil {
			at[key] = map[string]any{}
		}
		at = at[key].(map[string]any)
	}
	at[keys[len(keys)-1]] = "@@" + value + "@@"
}

// Every number that a sensitivity can name is explained in README.
func TestReadmeExplainsEveryAssumption(t *testing.T) {
	page := readPage(t)
	for _, n := range new(model.Assumptions).Numbers() {
		switch n.Name {
		case "kubectlBurst", "controllerQPS", "controllerBurst": // in the row of kubectlQPS
			if !strings.Contains(page, "`"+n.Name+"`") {
				t.Errorf("README does not name %s", n.Name)
			}
		default:
			if !strings.Contains(page, "| `assumptions."+n.Name+"`") {
				t.Errorf("README has no row for assumptions.%s", n.Name)
			}
		}
	}
}
