package bench

import "upsim/model"

// Mix says how far the nodes and pods of a synthetic cluster differ from each other.
type Mix string

// The mixes.
const (
	// Equal: one kind of node and one kind of pod, so that what a run costs follows from the number of nodes alone.
	Equal Mix = "equal"
	// Drawn: nodes of four sizes, pods with eight kinds of requests, and times with long tails, as in the figures below.
	Drawn Mix = "drawn"
)

// Mixes lists them all.
func Mixes() []Mix { return []Mix{Equal, Drawn} }

// sparePercent of what all pods request is free besides.
const sparePercent = 25

// nodeShape is a size of nodes, next to that of others.
type nodeShape struct {
	tenths int // of all nodes have it
	cores  int64
	memory int64 // GiB
}

// podShape is what a pod requests, 0 for nothing, in millicores and bytes.
type podShape struct {
	tenths      int // of all workloads have it
	cpu, memory int64
}

// mixture is what a mix draws from: shapes by tenths, and times as a scenario writes them.
type mixture struct {
	nodes                  []nodeShape
	pods                   []podShape
	startup, nodeProvision string
}

const mebi = 1 << 20

var mixtures = map[Mix]mixture{
	Equal: {
		nodes: []nodeShape{{10, 1, 1}},
		pods:  []podShape{{10, 100, 128 * mebi}},
		// Of 193 pods in public dumps, half were Ready 10 s after they had been created, and nine of ten after 64 s.
		startup: "{p50: 10s, p99: 60s}",
		// The default of a scenario.
		nodeProvision: "3m",
	},
	Drawn: {
		// The 1,523 nodes of Alibaba's cluster-trace-gpu-v2023: 36 % have 96 cores and 384 GiB, 25 % 104 and 512,
		// 8.5 % 32 and 256, 7 % 16 and 120, and no other size as many; these four are 5, 3, 1 and 1 of ten. The sizes count
		// next to each other: all are scaled so that the pods have a quarter more room than they need.
		nodes: []nodeShape{{5, 96, 384}, {3, 104, 512}, {1, 32, 256}, {1, 16, 120}},
		// The 381 containers of public dumps: 56 % request CPU, 100m in the median and 250m at the 90th percentile; 42 %
		// request memory, 70 Mi and 225 Mi.
		pods: []podShape{{3, 0, 0}, {1, 50, 0}, {1, 100, 0}, {1, 250, 0}, {1, 0, 70 * mebi},
			{1, 50, 50 * mebi}, {1, 100, 70 * mebi}, {1, 250, 225 * mebi}},
		// The same 193 pods; a lognormal time with a median of 10 s and a sigma of 1.3.
		startup: "{p50: 10s, p99: 205s}",
		// 33 nodes of public dumps, created to Ready: 20 s in the median, 110 s at the 90th percentile, 280 s at most; AWS' own
		// measurement of its fastest image is 26 s.
		nodeProvision: "{p50: 30s, p99: 300s}",
	},
}

// room is what a node of each shape has, so that the cluster has sparePercent more than its pods request on average.
func (m mixture) room(podsPerNode int) []model.Resources {
	var cores, memory, wantCPU, wantMemory, mostCPU, mostMemory int64
	for _, n := range m.nodes {
		cores += int64(n.tenths) * n.cores
		memory += int64(n.tenths) * n.memory
	}
	for _, p := range m.pods {
		wantCPU += int64(p.tenths) * p.cpu
		wantMemory += int64(p.tenths) * p.memory
		mostCPU, mostMemory = max(mostCPU, p.cpu), max(mostMemory, p.memory)
	}
	list := make([]model.Resources, len(m.nodes))
	for i, n := range m.nodes {
		// A tenth of the pods' shapes times ten nodes' worth of pods: the tens cancel.
		r := &list[i]
		r.CPU = max(withSpare(int64(podsPerNode)*n.cores*10, cores)*wantCPU/10, 2*mostCPU)
		r.Memory = max(withSpare(int64(podsPerNode)*n.memory*10, memory)*wantMemory/10, 2*mostMemory) / mebi * mebi
		r.Pods = max(model.DefaultPodsPerNode, withSpare(int64(podsPerNode)*n.cores*10, cores))
	}
	return list
}

// withSpare is what there is in place of n/of, rounded up.
func withSpare(n, of int64) int64 { return (n*(100+sparePercent) + 100*of - 1) / (100 * of) }
