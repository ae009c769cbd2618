// Package bench measures upsim: its truth, against recordings of the same
// upgrades on a real control plane (testdata/traces), and its speed, on
// synthetic clusters of any size.
package bench
