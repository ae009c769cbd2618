package main

import (
	"os"
	"runtime/debug"
)

const (
	bytesPerPod = 130     // that a simulation has in use, about
	leastSlack  = 8 << 20 // bytes of garbage that are always let be
	leastGCRate = 5       // percent of what is in use
	mostGCRate  = 200     // the same; with more, small simulations take more memory and no less time
)

// boundGarbage has garbage collected before it takes much of the memory of a large
// simulation, which makes next to none once it has begun. A GOGC that the user has set stays.
func boundGarbage(pods int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(max(leastGCRate, min(mostGCRate, 100*leastSlack/max(1, bytesPerPod*pods))))
	}
}
