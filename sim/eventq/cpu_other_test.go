//go:build !unix

package eventq

import "time"

var began = time.Now()

// cpuTime is the time of the wall here.
func cpuTime() time.Duration { return time.Since(began) }
