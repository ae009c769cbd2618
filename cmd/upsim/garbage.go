package main

import (
	"os"
	"runtime/debug"
)

const (
	bytesPerPod = 130     // that a simulation has in use, about
	leastSlack  = 8 << 20 // bytes of garbage that are always let be
	leastGCRate = 5       // percent of what is in use
)

// boundGarbage has garbage collected before it doubles the memory of a large
// simulation, which makes next to none once it has begun. A GOGC that the user has set stays.
func boundGarbage(pods int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(max(leastGCRate, min(100, 100*leastSlack/max(1, bytesPerPod*pods))))
	}
}
