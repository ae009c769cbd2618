//go:build !linux

package sim

// useHugePages does nothing: other systems choose the size of pages by themselves.
func useHugePages(start, size uintptr) {}
