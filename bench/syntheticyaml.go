package bench

import (
	"bytes"
	"fmt"
	"strings"

	"upsim/model"
)

// YAML writes the scenario: pools in three zones, Deployments as entries with
// a count, each with a budget that lets 10 % of its pods go, and an upgrade of 1 %
// of the nodes at once. What is not written has its default. It fails on numbers that cannot be simulated.
func (s Synthetic) YAML() ([]byte, error) {
	s = s.withDefaults()
	if err := s.validate(); err != nil {
		return nil, err
	}
	m := mixtures[s.Mix]
	var b bytes.Buffer
	fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\nmetadata: {name: %s}\n", model.APIVersion, model.KindScenario, s.Name())
	fmt.Fprintf(&b, "cluster:\n  version: %v\n  controlPlane: {managed: true}\n", syntheticTo)
	s.writePools(&b, m)
	s.writeWorkloads(&b, m)
	fmt.Fprintf(&b, "upgrade:\n  to: %v\n  controlPlane: skip\n  nodes: {%s}\n", syntheticTo, s.nodes())
	qps := max(leastControllerQPS, s.Nodes/nodesPerQPS)
	fmt.Fprintf(&b, "assumptions:\n  startup: %s\n  nodeProvision: %s\n  controllerQPS: %d\n  controllerBurst: %d\n", m.startup, m.nodeProvision, qps, qps)
	return b.Bytes(), nil
}

// writePools writes one pool, or ten that differ by at most one node; each has nodes of one shape.
func (s Synthetic) writePools(b *bytes.Buffer, m mixture) {
	rooms := m.room(s.PodsPerNode)
	count := 1
	if s.Variant == Contended || len(rooms) > 1 {
		count = pools
	}
	b.WriteString("  nodePools:\n")
	shapes := tenths(m.nodes, func(n nodeShape) int { return n.tenths })
	for i := range count {
		nodes := share(s.Nodes, i, count)
		if nodes == 0 {
			continue
		}
		room := rooms[shapes[i]]
		fmt.Fprintf(b, "  - name: pool%02d\n    count: %d\n    zones: [a, b, c]\n    allocatable: {cpu: %dm, memory: %dMi, pods: %d}\n    kubelet: %v\n",
			i+1, nodes, room.CPU, room.Memory/mebi, room.Pods, syntheticFrom)
	}
}

// writeWorkloads writes as many full workloads as there are pods for, by the shapes of their pods, and one with the rest.
func (s Synthetic) writeWorkloads(b *bytes.Buffer, m mixture) {
	b.WriteString("  workloads:\n")
	full, rest := s.Pods()/s.PodsPerWorkload, s.Pods()%s.PodsPerWorkload
	done, all := 0, 0
	for i, shape := range m.pods {
		all += shape.tenths
		count := full*all/10 - done
		done += count
		if count > 0 {
			name := "app"
			if len(m.pods) > 1 {
				name = fmt.Sprintf("app-%c", 'a'+i)
			}
			s.writeWorkload(b, name, count, s.PodsPerWorkload, shape)
		}
	}
	if rest > 0 {
		s.writeWorkload(b, "rest", 1, rest, m.pods[0])
	}
}

func (s Synthetic) writeWorkload(b *bytes.Buffer, name string, count, replicas int, shape podShape) {
	fmt.Fprintf(b, "  - name: %s\n    count: %d\n    replicas: %d\n", name, count, replicas)
	var requests []string
	if shape.cpu > 0 {
		requests = append(requests, fmt.Sprintf("cpu: %dm", shape.cpu))
	}
	if shape.memory > 0 {
		requests = append(requests, fmt.Sprintf("memory: %dMi", shape.memory/mebi))
	}
	fmt.Fprintf(b, "    requests: {%s}\n", strings.Join(requests, ", "))
	allowed := "10%"
	if s.Variant == Contended {
		allowed = "1"
	}
	fmt.Fprintf(b, "    podDisruptionBudget: {maxUnavailable: %s}\n", allowed)
	switch s.Variant {
	case ZoneSpread:
		fmt.Fprintf(b, "    topologySpreadConstraints: [{topologyKey: %s, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]\n", model.LabelZone)
	case AntiAffinity:
		fmt.Fprintf(b, "    podAntiAffinity: {required: [{topologyKey: %s}]}\n", model.LabelHostname)
	}
}

// nodes is the strategy: 1 % of the nodes at once, or batches of a tenth,
// which are the ten pools, one after another, where the nodes are a multiple of ten.
func (s Synthetic) nodes() string {
	atOnce := "1%"
	if s.Variant == Contended {
		atOnce = "10%"
	}
	keys := "strategy: " + s.Strategy
	switch s.Strategy {
	case model.StrategySurge:
		keys += ", maxSurge: " + atOnce
	case model.StrategyBlueGreen:
		return keys + ", batch: " + atOnce
	default:
		keys += ", maxUnavailable: " + atOnce
	}
	if s.Variant == Contended {
		keys += ", slots: barrier"
	}
	return keys
}

// share is the i-th of parts that differ by at most one.
func share(n, i, parts int) int { return n*(i+1)/parts - n*i/parts }

// tenths gives for each tenth the entry of the list that it belongs to.
func tenths[T any](list []T, of func(T) int) (at [pools]int) {
	next := 0
	for i := range list {
		for range of(list[i]) {
			at[next] = i
			next++
		}
	}
	return at
}
