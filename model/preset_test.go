package model

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var settingKey = regexp.MustCompile(`^(nodes|controlPlane)(\.[a-zA-Z]+){1,2}$`)

// Each setting says where it is from, and none stands twice.
func TestPresetsAreComplete(t *testing.T) {
	names := map[string]bool{}
	for i := range presets {
		p := &presets[i]
		if names[p.Name] {
			t.Errorf("%s: there are two of that name", p.Name)
		}
		names[p.Name] = true
		if !strings.HasSuffix(p.About, ".") || len(p.About) > 140 {
			t.Errorf("%s: the sentence about it is %q", p.Name, p.About)
		}
		if p.System && len(p.Docs) == 0 {
			t.Errorf("%s: no document is named", p.Name)
		}
		keys := map[string]bool{}
		for _, s := range p.Settings {
			if !settingKey.MatchString(s.Key) || keys[s.Key] || s.Source == "" || s.Value == "" {
				t.Errorf("%s: the setting %+v is not complete, or stands twice", p.Name, s)
			}
			keys[s.Key] = true
			for _, word := range strings.Split(s.Key, ".")[1:] {
				if !slices.Contains(keyOrder, word) {
					t.Errorf("%s has no place among the keys that are shown", word)
				}
			}
		}
		for _, key := range []string{"nodes.replace", "nodes.drain.timeout", "nodes.drain.onFailure", "nodes.hops", "nodes.nodeOrder"} {
			if p.System && !keys[key] && !(key == "nodes.drain.timeout" && (strings.Contains(p.About, "for ever") || strings.Contains(p.About, "as long as it takes"))) {
				t.Errorf("%s: no word on %s", p.Name, key)
			}
		}
	}
}

// pasted is the text of a preset's keys, as a person would write them, with the strategy's word.
func pasted(p *Preset, strategy string) string {
	at := &node{}
	var write func(n *node) string
	write = func(n *node) string {
		var parts []string
		switch n.kind {
		case mappingNode:
			for i, k := range n.keys {
				parts = append(parts, k.value+": "+write(n.items[i]))
			}
			return "{" + strings.Join(parts, ", ") + "}"
		case sequenceNode:
			for _, item := range n.items {
				parts = append(parts, write(item))
			}
			return "[" + strings.Join(parts, ", ") + "]"
		}
		return n.value
	}
	nodes := p.block("nodes", at)
	nodes = nodes.with(&node{value: "strategy"}, &node{value: strategy})
	text := "nodes: " + write(nodes)
	if cp := p.block("controlPlane", at); cp != nil {
		text += ", controlPlane: " + write(cp)
	}
	return text
}

// A preset's name means the same as its keys written out: for a control plane of
// one's own and for a managed one, and as an entry of strategies over whatever the upgrade says.
func TestPresetsMeanTheirKeys(t *testing.T) {
	for _, p := range Presets() {
		if !p.System {
			if p.Name != StrategyCustom {
				plain := decodeOne(t, inScenario("upgrade: {to: 1.34.2, nodes: {strategy: "+p.Name+"}}\n"), nil)
				written := decodeOne(t, inScenario("upgrade: {to: 1.34.2, "+pasted(p, p.Name)+"}\n"), nil)
				same(t, p.Name, written.Upgrade.Nodes.Expand(&written.Cluster), plain.Upgrade.Nodes.Expand(&plain.Cluster))
				written.Upgrade.Nodes.Stages = plain.Upgrade.Nodes.Stages
				same(t, p.Name, written.Upgrade, plain.Upgrade)
			}
			continue
		}
		want := decodeOne(t, inScenario("upgrade: {to: 1.34.2, "+pasted(p, StrategyRolling)+"}\n"), nil).Upgrade
		want.Nodes.Strategy = p.Name
		for name, text := range map[string]string{
			"alone":              "upgrade: {to: 1.34.2, nodes: {strategy: " + p.Name + "}}\n",
			"over other keys":    "upgrade: {to: 1.34.2, nodes: {maxUnavailable: 4, soak: 3m, drain: {force: true, retry: 7s}}}\nstrategies: [{name: a, strategy: " + p.Name + "}]\n",
			"over a canary":      "upgrade: {to: 1.34.2, nodes: {strategy: canary, stages: [{nodes: {count: 2}}]}}\nstrategies: [{name: a, nodes: {strategy: " + p.Name + "}}]\n",
			"over another one":   "upgrade: {to: 1.34.2, nodes: {strategy: kubeadm, maxUnavailable: 3}}\nstrategies: [{name: a, strategy: " + p.Name + "}]\n",
			"with a value equal": "upgrade: {to: 1.34.2, nodes: {strategy: " + p.Name + ", replace: " + string(want.Nodes.Replace) + "}}\n",
		} {
			if p.Name == "kubeadm" && name == "over another one" {
				continue
			}
			same(t, p.Name+" "+name, decodeOne(t, inScenario(text), nil).Upgrades()[0].Upgrade, want)
		}
		managed := decodeOne(t, inScenario("cluster: {version: 1.33.4, controlPlane: {managed: true}}\nupgrade: {to: 1.34.2, nodes: {strategy: "+p.Name+"}}\n"), nil).Upgrade
		same(t, p.Name+" of a managed control plane", managed.Nodes, want.Nodes)
	}
}

// From a preset to another strategy nothing of the preset stays.
func TestStrategiesLeavePreset(t *testing.T) {
	sc := decodeOne(t, inScenario("upgrade: {to: 1.34.2, nodes: {strategy: kubeadm, maxUnavailable: 3, order: [general-2], limit: 2, drain: {retry: 7s}}}\nstrategies: [{name: a, strategy: rolling}, {name: b, maxUnavailable: 2}]\n"), nil)
	want := DefaultNodeUpgrade()
	want.Order, want.Limit = []string{"general-2"}, 2
	same(t, "to rolling", sc.Strategies[0].Upgrade.Nodes, want)
	if n := sc.Strategies[1].Upgrade.Nodes; n.Strategy != "kubeadm" || n.MaxUnavailable.IntVal != 2 || n.Drain.Retry.Seconds() != 7 || n.Drain.DeleteEmptyDirData {
		t.Errorf("an entry without a strategy is no longer kubeadm's with its own keys: %+v", n)
	}
}

func TestFindPreset(t *testing.T) {
	for _, p := range Presets() {
		if found, ok := FindPreset(p.Name); !ok || found != p {
			t.Errorf("%s is not found", p.Name)
		}
	}
	if _, ok := FindPreset("none"); ok {
		t.Error("there is a strategy none")
	}
}

// Every key of a preset can be overridden: what the preset says beside it never contradicts the file's own word, and
// that word holds. A fault would stand at the name of the strategy, where the preset's keys are taken to be.
func TestPresetsCanBeOverridden(t *testing.T) {
	overrides := []string{
		"maxUnavailable: 2", "maxUnavailable: 30%", "maxSurge: 3", "maxSurge: 0, maxUnavailable: 2", "maxSurge: 40%, surgePerZone: true", "atMost: 5",
		"replace: inPlace", "replace: inPlace, maxUnavailable: 3", "replace: surge", "replace: terminateFirst", "replace: reimage", "replace: detachSurge", "replace: blueGreen",
		"replace: blueGreen, batch: 3", "replace: surge, cordon: ownFirst", "batch: 3, batchSoak: 1m, poolSoak: 2h",
		"slots: barrier", "slots: window", "cordon: own", "cordon: all", "nodeOrder: random", "nodeOrder: name", "pools: together", "pools: parallel, percentOf: stage", "pools: sequential, percentOf: stage",
		"percentOf: workers", "taint: none", "taint: NoSchedule", "firstAlone: false", "firstAlone: true", "soakPerNode: 10s", "soak: 1m", "hops: each", "hops: final",
		"provisionTimeout: 30m", "nodeGate: {nodesReady: true, workloadsAvailable: true, timeout: 5m}", "limit: 2", "order: [general-2]", "lag: [general]",
		"drain: {timeout: 0s}", "drain: {timeout: 5m}", "drain: {retry: 1s}", "drain: {retry: 1s, retryMax: 8s}", "drain: {force: false}", "drain: {deleteEmptyDirData: false}",
		"drain: {ignoreDaemonSets: false}", "drain: {disableEviction: true}", "drain: {evict: parallel}", "drain: {evict: groups}", "drain: {gracePeriod: 10}",
		"drain: {maxGracePeriod: 1m}", "drain: {attempts: 1}", "drain: {onAPIOutage: wait}", "drain: {postDrainDelay: 3s}", "drain: {timeout: 5m, attempts: 2, attemptDelay: 5s, onFailure: fail}",
		"drain: {timeout: 5m, onFailure: wait}", "drain: {timeout: 0s, onFailure: wait}", "drain: {disableEviction: true, timeout: 0s, onFailure: wait}",
	}
	for _, reaction := range []string{"fail", "uncordonAndFail", "failStage", "skip", "uncordonAndContinue", "uncordonAndRetry", "forceDelete", "deleteNode", "wait"} {
		overrides = append(overrides, "drain: {onFailure: "+reaction+"}", "drain: {timeout: 7m, onFailure: "+reaction+"}")
	}
	checked := 0
	for _, p := range Presets() {
		if !p.System {
			continue
		}
		for _, o := range overrides {
			file := inNodes("strategy: " + p.Name + ", " + o)
			_, faults := Decode("f.yaml", []byte(file), nil)
			for _, f := range faults {
				if f.Line == 7 && f.Col == 21 {
					t.Errorf("%s with %s: %s", p.Name, o, f.Message)
				}
			}
			if len(faults) > 0 {
				continue
			}
			got := decodeOne(t, file, nil).Upgrade.Nodes
			for _, base := range []string{"", "replace: surge, ", "replace: blueGreen, "} {
				with, faults := Decode("f.yaml", []byte(inNodes(base+o)), nil)
				if len(faults) > 0 || strings.Contains(o, "replace:") {
					continue
				}
				// What the override changes in a strategy without a system has the same value here.
				plain := decodeOne(t, inNodes(base+"percentOf: workers"), nil).Upgrade.Nodes
				sameWhereChanged(t, p.Name+" with "+o, plain, with[0].Upgrade.Nodes, got)
				sameWhereChanged(t, p.Name+" with "+o, plain.Drain, with[0].Upgrade.Nodes.Drain, got.Drain)
				break
			}
			checked++
		}
	}
	if checked < 800 {
		t.Errorf("only %d overrides were accepted", checked)
	}
}

// sameWhereChanged compares the fields of got with those of changed in which that differs from plain.
func sameWhereChanged(t *testing.T, what string, plain, changed, got any) {
	t.Helper()
	a, b, c := reflect.ValueOf(plain), reflect.ValueOf(changed), reflect.ValueOf(got)
	for _, f := range reflect.VisibleFields(a.Type()) {
		name := f.Name
		if f.Anonymous || name == "Drain" || reflect.DeepEqual(a.FieldByName(name).Interface(), b.FieldByName(name).Interface()) {
			continue
		}
		if want, has := b.FieldByName(name).Interface(), c.FieldByName(name).Interface(); !reflect.DeepEqual(want, has) {
			t.Errorf("%s: %s is %+v, want %+v", what, name, has, want)
		}
	}
}

// A system's control plane gives way to what the file says of its own, and to what it is.
func TestPresetsOfAControlPlane(t *testing.T) {
	for _, c := range []struct {
		strategy, etcd, own string
		want                func(*ControlPlaneUpgrade)
	}{
		{"cluster-api", "stacked", "", func(u *ControlPlaneUpgrade) { u.Replace, u.MaxSurge = ReplaceMachines, 1 }},
		{"cluster-api", "stacked", "controlPlane: {maxSurge: 0}, ", func(u *ControlPlaneUpgrade) { u.Replace, u.MaxSurge = ReplaceMachines, 0 }},
		{"cluster-api", "stacked", "controlPlane: {replace: inPlace}, ", func(u *ControlPlaneUpgrade) {}},
		{"cluster-api", "stacked", "controlPlane: skip, ", func(u *ControlPlaneUpgrade) { *u = ControlPlaneUpgrade{Skip: true} }},
		{"kops", "stacked", "", func(u *ControlPlaneUpgrade) { u.Replace, u.MaxSurge, u.KeepEtcdVolume = ReplaceMachines, 0, true }},
		{"kops", "external", "", func(u *ControlPlaneUpgrade) { u.Replace, u.MaxSurge = ReplaceMachines, 0 }},
		{"openshift", "stacked", "", func(u *ControlPlaneUpgrade) { u.Workers = WorkersBeside }},
		{"openshift", "stacked", "controlPlane: {replace: inPlace}, ", func(u *ControlPlaneUpgrade) { u.Workers = WorkersBeside }},
		{"openshift", "stacked", "controlPlane: {backup: false}, ", func(u *ControlPlaneUpgrade) { u.Workers, u.Backup = WorkersBeside, false }},
		{"openshift", "stacked", "controlPlane: {kubelets: with}, ", func(u *ControlPlaneUpgrade) { u.Kubelets = KubeletsWith }},
		{"eks", "stacked", "", func(u *ControlPlaneUpgrade) {}},
	} {
		sc := decodeOne(t, inScenario("cluster: {version: 1.33.4, controlPlane: {etcd: "+c.etcd+"}}\nupgrade: {to: 1.34.2, "+c.own+"nodes: {strategy: "+c.strategy+"}}\n"), nil)
		want := DefaultControlPlaneUpgrade(false)
		c.want(&want)
		same(t, c.strategy+" with "+c.own+c.etcd, sc.Upgrade.ControlPlane, want)
	}
}
