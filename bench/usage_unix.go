//go:build unix

package bench

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this process has used, the garbage collector's included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
