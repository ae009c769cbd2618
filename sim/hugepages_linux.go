package sim

import "syscall"

// hugePage is the size of a huge page of most processors.
const hugePage = 2 << 20

// useHugePages asks Linux for huge pages where whole ones fit between two addresses. A system that has none, or does not let
// programs ask, refuses, and nothing is lost but time.
func useHugePages(start, size uintptr) {
	first := (start + hugePage - 1) &^ (hugePage - 1)
	if last := (start + size) &^ (hugePage - 1); last > first {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, first, last-first, syscall.MADV_HUGEPAGE)
	}
}
