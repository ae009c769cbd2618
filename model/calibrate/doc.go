// Package calibrate measures what a scenario has to assume: how long pods take
// to start and to stop, nodes to be upgraded and to boot, and how fast the
// control plane answers.
//
// A Collector (collector.go) takes snapshots of a cluster, which kubectl
// printed, and recordings of past upgrades, in any order and number.
// snapshot.go keeps what the objects say of their lives; pods.go, stops.go,
// nodes.go and upgrades.go make times of it once everything is read. recording.go reads the
// events of a recording, and recorded.go makes times of them. samples.go holds
// the times and tells what was left out, and why; clocks.go leaves out what clocks that
// disagree have measured, and workloads.go tells whose times they are. fit.go finds the distribution that
// a scenario can give, lognormal.go the lognormal through times that are whole
// seconds; estimates.go tells workloads and pools apart, and missing.go says
// what could not be read and what would be needed.
package calibrate
