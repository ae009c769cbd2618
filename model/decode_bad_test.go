package model

import (
	"fmt"
	"strings"
	"testing"
)

// inScenario puts the lines into a scenario that is otherwise fine. Each part
// begins with its key in the first column.
func inScenario(parts string) string {
	out := "apiVersion: upsim/v1\nkind: Scenario\n"
	for _, part := range []struct{ key, otherwise string }{
		{"metadata:", "metadata: {name: s}\n"},
		{"cluster:", "cluster: {version: v1.33.4, nodePools: [{name: general, count: 3}]}\n"},
		{"upgrade:", "upgrade: {to: v1.34.2}\n"},
	} {
		if !strings.Contains("\n"+parts, "\n"+part.key) {
			out += part.otherwise
		}
	}
	return out + parts
}

// inWorkload is a scenario whose workload has these keys, in flow form.
func inWorkload(keys string) string {
	return inScenario("cluster:\n  version: v1.33.4\n  nodePools: [{name: general, count: 3}]\n  workloads:\n  - {name: web, " + keys + "}\n")
}

// inWindow is a scenario whose one window has these keys.
func inWindow(keys string) string {
	return inScenario("upgrade: {to: 1.34.2, maintenanceWindows: [{" + keys + "}]}\n")
}

func inNodes(keys string) string {
	return inScenario("upgrade:\n  to: v1.34.2\n  nodes: {" + keys + "}\n")
}

// marked takes the marks « out of a text; before each stands a fault.
func marked(text string) (plain string, places []string) {
	for i, line := range strings.Split(text, "\n") {
		for {
			before, after, found := strings.Cut(line, "«")
			if !found {
				break
			}
			places = append(places, fmt.Sprintf("%d:%d", i+1, len([]rune(before))+1))
			line = before + after
		}
		plain += line + "\n"
	}
	return strings.TrimSuffix(plain, "\n"), places
}

// Each case is a file with the places of its faults marked, and what the messages say, in order.
var badFiles = []struct {
	name, file string
	want       []string
}{
	// The file itself.
	{"empty", "«", []string{"no scenario in this file"}},
	{"only comments", "«# nothing\n# here\n", []string{"no scenario in this file"}},
	{"only separators", "«---\n---\n", []string{"no scenario in this file"}},
	{"not YAML", "a: b\n«c: d: e\n", []string{"mapping values are not allowed"}},
	{"tab", "a:\n«\tb: c\n", []string{"tabs"}},
	{"unclosed", "a: [1, 2\n«", []string{"did not find expected ',' or ']'"}},
	{"unclosed, further down", "x: 1\ny: 2\n«a: [1, 2\nb: 3\n", []string{"did not find expected ',' or ']'"}},
	{"wrong indentation", "x:\n  a: 1\n «b: 2\n", []string{"did not find expected key"}},
	{"list at the top", "«- a\n", []string{"this is a list"}},
	{"word at the top", "«hello\n", []string{`this is "hello"`}},
	{"unknown anchor", "a: «*x\n", []string{"unknown anchor 'x' referenced: an alias"}},
	{"control character", "a: b\nc: \"«\x07\"\n", []string{"does not allow the control character U+0007"}},
	{"alias inside of itself", "a: &x [«*x]\n", []string{"stands inside of the value"}},
	{"custom tag", inScenario("metadata: {name: s, description: «!secret x}\n"), []string{"tag \"!secret\" is not known"}},
	{"complex key", inScenario("? «[a]\n: b\n"), []string{"a key must be a word"}},
	{"merge of text", inScenario("objectives: {<<: «x, window: 1h}\n"), []string{"<< must name a mapping"}},

	// Kind and version.
	{"wrong kind", "apiVersion: upsim/v1\nkind: «Deployment\n", []string{"kind: must be Scenario, not \"Deployment\""}},
	{"kubectl output", "apiVersion: «v1\nkind: «List\nitems: []\n", []string{"apiVersion: must be upsim/v1, not \"v1\"; kubectl output goes under", "kind: must be Scenario"}},
	{"later version", "apiVersion: «upsim/v2\nkind: Scenario\n", []string{"must be upsim/v1, not \"upsim/v2\""}},
	{"nothing but kind", "«kind: Scenario\n", []string{`no "apiVersion"`, `no "cluster"`, `no "metadata"`, `no "upgrade"`}},
	{"second document", inScenario("") + ("seed: 1\n---\n«kind: Scenario\napiVersion: upsim/v1\nmetadata: {name: b}\nupgrade: {to: 1.34.2}\n"), []string{`no "cluster"`}},

	// Keys.
	{"unknown key", inScenario("«objectivs: {}\n"), []string{`unknown key "objectivs" in a scenario; did you mean "objectives"?`}},
	{"unknown key, none near", inScenario("«zebra: 1\n"), []string{`unknown key "zebra" in a scenario; known here: apiVersion, kind,`}},
	{"unknown key of a workload", inWorkload("«replica: 3"), []string{`unknown key "replica" in workloads[0]; did you mean "replicas"?`}},
	{"wrong case", inWorkload("«Replicas: 3"), []string{`did you mean "replicas"?`}},
	{"duplicate key", inWorkload("replicas: 3, «replicas: 4"), []string{`duplicate key "replicas"; it stands on line 9 already`}},
	{"null", inScenario("objectives:\n  «window:\n"), []string{"window has no value"}},
	{"null in a list", inWorkload("replicas: 2, placement: [general-1, «null]"), []string{"placement[1]: has no value"}},
	{"mapping for a word", inWorkload("kind: «{a: b}"), []string{"kind: must be Deployment,"}},
	{"word for a mapping", inScenario("cluster: «prod\n"), []string{`cluster: must have keys with values, not "prod"`}},
	{"mapping for a list", inScenario("cluster:\n  version: 1.33.4\n  nodes: «{a: b}\n"), []string{"nodes: must be a list, not a mapping"}},
	{"name is a number", inScenario("metadata: {name: «123}\n"), []string{`put it in quotes: "123"`}},
	{"name is a truth value", inScenario("metadata: {name: «true}\n"), []string{`put it in quotes: "true"`}},

	// Names.
	{"name with a capital", inScenario("metadata: {name: «Shop}\n"), []string{`"Shop" is not a valid name: a lowercase RFC 1123 subdomain`}},
	{"name with a control character", inScenario("metadata: {name: «\"a\\x1bb\"}\n"), []string{`"a\x1bb" is not a valid name`}},
	{"description with a control character", inScenario("metadata: {name: a, description: «\"a\\x1bb\"}\n"), []string{"control characters"}},
	{"empty name", inScenario("metadata: {name: «''}\n"), []string{"not a valid name"}},
	{"namespace with a dot", inWorkload("namespace: «a.b"), []string{"not a valid name"}},
	{"label value", inWorkload("labels: {app: «'a b'}"), []string{"not a valid label value"}},
	{"label key", inWorkload("labels: {«'a b': c}"), []string{"not a valid label"}},
	{"label is a number", inWorkload("labels: {app: «1}"), []string{`put it in quotes: "1"`}},

	// Numbers.
	{"huge", inWorkload("replicas: «2000000000"), []string{"replicas: must be from 0 to 5000000, not 2000000000"}},
	{"beyond integers", inWorkload("replicas: «99999999999999999999999"), []string{"must be from 0 to 5000000, not 99999999999999999999999"}},
	{"negative", inWorkload("replicas: «-1"), []string{"must be from 0 to 5000000, not -1"}},
	{"fraction", inWorkload("replicas: «1.5"), []string{"must be a whole number, not \"1.5\""}},
	{"text", inWorkload("replicas: «'3'"), []string{"must be a whole number"}},
	{"octal", inWorkload("replicas: «0o17"), []string{"plain decimal"}},
	{"count zero", inWorkload("count: «0"), []string{"must be from 1 to"}},
	{"seed", inScenario("seed: «-1\n"), []string{"seed: must be from 0 to"}},
	{"truth value", inWorkload("neverReady: «yes"), []string{`must be true or false, not "yes"`}},
	{"quoted truth value", inWorkload("neverReady: «'true'"), []string{"must be true or false"}},
	{"product too big", inScenario("cluster:\n  version: 1.33.4\n  workloads:\n  - {name: a, count: 10}\n  - {name: «b, count: 100000, replicas: 100}\n"),
		[]string{"makes 10000010 pods in the cluster"}},
	{"too many nodes", inScenario("cluster:\n  version: 1.33.4\n  nodePools:\n  - {name: a, count: 150000}\n  - {name: «b, count: 150000}\n"),
		[]string{"makes 300003 nodes in the cluster; at most 200000"}},
	{"daemons on many nodes", inScenario("cluster:\n  version: 1.33.4\n  nodePools: [{name: a, count: 100000}]\n  workloads: [{name: «b, kind: DaemonSet, count: 100}]\n"),
		[]string{"makes 10000300 pods"}},
	{"more quota than nodes", inScenario("cluster: {version: 1.33.4, nodePools: [{name: a, count: 5, maxNodes: «4}]}\n"), []string{"is 4, less than count"}},

	// Int-or-percent.
	{"over 100 %", inNodes("maxUnavailable: «101%"), []string{"must be at most 100%, not 101%"}},
	{"far over 100 %", inNodes("maxUnavailable: «99999999999999999999%"), []string{"must be at most 100%"}},
	{"negative percentage", inNodes("maxUnavailable: «-5%"), []string{"whole number or a percentage"}},
	{"fraction of percent", inNodes("maxUnavailable: «2.5%"), []string{"whole number or a percentage"}},
	{"quoted number", inNodes("maxUnavailable: «'3'"), []string{"whole number or a percentage"}},
	{"zero at once", inNodes("maxUnavailable: «0"), []string{"no node could ever be upgraded"}},

	// Times.
	{"bare number", inWorkload("startup: «20"), []string{"startup: 20 has no unit; write 20s for seconds"}},
	{"bare fraction", inWorkload("startup: «2.5"), []string{"2.5 has no unit; write 2.5s"}},
	{"words", inWorkload("startup: «two minutes"), []string{"is not a duration; write it like 90s"}},
	{"days", inScenario("objectives: {window: «2d}\n"), []string{"write days in hours: 48h"}},
	{"negative time", inWorkload("startup: «-5s"), []string{"must not be negative"}},
	{"too long", inWorkload("startup: «100000h"), []string{"at most ten years"}},
	{"overflow", inWorkload("startup: «99999999999h"), []string{"is not a duration"}},
	{"unit for seconds", inWorkload("terminationGracePeriodSeconds: «30s"), []string{"write 30"}},
	{"grace huge", inWorkload("terminationGracePeriodSeconds: «9999999999"), []string{"must be from 0 to"}},
	{"a pause that ends below its beginning", inNodes("drain: {retry: 6s, retryMax: «5s}"), []string{"retryMax: the pause after a refused eviction begins at retry (6s) and cannot end below it, at retryMax (5s)"}},
	{"a pause that begins above its end", inNodes("strategy: canary, drain: {retryMax: 10s}, stages: [{nodes: {count: 1}, drain: {retry: «20s}}]"), []string{"begins at retry (20s) and cannot end below it, at retryMax (10s)"}},
	{"retry of nothing", inNodes("drain: {retry: «0s}"), []string{"at least 1ms"}},
	{"p99 below p50", inWorkload("startup: «{p50: 20s, p99: 10s}"), []string{"p50 (20s) is greater than p99 (10s)"}},
	{"p50 zero", inWorkload("startup: «{p50: 0s, p99: 10s}"), []string{"p50 must be above 0s"}},
	{"half a lognormal", inWorkload("startup: «{p50: 20s}"), []string{`startup has no "p99"`}},
	{"no dist", inWorkload("startup: «{min: 1s, max: 2s}"), []string{"say which distribution it is"}},
	{"unknown dist", inWorkload("startup: {dist: «lognormle, p50: 1s, p99: 2s}"), []string{`did you mean "lognormal"?`}},
	{"min above max", inWorkload("startup: «{dist: uniform, min: 3s, max: 2s}"), []string{"min (3s) is greater than max (2s)"}},
	{"mode above max", inWorkload("startup: «{dist: triangular, min: 1s, mode: 3s, max: 2s}"), []string{"mode (3s) is greater than max (2s)"}},
	{"mode below min", inWorkload("startup: «{dist: triangular, min: 2s, mode: 1s, max: 3s}"), []string{"min (2s) is greater than mode (1s)"}},
	{"mean zero", inWorkload("startup: «{dist: exponential, mean: 0s}"), []string{"mean must be above 0s"}},
	{"no values", inWorkload("startup: «{dist: empirical, values: []}"), []string{"values must not be empty"}},
	{"foreign figure", inWorkload("startup: {dist: uniform, min: 1s, max: 2s, mode: «1s}"), []string{"mode: does not belong to the distribution uniform, which has min or max"}},
	{"unknown figure", inWorkload("startup: {dist: uniform, min: 1s, max: 2s, «men: 1s}"), []string{`unknown key "men" in startup; did you mean "min"?`}},
	{"list as a time", inWorkload("startup: «[1s]"), []string{"must be a duration such as 90s, not a list"}},

	// Versions.
	{"no version", inScenario("cluster: {version: «latest}\n"), []string{`"latest" is not a version`}},
	{"major 2", inScenario("upgrade: {to: «2.0.1}\n"), []string{"the major version is 1"}},
	{"float in exponent form", inScenario("cluster: {version: «1.3e1}\n"), []string{"is not a version"}},
	{"too few", inScenario("cluster: {version: 1.33.4, controlPlane: {versions: {apiserver: «[1.33.4, 1.33.5]}}}\n"), []string{"one version for each of the 3 instances, not 2"}},
	{"etcd", inScenario("cluster: {version: 1.33.4, controlPlane: {versions: {etcd: «1.34.0}}}\n"), []string{"not a version of etcd"}},
	{"path ends elsewhere", inScenario("upgrade: {to: 1.34.2, path: «[1.33.9]}\n"), []string{"ends at v1.33.9 and not at v1.34.2"}},
	{"path and skip", inScenario("upgrade: {to: 1.34.2, path: «[1.34.2], controlPlane: skip}\n"), []string{"skip"}},
	{"empty path", inScenario("upgrade: {to: 1.34.2, path: «[]}\n"), []string{"at least one version"}},

	// Resources.
	{"no quantity", inWorkload("requests: {cpu: «lots}"), []string{`cpu: "lots" is not a quantity`}},
	{"negative quantity", inWorkload("requests: {cpu: «'-1'}"), []string{"must not be negative"}},
	{"astronomic exponent", inWorkload("requests: {cpu: «1e999999999}"), []string{"is not a quantity"}},
	{"too much", inWorkload("requests: {memory: «64Ti}"), []string{"must be at most"}},
	{"millibytes", inWorkload("requests: {memory: «512m}"), []string{"did you mean 512Mi?"}},
	{"unknown resource", inWorkload("requests: {«cpus: 1}"), []string{`"cpus" is not a resource; extended ones have a domain, such as nvidia.com/gpu; did you mean "cpu"?`}},
	{"pods of a pod", inWorkload("requests: {«pods: 1}"), []string{"not a resource"}},
	{"null quantity", inWorkload("requests: {cpu: «}"), []string{"not nothing"}},

	// Selectors, taints and affinity.
	{"labels without matchLabels", inScenario("cluster:\n  version: 1.33.4\n  podDisruptionBudgets: [{name: a, minAvailable: 1, selector: «{app: web}}]\n"), []string{"labels to select stand under matchLabels"}},
	{"In without values", inWorkload("topologySpreadConstraints: [{topologyKey: zone, labelSelector: {matchExpressions: [«{key: a, operator: In}]}}]"), []string{"values set can't be empty"}},
	{"Exists with values", inWorkload("topologySpreadConstraints: [{topologyKey: zone, labelSelector: {matchExpressions: [«{key: a, operator: Exists, values: [b]}]}}]"), []string{"must be empty for exists"}},
	{"Gt of pods", inWorkload("topologySpreadConstraints: [{topologyKey: zone, labelSelector: {matchExpressions: [{key: a, operator: «Gt, values: ['1']}]}}]"), []string{"must be In, NotIn, Exists or DoesNotExist"}},
	{"two constraints alike", inWorkload("topologySpreadConstraints: [{topologyKey: zone}, «{topologyKey: zone, maxSkew: 2}]"), []string{"already"}},
	{"skew zero", inWorkload("topologySpreadConstraints: [{topologyKey: zone, maxSkew: «0}]"), []string{"must be from 1"}},
	{"minDomains of a preference", inWorkload("topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, minDomains: «2}]"), []string{"DoNotSchedule"}},
	{"toleration of nothing", inWorkload("tolerations: [«{value: x}]"), []string{"needs the operator Exists"}},
	{"toleration with value", inWorkload("tolerations: [{key: a, operator: Exists, value: «x}]"), []string{"has no value"}},
	{"toleration in time", inWorkload("tolerations: [{key: a, operator: Exists, tolerationSeconds: «3}]"), []string{"only a toleration with the effect NoExecute"}},
	{"long form in the short place", inWorkload("podAntiAffinity: «{requiredDuringSchedulingIgnoredDuringExecution: []}"), []string{"belongs under affinity"}},
	{"term without key", inWorkload("podAntiAffinity: {required: [«{}]}"), []string{`required[0] has no "topologyKey"`}},
	{"weight", inWorkload("podAntiAffinity: {preferred: [{topologyKey: zone, weight: «101}]}"), []string{"must be from 1 to 100"}},
	{"empty node term", inWorkload("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [«{}]}}}"), []string{"matches no node"}},
	{"Gt of text", inWorkload("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [«{key: a, operator: Gt, values: [b]}]}]}}}"), []string{"must be an integer"}},
	{"effect of a taint", inScenario("cluster: {version: 1.33.4, nodes: [{name: a, taints: [{key: k, effect: «NoRun}]}]}\n"), []string{"must be NoSchedule, PreferNoSchedule or NoExecute"}},
	{"taints as kubectl has them", inScenario("cluster: {version: 1.33.4, nodes: [{name: a, taints: [«role=data:NoSchedule, «a.b/role:NoExecute, «role=true:NoSchedule, «role=, «role:Never]}, {name: b, taints: «role:NoSchedule}]}\n"),
		[]string{"taints[0]: write {key: role, value: data, effect: NoSchedule}, not \"role=data:NoSchedule\"", "taints[1]: write {key: a.b/role, effect: NoExecute}, not", `write {key: role, value: "true", effect: NoSchedule}`, "write {key: role, value: data, effect: NoSchedule}", "write {key: role, value: data, effect: NoSchedule}", "taints: write [{key: role, effect: NoSchedule}], not"}},
	{"tolerations as kubectl has taints", inWorkload("tolerations: [«role=data:NoSchedule, «role:NoSchedule, «role, «role=data, «a b]"),
		[]string{"tolerations[0]: write {key: role, value: data, effect: NoSchedule}, not \"role=data:NoSchedule\"", "write {key: role, operator: Exists, effect: NoSchedule}", "write {key: role, operator: Exists}, not", "write {key: role, value: data}, not", "write {key: role, value: data, effect: NoSchedule}, not \"a b\""}},
	{"control plane that skips", inScenario("upgrade: {to: 1.34.2, controlPlane: {«skip: true}}\n"), []string{"unknown key \"skip\" in controlPlane; write `controlPlane: skip`"}},
	{"keys of nodes in the upgrade", inScenario("upgrade: {to: 1.34.2, «strategy: surge, «maxSurge: 2, «strateg: x}\n"), []string{"it belongs under nodes: upgrade.nodes.strategy", "upgrade.nodes.maxSurge", `unknown key "strateg" in upgrade; known here: to, path, controlPlane, nodes`}},
	{"keys of others in an entry", inScenario("strategies: [{name: a, «upgrade: {strategy: surge}}, {name: b, «assumptions: {startup: 5s}, «objectives: {}, «seed: 2}]\n"),
		[]string{"an entry has the keys of upgrade and of upgrade.nodes directly: {name: a, strategy: surge, maxSurge: 2}", "unknown key \"assumptions\" in strategies[1]; it belongs beside strategies", "it belongs beside strategies", "it belongs beside strategies"}},
	{"taint twice", inScenario("cluster: {version: 1.33.4, nodes: [{name: a, taints: [{key: k, effect: NoSchedule}, «{key: k, effect: NoSchedule, value: v}]}]}\n"), []string{"already"}},
	{"port", inWorkload("hostPorts: [80, «70000, «80]"), []string{"must be from 1 to 65535", "listed twice"}},

	// Static pods.
	{"static without a node", inScenario("cluster: {version: 1.33.4, nodes: [{name: n}], workloads: [{name: a, kind: «Static}]}\n"), []string{"name a node for each replica"}},
	{"static on too few nodes", inScenario("cluster: {version: 1.33.4, nodes: [{name: n}], workloads: [{name: a, kind: Static, replicas: 2, placement: «[n]}]}\n"), []string{"name a node for each replica"}},

	// Budgets.
	{"both", inWorkload("podDisruptionBudget: {minAvailable: 1, maxUnavailable: «1}"), []string{"either minAvailable or maxUnavailable, not both"}},
	{"neither", inWorkload("podDisruptionBudget: «{}"), []string{"needs minAvailable or maxUnavailable"}},
	{"budget over 100 %", inWorkload("podDisruptionBudget: {minAvailable: «150%}"), []string{"at most 100%"}},
	{"both by selector", inScenario("cluster:\n  version: 1.33.4\n  podDisruptionBudgets:\n  - name: a\n    selector: {}\n    maxUnavailable: «1\n    minAvailable: 1\n"), []string{"not both"}},
	{"no selector", inScenario("cluster:\n  version: 1.33.4\n  podDisruptionBudgets:\n  - «name: a\n    minAvailable: 1\n"), []string{`has no "selector"`}},
	{"null selector", inScenario("cluster:\n  version: 1.33.4\n  podDisruptionBudgets:\n  - name: a\n    «selector:\n    minAvailable: 1\n"), []string{"selector has no value"}},
	{"name of a workload's own", inScenario("cluster:\n  version: 1.33.4\n  workloads: [{name: web, podDisruptionBudget: {minAvailable: 0}}]\n  podDisruptionBudgets: [{name: «web, selector: {}, minAvailable: 1}]\n"), []string{"a podDisruptionBudget of its own"}},

	// Duplicates.
	{"two pools", inScenario("cluster: {version: 1.33.4, nodePools: [{name: a, count: 1}, {name: «a, count: 1}]}\n"), []string{`two of node pool "a"; the other one is on line 5`}},
	{"two nodes", inScenario("cluster: {version: 1.33.4, nodes: [{name: a}, {name: «a}]}\n"), []string{`two of node "a"`}},
	{"a node of a pool", inScenario("cluster: {version: 1.33.4, nodePools: [{name: a, count: 2}], nodes: [{name: «a-2}, {name: a-3}, {name: a-02}]}\n"), []string{"also the name of node 2 of the pool a"}},
	{"a control-plane node", inScenario("cluster: {version: 1.33.4, nodes: [{name: «cp-1}]}\n"), []string{"also the name of a control-plane node"}},
	{"a pool of control-plane names", inScenario("cluster: {version: 1.33.4, nodePools: [{name: «cp, count: 1}]}\n"), []string{"names of control-plane nodes"}},
	{"two workloads", inScenario("cluster: {version: 1.33.4, workloads: [{name: a}, {name: «a}, {name: a, namespace: b}]}\n"), []string{`two of workload "default/a"`}},
	{"a copy", inScenario("cluster: {version: 1.33.4, workloads: [{name: a, count: 12}, {name: «a12}, {name: a13}, {name: a1}]}\n"), []string{`"a12" is also the name of a copy of "a"`}},
	{"copies of copies", inScenario("cluster: {version: 1.33.4, workloads: [{name: «a, count: 1000}, {name: a0, count: 100}]}\n"), []string{`"a0001" is also the name of a copy of "a0"`}},
	{"two budgets", inScenario("cluster: {version: 1.33.4, podDisruptionBudgets: [{name: a, selector: {}, minAvailable: 1}, {name: «a, selector: {}, minAvailable: 1}]}\n"), []string{`two of budget "default/a"`}},
	{"two strategies", inScenario("strategies: [{name: a}, {name: «a}]\n"), []string{`two of strategy "a"`}},
	{"two stages", inNodes("strategy: canary, stages: [{name: a, nodes: {count: 1}}, «{name: a}]"), []string{`two stages called "a"`}},
	{"order twice", inNodes("order: [general-1, «general-1]"), []string{"listed twice"}},

	// References.
	{"placement", inWorkload("replicas: 2, placement: [general-1, «general-4]"), []string{`placement[1]: no node has the name "general-4"; the nodes of the pool general are general-1 … general-3`}},
	{"placement near", inWorkload("placement: [«genral-1]"), []string{`did you mean "general-1"?`}},
	{"more placements than replicas", inWorkload("replicas: 1, placement: «[general-1, general-2]"), []string{"names 2 nodes for 1 replicas"}},
	{"placement of copies", inWorkload("count: 2, placement: «[general-1]"), []string{"does not go together with count"}},
	{"beginning of two strategies", inScenario("upgrade: {to: v1.34.2, nodes: {strategy: «gke}}\n"), []string{`not "gke"; did you mean "gke-surge" or "gke-blue-green"?`}},
	{"order of nobody", inNodes("order: [«nobody]"), []string{"no node has the name"}},
	{"order of the control plane", inNodes("order: [«cp-1]"), []string{"see upgrade.controlPlane.order"}},
	{"control plane's order", inScenario("upgrade: {to: 1.34.2, controlPlane: {order: [cp-3, «cp-4]}}\n"), []string{"there are cp-1, cp-2 or cp-3"}},
	{"cp of a managed control plane", inScenario("cluster: {version: 1.33.4, controlPlane: {managed: true}}\nfaults: [{kind: nodeDoesNotReturn, nodes: [«cp-1]}]\n"), []string{"no node has the name"}},
	{"fault on a workload", inScenario("faults: [{kind: badVersion, version: 1.34, workloads: [«web]}]\n"), []string{`no workload has the name "web"`}},
	{"objective of nobody", inScenario("objectives: {minReady: {«web: 1}}\n"), []string{`no workload has the name "web"`}},
	{"objective out of reach", inWorkload("replicas: 2") + "objectives: {minReady: «3}\n", []string{"has only 2 replicas"}},
	{"objective of one out of reach", inWorkload("replicas: 2") + "objectives: {minReady: {web: «3}}\n", []string{"has only 2 replicas"}},

	// What does not go together.
	{"daemons", inWorkload("kind: DaemonSet, replicas: «2, placement: «[general-1]"), []string{"a pod on each", "a pod on each"}},
	{"in sync for no quorum", inWorkload("replicas: 3, catchUp: «6m"), []string{"catchUp: is how long a Ready member does not count for the quorum, and there is no quorum"}},
	{"in sync at no time", inWorkload("replicas: 3, quorum: 2, catchUp: «soon"), []string{"catchUp: "}},
	{"owner of a Deployment", inWorkload("ownerKind: «StrimziPodSet"), []string{"only a workload of the kind Custom has it, and this is a Deployment"}},
	{"owner that is known", inWorkload("kind: Custom, ownerKind: «StatefulSet"), []string{"write `kind: StatefulSet`"}},
	{"owner that is none", inWorkload("kind: Custom, ownerKind: «kafka/pods"), []string{"a kind has letters and digits"}},
	{"custom as a kind", inWorkload("kind: «StrimziPodSet"), []string{"Static or Custom"}},
	{"bare pods", inWorkload("kind: Pod, replicas: «2"), []string{"for several alike use count"}},
	{"backoff limit of a Deployment", inWorkload("backoffLimit: «3"), []string{"only a Job has it, and this is a Deployment"}},
	{"policy of a Deployment", inWorkload("podManagementPolicy: «Parallel"), []string{"only a StatefulSet has it, and this is a Deployment"}},
	{"quorum", inWorkload("replicas: 3, quorum: «4"), []string{"more than the 3 replicas"}},
	{"managed etcd", inScenario("cluster: {version: 1.33.4, controlPlane: {managed: true, etcd: «stacked}}\n"), []string{"no etcd of ours"}},
	{"managed order", inScenario("cluster: {version: 1.33.4, controlPlane: {managed: true}}\nupgrade: {to: 1.34.2, controlPlane: {perNode: «5m, backup: «true, kubeadm: «1.34.2}}\n"), []string{"remove this key", "remove this key", "remove this key"}},
	{"how the control plane is replaced", inScenario("upgrade: {to: 1.34.2, controlPlane: {replace: «surge}}\n"), []string{"machines"}},
	{"keys of machines in place", inScenario("upgrade: {to: 1.34.2, controlPlane: {maxSurge: «0, waitForCatchUp: «false, keepEtcdVolume: «true}}\n"), []string{"goes with `replace: machines`", "goes with `replace: machines`", "goes with `replace: machines`"}},
	{"keys of in place with machines", inScenario("upgrade: {to: 1.34.2, controlPlane: {replace: machines, perNode: «5m, apiserverDowntime: «9s, kubeadm: «1.34.2, emulation: «{soak: 1h}}}\n"), []string{"nothing is upgraded in place", "nothing is upgraded in place", "nothing is upgraded in place", "newer than what its API server emulates"}},
	{"two machines of the control plane more", inScenario("upgrade: {to: 1.34.2, controlPlane: {replace: machines, maxSurge: «2}}\n"), []string{"must be from 0 to 1"}},
	{"a volume in two machines", inScenario("upgrade: {to: 1.34.2, controlPlane: {replace: machines, keepEtcdVolume: «true}}\n"), []string{"needs `maxSurge: 0`"}},
	{"more at once than instances", inScenario("upgrade: {to: 1.34.2, controlPlane: {atOnce: «4}}\n"), []string{"must be from 1 to 3"}},
	{"machines at once with surge", inScenario("upgrade: {to: 1.34.2, controlPlane: {replace: machines, atOnce: «2}}\n"), []string{"needs `maxSurge: 0`"}},
	{"machines at once that look", inScenario("upgrade: {to: 1.34.2, controlPlane: {replace: machines, maxSurge: 0, atOnce: «2}}\n"), []string{"needs `waitForCatchUp: false`"}},
	{"emulation without a soak", inScenario("upgrade: {to: 1.34.2, controlPlane: {emulation: «{}}}\n"), []string{"has no \"soak\""}},
	{"kubelet's endpoint", inScenario("upgrade: {to: 1.34.2, controlPlane: {kubeletEndpoint: «vip}}\n"), []string{"loadBalancer or local"}},
	{"machines go first, of two", inScenario("cluster: {version: 1.33.4, controlPlane: {replicas: 2}}\nupgrade: {to: 1.34.2, controlPlane: {replace: machines, maxSurge: «0}}\n"), []string{"needs at least 3 instances, as Cluster API asks for, or `keepEtcdVolume: true`"}},
	{"volume of an external etcd", inScenario("cluster: {version: 1.33.4, controlPlane: {etcd: external}}\nupgrade: {to: 1.34.2, controlPlane: {replace: machines, maxSurge: 0, keepEtcdVolume: «true}}\n"), []string{"external etcd"}},
	{"emulation before it was there", inScenario("cluster: {version: 1.30.4}\nupgrade: {to: 1.32.1, controlPlane: {emulation: «{soak: 6h}}}\n"), []string{"needs Kubernetes 1.32 or newer"}},
	{"machines of a managed control plane", inScenario("cluster: {version: 1.33.4, controlPlane: {managed: true}}\nupgrade: {to: 1.34.2, controlPlane: {replace: «machines, maxSurge: «0, kubeletEndpoint: «local}}\n"), []string{"remove this key", "remove this key", "remove this key"}},
	{"kubelets with an emulation", inScenario("upgrade: {to: 1.34.2, controlPlane: {kubelets: with, emulation: «{soak: 1h}, workers: «beside}}\n"), []string{"newer than what its API server emulates", "no kubelet of the control plane is left"}},
	{"kubelets of machines", inScenario("upgrade: {to: 1.34.2, controlPlane: {replace: machines, kubelets: «with}}\n"), []string{"come with their machines"}},
	{"workers beside machines", inScenario("upgrade: {to: 1.34.2, controlPlane: {replace: machines, workers: «beside}}\n"), []string{"come with their machines"}},
	{"when the kubelets follow", inScenario("upgrade: {to: 1.34.2, controlPlane: {kubelets: «before, workers: «before}}\n"), []string{"after or with", "after or beside"}},
	{"a gate that looks at nothing", inScenario("upgrade: {to: 1.34.2, controlPlane: {emulation: {soak: 1h, gate: {workloadsAvailable: «false, «nodesReady: true}}}}\n"), []string{"leaves nothing that the gate could look at", "unknown key \"nodesReady\""}},
	{"many control planes", inScenario("cluster: {version: 1.33.4, controlPlane: {replicas: «10}}\n"), []string{"must be from 1 to 9"}},
	{"from without files", inScenario("cluster: {version: 1.33.4, from: «[a.yaml]}\n"), []string{"no files can be read here"}},
	{"wrong word", inNodes("slots: «windows"), []string{`must be window or barrier, not "windows"; did you mean "window"?`}},
	{"wrong strategy", inNodes("strategy: «roling"), []string{"must be rolling, canary, surge, blueGreen, waves, allAtOnce or custom, or the name of a system that `upsim strategies list` has; not \"roling\"; did you mean \"rolling\"?"}},
	{"values of other kinds over a system's", inNodes("strategy: kops, replace: «{}, drain: «5, nodeGate: «[]"), []string{"must be", "must have keys", "must have keys"}},
	{"near a system", inNodes("strategy: «kubeadmin"), []string{`did you mean "kubeadm"?`}},
	{"a list of strategies", inNodes("strategy: «[surge]"), []string{"must be rolling"}},
	{"what contradicts a system's keys", inNodes("strategy: kubeadm, maxSurge: «2, stages: «[{name: a}]"), []string{"goes with a `replace` that brings new nodes", "this one is kubeadm"}},
	{"control plane word", inScenario("upgrade: {to: 1.34.2, controlPlane: «skipped}\n"), []string{"must be skip, or a mapping"}},
	{"stages of rolling", inNodes("stages: «[{name: a}]"), []string{"belongs to the strategies canary, waves and custom"}},
	{"custom without stages", inNodes("strategy: custom"), nil},
	{"all at once, some", inNodes("strategy: allAtOnce, maxUnavailable: «2"), []string{"takes all nodes at once"}},
	{"two ways to choose", inNodes("strategy: canary, stages: [{nodes: «{count: 1, percent: 10}}]"), []string{"exactly one of pool, count, percent, selector and names"}},
	{"percent of nodes", inNodes("strategy: canary, stages: [{nodes: {percent: «0}}, {nodes: {percent: «101%}}]"), []string{"from 1 to 100", "from 1 to 100"}},
	{"nothing left", inNodes("strategy: canary, stages: [{name: a}, «{name: b}]"), []string{"no nodes are left for this stage"}},
	{"taken twice", inNodes("strategy: canary, stages:\n    [{nodes: {names: [general-1]}},\n    {nodes: {names: [«general-1]}}]"), []string{"taken by an earlier stage, on line 8"}},
	{"probability", inScenario("faults: [{kind: nodeDoesNotReturn, probability: «1.5}]\n"), []string{"must be a number from 0 to 1, not 1.5"}},
	{"probability is no number", inScenario("faults: [{kind: nodeDoesNotReturn, probability: «.nan}]\n"), []string{"must be a number from 0 to 1"}},
	{"no kind", inScenario("faults: [«{probability: 1}]\n"), []string{`has no "kind"`}},
	{"unknown fault", inScenario("faults: [{kind: «nodeFails}]\n"), []string{"must be nodeDoesNotReturn, forgottenUncordon, badVersion, controllerManagerOutage, schedulerOutage, apiServerOutage, nodeFailure, kubeletCertificates, scaleDown, slowImages or noCapacity"}},
	{"key of another fault", inScenario("faults: [{kind: badVersion, version: 1.34, «for: 1h}]\n"), []string{`unknown key "for" in faults[0]`}},
	{"uncordon that is late", inScenario("faults: [{kind: forgottenUncordon, «for: 1h, probability: «2, nodes: [«general-9]}]\n"),
		[]string{`unknown key "for" in faults[0]; known here: kind, nodes, probability`, "must be a number from 0 to 1, not 2", "no node has the name"}},
	{"no nodes", inScenario("faults: [{kind: nodeDoesNotReturn, nodes: «[]}]\n"), []string{"is empty"}},
	{"one node as a word", inScenario("faults: [{kind: nodeDoesNotReturn, nodes: «general-1}]\n"), []string{"must be a list of names or a label selector"}},

	// Accepted, it would do nothing.
	{"attempts of a drain that waits", inNodes("drain: {attempts: «3, onFailure: wait}"), []string{"attempts: does nothing with `onFailure: wait`, which drains until it succeeds"}},
	{"attempts in a stage of drains that wait", inNodes("strategy: canary, drain: {onFailure: wait}, stages: [{nodes: {count: 1}, drain: {attempts: «2}}]"), []string{"does nothing with `onFailure: wait`"}},
	{"attempts in an entry over a drain that waits", inScenario("upgrade: {to: 1.34.2, nodes: {drain: {onFailure: wait}}}\nstrategies: [{name: a, drain: {attempts: «2}}]\n"), []string{"does nothing with `onFailure: wait`"}},
	{"a pause between attempts of one", inNodes("drain: {attemptDelay: «10s}"), []string{"attemptDelay: does nothing with one attempt; write `attempts`"}},
	{"a pause after a drain without end", inNodes("drain: {onFailure: wait, attemptDelay: «10s}"), []string{"attemptDelay: does nothing with `onFailure: wait` and no timeout that would end a drain"}},
	{"timeout of pods that are deleted once", inNodes("drain: {onFailure: wait, disableEviction: true, timeout: «5m}"), []string{"timeout: does nothing with `onFailure: wait` and `disableEviction: true`"}},
	{"order of evictions that are none", inNodes("drain: {disableEviction: true, evict: «sequential}"), []string{"evict: does nothing with `disableEviction: true`: the pods are deleted and not evicted"}},
	{"check of no timeout", inNodes("drain: {timeoutCheck: «exact}"), []string{"timeoutCheck: does nothing without a timeout"}},
	{"a number of skipped nodes where none is skipped", inNodes("drain: {maxSkipped: «2, onFailure: fail}"), []string{"maxSkipped: does nothing without `onFailure: skip`"}},
	{"pods down on nodes that stay Ready", inScenario("assumptions: {nodeNotReadyWhileUpgrading: false, podsDownWhileUpgrading: «true}\n"), []string{"podsDownWhileUpgrading: does nothing with `nodeNotReadyWhileUpgrading: false`"}},
	{"detection of what is seen at once", inScenario("faults: [{kind: badVersion, version: 1.34, effect: notReady, detection: «1m}, {kind: badVersion, version: 1.34, detection: «1m}]\n"),
		[]string{"detection: goes with `effect: brokenWhileReady`", "a pod that is not Ready is seen at once"}},
	{"volume of nothing", inWorkload("volume: «{}"), []string{"volume: says nothing of the volume; write `zonal: true`"}},
	{"volume of a DaemonSet", inWorkload("kind: DaemonSet, volume: «{zonal: true}"), []string{"volume: nothing moves a pod of the kind DaemonSet to another node, so that a volume has no effect"}},
	{"volume of a static pod", inWorkload("kind: Static, placement: [general-1], volume: «{zonal: true}"), []string{"nothing moves a pod of the kind Static"}},
	{"volume of a bare pod", inWorkload("kind: Pod, volume: «{attach: 3s}"), []string{"nothing moves a pod of the kind Pod"}},
	{"key of an entry twice", inScenario("strategies: [{name: a, maxUnavailable: «2, nodes: {maxUnavailable: 3}}, {name: b, nodes: {drain: {force: true}}, drain: «{retry: 1s}}]\n"), []string{"maxUnavailable: stands under nodes as well", "drain: stands under nodes as well"}},

	// Bounds.
	{"slow controllers", inScenario("assumptions: {controllerQPS: «0.0009, kubectlQPS: «0}\n"), []string{"controllerQPS: must be a number from 0.001 to 1e+06, not 0.0009", "kubectlQPS: must be a number from 0.001"}},
	{"burst of none", inScenario("assumptions: {kubectlBurst: «0}\n"), []string{"must be from 1 to"}},
	{"many host ports", inWorkload("hostPorts: «[" + strings.Repeat("1, ", 1000) + "1]"), []string{"hostPorts: has 1001 entries; at most 1000 are simulated"}},
	{"attempts of none", inNodes("drain: {attempts: «0}"), []string{"must be from 1 to 100, not 0"}},
	{"attempts without end", inNodes("drain: {attempts: «101}"), []string{"must be from 1 to 100, not 101"}},
	{"negative pauses", inNodes("drain: {attempts: 2, attemptDelay: «-1s, postDrainDelay: «-1s}"), []string{"attemptDelay: must not be negative, but it is -1s", "postDrainDelay: must not be negative"}},
	{"more skipped than there are", inNodes("drain: {onFailure: skip, maxSkipped: «101%}"), []string{"maxSkipped: must be at most 100%, not 101%"}},
	{"order of evictions", inNodes("drain: {evict: «oneByOne}"), []string{`must be parallel, sequential, groups or volumesOneByOne, not "oneByOne"`}},
	{"when a timeout is seen", inNodes("drain: {timeout: 5m, timeoutCheck: «atOnce}"), []string{`must be afterRetry or exact, not "atOnce"`}},
	{"longest grace period in words", inNodes("drain: {maxGracePeriod: «'5'}"), []string{"\"5\" is not a duration"}},
	{"grace period of ages", inNodes("drain: {gracePeriod: «400000000}"), []string{"must be from 0 to 315360000"}},
	{"negative grace period", inNodes("drain: {gracePeriod: «-1}"), []string{"must be from 0 to 315360000, not -1"}},
	{"grace period in words", inNodes("drain: {gracePeriod: «'5'}"), []string{"\"5\" is not a duration"}},
	{"toleration of ages", inWorkload("tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: «400000000}]"), []string{"must be from 0 to 315360000"}},
	{"preferred term in half of Kubernetes' form", inWorkload("podAntiAffinity: {preferred: [«{podAffinityTerm: {topologyKey: zone}}]}"), []string{`preferred[0] has no "weight"`}},
	{"stacked etcd", inScenario("cluster: {version: 1.33.4, controlPlane: {replicas: 3, versions: {etcd: «[3.5.1, 3.5.2]}}}\n"), []string{"must have one version for each of the 3 instances, not 2"}},

	// Not supported yet, and still checked.
	{"system", inNodes("strategy: kubespray, maxUnavailable: «101%"), []string{"at most 100%"}},
	{"stage", inNodes("strategy: custom, stages: [{onFailure: «rollback, soak: «5}]"), []string{"rollback does nothing without a gate that could fail", "has no unit"}},
	{"a last stage that would go back", inNodes("strategy: canary, stages: [{nodes: {count: 1}, onFailure: rollback}, {onFailure: «restore}]"), []string{"restore does nothing without a gate that could fail"}},
	{"a reaction to a gate", inNodes("strategy: canary, stages: [{nodes: {count: 1}, onFailure: «retry}]"), []string{"must be abort, pause, rollback or restore"}},
	{"restore without a snapshot", inScenario("upgrade: {to: 1.34.2, controlPlane: {backup: false}, nodes: {strategy: canary, stages: [{nodes: {count: 1}, onFailure: «restore}]}}\n"), []string{"`backup: false` takes none"}},
	{"restore of what is left alone", inScenario("upgrade: {to: 1.34.2, controlPlane: skip, nodes: {strategy: canary, stages: [{nodes: {count: 1}, onFailure: «restore}]}}\n"), []string{"`controlPlane: skip` takes none"}},
	{"restore of a managed control plane", inScenario("cluster: {version: 1.33.4, controlPlane: {managed: true}, nodePools: [{name: general, count: 3}]}\nupgrade: {to: 1.34.2, nodes: {strategy: canary, stages: [{nodes: {count: 1}, onFailure: «restore}]}}\n"), []string{"this one is managed"}},
	{"restore over new machines", inScenario("upgrade: {to: 1.34.2, controlPlane: {replace: machines}, nodes: {strategy: canary, stages: [{nodes: {count: 1}, onFailure: «restore}]}}\n"), []string{"does not go with `replace: machines`"}},
	{"restore in a strategy", inScenario("upgrade: {to: 1.34.2, controlPlane: {backup: false}}\nstrategies: [{name: a, strategy: canary, stages: [{nodes: {count: 1}, onFailure: «restore}]}]\n"), []string{"`backup: false` takes none"}},
	{"gate", inNodes("strategy: canary, stages: [{nodes: {count: 1}, gate: {availableFor: «5, noRegression: «1, errorBudget: «-3s, «errorBudgets: 3s}}]"), []string{"has no unit", "must be true or false", "must not be negative", "errorBudgets"}},
	{"a gate that could never hold", inNodes("nodeGate: {availableFor: «10m}"), []string{"availableFor: must be less than the timeout of 10m0s"}},
	{"a gate that holds nothing", inNodes("nodeGate: {nodesReady: false, workloadsAvailable: false, availableFor: «5m}"), []string{"goes with nodesReady or workloadsAvailable"}},
	{"no windows", inScenario("upgrade: {to: 1.34.2, maintenanceWindows: «[]}\n"), []string{"must have at least one window"}},
	{"windows are no list", inScenario("upgrade: {to: 1.34.2, maintenanceWindows: «nightly}\n"), []string{"must be a list"}},
	{"window that never opens", inWindow("days: «[], open: 1:00, close: 2:00"), []string{"the window would never open"}},
	{"window without close", inScenario("upgrade: {to: 1.34.2, maintenanceWindows: [«{open: 1:00}]}\n"), []string{`no "close"`}},
	{"window's keys", inWindow("open: 1:00, close: 2:00, «zone: UTC"), []string{`unknown key "zone" in maintenanceWindows[0]`}},
	{"day in full", inWindow("days: [«Saturday], open: 1:00, close: 2:00"), []string{`must be Mon, Tue, Wed, Thu, Fri, Sat or Sun, not "Saturday"; write Sat`}},
	{"day twice", inWindow("days: [Sat, «Sat], open: 1:00, close: 2:00"), []string{"Sat is listed twice"}},
	{"day as a mapping", inWindow("days: [«{a: b}], open: 1:00, close: 2:00"), []string{"must be a day of the week"}},
	{"no time of day", inWindow("open: «22h, close: «22"), []string{`must be a time of day such as "22:00", not "22h"`, `not "22"`}},
	{"times beyond the day", inWindow("open: «24:00, close: «24:01"), []string{`"24:00" is no time of day`, `"24:01" is no time of day`}},
	{"start without a day", inScenario("upgrade: {to: 1.34.2, start: «\"18:00\", maintenanceWindows: [{open: 1:00, close: 2:00}]}\n"), []string{`must be a day and a time such as "Fri 18:00"`}},
	{"start without windows", inScenario("upgrade: {to: 1.34.2, start: «Fri 18:00, whenClosed: «finish}\n"), []string{"start: means nothing without maintenanceWindows", "whenClosed: means nothing without maintenanceWindows"}},
	{"when closed", inScenario("upgrade: {to: 1.34.2, whenClosed: «abort, maintenanceWindows: [{open: 1:00, close: 2:00}]}\n"), []string{`must be pause or finish, not "abort"`}},
	{"start's day", inScenario("upgrade: {to: 1.34.2, start: «Frei 18:00, maintenanceWindows: [{open: 1:00, close: 2:00}]}\n"), []string{`must be Mon, Tue, Wed, Thu, Fri, Sat or Sun, not "Frei"`}},
	{"start's time", inScenario("upgrade: {to: 1.34.2, start: «Fri 25:00, maintenanceWindows: [{open: 1:00, close: 2:00}]}\n"), []string{`"25:00" is no time of day`}},
	{"matchLabelKeys", inWorkload("topologySpreadConstraints: [{topologyKey: zone, «matchLabelKeys: [a]}]"), []string{"matchLabelKeys is not supported yet"}},

	// New nodes.
	{"surge of none", inNodes("strategy: surge, maxSurge: «0"), []string{"maxSurge: is 0, and maxUnavailable as well, so that no node could ever be upgraded"}},
	{"surge of no percent", inNodes("strategy: surge, maxSurge: «0%"), []string{"is 0"}},
	{"surge and too many fewer", inNodes("strategy: surge, maxUnavailable: «150%"), []string{"at most 100%"}},
	{"surge with stages", inNodes("strategy: surge, stages: «[{name: a}]"), []string{"belongs to the strategies canary, waves and custom; this one is surge"}},
	{"surge of rolling", inNodes("maxSurge: «1"), []string{"goes with a `replace` that brings new nodes"}},
	{"surge of a canary", inNodes("strategy: canary, maxSurge: «1"), []string{"goes with a `replace` that brings new nodes"}},
	{"surge of a stage in place", inNodes("strategy: custom, stages: [{maxSurge: «10%}]"), []string{"goes with a `replace` that brings new nodes"}},
	{"surge of none in a stage", inNodes("strategy: custom, stages: [{replace: surge, maxSurge: «0, maxUnavailable: 0}]"), []string{"no node could ever be upgraded"}},
	{"none at once in a stage", inNodes("strategy: custom, stages: [{maxUnavailable: «0}]"), []string{"no node could ever be upgraded"}},
	{"none at once for a stage", inNodes("strategy: canary, maxUnavailable: «0, stages: [{nodes: {count: 1}, replace: surge}]"), []string{"no node could ever be upgraded"}},
	{"batch of rolling", inNodes("batch: «2, batchSoak: «1m, poolSoak: «1m"), []string{"batch: belongs to blueGreen; here nodes are replaced inPlace", "batchSoak: belongs", "poolSoak: belongs"}},
	{"batch of surge", inNodes("strategy: surge, batch: «2"), []string{"here nodes are replaced surge"}},
	{"batch of none", inNodes("strategy: blueGreen, batch: «0"), []string{"no node could ever be drained"}},
	{"all at once, one by one", inNodes("strategy: allAtOnce, replace: surge, maxSurge: «2"), []string{"which takes all nodes at once"}},
	{"a gate after each node of blueGreen", inNodes("strategy: blueGreen, nodeGate: «{timeout: 1m}"), []string{"whose old nodes stand until the end"}},
	{"a gate for nothing", inNodes("nodeGate: «{nodesReady: false, workloadsAvailable: false}"), []string{"asks for nothing"}},
	{"cordoned before nothing", inNodes("replace: surge, maxSurge: 0, maxUnavailable: 1, cordon: «ownFirst"), []string{"new nodes that come first"}},
	{"waves of a label that no node has", inNodes("strategy: waves, waveLabel: «wave"), []string{"no node has the label wave"}},
	{"a pool that lags twice", inNodes("lag: [general, «general]"), []string{"stands in the list already"}},
	{"lags too far", inNodes("maxLag: «4"), []string{"must be from 1 to 3"}},
	{"replace against the strategy", inNodes("strategy: surge, replace: «inPlace"), []string{"contradicts the strategy surge; write `strategy: rolling` with `replace: inPlace`"}},
	{"cordons that come too early", inNodes("cordon: «ownFirst"), []string{"ownFirst goes with `replace: surge`"}},
	{"cordons of all before new nodes that do not come", inNodes("replace: terminateFirst, cordon: «allFirst"), []string{"write all"}},
	{"new nodes that are late, of none", inNodes("provisionTimeout: «10m, surgePerZone: «true"), []string{"goes with new nodes, and `replace: inPlace` brings none", "does nothing without maxSurge"}},
	{"terminate none", inNodes("replace: terminateFirst, maxUnavailable: «0"), []string{"no node could ever be upgraded"}},
	{"pools of a canary", inNodes("strategy: canary, pools: «parallel"), []string{"does not go with the strategy canary; its stages say which pool comes when"}},
	{"pools of all at once", inNodes("strategy: allAtOnce, pools: «sequential"), []string{"takes all nodes at once"}},
	{"unknown pools", inNodes("lag: [general, «generel]"), []string{`there is no pool called "generel"; did you mean "general"?`}},
	{"unknown pool of a stage", inNodes("strategy: custom, stages: [{nodes: {pool: «gpu}}]"), []string{`there is no pool called "gpu"`}},
	{"waves by label, of another strategy", inNodes("waveLabel: «wave"), []string{"belongs to the strategy waves; this one is rolling"}},
	{"waves by label and by stages", inNodes("strategy: waves, waveLabel: «wave, stages: [{nodes: {count: 1}}]"), []string{"write one of the two"}},
	{"beside nothing", inNodes("strategy: custom, stages: [{beside: «true}]"), []string{"no stage before this one"}},
	{"wrong words", inNodes("nodeOrder: «age, percentOf: «pool, pools: «one, taint: «NoExecute, atMost: «0"), []string{"must be name, zone or random", "must be workers or stage", "must be together, sequential or parallel", "must be none, PreferNoSchedule or NoSchedule", "must be from 1"}},
	{"wait after each node of a batch", inNodes("strategy: blueGreen, soakPerNode: «1m"), []string{"write batchSoak for a wait after each batch"}},
	{"blue-green, otherwise", inNodes("strategy: blueGreen, maxSurge: «1, maxUnavailable: «0, slots: «window, cordon: «own"),
		[]string{"all new nodes at once", "whose batch says", "batch by batch", "cordons every old node"}},
	{"name of a new node", inScenario("cluster: {version: 1.33.4, nodes: [{name: a}, {name: «a-new}, {name: b-new}]}\nupgrade: {to: 1.34.2, nodes: {strategy: surge}}\n"),
		[]string{`"a-new" is also the name of the node that takes the place of "a"`}},
	{"name of a pool's new node, by an entry", inScenario("cluster: {version: 1.33.4, nodePools: [{name: p, count: 2}], nodes: [{name: «p-2-new}, {name: p-3-new}]}\nstrategies: [{name: bg, strategy: blueGreen}]\n"),
		[]string{`takes the place of "p-2"`}},
	{"outage without times", inScenario("faults: [«{kind: controllerManagerOutage, for: 5m}, «{kind: schedulerOutage, at: 1m}]\n"), []string{`faults[0] has no "at", which it needs`, `faults[1] has no "for", which it needs`}},
	{"outage with wrong times", inScenario("faults: [{kind: schedulerOutage, at: «5, for: «ever, «nodes: [a]}]\n"), []string{"has no unit", "is not a duration", `unknown key "nodes" in faults[0]; known here: kind, at, for`}},

	// API servers that are out.
	{"API server outage without times", inScenario("faults: [««{kind: apiServerOutage}]\n"), []string{`has no "at"`, `has no "for"`}},
	{"API server outage of some", inScenario("faults: [{kind: apiServerOutage, at: 1m, for: 1m, «nodes: [cp-1]}]\n"), []string{`unknown key "nodes" in faults[0]; known here: kind, at, for`}},
	{"what follows an API server outage", inNodes("drain: {onAPIOutage: «retry}"), []string{"must be fail or wait"}},
	{"fail at an API server outage, and wait", inNodes("drain: {onFailure: wait, onAPIOutage: «fail}"), []string{"does nothing with `onFailure: wait`, which drains until it succeeds"}},

	// Nodes that fail.
	{"failure at no time", inScenario("faults: [«{kind: nodeFailure, nodes: [general-1]}]\n"), []string{"needs `at`, when the nodes fail, or `rate`, how often a node fails in a day"}},
	{"failure of everything", inScenario("faults: [«{kind: nodeFailure, at: 1m, for: 5m}]\n"), []string{"names no nodes and no zone, so that every node would fail"}},
	{"failure of nodes and a zone", inScenario("cluster: {version: 1.33.4, nodes: [{name: n, zone: a}]}\nfaults: [{kind: nodeFailure, at: 1m, nodes: [n], zone: «a}]\n"), []string{"zone: nodes says already which nodes are meant"}},
	{"failure in no zone", inScenario("faults: [{kind: nodeFailure, at: 1m, zone: «a}]\n"), []string{"no worker has a zone"}},
	{"failure of the control plane", inScenario("faults: [{kind: nodeFailure, at: 1m, nodes: [«cp-1]}]\n"), []string{"cp-1\" is a control-plane node, whose failure is not supported yet"}},
	{"failure of nobody", inScenario("faults: [{kind: nodeFailure, at: 1m, nodes: [«general-9]}]\n"), []string{"no node has the name"}},
	{"failure of a new node that nothing brings", inScenario("faults: [{kind: nodeFailure, at: 1m, nodes: [«general-1-new]}]\n"), []string{"a new node has the place of general-1 only with a strategy that brings new nodes"}},
	{"failure of a new machine that nothing brings", inScenario("faults: [{kind: badVersion, version: 1.34.2, nodes: [«cp-1-new]}]\n"), []string{"a new machine has the place of cp-1 only with `upgrade.controlPlane: {replace: machines}`"}},
	{"failure of an extra node that nothing brings", inScenario("faults: [{kind: nodeFailure, at: 1m, nodes: [«general-surge-1]}]\n"), []string{"extra nodes have such names, and come only with `replace: reimage` or `terminateFirst` and a maxSurge"}},
	{"failure of an extra node of no pool", inScenario("faults: [{kind: nodeFailure, at: 1m, nodes: [«b-surge-1]}]\n"), []string{"no node has the name \"b-surge-1\""}},
	{"rate of nothing", inScenario("faults: [{kind: nodeFailure, rate: «0}, {kind: nodeFailure, rate: «1500}, {kind: nodeFailure, rate: «often}]\n"), []string{"a number above 0 and up to 1440", "up to 1440", "must be a number"}},
	{"rate and probability", inScenario("faults: [{kind: nodeFailure, rate: 1, probability: «0.5}]\n"), []string{"does not go with rate"}},
	{"failure of a pool", inScenario("faults: [«{kind: nodeFailure, at: 1m, «pool: general}]\n"), []string{"names no nodes and no zone", `unknown key "pool"`}},

	// An autoscaler.
	{"autoscaler of nodes", inScenario("faults: [{kind: scaleDown, «nodes: [general-1], unneededTime: «10}, {kind: scaleDown, pool: «b}]\n"), []string{`unknown key "nodes" in faults[0]; known here: kind, pool, unneededTime, at, for`, "10 has no unit", `no worker is in the pool "b"`}},

	// Certificates.
	{"certificates of no validity", inScenario("faults: [«{kind: kubeletCertificates}, {kind: kubeletCertificates, validity: «5m, age: «old}]\n"), []string{`has no "validity"`, "must be at least 10m0s, not 5m", "is not a duration"}},
	{"certificates that have expired", inScenario("faults: [{kind: kubeletCertificates, validity: 1h, age: «90m}]\n"), []string{"age: is 1h30m0s, so that a certificate that is valid for 1h0m0s would have expired"}},
	{"certificates of a time", inScenario("faults: [{kind: kubeletCertificates, validity: 1h, «at: 5m, «for: 1h}]\n"), []string{`unknown key "at"`, `unknown key "for"`}},

	// Slow images, no capacity.
	{"slow images without a factor", inScenario("faults: [«{kind: slowImages, at: 0s, for: 1m}, {kind: slowImages, factor: «0.5, at: «5, for: 1m}]\n"),
		[]string{`faults[0] has no "factor", which it needs`, "factor: must be a number from 1 to 1000, not 0.5", "at: 5 has no unit"}},
	{"slow images, twice told where", inScenario("faults: [{kind: slowImages, factor: 2, at: 0s, for: 1m, nodes: [general-1], pool: «general}]\n"), []string{"pool: nodes says already which nodes are meant"}},
	{"slow images of no pool", inScenario("faults: [{kind: slowImages, factor: 2, at: 0s, for: 1m, pool: «generl}]\n"), []string{`pool: no worker is in the pool "generl"; there are general; did you mean "general"?`}},
	{"slow images in a zone", inScenario("faults: [{kind: slowImages, factor: 2, at: 0s, for: 1m, «zone: a}]\n"), []string{`unknown key "zone" in faults[0]`}},
	{"no capacity, without times", inScenario("faults: [««{kind: noCapacity}]\n"), []string{`has no "at"`, `has no "for"`}},
	{"no capacity in no zone", inScenario("faults: [{kind: noCapacity, at: 0s, for: forever, zone: «a}]\n"), []string{"zone: no worker has a zone"}},
	{"no capacity in a zone that is none", inScenario("cluster: {version: 1.33.4, nodes: [{name: n, zone: rack-1}]}\nfaults: [{kind: noCapacity, at: 0s, for: forever, zone: «rack-2}]\n"), []string{`no worker is in the zone "rack-2"; there are rack-1; did you mean "rack-1"?`}},
	{"no capacity of a zone and a pool", inScenario("cluster: {version: 1.33.4, nodes: [{name: n, zone: a, pool: p}]}\nfaults: [{kind: noCapacity, at: 0s, for: 1m, zone: a, pool: «p}]\n"), []string{"zone says already which nodes are meant"}},
	{"no capacity on nodes", inScenario("faults: [{kind: noCapacity, at: 0s, for: 1m, nodes: «[general-1]}, {kind: noCapacity, at: 0s, for: 1m, nodes: «-1}]\n"), []string{"how many extra nodes are still to be had", "must be from 0 to"}},

	// Strategies.
	{"surge keys of an entry that is not", inScenario("upgrade: {to: 1.34.2, nodes: {strategy: surge}}\nstrategies: [{name: a, strategy: rolling, maxSurge: «2}, {name: b, batch: «1}]\n"),
		[]string{"goes with a `replace` that brings new nodes", "batch: belongs to blueGreen; here nodes are replaced surge"}},
	{"twice in an entry", inScenario("strategies: [{name: a, strategy: «surge, nodes: {strategy: blueGreen}}]\n"), []string{"stands under nodes as well"}},
	{"a fault in the upgrade, once", inScenario("upgrade: {to: 1.34.2, nodes: {slots: «x}}\nstrategies: [{name: a}, {name: b}]\n"), []string{"must be window or barrier"}},
	{"a fault in an entry", inScenario("strategies: [{name: a, «maxUnavailabel: 1, drain: {timeout: «5}}]\n"), []string{`did you mean "maxUnavailable"?`, "5 has no unit"}},
	{"no name", inScenario("strategies: [«{strategy: canary}]\n"), []string{`strategies[0] has no "name"`}},
	{"no strategies", inScenario("strategies: «[]\n"), []string{"at least one entry"}},
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range badFiles {
		t.Run(c.name, func(t *testing.T) {
			file, places := marked(c.file)
			found, faults := Decode("f.yaml", []byte(file), nil)
			if c.name == "custom without stages" {
				places, c.want = []string{"7:10"}, []string{"the strategy custom needs stages"}
			}
			if c.name == "nothing but kind" { // four faults at one place
				places = []string{"1:1", "1:1", "1:1", "1:1"}
			}
			if found != nil {
				t.Error("there is a scenario beside the faults")
			}
			if len(faults) != len(c.want) || len(places) != len(c.want) {
				t.Fatalf("want %d faults at %v:\n%s\n%s", len(c.want), places, file, faults.Error())
			}
			for i, f := range faults {
				if at := fmt.Sprintf("%d:%d", f.Line, f.Col); at != places[i] {
					t.Errorf("at %s, want %s: %s", at, places[i], f)
				}
				if !strings.Contains(f.Message, c.want[i]) {
					t.Errorf("message %q, want %q", f.Message, c.want[i])
				}
				if lines := strings.Split(file, "\n"); f.Source != strings.TrimSuffix(lines[f.Line-1], "\r") {
					t.Errorf("source %q of line %d", f.Source, f.Line)
				}
			}
		})
	}
}
