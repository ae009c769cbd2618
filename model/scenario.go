package model

import "time"

// Versions of the scenario file that this build reads.
const (
	APIVersion   = "upsim/v1"
	KindScenario = "Scenario"
)

// Scenario is one YAML document: the unit that is simulated.
type Scenario struct {
	// File and Document say where it was read: the name given to Decode and
	// the number of the document in it, from 1.
	File     string
	Document int

	Name        string
	Description string
	Labels      map[string]string

	Cluster    Cluster
	Upgrade    Upgrade
	Strategies []NamedUpgrade
	// Study is what the file asks to be tried, nil for nothing; it is no part of Upgrades.
	Study *Study
	// Variants are the upgrade with each change that Decode was given; they are no part of Upgrades.
	Variants []Variant
	// Varied: what is to be simulated is one of the Variants, which the file does not have.
	Varied bool
	// Written is what the file says of the scenario, as JSON with its keys in their order; only where Decode was given changes.
	Written []byte
	// Folder is what the file names in Written are relative to.
	Folder      string
	Assumptions Assumptions
	Faults      []Fault
	Objectives  Objectives
	Seed        uint64
	// Notes are what is worth knowing about the input and stops nothing: those
	// of Cluster.Notes that still hold, then the decoder's own.
	Notes []Finding
}

// NamedUpgrade is one entry of `strategies`: the scenario's upgrade with the
// entry's keys laid over it, complete.
type NamedUpgrade struct {
	Name    string
	Upgrade Upgrade
}

// Upgrades are what the scenario simulates, one run each: its strategies in
// their order, or else its one upgrade, named after its strategy.
func (sc *Scenario) Upgrades() []NamedUpgrade {
	if len(sc.Strategies) > 0 {
		return sc.Strategies
	}
	return []NamedUpgrade{{Name: sc.Upgrade.Nodes.Strategy, Upgrade: sc.Upgrade}}
}

// Pods counts the pods of the cluster's workloads, but for those of DaemonSets.
func (sc *Scenario) Pods() int {
	n := 0
	for i := range sc.Cluster.Workloads {
		w := &sc.Cluster.Workloads[i]
		n += max(1, w.Count) * max(w.Replicas, len(w.Existing))
	}
	return n
}

// Objectives are what the plan must meet. A nil or zero field asks for nothing.
type Objectives struct {
	// MaxDowntime bounds, for each replicated workload, the time without a ready replica.
	MaxDowntime *time.Duration
	// MaxAPIDowntime bounds the time without a reachable API server.
	MaxAPIDowntime *time.Duration
	// Window bounds the makespan.
	Window *time.Duration
	// MaxPendingTime bounds, for each workload, the time in which a pod of it waits for a node.
	MaxPendingTime *time.Duration
	// MaxSurgeNodes bounds the number of extra nodes at any time.
	MaxSurgeNodes *int
	// MinReady is the least number of ready replicas, by workload name or namespace/name.
	MinReady map[string]int
}
