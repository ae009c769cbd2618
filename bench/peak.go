package bench

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

// startPeak gives back the memory that is not in use, and lets the process's
// peak count from now on. Where the system does not let it (only Linux does), the peak is that since the process began.
func startPeak() {
	debug.FreeOSMemory()
	// The error of a system without this file changes only since when the peak counts.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakMemory is the most memory, in bytes, that the process has held since
// startPeak: resident on Linux; elsewhere what Go's runtime has from the system, which does not shrink.
func peakMemory() uint64 {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		if _, rest, ok := bytes.Cut(status, []byte("\nVmHWM:")); ok {
			if kib, err := strconv.ParseUint(string(bytes.Fields(rest)[0]), 10, 64); err == nil {
				return kib << 10
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
