//go:build !unix

package bench

import "time"

var began = time.Now()

// cpuTime is the time of the wall here, which is at least that of the processor.
func cpuTime() time.Duration { return time.Since(began) }
