package main

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"upsim/model"
)

var keyRow = regexp.MustCompile("(?m)^\\| `([A-Za-z.\\[\\]]+)`[^|]* \\| ([^|]*) \\|")

// The defaults that README gives are the loader's: a scenario in which one is
// written out means the same as one in which it is left out. Every key that
// README names exists.
func TestReadmeDefaults(t *testing.T) {
	plain := decodeWith(t, "", nil)
	rows := keyRow.FindAllStringSubmatch(readPage(t), -1)
	checked := 0
	for _, row := range rows {
		key, value := row[1], row[2]
		if key == "metadata.name" || key == "cluster.version" || key == "upgrade.to" || !strings.HasPrefix(value, "`") {
			continue
		}
		value = strings.Trim(strings.Split(value, ";")[0], "` ")
		if strings.ContainsAny(value, "{N") { // written as in YAML, not as a plain value
			continue
		}
		checked++
		if got := decodeWith(t, key, value); !reflect.DeepEqual(got, plain) {
			t.Errorf("README says that %s is %s where it is not given; the loader has another default:\n%+v\n%+v", key, value, got, plain)
		}
	}
	if checked < 20 {
		t.Errorf("README gives only %d defaults in %d rows of keys", checked, len(rows))
	}
}

// decodeWith decodes a small scenario in which the key at a dotted path has the value.
func decodeWith(t *testing.T, path string, value any) model.Scenario {
	t.Helper()
	doc := map[string]any{
		"apiVersion": "upsim/v1", "kind": "Scenario", "metadata": map[string]any{"name": "a"},
		"cluster": map[string]any{
			"version":   "v1.33.4",
			"nodes":     []any{map[string]any{"name": "n1"}},
			"workloads": []any{map[string]any{"name": "web"}},
		},
		"upgrade": map[string]any{"to": "v1.34.2"},
	}
	if path != "" {
		at := doc
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
		at[keys[len(keys)-1]] = plainValue(value.(string))
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	found, faults := model.Decode("readme", data, nil)
	if len(faults) > 0 {
		t.Fatalf("%s: %s: %v", path, value, faults)
	}
	return *found[0]
}

// plainValue reads a number or a truth value as YAML would, and anything else as text.
func plainValue(s string) any {
	var v any
	if json.Unmarshal([]byte(s), &v) == nil {
		return v
	}
	return s
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
